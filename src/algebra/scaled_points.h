/* Points decoded for sums, at less than half the price of g1_decode: on the curve y^2 = x^3 + 4 u^6 with u = 2^-192, to
 * which (x, y) -> (u^2 x, u^3 y) is an isomorphism. As Montgomery's factor is 2^384 = u^-2, the plain integer x is the
 * Montgomery form of u^2 x, and only y costs half a reduction. The formulas of addition and doubling do not contain the
 * curve's constant, so sums need nothing else until unscale() at the end. Internal to this room. */
#ifndef ALGEBRA_SCALED_POINTS_H
#define ALGEBRA_SCALED_POINTS_H

#include "algebra/curve.h"

/* Like g1_decode with POINT_UNCHECKED and infinity allowed. */
point_error g1_decode_scaled(g1_affine *out, const uint8_t bytes[G1_BYTES]);
point_error g2_decode_scaled(g2_affine *out, const uint8_t bytes[G2_BYTES]);

/* Takes a sum of scaled points back to the curve itself. */
void g1_unscale(g1 *p);
void g2_unscale(g2 *p);

#endif
