#include "groth16/prover.h"

#include <stddef.h>
#include <stdlib.h>

#include "algebra/msm.h"
#include "groth16/pages.h"
#include "groth16/proof_combine.h"
#include "groth16/quotient.h"
#include "groth16/verifier.h"

/* The scalars of consecutive points. */
typedef struct {
    scalar_source source;
    const void *context;
    size_t count;
} scalar_run;

/* One proof of a pass. */
typedef struct {
    prove_item *item;
    big_buffer quotient; /* in memory, or */
    quotient_file quotient_file;
    scalar_run coefficients; /* of the quotient */
    fr *inputs_in_b; /* values of the inputs that occur in B */
    size_t inputs_in_b_count;
    query_sums sums;
} proving;

/* What every step of a pass works with. */
typedef struct {
    proving *proofs;
    size_t count;
    const parameters *parameters;
    const prove_options *options;
    thread_pool *pool;
    prove_profile profile;
} proving_pass;

/* ---- Scalars of the queries ---------------------------------------------------------------------------------------- */

static scalar_run whole_run(const fr *values, size_t count) {
    return (scalar_run){.source = scalars_from_fr_array, .context = values, .count = count};
}

static scalar_run no_inputs(const proving *p) {
    (void)p;
    return whole_run(NULL, 0);
}

static scalar_run inputs_in_a(const proving *p) { return whole_run(p->item->witness->inputs, p->item->witness->shape->inputs); }

static scalar_run inputs_in_b(const proving *p) { return whole_run(p->inputs_in_b, p->inputs_in_b_count); }

static scalar_run quotient(const proving *p) { return p->coefficients; }

static void all_aux(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_aux_canonical(context, (uint32_t)begin, (uint32_t)end, out);
}

static void dense_aux_in_a(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_dense_aux_canonical(context, DENSITY_A, (uint32_t)begin, (uint32_t)end, out);
}

static void dense_aux_in_b(const void *context, size_t begin, size_t end, fr_canonical *out) {
    compact_dense_aux_canonical(context, DENSITY_B, (uint32_t)begin, (uint32_t)end, out);
}

static scalar_run aux(const proving *p) {
    return (scalar_run){all_aux, p->item->witness, p->item->witness->shape->aux};
}

static scalar_run aux_in_a(const proving *p) {
    return (scalar_run){dense_aux_in_a, p->item->witness, p->item->witness->shape->dense_aux[DENSITY_A]};
}

static scalar_run aux_in_b(const proving *p) {
    return (scalar_run){dense_aux_in_b, p->item->witness, p->item->witness->shape->dense_aux[DENSITY_B]};
}

/* Free with free(). */
static void note_inputs_in_b(proving *p) {
    const compact_assignment *w = p->item->witness;
    p->inputs_in_b = allocate(w->shape->inputs, sizeof *p->inputs_in_b);
    for (uint32_t i = 0; i < w->shape->inputs; i++)
        if (density_get(&w->shape->b_input, i))
            p->inputs_in_b[p->inputs_in_b_count++] = w->inputs[i];
}

/* ---- Sums over the queries ------------------------------------------------------------------------------------------ */

/* A query: its first points belong to inputs, the rest to auxiliary variables (or coefficients, in h). */
typedef struct {
    section section;
    prove_phase phase;
    scalar_run (*inputs)(const proving *);
    scalar_run (*rest)(const proving *);
    size_t sum; /* where in query_sums */
} query;

static const query QUERY_OF_QUOTIENT = {SECTION_H, PHASE_MSM_H, no_inputs, quotient, offsetof(query_sums, h)};

static const query QUERIES_OF_VARIABLES[] = {
    {SECTION_L, PHASE_MSM_L, no_inputs, aux, offsetof(query_sums, l)},
    {SECTION_A, PHASE_MSM_A, inputs_in_a, aux_in_a, offsetof(query_sums, a)},
    {SECTION_B_G1, PHASE_MSM_B_G1, inputs_in_b, aux_in_b, offsetof(query_sums, b_g1)},
    {SECTION_B_G2, PHASE_MSM_B_G2, inputs_in_b, aux_in_b, offsetof(query_sums, b_g2)},
};

/* A proof's sum over a query. */
static void *sum_of(proving *p, const query *q) { return (char *)&p->sums + q->sum; }

static void add_sums_g1(const proving_pass *pass, const query *q, const msm_terms *points, msm_scalars *scalars) {
    g1 *sums = allocate_zeroed(pass->count, sizeof *sums);
    msm_g1_together(sums, points, scalars, pass->count, pass->pool);
    for (size_t i = 0; i < pass->count; i++)
        g1_add(sum_of(&pass->proofs[i], q), sum_of(&pass->proofs[i], q), &sums[i]);
    free(sums);
}

