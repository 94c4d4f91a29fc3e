/* Times of the device's parts, as JSON: each result is checked before it counts.
 * usage: measure [LOG_SIZE [DEVICE]]   (transforms and sums up to 2^LOG_SIZE; 24) */
#include <stdio.h>
#include <stdlib.h>

#include "algebra/msm.h"
#include "algebra/ntt.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/progress.h"
#include "cuda/check.h"
#include "cuda/device_query.h"
#include "cuda/ntt.h"

enum {
    ROUNDS = 3,
    LEAST_LOG_SIZE = 10,
    STEP = 4, /* of sizes; the last is the one asked for */
    DISTINCT_POINTS = 1 << 10,
    PRODUCTS_LOG = 22
};

typedef struct {
    device *device;
    device_stream *stream;
    thread_pool *pool;
    json_writer json;
} measurement;

static void random_values(fr *values, size_t count) {
    static const uint8_t seed[32] = {1};
    for (size_t i = 0; i < count; i++) {
        if (i < DISTINCT_POINTS)
            fr_from_seed(&values[i], seed, i);
        else
            fr_mul(&values[i], &values[i - 1], &values[i - DISTINCT_POINTS]);
    }
}

static void write_result(measurement *m, const char *what, unsigned log_size, double seconds, double each) {
    json_begin_object(&m->json);
    json_member_string(&m->json, "what", what);
    json_member_unsigned(&m->json, "log_size", log_size);
    json_member_double(&m->json, "seconds", seconds);
    json_member_double(&m->json, "nanoseconds_each", 1e9 * each);
    json_end_object(&m->json);
}

static double least(double a, double b) { return a < b ? a : b; }
static double seconds_since(int64_t started) { return 1e-9 * (double)(monotonic_ns() - started); }

/* Products and sums of Fr and Fp, all of them from memory and back: a bound from above. */
static cuzk_status measure_field(measurement *m, checked_field field, size_t size, unsigned log_count, const char *what,
                                 cuzk_error *error) {
    size_t count = (size_t)1 << log_count;
    void *a, *b;
    TRY(device_allocate(m->device, &a, count * size, "operands", error));
    TRY(device_allocate(m->device, &b, count * size, "operands", error));
    TRY(device_fill(m->stream, a, 1, count * size, error));
    TRY(device_fill(m->stream, b, 2, count * size, error));
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        TRY(device_synchronize(m->stream, error));
        int64_t started = monotonic_ns();
        TRY(device_check_field(m->stream, field, CHECK_MULTIPLY, a, a, b, count, error));
        TRY(device_synchronize(m->stream, error));
        best = least(best, seconds_since(started));
    }
    write_result(m, what, log_count, best, best / (double)count);
    device_free(m->device, a);
    device_free(m->device, b);
    return CUZK_OK;
}

static cuzk_status measure_ntt(measurement *m, unsigned log_size, cuzk_error *error) {
    size_t size = (size_t)1 << log_size, bytes = size * sizeof(fr);
    fr *values = allocate(size, sizeof *values), *back = allocate(size, sizeof *back);
    void *on_device;
    device_ntt *ntt;
    ntt_domain *domain;
    random_values(values, size);
    TRY(device_allocate(m->device, &on_device, bytes, "values", error));
    TRY(device_ntt_create(&ntt, m->stream, log_size, error));
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        TRY(device_upload(m->stream, on_device, values, bytes, error));
        TRY(device_synchronize(m->stream, error));
        int64_t started = monotonic_ns();
        TRY(device_ntt_to_coset(ntt, m->stream, on_device, error));
        TRY(device_synchronize(m->stream, error));
        best = least(best, seconds_since(started));
    }
    TRY(device_download(m->stream, back, on_device, bytes, error));
    TRY(device_synchronize(m->stream, error));
    TRY(ntt_domain_create(&domain, log_size, error));
    ntt_inverse(domain, values, m->pool);
    ntt_coset_forward(domain, values, m->pool);
    if (memcmp(values, back, bytes) != 0)
        return failure(error, CUZK_INTERNAL, "transform of 2^%u: another result than the CPU's", log_size);
    write_result(m, "inverse and coset transform", log_size, best, best / (double)size);
    ntt_domain_destroy(domain);
    device_ntt_destroy(ntt);
    device_free(m->device, on_device);
    free(values);
    free(back);
    return CUZK_OK;
}

