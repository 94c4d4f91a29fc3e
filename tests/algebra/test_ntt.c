#include "support/support.h"

#include <stdlib.h>

#include "algebra/levels.h"
#include "algebra/ntt.h"

/* Where large transforms take long. */
static bool on_the_model(void) { return kernels_in_use() == &kernels_ifma_model; }

static fr *random_values(size_t count, uint64_t seed) {
    fr *values = malloc(count * sizeof *values);
    assert_non_null(values);
    test_random random = {seed};
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[FR_BYTES];
        test_random_bytes(&random, bytes, sizeof bytes);
        fr_from_hash(&values[i], bytes);
    }
    return values;
}

static fr *copy_of(const fr *values, size_t count) {
    fr *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static void evaluate(fr *out, const fr *coefficients, size_t count, const fr *x) {
    *out = FR_ZERO;
    for (size_t i = count; i-- > 0;) {
        fr_mul(out, out, x);
        fr_add(out, out, &coefficients[i]);
    }
}

static ntt_domain *domain_of(unsigned log_size) {
    cuzk_error error = {0};
    ntt_domain *domain = NULL;
    ASSERT_OK(ntt_domain_create(&domain, log_size, &error));
    assert_int_equal(ntt_domain_log_size(domain), log_size);
    return domain;
}

/* Compares values[i] with the polynomial at shift * root^i, every step-th i and the last. */
static void check_values(const fr *values, const fr *coefficients, unsigned log_size, const fr *shift, size_t step) {
    size_t size = (size_t)1 << log_size;
    fr root, x, expected;
    fr_root_of_unity(&root, log_size);
    for (size_t i = 0; i < size; i = i == size - 1 || i + step < size ? i + step : size - 1) {
        fr_power(&x, &root, i);
        fr_mul(&x, &x, shift);
        evaluate(&expected, coefficients, size, &x);
        assert_true(fr_equal(&values[i], &expected));
    }
}

/* All four transforms, against evaluations and against each other. Destroys the domain. */
static void check_domain(ntt_domain *domain, size_t step) {
    unsigned log_size = ntt_domain_log_size(domain);
    size_t size = (size_t)1 << log_size;
    fr *coefficients = random_values(size, log_size), *values = copy_of(coefficients, size);
    ntt_forward(domain, values, NULL);
    check_values(values, coefficients, log_size, &FR_ONE, step);
    ntt_inverse(domain, values, NULL);
    assert_memory_equal(values, coefficients, size * sizeof *values);
    ntt_coset_forward(domain, values, NULL);
    check_values(values, coefficients, log_size, &FR_GENERATOR, step);
    ntt_coset_inverse(domain, values, NULL);
    assert_memory_equal(values, coefficients, size * sizeof *values);
    /* And the other way round. */
    ntt_inverse(domain, values, NULL);
    ntt_forward(domain, values, NULL);
    assert_memory_equal(values, coefficients, size * sizeof *values);
    ntt_coset_inverse(domain, values, NULL);
    ntt_coset_forward(domain, values, NULL);
    assert_memory_equal(values, coefficients, size * sizeof *values);
    ntt_domain_destroy(domain);
    free(coefficients);
    free(values);
}

/* Interpolation, and the coset by the half root, whose values are in an order of their own: only sums over all of them and
 * products of values at the same place mean something outside. */
static void check_quotient_transforms(unsigned log_size) {
    size_t size = (size_t)1 << log_size;
    ntt_domain *domain = domain_of(log_size);
    fr *a = random_values(size, 1), *b = random_values(size, 2), *product = calloc(size, sizeof *product);
    fr *values = copy_of(a, size), *others = copy_of(b, size), factor;
    assert_non_null(product);
    fr_from_u64(&factor, UINT64_C(1) << log_size);

    ntt_forward(domain, values, NULL);
    ntt_interpolate(domain, values, NULL);
    for (size_t i = 0; i < size; i++) {
        fr scaled;
        fr_mul(&scaled, &a[i], &factor);
        assert_true(fr_equal(&values[i], &scaled));
    }
    /* a * b modulo x^size + 1 */
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            fr term, *at = &product[(i + j) % size];
            fr_mul(&term, &a[i], &b[j]);
            (i + j < size ? fr_add : fr_sub)(at, at, &term);
        }
    memcpy(values, a, size * sizeof *values);
    ntt_to_coset(domain, values, NULL);
    ntt_to_coset(domain, others, NULL);
    for (size_t i = 0; i < size; i++)
        fr_mul(&values[i], &values[i], &others[i]);
    ntt_from_coset(domain, values, NULL);
    for (size_t i = 0; i < size; i++) {
        fr_mul(&product[i], &product[i], &factor);
        assert_true(fr_equal(&values[i], &product[i]));
    }
    ntt_domain_destroy(domain);
    free(a);
    free(b);
    free(product);
    free(values);
    free(others);
}