static void add_sums_g2(const proving_pass *pass, const query *q, const msm_terms *points, msm_scalars *scalars) {
    g2 *sums = allocate_zeroed(pass->count, sizeof *sums);
    msm_g2_together(sums, points, scalars, pass->count, pass->pool);
    for (size_t i = 0; i < pass->count; i++)
        g2_add(sum_of(&pass->proofs[i], q), sum_of(&pass->proofs[i], q), &sums[i]);
    free(sums);
}

/* Adds a run of the query's points, those after the first `done`, to every proof's sum. */
static void add_run(proving_pass *pass, const query *q, scalar_run (*run_of)(const proving *), size_t *done) {
    msm_scalars *scalars = allocate_zeroed(pass->count, sizeof *scalars);
    size_t point_bytes = section_point_bytes(q->section);
    msm_terms points = {.points = parameters_points(pass->parameters, q->section) + *done * point_bytes, .used = pages_release};
    for (size_t i = 0; i < pass->count; i++) {
        prove_item *item = pass->proofs[i].item;
        scalars[i] = (msm_scalars){.job = item->job,
                                   .counts = &pass->profile.sums[q->phase - PHASE_MSM_H],
                                   .error = &item->error,
                                   .status = item->status};
        if (item->status != CUZK_OK)
            continue;
        scalar_run run = run_of(&pass->proofs[i]);
        scalars[i].source = run.source;
        scalars[i].context = run.context;
        points.count = run.count; /* the circuit's, so all proofs have it */
    }
    if (point_bytes == G1_BYTES)
        add_sums_g1(pass, q, &points, scalars);
    else
        add_sums_g2(pass, q, &points, scalars);
    for (size_t i = 0; i < pass->count; i++) {
        prove_item *item = pass->proofs[i].item;
        if (item->status == CUZK_OK && scalars[i].status == CUZK_BAD_INPUT) /* an MSM knows only the index of a malformed point */
            failure_within(&item->error, CUZK_BAD_INPUT, "%s: %s: ", pass->parameters->path, section_name(q->section));
        item->status = scalars[i].status;
    }
    free(scalars);
    *done += points.count;
}

static bool any_alive(const proving_pass *pass) {
    for (size_t i = 0; i < pass->count; i++)
        if (pass->proofs[i].item->status == CUZK_OK)
            return true;
    return false;
}

static phase_clock begin_phase(const proving_pass *pass, prove_phase phase, uint64_t steps) {
    for (size_t i = 0; i < pass->count; i++)
        progress_begin(pass->proofs[i].item->job, prove_phase_name(phase), steps);
    return phase_clock_start();
}

static void end_phase(proving_pass *pass, phase_clock *clock, prove_phase phase) {
    phase_clock_lap(clock, &pass->profile, phase);
    for (size_t i = 0; i < pass->count; i++)
        progress_end(pass->proofs[i].item->job);
}

static void sum_query(proving_pass *pass, const query *q) {
    if (!any_alive(pass))
        return;
    size_t done = 0;
    phase_clock clock = begin_phase(pass, q->phase, parameters_count(pass->parameters, q->section));
    add_run(pass, q, q->inputs, &done);
    add_run(pass, q, q->rest, &done);
    end_phase(pass, &clock, q->phase);
    parameters_release(pass->parameters, q->section);
}

/* ---- The steps of a pass -------------------------------------------------------------------------------------------- */

static void make_quotient(proving_pass *pass, proving *p) {
    prove_item *item = p->item;
    if (item->status != CUZK_OK)
        return;
    /* It has one coefficient less than the domain has elements. */
    size_t count = ((size_t)1 << item->witness->shape->domain_log_size) - 1;
    const proving_scratch *scratch = pass->options->scratch;
    progress_begin(item->job, "transforms", QUOTIENT_TRANSFORMS);
    if (scratch) {
        item->status =
            quotient_file_compute(&p->quotient_file, item->witness, scratch, pass->pool, item->job, &pass->profile, &item->error);
        p->coefficients = (scalar_run){quotient_file_scalars, &p->quotient_file, count};
    } else {
        item->status = quotient_compute(&p->quotient, item->witness, pass->pool, item->job, &pass->profile, &item->error);
        p->coefficients = whole_run(p->quotient.data, count);
    }
    progress_end(item->job);
}

static void drop_quotient(proving_pass *pass, proving *p) {
    if (p->item->status == CUZK_OK)
        p->item->status = quotient_file_check(&p->quotient_file, &p->item->error);
    pass->profile.scratch_bytes_read += p->quotient_file.bytes_read + p->quotient_file.matrix.file.bytes_read;
    pass->profile.scratch_bytes_written += p->quotient_file.bytes_written;
    big_buffer_free(&p->quotient);
    quotient_file_free(&p->quotient_file);
}

