#include "support/support.h"

#include "algebra/cpu.h"
#include "algebra/fp_addition.h"
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

/* The greatest factors: 2p - 1 twice, and with all limbs but the highest full of ones. */
static void greatest_factors(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    fp greatest[2], reduced[2], expected, ours;
    blst_fp_cneg(&reduced[0], &(fp){{1}}, true);
    greatest[0] = raised(&reduced[0]);
    greatest[1] = (fp){{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x340223d472ffcd33ULL}};
    fp_subtract(&reduced[1], &greatest[1], &FP_ORDER);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            fp_loose_product(&ours, &greatest[i], &greatest[j]);
            blst_fp_mul(&expected, &reduced[i], &reduced[j]);
            assert_stands_for(&ours, &expected);
        }
}

/* a * b less c: for each product also the c that leave 0, 1, 2 and so on, or lack that much, at the edges of the estimate. */
static void products_less(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            const fp a = values[i], b = values[j], a_raised = raised(&a), b_raised = raised(&b);
            fp product;
            blst_fp_mul(&product, &a, &b);
            for (int k = 0; k < 4 * VALUES; k++) {
                fp c = values[k % VALUES], expected, ours;
                if (k >= VALUES && k < 2 * VALUES)
                    blst_fp_add(&c, &product, &c);
                if (k >= 2 * VALUES)
                    blst_fp_sub(&c, &product, &c);
                if (k >= 3 * VALUES && (k & 1))
                    blst_fp_cneg(&c, &c, true);
                blst_fp_sub(&expected, &product, &c);
                fp_product_less(&ours, &a, &b, &c);
                assert_memory_equal(&ours, &expected, sizeof ours);
                ours = c;
                fp_product_less(&ours, &a_raised, &b_raised, &ours);
                assert_memory_equal(&ours, &expected, sizeof ours);
            }
        }
}

static void check_slope_and_x(const fp *a, const fp *b, const fp *x1, const fp *x2) {
    fp slope, x, difference, our_slope = *a, our_x = *x1, our_difference;
    blst_fp_mul(&slope, a, b);
    blst_fp_sqr(&x, &slope);
    blst_fp_sub(&x, &x, x1);
    blst_fp_sub(&x, &x, x2);
    blst_fp_sub(&difference, x1, &x);
    fp_slope_and_x(&our_slope, &our_x, &our_difference, &our_slope, b, &our_x, x2);
    assert_stands_for(&our_slope, &slope);
    assert_memory_equal(&our_x, &x, sizeof x);
    fp reduced;
    fp_loose_reduced(&reduced, &our_difference); /* p for 0 */
    assert_memory_equal(&reduced, &difference, sizeof reduced);
}

/* The square beside blst's, and x1 and x2 such that x is close to 0 or what is missing to a multiple of p. */
static void slopes(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            const fp a_raised = raised(&values[i]), b_raised = raised(&values[j]);
            fp square;
            blst_fp_mul(&square, &values[i], &values[j]);
            blst_fp_sqr(&square, &square);
            for (int k = 0; k < VALUES; k++) {
                const fp *x2 = &values[(i + j + k) % VALUES];
                fp x1 = values[k];
                check_slope_and_x(&values[i], &values[j], &x1, x2);
                blst_fp_sub(&x1, &square, x2);
                check_slope_and_x(&a_raised, &b_raised, &x1, x2); /* x is 0 */
                blst_fp_sub(&x1, &x1, &values[k]);
                check_slope_and_x(&a_raised, &values[j], &x1, x2);
                blst_fp_add(&x1, &x1, &values[k]);
                blst_fp_add(&x1, &x1, &values[k]);
                check_slope_and_x(&values[i], &b_raised, &x1, x2);
            }
        }
}

/* Squares of all values and of those above p: the rounds of a square take a factor from registers. */
static void squares(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < 2 * VALUES; i++) {
        const fp a = i < VALUES ? values[i] : raised(&values[i - VALUES]);
        fp expected, ours;
        const fp_product_state given = {.t = {a.l[1], a.l[2], a.l[3], a.l[4], a.l[5], 0, a.l[0]}};
        fp_product_state square = {.a = &a};
        fp_square_rounds(&square, &given);
        fp_product_finish(&ours, &square);
        blst_fp_sqr(&expected, &values[i % VALUES]);
        assert_stands_for(&ours, &expected);
        fp_loose_product(&expected, &a, &a);
        assert_memory_equal(&ours, &expected, sizeof ours);
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
        cmocka_unit_test(products), cmocka_unit_test(greatest_factors), cmocka_unit_test(products_less),
        cmocka_unit_test(squares),  cmocka_unit_test(slopes),           cmocka_unit_test(subtractions),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}

#else

#include "algebra/nothing_to_test.h"

#endif
