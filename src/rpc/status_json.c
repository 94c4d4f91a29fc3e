#include "rpc/status_json.h"

#include <stdlib.h>

#include "base/json_writer.h"
#include "rpc/proving_service.h"

static void member_seconds(json_writer *w, const char *key, uint64_t milliseconds) {
    json_member_double(w, key, (double)milliseconds / 1000);
}

static void member_number_or_null(json_writer *w, const char *key, bool present, uint64_t value) {
    json_key(w, key);
    if (present)
        json_unsigned(w, value);
    else
        json_null(w);
}

static void write_memory(json_writer *w, const cuzk_memory_status *memory) {
    json_key(w, "memory");
    json_begin_object(w);
    json_member_unsigned(w, "total_bytes", memory->total_bytes);
    json_member_unsigned(w, "used_bytes", memory->used_bytes);
    json_member_unsigned(w, "available_bytes", memory->available_bytes);
    json_member_unsigned(w, "peak_used_bytes", memory->peak_used_bytes);
    json_member_unsigned(w, "resident_bytes", memory->resident_bytes);
    json_member_string(w, "limit_reason", memory->limit_reason);
    json_key(w, "by_owner");
    json_begin_object(w);
    for (int owner = 0; owner < CUZK_MEMORY_OWNER_COUNT; owner++)
        json_member_unsigned(w, cuzk_memory_owner_name((cuzk_memory_owner)owner), memory->used_by_owner[owner]);
    json_end_object(w);
    json_end_object(w);
}

static void write_partition(json_writer *w, size_t index, const cuzk_partition_status *p) {
    json_begin_object(w);
    json_member_unsigned(w, "index", index);
    json_member_string(w, "state", cuzk_partition_state_name(p->state));
    member_number_or_null(w, "synth_ms", p->state != CUZK_PARTITION_PENDING, p->synth_ms);
    bool proving_began = p->state == CUZK_PARTITION_PROVING || p->state == CUZK_PARTITION_DONE || p->gpu_ms > 0;
    member_number_or_null(w, "gpu_ms", proving_began, p->gpu_ms);
    json_member_unsigned(w, "attempts", p->attempts);
    json_end_object(w);
}

static void write_job_identity(json_writer *w, const cuzk_job_status *job) {
    json_member_string(w, "job_id", job->job_id);
    json_member_string(w, "request", job->request_label);
    json_member_string(w, "circuit_id", job->circuit_id);
    json_member_string(w, "proof_kind", proof_kind_label(job->kind));
    json_member_string(w, "priority", cuzk_priority_name(job->priority));
    member_seconds(w, "submitted_secs_ago", job->submitted_ms_ago);
    json_member_string(w, "waiting_for", job->waiting_for);
}

static void write_pipeline(json_writer *w, const cuzk_job_status *job) {
    json_begin_object(w);
    write_job_identity(w, job);
    member_seconds(w, "started_secs_ago", job->started_ms_ago);
    json_member_unsigned(w, "total_partitions", job->partition_count);
    json_member_unsigned(w, "partitions_done", job->partitions_done);
    json_key(w, "partitions");
    json_begin_array(w);
    for (size_t i = 0; i < job->partition_count; i++)
        write_partition(w, i, &job->partitions[i]);
    json_end_array(w);
    json_end_object(w);
}

static void write_jobs(json_writer *w, const cuzk_engine_status *status) {
    json_key(w, "pipelines");
    json_begin_array(w);
    for (size_t i = 0; i < status->job_count; i++)
        if (status->jobs[i].state == CUZK_JOB_RUNNING)
            write_pipeline(w, &status->jobs[i]);
    json_end_array(w);
    json_key(w, "queue");
    json_begin_array(w);
    for (size_t i = 0; i < status->job_count; i++) {
        if (status->jobs[i].state != CUZK_JOB_QUEUED)
            continue;
        json_begin_object(w);
        write_job_identity(w, &status->jobs[i]);
        json_member_unsigned(w, "position", status->jobs[i].queue_position);
        json_member_unsigned(w, "total_partitions", status->jobs[i].partition_count);
        json_end_object(w);
    }
    json_end_array(w);
}

static const char *device_name_of(const cuzk_engine_status *status, unsigned ordinal) {
    for (size_t i = 0; i < status->device_count; i++)
        if (status->devices[i].ordinal == ordinal)
            return status->devices[i].name;
    return NULL;
}

