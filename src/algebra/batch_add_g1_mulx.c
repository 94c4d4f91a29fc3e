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

#endif
