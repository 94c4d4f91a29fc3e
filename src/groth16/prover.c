#include "groth16/prover.h"

#include <stdlib.h>

#include "algebra/msm.h"
#include "groth16/pages.h"
#include "groth16/proof_combine.h"
#include "groth16/quotient.h"
#include "groth16/verifier.h"

/* What every step of one proof works with. */
typedef struct {
    compact_assignment *witness;
    const parameters *parameters;
    thread_pool *pool;
    progress *job;
    prove_profile *profile;
} proving;

/* The scalars of consecutive points. */
typedef struct {
    scalar_source source;
    const void *context;
    size_t count;
} scalar_run;

/* A query: its first points belong to inputs, the rest to auxiliary variables (or coefficients, in h). */
typedef struct {
    section section;
    prove_phase phase;
    scalar_run inputs, aux;
} query;

static const scalar_run EMPTY_RUN = {.source = scalars_from_fr_array};

static scalar_run whole_run(const fr *values, size_t count) {
    return (scalar_run){.source = scalars_from_fr_array, .context = values, .count = count};
}

static void all_aux(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_aux_canonical(context, (uint32_t)begin, (uint32_t)end, out);
}

static void aux_in_a(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_dense_aux_canonical(context, DENSITY_A, (uint32_t)begin, (uint32_t)end, out);
}

static void aux_in_b(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_dense_aux_canonical(context, DENSITY_B, (uint32_t)begin, (uint32_t)end, out);
}

static phase_clock begin_phase(const proving *p, prove_phase phase, uint64_t steps) {
    progress_begin(p->job, prove_phase_name(phase), steps);
    return phase_clock_start();
}

static void end_phase(const proving *p, phase_clock *clock, prove_phase phase) {
    phase_clock_lap(clock, p->profile, phase);
    progress_end(p->job);
}

static msm_terms terms_of(const uint8_t *points, const scalar_run *run) {
    return (msm_terms){
        .points = points, .count = run->count, .source = run->source, .context = run->context, .used = pages_release};
}

static cuzk_status sum_runs_g1(g1 *sum, const proving *p, const query *q, msm_counts *counts, cuzk_error *error) {
    const uint8_t *points = parameters_points(p->parameters, q->section);
    const msm_terms inputs = terms_of(points, &q->inputs), aux = terms_of(points + q->inputs.count * G1_BYTES, &q->aux);
    g1 part;
    TRY(msm_g1(&part, &inputs, p->pool, p->job, counts, error));
    TRY(msm_g1(sum, &aux, p->pool, p->job, counts, error));
    g1_add(sum, sum, &part);
    return CUZK_OK;
}

static cuzk_status sum_runs_g2(g2 *sum, const proving *p, const query *q, msm_counts *counts, cuzk_error *error) {
    const uint8_t *points = parameters_points(p->parameters, q->section);
    const msm_terms inputs = terms_of(points, &q->inputs), aux = terms_of(points + q->inputs.count * G2_BYTES, &q->aux);
    g2 part;
    TRY(msm_g2(&part, &inputs, p->pool, p->job, counts, error));
    TRY(msm_g2(sum, &aux, p->pool, p->job, counts, error));
    g2_add(sum, sum, &part);
    return CUZK_OK;
}

/* Names a point's section: an MSM knows only its index. */
static cuzk_status in_section(cuzk_status status, const proving *p, section s, cuzk_error *error) {
    if (status == CUZK_BAD_INPUT)
        return failure_within(error, status, "%s: %s: ", p->parameters->path, section_name(s));
    return status;
}

static cuzk_status sum_query_g1(g1 *sum, const proving *p, const query *q, cuzk_error *error) {
    phase_clock clock = begin_phase(p, q->phase, parameters_count(p->parameters, q->section));
    cuzk_status status = sum_runs_g1(sum, p, q, &p->profile->sums[q->phase - PHASE_MSM_H], error);
    end_phase(p, &clock, q->phase);
    parameters_release(p->parameters, q->section);
    return in_section(status, p, q->section, error);
}

