#include "support/support.h"

#include "algebra/fp2_product.h"
#include "algebra/fp_difference.h"

/* 0, 1, p - 1, small and random ones, and those with limbs of only ones. */
enum { EDGES = 6, RANDOM = 40, VALUES = EDGES + RANDOM };
static fp values[VALUES];

static int make_values(void **state) {
    (void)state;
    static const uint64_t plain[EDGES][6] = {{0}, {1}, {2}, {UINT64_MAX}, {0, 0, 0, 0, 0, 0x1a0111ea397fe699ULL},
                                             {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x1a0111ea397fe699ULL}};
    for (int i = 0; i < EDGES; i++)
        memcpy(values[i].l, plain[i], sizeof plain[i]);
    blst_fp_cneg(&values[4], &values[1], true); /* the largest: p - 1 as it stands in memory */
    test_random random = {5};
    for (int i = EDGES; i < VALUES; i++) {
        uint8_t bytes[48];
        test_random_bytes(&random, bytes, sizeof bytes);
        bytes[47] &= 0x0f;
        blst_fp_from_lendian(&values[i], bytes);
    }
    return 0;
}

/* All pairs of a few values in all places, beside blst. */
static void equals_blst(void **state) {
    (void)state;
    fp2 a, b, ours, theirs;
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++)
            for (int k = 0; k < EDGES + 2; k++)
                for (int l = 0; l < EDGES + 2; l++) {
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
