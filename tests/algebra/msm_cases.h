/* Tests of msm.h for one group. Sums are compared with one multiplication for each term, or, for many terms, with the
 * generator times the sum of scalar times known logarithm. */
#include "support/support.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/digits.h"
#include "algebra/fixed_base.h"
#include "algebra/group_helpers.h"
#include "algebra/levels.h"
#include "algebra/msm.h"

/* Distinct points with known logarithms; longer sums repeat them. */
enum { DISTINCT = 1500 };

typedef struct {
    size_t count;
    fr *logarithms, *values; /* point i = logarithms[i] * generator, scalar i = values[i] */
    fr_canonical *scalars;
    uint8_t *encoded;
} terms;

static affine_point distinct_points[DISTINCT];
static fr distinct_logarithms[DISTINCT];

static int make_points(void **state) {
    (void)state;
    test_random random = {21};
    for (size_t i = 0; i < DISTINCT; i++)
        random_scalar(&random, &distinct_logarithms[i]);
    affine_point generator = *BLST_POINT(affine_generator)();
    NAMED(fixed_base, ) *table;
    cuzk_error error;
    if (NAMED(fixed_base, _create)(&table, &generator, DISTINCT, NULL, &error) != CUZK_OK)
        return 1;
    NAMED(fixed_base, _multiply)(table, distinct_points, distinct_logarithms, DISTINCT, NULL);
    NAMED(fixed_base, _destroy)(table);
    return 0;
}

static terms make_terms(size_t count) {
    terms t = {.count = count};
    t.logarithms = malloc((count + 1) * sizeof *t.logarithms);
    t.values = calloc(count + 1, sizeof *t.values);
    t.scalars = malloc((count + 1) * sizeof *t.scalars);
    t.encoded = malloc((count + 1) * ENCODED_POINT_BYTES);
    assert_true(t.logarithms && t.values && t.scalars && t.encoded);
    for (size_t i = 0; i < count; i++) {
        t.logarithms[i] = distinct_logarithms[i % DISTINCT];
        GROUP(encode)(t.encoded + i * ENCODED_POINT_BYTES, &distinct_points[i % DISTINCT]);
    }
    return t;
}

static void free_terms(terms *t) {
    free(t->logarithms);
    free(t->values);
    free(t->scalars);
    free(t->encoded);
}

static void set_point(terms *t, size_t i, const fr *logarithm) {
    affine_point p;
    multiple_of_generator(&p, logarithm);
    GROUP(encode)(t->encoded + i * ENCODED_POINT_BYTES, &p);
    t->logarithms[i] = *logarithm;
}

static void random_values(terms *t, uint64_t seed) {
    test_random random = {seed};
    for (size_t i = 0; i < t->count; i++) {
        uint8_t bytes[FR_BYTES];
        test_random_bytes(&random, bytes, sizeof bytes);
        fr_from_hash(&t->values[i], bytes);
        if (bytes[31] & 0x80)
            fr_negate(&t->values[i], &t->values[i]);
    }
}

static void expected_sum(const terms *t, affine_point *out) {
    fr sum = FR_ZERO, product;
    for (size_t i = 0; i < t->count; i++) {
        fr_mul(&product, &t->logarithms[i], &t->values[i]);
        fr_add(&sum, &sum, &product);
    }
    multiple_of_generator(out, &sum);
}

static void naive_sum(const terms *t, affine_point *out) {
    projective_point sum, term;
    memset(&sum, 0, sizeof sum);
    for (size_t i = 0; i < t->count; i++) {
        affine_point p;
        assert_int_equal(GROUP(decode)(&p, t->encoded + i * ENCODED_POINT_BYTES, POINT_IN_SUBGROUP, true), POINT_OK);
        GROUP(from_affine)(&term, &p);
        GROUP(multiply)(&term, &term, &t->values[i]);
        GROUP(add)(&sum, &sum, &term);
    }
    GROUP(to_affine)(out, &sum);
}

static void check_against(terms *t, unsigned window, thread_pool *pool, const affine_point *expected) {
    cuzk_error error = {0};
    projective_point sum;
    affine_point affine;
    for (size_t i = 0; i < t->count; i++)
        fr_to_canonical(&t->scalars[i], &t->values[i]);
    ASSERT_OK(NAMED(msm, _with_window)(&sum, t->encoded, t->count, t->scalars, window, pool, NULL, &error));
    GROUP(to_affine)(&affine, &sum);
    assert_points_equal(&affine, expected);
}

