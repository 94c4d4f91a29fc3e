/* Tests of cuda/msm.h for one group, whose names (algebra/group_g1.h or group_g2.h) are included before: sums on the device
 * against those of algebra/msm.h. */
#include "cuda_fixture.h"

#include "algebra/fixed_base.h"
#include "algebra/msm.h"
#include "cuda/msm.h"
#include "r1cs/bit_words.h"

enum { DISTINCT = 300 };

static uint8_t distinct_points[DISTINCT][ENCODED_POINT_BYTES];

static int make_points(void **state) {
    (void)state;
    fr logarithms[DISTINCT];
    affine_point points[DISTINCT], generator = *BLST_POINT(affine_generator)();
    test_random random = {31};
    for (size_t i = 0; i < DISTINCT; i++)
        random_fr(&random, &logarithms[i]);
    fr_negate(&logarithms[1], &logarithms[0]); /* opposite, infinity, equal */
    logarithms[2] = FR_ZERO;
    logarithms[3] = logarithms[4];
    NAMED(fixed_base, ) *table;
    cuzk_error error;
    if (NAMED(fixed_base, _create)(&table, &generator, DISTINCT, NULL, &error) != CUZK_OK)
        return 1;
    NAMED(fixed_base, _multiply)(table, points, logarithms, DISTINCT, NULL);
    NAMED(fixed_base, _destroy)(table);
    for (size_t i = 0; i < DISTINCT; i++)
        GROUP(encode)(distinct_points[i], &points[i]);
    return 0;
}

typedef struct {
    size_t count;
    uint8_t *points;
    fr *values;
    fr_canonical *scalars;
} sum_terms;

static sum_terms make_terms(size_t count) {
    sum_terms t = {.count = count};
    t.points = malloc(count * ENCODED_POINT_BYTES + 1);
    t.values = calloc(count + 1, sizeof *t.values);
    t.scalars = malloc((count + 1) * sizeof *t.scalars);
    assert_true(t.points && t.values && t.scalars);
    test_random random = {count};
    for (size_t i = 0; i < count; i++) {
        memcpy(t.points + i * ENCODED_POINT_BYTES, distinct_points[i % DISTINCT], ENCODED_POINT_BYTES);
        random_fr(&random, &t.values[i]);
    }
    return t;
}

static void free_terms(sum_terms *t) {
    free(t->points);
    free(t->values);
    free(t->scalars);
}

static void host_sum(projective_point *sum, const sum_terms *t) {
    cuzk_error error = {0};
    msm_terms terms = {.points = t->points, .count = t->count, .source = scalars_from_fr_array, .context = t->values};
    ASSERT_OK(NAMED(msm, )(sum, &terms, NULL, NULL, NULL, &error));
}

/* In parts of part_points. */
static void device_sum(projective_point *sum, sum_terms *t, unsigned window_bits, size_t part_points, unsigned limit,
                       bool montgomery) {
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    device_msm_options options = {DEVICE_GROUP, window_bits, part_points, part_points, limit};
    device_msm *msm;
    for (size_t i = 0; i < t->count; i++)
        fr_to_canonical(&t->scalars[i], &t->values[i]);
    uint8_t *scalars = device_copy_of(&f, montgomery ? (const void *)t->values : t->scalars, t->count * sizeof(fr));
    void *encoded = device_room(&f, part_points * ENCODED_POINT_BYTES);
    ASSERT_OK(device_msm_create(&msm, f.stream, &options, &error));
    for (size_t first = 0; first < t->count; first += part_points) {
        size_t count = t->count - first < part_points ? t->count - first : part_points;
        device_scalars part = {.values = scalars + first * sizeof(fr), .montgomery = montgomery, .most = count};
        ASSERT_OK(device_upload(f.stream, encoded, t->points + first * ENCODED_POINT_BYTES, count * ENCODED_POINT_BYTES, &error));
        ASSERT_OK(device_msm_points(msm, f.stream, encoded, count, &error));
        ASSERT_OK(device_msm_add_scalars(msm, f.stream, &part, &error));
    }
    size_t bad;
    ASSERT_OK(device_msm_finish(msm, f.stream, sum, &bad, &error));
    assert_true(bad == SIZE_MAX);
    device_msm_destroy(msm);
    cuda_fixture_close(&f);
}

