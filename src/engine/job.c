#include "engine/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static const char *kind_prefix(cuzk_proof_kind kind) {
    switch (kind) {
    case CUZK_POREP_SEAL_COMMIT: return "porep";
    case CUZK_SNAP_DEALS_UPDATE: return "snap";
    case CUZK_WINDOW_POST_PARTITION: return "wpost";
    case CUZK_WINNING_POST: return "winning";
    case CUZK_KIND_UNSPECIFIED: break;
    }
    return "job";
}

enum { ID_DIGEST_BYTES = 16 };

job *job_create(cuzk_engine *engine, const uint8_t digest[REQUEST_DIGEST_BYTES], cuzk_proof_kind kind, unsigned attempt) {
    job *j = allocate_zeroed(1, sizeof *j);
    char hex[2 * ID_DIGEST_BYTES + 1];
    hex_encode(hex, digest, ID_DIGEST_BYTES);
    snprintf(j->id, sizeof j->id, "%s-%s-%u", kind_prefix(kind), hex, attempt);
    memcpy(j->digest, digest, sizeof j->digest);
    j->kind = kind;
    j->attempt = attempt;
    j->phase = JOB_ACCEPTING;
    j->submitted_ns = engine_now(engine);
    j->submitted_unix_ms = unix_now_ms();
    j->started_ns = j->ended_ns = INT64_MIN;
    j->deadline_ns = INT64_MAX;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&j->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return j;
}

void job_set_partitions(job *j, unsigned count) {
    j->description.partitions = count;
    j->partitions = allocate_zeroed(count, sizeof *j->partitions);
    for (unsigned i = 0; i < count; i++) {
        j->partitions[i] = (partition){.job = j, .index = i, .failed_device = -1};
        progress_init(&j->partitions[i].progress, NULL);
    }
}

void job_destroy(job *j) {
    pthread_cond_destroy(&j->ended);
    big_buffer_free(&j->request);
    free(j->partitions);
    free(j->proof);
    free(j->failure);
    free(j);
}

/* ---- Tables -------------------------------------------------------------------------------------------------------- */

/* Ids end in the attempt and begin with the digest: FNV-1a mixes them. */
static size_t id_bucket(const char *id) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *id; id++)
        hash = (hash ^ (uint8_t)*id) * UINT64_C(0x100000001b3);
    return (hash ^ hash >> 32) % JOB_BUCKETS;
}

static size_t digest_bucket(const uint8_t digest[REQUEST_DIGEST_BYTES]) { return load_u32_le(digest) % JOB_BUCKETS; }

void job_table_add(cuzk_engine *engine, job *j) {
    job **id_head = &engine->by_id[id_bucket(j->id)], **digest_head = &engine->by_digest[digest_bucket(j->digest)];
    j->next_by_id = *id_head;
    *id_head = j;
    j->next_by_digest = *digest_head;
    *digest_head = j;
}

void job_table_remove(cuzk_engine *engine, job *j) {
    job **at = &engine->by_id[id_bucket(j->id)];
    while (*at != j)
        at = &(*at)->next_by_id;
    *at = j->next_by_id;
    at = &engine->by_digest[digest_bucket(j->digest)];
    while (*at != j)
        at = &(*at)->next_by_digest;
    *at = j->next_by_digest;
}

job *job_find(cuzk_engine *engine, const char *id) {
    for (job *j = engine->by_id[id_bucket(id)]; j; j = j->next_by_id)
        if (j->phase != JOB_ACCEPTING && strcmp(j->id, id) == 0)
            return j;
    return NULL;
}

job *job_find_digest(cuzk_engine *engine, const uint8_t digest[REQUEST_DIGEST_BYTES]) {
    job *last = NULL;
    for (job *j = engine->by_digest[digest_bucket(digest)]; j; j = j->next_by_digest)
        if (memcmp(j->digest, digest, REQUEST_DIGEST_BYTES) == 0 && (!last || j->attempt > last->attempt))
            last = j;
    return last;
}

