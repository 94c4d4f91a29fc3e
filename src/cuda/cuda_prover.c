#include "cuda/cuda_prover.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "cuda/cuda_sums.h"
#include "groth16/verifier.h"

struct cuda_prover {
    device *device;
    cuda_prover_options options;
    pthread_mutex_t lock; /* held by whoever uses the device */
    host_staging staging;
    kept_points *kept; /* NULL: nothing stays */
    atomic_bool failed;
    _Atomic uint64_t memory_free; /* when it was last used */
};

/* ---- One proof ------------------------------------------------------------------------------------------------------ */

/* CUZK_UNAVAILABLE if it does not verify: the device is to blame, until the CPU's proof does not verify either. */
static cuzk_status verify(const uint8_t proof[PROOF_BYTES], const cuda_proving *p, cuzk_error *error) {
    verification verdict;
    phase_clock clock = phase_clock_start();
    const compact_assignment *w = p->witness;
    progress_begin(p->job, "verification", 0);
    cuzk_status status = groth16_verify(&verdict, &p->parameters->vk, proof, w->inputs + 1, w->shape->inputs - 1, p->pool, error);
    progress_end(p->job);
    phase_clock_lap(&clock, p->profile, PHASE_VERIFICATION);
    TRY(status);
    if (!verdict.valid)
        return failure(error, CUZK_UNAVAILABLE, "%s: its proof does not verify (%s)", device_name(p->device), verdict.reason);
    return CUZK_OK;
}

static cuzk_status encode(cuda_proving *p, cuzk_error *error) {
    phase_clock clock = phase_clock_start();
    progress_begin(p->job, "encoding", 0);
    cuzk_status status = row_encoding_create(&p->rows, p->witness, p->pool, p->job, error);
    if (status == CUZK_OK)
        status = aux_encoding_create(&p->aux, p->witness, p->pool, error);
    progress_end(p->job);
    phase_clock_lap(&clock, p->profile, PHASE_ENCODE);
    p->report->assignment_bytes = p->rows.code_words * sizeof(uint32_t) + p->rows.wide_count + p->rows.number_count * sizeof(fr) +
                                  2 * p->aux.words * sizeof(uint64_t) + p->aux.value_count * sizeof(fr_canonical);
    return status;
}

/* So that no sum of this proof allocates page-locked memory: that takes as long as copying through it. */
static cuzk_status presize_staging(cuda_prover *prover, const cuda_proving *p, cuzk_error *error) {
    uint64_t most = 0;
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint64_t points = parameters_count(p->parameters, s), part = cuda_part_points(&prover->options, s);
        uint64_t bytes = (points < part ? points : part) * section_point_bytes(s);
        most = bytes > most ? bytes : most;
    }
    return host_staging_reserve(&prover->staging, prover->device, (size_t)most, error);
}

static cuzk_status sum_with_streams(query_sums *sums, cuda_prover *prover, cuda_proving *p, cuzk_error *error) {
    TRY(query_streams_create(&p->streams, prover->device, error));
    cuzk_status status = CUZK_OK;
    p->streams.pinning = prover->options.pinning;
    if (p->streams.pinning == DEVICE_POINTS_STAGED && !prover->options.allocate_each_time) {
        p->streams.staging = &prover->staging;
        status = presize_staging(prover, p, error);
    }
    p->kept = prover->kept ? kept_points_begin(prover->kept, p->parameters) : NULL;
    if (status == CUZK_OK)
        status = cuda_sums(sums, p, error);
    query_streams_destroy(&p->streams);
    if (p->kept)
        kept_points_end(p->kept, status == CUZK_OK);
    return status;
}

/* What is kept gives way to what a proof needs. */
static cuzk_status sum_with_room(query_sums *sums, cuda_prover *prover, cuda_proving *p, cuzk_error *error) {
    cuzk_status status = sum_with_streams(sums, prover, p, error);
    if (status != CUZK_NO_MEMORY || !prover->kept || !kept_points_forget_all(prover->kept))
        return status;
    log_info("%s; once more without the points that it kept", error->message);
    return sum_with_streams(sums, prover, p, error);
}

/* One proof at a time uses the device. */
static cuzk_status sum_in_turn(query_sums *sums, cuda_prover *prover, cuda_proving *p, cuzk_error *error) {
    pthread_mutex_lock(&prover->lock);
    cuzk_status status = prover->failed ? failure(error, CUZK_UNAVAILABLE, "%s has failed before", device_name(prover->device))
                                        : sum_with_room(sums, prover, p, error);
    if (status == CUZK_UNAVAILABLE)
        prover->failed = true;
    if (status == CUZK_BAD_INPUT && prover->kept) /* of points that were looked at, none is to stay */
        kept_points_forget(prover->kept, p->parameters);
    prover->memory_free = device_memory_free_bytes(prover->device);
    pthread_mutex_unlock(&prover->lock);
    return status;
}

