/* The names that a template file (*_template.h) takes for G2; see group_g1.h. */
#ifndef ALGEBRA_GROUP_H
#define ALGEBRA_GROUP_H

#include "algebra/batch_add.h"
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

/* Products in Fp2 want reduced factors. */
static inline void coordinate_subtract(coordinate *out, const coordinate *a, const coordinate *b) {
    fp_subtract(&out->fp[0], &a->fp[0], &b->fp[0]);
    fp_subtract(&out->fp[1], &a->fp[1], &b->fp[1]);
}
static inline void coordinate_difference(coordinate *out, const coordinate *a, const coordinate *b) {
    coordinate_subtract(out, a, b);
}
static inline void coordinate_signed_difference(coordinate *out, const coordinate *a, const coordinate *b, uint32_t negate) {
    coordinate signed_a;
    blst_fp2_cneg(&signed_a, a, negate);
    coordinate_subtract(out, &signed_a, b);
}
static inline bool difference_is_zero(const coordinate *d) { return coordinate_is_zero(d); }

#endif