void job_activate(cuzk_engine *engine, job *j) {
    j->phase = JOB_QUEUED;
    j->sequence = ++engine->next_sequence;
    engine->active = grow_array(engine->active, engine->active_count, &engine->active_capacity, sizeof *engine->active);
    engine->active[engine->active_count++] = j;
    if (engine->journal)
        engine->journal_request_bytes += j->request_bytes;
}

void job_retire(cuzk_engine *engine, job *j) {
    size_t at = 0;
    while (engine->active[at] != j)
        at++;
    memmove(&engine->active[at], &engine->active[at + 1], (--engine->active_count - at) * sizeof *engine->active);
    if (engine->journal)
        engine->journal_request_bytes -= j->request_bytes;
    job_add_ended(engine, j);
}

void job_add_ended(cuzk_engine *engine, job *j) {
    j->phase = JOB_ENDED;
    job *before = engine->newest_ended;
    while (before && before->ended_ns > j->ended_ns)
        before = before->older;
    j->older = before;
    j->newer = before ? before->newer : engine->oldest_ended;
    *(j->older ? &j->older->newer : &engine->oldest_ended) = j;
    *(j->newer ? &j->newer->older : &engine->newest_ended) = j;
    engine->ended_count++;
}

void job_forget(cuzk_engine *engine, job *j) {
    *(j->older ? &j->older->newer : &engine->oldest_ended) = j->newer;
    *(j->newer ? &j->newer->older : &engine->newest_ended) = j->older;
    engine->ended_count--;
    job_table_remove(engine, j);
    j->forgotten = true;
    j->references++;
    job_release(j);
}

void job_release(job *j) {
    if (--j->references == 0 && j->forgotten)
        job_destroy(j);
}

/* ---- Views --------------------------------------------------------------------------------------------------------- */

static uint64_t ms(int64_t ns) { return ns > 0 ? (uint64_t)ns / 1000000 : 0; }

cuzk_job_times job_times(const cuzk_engine *engine, const job *j) {
    int64_t now = j->ended_ns != INT64_MIN ? j->ended_ns : engine_now(engine);
    int64_t started = j->started_ns != INT64_MIN ? j->started_ns : now;
    return (cuzk_job_times){.queue_wait_ms = ms(started - j->submitted_ns),
                            .srs_load_ms = ms(j->srs_load_ns),
                            .synthesis_ms = ms(j->synthesis_ns),
                            .compute_ms = ms(j->compute_ns),
                            .total_ms = ms(now - j->submitted_ns)};
}

cuzk_job_state job_public_state(const job *j) {
    if (j->phase == JOB_ENDED)
        return j->outcome;
    return j->started_ns == INT64_MIN ? CUZK_JOB_QUEUED : CUZK_JOB_RUNNING;
}

const char *job_circuit_id(const cuzk_engine *engine, const job *j) { return engine->backend->circuits[j->description.circuit].id; }

void job_record(const cuzk_engine *engine, const job *j, journal_record *record) {
    *record = (journal_record){.kind = j->kind,
                               .priority = j->priority,
                               .description = j->description,
                               .request_bytes = j->request_bytes,
                               .submitted_unix_ms = j->submitted_unix_ms,
                               .state = CUZK_JOB_QUEUED};
    memcpy(record->job_id, j->id, sizeof j->id);
    memcpy(record->digest, j->digest, sizeof j->digest);
    memcpy(record->label, j->label, sizeof j->label);
    snprintf(record->circuit_id, sizeof record->circuit_id, "%s", job_circuit_id(engine, j));
    if (j->phase < JOB_ENDING)
        return;
    record->state = j->outcome;
    record->ended_unix_ms = engine->started_unix_ms + j->ended_ns / 1000000;
    if (j->failure)
        record->failure = *j->failure;
    record->proof = j->proof;
    record->proof_length = j->proof ? (size_t)j->description.partitions * PARTITION_PROOF_BYTES : 0;
    record->development = j->development;
    record->times = job_times(engine, j);
}
