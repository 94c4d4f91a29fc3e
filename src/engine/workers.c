/* The two stages of the pipeline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/job.h"
#include "engine/schedule.h"
#include "engine/srs_manager.h"

/* The least of a stage's steps on the timeline, around work that runs without the mutex. */
typedef struct {
    cuzk_engine *engine;
    uint64_t sequence;
    int64_t began_ns;
} step;

static step step_begin(const worker *w, partition *p, cuzk_stage stage) {
    p->stage_began_ns = engine_now(w->engine);
    return (step){w->engine, timeline_begin_locked(w->engine, p, stage, w->number, w->device), p->stage_began_ns};
}

/* Returns its nanoseconds. */
static int64_t step_end(const step *s, cuzk_status status) {
    timeline_end_locked(s->engine, s->sequence, status != CUZK_OK);
    return engine_now(s->engine) - s->began_ns;
}

static void become_busy(worker *w, const partition *p, unsigned batch_size) {
    w->busy = true;
    w->busy_since_ns = engine_now(w->engine);
    memcpy(w->job_id, p->job->id, sizeof w->job_id);
    w->kind = p->job->kind;
    w->partition = p->index;
    w->batch_size = batch_size;
}

static void become_idle(worker *w) {
    w->busy = false;
    w->busy_ns += engine_now(w->engine) - w->busy_since_ns;
    pthread_cond_broadcast(&w->engine->work);
    pthread_cond_broadcast(&w->engine->changed);
}

/* ---- Synthesis ----------------------------------------------------------------------------------------------------- */

static cuzk_status parse_encoding(cuzk_engine *engine, const uint8_t *bytes, size_t length, void **prepared,
                                  request_description *description, cuzk_error *error) {
    cuzk_request request;
    TRY(request_decode(&request, bytes, length, error));
    cuzk_status status = engine->backend->prepare(engine->backend, &request, prepared, description, error);
    request_decoded_free(&request);
    return status;
}

/* From the journal, or from memory where there is none. */
static cuzk_status parse_request(cuzk_engine *engine, const job *j, void **prepared, request_description *description,
                                 cuzk_error *error) {
    if (!engine->journal)
        return parse_encoding(engine, j->request.data, j->request_length, prepared, description, error);
    big_buffer bytes;
    size_t length;
    TRY(journal_read_request(engine->journal, j->id, j->digest, &bytes, &length, error));
    cuzk_status status = parse_encoding(engine, bytes.data, length, prepared, description, error);
    big_buffer_free(&bytes);
    return status;
}

static void reserve_prepared(cuzk_engine *engine, job *j, uint64_t bytes) {
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, j->prepared_reserved);
    budget_take(&engine->budget, CUZK_MEMORY_BUFFERS, bytes);
    j->prepared_reserved = bytes;
}

/* Its stored bytes are not needed once it is parsed. */
static void give_back_request(cuzk_engine *engine, job *j) {
    budget_give(&engine->budget, CUZK_MEMORY_REQUESTS, j->request_reserved);
    engine->queued_request_bytes -= j->request_reserved;
    j->request_reserved = 0;
}

/* Parses the job's request unless another partition's worker has done so. */
static cuzk_status prepare(worker *w, partition *p, cuzk_error *error) {
    cuzk_engine *engine = w->engine;
    job *j = p->job;
    if (!j->preparing)
        return CUZK_OK;
    request_description description;
    void *prepared = NULL;
    step s = step_begin(w, p, CUZK_STAGE_PREPARE);
    engine_unlock(engine);
    cuzk_status status = parse_request(engine, j, &prepared, &description, error);
    if (status == CUZK_OK && description.partitions != j->description.partitions) {
        engine->backend->destroy_prepared(engine->backend, prepared);
        prepared = NULL;
        status = failure(error, CUZK_INTERNAL, "the request has %u partitions, when it was accepted it had %u", description.partitions,
                         j->description.partitions);
    }
    if (status == CUZK_OK)
        big_buffer_free(&j->request);
    engine_lock(engine);
    step_end(&s, status);
    engine_count_kept_locked(engine); /* after a restart it is here that a circuit is first met */
    if (status == CUZK_OK)
        give_back_request(engine, j);
    j->preparing = false;
    j->prepared = prepared;
    reserve_prepared(engine, j, prepared ? description.prepared_bytes : 0);
    pthread_cond_broadcast(&engine->work);
    return status;
}

