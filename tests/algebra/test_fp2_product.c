#include "support/support.h"

#include "algebra/fp2_product.h"
#include "algebra/fp_difference.h"
#include "algebra/fp_values.h"

enum { VALUES = FP_EDGES + 40 };
static fp values[VALUES];

static int make_values(void **state) {
    (void)state;
    make_fp_values(values, VALUES, 5);
    return 0;
}

/* All pairs of a few values in all places, beside blst. */
static void equals_blst(void **state) {
    (void)state;
    fp2 a, b, ours, theirs;
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++)
            for (int k = 0; k < FP_EDGES + 2; k++)
                for (int l = 0; l < FP_EDGES + 2; l++) {
                    a = (fp2){{values[i], values[k]}};
                    b = (fp2){{values[j], values[l]}};
                    blst_fp2_mul(&theirs, &a, &b);
                    fp2_product(&ours, &a, &b);
                    assert_memory_equal(&ours, &theirs, sizeof ours);
                    fp2_product(&a, &a, &b);
                    assert_memory_equal(&a, &theirs, sizeof a);
                }
}

/* A first factor that is not reduced, as far as it may go: up to 2p - 1. */
static void takes_differences(void **state) {
    (void)state;
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            fp2 difference, reduced, ours, theirs, b = {{values[(i + j) % VALUES], values[(7 * i + j + 3) % VALUES]}};
            fp_difference(&difference.fp[0], &values[i], &values[j]);
            fp_signed_difference(&difference.fp[1], &values[j], &values[i], (uint32_t)(i + j) & 1);
            blst_fp_sub(&reduced.fp[0], &values[i], &values[j]);
            blst_fp_cneg(&reduced.fp[1], &values[j], (i + j) & 1);
            blst_fp_sub(&reduced.fp[1], &reduced.fp[1], &values[i]);
            blst_fp2_mul(&theirs, &reduced, &b);
            fp2_product(&ours, &difference, &b);
            assert_memory_equal(&ours, &theirs, sizeof ours);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_blst),
        cmocka_unit_test(takes_differences),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