static void transforms_for_quotients(void **state) {
    (void)state;
    for (unsigned log_size = 0; log_size <= 11; log_size++)
        check_quotient_transforms(log_size);
}

/* There and back at sizes of every number of passes, with whatever roots are not stored; results are reduced. */
static void large_transforms_for_quotients(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(3);
    const unsigned log_sizes[] = {12, 13, 18, 23};
    for (size_t s = 0; s < (on_the_model() ? 2 : sizeof log_sizes / sizeof *log_sizes); s++) {
        unsigned log_size = log_sizes[s];
        size_t size = (size_t)1 << log_size;
        ntt_domain *domain = domain_of(log_size);
        fr *a = random_values(size, 1), *values = copy_of(a, size), factor;
        fr_from_u64(&factor, UINT64_C(1) << log_size);
        ntt_to_coset(domain, values, pool);
        ntt_from_coset(domain, values, pool);
        for (size_t i = 0; i < size; i++) {
            fr_mul(&a[i], &a[i], &factor);
            assert_true(fr_equal(&values[i], &a[i]));
        }
        ntt_domain_destroy(domain);
        free(a);
        free(values);
    }
    thread_pool_destroy(pool);
}

static void check_size(unsigned log_size, size_t step) { check_domain(domain_of(log_size), step); }

static void every_value_of_small_sizes(void **state) {
    (void)state;
    for (unsigned log_size = 0; log_size <= 9; log_size++)
        check_size(log_size, 1);
}

static void some_values_of_other_sizes(void **state) {
    (void)state;
    for (unsigned log_size = 10; log_size <= 15; log_size++)
        check_size(log_size, ((size_t)1 << log_size) / 23);
}

/* What a CPU without MULX and ADX does, byte for byte. */
static void without_mulx_and_adx(void **state) {
    (void)state;
    void (*const transforms[])(const ntt_domain *, fr *, thread_pool *) = {
        ntt_forward, ntt_inverse, ntt_coset_forward, ntt_coset_inverse, ntt_interpolate, ntt_to_coset, ntt_from_coset};
    const unsigned log_sizes[] = {1, 6, 11, 14, 17};
    for (size_t i = 0; i < sizeof log_sizes / sizeof *log_sizes; i++) {
        unsigned log_size = log_sizes[i];
        size_t size = (size_t)1 << log_size;
        ntt_domain *domain = domain_of(log_size);
        cpu_forgo_mulx_and_adx(true);
        ntt_domain *without = domain_of(log_size);
        cpu_forgo_mulx_and_adx(false);
        fr *values = random_values(size, log_size), *expected = copy_of(values, size);
        for (size_t t = 0; t < sizeof transforms / sizeof *transforms; t++) {
            transforms[t](domain, expected, NULL);
            transforms[t](without, values, NULL);
            assert_memory_equal(values, expected, size * sizeof *values);
        }
        ntt_domain_destroy(domain);
        ntt_domain_destroy(without);
        free(values);
        free(expected);
    }
}

