/* The engine's life: start, drain, stop. */
#include "cuzk/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "engine/groth16_backend.h"
#include "engine/job.h"
#include "engine/srs_manager.h"
#include "engine/system_limits.h"

/* ---- Options ------------------------------------------------------------------------------------------------------- */

void cuzk_engine_options_init(cuzk_engine_options *options) {
    *options = (cuzk_engine_options){.safety_margin = UINT64_C(5) << 30,
                                     .eviction_min_idle_ms = 300000,
                                     .pipeline_enabled = true,
                                     .synthesis_lookahead = 1,
                                     .synthesis_concurrency = 1,
                                     .max_batch_size = 1,
                                     .max_batch_wait_ms = 10000,
                                     .sort_by_type = true,
                                     .starvation_limit_ms = 60000,
                                     .max_queued_jobs = 10000,
                                     .max_request_bytes = UINT64_C(256) << 20,
                                     .max_journal_bytes = UINT64_C(64) << 30,
                                     .retention_ms = UINT64_C(7) * 24 * 3600 * 1000,
                                     .retention_jobs = 10000};
}

static cuzk_status check_range(const char *name, uint64_t value, uint64_t minimum, uint64_t maximum, cuzk_error *error) {
    if (value < minimum || value > maximum)
        return failure(error, CUZK_BAD_INPUT, "%s: found %llu, expected %llu to %llu", name, (unsigned long long)value,
                       (unsigned long long)minimum, (unsigned long long)maximum);
    return CUZK_OK;
}

static cuzk_status check_options(const cuzk_engine_options *o, cuzk_error *error) {
    TRY(check_range("synthesis_lookahead", o->synthesis_lookahead, 1, 1024, error));
    TRY(check_range("synthesis_concurrency", o->synthesis_concurrency, 1, 256, error));
    TRY(check_range("max_batch_size", o->max_batch_size, 1, BATCH_MAXIMUM, error));
    TRY(check_range("prover_workers_per_device", o->prover_workers_per_device, 0, 64, error));
    TRY(check_range("synthesis_strategy", o->synthesis_strategy, CUZK_SYNTHESIS_COMPACT, CUZK_SYNTHESIS_CLASSIC, error));
    TRY(check_range("synthesis_threads", o->synthesis_threads, 0, 4096, error));
    TRY(check_range("prover_threads", o->prover_threads, 0, 4096, error));
    TRY(check_range("max_queued_jobs", o->max_queued_jobs, 1, 1000000, error));
    TRY(check_range("retention_jobs", o->retention_jobs, 1, 1000000, error));
    TRY(check_range("starvation_limit_ms", o->starvation_limit_ms, 1, UINT64_C(1) << 32, error));
    return check_range("max_request_bytes", o->max_request_bytes, 1024, UINT64_C(1) << 40, error);
}

static void copy_options(cuzk_engine *engine, const cuzk_engine_options *options) {
    cuzk_engine_options *o = &engine->options;
    const char *timing = getenv("CUZK_TIMING");
    *o = *options;
    o->parameter_directory = o->parameter_directory_origin = o->state_directory = o->limits_root = o->scratch_directory = NULL;
    o->devices = NULL; /* the backend has chosen by now */
    o->timing |= timing && strcmp(timing, "1") == 0;
    if (o->max_parallel_synthesis && o->synthesis_concurrency > o->max_parallel_synthesis)
        o->synthesis_concurrency = o->max_parallel_synthesis;
    if (o->synthesis_threads && o->synthesis_concurrency > o->synthesis_threads)
        o->synthesis_concurrency = o->synthesis_threads;
}

/* ---- Time ---------------------------------------------------------------------------------------------------------- */

int64_t engine_now(const cuzk_engine *engine) { return monotonic_ns() - engine->origin_ns; }

int64_t unix_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t engine_time_after(const cuzk_engine *engine, uint64_t ms) {
    int64_t now = engine_now(engine);
    return ms == 0 || ms > (uint64_t)(INT64_MAX - now) / 1000000 ? INT64_MAX : now + (int64_t)ms * 1000000;
}