static void check(terms *t, unsigned window, thread_pool *pool) {
    affine_point expected;
    expected_sum(t, &expected);
    check_against(t, window, pool, &expected);
}

static void short_sums(void **state) {
    (void)state;
    for (size_t count = 0; count <= 40; count += count < 20 ? 1 : 5) {
        terms t = make_terms(count);
        random_values(&t, count);
        affine_point naive, expected;
        naive_sum(&t, &naive);
        expected_sum(&t, &expected);
        assert_points_equal(&naive, &expected);
        for (unsigned window = 0; window <= 6; window++)
            check_against(&t, window, NULL, &naive);
        free_terms(&t);
    }
}

static void every_window(void **state) {
    (void)state;
    const size_t counts[] = {1, 2, 37, 300, 5000};
    for (unsigned window = 0; window <= 20; window++) /* beyond, the buckets alone take a gigabyte */
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            /* Many buckets for few points take long, and show nothing new. */
            if ((window > 15 && c != 2) || (window < 4 && counts[c] > 300))
                continue;
            terms t = make_terms(counts[c]);
            random_values(&t, window * 10 + c);
            check(&t, window, NULL);
            free_terms(&t);
        }
}

static const fr *edge_values(size_t *count) {
    static fr edges[16];
    fr half, power;
    fr_invert(&half, &FR_TWO);
    fr_power(&power, &FR_TWO, 254);
    size_t n = 0;
    edges[n++] = FR_ZERO;
    edges[n++] = FR_ONE;
    edges[n++] = FR_TWO;
    edges[n++] = FR_MINUS_ONE;
    fr_sub(&edges[n++], &FR_MINUS_ONE, &FR_ONE);
    edges[n++] = power;
    fr_sub(&edges[n++], &power, &FR_ONE);
    edges[n++] = half;
    fr_sub(&edges[n++], &half, &FR_ONE);
    fr_from_u64(&edges[n++], UINT64_MAX);
    fr_from_u64(&edges[n++], 0x8000800080008000ULL);
    fr_power(&edges[n++], &FR_TWO, 64);
    *count = n;
    return edges;
}

/* Every edge scalar with a point, its opposite, the same point again and infinity, in sums of all kinds. */
static void edge_scalars_and_points(void **state) {
    (void)state;
    size_t edges;
    const fr *values = edge_values(&edges);
    test_random random = {31};
    fr k, opposite;
    random_scalar(&random, &k);
    fr_negate(&opposite, &k);
    const fr *logarithms[] = {&k, &opposite, &k, &FR_ZERO, &FR_ONE};
    enum { KINDS = 5 };
    for (size_t a = 0; a < edges; a++) {
        terms t = make_terms(2 * KINDS);
        for (size_t b = 0; b < edges; b++) {
            for (size_t i = 0; i < KINDS; i++) {
                set_point(&t, i, logarithms[i]);
                t.values[i] = values[a];
                set_point(&t, KINDS + i, logarithms[i]);
                t.values[KINDS + i] = values[b];
            }
            affine_point expected;
            naive_sum(&t, &expected);
            check_against(&t, 0, NULL, &expected);
            check_against(&t, 5, NULL, &expected);
            for (size_t start = 0; start < KINDS; start++) {
                uint8_t *encoded = t.encoded + start * ENCODED_POINT_BYTES;
                terms pair = {2, t.logarithms + start, t.values + start, t.scalars + start, encoded};
                check(&pair, 4, NULL);
            }
        }
        free_terms(&t);
    }
}

/* Halves of scalars all of whose digits are at the border of the signed carry, below and above it. */
static void border_digits(void **state) {
    (void)state;
    const unsigned bits[] = {2, 4, 7, 8, 13, 15, 16};
    fr z2;
    fr_from_u64(&z2, 0xd201000000010000ULL);
    fr_square(&z2, &z2);
    for (size_t w = 0; w < sizeof bits / sizeof *bits; w++) {
        signed_windows windows;
        signed_windows_init(&windows, bits[w], HALF_SCALAR_BITS);
        terms t = make_terms(600);
        for (size_t i = 0; i < t.count; i++) {
            fr halves[2] = {FR_ZERO, FR_ZERO};
            for (size_t half = 0; half < 2; half++)
                for (unsigned window = windows.count - 1; window-- > 0;) { /* the last would make it too large */
                    unsigned width = window_bits(&windows, window);
                    fr digit;
                    for (unsigned bit = 0; bit < width; bit++)
                        fr_double(&halves[half], &halves[half]);
                    fr_from_u64(&digit, (UINT64_C(1) << (width - 1)) + (i < 300 ? i % 3 : (i + window + half) % 3) - 1);
                    fr_add(&halves[half], &halves[half], &digit);
                }
            fr_mul(&halves[1], &halves[1], &z2);
            fr_add(&t.values[i], &halves[0], &halves[1]);
            if (i % 5 == 4)
                fr_negate(&t.values[i], &t.values[i]);
        }
        check(&t, bits[w], NULL);
        free_terms(&t);
    }
}

