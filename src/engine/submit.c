/* Accepting requests. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "engine/job.h"
#include "engine/schedule.h"
#include "engine/srs_manager.h"

static cuzk_status check_open(const cuzk_engine *engine, cuzk_error *error) {
    if (engine->stopping)
        return failure(error, CUZK_UNAVAILABLE, "the engine is stopping");
    if (engine->draining)
        return failure(error, CUZK_UNAVAILABLE, "the engine finishes what it has and takes no new jobs");
    return CUZK_OK;
}

/* The job that already stands for this request, once it is settled whether it does; NULL if a new one is wanted. */
static cuzk_status find_existing(cuzk_engine *engine, const uint8_t digest[REQUEST_DIGEST_BYTES], job **existing, unsigned *attempt,
                                 cuzk_error *error) {
    for (;;) {
        TRY(check_open(engine, error));
        job *j = job_find_digest(engine, digest);
        *attempt = j ? j->attempt + 1 : 1;
        *existing = NULL;
        if (!j)
            return CUZK_OK;
        bool failed = j->phase >= JOB_ENDING && j->outcome != CUZK_JOB_COMPLETED;
        if (j->phase == JOB_ACCEPTING || (j->phase == JOB_ENDING && failed)) {
            engine_wait(engine, &engine->changed, INT64_MAX);
            continue;
        }
        if (!failed)
            *existing = j;
        return CUZK_OK;
    }
}

static void tell_existing(cuzk_engine *engine, job *j, uint64_t deadline_ms, cuzk_submission *submission) {
    int64_t deadline = engine_time_after(engine, deadline_ms);
    if (deadline > j->deadline_ns)
        j->deadline_ns = deadline;
    engine->metrics.repeated++;
    submission->existing = true;
    submission->queue_position = j->phase == JOB_QUEUED || j->phase == JOB_RUNNING ? schedule_position(engine, j) : 0;
    memcpy(submission->job_id, j->id, sizeof submission->job_id);
}

enum { PARSED_AT_ONCE = 4 };

/* Waits for one of few places: parsing takes memory. It does not wait for that: its caller may hold some, others' callers too. */
static cuzk_status begin_parsing(cuzk_engine *engine, const job *j, cuzk_error *error) {
    size_t places = engine->processors < PARSED_AT_ONCE ? engine->processors : PARSED_AT_ONCE;
    while (engine->preparing >= places && !engine->stopping)
        engine_wait(engine, &engine->changed, INT64_MAX);
    TRY(check_open(engine, error));
    engine->preparing++;
    budget_take(&engine->budget, CUZK_MEMORY_BUFFERS, j->request_bytes);
    return CUZK_OK;
}

static void end_parsing(cuzk_engine *engine, const job *j) {
    engine->preparing--;
    budget_give(&engine->budget, CUZK_MEMORY_BUFFERS, j->request_bytes);
    pthread_cond_broadcast(&engine->changed);
    pthread_cond_broadcast(&engine->work);
}

/* Parses the request to know what it asks for. */
static cuzk_status describe(cuzk_engine *engine, job *j, const cuzk_request *request, cuzk_error *error) {
    proving_backend *backend = engine->backend;
    parameters_info info = {0};
    void *prepared;
    TRY(begin_parsing(engine, j, error));
    engine_unlock(engine);
    cuzk_status status = backend->prepare(backend, request, &prepared, &j->description, error);
    if (status == CUZK_OK) {
        backend->destroy_prepared(backend, prepared);
        status = backend->find_parameters(backend, j->description.circuit, &info, error);
        if (status == CUZK_NOT_FOUND || status == CUZK_BAD_INPUT)
            status = error ? error->status = CUZK_FAILED_PRECONDITION : CUZK_FAILED_PRECONDITION;
    }
    engine_lock(engine);
    end_parsing(engine, j);
    engine_count_kept_locked(engine);
    srs_entry *entry = &engine->srs[j->description.circuit];
    if (status == CUZK_OK && entry->state == SRS_COLD)
        entry->info = info;
    return status;
}

/* Without a journal queued requests stay in memory. They leave what partitions on their way need, and enough for the
 * largest of the jobs to run beside what started jobs hold: or nothing would end. */
static cuzk_status check_memory(const cuzk_engine *engine, const job *j, cuzk_error *error) {
    TRY(schedule_fits_alone(engine, j, error));
    if (engine->journal)
        return CUZK_OK;
    uint64_t most = 0, held = engine->queued_request_bytes + j->request_bytes;
    for (size_t i = 0; i <= engine->active_count; i++) {
        const job *other = i < engine->active_count ? engine->active[i] : j;
        const request_description *d = &other->description;
        uint64_t need =
            d->prepared_bytes + d->assignment_bytes + d->proving_bytes + engine->srs[d->circuit].info.streaming_bytes;
        if (need > most)
            most = need;
        held += other->prepared_reserved;
    }
    char request[BYTE_TEXT_CAPACITY], queued[BYTE_TEXT_CAPACITY], budget[BYTE_TEXT_CAPACITY];
    if (held + most > engine_budget_for_jobs(engine) || j->request_bytes + schedule_headroom(engine) > budget_free(&engine->budget))
        return failure(error, CUZK_EXHAUSTED,
                       "memory: the request takes %s beside %s of queued ones, which leaves too little of the budget of %s to prove them",
                       byte_text(request, j->request_bytes), byte_text(queued, engine->queued_request_bytes),
                       byte_text(budget, engine->budget.total));
    return CUZK_OK;
}

