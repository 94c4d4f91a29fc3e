/* Transforms on the device against those of algebra/ntt.h, byte for byte. */
#include "cuda_fixture.h"

#include "algebra/ntt.h"
#include "cuda/ntt.h"

typedef struct {
    void (*host)(const ntt_domain *, fr *, thread_pool *);
    cuzk_status (*device)(const device_ntt *, device_stream *, void *, cuzk_error *);
} twin;

static void host_to_coset(const ntt_domain *domain, fr *values, thread_pool *pool) {
    ntt_inverse(domain, values, pool);
    ntt_coset_forward(domain, values, pool);
}

static const twin TWINS[] = {
    {ntt_forward, device_ntt_forward},
    {ntt_inverse, device_ntt_inverse},
    {ntt_coset_forward, device_ntt_coset_forward},
    {ntt_coset_inverse, device_ntt_coset_inverse},
    {host_to_coset, device_ntt_to_coset},
};

static void fill_values(fr *values, size_t size, uint64_t seed) {
    test_random random = {seed};
    for (size_t i = 0; i < size; i++)
        random_fr(&random, &values[i]);
    values[0] = FR_MINUS_ONE;
    if (size > 2)
        values[size - 1] = FR_MINUS_ONE, values[size / 2] = FR_ZERO;
}

static void check_size(unsigned log_size, unsigned tile_log, size_t first_twin) {
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    size_t size = (size_t)1 << log_size, bytes = size * sizeof(fr);
    fr *host = malloc(bytes), *back = malloc(bytes);
    assert_true(host && back);
    ntt_domain *domain;
    device_ntt *ntt;
    ASSERT_OK(ntt_domain_create(&domain, log_size, &error));
    ASSERT_OK(tile_log ? device_ntt_create_with_tile(&ntt, f.stream, log_size, tile_log, &error)
                       : device_ntt_create(&ntt, f.stream, log_size, &error));
    for (size_t t = first_twin; t < sizeof TWINS / sizeof *TWINS; t++) {
        fill_values(host, size, log_size + t);
        void *values = device_copy_of(&f, host, bytes);
        ASSERT_OK(TWINS[t].device(ntt, f.stream, values, &error));
        bring_back(&f, back, values, bytes);
        TWINS[t].host(domain, host, NULL);
        if (memcmp(host, back, bytes) != 0)
            fail_msg("transform %zu of 2^%u", t, log_size);
        device_free(f.device, values);
    }
    device_ntt_destroy(ntt);
    ntt_domain_destroy(domain);
    free(host);
    free(back);
    cuda_fixture_close(&f);
}

static void every_small_size(void **state) {
    (void)state;
    for (unsigned log_size = 0; log_size <= 11; log_size++)
        check_size(log_size, 0, 0);
}

/* Up to five passes, of which those in the middle have a high and a low part of the index. */
static void many_passes(void **state) {
    (void)state;
    for (unsigned log_size = 4; log_size <= 10; log_size++)
        for (unsigned tile_log = 2; tile_log <= 4; tile_log++)
            check_size(log_size, tile_log, 0);
}

/* Two passes of 2^8. */
static void a_larger_size(void **state) {
    (void)state;
    for (unsigned log_size = 12; log_size <= 16; log_size++)
        check_size(log_size, 0, 4);
}

static void quotient_steps(void **state) {
    (void)state;
    enum { LOG = 11, SIZE = 1 << LOG };
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    static fr a[SIZE], b[SIZE], c[SIZE], back[SIZE];
    fill_values(a, SIZE, 1);
    fill_values(b, SIZE, 2);
    fill_values(c, SIZE, 3);
    device_ntt *ntt;
    ASSERT_OK(device_ntt_create(&ntt, f.stream, LOG, &error));
    void *da = device_copy_of(&f, a, sizeof a), *db = device_copy_of(&f, b, sizeof b), *dc = device_copy_of(&f, c, sizeof c);
    ASSERT_OK(device_multiply(f.stream, da, db, SIZE, &error));
    ASSERT_OK(device_ntt_quotient(ntt, f.stream, da, dc, &error));
    bring_back(&f, back, da, sizeof back);
    fr factor;
    ntt_vanishing_at(&factor, LOG, &FR_GENERATOR);
    fr_invert(&factor, &factor);
    ntt_domain *domain;
    ASSERT_OK(ntt_domain_create(&domain, LOG, &error));
    for (size_t i = 0; i < SIZE; i++)
        fr_mul(&a[i], &a[i], &b[i]);
    ntt_coset_inverse(domain, a, NULL);
    ntt_inverse(domain, c, NULL);
    ntt_domain_destroy(domain);
    for (size_t i = 0; i < SIZE; i++) {
        fr_sub(&a[i], &a[i], &c[i]);
        fr_mul(&a[i], &a[i], &factor);
    }
    assert_memory_equal(a, back, sizeof a);
    device_ntt_destroy(ntt);
    cuda_fixture_close(&f);
}

static void too_large(void **state) {
    (void)state;
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    device_ntt *ntt;
    assert_int_equal(device_ntt_create(&ntt, f.stream, NTT_MAX_LOG_SIZE + 1, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "2^28"));
    assert_null(ntt);
    cuda_fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_size), cmocka_unit_test(many_passes), cmocka_unit_test(a_larger_size),
        cmocka_unit_test(quotient_steps),   cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
