#include "support/support.h"

#include "algebra/cpu.h"
#include "algebra/fp_product.h"
#include "algebra/fp_values.h"

#ifdef FP_LOOSE

enum { VALUES = FP_EDGES + 60 };
static fp values[VALUES];

static int make_values(void **state) {
    (void)state;
    make_fp_values(values, VALUES, 7);
    return 0;
}

/* a + p as it stands in memory: loose. */
static fp raised(const fp *a) {
    __extension__ typedef unsigned __int128 uint128;
    fp out;
    uint128 sum = 0;
    for (int i = 0; i < 6; i++) {
        sum += (uint128)a->l[i] + FP_OFFSETS[0][i];
        out.l[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return out;
}

static void assert_stands_for(const fp *loose, const fp *expected) {
    fp reduced;
    fp_loose_reduced(&reduced, loose);
    assert_memory_equal(&reduced, expected, sizeof reduced);
    fp above = raised(expected);
    assert_true(memcmp(loose, expected, sizeof *loose) == 0 || memcmp(loose, &above, sizeof *loose) == 0);
}

/* Reduced factors and those above p, up to 2p - 1, beside blst, in place too. */
static void products(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++) {
        const fp a = values[i], a_raised = raised(&a);
        for (int j = 0; j < VALUES; j++) {
            const fp b = values[j], b_raised = raised(&b), *factors[2][2] = {{&a, &a_raised}, {&b, &b_raised}};
            fp expected, ours;
            blst_fp_mul(&expected, &a, &b);
            for (int k = 0; k < 4; k++) {
                fp_loose_product(&ours, factors[0][k & 1], factors[1][k >> 1]);
                assert_stands_for(&ours, &expected);
                ours = *factors[0][k & 1];
                fp_loose_product(&ours, &ours, factors[1][k >> 1]);
                assert_stands_for(&ours, &expected);
                ours = *factors[1][k >> 1];
                fp_loose_product(&ours, factors[0][k & 1], &ours);
                assert_stands_for(&ours, &expected);
            }
        }
    }
}

/* A loose value less a reduced one is loose. */
static void subtractions(void **state) {
    (void)state;
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            fp expected, ours, a_raised = raised(&values[i]);
            blst_fp_sub(&expected, &values[i], &values[j]);
            fp_subtract(&ours, &values[i], &values[j]);
            assert_memory_equal(&ours, &expected, sizeof ours);
            fp_subtract(&ours, &a_raised, &values[j]);
            assert_stands_for(&ours, &expected);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(subtractions),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}

#else

static void nothing_to_test(void **state) {
    (void)state;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_to_test)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
