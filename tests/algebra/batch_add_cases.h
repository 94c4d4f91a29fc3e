/* Tests of batch_add.h for one group, against blst's complete additions one by one. */
#include "support/support.h"

#include <stdlib.h>

#include "algebra/group_helpers.h"
#include "algebra/levels.h"

enum { POINTS = 9 };

/* Points whose pairs show every case: infinity, P, -P, 2P, -2P and others. */
static void special_points(affine_point points[POINTS]) {
    test_random random = {7};
    fr k;
    random_scalar(&random, &k);
    memset(points, 0, POINTS * sizeof *points);
    multiple_of_generator(&points[1], &k);
    fr_negate(&k, &k);
    multiple_of_generator(&points[2], &k);
    fr_double(&k, &k);
    multiple_of_generator(&points[3], &k);
    fr_negate(&k, &k);
    multiple_of_generator(&points[4], &k);
    for (size_t i = 5; i < POINTS; i++) {
        random_scalar(&random, &k);
        multiple_of_generator(&points[i], &k);
    }
}

static void add_slowly(affine_point *out, const affine_point *a, const affine_point *b, bool negate) {
    projective_point left, right;
    GROUP(from_affine)(&left, a);
    GROUP(from_affine)(&right, b);
    BLST_POINT(cneg)(&right, negate);
    GROUP(add)(&left, &left, &right);
    GROUP(to_affine)(out, &left);
}

/* The pairs that follow number `first` in the list of all (sum, addend, sign), one batch of `count`. */
static void check_batch(const affine_point points[POINTS], size_t first, size_t count, GROUP(batch_scratch) *scratch) {
    GROUP(addition) *additions = malloc((count + 1) * sizeof *additions);
    affine_point *sums = malloc((count + 1) * sizeof *sums), expected;
    assert_true(additions && sums);
    for (size_t i = 0; i < count; i++) {
        size_t number = first + i;
        sums[i] = points[number % POINTS];
        additions[i].sum = &sums[i];
        additions[i].addend = (uint32_t)(number / POINTS % POINTS);
        additions[i].negate = number / (POINTS * POINTS) & 1;
    }
    GROUP(batch_add)(additions, count, points, scratch);
    for (size_t i = 0; i < count; i++) {
        size_t number = first + i;
        add_slowly(&expected, &points[number % POINTS], &points[number / POINTS % POINTS], number / (POINTS * POINTS) & 1);
        assert_points_equal(&sums[i], &expected);
    }
    free(additions);
    free(sums);
}

static void all_pairs_in_one_batch(void **state) {
    (void)state;
    affine_point points[POINTS];
    special_points(points);
    GROUP(batch_scratch) *scratch = malloc(sizeof *scratch);
    check_batch(points, 0, 2 * POINTS * POINTS, scratch);
    check_batch(points, 5, BATCH_ADDITIONS, scratch);
    free(scratch);
}

static void pairs_in_small_batches(void **state) {
    (void)state;
    affine_point points[POINTS];
    special_points(points);
    GROUP(batch_scratch) *scratch = malloc(sizeof *scratch);
    for (size_t count = 0; count < 5; count++)
        for (size_t first = 0; first < 2 * POINTS * POINTS; first++)
            check_batch(points, first, count, scratch);
    free(scratch);
}

/* A whole batch of one special case: no active addition may be left, or all are doublings. */
static void uniform_batches(void **state) {
    (void)state;
    affine_point points[POINTS], *sums = malloc(BATCH_ADDITIONS * sizeof *sums), expected;
    special_points(points);
    GROUP(batch_scratch) *scratch = malloc(sizeof *scratch);
    GROUP(addition) *additions = malloc(BATCH_ADDITIONS * sizeof *additions);
    for (size_t pair = 0; pair < POINTS * POINTS; pair++) {
        for (size_t i = 0; i < BATCH_ADDITIONS; i++) {
            sums[i] = points[pair % POINTS];
            additions[i] = (GROUP(addition)){.sum = &sums[i], .addend = (uint32_t)(pair / POINTS)};
        }
        GROUP(batch_add)(additions, BATCH_ADDITIONS, points, scratch);
        add_slowly(&expected, &points[pair % POINTS], &points[pair / POINTS], false);
        for (size_t i = 0; i < BATCH_ADDITIONS; i++)
            assert_points_equal(&sums[i], &expected);
    }
    free(scratch);
    free(additions);
    free(sums);
}

/* A pair tree within one array: addends beside sums. */
static void addends_among_sums(void **state) {
    (void)state;
    enum { COUNT = 64 };
    test_random random = {8};
    affine_point points[COUNT], expected;
    fr total = FR_ZERO;
    for (size_t i = 0; i < COUNT; i++) {
        fr k;
        random_scalar(&random, &k);
        multiple_of_generator(&points[i], &k);
        fr_add(&total, &total, &k);
    }
    GROUP(batch_scratch) *scratch = malloc(sizeof *scratch);
    for (size_t half = COUNT / 2; half > 0; half /= 2) {
        GROUP(addition) additions[COUNT];
        for (size_t i = 0; i < half; i++)
            additions[i] = (GROUP(addition)){.sum = &points[i], .addend = (uint32_t)(half + i)};
        GROUP(batch_add)(additions, half, points, scratch);
    }
    free(scratch);
    multiple_of_generator(&expected, &total);
    assert_points_equal(&points[0], &expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_in_one_batch),
        cmocka_unit_test(pairs_in_small_batches),
        cmocka_unit_test(uniform_batches),
        cmocka_unit_test(addends_among_sums),
    };
    int failed = 0;
    RUN_ON_EVERY_LEVEL(failed, tests, NULL);
    kernels_use(&kernels_portable);
    cpu_forgo_mulx_and_adx(true);
    failed += cmocka_run_group_tests_name("portable without MULX and ADX", tests, NULL, NULL);
    return failed;
}