static cuzk_status sum_query_g2(g2 *sum, const proving *p, const query *q, cuzk_error *error) {
    phase_clock clock = begin_phase(p, q->phase, parameters_count(p->parameters, q->section));
    cuzk_status status = sum_runs_g2(sum, p, q, &p->profile->sums[q->phase - PHASE_MSM_H], error);
    end_phase(p, &clock, q->phase);
    parameters_release(p->parameters, q->section);
    return in_section(status, p, q->section, error);
}

static cuzk_status sum_h(query_sums *sums, const proving *p, cuzk_error *error) {
    big_buffer quotient;
    progress_begin(p->job, "transforms", QUOTIENT_TRANSFORMS);
    cuzk_status status = quotient_compute(&quotient, p->witness, p->pool, p->job, p->profile, error);
    progress_end(p->job);
    TRY(status);
    /* The quotient has one coefficient less than the domain has elements. */
    query h = {SECTION_H, PHASE_MSM_H, EMPTY_RUN, whole_run(quotient.data, parameters_count(p->parameters, SECTION_H))};
    status = sum_query_g1(&sums->h, p, &h, error);
    big_buffer_free(&quotient);
    return status;
}

static cuzk_status sum_l(query_sums *sums, const proving *p, cuzk_error *error) {
    query l = {SECTION_L, PHASE_MSM_L, EMPTY_RUN, {all_aux, p->witness, p->witness->shape->aux}};
    return sum_query_g1(&sums->l, p, &l, error);
}

static cuzk_status sum_a(query_sums *sums, const proving *p, cuzk_error *error) {
    const compact_assignment *w = p->witness;
    scalar_run inputs = whole_run(w->inputs, w->shape->inputs), aux = {aux_in_a, w, w->shape->dense_aux[DENSITY_A]};
    query a = {SECTION_A, PHASE_MSM_A, inputs, aux};
    return sum_query_g1(&sums->a, p, &a, error);
}

/* The values of the inputs that occur in B; free with free(). */
static fr *inputs_in_b(const compact_assignment *w, size_t *count) {
    fr *values = allocate(w->shape->inputs, sizeof *values);
    *count = 0;
    for (uint32_t i = 0; i < w->shape->inputs; i++)
        if (density_get(&w->shape->b_input, i))
            values[(*count)++] = w->inputs[i];
    return values;
}

static cuzk_status sum_b(query_sums *sums, const proving *p, cuzk_error *error) {
    const compact_assignment *w = p->witness;
    size_t input_count;
    fr *input_values = inputs_in_b(w, &input_count);
    scalar_run inputs = whole_run(input_values, input_count), aux = {aux_in_b, w, w->shape->dense_aux[DENSITY_B]};
    query b_g1 = {SECTION_B_G1, PHASE_MSM_B_G1, inputs, aux};
    query b_g2 = {SECTION_B_G2, PHASE_MSM_B_G2, inputs, aux};
    cuzk_status status = sum_query_g1(&sums->b_g1, p, &b_g1, error);
    if (status == CUZK_OK)
        status = sum_query_g2(&sums->b_g2, p, &b_g2, error);
    free(input_values);
    return status;
}

/* h first, so that the quotient is gone before the other queries are read. */
static cuzk_status sum_queries(query_sums *sums, const proving *p, cuzk_error *error) {
    TRY(sum_h(sums, p, error));
    TRY(sum_l(sums, p, error));
    TRY(sum_a(sums, p, error));
    return sum_b(sums, p, error);
}

static cuzk_status verify_own(const uint8_t proof[PROOF_BYTES], const proving *p, cuzk_error *error) {
    const compact_assignment *w = p->witness;
    verification verdict;
    phase_clock clock = begin_phase(p, PHASE_VERIFICATION, 0);
    cuzk_status status = groth16_verify(&verdict, &p->parameters->vk, proof, w->inputs + 1, w->shape->inputs - 1, p->pool, error);
    end_phase(p, &clock, PHASE_VERIFICATION);
    TRY(status);
    if (!verdict.valid)
        return failure(error, CUZK_INTERNAL,
                       "the finished proof does not verify (%s): the parameters %s are damaged or the prover is", verdict.reason,
                       p->parameters->path);
    return CUZK_OK;
}

