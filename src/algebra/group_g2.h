/* The names that a template file (*_template.h) takes for G2; see group_g1.h. */
#ifndef ALGEBRA_GROUP_H
#define ALGEBRA_GROUP_H

#include "algebra/batch_add.h"
#include "algebra/fp2_product.h"
#include "algebra/fp_difference.h"

#define GROUP(name) g2_##name
#define NAMED(before, after) before##_g2##after
#define GROUP_NAME "G2"
#define FIELD(name) blst_fp2_##name
#define BLST_POINT(name) blst_p2_##name
typedef g2_affine affine_point; /* 192 bytes */
typedef g2 projective_point;
typedef fp2 coordinate;

enum { ENCODED_POINT_BYTES = G2_BYTES, BATCH_ADDITIONS = G2_BATCH };

static inline bool coordinate_is_zero(const coordinate *a) {
    uint64_t bits = 0;
    for (int i = 0; i < 6; i++)
        bits |= a->fp[0].l[i] | a->fp[1].l[i];
    return bits == 0;
}

static inline void coordinate_subtract(coordinate *out, const coordinate *a, const coordinate *b) {
    fp_subtract(&out->fp[0], &a->fp[0], &b->fp[0]);
    fp_subtract(&out->fp[1], &a->fp[1], &b->fp[1]);
}
static inline void coordinate_difference(coordinate *out, const coordinate *a, const coordinate *b) {
    fp_difference(&out->fp[0], &a->fp[0], &b->fp[0]);
    fp_difference(&out->fp[1], &a->fp[1], &b->fp[1]);
}
static inline void coordinate_signed_difference(coordinate *out, const coordinate *a, const coordinate *b, uint32_t negate) {
    fp_signed_difference(&out->fp[0], &a->fp[0], &b->fp[0], negate);
    fp_signed_difference(&out->fp[1], &a->fp[1], &b->fp[1], negate);
}
static inline bool difference_is_zero(const coordinate *d) {
    return fp_difference_is_zero(&d->fp[0]) && fp_difference_is_zero(&d->fp[1]);
}
/* A difference times a reduced factor. */
static inline void coordinate_product(coordinate *out, const coordinate *difference, const coordinate *factor) {
    fp2_product(out, difference, factor);
}

#endif