static void sum_queries(proving_pass *pass) {
    for (size_t i = 0; i < pass->count; i++)
        make_quotient(pass, &pass->proofs[i]);
    sum_query(pass, &QUERY_OF_QUOTIENT);
    for (size_t i = 0; i < pass->count; i++) /* gone before the other queries are read */
        drop_quotient(pass, &pass->proofs[i]);
    for (size_t i = 0; i < sizeof QUERIES_OF_VARIABLES / sizeof *QUERIES_OF_VARIABLES; i++)
        sum_query(pass, &QUERIES_OF_VARIABLES[i]);
}

static cuzk_status verify_own(const uint8_t proof[PROOF_BYTES], const proving_pass *pass, const compact_assignment *w, cuzk_error *error) {
    verification verdict;
    const parameters *p = pass->parameters;
    TRY(groth16_verify(&verdict, &p->vk, proof, w->inputs + 1, w->shape->inputs - 1, pass->pool, error));
    if (!verdict.valid)
        return failure(error, CUZK_INTERNAL,
                       "the finished proof does not verify (%s): the parameters %s are damaged or the prover is", verdict.reason,
                       p->path);
    return CUZK_OK;
}

/* From the sums to the proof's bytes. */
static cuzk_status combine(uint8_t bytes[PROOF_BYTES], const proving_pass *pass, const query_sums *sums, cuzk_error *error) {
    fr r, s;
    groth16_proof points;
    TRY(proof_randomness(&r, pass->options->r, error));
    TRY(proof_randomness(&s, pass->options->s, error));
    proof_combine(&points, sums, &pass->parameters->vk, &r, &s);
    proof_encode(bytes, &points);
    return CUZK_OK;
}

static void finish_proof(proving_pass *pass, proving *p) {
    prove_item *item = p->item;
    uint8_t bytes[PROOF_BYTES];
    if (item->status != CUZK_OK)
        return;
    phase_clock clock = phase_clock_start();
    item->status = combine(bytes, pass, &p->sums, &item->error);
    phase_clock_lap(&clock, &pass->profile, PHASE_COMBINE);
    if (item->status == CUZK_OK && !pass->options->skip_verification) {
        progress_begin(item->job, prove_phase_name(PHASE_VERIFICATION), 0);
        item->status = verify_own(bytes, pass, item->witness, &item->error);
        phase_clock_lap(&clock, &pass->profile, PHASE_VERIFICATION);
        progress_end(item->job);
    }
    if (item->status == CUZK_OK)
        memcpy(item->proof, bytes, PROOF_BYTES);
}

static void run_pass(proving_pass *pass) {
    for (size_t i = 0; i < pass->count; i++) {
        prove_item *item = pass->proofs[i].item;
        item->status = parameters_fit(pass->parameters, item->witness->shape, &item->error);
        note_inputs_in_b(&pass->proofs[i]);
    }
    sum_queries(pass);
    for (size_t i = 0; i < pass->count; i++) {
        proving *p = &pass->proofs[i];
        finish_proof(pass, p);
        free(p->inputs_in_b);
        compact_assignment_free(p->item->witness);
    }
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
    sum->scratch_bytes_read += profile->scratch_bytes_read;
    sum->scratch_bytes_written += profile->scratch_bytes_written;
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

void groth16_prove_together(prove_item *items, size_t count, const parameters *p, const prove_options *options, thread_pool *pool,
                            prove_times *times) {
    static const prove_options defaults = {0};
    proving_pass pass = {.count = count, .parameters = p, .options = options ? options : &defaults, .pool = pool};
    pass.proofs = allocate_zeroed(count, sizeof *pass.proofs);
    for (size_t i = 0; i < count; i++)
        pass.proofs[i].item = &items[i];
    run_pass(&pass);
    if (times)
        summarize(times, &pass.profile);
    if (pass.options->profile)
        add_profile(pass.options->profile, &pass.profile);
    free(pass.proofs);
}

cuzk_status groth16_prove_assignment(uint8_t proof[PROOF_BYTES], compact_assignment *witness, const parameters *p,
                                     const prove_options *options, thread_pool *pool, progress *job, prove_times *times,
                                     cuzk_error *error) {
    prove_item item = {.witness = witness, .job = job};
    groth16_prove_together(&item, 1, p, options, pool, times);
    if (item.status == CUZK_OK)
        memcpy(proof, item.proof, PROOF_BYTES);
    else if (error)
        *error = item.error;
    return item.status;
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