/* Inputs that put everything into few buckets, or make all pairs exceptional. */
static void uniform_inputs(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(2);
    test_random random = {41};
    fr k, scalar, opposite;
    random_scalar(&random, &k);
    fr_negate(&opposite, &k);
    for (int kind = 0; kind < 12; kind++) {
        terms t = make_terms(3001);
        random_values(&t, 50 + (uint64_t)kind);
        random_scalar(&random, &scalar);
        if (kind % 4 == 1)
            scalar = FR_ONE;
        if (kind % 4 == 2)
            scalar = FR_MINUS_ONE;
        for (size_t i = 0; i < t.count; i++) {
            if (kind < 8)
                t.values[i] = scalar; /* one scalar for all points */
            if (kind >= 4) {          /* one point for all scalars, or it and its opposite */
                t.logarithms[i] = kind % 2 && i % 2 ? opposite : k;
                if (i < 2)
                    set_point(&t, i, &t.logarithms[i]);
                else
                    memcpy(t.encoded + i * ENCODED_POINT_BYTES, t.encoded + (i - 2) * ENCODED_POINT_BYTES, ENCODED_POINT_BYTES);
            }
        }
        check(&t, 0, NULL);
        check(&t, 3, NULL);
        check(&t, 13, pool);
        free_terms(&t);
    }
    thread_pool_destroy(pool);
}

static void infinite_points(void **state) {
    (void)state;
    terms t = make_terms(2500);
    random_values(&t, 61);
    uint8_t infinity[ENCODED_POINT_BYTES] = {0x40};
    for (size_t i = 0; i < t.count; i++) {
        if (i % 3 == 0)
            continue;
        memcpy(t.encoded + i * ENCODED_POINT_BYTES, infinity, sizeof infinity);
        t.logarithms[i] = FR_ZERO;
        if (i % 3 == 1)
            t.values[i] = i % 2 ? FR_ONE : FR_MINUS_ONE;
    }
    check(&t, 0, NULL);
    for (size_t i = 0; i < t.count; i++) {
        memcpy(t.encoded + i * ENCODED_POINT_BYTES, infinity, sizeof infinity);
        t.logarithms[i] = FR_ZERO;
    }
    check(&t, 0, NULL);
    check(&t, 9, NULL);
    free_terms(&t);
}

/* The mixture of an assignment: most are 0 or 1, some small, some negative, some wide. */
static void mixed_values(terms *t, uint64_t seed) {
    test_random random = {seed};
    random_values(t, seed + 1);
    for (size_t i = 0; i < t->count; i++) {
        uint64_t r = test_random_u64(&random);
        switch (r % 16) {
        case 0:
            break;
        case 1:
            fr_from_u64(&t->values[i], r >> 8);
            break;
        case 2:
            fr_from_u64(&t->values[i], r >> 56);
            break;
        case 3:
            t->values[i] = FR_MINUS_ONE;
            break;
        case 4:
            fr_from_u64(&t->values[i], r >> 40);
            fr_negate(&t->values[i], &t->values[i]);
            break;
        case 5:
        case 6:
        case 7:
        case 8:
        case 9:
            t->values[i] = FR_ONE;
            break;
        default:
            t->values[i] = FR_ZERO;
        }
    }
}

static void thread_counts(void **state) {
    (void)state;
    const size_t counts[] = {10, 1000, 20000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        terms t = make_terms(counts[c]);
        mixed_values(&t, c);
        if (counts[c] == 1000)
            random_values(&t, c);
        affine_point expected;
        expected_sum(&t, &expected);
        for (size_t i = 0; i < t.count; i++)
            fr_to_canonical(&t.scalars[i], &t.values[i]);
        projective_point first, sum;
        memset(&first, 0, sizeof first);
        for (size_t threads = 1; threads <= 5; threads += threads < 3 ? 1 : 2) {
            cuzk_error error = {0};
            thread_pool *pool = thread_pool_create(threads);
            ASSERT_OK(NAMED(msm, _with_window)(&sum, t.encoded, t.count, t.scalars, 0, pool, NULL, &error));
            thread_pool_destroy(pool);
            if (threads == 1)
                first = sum;
            assert_memory_equal(&sum, &first, sizeof sum); /* byte for byte */
        }
        affine_point affine;
        GROUP(to_affine)(&affine, &first);
        assert_points_equal(&affine, &expected);
        free_terms(&t);
    }
}