static void write_worker(json_writer *w, const cuzk_engine_status *status, const cuzk_worker_status *worker) {
    json_begin_object(w);
    json_member_unsigned(w, "worker_id", worker->worker_id);
    json_member_unsigned(w, "gpu_ordinal", worker->device);
    json_member_string(w, "device", device_name_of(status, worker->device));
    json_member_string(w, "state", worker->busy ? "proving" : "idle");
    json_member_string(w, "current_job", worker->busy ? worker->job_id : NULL);
    member_number_or_null(w, "current_partition", worker->busy, worker->partition);
    json_key(w, "busy_secs");
    if (worker->busy)
        json_double(w, (double)worker->busy_ms / 1000);
    else
        json_null(w);
    json_member_unsigned(w, "batch_size", worker->batch_size);
    member_seconds(w, "total_busy_secs", worker->total_busy_ms);
    json_end_object(w);
}

static void write_devices(json_writer *w, const cuzk_engine_status *status) {
    json_key(w, "gpu_workers");
    json_begin_array(w);
    for (size_t i = 0; i < status->worker_count; i++)
        write_worker(w, status, &status->workers[i]);
    json_end_array(w);
    json_key(w, "devices");
    json_begin_array(w);
    for (size_t i = 0; i < status->device_count; i++) {
        json_begin_object(w);
        json_member_unsigned(w, "ordinal", status->devices[i].ordinal);
        json_member_string(w, "name", status->devices[i].name);
        json_member_bool(w, "is_gpu", status->devices[i].is_gpu);
        json_member_bool(w, "works", status->devices[i].works);
        json_member_unsigned(w, "memory_total_bytes", status->devices[i].memory_total);
        json_member_unsigned(w, "memory_free_bytes", status->devices[i].memory_free);
        json_end_object(w);
    }
    json_end_array(w);
}

