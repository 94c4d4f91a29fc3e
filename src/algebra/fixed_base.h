/* Many multiples of one point: what setup does for each query. Windows of precomputed multiples, summed batch-affine. */
#ifndef ALGEBRA_FIXED_BASE_H
#define ALGEBRA_FIXED_BASE_H

#include "algebra/curve.h"
#include "base/threads.h"

typedef struct fixed_base_g1 fixed_base_g1;
typedef struct fixed_base_g2 fixed_base_g2;

/* Makes a table for base * scalar, the window chosen for `expected` multiplications: it has no more than 5.5 million points.
 * base is not infinity. CUZK_NO_MEMORY, and then *table is NULL; free with _destroy. */
cuzk_status fixed_base_g1_create(fixed_base_g1 **table, const g1_affine *base, size_t expected, thread_pool *pool,
                                 cuzk_error *error);
cuzk_status fixed_base_g2_create(fixed_base_g2 **table, const g2_affine *base, size_t expected, thread_pool *pool,
                                 cuzk_error *error);
void fixed_base_g1_destroy(fixed_base_g1 *table);
void fixed_base_g2_destroy(fixed_base_g2 *table);

/* points[i] = scalars[i] * base for count scalars in Montgomery form; a zero scalar gives infinity (0, 0).
 * Runs on the pool. */
void fixed_base_g1_multiply(const fixed_base_g1 *table, g1_affine *points, const fr *scalars, size_t count, thread_pool *pool);
void fixed_base_g2_multiply(const fixed_base_g2 *table, g2_affine *points, const fr *scalars, size_t count, thread_pool *pool);

#endif