static cuzk_status check_limits(const cuzk_engine *engine, const job *j, cuzk_error *error) {
    TRY(check_memory(engine, j, error));
    char request[BYTE_TEXT_CAPACITY], queued[BYTE_TEXT_CAPACITY], limit[BYTE_TEXT_CAPACITY];
    if (engine->journal && engine->journal_request_bytes + j->request_bytes > engine->options.max_journal_bytes)
        return failure(error, CUZK_EXHAUSTED, "journal: the request takes %s beside %s of unfinished ones, the limit is %s",
                       byte_text(request, j->request_bytes), byte_text(queued, engine->journal_request_bytes),
                       byte_text(limit, engine->options.max_journal_bytes));
    return CUZK_OK;
}

static bool append_sink(void *context, const void *bytes, size_t length) {
    uint8_t **at = context;
    memcpy(*at, bytes, length);
    *at += length;
    return true;
}

/* Keeps the request: in the journal, or in memory where there is none. Lets go of the mutex. */
static cuzk_status keep_request(cuzk_engine *engine, job *j, const cuzk_request *request, cuzk_error *error) {
    journal_record record;
    job_record(engine, j, &record);
    if (!engine->journal) {
        j->request_reserved = j->request_bytes;
        j->request_length = (size_t)j->request_bytes;
        budget_take(&engine->budget, CUZK_MEMORY_REQUESTS, j->request_reserved);
        engine->queued_request_bytes += j->request_reserved;
    }
    engine_unlock(engine);
    cuzk_status status;
    if (engine->journal) {
        status = journal_accept(engine->journal, &record, request, error);
    } else {
        status = big_buffer_allocate(&j->request, j->request_length, 1, "queued request", error);
        uint8_t *at = j->request.data;
        if (status == CUZK_OK)
            request_encode(request, append_sink, &at);
    }
    engine_lock(engine);
    return status;
}

static cuzk_status accept_job(cuzk_engine *engine, job *j, const cuzk_request *request, cuzk_error *error) {
    TRY(describe(engine, j, request, error));
    TRY(check_limits(engine, j, error));
    return keep_request(engine, j, request, error);
}

static void drop_job(cuzk_engine *engine, job *j) {
    job_table_remove(engine, j);
    budget_give(&engine->budget, CUZK_MEMORY_REQUESTS, j->request_reserved);
    engine->queued_request_bytes -= j->request_reserved;
    job_destroy(j);
}

static cuzk_status submit_new(cuzk_engine *engine, const cuzk_request *request, const uint8_t digest[REQUEST_DIGEST_BYTES],
                              unsigned attempt, uint64_t deadline_ms, cuzk_submission *submission, cuzk_error *error) {
    if (engine->active_count + engine->accepting >= engine->options.max_queued_jobs)
        return failure(error, CUZK_EXHAUSTED, "the queue is full: it holds %zu jobs, the limit is %u",
                       engine->active_count + engine->accepting, engine->options.max_queued_jobs);
    cuzk_proof_kind kind = (cuzk_proof_kind)request->proof_kind;
    job *j = job_create(engine, digest, kind, attempt);
    j->priority = request->priority ? (cuzk_priority)request->priority : cuzk_default_priority(kind);
    j->request_bytes = request_encoded_bytes(request);
    j->deadline_ns = engine_time_after(engine, deadline_ms);
    request_label(j->label, sizeof j->label, request->request_id);
    job_table_add(engine, j);
    engine->accepting++;
    cuzk_status status = accept_job(engine, j, request, error);
    engine->accepting--;
    if (status != CUZK_OK) {
        drop_job(engine, j);
    } else {
        job_set_partitions(j, j->description.partitions);
        job_activate(engine, j);
        engine->metrics.submitted++;
        *submission = (cuzk_submission){.queue_position = schedule_position(engine, j)};
        memcpy(submission->job_id, j->id, sizeof submission->job_id);
        log_debug("job %s (%s) accepted: %s, %u partitions, %s", j->id, j->label, job_circuit_id(engine, j), j->description.partitions,
                  cuzk_priority_name(j->priority));
    }
    pthread_cond_broadcast(&engine->changed);
    pthread_cond_broadcast(&engine->work);
    return status;
}

cuzk_status cuzk_engine_submit(cuzk_engine *engine, const cuzk_request *request, uint64_t deadline_ms, cuzk_submission *submission,
                               cuzk_error *error) {
    uint8_t digest[REQUEST_DIGEST_BYTES];
    job *existing;
    unsigned attempt;
    *submission = (cuzk_submission){0};
    cuzk_status status = request_check(request, engine->options.max_request_bytes, error);
    if (status == CUZK_OK)
        request_digest(digest, request);
    engine_lock(engine);
    if (status == CUZK_OK)
        status = find_existing(engine, digest, &existing, &attempt, error);
    if (status == CUZK_OK && existing)
        tell_existing(engine, existing, deadline_ms, submission);
    else if (status == CUZK_OK)
        status = submit_new(engine, request, digest, attempt, deadline_ms, submission, error);
    if (status != CUZK_OK)
        engine->metrics.refused[status]++;
    engine_unlock(engine);
    return status;
}
