/* The names that a template file (*_template.h) takes for G1. A C file includes one of group_g1.h and group_g2.h and then
 * the template, so that both groups are one source. */
#ifndef ALGEBRA_GROUP_H
#define ALGEBRA_GROUP_H

#include "algebra/batch_add.h"
#include "algebra/fp_difference.h"

#define GROUP(name) g1_##name                   /* our functions and types on the group */
#define NAMED(before, after) before##_g1##after /* those with the group's name inside or behind */
#define GROUP_NAME "G1"
#define FIELD(name) blst_fp_##name /* blst's operations on its coordinates */
#define BLST_POINT(name) blst_p1_##name
typedef g1_affine affine_point; /* 96 bytes */
typedef g1 projective_point;
typedef fp coordinate;

enum { ENCODED_POINT_BYTES = G1_BYTES, BATCH_ADDITIONS = G1_BATCH };

static inline bool coordinate_is_zero(const coordinate *a) {
    return (a->l[0] | a->l[1] | a->l[2] | a->l[3] | a->l[4] | a->l[5]) == 0;
}

static inline void coordinate_subtract(coordinate *out, const coordinate *a, const coordinate *b) { fp_subtract(out, a, b); }
/* Differences in the sense of fp_difference.h: good for one factor of a product. */
static inline void coordinate_difference(coordinate *out, const coordinate *a, const coordinate *b) { fp_difference(out, a, b); }
static inline void coordinate_signed_difference(coordinate *out, const coordinate *a, const coordinate *b, uint32_t negate) {
    fp_signed_difference(out, a, b, negate);
}
static inline bool difference_is_zero(const coordinate *d) { return fp_difference_is_zero(d); }
/* A difference times a reduced factor. */
static inline void coordinate_product(coordinate *out, const coordinate *difference, const coordinate *factor) {
    blst_fp_mul(out, difference, factor);
}

#endif
