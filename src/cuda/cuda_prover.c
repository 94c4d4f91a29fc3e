#include "cuda/cuda_prover.h"

#include <pthread.h>
#include <stdlib.h>

#include "algebra/msm.h"
#include "algebra/ntt.h"
#include "base/log.h"
#include "cuda/cuda_quotient.h"
#include "cuda/device_query.h"
#include "groth16/proof_combine.h"
#include "groth16/verifier.h"

enum {
    PART_POINTS_G1 = 1 << 22, /* 384 MiB of encoded points, twice */
    PART_POINTS_G2 = 1 << 21,
    WINDOW_BITS_LEAST = 5,
    WINDOW_BITS_MOST = 20,
    POINTS_PER_BUCKET_LOG = 7 /* of a window, by which windows are chosen: 2^7 points and more keep the buckets' own cost low */
};

struct cuda_prover {
    device *device;
    cuda_prover_options options;
    pthread_mutex_t lock; /* held by whoever uses the device */
    bool failed;          /* the device; read and written with the lock */
};

/* What every step of one proof works with. */
typedef struct {
    cuda_prover *prover;
    compact_assignment *witness;
    const parameters *parameters;
    thread_pool *pool;
    progress *job;
    cuda_prove_report *report;
    row_encoding rows;
    aux_encoding aux;
    query_streams streams;
    device_witness on_device;
    uint8_t made[PROOF_BYTES]; /* the device's proof, if it came to one, before it is verified */
    bool is_made;
} proving;

static double seconds_since(int64_t started) { return 1e-9 * (double)(monotonic_ns() - started); }

/* ---- Queries -------------------------------------------------------------------------------------------------------- */

static const struct {
    section section;
    const char *phase;
} QUERIES[CUDA_QUERIES] = {
    {SECTION_H, "MSM h"}, {SECTION_L, "MSM l"}, {SECTION_A, "MSM a"}, {SECTION_B_G1, "MSM b_g1"}, {SECTION_B_G2, "MSM b_g2"}};

/* So that a bucket of a window gets some hundred of `count` points. */
static unsigned window_bits_for(size_t count) {
    unsigned log = count > 0 ? ntt_log_size_for(count) : 0;
    unsigned bits = log > POINTS_PER_BUCKET_LOG ? log - POINTS_PER_BUCKET_LOG : 0;
    return bits < WINDOW_BITS_LEAST ? WINDOW_BITS_LEAST : bits > WINDOW_BITS_MOST ? WINDOW_BITS_MOST : bits;
}

/* Of a query whose first `inputs` points belong to inputs. */
static device_query query_of(const proving *p, cuda_query which, size_t inputs) {
    bool is_g2 = which == CUDA_QUERY_B_G2;
    section s = QUERIES[which].section;
    const cuda_prover_options *options = &p->prover->options;
    device_query q = {.group = is_g2 ? DEVICE_G2 : DEVICE_G1};
    q.points = parameters_points(p->parameters, s) + inputs * section_point_bytes(s);
    q.count = parameters_count(p->parameters, s) - inputs;
    size_t wide = which == CUDA_QUERY_H ? q.count : p->aux.value_count;
    q.window_bits = options->window_bits[which] ? options->window_bits[which] : window_bits_for(wide);
    q.part_points = options->part_points ? options->part_points : is_g2 ? PART_POINTS_G2 : PART_POINTS_G1;
    return q;
}

/* The device says that a point is malformed. If the host agrees, the file is at fault; if not, the device is. */
static cuzk_status judge_point(const proving *p, section s, const device_query *q, size_t bad, cuzk_error *error) {
    point_error wrong = POINT_OK;
    g1_affine in_g1;
    g2_affine in_g2;
    if (bad < q->count && q->group == DEVICE_G1)
        wrong = g1_decode(&in_g1, q->points + bad * G1_BYTES, POINT_UNCHECKED, true);
    else if (bad < q->count)
        wrong = g2_decode(&in_g2, q->points + bad * G2_BYTES, POINT_UNCHECKED, true);
    if (wrong == POINT_OK)
        return failure(error, CUZK_UNAVAILABLE, "%s: query %s: it takes point %zu of %zu for malformed",
                       device_name(p->prover->device), section_name(s), bad, q->count);
    return failure(error, CUZK_BAD_INPUT, "%s: %s: point %zu: found %s, expected an uncompressed point", p->parameters->path,
                   section_name(s), bad + (parameters_count(p->parameters, s) - q->count), point_error_text(wrong));
}

