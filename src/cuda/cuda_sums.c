#include "cuda/cuda_sums.h"

#include <pthread.h>
#include <stdlib.h>

#include "algebra/msm.h"
#include "algebra/ntt.h"
#include "cuda/cuda_quotient.h"
#include "cuda/device_phase.h"

enum {
    PART_POINTS_G1 = 1 << 22, /* 384 MiB of encoded points, twice */
    PART_POINTS_G2 = 1 << 21,
    WINDOW_BITS_LEAST = 5,
    WINDOW_BITS_MOST = 20,
    POINTS_PER_BUCKET_LOG = 7 /* of a window, by which windows are chosen: 2^7 points and more keep the buckets' own cost low */
};

/* ---- Queries -------------------------------------------------------------------------------------------------------- */

static section section_of(cuda_query which) { return SECTION_H + (section)which; }
static prove_phase phase_of(cuda_query which) { return PHASE_MSM_H + (prove_phase)which; }

size_t cuda_part_points(const cuda_prover_options *options, section s) {
    if (options->part_points)
        return options->part_points;
    return s == SECTION_B_G2 ? PART_POINTS_G2 : PART_POINTS_G1;
}

/* So that a bucket of a window gets some hundred of `count` points. */
static unsigned window_bits_for(size_t count) {
    unsigned log = count > 0 ? ntt_log_size_for(count) : 0;
    unsigned bits = log > POINTS_PER_BUCKET_LOG ? log - POINTS_PER_BUCKET_LOG : 0;
    return bits < WINDOW_BITS_LEAST ? WINDOW_BITS_LEAST : bits > WINDOW_BITS_MOST ? WINDOW_BITS_MOST : bits;
}

/* Of a query whose first `inputs` points belong to inputs. */
static device_query query_of(const cuda_proving *p, cuda_query which, size_t inputs) {
    bool is_g2 = which == CUDA_QUERY_B_G2;
    section s = section_of(which);
    const cuda_prover_options *options = p->options;
    device_query q = {.group = is_g2 ? DEVICE_G2 : DEVICE_G1};
    q.points = parameters_points(p->parameters, s) + inputs * section_point_bytes(s);
    q.count = parameters_count(p->parameters, s) - inputs;
    size_t wide = which == CUDA_QUERY_H ? q.count : p->aux.value_count;
    q.window_bits = options->window_bits[which] ? options->window_bits[which] : window_bits_for(wide);
    q.part_points = cuda_part_points(options, s);
    q.profile = p->profile;
    q.phase = phase_of(which);
    return q;
}

/* The device says that a point is malformed. If the host agrees, the file is at fault; if not, the device is. */
static cuzk_status judge_point(const cuda_proving *p, section s, const device_query *q, size_t bad, cuzk_error *error) {
    point_error wrong = POINT_OK;
    g1_affine in_g1;
    g2_affine in_g2;
    if (bad < q->count && q->group == DEVICE_G1)
        wrong = g1_decode(&in_g1, q->points + bad * G1_BYTES, POINT_UNCHECKED, true);
    else if (bad < q->count)
        wrong = g2_decode(&in_g2, q->points + bad * G2_BYTES, POINT_UNCHECKED, true);
    if (wrong == POINT_OK)
        return failure(error, CUZK_UNAVAILABLE, "%s: query %s: it takes point %zu of %zu for malformed", device_name(p->device),
                       section_name(s), bad, q->count);
    return failure(error, CUZK_BAD_INPUT, "%s: %s: point %zu: found %s, expected an uncompressed point", p->parameters->path,
                   section_name(s), bad + (parameters_count(p->parameters, s) - q->count), point_error_text(wrong));
}

/* Runs one query, named in progress, errors and the report. Points that stay on the device go up once. */
static cuzk_status run_query(void *sum, cuda_proving *p, cuda_query which, device_query *q, cuzk_error *error) {
    section s = section_of(which);
    size_t bad, bytes = q->count * section_point_bytes(s);
    kept_part *kept = p->kept ? kept_part_take(p->kept, which, bytes) : NULL;
    q->kept = kept ? kept->memory : NULL;
    q->kept_filled = kept && kept->filled;
    progress_begin(p->job, prove_phase_name(phase_of(which)), q->count);
    cuzk_status status = device_query_sum(sum, &p->streams, q, p->pool, p->job, &bad, error);
    progress_end(p->job);
    p->report->point_bytes += q->kept_filled ? 0 : bytes;
    if (p->profile)
        p->profile->sums[which].window_bits = q->window_bits;
    if (kept)
        kept->filled = status == CUZK_OK;
    parameters_release(p->parameters, s);
    return status == CUZK_BAD_INPUT ? judge_point(p, s, q, bad, error) : status;
}

/* Inputs are few: their terms are summed by the host. */
static cuzk_status sum_inputs_g1(g1 *sum, const cuda_proving *p, section s, const fr_canonical *scalars, size_t count,
                                 cuzk_error *error) {
    return msm_g1_with_window(sum, parameters_points(p->parameters, s), count, scalars, 0, p->pool, NULL, error);
}

static cuzk_status sum_h(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    void *h;
    progress_begin(p->job, "transforms", 0);
    cuzk_status status =
        cuda_quotient(&h, p->streams.compute, &p->rows, p->witness->shape->domain_log_size, p->job, p->profile, error);
    progress_end(p->job);
    TRY(status);
    device_query q = query_of(p, CUDA_QUERY_H, 0);
    q.scalars = h;
    status = run_query(&sums->h, p, CUDA_QUERY_H, &q, error);
    device_free(p->device, h);
    return status;
}

