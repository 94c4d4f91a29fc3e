#include "groth16/quotient.h"

#include <stdlib.h>

#include "algebra/ntt.h"

enum { SIDE_A, SIDE_B, SIDE_C, EVALUATION_GRAIN = 1 << 15 };

/* ---- Values on the domain ------------------------------------------------------------------------------------------- */

typedef struct {
    const compact_assignment *witness;
    int side;
    fr *values;
    row_scratch **scratch; /* one for each worker, made when first needed */
} evaluation_loop;

static void evaluate_range(void *context, size_t begin, size_t end, size_t worker) {
    evaluation_loop *loop = context;
    if (!loop->scratch[worker])
        loop->scratch[worker] = row_scratch_create(loop->witness->shape);
    fr *out[3] = {0};
    out[loop->side] = loop->values + begin;
    compact_rows(loop->witness, begin, end, out[SIDE_A], out[SIDE_B], out[SIDE_C], loop->scratch[worker]);
}

/* Writes A, B or C of all rows. */
static void evaluate(fr *values, const compact_assignment *witness, int side, thread_pool *pool) {
    size_t size = (size_t)1 << witness->shape->domain_log_size, workers = thread_pool_size(pool);
    evaluation_loop loop = {.witness = witness, .side = side, .values = values};
    loop.scratch = allocate_zeroed(workers, sizeof *loop.scratch);
    parallel_for(pool, size, EVALUATION_GRAIN, evaluate_range, &loop);
    for (size_t i = 0; i < workers; i++)
        row_scratch_free(loop.scratch[i]);
    free(loop.scratch);
}

/* ---- Products and differences ---------------------------------------------------------------------------------------- */

typedef struct {
    fr *a;
    const fr *other;
    unsigned log_size;
} pointwise_loop;

static void multiply_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    pointwise_loop *loop = context;
    for (size_t i = begin; i < end; i++)
        fr_mul(&loop->a[i], &loop->a[i], &loop->other[i]);
}

static void combine_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    pointwise_loop *loop = context;
    /* (C - D) / 2, of C times size and, as three unscaled transforms made it, D times size^3. */
    for (size_t i = begin; i < end; i++) {
        fr *a = &loop->a[i];
        fr_divide_by_power_of_two(a, a, 2 * loop->log_size);
        fr_sub(a, &loop->other[i], a);
        fr_divide_by_power_of_two(a, a, loop->log_size + 1);
    }
}

/* What all steps work with. */
typedef struct {
    const compact_assignment *witness;
    const ntt_domain *domain;
    thread_pool *pool;
    progress *job;
    prove_profile *profile;
    phase_clock clock;
} quotient;

/* Ends a phase that is a transform. */
static cuzk_status transformed(quotient *q, prove_phase phase, cuzk_error *error) {
    phase_clock_lap(&q->clock, q->profile, phase);
    progress_advance(q->job, 1);
    return progress_check(q->job, error);
}

/* The coefficients of A, B or C times the domain's size; first is the phase of its evaluation. */
static cuzk_status interpolate(fr *values, quotient *q, int side, prove_phase first, cuzk_error *error) {
    evaluate(values, q->witness, side, q->pool);
    phase_clock_lap(&q->clock, q->profile, first);
    ntt_interpolate(q->domain, values, q->pool);
    return transformed(q, first + 1, error);
}

/* The values of A or B on the coset, times the domain's size. */
static cuzk_status evaluate_on_coset(fr *values, quotient *q, int side, prove_phase first, cuzk_error *error) {
    TRY(interpolate(values, q, side, first, error));
    ntt_to_coset(q->domain, values, q->pool);
    return transformed(q, first + 2, error);
}

static cuzk_status combine(fr *h, fr *other, quotient *q, cuzk_error *error) {
    unsigned log_size = q->witness->shape->domain_log_size;
    size_t size = (size_t)1 << log_size, grain = even_grain(q->pool, size);
    pointwise_loop loop = {.a = h, .other = other, .log_size = log_size};
    q->clock = phase_clock_start();
    TRY(evaluate_on_coset(h, q, SIDE_A, PHASE_EVALUATE_A, error));
    TRY(evaluate_on_coset(other, q, SIDE_B, PHASE_EVALUATE_B, error));
    parallel_for(q->pool, size, grain, multiply_range, &loop);
    phase_clock_lap(&q->clock, q->profile, PHASE_MULTIPLY);
    ntt_from_coset(q->domain, h, q->pool);
    TRY(transformed(q, PHASE_FROM_COSET, error));
    TRY(interpolate(other, q, SIDE_C, PHASE_EVALUATE_C, error));
    parallel_for(q->pool, size, grain, combine_range, &loop);
    phase_clock_lap(&q->clock, q->profile, PHASE_DIVIDE);
    return CUZK_OK;
}

static cuzk_status allocate_and_combine(big_buffer *h, quotient *q, cuzk_error *error) {
    size_t size = (size_t)1 << q->witness->shape->domain_log_size;
    big_buffer other;
    TRY(big_buffer_allocate(h, size, sizeof(fr), "quotient", error));
    TRY(big_buffer_allocate(&other, size, sizeof(fr), "evaluations", error));
    cuzk_status status = combine(h->data, other.data, q, error);
    big_buffer_free(&other);
    return status;
}

cuzk_status quotient_compute(big_buffer *h, const compact_assignment *witness, thread_pool *pool, progress *job,
                             prove_profile *profile, cuzk_error *error) {
    ntt_domain *domain;
    *h = (big_buffer){0};
    TRY(ntt_domain_create(&domain, witness->shape->domain_log_size, error));
    quotient q = {.witness = witness, .domain = domain, .pool = pool, .job = job, .profile = profile};
    cuzk_status status = allocate_and_combine(h, &q, error);
    ntt_domain_destroy(domain);
    if (status != CUZK_OK)
        big_buffer_free(h);
    return status;
}