/* After a wrong proof nothing that stays on the device is trusted any more. */
static void forget_points(cuda_prover *prover, const parameters *p) {
    if (!prover->kept)
        return;
    pthread_mutex_lock(&prover->lock);
    kept_points_forget(prover->kept, p);
    prover->memory_free = device_memory_free_bytes(prover->device);
    pthread_mutex_unlock(&prover->lock);
}

/* r and s are chosen: the CPU, should it have to, proves with the same. */
static cuzk_status prove(uint8_t proof[PROOF_BYTES], cuda_prover *prover, cuda_proving *p, const prove_options *options,
                         cuzk_error *error) {
    query_sums sums;
    groth16_proof points;
    TRY(parameters_fit(p->parameters, p->witness->shape, error));
    TRY(encode(p, error));
    TRY(sum_in_turn(&sums, prover, p, error));
    phase_clock clock = phase_clock_start();
    proof_combine(&points, &sums, &p->parameters->vk, options->r, options->s);
    proof_encode(p->made, &points);
    phase_clock_lap(&clock, p->profile, PHASE_COMBINE);
    p->is_made = true;
    if (!options->skip_verification) {
        cuzk_status status = verify(p->made, p, error);
        if (status != CUZK_OK)
            forget_points(prover, p->parameters);
        TRY(status);
    }
    memcpy(proof, p->made, PROOF_BYTES);
    return CUZK_OK;
}

/* Frees the encodings, not the witness. */
static cuzk_status prove_and_clean(uint8_t proof[PROOF_BYTES], cuda_prover *prover, cuda_proving *p, const prove_options *options,
                                   cuzk_error *error) {
    cuzk_status status = prove(proof, prover, p, options, error);
    row_encoding_free(&p->rows);
    aux_encoding_free(&p->aux);
    return status;
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
static cuzk_status prove_on_host(uint8_t proof[PROOF_BYTES], cuda_proving *p, const prove_options *options, cuzk_error *error) {
    const char *name = device_name(p->device);
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

static cuzk_status choose_randomness(prove_options *chosen, fr *r, fr *s, const prove_options *options, cuzk_error *error) {
    *chosen = options ? *options : (prove_options){0};
    TRY(proof_randomness(r, chosen->r, error));
    TRY(proof_randomness(s, chosen->s, error));
    chosen->r = r;
    chosen->s = s;
    return CUZK_OK;
}

static cuda_proving proving_of(cuda_prover *prover, compact_assignment *witness, const parameters *p,
                               const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report) {
    *report = (cuda_prove_report){0};
    return (cuda_proving){.device = prover->device,
                          .options = &prover->options,
                          .witness = witness,
                          .parameters = p,
                          .pool = pool,
                          .job = job,
                          .report = report,
                          .profile = options->profile};
}

/* may_fall_back: where the device gives up, the CPU makes the proof. */
static cuzk_status prove_assignment(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness,
                                    const parameters *p, const prove_options *options, thread_pool *pool, progress *job,
                                    cuda_prove_report *report, bool may_fall_back, cuzk_error *error) {
    cuda_prove_report unused_report;
    cuzk_error unused_error = {0};
    prove_options chosen;
    fr r, s;
    report = report ? report : &unused_report;
    error = error ? error : &unused_error;
    cuzk_status status = choose_randomness(&chosen, &r, &s, options, error);
    cuda_proving state = proving_of(prover, witness, p, &chosen, pool, job, report);
    if (status == CUZK_OK)
        status = prove_and_clean(proof, prover, &state, &chosen, error);
    if (may_fall_back && (status == CUZK_UNAVAILABLE || status == CUZK_NO_MEMORY))
        status = prove_on_host(proof, &state, &chosen, error); /* which frees the witness */
    else
        compact_assignment_free(witness);
    return status;
}

cuzk_status cuda_prove_alone(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                             const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                             cuzk_error *error) {
    return prove_assignment(proof, prover, witness, p, options, pool, job, report, false, error);
}

cuzk_status cuda_prove(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                       const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                       cuzk_error *error) {
    return prove_assignment(proof, prover, witness, p, options, pool, job, report, true, error);
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
    if (!made->options.keep_nothing)
        made->kept = kept_points_create(d);
    made->memory_free = device_memory_free_bytes(d);
    pthread_mutex_init(&made->lock, NULL);
    *prover = made;
    return CUZK_OK;
}

void cuda_prover_destroy(cuda_prover *prover) {
    if (!prover)
        return;
    kept_points_destroy(prover->kept);
    host_staging_free(&prover->staging, prover->device);
    device_close(prover->device);
    pthread_mutex_destroy(&prover->lock);
    free(prover);
}

device *cuda_prover_device(cuda_prover *prover) { return prover->device; }
const char *cuda_prover_name(const cuda_prover *prover) { return device_name(prover->device); }
uint64_t cuda_prover_memory_total(const cuda_prover *prover) { return device_memory_total_bytes(prover->device); }
bool cuda_prover_works(const cuda_prover *prover) { return !prover->failed; }
uint64_t cuda_prover_memory_free(const cuda_prover *prover) { return prover->memory_free; }
uint64_t cuda_prover_kept_bytes(const cuda_prover *prover) { return prover->kept ? kept_points_bytes(prover->kept) : 0; }