/* Runs one query, named in progress, errors and the report. */
static cuzk_status run_query(void *sum, proving *p, cuda_query which, const device_query *q, cuzk_error *error) {
    section s = QUERIES[which].section;
    size_t bad;
    int64_t started = monotonic_ns();
    progress_begin(p->job, QUERIES[which].phase, q->count);
    cuzk_status status = device_query_sum(sum, &p->streams, q, p->pool, p->job, &bad, error);
    progress_end(p->job);
    p->report->queries[which] = seconds_since(started);
    p->report->point_bytes += q->count * section_point_bytes(s);
    parameters_release(p->parameters, s);
    return status == CUZK_BAD_INPUT ? judge_point(p, s, q, bad, error) : status;
}

/* Inputs are few: their terms are summed by the host. */
static cuzk_status sum_inputs_g1(g1 *sum, const proving *p, section s, const fr_canonical *scalars, size_t count,
                                 cuzk_error *error) {
    return msm_g1_with_window(sum, parameters_points(p->parameters, s), count, scalars, 0, p->pool, NULL, error);
}

static cuzk_status sum_h(query_sums *sums, proving *p, cuzk_error *error) {
    void *h;
    int64_t started = monotonic_ns();
    progress_begin(p->job, "transforms", 0);
    cuzk_status status = cuda_quotient(&h, p->streams.compute, &p->rows, p->witness->shape->domain_log_size, p->job, error);
    progress_end(p->job);
    p->report->transforms = seconds_since(started);
    TRY(status);
    device_query q = query_of(p, CUDA_QUERY_H, 0);
    q.scalars = h;
    status = run_query(&sums->h, p, CUDA_QUERY_H, &q, error);
    device_free(p->prover->device, h);
    return status;
}