/* Values that make carries go through all limbs, 0 in various forms, and r - 1, mixed: against the same on the portable level. */
static void border_values(void **state) {
    (void)state;
    const algebra_kernels *level = kernels_in_use();
    fr borders[8];
    memset(borders, 0, sizeof borders);
    for (size_t i = 0; i < 4; i++)
        borders[1].l[i] = i < 3 ? UINT64_MAX : 0x73eda753299d7d47ULL; /* limbs of ones, the highest one less than that of r */
    borders[2] = FR_MINUS_ONE;
    borders[3] = (fr){{0xffffffff00000000ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}}; /* r - 1 */
    borders[4].l[0] = 1;
    borders[5].l[0] = (UINT64_C(1) << 52) - 1;
    borders[6] = (fr){{0, 0, 0, UINT64_C(1) << 62}};
    borders[7] = (fr){{UINT64_MAX, UINT64_MAX, UINT64_MAX, (UINT64_C(1) << 62) - 1}};
    void (*const transforms[])(const ntt_domain *, fr *, thread_pool *) = {
        ntt_forward, ntt_inverse, ntt_coset_forward, ntt_coset_inverse, ntt_interpolate, ntt_to_coset, ntt_from_coset};
    enum { TRANSFORMS = sizeof transforms / sizeof *transforms, ROUNDS = 16 };
    for (unsigned log_size = 11; log_size <= 13; log_size++) {
        size_t size = (size_t)1 << log_size;
        ntt_domain *domain = domain_of(log_size);
        kernels_use(&kernels_portable);
        ntt_domain *portable = domain_of(log_size);
        kernels_use(level);
        fr *values = malloc(size * sizeof *values), *expected = malloc(size * sizeof *values);
        assert_true(values && expected);
        test_random random = {log_size};
        for (size_t t = 0; t < TRANSFORMS * ROUNDS; t++) {
            /* Each round leaves out some of the borders, down to one that is everywhere. */
            size_t round = t / TRANSFORMS;
            for (size_t i = 0; i < size; i++)
                values[i] = borders[(round + (test_random_u64(&random) & (round < 8 ? 7 : round % 8))) % 8];
            memcpy(expected, values, size * sizeof *values);
            transforms[t % TRANSFORMS](domain, values, NULL);
            transforms[t % TRANSFORMS](portable, expected, NULL);
            assert_memory_equal(values, expected, size * sizeof *values);
        }
        free(values);
        free(expected);
        ntt_domain_destroy(domain);
        ntt_domain_destroy(portable);
    }
}

/* Up to 2^22 there are two passes. */
static void few_values_of_large_sizes(void **state) {
    (void)state;
    const unsigned log_sizes[] = {16, 17, 18, 19, 20, 22};
    thread_pool *pool = thread_pool_create(2);
    for (size_t s = 0; s < (on_the_model() ? 1 : sizeof log_sizes / sizeof *log_sizes); s++) {
        size_t size = (size_t)1 << log_sizes[s];
        fr *coefficients = random_values(size, s), *values = copy_of(coefficients, size);
        ntt_domain *domain = domain_of(log_sizes[s]);
        ntt_coset_forward(domain, values, pool);
        check_values(values, coefficients, log_sizes[s], &FR_GENERATOR, size / 2 + 12345);
        ntt_coset_inverse(domain, values, pool);
        assert_memory_equal(values, coefficients, size * sizeof *values);
        ntt_forward(domain, values, pool);
        check_values(values, coefficients, log_sizes[s], &FR_ONE, size / 2 + 54321);
        ntt_domain_destroy(domain);
        free(coefficients);
        free(values);
    }
    thread_pool_destroy(pool);
}

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    const unsigned log_sizes[] = {3, 9, 12, 13, 17};
    size_t sizes_here = on_the_model() ? 4 : sizeof log_sizes / sizeof *log_sizes;
    void (*const transforms[])(const ntt_domain *, fr *, thread_pool *) = {ntt_forward, ntt_inverse, ntt_coset_forward,
                                                                           ntt_coset_inverse};
    for (size_t s = 0; s < sizes_here; s++) {
        size_t size = (size_t)1 << log_sizes[s];
        ntt_domain *domain = domain_of(log_sizes[s]);
        for (size_t t = 0; t < sizeof transforms / sizeof *transforms; t++) {
            fr *values = random_values(size, 100 + s), *alone = copy_of(values, size);
            transforms[t](domain, alone, NULL);
            for (size_t threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
                thread_pool *pool = thread_pool_create(threads);
                fr *copy = copy_of(values, size);
                transforms[t](domain, copy, pool);
                assert_memory_equal(copy, alone, size * sizeof *copy);
                free(copy);
                thread_pool_destroy(pool);
            }
            free(values);
            free(alone);
        }
        ntt_domain_destroy(domain);
    }
}

