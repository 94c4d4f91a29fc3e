/* The calls about jobs, parameters and memory. */
#include <stdlib.h>
#include <string.h>

#include "engine/job.h"
#include "engine/schedule.h"
#include "engine/srs_manager.h"

/* ---- Jobs ---------------------------------------------------------------------------------------------------------- */

static job *find_job(cuzk_engine *engine, const char *job_id, cuzk_error *error) {
    job *j = job_find(engine, job_id);
    if (!j)
        failure(error, CUZK_NOT_FOUND, "job_id: found %.80s, which is no job here, or one that ended long ago", job_id);
    return j;
}

static void fill_result(const cuzk_engine *engine, const job *j, cuzk_job_result *result) {
    *result = (cuzk_job_result){.kind = j->kind, .state = job_public_state(j), .times = job_times(engine, j)};
    memcpy(result->job_id, j->id, sizeof result->job_id);
    memcpy(result->circuit_id, job_circuit_id(engine, j), sizeof result->circuit_id);
    result->development_parameters = j->development;
    if (j->phase != JOB_ENDED)
        return;
    if (j->failure)
        result->failure = *j->failure;
    if (j->proof) {
        result->proof_length = (size_t)j->description.partitions * PARTITION_PROOF_BYTES;
        result->proof = allocate(result->proof_length, 1);
        memcpy(result->proof, j->proof, result->proof_length);
    }
}

void cuzk_job_result_free(cuzk_job_result *result) {
    free(result->proof);
    result->proof = NULL;
}

cuzk_status cuzk_engine_result(cuzk_engine *engine, const char *job_id, cuzk_job_result *result, cuzk_error *error) {
    engine_lock(engine);
    job *j = find_job(engine, job_id, error);
    if (j)
        fill_result(engine, j, result);
    engine_unlock(engine);
    return j ? CUZK_OK : CUZK_NOT_FOUND;
}

cuzk_status cuzk_engine_await(cuzk_engine *engine, const char *job_id, uint64_t timeout_ms, cuzk_poll stop, void *context,
                              cuzk_job_result *result, cuzk_error *error) {
    int64_t until_ns = engine_time_after(engine, timeout_ms);
    engine_lock(engine);
    job *j = find_job(engine, job_id, error);
    if (!j) {
        engine_unlock(engine);
        return CUZK_NOT_FOUND;
    }
    cuzk_status status = CUZK_OK;
    j->references++;
    while (j->phase != JOB_ENDED && status == CUZK_OK)
        status = engine_wait_for_caller(engine, &j->ended, until_ns, stop, context, error);
    if (j->phase == JOB_ENDED)
        status = CUZK_OK;
    if (status == CUZK_OK || status == CUZK_DEADLINE)
        fill_result(engine, j, result);
    job_release(j);
    engine_unlock(engine);
    return status;
}

cuzk_status cuzk_engine_cancel(cuzk_engine *engine, const char *job_id, bool *was_running, cuzk_error *error) {
    engine_lock(engine);
    job *j = find_job(engine, job_id, error);
    bool unfinished = j && (j->phase == JOB_QUEUED || j->phase == JOB_RUNNING);
    if (unfinished) {
        cuzk_error why = {0};
        failure(&why, CUZK_CANCELLED, "cancelled on request, with %u of %u partitions done", j->done, j->description.partitions);
        job_end_locked(engine, j, CUZK_JOB_CANCELLED, &why);
    }
    engine_unlock(engine);
    if (was_running)
        *was_running = unfinished;
    return j ? CUZK_OK : CUZK_NOT_FOUND;
}

/* ---- Parameters ---------------------------------------------------------------------------------------------------- */

static cuzk_status find_entry(cuzk_engine *engine, const char *circuit_id, srs_entry **entry, cuzk_error *error) {
    *entry = srs_find(engine, circuit_id);
    if (!*entry)
        return failure(error, CUZK_NOT_FOUND, "circuit_id: found %.40s, expected one like porep-32g, snap-32g, wpost-32g or winning-32g",
                       circuit_id);
    return CUZK_OK;
}

/* Looks the file up, so that its size is known. Lets go of the mutex. */
static cuzk_status look_up(cuzk_engine *engine, srs_entry *entry, cuzk_error *error) {
    parameters_info info;
    size_t circuit = (size_t)(entry - engine->srs);
    engine_unlock(engine);
    cuzk_status status = engine->backend->find_parameters(engine->backend, circuit, &info, error);
    engine_lock(engine);
    if (status != CUZK_OK)
        return error ? error->status = CUZK_FAILED_PRECONDITION : CUZK_FAILED_PRECONDITION;
    if (entry->state == SRS_COLD)
        entry->info = info;
    return CUZK_OK;
}

/* Waits until a cold entry's parameters fit, takes what they need and sets it to SRS_LOADING; or until it is loaded. */
static cuzk_status make_loading(cuzk_engine *engine, srs_entry *entry, cuzk_poll stop, void *context, cuzk_error *error) {
    char need[BYTE_TEXT_CAPACITY], all[BYTE_TEXT_CAPACITY];
    while (!(entry->state == SRS_LOADED && !entry->stale)) {
        if (entry->state == SRS_COLD) {
            if (entry->info.streaming_bytes > engine_budget_for_jobs(engine))
                return failure(error, CUZK_EXHAUSTED, "memory: the parameters need %s, of the budget are %s for parameters and jobs",
                               byte_text(need, entry->info.streaming_bytes), byte_text(all, engine_budget_for_jobs(engine)));
            uint64_t headroom = schedule_headroom(engine), left = budget_free(&engine->budget);
            uint64_t bytes = srs_opening_bytes(entry, left > headroom ? left - headroom : 0);
            if (bytes + headroom <= left) {
                entry->state = SRS_LOADING;
                entry->reserved = bytes;
                budget_take(&engine->budget, CUZK_MEMORY_PARAMETERS, bytes);
                return CUZK_OK;
            }
            int64_t ignored = INT64_MAX;
            if (srs_make_room(engine, bytes + headroom, entry, true, &ignored))
                continue;
        }
        TRY(engine_wait_for_caller(engine, &engine->changed, INT64_MAX, stop, context, error));
    }
    return CUZK_OK;
}