/* A dense sum, its points streamed from the host; of the window sizes around the default the best is in the file by itself. */
static cuzk_status measure_sum(measurement *m, device_group group, unsigned log_size, cuzk_error *error) {
    size_t size = (size_t)1 << log_size, point_bytes = group == DEVICE_G1 ? G1_BYTES : G2_BYTES;
    uint8_t *points = allocate(size, point_bytes);
    fr *values = allocate(size, sizeof *values);
    random_values(values, size);
    for (size_t i = 0; i < DISTINCT_POINTS && i < size; i++) {
        g1 p1 = *blst_p1_generator();
        g2 p2 = *blst_p2_generator();
        g1_affine a1;
        g2_affine a2;
        g1_multiply(&p1, &p1, &values[i]);
        g2_multiply(&p2, &p2, &values[i]);
        g1_to_affine(&a1, &p1);
        g2_to_affine(&a2, &p2);
        group == DEVICE_G1 ? g1_encode(points + i * point_bytes, &a1) : g2_encode(points + i * point_bytes, &a2);
    }
    for (size_t i = DISTINCT_POINTS; i < size; i++)
        memcpy(points + i * point_bytes, points + (i - DISTINCT_POINTS) * point_bytes, point_bytes);
    void *scalars;
    query_streams streams;
    TRY(device_allocate(m->device, &scalars, size * sizeof(fr), "scalars", error));
    TRY(device_upload(m->stream, scalars, values, size * sizeof(fr), error));
    TRY(device_synchronize(m->stream, error));
    TRY(query_streams_create(&streams, m->device, error));
    union {
        g1 in_g1;
        g2 in_g2;
    } sum = {0}, expected = {0};
    msm_terms terms = {.points = points, .count = size, .source = scalars_from_fr_array, .context = values};
    TRY(group == DEVICE_G1 ? msm_g1(&expected.in_g1, &terms, m->pool, NULL, NULL, error)
                           : msm_g2(&expected.in_g2, &terms, m->pool, NULL, NULL, error));
    for (unsigned bits = log_size - 8; bits <= log_size - 4; bits += 2) {
        device_query query = {
            .group = group, .points = points, .count = size, .window_bits = bits, .part_points = 1 << 22, .scalars = scalars};
        double best = 1e9;
        for (int i = 0; i < ROUNDS; i++) {
            size_t bad;
            int64_t started = monotonic_ns();
            TRY(device_query_sum(&sum, &streams, &query, m->pool, NULL, &bad, error));
            best = least(best, seconds_since(started));
        }
        if (memcmp(&sum, &expected, sizeof sum) != 0)
            return failure(error, CUZK_INTERNAL, "sum of 2^%u points: another result than the CPU's", log_size);
        char what[64];
        snprintf(what, sizeof what, "sum in G%d, windows of %u bits", group == DEVICE_G1 ? 1 : 2, bits);
        write_result(m, what, log_size, best, best / (double)size);
    }
    query_streams_destroy(&streams);
    device_free(m->device, scalars);
    free(points);
    free(values);
    return CUZK_OK;
}

static cuzk_status measure_all(measurement *m, unsigned log_size, cuzk_error *error) {
    unsigned log_count = log_size < PRODUCTS_LOG ? log_size : PRODUCTS_LOG;
    TRY(measure_field(m, CHECK_FR, sizeof(fr), log_count, "products in Fr, from memory", error));
    TRY(measure_field(m, CHECK_FP, sizeof(fp), log_count, "products in Fp, from memory", error));
    for (unsigned size = LEAST_LOG_SIZE + (log_size - LEAST_LOG_SIZE) % STEP; size <= log_size; size += STEP) {
        TRY(measure_ntt(m, size, error));
        TRY(measure_sum(m, DEVICE_G1, size, error));
        TRY(measure_sum(m, DEVICE_G2, size, error));
    }
    return CUZK_OK;
}

static cuzk_status run(unsigned ordinal, unsigned log_size, cuzk_error *error) {
    measurement m = {.pool = thread_pool_create(0)};
    TRY(device_open(&m.device, ordinal, error));
    TRY(device_stream_create(m.device, &m.stream, error));
    json_writer_init(&m.json, stdout, 2);
    json_begin_object(&m.json);
    json_member_string(&m.json, "device", device_name(m.device));
    json_member_unsigned(&m.json, "memory_bytes", device_memory_total_bytes(m.device));
    json_key(&m.json, "results");
    json_begin_array(&m.json);
    cuzk_status status = measure_all(&m, log_size, error);
    json_end_array(&m.json);
    json_end_object(&m.json);
    device_stream_destroy(m.stream);
    device_close(m.device);
    thread_pool_destroy(m.pool);
    return status;
}

int main(int argc, char **argv) {
    uint64_t log_size = 24, ordinal = 0;
    if (argc > 3 || (argc > 1 && !parse_unsigned(argv[1], &log_size)) || (argc > 2 && !parse_unsigned(argv[2], &ordinal)) ||
        log_size < LEAST_LOG_SIZE || log_size > NTT_MAX_LOG_SIZE || ordinal > UINT16_MAX) {
        fprintf(stderr, "usage: measure [LOG_SIZE [DEVICE]], LOG_SIZE %d ... %d\n", LEAST_LOG_SIZE, NTT_MAX_LOG_SIZE);
        return 2;
    }
    cuzk_error error = {0};
    if (run((unsigned)ordinal, (unsigned)log_size, &error) != CUZK_OK) {
        fprintf(stderr, "measure: %s\n", error.message);
        return 1;
    }
    return 0;
}