void engine_wait(cuzk_engine *engine, pthread_cond_t *condition, int64_t until_ns) {
    if (until_ns == INT64_MAX) {
        pthread_cond_wait(condition, &engine->mutex);
        return;
    }
    int64_t at = until_ns + engine->origin_ns;
    struct timespec time = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    pthread_cond_timedwait(condition, &engine->mutex, &time);
}

cuzk_status engine_wait_for_caller(cuzk_engine *engine, pthread_cond_t *condition, int64_t until_ns, cuzk_poll stop, void *context,
                                   cuzk_error *error) {
    static const int64_t poll_ns = 100000000;
    if (engine->stopping)
        return failure(error, CUZK_UNAVAILABLE, "the engine is stopping");
    if (engine_now(engine) >= until_ns)
        return failure(error, CUZK_DEADLINE, "the time to wait has passed");
    int64_t wake = engine_now(engine) + poll_ns;
    engine_wait(engine, condition, stop && wake < until_ns ? wake : until_ns);
    if (!stop)
        return CUZK_OK;
    engine_unlock(engine);
    bool stopped = stop(context);
    engine_lock(engine);
    return stopped ? failure(error, CUZK_CANCELLED, "the caller no longer waits") : CUZK_OK;
}

void engine_count_kept_locked(cuzk_engine *engine) {
    uint64_t kept = engine->backend->kept_bytes(engine->backend);
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, engine->kept_bytes);
    budget_take(&engine->budget, CUZK_MEMORY_BUFFERS, kept);
    engine->kept_bytes = kept;
}

/* ---- Resuming ------------------------------------------------------------------------------------------------------ */

static void restore_ended(cuzk_engine *engine, job *j, const journal_record *record) {
    int64_t ms = 1000000;
    j->outcome = record->state;
    j->development = record->development;
    j->ended_ns = (record->ended_unix_ms - engine->started_unix_ms) * ms;
    j->submitted_ns = j->ended_ns - (int64_t)record->times.total_ms * ms;
    j->started_ns = j->submitted_ns + (int64_t)record->times.queue_wait_ms * ms;
    j->srs_load_ns = (int64_t)record->times.srs_load_ms * ms;
    j->synthesis_ns = (int64_t)record->times.synthesis_ms * ms;
    j->compute_ns = (int64_t)record->times.compute_ms * ms;
    if (record->state == CUZK_JOB_COMPLETED) {
        j->proof = allocate(record->proof_length, 1);
        memcpy(j->proof, record->proof, record->proof_length);
    } else {
        j->failure = allocate(1, sizeof *j->failure);
        *j->failure = record->failure;
    }
    job_add_ended(engine, j);
}

static void restore_unfinished(cuzk_engine *engine, job *j, const uint8_t *proofs, const bool *done) {
    j->submitted_ns = engine_now(engine) - (unix_now_ms() - j->submitted_unix_ms) * 1000000;
    job_set_partitions(j, j->description.partitions);
    for (unsigned i = 0; i < j->description.partitions; i++) {
        if (!done[i])
            continue;
        memcpy(j->partitions[i].proof, proofs + (size_t)i * PARTITION_PROOF_BYTES, PARTITION_PROOF_BYTES);
        j->partitions[i].state = PARTITION_DONE;
        j->done++;
    }
    job_activate(engine, j);
    engine->metrics.resumed++;
}

static unsigned attempt_of_id(const char *job_id) {
    const char *dash = strrchr(job_id, '-');
    unsigned long attempt = dash ? strtoul(dash + 1, NULL, 10) : 0;
    return attempt > 0 && attempt < 1000000000 ? (unsigned)attempt : 1;
}

