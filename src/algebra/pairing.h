/* Products of pairings e(P, Q), P in G1, Q in G2; all points in their subgroups, affine. */
#ifndef ALGEBRA_PAIRING_H
#define ALGEBRA_PAIRING_H

#include "algebra/curve.h"

/* True if the product over i < count of e(p[i], q[i]) is 1. Pairs with an infinity contribute 1. */
bool pairing_product_is_one(const g1_affine *p, const g2_affine *q, size_t count);

#endif