static cuzk_status sum_l(query_sums *sums, proving *p, cuzk_error *error) {
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
static cuzk_status sum_dense_g1(g1 *sum, proving *p, cuda_query which, int dense, const fr_canonical *inputs, size_t input_count,
                                cuzk_error *error) {
    g1 part;
    device_query q = query_of(p, which, input_count);
    q.witness = &p->on_device;
    q.density = &p->on_device.densities[dense];
    TRY(sum_inputs_g1(&part, p, QUERIES[which].section, inputs, input_count, error));
    TRY(run_query(sum, p, which, &q, error));
    g1_add(sum, sum, &part);
    return CUZK_OK;
}

static cuzk_status sum_b_g2(g2 *sum, proving *p, const fr_canonical *inputs, size_t input_count, cuzk_error *error) {
    g2 part;
    device_query q = query_of(p, CUDA_QUERY_B_G2, input_count);
    q.witness = &p->on_device;
    q.density = &p->on_device.densities[DENSITY_B];
    TRY(msm_g2_with_window(&part, parameters_points(p->parameters, SECTION_B_G2), input_count, inputs, 0, p->pool, NULL, error));
    TRY(run_query(sum, p, CUDA_QUERY_B_G2, &q, error));
    g2_add(sum, sum, &part);
    return CUZK_OK;
}

static cuzk_status sum_a_and_b(query_sums *sums, proving *p, cuzk_error *error) {
    size_t all, in_b;
    fr_canonical *inputs = canonical_inputs(p->witness, false, &all), *b_inputs = canonical_inputs(p->witness, true, &in_b);
    cuzk_status status = sum_dense_g1(&sums->a, p, CUDA_QUERY_A, DENSITY_A, inputs, all, error);
    if (status == CUZK_OK)
        status = sum_dense_g1(&sums->b_g1, p, CUDA_QUERY_B_G1, DENSITY_B, b_inputs, in_b, error);
    if (status == CUZK_OK && !p->prover->options.b_g2_on_host)
        status = sum_b_g2(&sums->b_g2, p, b_inputs, in_b, error);
    free(inputs);
    free(b_inputs);
    return status;
}

/* h first: then its vectors are gone before the rest comes. */
static cuzk_status sum_on_device(query_sums *sums, proving *p, cuzk_error *error) {
    TRY(sum_h(sums, p, error));
    cuzk_status status = device_witness_create(&p->on_device, p->streams.compute, &p->aux, p->witness->shape, error);
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
    const proving *p;
    g2 sum;
    cuzk_status status;
    cuzk_error error;
    pthread_t thread;
} host_query;

static cuzk_status host_b_g2(g2 *sum, const proving *p, cuzk_error *error) {
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
    q->status = host_b_g2(&q->sum, q->p, &q->error);
    return NULL;
}

/* Everything on the device but B in G2, which the host does at the same time. */
static cuzk_status sum_on_both(query_sums *sums, proving *p, cuzk_error *error) {
    host_query q = {.p = p};
    int64_t started = monotonic_ns();
    if (pthread_create(&q.thread, NULL, run_host_query, &q) != 0)
        return failure(error, CUZK_NO_MEMORY, "no thread for the sum over B in G2");
    cuzk_status status = sum_on_device(sums, p, error);
    pthread_join(q.thread, NULL);
    p->report->queries[CUDA_QUERY_B_G2] = seconds_since(started);
    TRY(status);
    if (q.status != CUZK_OK)
        return failure(error, q.status, "%s", q.error.message);
    sums->b_g2 = q.sum;
    return CUZK_OK;
}

/* ---- One proof ------------------------------------------------------------------------------------------------------ */

/* CUZK_UNAVAILABLE if it does not verify: the device is to blame, until the CPU's proof does not verify either. */
static cuzk_status verify(const uint8_t proof[PROOF_BYTES], const proving *p, cuzk_error *error) {
    verification verdict;
    int64_t started = monotonic_ns();
    const compact_assignment *w = p->witness;
    progress_begin(p->job, "verification", 0);
    cuzk_status status = groth16_verify(&verdict, &p->parameters->vk, proof, w->inputs + 1, w->shape->inputs - 1, p->pool, error);
    progress_end(p->job);
    p->report->verification = seconds_since(started);
    TRY(status);
    if (!verdict.valid)
        return failure(error, CUZK_UNAVAILABLE, "%s: its proof does not verify (%s)", device_name(p->prover->device),
                       verdict.reason);
    return CUZK_OK;
}

static cuzk_status choose(fr *out, const fr *given, cuzk_error *error) {
    if (!given)
        return fr_random(out, error);
    *out = *given;
    return CUZK_OK;
}

static cuzk_status encode(proving *p, cuzk_error *error) {
    int64_t started = monotonic_ns();
    progress_begin(p->job, "encoding", 0);
    cuzk_status status = row_encoding_create(&p->rows, p->witness, p->pool, p->job, error);
    if (status == CUZK_OK)
        status = aux_encoding_create(&p->aux, p->witness, p->pool, error);
    progress_end(p->job);
    p->report->encoding = seconds_since(started);
    p->report->assignment_bytes = p->rows.code_words * sizeof(uint32_t) + p->rows.wide_count + p->rows.number_count * sizeof(fr) +
                                  2 * p->aux.words * sizeof(uint64_t) + p->aux.value_count * sizeof(fr_canonical);
    return status;
}

static cuzk_status sum_with_streams(query_sums *sums, proving *p, cuzk_error *error) {
    TRY(query_streams_create(&p->streams, p->prover->device, error));
    p->streams.use_mapping = p->prover->options.use_mapping;
    cuzk_status status = p->prover->options.b_g2_on_host ? sum_on_both(sums, p, error) : sum_on_device(sums, p, error);
    query_streams_destroy(&p->streams);
    return status;
}

/* One proof at a time uses the device. */
static cuzk_status sum_in_turn(query_sums *sums, proving *p, cuzk_error *error) {
    int64_t started = monotonic_ns();
    pthread_mutex_lock(&p->prover->lock);
    p->report->waiting = seconds_since(started);
    cuzk_status status = p->prover->failed
                             ? failure(error, CUZK_UNAVAILABLE, "%s has failed before", device_name(p->prover->device))
                             : sum_with_streams(sums, p, error);
    if (status == CUZK_UNAVAILABLE)
        p->prover->failed = true;
    pthread_mutex_unlock(&p->prover->lock);
    return status;
}

/* r and s are chosen: the CPU, should it have to, proves with the same. */
static cuzk_status prove_on_device(uint8_t proof[PROOF_BYTES], proving *p, const prove_options *options, cuzk_error *error) {
    query_sums sums;
    groth16_proof points;
    TRY(parameters_fit(p->parameters, p->witness->shape, error));
    TRY(encode(p, error));
    TRY(sum_in_turn(&sums, p, error));
    proof_combine(&points, &sums, &p->parameters->vk, options->r, options->s);
    proof_encode(p->made, &points);
    p->is_made = true;
    if (!options->skip_verification)
        TRY(verify(p->made, p, error));
    memcpy(proof, p->made, PROOF_BYTES);
    return CUZK_OK;
}

/* Which of the device's sums were wrong, as far as the proof's three points tell. */
static const char *wrong_sums(const uint8_t made[PROOF_BYTES], const uint8_t right[PROOF_BYTES]) {
    const size_t b = G1_COMPRESSED_BYTES, c = b + G2_COMPRESSED_BYTES;
    if (memcmp(made, right, b) != 0)
        return "MSM a";
    if (memcmp(made + b, right + b, c - b) != 0)
        return "MSM b_g2";
    return memcmp(made + c, right + c, PROOF_BYTES - c) != 0 ? "transforms, MSM h, l or b_g1" : "none";
}

/* After the device: the CPU, with what made the device give up in *error. */
static cuzk_status prove_on_host(uint8_t proof[PROOF_BYTES], proving *p, const prove_options *options, cuzk_error *error) {
    const char *name = device_name(p->prover->device);
    log_warn("the CPU makes a proof instead of %s: %s", name, error->message);
    p->report->by_host = true;
    memcpy(p->report->reason, error->message, sizeof p->report->reason);
    TRY(groth16_prove_assignment(proof, p->witness, p->parameters, options, p->pool, p->job, NULL, error));
    if (p->is_made) {
        cuzk_error named = {0};
        failure(&named, CUZK_UNAVAILABLE, "%s; wrong in: %s", p->report->reason, wrong_sums(p->made, proof));
        log_warn("%s", named.message);
        memcpy(p->report->reason, named.message, sizeof p->report->reason);
    }
    return CUZK_OK;
}

cuzk_status cuda_prove(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                       const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                       cuzk_error *error) {
    cuda_prove_report unused;
    cuzk_error own_error = {0};
    prove_options chosen = options ? *options : (prove_options){0};
    fr r, s;
    int64_t started = monotonic_ns();
    report = report ? report : &unused;
    *report = (cuda_prove_report){0};
    error = error ? error : &own_error;
    proving state = {.prover = prover, .witness = witness, .parameters = p, .pool = pool, .job = job, .report = report};
    cuzk_status status = choose(&r, chosen.r, error);
    if (status == CUZK_OK)
        status = choose(&s, chosen.s, error);
    chosen.r = &r;
    chosen.s = &s;
    if (status == CUZK_OK)
        status = prove_on_device(proof, &state, &chosen, error);
    row_encoding_free(&state.rows);
    aux_encoding_free(&state.aux);
    if (status == CUZK_UNAVAILABLE || status == CUZK_NO_MEMORY)
        status = prove_on_host(proof, &state, &chosen, error); /* which frees the witness */
    else
        compact_assignment_free(witness);
    report->total = seconds_since(started);
    return status;
}

/* ---- The prover ------------------------------------------------------------------------------------------------------ */

cuzk_status cuda_prover_create(cuda_prover **prover, unsigned ordinal, const cuda_prover_options *options, cuzk_error *error) {
    *prover = NULL;
    device *d;
    TRY(device_open(&d, ordinal, error));
    cuda_prover *made = allocate_zeroed(1, sizeof *made);
    made->device = d;
    if (options)
        made->options = *options;
    pthread_mutex_init(&made->lock, NULL);
    *prover = made;
    return CUZK_OK;
}

void cuda_prover_destroy(cuda_prover *prover) {
    if (!prover)
        return;
    device_close(prover->device);
    pthread_mutex_destroy(&prover->lock);
    free(prover);
}

device *cuda_prover_device(cuda_prover *prover) { return prover->device; }