static cuzk_status sum_l(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    device_query q = query_of(p, CUDA_QUERY_L, 0);
    q.witness = &p->on_device;
    q.density = &p->on_device.all;
    return run_query(&sums->l, p, CUDA_QUERY_L, &q, error);
}

static fr_canonical *canonical_inputs(const compact_assignment *w, bool in_b_alone, size_t *count) {
    fr_canonical *values = allocate(w->shape->inputs, sizeof *values);
    *count = 0;
    for (uint32_t i = 0; i < w->shape->inputs; i++)
        if (!in_b_alone || density_get(&w->shape->b_input, i))
            fr_to_canonical(&values[(*count)++], &w->inputs[i]);
    return values;
}

/* A query in G1 over inputs and the variables of a density. */
static cuzk_status sum_dense_g1(g1 *sum, cuda_proving *p, cuda_query which, int dense, const fr_canonical *inputs,
                                size_t input_count, cuzk_error *error) {
    g1 part;
    device_query q = query_of(p, which, input_count);
    q.witness = &p->on_device;
    q.density = &p->on_device.densities[dense];
    TRY(sum_inputs_g1(&part, p, section_of(which), inputs, input_count, error));
    TRY(run_query(sum, p, which, &q, error));
    g1_add(sum, sum, &part);
    return CUZK_OK;
}

static cuzk_status sum_b_g2(g2 *sum, cuda_proving *p, const fr_canonical *inputs, size_t input_count, cuzk_error *error) {
    g2 part;
    device_query q = query_of(p, CUDA_QUERY_B_G2, input_count);
    q.witness = &p->on_device;
    q.density = &p->on_device.densities[DENSITY_B];
    TRY(msm_g2_with_window(&part, parameters_points(p->parameters, SECTION_B_G2), input_count, inputs, 0, p->pool, NULL, error));
    TRY(run_query(sum, p, CUDA_QUERY_B_G2, &q, error));
    g2_add(sum, sum, &part);
    return CUZK_OK;
}

static cuzk_status sum_a_and_b(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    size_t all, in_b;
    fr_canonical *inputs = canonical_inputs(p->witness, false, &all), *b_inputs = canonical_inputs(p->witness, true, &in_b);
    cuzk_status status = sum_dense_g1(&sums->a, p, CUDA_QUERY_A, DENSITY_A, inputs, all, error);
    if (status == CUZK_OK)
        status = sum_dense_g1(&sums->b_g1, p, CUDA_QUERY_B_G1, DENSITY_B, b_inputs, in_b, error);
    if (status == CUZK_OK && !p->options->b_g2_on_host)
        status = sum_b_g2(&sums->b_g2, p, b_inputs, in_b, error);
    free(inputs);
    free(b_inputs);
    return status;
}

/* h first: then its vectors are gone before the rest comes. */
static cuzk_status sum_on_device(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    TRY(sum_h(sums, p, error));
    phase_clock clock = phase_clock_start();
    cuzk_status status = device_witness_create(&p->on_device, p->streams.compute, &p->aux, p->witness->shape, p->kept, error);
    if (status == CUZK_OK)
        status = device_phase_end(&clock, p->profile, PHASE_UPLOAD, p->streams.compute, error);
    if (status == CUZK_OK)
        status = sum_l(sums, p, error);
    if (status == CUZK_OK)
        status = sum_a_and_b(sums, p, error);
    (void)device_synchronize(p->streams.compute, NULL);
    device_witness_free(&p->on_device);
    return status;
}

/* ---- B in G2 on the host --------------------------------------------------------------------------------------------- */

typedef struct {
    const cuda_proving *p;
    g2 sum;
    cuzk_status status;
    cuzk_error error;
    pthread_t thread;
} host_query;

static cuzk_status host_b_g2(g2 *sum, const cuda_proving *p, cuzk_error *error) {
    const circuit_shape *shape = p->witness->shape;
    size_t inputs, aux = shape->dense_aux[DENSITY_B];
    fr_canonical *scalars = canonical_inputs(p->witness, true, &inputs);
    scalars = reallocate(scalars, inputs + aux, sizeof *scalars);
    compact_dense_aux_canonical(p->witness, DENSITY_B, 0, (uint32_t)aux, scalars + inputs);
    const uint8_t *points = parameters_points(p->parameters, SECTION_B_G2);
    cuzk_status status = msm_g2_with_window(sum, points, inputs + aux, scalars, 0, p->pool, NULL, error);
    free(scalars);
    return status;
}

static void *run_host_query(void *context) {
    host_query *q = context;
    phase_clock clock = phase_clock_start();
    q->status = host_b_g2(&q->sum, q->p, &q->error);
    phase_clock_lap(&clock, q->p->profile, PHASE_MSM_B_G2);
    return NULL;
}

/* Everything on the device but B in G2, which the host does at the same time. */
static cuzk_status sum_on_both(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    host_query q = {.p = p};
    if (pthread_create(&q.thread, NULL, run_host_query, &q) != 0)
        return failure(error, CUZK_NO_MEMORY, "no thread for the sum over B in G2");
    cuzk_status status = sum_on_device(sums, p, error);
    pthread_join(q.thread, NULL);
    TRY(status);
    if (q.status != CUZK_OK)
        return failure(error, q.status, "%s", q.error.message);
    sums->b_g2 = q.sum;
    return CUZK_OK;
}

cuzk_status cuda_sums(query_sums *sums, cuda_proving *p, cuzk_error *error) {
    return p->options->b_g2_on_host ? sum_on_both(sums, p, error) : sum_on_device(sums, p, error);
}