static cuzk_status choose(fr *out, const fr *given, cuzk_error *error) {
    if (!given)
        return fr_random(out, error);
    *out = *given;
    return CUZK_OK;
}

static cuzk_status prove_with(uint8_t proof[PROOF_BYTES], const proving *p, const prove_options *options, cuzk_error *error) {
    TRY(parameters_fit(p->parameters, p->witness->shape, error));
    fr r, s;
    TRY(choose(&r, options->r, error));
    TRY(choose(&s, options->s, error));
    query_sums sums;
    TRY(sum_queries(&sums, p, error));
    groth16_proof points;
    phase_clock clock = phase_clock_start();
    proof_combine(&points, &sums, &p->parameters->vk, &r, &s);
    uint8_t bytes[PROOF_BYTES];
    proof_encode(bytes, &points);
    phase_clock_lap(&clock, p->profile, PHASE_COMBINE);
    if (!options->skip_verification)
        TRY(verify_own(bytes, p, error));
    memcpy(proof, bytes, PROOF_BYTES);
    return CUZK_OK;
}

static void add_profile(prove_profile *sum, const prove_profile *profile) {
    for (int i = 0; i < PROVE_PHASES; i++) {
        sum->phases[i].wall += profile->phases[i].wall;
        sum->phases[i].cpu += profile->phases[i].cpu;
    }
    for (int i = 0; i < PROVE_SUMS; i++) {
        msm_counts *to = &sum->sums[i];
        const msm_counts *from = &profile->sums[i];
        *to = (msm_counts){.zeros = to->zeros + from->zeros,
                           .ones = to->ones + from->ones,
                           .wide = to->wide + from->wide,
                           .additions = to->additions + from->additions,
                           .inversions = to->inversions + from->inversions,
                           .window_bits = from->window_bits};
    }
}

static void summarize(prove_times *times, const prove_profile *profile) {
    const phase_seconds *phases = profile->phases;
    times->transforms = 0;
    for (prove_phase i = PHASE_EVALUATE_A; i <= PHASE_DIVIDE; i++)
        times->transforms += phases[i].wall;
    times->h = phases[PHASE_MSM_H].wall;
    times->l = phases[PHASE_MSM_L].wall;
    times->a = phases[PHASE_MSM_A].wall;
    times->b_g1 = phases[PHASE_MSM_B_G1].wall;
    times->b_g2 = phases[PHASE_MSM_B_G2].wall;
    times->verification = phases[PHASE_VERIFICATION].wall;
}

cuzk_status groth16_prove_assignment(uint8_t proof[PROOF_BYTES], compact_assignment *witness, const parameters *p,
                                     const prove_options *options, thread_pool *pool, progress *job, prove_times *times,
                                     cuzk_error *error) {
    static const prove_options defaults = {0};
    prove_profile profile = {0};
    if (!options)
        options = &defaults;
    proving state = {.witness = witness, .parameters = p, .pool = pool, .job = job, .profile = &profile};
    cuzk_status status = prove_with(proof, &state, options, error);
    if (times)
        summarize(times, &profile);
    if (options->profile)
        add_profile(options->profile, &profile);
    compact_assignment_free(witness);
    return status;
}

cuzk_status groth16_prove(uint8_t proof[PROOF_BYTES], const circuit *c, const parameters *p, const prove_options *options,
                          thread_pool *pool, progress *job, prove_times *times, cuzk_error *error) {
    circuit_shape shape;
    compact_assignment witness;
    prove_profile synthesis = {0};
    progress_begin(job, prove_phase_name(PHASE_SYNTHESIS), 0);
    phase_clock clock = phase_clock_start();
    circuit_shape_create(&shape, c);
    cuzk_status status = compact_assignment_create(&witness, &shape, c, error);
    phase_clock_lap(&clock, &synthesis, PHASE_SYNTHESIS);
    progress_end(job);
    if (times)
        *times = (prove_times){.synthesis = synthesis.phases[PHASE_SYNTHESIS].wall};
    if (options && options->profile)
        add_profile(options->profile, &synthesis);
    if (status == CUZK_OK)
        status = groth16_prove_assignment(proof, &witness, p, options, pool, job, times, error);
    circuit_shape_free(&shape);
    return status;
}
