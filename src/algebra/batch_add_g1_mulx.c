/* batch_add.h for G1 on the portable level where cpu_has_mulx_and_adx(). */
#include "algebra/fp_addition.h"

#ifdef FP_LOOSE

#include "algebra/group_g1.h"

#define BATCH_ADD g1_batch_add_mulx
#define PRODUCT fp_loose_product
#define REDUCED fp_loose_reduced
#define SLOPE_AND_X fp_slope_and_x
#define PRODUCT_LESS fp_product_less
#include "algebra/batch_add_template.h"

/* Squares as products: their shorter way is one behind a product. */
size_t g1_lane_products_mulx(size_t times, bool squares) {
    enum { AT_ONCE = 16 };
    fp factors[AT_ONCE + 1];
    (void)squares;
    for (size_t i = 0; i <= AT_ONCE; i++)
        factors[i] = blst_p1_generator()->z;
    for (size_t i = 0; i < times; i++)
        fp_loose_product(&factors[i % AT_ONCE], &factors[AT_ONCE], &factors[i % AT_ONCE]);
    volatile uint64_t used = factors[0].l[0]; /* so that nothing is left out */
    (void)used;
    return times;
}

#endif
