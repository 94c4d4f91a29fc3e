/* Tests of msm_counts for one group: additions as brute force counts them from the scalars' digits. */
#include "support/support.h"

#include <stdlib.h>

#include "algebra/group_helpers.h"
#include "algebra/msm.h"
#include "algebra/msm_windows.h"

enum { COUNT = 5000 };

/* Additions into the buckets of a window: one for each digit that is not zero, and one more for each part of a bucket that is
 * shared by several sums, of which there are so many that 512 could take all points. */
static uint64_t bucket_additions(const uint32_t *digits, size_t count, size_t buckets) {
    uint32_t *lengths = calloc(buckets + 1, sizeof *lengths);
    uint64_t total = 0, additions;
    for (size_t i = 0; i < count; i++) {
        lengths[digits[i] >> 1]++;
        total += digits[i] != 0;
    }
    uint64_t limit = (total + 511) / 512;
    additions = total;
    for (size_t b = 1; b <= buckets; b++)
        if (lengths[b] > limit)
            additions += (lengths[b] + limit - 1) / limit;
    free(lengths);
    return additions;
}

/* Additions that make the weighted sum of one window's buckets: 32 sums a segment go through two running sums, the segments'
 * first sums again, and the last ones are added up. */
static uint64_t reduction_additions(size_t buckets, size_t length) {
    size_t sets = buckets / length;
    uint64_t additions = 2 * sets * (length - 1);
    for (;;) {
        additions += sets - 1;
        if (sets == 1)
            return additions;
        length = sets < 32 ? sets : 32;
        sets /= length;
        additions += sets * (2 * length - 3);
    }
}

static uint64_t expected_additions(const fr_canonical *scalars, unsigned window, uint64_t ones) {
    signed_windows windows;
    signed_windows_init(&windows, window, HALF_SCALAR_BITS);
    size_t halves = 0, narrowest = (size_t)1 << (window_bits(&windows, windows.count - 1) - 1);
    uint32_t *digits = malloc(windows.count * 2 * COUNT * sizeof *digits);
    assert_non_null(digits);
    for (size_t i = 0; i < COUNT; i++) {
        if (kind_of_scalar(&scalars[i]) != SCALAR_WIDE)
            continue;
        half_scalar half[2];
        split_scalar(&half[0], &half[1], &scalars[i]);
        for (size_t j = 0; j < 2; j++, halves++)
            signed_digits_of_half(&windows, &half[j], digits + halves, 2 * COUNT);
    }
    uint64_t additions = ones + BATCH_ADDITIONS - 1; /* the running sums of the only worker are added up */
    for (unsigned w = 0; w < windows.count; w++) {
        size_t buckets = (size_t)1 << (window_bits(&windows, w) - 1);
        additions += bucket_additions(digits + w * 2 * COUNT, halves, buckets);
        additions += reduction_additions(buckets, narrowest < 32 ? narrowest : 32);
    }
    free(digits);
    return additions;
}

/* All the same point; scalars 0, 1, -1, small ones and, so that a window is a unit of work, half of them full. */
static void make_terms(uint8_t *encoded, fr_canonical *scalars, uint64_t kinds[4]) {
    static const uint8_t seed[FR_BYTES] = {95};
    for (size_t i = 0; i < COUNT; i++) {
        fr value;
        GROUP(encode)(encoded + i * ENCODED_POINT_BYTES, BLST_POINT(affine_generator)());
        fr_from_u64(&value, i % 16 < 8 ? i % 3 : i);
        if (i % 16 == 2)
            value = FR_MINUS_ONE;
        if (i % 2)
            fr_from_seed(&value, seed, i);
        fr_to_canonical(&scalars[i], &value);
        kinds[kind_of_scalar(&scalars[i])]++;
    }
}

static void counts_equal_brute_force(void **state) {
    (void)state;
    const unsigned windows[] = {4, 7, 10, 12};
    uint8_t *encoded = malloc(COUNT * ENCODED_POINT_BYTES);
    fr_canonical *scalars = malloc(COUNT * sizeof *scalars);
    uint64_t kinds[4] = {0};
    assert_true(encoded && scalars);
    make_terms(encoded, scalars, kinds);
    uint64_t ones = kinds[SCALAR_ONE] + kinds[SCALAR_MINUS_ONE];
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        cuzk_error error = {0};
        projective_point sum;
        msm_counts counts = {.zeros = 1000, .ones = 1000, .wide = 1000, .additions = 1000}; /* which are added to */
        ASSERT_OK(NAMED(msm, _with_window)(&sum, encoded, COUNT, scalars, windows[w], NULL, &counts, &error));
        assert_int_equal(counts.zeros, 1000 + kinds[SCALAR_ZERO]);
        assert_int_equal(counts.ones, 1000 + ones);
        assert_int_equal(counts.wide, 1000 + kinds[SCALAR_WIDE]);
        assert_true(counts.window_bits <= windows[w] && counts.window_bits + 1 >= windows[w]);
        assert_int_equal(counts.additions, 1000 + expected_additions(scalars, windows[w], ones));
        assert_true(counts.inversions >= (counts.additions - 1000) / BATCH_ADDITIONS &&
                    counts.inversions < counts.additions / 10);
    }
    free(encoded);
    free(scalars);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_equal_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