static void small_scalars(void **state) {
    (void)state;
    for (unsigned bits = 2; bits <= 64; bits += bits < 8 ? 3 : 28) {
        terms t = make_terms(3000);
        test_random random = {bits};
        for (size_t i = 0; i < t.count; i++) {
            fr_from_u64(&t.values[i], test_random_u64(&random) >> (64 - bits));
            if (i % 4 == 0)
                fr_negate(&t.values[i], &t.values[i]);
        }
        check(&t, 0, NULL);
        free_terms(&t);
    }
}

/* More wide scalars than the buffer (6 MiB for two points each) holds: first so sparse that it takes SPARSE points to fill it,
 * then so many that the windows chosen in the first pass are too small for them and are chosen anew. */
static void several_passes(void **state) {
    (void)state;
    enum { BUFFER = (3 << 20) / sizeof(affine_point), SPARSE = 15 * BUFFER, DENSE = 4 * BUFFER };
    thread_pool *pool = thread_pool_create(2);
    terms t = make_terms(SPARSE + DENSE);
    random_values(&t, 71);
    for (size_t i = 0; i < SPARSE; i++)
        if (i % 16)
            t.values[i] = i % 16 == 1 ? FR_ONE : FR_ZERO;
    check(&t, 0, pool);
    free_terms(&t);
    thread_pool_destroy(pool);
}

static void scalars_of_terms(const void *context, size_t begin, size_t end, fr_canonical *out) {
    const terms *t = context;
    assert(begin < end && end <= t->count); /* on any thread, so not cmocka's */
    scalars_from_fr_array(t->values, begin, end, out);
}

/* Points that a sum says it is done with: in order, and all in the end. */
static const uint8_t *used_until;
static uint64_t used_bytes;

static void note_used(const uint8_t *begin, uint64_t bytes) {
    assert(begin == used_until); /* on any thread, so not cmocka's */
    used_until += bytes;
    used_bytes += bytes;
}

static void sources_and_progress(void **state) {
    (void)state;
    terms t = make_terms(5000);
    mixed_values(&t, 81);
    affine_point expected, affine;
    expected_sum(&t, &expected);
    cuzk_error error = {0};
    projective_point sum;
    progress job;
    progress_init(&job, NULL);
    progress_begin(&job, "sum", t.count);
    thread_pool *pool = thread_pool_create(2);
    const msm_terms by_callback = {
        .points = t.encoded, .count = t.count, .source = scalars_of_terms, .context = &t, .used = note_used};
    used_bytes = 0;
    used_until = t.encoded;
    ASSERT_OK(NAMED(msm, )(&sum, &by_callback, pool, &job, NULL, &error));
    assert_int_equal(used_bytes, t.count * ENCODED_POINT_BYTES);
    assert_int_equal(job.done, t.count);
    progress_end(&job);
    GROUP(to_affine)(&affine, &sum);
    assert_points_equal(&affine, &expected);
    progress_cancel(&job);
    const msm_terms by_array = {.points = t.encoded, .count = t.count, .source = scalars_from_fr_array, .context = t.values};
    assert_int_equal(NAMED(msm, )(&sum, &by_array, pool, &job, NULL, &error), CUZK_CANCELLED);
    thread_pool_destroy(pool);
    free_terms(&t);
}

