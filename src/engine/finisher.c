/* The end of a partition, and of a job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/job.h"
#include "engine/srs_manager.h"

enum { ATTEMPTS = 2 };

/* ---- Letting go ---------------------------------------------------------------------------------------------------- */

void partition_let_go_locked(cuzk_engine *engine, partition *p) {
    budget_give(&engine->budget, CUZK_MEMORY_ASSIGNMENTS, p->assignment_reserved);
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, p->proving_reserved);
    p->assignment_reserved = p->proving_reserved = 0;
    if (p->holds_parameters)
        srs_release(engine, &engine->srs[p->job->description.circuit]);
    p->holds_parameters = false;
    pthread_cond_broadcast(&engine->work);
    pthread_cond_broadcast(&engine->changed);
}

void job_strip_locked(cuzk_engine *engine, job *j) {
    void *prepared = j->prepared;
    big_buffer request = j->request;
    partition *partitions = j->partitions;
    j->prepared = NULL;
    j->request = (big_buffer){0};
    j->partitions = NULL;
    engine_unlock(engine);
    if (prepared)
        engine->backend->destroy_prepared(engine->backend, prepared);
    big_buffer_free(&request);
    free(partitions);
    engine_lock(engine);
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, j->prepared_reserved);
    budget_give(&engine->budget, CUZK_MEMORY_REQUESTS, j->request_reserved);
    engine->queued_request_bytes -= j->request_reserved;
    j->prepared_reserved = j->request_reserved = 0;
    pthread_cond_broadcast(&engine->work);
    pthread_cond_broadcast(&engine->changed);
}

void job_leave_locked(cuzk_engine *engine, job *j) {
    j->workers--;
    if (j->phase == JOB_ENDED && j->workers == 0 && j->partitions) {
        j->references++;
        job_strip_locked(engine, j);
        job_release(j);
    }
}

/* ---- The end of a job ---------------------------------------------------------------------------------------------- */

cuzk_status job_record_outcome(cuzk_engine *engine, const job *j, cuzk_error *error) {
    if (!engine->journal)
        return CUZK_OK;
    journal_record record;
    job_record(engine, j, &record);
    engine_unlock(engine);
    cuzk_status status = journal_end(engine->journal, &record, error);
    engine_lock(engine);
    return status;
}

static void note_journal_problem(cuzk_engine *engine, const cuzk_error *error) {
    snprintf(engine->journal_problem, sizeof engine->journal_problem, "%.250s", error->message);
    log_error("%s", error->message);
}

/* Stops what runs and takes what waits for a prover. */
static size_t take_assignments(job *j, void **assignments) {
    size_t count = 0;
    for (unsigned i = 0; i < j->description.partitions; i++) {
        partition *p = &j->partitions[i];
        if (p->state == PARTITION_READY)
            assignments[count++] = p->assignment;
        else
            progress_cancel(&p->progress);
        p->assignment = NULL;
    }
    return count;
}

static void collect_proof(job *j) {
    j->proof = allocate(j->description.partitions, PARTITION_PROOF_BYTES);
    for (unsigned i = 0; i < j->description.partitions; i++)
        memcpy(j->proof + (size_t)i * PARTITION_PROOF_BYTES, j->partitions[i].proof, PARTITION_PROOF_BYTES);
}

static void log_end(const cuzk_engine *engine, const job *j) {
    cuzk_job_times t = job_times(engine, j);
    if (j->outcome == CUZK_JOB_COMPLETED)
        log_info("job %s (%s) completed in %llu ms (waited %llu, parameters %llu, synthesis %llu, proving %llu)%s", j->id, j->label,
                 (unsigned long long)t.total_ms, (unsigned long long)t.queue_wait_ms, (unsigned long long)t.srs_load_ms,
                 (unsigned long long)t.synthesis_ms, (unsigned long long)t.compute_ms,
                 j->development ? ", with DEVELOPMENT parameters" : "");
    else
        log_warn("job %s (%s) %s: %s", j->id, j->label, cuzk_job_state_name(j->outcome), j->failure->message);
}

void job_end_locked(cuzk_engine *engine, job *j, cuzk_job_state outcome, const cuzk_error *failure) {
    j->phase = JOB_ENDING;
    j->outcome = outcome;
    j->ended_ns = engine_now(engine);
    if (failure) {
        j->failure = allocate(1, sizeof *j->failure);
        *j->failure = *failure;
    }
    if (outcome == CUZK_JOB_COMPLETED)
        collect_proof(j);
    void **assignments = allocate(j->description.partitions, sizeof *assignments);
    size_t count = take_assignments(j, assignments);
    cuzk_error error = {0};
    engine_unlock(engine);
    for (size_t i = 0; i < count; i++)
        engine->backend->destroy_assignment(engine->backend, assignments[i]);
    free(assignments);
    engine_lock(engine);
    cuzk_status recorded = job_record_outcome(engine, j, &error);
    for (unsigned i = 0; i < j->description.partitions; i++)
        if (j->partitions[i].state == PARTITION_READY)
            partition_let_go_locked(engine, &j->partitions[i]);
    if (recorded != CUZK_OK) {
        j->unsaved = true;
        engine->unsaved_count++;
        note_journal_problem(engine, &error);
    }
    log_end(engine, j);
    metrics_count_ended_locked(engine, j);
    job_retire(engine, j);
    pthread_cond_broadcast(&j->ended);
    pthread_cond_broadcast(&engine->changed);
    pthread_cond_broadcast(&engine->work);
    if (j->workers == 0) {
        j->references++;
        job_strip_locked(engine, j);
        job_release(j);
    }
}