static cuzk_status open_parameters(worker *w, partition *p, bool must_open, cuzk_error *error) {
    if (!must_open)
        return CUZK_OK;
    srs_entry *entry = &w->engine->srs[p->job->description.circuit];
    step s = step_begin(w, p, CUZK_STAGE_SRS_LOAD);
    cuzk_status status = srs_open(w->engine, entry, error);
    int64_t taken = step_end(&s, status);
    if (p->job->phase == JOB_RUNNING)
        p->job->srs_load_ns += taken;
    return status;
}

/* What the assignment takes in fact. */
static void correct_assignment_bytes(cuzk_engine *engine, partition *p, uint64_t bytes) {
    budget_give(&engine->budget, CUZK_MEMORY_ASSIGNMENTS, p->assignment_reserved);
    budget_take(&engine->budget, CUZK_MEMORY_ASSIGNMENTS, bytes);
    p->assignment_reserved = bytes;
}

static cuzk_status synthesize(worker *w, partition *p, void **assignment, cuzk_error *error) {
    cuzk_engine *engine = w->engine;
    uint64_t bytes = 0;
    if (p->job->phase != JOB_RUNNING || engine->stopping)
        return failure(error, CUZK_CANCELLED, "cancelled");
    step s = step_begin(w, p, CUZK_STAGE_SYNTHESIS);
    engine_unlock(engine);
    cuzk_status status =
        engine->backend->synthesize(engine->backend, p->job->prepared, p->index, &p->progress, assignment, &bytes, error);
    engine_lock(engine);
    int64_t taken = step_end(&s, status);
    p->synthesis_ns += taken;
    if (p->job->phase == JOB_RUNNING)
        p->job->synthesis_ns += taken;
    if (status == CUZK_OK)
        correct_assignment_bytes(engine, p, bytes);
    return status;
}

/* Runs the steps in order; *stage: the one that failed. */
static cuzk_status run_synthesis(worker *w, partition *p, bool must_open, void **assignment, cuzk_stage *stage, cuzk_error *error) {
    *stage = CUZK_STAGE_SRS_LOAD;
    cuzk_status status = open_parameters(w, p, must_open, error);
    if (status != CUZK_OK) {
        if (p->job->preparing) {
            p->job->preparing = false;
            reserve_prepared(w->engine, p->job, 0);
        }
        return status;
    }
    *stage = CUZK_STAGE_PREPARE;
    TRY(prepare(w, p, error));
    *stage = CUZK_STAGE_SYNTHESIS;
    return synthesize(w, p, assignment, error);
}

static void give_up_assignment(cuzk_engine *engine, void *assignment) {
    if (!assignment)
        return;
    engine_unlock(engine);
    engine->backend->destroy_assignment(engine->backend, assignment);
    engine_lock(engine);
}

static void synthesize_partition(worker *w, partition *p, bool must_open) {
    cuzk_engine *engine = w->engine;
    job *j = p->job;
    void *assignment = NULL;
    cuzk_stage stage;
    cuzk_error error = {0};
    progress_init(&p->progress, NULL);
    cuzk_status status = run_synthesis(w, p, must_open, &assignment, &stage, &error);
    if (status == CUZK_OK && j->phase == JOB_RUNNING && !engine->stopping) {
        p->assignment = assignment;
        p->ready_ns = engine_now(engine);
        p->state = PARTITION_READY;
    } else {
        give_up_assignment(engine, assignment);
        partition_let_go_locked(engine, p);
        partition_failed_locked(engine, p, stage, status == CUZK_OK ? NULL : &error);
    }
}

void *synthesizer_main(void *synthesizer) {
    worker *w = synthesizer;
    cuzk_engine *engine = w->engine;
    bool express = w->number + 1 == engine->synthesizer_count, must_open;
    engine_lock(engine);
    while (!engine->stopping) {
        int64_t wake_ns = INT64_MAX;
        partition *p = schedule_synthesis(engine, express, &must_open, &wake_ns);
        if (!p) {
            if (!engine->stopping)
                engine_wait(engine, &engine->work, wake_ns);
            continue;
        }
        job *j = p->job;
        become_busy(w, p, 1);
        pthread_cond_broadcast(&engine->work); /* the express worker looks whether all others are busy */
        synthesize_partition(w, p, must_open);
        become_idle(w);
        job_leave_locked(engine, j);
    }
    engine_unlock(engine);
    return NULL;
}