static void check(sum_terms *t, unsigned window_bits, size_t part_points, unsigned limit, bool montgomery) {
    projective_point on_host, on_device;
    host_sum(&on_host, t);
    device_sum(&on_device, t, window_bits, part_points, limit, montgomery);
    if (memcmp(&on_host, &on_device, sizeof on_host) != 0)
        fail_msg("%zu terms, windows of %u bits, parts of %zu", t->count, window_bits, part_points);
}

static void every_window(void **state) {
    (void)state;
    sum_terms t = make_terms(17);
    for (unsigned bits = 1; bits <= 12; bits++)
        check(&t, bits, 17, 0, bits % 2);
    free_terms(&t);
}

static void lengths_and_parts(void **state) {
    (void)state;
    for (size_t count = 0; count <= 66; count += count < 4 ? 1 : 31) {
        sum_terms t = make_terms(count);
        check(&t, 5, 64, 0, false);
        check(&t, 4, 7, 3, true);
        free_terms(&t);
    }
}

/* 0, 1, -1, r/2 and beside it, small ones, powers of two. */
static void edge_scalars(void **state) {
    (void)state;
    sum_terms t = make_terms(96);
    fr half, two;
    fr_from_u64(&two, 2);
    fr_invert(&half, &two); /* (r + 1) / 2 */
    const fr *edges[] = {&FR_ZERO, &FR_ONE, &FR_MINUS_ONE, &FR_TWO, &half};
    for (size_t i = 0; i < t.count; i++) {
        if (i % 8 < 5)
            t.values[i] = *edges[i % 8];
        else if (i % 8 == 5)
            fr_sub(&t.values[i], &half, &FR_ONE);
        else if (i % 8 == 6)
            fr_from_u64(&t.values[i], i);
        else
            fr_power(&t.values[i], &two, i * 5 / 2);
    }
    check(&t, 4, 96, 0, false);
    check(&t, 7, 50, 2, true);
    free_terms(&t);
}

/* All in one bucket of each window, which many tasks sum; with points that double and cancel. */
static void equal_scalars(void **state) {
    (void)state;
    sum_terms t = make_terms(LONG_SUM / 2);
    for (size_t i = 1; i < t.count; i++) {
        t.values[i] = t.values[0];
        memcpy(t.points + i * ENCODED_POINT_BYTES, distinct_points[i / 3 % 5], ENCODED_POINT_BYTES);
    }
    check(&t, 6, t.count, 16, false);
    check(&t, 6, t.count, 0, false);
    free_terms(&t);
}

static void a_long_sum(void **state) {
    (void)state;
    sum_terms t = make_terms(LONG_SUM);
    check(&t, 8, LONG_SUM, 0, true);
    free_terms(&t);
}

