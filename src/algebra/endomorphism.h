/* Scalars of half the length: both groups have an endomorphism, (x, y) -> (beta x, -y) with beta^3 = 1, that multiplies
 * the points of order r by z^2, where z = -0xd201000000010000 is the curve's parameter and r = z^4 - z^2 + 1. So
 * s * P = low * P + high * (z^2 P) with low and high of 127 bits (Gallant, Lambert, Vanstone, CRYPTO 2001).
 * Internal to this room. */
#ifndef ALGEBRA_ENDOMORPHISM_H
#define ALGEBRA_ENDOMORPHISM_H

#include "algebra/curve.h"

enum { HALF_SCALAR_BITS = 127 };

/* A signed integer of at most HALF_SCALAR_BITS bits. */
typedef struct {
    uint64_t magnitude[2];
    uint32_t negative;
} half_scalar;

/* scalar = low + high * z^2 modulo r. */
void split_scalar(half_scalar *low, half_scalar *high, const fr_canonical *scalar);

/* out = z^2 * p for p of order r, on the curve or on that of scaled_points.h. */
void g1_multiply_by_z2(g1_affine *out, const g1_affine *p);
void g2_multiply_by_z2(g2_affine *out, const g2_affine *p);

#endif
