/* Sums of products in Fr with one reduction for all of them. */
#ifndef ALGEBRA_FR_DOT_H
#define ALGEBRA_FR_DOT_H

#include <stddef.h>

#include "algebra/field.h"

enum { FR_DOT_MAX = 32 };

/* out = sum of a[i] * b[i * stride], i < count, 1 <= count <= FR_DOT_MAX; all Montgomery. Half the time of as many products,
 * for which it takes 16 of 36 multiplications of limbs. out may not overlap. */
void fr_dot(fr *out, const fr *a, const fr *b, size_t stride, size_t count);

#endif