/* Digests say that a row is as it was written; this, that it makes sense here. */
static bool is_usable(const journal_record *record) {
    uint64_t partitions = record->description.partitions;
    return partitions > 0 && partitions <= CUZK_VANILLA_PROOFS_MAXIMUM && record->kind <= CUZK_WINNING_POST &&
           record->priority <= CUZK_PRIORITY_CRITICAL && record->state <= CUZK_JOB_CANCELLED && record->state != CUZK_JOB_RUNNING &&
           record->proof_length == (record->state == CUZK_JOB_COMPLETED ? partitions * PARTITION_PROOF_BYTES : 0);
}

static void restore(void *context, const journal_record *record, const uint8_t *proofs, const bool *done) {
    cuzk_engine *engine = context;
    srs_entry *entry = srs_find(engine, record->circuit_id);
    if (!entry || !is_usable(record)) {
        log_warn("job %s of the journal is left alone: this release does not know its circuit %s or its form", record->job_id,
                 record->circuit_id);
        return;
    }
    job *j = job_create(engine, record->digest, record->kind, attempt_of_id(record->job_id));
    memcpy(j->id, record->job_id, sizeof j->id);
    memcpy(j->label, record->label, sizeof j->label);
    j->priority = record->priority;
    j->description = record->description;
    j->description.circuit = (size_t)(entry - engine->srs);
    j->request_bytes = record->request_bytes;
    j->submitted_unix_ms = record->submitted_unix_ms;
    job_table_add(engine, j);
    if (record->state == CUZK_JOB_QUEUED)
        restore_unfinished(engine, j, proofs, done);
    else
        restore_ended(engine, j, record);
}

/* A request without a row: its submission was cut short, or the row was lost with a damaged database. */
static void adopt_orphan(void *context, const char *job_id) {
    cuzk_engine *engine = context;
    big_buffer bytes;
    size_t length;
    cuzk_request request;
    cuzk_submission submission = {0};
    cuzk_error error = {0};
    cuzk_status status = journal_read_request(engine->journal, job_id, NULL, &bytes, &length, &error);
    if (status == CUZK_OK) {
        status = request_decode(&request, bytes.data, length, &error);
        if (status == CUZK_OK) {
            status = cuzk_engine_submit(engine, &request, 0, &submission, &error);
            request_decoded_free(&request);
        }
        big_buffer_free(&bytes);
    }
    if (status != CUZK_OK) {
        log_warn("the stored request %s has no row in the journal and could not be taken up: %s", job_id, error.message);
        return;
    }
    log_warn("the stored request %s had no row in the journal; it was taken up as job %s", job_id, submission.job_id);
    if (strcmp(submission.job_id, job_id) != 0)
        journal_drop_orphan(engine->journal, job_id);
}

/* A crash may fall between a job's last partition and its end. */
static void end_complete_jobs(cuzk_engine *engine) {
    engine_lock(engine);
    for (size_t i = 0; i < engine->active_count;) {
        job *j = engine->active[i];
        if (j->done == j->description.partitions)
            job_end_locked(engine, j, CUZK_JOB_COMPLETED, NULL);
        else
            i++;
    }
    engine_unlock(engine);
}

static cuzk_status open_journal(cuzk_engine *engine, const char *directory, cuzk_error *error) {
    if (!directory)
        return CUZK_OK;
    TRY(journal_open(&engine->journal, directory, error));
    TRY(journal_each(engine->journal, restore, engine, error));
    end_complete_jobs(engine);
    TRY(journal_orphans(engine->journal, adopt_orphan, engine, error));
    if (engine->active_count)
        log_info("the journal has %zu unfinished jobs, which go on now", engine->active_count);
    return CUZK_OK;
}

/* ---- Starting ------------------------------------------------------------------------------------------------------ */