/* Ones and wide values by bitmaps, with and without variables that have no point; in two parts. */
static void check_selection(bool all_dense) {
    enum { WORDS = 7, CUT = 3, VARIABLES = 64 * WORDS };
    cuzk_error error = {0};
    uint64_t ones[WORDS], wide[WORDS], dense[WORDS];
    uint32_t rank[WORDS + 1] = {0};
    test_random random = {77};
    sum_terms t = make_terms(VARIABLES);
    fr_canonical values[VARIABLES];
    size_t wide_count = 0, points = 0;
    for (size_t w = 0; w < WORDS; w++) {
        wide[w] = test_random_u64(&random) & test_random_u64(&random) & (w == 2 ? 0 : UINT64_MAX);
        ones[w] = test_random_u64(&random) & ~wide[w];
        dense[w] = all_dense ? UINT64_MAX : test_random_u64(&random);
        for (size_t i = 0; i < 64; i++) {
            fr value = t.values[64 * w + i];
            if (wide[w] >> i & 1)
                fr_to_canonical(&values[wide_count++], &value);
            if (dense[w] >> i & 1) /* the host's terms: those that have points, moved together */
                t.values[points++] = ones[w] >> i & 1 ? FR_ONE : wide[w] >> i & 1 ? value : FR_ZERO;
        }
        rank[w + 1] = (uint32_t)points;
    }
    t.count = points;

    cuda_fixture f = cuda_fixture_open(0);
    void *d_ones = device_copy_of(&f, ones, sizeof ones), *d_wide = device_copy_of(&f, wide, sizeof wide);
    void *d_dense = device_copy_of(&f, dense, sizeof dense), *d_values = device_copy_of(&f, values, sizeof values);
    uint32_t *wide_rank = device_room(&f, sizeof rank), *dense_rank = device_room(&f, sizeof rank);
    uint32_t *scratch = device_room(&f, selection_scratch_words(WORDS) * sizeof(uint32_t));
    ASSERT_OK(device_rank_bits(f.stream, wide_rank, d_wide, WORDS, scratch, &error));
    ASSERT_OK(device_rank_bits(f.stream, dense_rank, d_dense, WORDS, scratch, &error));
    device_wide_list list = {device_room(&f, VARIABLES * 4), device_room(&f, VARIABLES * 4), device_room(&f, (WORDS + 1) * 4),
                             scratch};
    device_msm_options options = {DEVICE_GROUP, 5, VARIABLES, VARIABLES, 0};
    device_msm *msm;
    ASSERT_OK(device_msm_create(&msm, f.stream, &options, &error));
    void *encoded = device_copy_of(&f, t.points, VARIABLES * ENCODED_POINT_BYTES);
    const size_t ends[] = {0, CUT, WORDS};
    for (int part = 0; part < 2; part++) {
        size_t first = ends[part], end = ends[part + 1];
        device_selection selection = {all_dense ? NULL : d_dense, dense_rank, first, end, rank[first]};
        ASSERT_OK(device_msm_points(msm, f.stream, (uint8_t *)encoded + rank[first] * ENCODED_POINT_BYTES,
                                    rank[end] - rank[first], &error));
        ASSERT_OK(device_msm_add_ones(msm, f.stream, &selection, d_ones, &error));
        ASSERT_OK(device_list_wide(f.stream, &list, &selection, d_wide, wide_rank, &error));
        device_scalars scalars = {.values = d_values,
                                  .points = list.points,
                                  .numbers = list.numbers,
                                  .count = list.offsets + (end - first),
                                  .most = rank[end] - rank[first]};
        ASSERT_OK(device_msm_add_scalars(msm, f.stream, &scalars, &error));
    }
    projective_point expected, sum;
    size_t bad;
    ASSERT_OK(device_msm_finish(msm, f.stream, &sum, &bad, &error));
    host_sum(&expected, &t);
    assert_memory_equal(&sum, &expected, sizeof sum);

    /* It is empty again. */
    ASSERT_OK(device_msm_finish(msm, f.stream, &sum, &bad, &error));
    memset(&expected, 0, sizeof expected);
    assert_memory_equal(&sum, &expected, sizeof sum);
    device_msm_destroy(msm);
    cuda_fixture_close(&f);
    free_terms(&t);
}

static void selections(void **state) {
    (void)state;
    check_selection(true);
    check_selection(false);
}

/* Encodings that the host refuses, the device refuses too; and the first of them is named. */
static void malformed_points(void **state) {
    (void)state;
    static const struct {
        size_t byte;
        uint8_t bits;
    } faults[] = {{0, 0x80}, {0, 0x20}, {0, 0x40}, {0, 0x1f}, {ENCODED_POINT_BYTES / 2, 0x1f}, {0, 0xe0}};
    cuzk_error error = {0};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sum_terms t = make_terms(20);
        for (size_t p = 9; p <= 14; p += 5)
            t.points[p * ENCODED_POINT_BYTES + faults[i].byte] |= faults[i].bits;
        affine_point point;
        assert_true(GROUP(decode)(&point, t.points + 9 * ENCODED_POINT_BYTES, POINT_UNCHECKED, true) != POINT_OK);
        cuda_fixture f = cuda_fixture_open(0);
        device_msm_options options = {DEVICE_GROUP, 5, 20, 20, 0};
        device_msm *msm;
        ASSERT_OK(device_msm_create(&msm, f.stream, &options, &error));
        void *encoded = device_copy_of(&f, t.points, 20 * ENCODED_POINT_BYTES);
        ASSERT_OK(device_msm_points(msm, f.stream, encoded, 7, &error));
        ASSERT_OK(device_msm_points(msm, f.stream, (uint8_t *)encoded + 7 * ENCODED_POINT_BYTES, 13, &error));
        projective_point sum;
        size_t bad;
        assert_int_equal(device_msm_finish(msm, f.stream, &sum, &bad, &error), CUZK_BAD_INPUT);
        assert_int_equal(bad, 9);
        device_msm_destroy(msm);
        cuda_fixture_close(&f);
        free_terms(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window),     cmocka_unit_test(lengths_and_parts), cmocka_unit_test(edge_scalars),
        cmocka_unit_test(equal_scalars),    cmocka_unit_test(a_long_sum),        cmocka_unit_test(selections),
        cmocka_unit_test(malformed_points),
    };
    return cmocka_run_group_tests(tests, make_points, NULL);
}
