/* Tests of fixed_base.h for one group, against single multiplications. */
#include "support/support.h"

#include <stdlib.h>

#include "algebra/fixed_base.h"
#include "algebra/group_helpers.h"

enum { MANY = 2600 };

/* Edge values first, then random ones. */
static void make_scalars(fr *scalars, size_t count) {
    test_random random = {11};
    for (size_t i = 0; i < count; i++)
        random_scalar(&random, &scalars[i]);
    fr edges[8] = {FR_ZERO, FR_ONE, FR_TWO, FR_MINUS_ONE};
    fr_add(&edges[4], &FR_MINUS_ONE, &FR_MINUS_ONE);
    fr_invert(&edges[5], &FR_TWO);
    fr_sub(&edges[6], &edges[5], &FR_ONE);
    fr_power(&edges[7], &FR_TWO, 254);
    for (size_t i = 0; i < 8 && i < count; i++)
        scalars[i] = edges[i];
    if (count > 100)
        scalars[count - 1] = FR_ZERO;
}

/* Checks the given number of results against the generator times scalar * base. */
static void check(const fr *base, const affine_point *points, const fr *scalars, size_t count) {
    for (size_t i = 0; i < count; i += i < 50 ? 1 : 97) {
        affine_point expected;
        fr k;
        fr_mul(&k, base, &scalars[i]);
        multiple_of_generator(&expected, &k);
        assert_points_equal(&points[i], &expected);
    }
}

static void multiply_with(size_t expected_count, size_t count, size_t threads) {
    test_random random = {12 + expected_count};
    fr k, *scalars = malloc((count + 1) * sizeof *scalars);
    affine_point base, *points = malloc((count + 1) * sizeof *points);
    assert_true(scalars && points);
    memset(points, 0xab, (count + 1) * sizeof *points);
    random_scalar(&random, &k);
    multiple_of_generator(&base, &k);
    make_scalars(scalars, count);
    thread_pool *pool = threads ? thread_pool_create(threads) : NULL;
    NAMED(fixed_base, ) *table;
    cuzk_error error;
    assert_int_equal(NAMED(fixed_base, _create)(&table, &base, expected_count, pool, &error), CUZK_OK);
    NAMED(fixed_base, _multiply)(table, points, scalars, count, pool);
    check(&k, points, scalars, count);
    if (count > 100)
        assert_true(BLST_POINT(affine_is_inf)(&points[count - 1]));
    assert_int_equal(((uint8_t *)&points[count])[0], 0xab); /* nothing behind the last one */
    NAMED(fixed_base, _destroy)(table);
    thread_pool_destroy(pool);
    free(scalars);
    free(points);
}

static void few_scalars(void **state) {
    (void)state;
    for (size_t count = 0; count < 12; count++)
        multiply_with(count, count, 0);
}

/* The expected number chooses the window: from 2 bits to 17. */
static void every_window(void **state) {
    (void)state;
    const size_t expected[] = {0, 1, 8, 32, 100, 300, 1000, 3000, 10000, 40000, 200000, 1000000};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        multiply_with(expected[i], 60, 2);
}

static void thread_counts(void **state) {
    (void)state;
    for (size_t threads = 0; threads < 6; threads += threads < 2 ? 1 : 3)
        multiply_with(MANY, MANY, threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_scalars),
        cmocka_unit_test(every_window),
        cmocka_unit_test(thread_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