/* ---- Proving ------------------------------------------------------------------------------------------------------- */

static void queue_for_verification(cuzk_engine *engine, partition *p) {
    p->state = PARTITION_VERIFYING;
    p->next_to_verify = NULL;
    *(engine->verify_last ? &engine->verify_last->next_to_verify : &engine->verify_first) = p;
    engine->verify_last = p;
    engine->verifying++;
    pthread_cond_broadcast(&engine->work);
}

/* What the pass made of one partition. The worker's count of the job goes on to the finisher. */
static void take_result(worker *w, partition *p, const proving_item *item, int64_t taken) {
    cuzk_engine *engine = w->engine;
    job *j = p->job;
    partition_add_compute_time(p, taken);
    budget_give(&engine->budget, CUZK_MEMORY_ASSIGNMENTS, p->assignment_reserved);
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, p->proving_reserved);
    p->assignment_reserved = p->proving_reserved = 0;
    if (item->status == CUZK_OK) {
        memcpy(p->proof, item->proof, PARTITION_PROOF_BYTES);
        p->failed_device = (int)w->device->ordinal; /* cleared when the proof verifies */
        queue_for_verification(engine, p);
        return;
    }
    p->failed_device = (int)w->device->ordinal;
    partition_let_go_locked(engine, p);
    partition_failed_locked(engine, p, CUZK_STAGE_PROVE, &item->error);
    job_leave_locked(engine, j);
}

/* What the phases of a pass took, where that is wanted. */
static prove_profile *profiles_create(const cuzk_engine *engine, proving_item *items, size_t count) {
    if (!engine->options.timing)
        return NULL;
    prove_profile *profiles = allocate_zeroed(count, sizeof *profiles);
    for (size_t i = 0; i < count; i++)
        items[i].profile = &profiles[i];
    return profiles;
}

static void prove_batch(worker *w, partition **batch, size_t count) {
    cuzk_engine *engine = w->engine;
    proving_item items[BATCH_MAXIMUM];
    step steps[BATCH_MAXIMUM];
    srs_entry *entry = &engine->srs[batch[0]->job->description.circuit];
    bool failed = false;
    become_busy(w, batch[0], (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        progress_init(&batch[i]->progress, NULL);
        items[i] = (proving_item){.assignment = batch[i]->assignment, .job = &batch[i]->progress, .status = CUZK_INTERNAL};
        batch[i]->assignment = NULL;
        batch[i]->job->development |= entry->info.development;
        steps[i] = step_begin(w, batch[i], CUZK_STAGE_PROVE);
    }
    engine->metrics.passes++;
    engine->metrics.pass_partitions += count;
    void *parameters = entry->parameters;
    prove_profile *profiles = profiles_create(engine, items, count);
    engine_unlock(engine);
    engine->backend->prove(engine->backend, items, count, parameters, w->device->ordinal);
    engine_lock(engine);
    for (size_t i = 0; i < count; i++)
        failed |= items[i].status != CUZK_OK;
    if (failed)
        srs_suspect(engine, entry);
    become_idle(w);
    for (size_t i = 0; i < count; i++) {
        if (profiles)
            timeline_log_phases(w, batch[i], &profiles[i]);
        take_result(w, batch[i], &items[i], step_end(&steps[i], items[i].status));
    }
    free(profiles);
}

void *prover_main(void *prover) {
    worker *w = prover;
    cuzk_engine *engine = w->engine;
    partition *batch[BATCH_MAXIMUM];
    engine_lock(engine);
    while (!engine->stopping) {
        int64_t wake_ns = INT64_MAX;
        size_t count = schedule_proving(engine, w, batch, &wake_ns);
        if (count)
            prove_batch(w, batch, count);
        else
            engine_wait(engine, &engine->work, wake_ns);
    }
    engine_unlock(engine);
    return NULL;
}