static void init_conditions(cuzk_engine *engine) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&engine->mutex, NULL);
    pthread_cond_init(&engine->work, &monotonic);
    pthread_cond_init(&engine->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void choose_budget(cuzk_engine *engine) {
    cuzk_engine_options o = engine->options;
    o.limits_root = engine->limits_root;
    uint64_t total = budget_of_options(&o, engine->limit_reason);
    char text[BYTE_TEXT_CAPACITY];
    budget_init(&engine->budget, total);
    engine->budget.ceiling = system_memory_ceiling(engine->limits_root);
    log_info("memory budget: %s, %s", byte_text(text, total), engine->limit_reason);
}

/* Sizes of the parameter files that are there, for jobs of the journal. */
static void look_up_parameters(cuzk_engine *engine) {
    size_t found = 0;
    for (size_t i = 0; i < engine->backend->circuit_count; i++) {
        parameters_info info;
        if (engine->backend->find_parameters(engine->backend, i, &info, NULL) != CUZK_OK)
            continue;
        engine->srs[i].info = info;
        found++;
        log_info("%s can be proved: %s", engine->backend->circuits[i].id, info.path);
    }
    if (!found) {
        cuzk_error error = {0};
        engine->backend->find_parameters(engine->backend, 0, &(parameters_info){0}, &error);
        log_warn("no parameters are there, so nothing can be proved yet; the first one looked for: %s", error.message);
    }
}

static void make_workers(cuzk_engine *engine) {
    const cuzk_engine_options *o = &engine->options;
    proving_backend *backend = engine->backend;
    engine->synthesizers = allocate_zeroed(o->synthesis_concurrency + 1, sizeof *engine->synthesizers);
    for (unsigned i = 0; i <= o->synthesis_concurrency; i++)
        engine->synthesizers[i] = (worker){.engine = engine, .number = i};
    engine->synthesizer_count = o->synthesis_concurrency + 1;
    for (size_t i = 0; i < backend->device_count; i++) {
        const backend_device *device = &backend->devices[i];
        unsigned workers = o->prover_workers_per_device ? o->prover_workers_per_device : device->default_workers;
        workers = device->stands_in ? 1 : workers;
        engine->provers = reallocate(engine->provers, engine->prover_count + workers, sizeof *engine->provers);
        for (unsigned k = 0; k < workers; k++, engine->prover_count++)
            engine->provers[engine->prover_count] =
                (worker){.engine = engine, .number = (unsigned)engine->prover_count, .device = device};
    }
}

/* The threads of a daemon all start or it does not: a machine that cannot start a dozen is in no state to prove. */
static void start_thread(pthread_t *thread, void *(*function)(void *), void *argument) {
    if (pthread_create(thread, NULL, function, argument) != 0) {
        fprintf(stderr, "cuzk: cannot start a thread: %s\n", strerror(errno));
        abort();
    }
}

static void start_threads(cuzk_engine *engine) {
    for (size_t i = 0; i < engine->synthesizer_count; i++)
        start_thread(&engine->synthesizers[i].thread, synthesizer_main, &engine->synthesizers[i]);
    for (size_t i = 0; i < engine->prover_count; i++)
        start_thread(&engine->provers[i].thread, prover_main, &engine->provers[i]);
    start_thread(&engine->finisher, finisher_main, engine);
    start_thread(&engine->housekeeper, housekeeper_main, engine);
}

/* ---- Ending -------------------------------------------------------------------------------------------------------- */

static void free_job_entirely(cuzk_engine *engine, job *j) {
    for (unsigned i = 0; j->partitions && i < j->description.partitions; i++)
        if (j->partitions[i].assignment)
            engine->backend->destroy_assignment(engine->backend, j->partitions[i].assignment);
    if (j->prepared)
        engine->backend->destroy_prepared(engine->backend, j->prepared);
    job_destroy(j);
}

static void free_engine(cuzk_engine *engine) {
    for (size_t i = 0; i < JOB_BUCKETS; i++)
        for (job *j = engine->by_id[i], *next; j; j = next) {
            next = j->next_by_id;
            free_job_entirely(engine, j);
        }
    for (size_t i = 0; i < engine->backend->circuit_count; i++)
        if (engine->srs[i].state == SRS_LOADED)
            engine->backend->close_parameters(engine->backend, engine->srs[i].parameters);
    journal_close(engine->journal);
    engine->backend->destroy(engine->backend);
    pthread_cond_destroy(&engine->work);
    pthread_cond_destroy(&engine->changed);
    pthread_mutex_destroy(&engine->mutex);
    free(engine->synthesizers);
    free(engine->provers);
    free(engine->active);
    free(engine->srs);
    free(engine->timeline);
    free(engine->limits_root);
    free(engine);
}

cuzk_status engine_start_with_backend(cuzk_engine **result, const cuzk_engine_options *options, proving_backend *backend,
                                      cuzk_error *error) {
    *result = NULL;
    cuzk_status status = check_options(options, error);
    if (status != CUZK_OK) {
        backend->destroy(backend);
        return status;
    }
    cuzk_engine *engine = allocate_zeroed(1, sizeof *engine);
    engine->backend = backend;
    engine->origin_ns = monotonic_ns();
    engine->started_unix_ms = unix_now_ms();
    engine->limits_root = duplicate_string(options->limits_root ? options->limits_root : "");
    engine->processors = system_processor_count(engine->limits_root);
    engine->last_fair_ns = INT64_MIN;
    engine->last_circuit = SIZE_MAX;
    engine->srs = allocate_zeroed(backend->circuit_count, sizeof *engine->srs);
    engine->timeline = timeline_create();
    progress_init(&engine->preloading, NULL);
    init_conditions(engine);
    copy_options(engine, options);
    choose_budget(engine);
    look_up_parameters(engine);
    make_workers(engine);
    status = open_journal(engine, options->state_directory, error);
    if (status != CUZK_OK) {
        free_engine(engine);
        return status;
    }
    start_threads(engine);
    *result = engine;
    return CUZK_OK;
}

cuzk_status cuzk_engine_start(cuzk_engine **engine, const cuzk_engine_options *options, cuzk_error *error) {
    proving_backend *backend;
    *engine = NULL;
    TRY(groth16_backend_create(&backend, options, error));
    return engine_start_with_backend(engine, options, backend, error);
}

bool cuzk_engine_drain(cuzk_engine *engine, uint64_t timeout_ms) {
    engine_lock(engine);
    int64_t until = timeout_ms ? engine_time_after(engine, timeout_ms) : engine_now(engine);
    engine->draining = true;
    pthread_cond_broadcast(&engine->work); /* batches do not wait for more */
    while (engine->active_count + engine->accepting > 0 && engine_now(engine) < until && !engine->stopping)
        engine_wait(engine, &engine->changed, until);
    bool drained = engine->active_count + engine->accepting == 0;
    engine_unlock(engine);
    return drained;
}

void cuzk_engine_interrupt(cuzk_engine *engine) {
    engine_lock(engine);
    engine->stopping = true;
    progress_cancel(&engine->preloading);
    for (size_t i = 0; i < engine->active_count; i++) {
        job *j = engine->active[i];
        for (unsigned k = 0; j->partitions && k < j->description.partitions; k++)
            progress_cancel(&j->partitions[k].progress);
        pthread_cond_broadcast(&j->ended);
    }
    pthread_cond_broadcast(&engine->work);
    pthread_cond_broadcast(&engine->changed);
    engine_unlock(engine);
}

void cuzk_engine_stop(cuzk_engine *engine) {
    if (!engine)
        return;
    cuzk_engine_interrupt(engine);
    for (size_t i = 0; i < engine->synthesizer_count; i++)
        pthread_join(engine->synthesizers[i].thread, NULL);
    for (size_t i = 0; i < engine->prover_count; i++)
        pthread_join(engine->provers[i].thread, NULL);
    engine_lock(engine);
    engine->workers_gone = true;
    pthread_cond_broadcast(&engine->work);
    engine_unlock(engine);
    pthread_join(engine->finisher, NULL);
    pthread_join(engine->housekeeper, NULL);
    free_engine(engine);
}