/* Opens and reads the parameters, holding a reference meanwhile. */
static cuzk_status load_and_warm(cuzk_engine *engine, srs_entry *entry, cuzk_error *error) {
    cuzk_status status = CUZK_OK;
    entry->references++;
    if (entry->state == SRS_LOADING)
        status = srs_open(engine, entry, error);
    if (status == CUZK_OK && entry->reserved >= entry->info.file_bytes) {
        void *parameters = entry->parameters;
        engine_unlock(engine);
        engine->backend->warm_parameters(engine->backend, parameters, &engine->preloading);
        engine_lock(engine);
    }
    srs_release(engine, entry);
    return status;
}

cuzk_status cuzk_engine_preload(cuzk_engine *engine, const char *circuit_id, cuzk_poll stop, void *context, bool *already,
                                uint64_t *load_ms, cuzk_error *error) {
    int64_t began = engine_now(engine);
    srs_entry *entry;
    engine_lock(engine);
    cuzk_status status = find_entry(engine, circuit_id, &entry, error);
    if (status == CUZK_OK)
        status = look_up(engine, entry, error);
    if (status == CUZK_OK)
        status = make_loading(engine, entry, stop, context, error);
    bool was_loaded = status == CUZK_OK && entry->state == SRS_LOADED;
    if (status == CUZK_OK)
        status = load_and_warm(engine, entry, error);
    engine_unlock(engine);
    if (already)
        *already = was_loaded;
    if (load_ms)
        *load_ms = (uint64_t)(engine_now(engine) - began) / 1000000;
    return status;
}

static cuzk_status evict(cuzk_engine *engine, srs_entry *entry, const char *circuit_id, bool *was_loaded, uint64_t *freed,
                         cuzk_error *error) {
    while (entry->state == SRS_CLOSING)
        engine_wait(engine, &engine->changed, INT64_MAX);
    *was_loaded = entry->state == SRS_LOADED;
    if (entry->references > 0)
        return failure(error, CUZK_FAILED_PRECONDITION, "the parameters of %s are in use by %u partitions", circuit_id,
                       entry->references);
    if (*was_loaded)
        *freed = srs_close(engine, entry);
    return CUZK_OK;
}

cuzk_status cuzk_engine_evict(cuzk_engine *engine, const char *circuit_id, bool *was_loaded, uint64_t *freed_bytes,
                              cuzk_error *error) {
    srs_entry *entry;
    bool loaded = false;
    uint64_t freed = 0;
    engine_lock(engine);
    cuzk_status status = find_entry(engine, circuit_id, &entry, error);
    if (status == CUZK_OK)
        status = evict(engine, entry, circuit_id, &loaded, &freed, error);
    engine_unlock(engine);
    if (was_loaded)
        *was_loaded = loaded;
    if (freed_bytes)
        *freed_bytes = freed;
    return status;
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

cuzk_status cuzk_engine_reserve(cuzk_engine *engine, uint64_t bytes, uint64_t timeout_ms, cuzk_poll stop, void *context,
                                cuzk_error *error) {
    char need[BYTE_TEXT_CAPACITY], all[BYTE_TEXT_CAPACITY];
    if (bytes > engine->budget.total)
        return failure(error, CUZK_EXHAUSTED, "memory: a request of %s exceeds the budget of %s", byte_text(need, bytes),
                       byte_text(all, engine->budget.total));
    int64_t until_ns = engine_time_after(engine, timeout_ms);
    cuzk_status status = CUZK_OK;
    engine_lock(engine);
    while (status == CUZK_OK) {
        uint64_t wanted = bytes + schedule_headroom(engine);
        int64_t ignored = INT64_MAX;
        if (wanted <= budget_free(&engine->budget))
            break;
        if (!srs_make_room(engine, wanted, NULL, schedule_nothing_runs(engine), &ignored))
            status = engine_wait_for_caller(engine, &engine->changed, until_ns, stop, context, error);
    }
    if (status == CUZK_OK)
        budget_take(&engine->budget, CUZK_MEMORY_REQUESTS, bytes);
    engine_unlock(engine);
    return status;
}

cuzk_status cuzk_engine_set_aside(cuzk_engine *engine, uint64_t bytes, cuzk_poll stop, void *context, cuzk_error *error) {
    TRY(cuzk_engine_reserve(engine, bytes, 0, stop, context, error));
    engine_lock(engine);
    engine->set_aside_bytes += bytes;
    engine_unlock(engine);
    return CUZK_OK;
}

void cuzk_engine_release(cuzk_engine *engine, uint64_t bytes) {
    engine_lock(engine);
    budget_give(&engine->budget, CUZK_MEMORY_REQUESTS, bytes);
    pthread_cond_broadcast(&engine->work);
    pthread_cond_broadcast(&engine->changed);
    engine_unlock(engine);
}