/* allocations.srs has what occupies memory; parameters has all, with their tiers. */
static void write_parameters(json_writer *w, const cuzk_engine_status *status) {
    json_key(w, "allocations");
    json_begin_object(w);
    json_key(w, "srs");
    json_begin_array(w);
    for (size_t i = 0; i < status->srs_count; i++) {
        const cuzk_srs_status *srs = &status->srs[i];
        if (srs->tier == CUZK_TIER_COLD)
            continue;
        json_begin_object(w);
        json_member_string(w, "circuit_id", srs->circuit_id);
        json_member_unsigned(w, "bytes", srs->budgeted_bytes);
        member_seconds(w, "last_used_secs_ago", srs->idle_ms);
        json_member_bool(w, "evictable", srs->evictable);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
    json_key(w, "parameters");
    json_begin_array(w);
    for (size_t i = 0; i < status->srs_count; i++) {
        const cuzk_srs_status *srs = &status->srs[i];
        json_begin_object(w);
        json_member_string(w, "circuit_id", srs->circuit_id);
        json_member_string(w, "tier", cuzk_tier_name(srs->tier));
        json_member_unsigned(w, "file_bytes", srs->bytes);
        json_member_unsigned(w, "budgeted_bytes", srs->budgeted_bytes);
        json_member_unsigned(w, "references", srs->references);
        member_seconds(w, "idle_secs", srs->idle_ms);
        json_member_bool(w, "development", srs->development);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_times(json_writer *w, const cuzk_job_times *times) {
    json_member_unsigned(w, "queue_wait_ms", times->queue_wait_ms);
    json_member_unsigned(w, "srs_load_ms", times->srs_load_ms);
    json_member_unsigned(w, "synthesis_ms", times->synthesis_ms);
    json_member_unsigned(w, "gpu_compute_ms", times->compute_ms);
    json_member_unsigned(w, "total_ms", times->total_ms);
}

static void write_history(json_writer *w, const cuzk_engine_status *status) {
    json_key(w, "history");
    json_begin_array(w);
    for (size_t i = 0; i < status->ended_count; i++) {
        const cuzk_ended_job *job = &status->ended[i];
        json_begin_object(w);
        json_member_string(w, "job_id", job->job_id);
        json_member_string(w, "request", job->request_label);
        json_member_string(w, "circuit_id", job->circuit_id);
        json_member_string(w, "proof_kind", proof_kind_label(job->kind));
        json_member_string(w, "priority", cuzk_priority_name(job->priority));
        json_member_string(w, "state", cuzk_job_state_name(job->state));
        json_member_unsigned(w, "total_partitions", job->partition_count);
        member_seconds(w, "ended_secs_ago", job->ended_ms_ago);
        write_times(w, &job->times);
        json_member_string(w, "reason", job->reason);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_by_kind(json_writer *w, const char *key, const uint64_t counts[CUZK_PROOF_KIND_COUNT]) {
    json_key(w, key);
    json_begin_object(w);
    for (unsigned kind = 1; kind < CUZK_PROOF_KIND_COUNT; kind++)
        json_member_unsigned(w, proof_kind_label((cuzk_proof_kind)kind), counts[kind]);
    json_end_object(w);
}

static void write_counters(json_writer *w, const cuzk_engine_status *status) {
    json_key(w, "counters");
    json_begin_object(w);
    json_member_unsigned(w, "total_completed", status->total_completed);
    json_member_unsigned(w, "total_failed", status->total_failed);
    write_by_kind(w, "completed_by_kind", status->completed);
    write_by_kind(w, "failed_by_kind", status->failed);
    write_by_kind(w, "cancelled_by_kind", status->cancelled);
    json_member_unsigned(w, "queue_depth", status->queue_depth);
    json_end_object(w);
}

/* Which kinds could be proved now, and what is missing for the others. */
static void write_circuits(json_writer *w, cuzk_engine *engine) {
    size_t count;
    cuzk_circuit *circuits = cuzk_engine_circuits(engine, &count);
    json_key(w, "circuits");
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(w);
        json_member_string(w, "circuit_id", circuits[i].circuit_id);
        json_member_string(w, "proof_kind", proof_kind_label(circuits[i].kind));
        json_member_unsigned(w, "sector_size", circuits[i].sector_size);
        json_member_bool(w, "provable", circuits[i].provable);
        json_member_bool(w, "development", circuits[i].development);
        json_member_string(w, "reason", circuits[i].reason);
        json_end_object(w);
    }
    json_end_array(w);
    free(circuits);
}

void status_json_write(FILE *stream, cuzk_engine *engine) {
    json_writer writer, *w = &writer;
    cuzk_engine_status status;
    cuzk_engine_status_get(engine, &status);
    json_writer_init(w, stream, 0);
    json_begin_object(w);
    json_member_string(w, "version", CUZK_VERSION);
    member_seconds(w, "uptime_secs", status.uptime_ms);
    json_member_bool(w, "draining", status.draining);
    json_member_bool(w, "journal", status.journal);
    json_member_string(w, "journal_problem", status.journal_problem);
    write_memory(w, &status.memory);
    json_key(w, "synthesis");
    json_begin_object(w);
    json_member_unsigned(w, "max_concurrent", status.synthesis_max_concurrent);
    json_member_unsigned(w, "active", status.synthesis_active);
    json_end_object(w);
    write_jobs(w, &status);
    write_devices(w, &status);
    write_parameters(w, &status);
    write_circuits(w, engine);
    write_counters(w, &status);
    write_history(w, &status);
    json_end_object(w);
    cuzk_engine_status_free(&status);
}

static void write_span(json_writer *w, const cuzk_span *span, uint64_t now_ns) {
    json_begin_object(w);
    json_member_unsigned(w, "sequence", span->sequence);
    json_member_string(w, "job_id", span->job_id);
    json_member_string(w, "circuit_id", span->circuit_id);
    json_member_string(w, "proof_kind", proof_kind_label(span->kind));
    json_member_string(w, "priority", cuzk_priority_name(span->priority));
    json_member_unsigned(w, "partition", span->partition);
    json_member_unsigned(w, "attempt", span->attempt);
    json_member_string(w, "stage", cuzk_stage_name(span->stage));
    json_member_unsigned(w, "worker", span->worker);
    json_member_string(w, "device", span->device);
    json_member_unsigned(w, "start_ns", span->start_ns);
    json_member_unsigned(w, "end_ns", span->end_ns ? span->end_ns : now_ns);
    json_member_bool(w, "running", span->end_ns == 0);
    json_member_bool(w, "failed", span->failed);
    json_end_object(w);
}

void timeline_json_write(FILE *stream, cuzk_engine *engine, uint64_t after) {
    cuzk_engine_status status;
    size_t count;
    cuzk_span *spans = cuzk_engine_timeline(engine, after, &count);
    cuzk_engine_status_get(engine, &status); /* after the spans: none of them is later than now_ns */
    json_writer writer, *w = &writer;
    json_writer_init(w, stream, 0);
    json_begin_object(w);
    json_member_unsigned(w, "now_ns", status.now_ns);
    json_key(w, "started_unix_ms");
    json_unsigned(w, status.started_unix_ms > 0 ? (uint64_t)status.started_unix_ms : 0);
    json_key(w, "spans");
    json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        write_span(w, &spans[i], status.now_ns);
    json_end_array(w);
    json_end_object(w);
    cuzk_engine_status_free(&status);
    free(spans);
}
