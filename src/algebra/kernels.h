/* The inner loops that exist once for each level of cpu.h. Internal to this room and its tests. */
#ifndef ALGEBRA_KERNELS_H
#define ALGEBRA_KERNELS_H

#include "algebra/batch_add.h"
#include "algebra/cpu.h"
#include "algebra/ntt_kernel.h"

typedef void g1_batch_add_function(const g1_addition *additions, size_t count, const g1_affine *addends,
                                   g1_batch_scratch *scratch);
typedef void g2_batch_add_function(const g2_addition *additions, size_t count, const g2_affine *addends,
                                   g2_batch_scratch *scratch);

/* Does so many products or squares of a kernel's lanes and returns how many of elements of Fp or Fp2 these are: for
 * benchmarks, what the kernel's time is to be compared with. */
typedef size_t lane_products_function(size_t times, bool squares);

typedef struct {
    cpu_level level;
    g1_batch_add_function *g1_batch_add;
    g2_batch_add_function *g2_batch_add;
    lane_products_function *g1_lane_products, *g2_lane_products; /* the latter NULL on the portable level: fp2_product.h */
    const ntt_kernel *ntt;
} algebra_kernels;

/* Levels avx2 and ifma are there on x86-64 only, the model of ifma in tests only (ifma_vector.h). */
extern const algebra_kernels kernels_portable, kernels_avx2, kernels_ifma, kernels_ifma_model;
g1_batch_add_function g1_batch_add_portable, g1_batch_add_avx2, g1_batch_add_ifma, g1_batch_add_ifma_model;
/* The same as g1_batch_add_portable where cpu_has_mulx_and_adx(): the portable level takes it there. */
g1_batch_add_function g1_batch_add_mulx;
g2_batch_add_function g2_batch_add_portable, g2_batch_add_avx2, g2_batch_add_ifma, g2_batch_add_ifma_model;

lane_products_function g1_lane_products_mulx, g1_lane_products_avx2, g1_lane_products_ifma, g1_lane_products_ifma_model;
lane_products_function g2_lane_products_avx2, g2_lane_products_ifma, g2_lane_products_ifma_model;

/* The kernels in use; chosen on first use. */
const algebra_kernels *kernels_in_use(void);

/* For tests: the kernels in use from now on. No sum or transform may be under way. */
void kernels_use(const algebra_kernels *kernels);

#endif