/* Several sums in one pass are those of as many passes; what ends one of them leaves the others alone. */
static void sums_together(void **state) {
    (void)state;
    enum { SUMS = 5, LEFT_OUT = 1, CANCELLED = 2, MALFORMED = 3 };
    const size_t count = 150000 / (ENCODED_POINT_BYTES / 96); /* more than one range */
    terms t = make_terms(count);
    fr *values[SUMS];
    projective_point results[SUMS], expected;
    cuzk_error errors[SUMS] = {0}, error = {0};
    progress jobs[SUMS];
    msm_counts counts[SUMS] = {0}, alone = {0};
    msm_scalars sums[SUMS];
    thread_pool *pool = thread_pool_create(2);
    for (size_t i = 0; i < SUMS; i++) {
        mixed_values(&t, 300 + i);
        for (size_t k = 0; k < count; k++) /* mostly 0 and 1, to be quick */
            if ((k + i) % 64)
                t.values[k] = k % (i + 2) ? FR_ZERO : FR_ONE;
        t.values[7] = i == MALFORMED ? FR_ONE : FR_ZERO;
        values[i] = malloc(count * sizeof(fr));
        memcpy(values[i], t.values, count * sizeof(fr));
        progress_init(&jobs[i], NULL);
        progress_begin(&jobs[i], "sum", count);
        sums[i] = (msm_scalars){
            .source = scalars_from_fr_array, .context = values[i], .job = &jobs[i], .counts = &counts[i], .error = &errors[i]};
    }
    t.encoded[7 * ENCODED_POINT_BYTES] = 0xe0;
    sums[LEFT_OUT].status = CUZK_UNSATISFIED;
    progress_cancel(&jobs[CANCELLED]);
    const msm_terms points = {.points = t.encoded, .count = count, .used = note_used};
    used_bytes = 0;
    used_until = t.encoded;
    NAMED(msm, _together)(results, &points, sums, SUMS, pool);
    assert_int_equal(used_bytes, count * ENCODED_POINT_BYTES);
    assert_int_equal(sums[LEFT_OUT].status, CUZK_UNSATISFIED);
    assert_int_equal(counts[LEFT_OUT].wide + jobs[LEFT_OUT].done, 0);
    assert_int_equal(sums[CANCELLED].status, CUZK_CANCELLED);
    assert_int_equal(sums[MALFORMED].status, CUZK_BAD_INPUT);
    assert_non_null(strstr(errors[MALFORMED].message, "point 7"));
    for (size_t i = 0; i < SUMS; i++) {
        if (i != LEFT_OUT && i != CANCELLED && i != MALFORMED) {
            const msm_terms own = {.points = t.encoded, .count = count, .source = scalars_from_fr_array, .context = values[i]};
            assert_int_equal(sums[i].status, CUZK_OK);
            assert_int_equal(jobs[i].done, count);
            ASSERT_OK(NAMED(msm, )(&expected, &own, pool, NULL, &alone, &error));
            assert_memory_equal(&results[i], &expected, sizeof expected);
            assert_int_equal(counts[i].zeros + counts[i].ones + counts[i].wide, count);
        }
        progress_end(&jobs[i]);
        free(values[i]);
    }
    thread_pool_destroy(pool);
    free_terms(&t);
}

/* A malformed encoding is refused, with the lowest index, unless its scalar is zero. */
static void malformed_points(void **state) {
    (void)state;
    terms t = make_terms(4000);
    random_values(&t, 91);
    for (size_t i = 0; i < t.count; i += 2)
        t.values[i] = FR_ONE;
    t.values[1500] = FR_ZERO;
    thread_pool *pool = thread_pool_create(3);
    const size_t bad[] = {3999, 3000, 2345, 2344, 17, 16};
    affine_point expected;
    cuzk_error error = {0};
    projective_point sum;
    t.encoded[1500 * ENCODED_POINT_BYTES] = 0xe0;
    expected_sum(&t, &expected);
    check_against(&t, 0, pool, &expected);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char place[32];
        snprintf(place, sizeof place, "point %zu:", bad[i]);
        memset(t.encoded + bad[i] * ENCODED_POINT_BYTES, i % 2 ? 0x1f : 0xff, 48);
        error = (cuzk_error){0};
        assert_int_equal(NAMED(msm, _with_window)(&sum, t.encoded, t.count, t.scalars, 0, pool, NULL, &error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, place));
        assert_non_null(strstr(error.message, i % 2 ? "coordinate" : "flag"));
    }
    thread_pool_destroy(pool);
    free_terms(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_sums),
        cmocka_unit_test(every_window),
        cmocka_unit_test(border_digits),
        cmocka_unit_test(infinite_points),
        /* On the model these would take minutes, and add nothing to what the tests of batch additions show. */
        cmocka_unit_test(edge_scalars_and_points),
        cmocka_unit_test(uniform_inputs),
        cmocka_unit_test(thread_counts),
        cmocka_unit_test(small_scalars),
        cmocka_unit_test(several_passes),
        cmocka_unit_test(sources_and_progress),
        cmocka_unit_test(sums_together),
        cmocka_unit_test(malformed_points),
    };
    enum { ON_THE_MODEL = 4 };
    struct CMUnitTest model_tests[ON_THE_MODEL];
    memcpy(model_tests, tests, sizeof model_tests);
    int failed = 0;
    RUN_ON_EVERY_LEVEL_OF_THE_CPU(failed, tests, make_points);
    kernels_use(&kernels_ifma_model);
    failed += cmocka_run_group_tests_name("model of ifma", model_tests, make_points, NULL);
    return failed;
}