static void constants_and_zero(void **state) {
    (void)state;
    for (unsigned log_size = 0; log_size <= 13; log_size += log_size == 0 ? 5 : 4) {
        size_t size = (size_t)1 << log_size;
        ntt_domain *domain = domain_of(log_size);
        fr *values = calloc(size, sizeof *values);
        assert_non_null(values);
        ntt_forward(domain, values, NULL);
        for (size_t i = 0; i < size; i++)
            assert_true(fr_is_zero(&values[i]));
        values[0] = FR_MINUS_ONE;
        ntt_coset_forward(domain, values, NULL);
        for (size_t i = 0; i < size; i++)
            assert_true(fr_equal(&values[i], &FR_MINUS_ONE));
        ntt_inverse(domain, values, NULL);
        assert_true(fr_equal(&values[0], &FR_MINUS_ONE));
        for (size_t i = 1; i < size; i++)
            assert_true(fr_is_zero(&values[i]));
        free(values);
        ntt_domain_destroy(domain);
    }
}

static void sizes(void **state) {
    (void)state;
    assert_int_equal(ntt_log_size_for(1), 0);
    assert_int_equal(ntt_log_size_for(2), 1);
    assert_int_equal(ntt_log_size_for(3), 2);
    assert_int_equal(ntt_log_size_for(4), 2);
    assert_int_equal(ntt_log_size_for(5), 3);
    assert_int_equal(ntt_log_size_for(130278541), 27);
    assert_int_equal(ntt_log_size_for((UINT64_C(1) << 27)), 27);
    assert_int_equal(ntt_log_size_for((UINT64_C(1) << 27) + 1), 28);
    cuzk_error error = {0};
    ntt_domain *domain = NULL;
    assert_int_equal(ntt_domain_create(&domain, NTT_MAX_LOG_SIZE + 1, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "28"));
    assert_non_null(strstr(error.message, "27"));
    assert_null(domain);
    ntt_domain_destroy(NULL);
}

static void vanishing_polynomial(void **state) {
    (void)state;
    uint8_t seed[32] = {3};
    fr x, value, expected, root;
    for (unsigned log_size = 0; log_size <= 27; log_size += 3) {
        fr_from_seed(&x, seed, log_size);
        ntt_vanishing_at(&value, log_size, &x);
        fr_power(&expected, &x, UINT64_C(1) << log_size);
        fr_sub(&expected, &expected, &FR_ONE);
        assert_true(fr_equal(&value, &expected));
        fr_root_of_unity(&root, log_size);
        fr_power(&root, &root, 3);
        ntt_vanishing_at(&value, log_size, &root);
        assert_true(fr_is_zero(&value));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_small_sizes),
        cmocka_unit_test(some_values_of_other_sizes),
        cmocka_unit_test(transforms_for_quotients),
        cmocka_unit_test(large_transforms_for_quotients),
        cmocka_unit_test(without_mulx_and_adx),
        cmocka_unit_test(border_values),
        cmocka_unit_test(few_values_of_large_sizes),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(constants_and_zero),
        cmocka_unit_test(sizes),
        cmocka_unit_test(vanishing_polynomial),
    };
    int failed = 0;
    RUN_ON_EVERY_LEVEL(failed, tests, NULL);
    return failed;
}