/* ---- The end of a partition ---------------------------------------------------------------------------------------- */

/* Would the same happen again? */
static bool is_worth_another_try(cuzk_stage stage, cuzk_status status) {
    switch (status) {
    case CUZK_FAILED_PRECONDITION:
    case CUZK_EXHAUSTED: return false;
    case CUZK_BAD_INPUT: return stage != CUZK_STAGE_PREPARE; /* there it is the client's */
    default: return true;
    }
}

void partition_failed_locked(cuzk_engine *engine, partition *p, cuzk_stage stage, const cuzk_error *error) {
    job *j = p->job;
    p->state = PARTITION_PENDING;
    if (!error || j->phase != JOB_RUNNING || engine->stopping) {
        p->attempts--; /* it was stopped, which is no failure of its own */
        return;
    }
    engine->metrics.partition_failures[stage]++;
    cuzk_error told = *error;
    failure_within(&told, told.status, "partition %u of %u, %s, attempt %u: ", p->index, j->description.partitions,
                   cuzk_stage_name(stage), p->attempts);
    if (p->attempts < ATTEMPTS && is_worth_another_try(stage, error->status)) {
        engine->metrics.partition_retries++;
        log_warn("job %s: %s; trying once more", j->id, told.message);
        pthread_cond_broadcast(&engine->work);
        return;
    }
    job_end_locked(engine, j, CUZK_JOB_FAILED, &told);
}

static partition *next_to_verify(cuzk_engine *engine) {
    partition *p = engine->verify_first;
    engine->verify_first = p->next_to_verify;
    if (!engine->verify_first)
        engine->verify_last = NULL;
    engine->verifying--;
    return p;
}

/* A job of several partitions keeps what is done over a crash; losing that costs time, no correctness. */
static void record_partition(cuzk_engine *engine, const partition *p) {
    cuzk_error error = {0};
    if (!engine->journal || p->job->description.partitions == 1)
        return;
    engine_unlock(engine);
    cuzk_status status = journal_partition(engine->journal, p->job->id, p->index, p->proof, &error);
    engine_lock(engine);
    if (status != CUZK_OK)
        note_journal_problem(engine, &error);
}

static void partition_done(cuzk_engine *engine, partition *p) {
    job *j = p->job;
    engine->metrics.partitions_proved[j->kind]++;
    p->failed_device = -1;
    if (j->phase == JOB_RUNNING)
        record_partition(engine, p);
    if (j->phase != JOB_RUNNING)
        return;
    p->state = PARTITION_DONE;
    if (++j->done == j->description.partitions)
        job_end_locked(engine, j, CUZK_JOB_COMPLETED, NULL);
}

static void verify_partition(cuzk_engine *engine, partition *p) {
    job *j = p->job;
    cuzk_error error = {0};
    srs_entry *entry = &engine->srs[j->description.circuit];
    uint64_t sequence = timeline_begin_locked(engine, p, CUZK_STAGE_VERIFY, 0, NULL);
    p->stage_began_ns = engine_now(engine);
    engine_unlock(engine);
    cuzk_status status = engine->backend->verify(engine->backend, j->prepared, p->index, p->proof, entry->parameters, &error);
    engine_lock(engine);
    timeline_end_locked(engine, sequence, status != CUZK_OK);
    partition_add_compute_time(p, engine_now(engine) - p->stage_began_ns);
    if (status != CUZK_OK)
        srs_suspect(engine, entry);
    partition_let_go_locked(engine, p);
    if (status == CUZK_OK)
        partition_done(engine, p);
    else
        partition_failed_locked(engine, p, CUZK_STAGE_VERIFY, &error);
    job_leave_locked(engine, j);
}

void *finisher_main(void *context) {
    cuzk_engine *engine = context;
    engine_lock(engine);
    /* What has been proved is verified and recorded even when stopping. */
    for (;;) {
        if (engine->verify_first)
            verify_partition(engine, next_to_verify(engine));
        else if (engine->workers_gone)
            break;
        else
            engine_wait(engine, &engine->work, INT64_MAX);
    }
    engine_unlock(engine);
    return NULL;
}
