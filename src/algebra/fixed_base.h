/* Many multiples of one point: what setup does for each query. Windows of precomputed multiples, summed batch-affine. */
#ifndef ALGEBRA_FIXED_BASE_H
#define ALGEBRA_FIXED_BASE_H

#include "algebra/curve.h"
#include "base/threads.h"

typedef struct fixed_base_g1 fixed_base_g1;
typedef struct fixed_base_g2 fixed_base_g2;

/* Tables for base * scalar, the window chosen for `expected` multiplications. Never NULL. base is not infinity. */
fixed_base_g1 *fixed_base_g1_create(const g1_affine *base, size_t expected, thread_pool *pool);
fixed_base_g2 *fixed_base_g2_create(const g2_affine *base, size_t expected, thread_pool *pool);
void fixed_base_g1_destroy(fixed_base_g1 *table);
void fixed_base_g2_destroy(fixed_base_g2 *table);

/* points[i] = scalars[i] * base for count scalars in Montgomery form; a zero scalar gives infinity (0, 0).
 * Runs on the pool. */
void fixed_base_g1_multiply(const fixed_base_g1 *table, g1_affine *points, const fr *scalars, size_t count, thread_pool *pool);
void fixed_base_g2_multiply(const fixed_base_g2 *table, g2_affine *points, const fr *scalars, size_t count, thread_pool *pool);

#endif
