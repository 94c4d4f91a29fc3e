/* Pictures of the engine for status pages and metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/job.h"
#include "engine/schedule.h"
#include "engine/srs_manager.h"
#include "engine/system_limits.h"

enum { ENDED_SHOWN = 100 };

static uint64_t ms(int64_t ns) { return ns > 0 ? (uint64_t)ns / 1000000 : 0; }

static cuzk_partition_status partition_status(const cuzk_engine *engine, const partition *p) {
    static const cuzk_partition_state shown[] = {[PARTITION_PENDING] = CUZK_PARTITION_PENDING,
                                                 [PARTITION_SYNTHESIZING] = CUZK_PARTITION_SYNTHESIZING,
                                                 [PARTITION_READY] = CUZK_PARTITION_SYNTH_DONE,
                                                 [PARTITION_PROVING] = CUZK_PARTITION_PROVING,
                                                 [PARTITION_VERIFYING] = CUZK_PARTITION_PROVING,
                                                 [PARTITION_DONE] = CUZK_PARTITION_DONE};
    int64_t running = engine_now(engine) - p->stage_began_ns, synthesis = p->synthesis_ns, compute = p->compute_ns;
    if (p->state == PARTITION_SYNTHESIZING)
        synthesis += running;
    if (p->state == PARTITION_PROVING || p->state == PARTITION_VERIFYING)
        compute += running;
    return (cuzk_partition_status){
        .state = shown[p->state], .synth_ms = ms(synthesis), .gpu_ms = ms(compute), .attempts = p->attempts};
}

static void fill_job(const cuzk_engine *engine, const job *j, uint32_t position, cuzk_job_status *status) {
    int64_t now = engine_now(engine);
    *status = (cuzk_job_status){.kind = j->kind,
                                .priority = j->priority,
                                .state = job_public_state(j),
                                .queue_position = position,
                                .submitted_ms_ago = ms(now - j->submitted_ns),
                                .started_ms_ago = j->started_ns == INT64_MIN ? 0 : ms(now - j->started_ns),
                                .times = job_times(engine, j),
                                .partition_count = j->description.partitions,
                                .partitions_done = j->done};
    if (j->phase == JOB_ENDING) /* settled, though not told yet */
        status->state = j->started_ns == INT64_MIN ? CUZK_JOB_QUEUED : CUZK_JOB_RUNNING;
    memcpy(status->job_id, j->id, sizeof status->job_id);
    memcpy(status->request_label, j->label, sizeof status->request_label);
    memcpy(status->circuit_id, job_circuit_id(engine, j), sizeof status->circuit_id);
    memcpy(status->waiting_for, j->waiting_for, sizeof status->waiting_for);
    status->partitions = allocate(j->description.partitions, sizeof *status->partitions);
    for (unsigned i = 0; i < j->description.partitions; i++)
        status->partitions[i] = partition_status(engine, &j->partitions[i]);
}

/* qsort has no context: the engine goes along with each element. */
typedef struct {
    const cuzk_engine *engine;
    const job *job;
} sortable_job;

static int compare_jobs(const void *a, const void *b) {
    const sortable_job *x = a, *y = b;
    if (x->job == y->job)
        return 0;
    return schedule_before(x->engine, x->job, y->job) ? -1 : 1;
}

static void fill_jobs(const cuzk_engine *engine, cuzk_engine_status *status) {
    sortable_job *sorted = allocate(engine->active_count, sizeof *sorted);
    for (size_t i = 0; i < engine->active_count; i++)
        sorted[i] = (sortable_job){engine, engine->active[i]};
    qsort(sorted, engine->active_count, sizeof *sorted, compare_jobs);
    status->job_count = engine->active_count;
    status->jobs = allocate(engine->active_count, sizeof *status->jobs);
    for (size_t i = 0; i < engine->active_count; i++) {
        fill_job(engine, sorted[i].job, (uint32_t)i, &status->jobs[i]);
        bool queued = status->jobs[i].state == CUZK_JOB_QUEUED;
        status->queue_depth += queued;
        *(queued ? &status->pending[sorted[i].job->kind] : &status->in_progress[sorted[i].job->kind]) += 1;
    }
    free(sorted);
}

static void fill_ended(const cuzk_engine *engine, cuzk_engine_status *status) {
    size_t count = engine->ended_count < ENDED_SHOWN ? engine->ended_count : ENDED_SHOWN;
    const job *j = engine->newest_ended;
    status->ended_count = count;
    status->ended = allocate(count, sizeof *status->ended);
    for (size_t i = 0; i < count; i++, j = j->older) {
        cuzk_ended_job *ended = &status->ended[i];
        *ended = (cuzk_ended_job){.kind = j->kind,
                                  .priority = j->priority,
                                  .state = j->outcome,
                                  .partition_count = j->description.partitions,
                                  .ended_ms_ago = ms(engine_now(engine) - j->ended_ns),
                                  .times = job_times(engine, j)};
        memcpy(ended->job_id, j->id, sizeof ended->job_id);
        memcpy(ended->request_label, j->label, sizeof ended->request_label);
        memcpy(ended->circuit_id, job_circuit_id(engine, j), sizeof ended->circuit_id);
        if (j->failure)
            snprintf(ended->reason, sizeof ended->reason, "%.255s", j->failure->message);
    }
}

static void fill_workers(const cuzk_engine *engine, cuzk_engine_status *status) {
    status->worker_count = engine->prover_count;
    status->workers = allocate(engine->prover_count, sizeof *status->workers);
    for (size_t i = 0; i < engine->prover_count; i++) {
        const worker *w = &engine->provers[i];
        int64_t running = w->busy ? engine_now(engine) - w->busy_since_ns : 0;
        status->workers[i] = (cuzk_worker_status){.worker_id = w->number,
                                                  .device = w->device->ordinal,
                                                  .busy = w->busy,
                                                  .busy_ms = ms(running),
                                                  .total_busy_ms = ms(w->busy_ns + running)};
        if (!w->busy)
            continue;
        memcpy(status->workers[i].job_id, w->job_id, sizeof w->job_id);
        status->workers[i].kind = w->kind;
        status->workers[i].partition = w->partition;
        status->workers[i].batch_size = w->batch_size;
    }
    for (size_t i = 0; i < engine->synthesizer_count; i++)
        status->synthesis_active += engine->synthesizers[i].busy;
    status->synthesis_max_concurrent = engine->options.synthesis_concurrency;
}

static void fill_devices(const cuzk_engine *engine, cuzk_engine_status *status) {
    proving_backend *backend = engine->backend;
    status->device_count = backend->device_count;
    status->devices = allocate(backend->device_count, sizeof *status->devices);
    for (size_t i = 0; i < backend->device_count; i++) {
        const backend_device *d = &backend->devices[i];
        status->devices[i] = (cuzk_device_status){.ordinal = d->ordinal,
                                                  .is_gpu = d->is_gpu,
                                                  .works = !backend->device_works || backend->device_works(backend, d->ordinal),
                                                  .memory_total = d->memory_total ? d->memory_total : engine->budget.total};
        memcpy(status->devices[i].name, d->name, sizeof d->name);
        if (!d->memory_total)
            status->devices[i].memory_free = budget_free(&engine->budget);
    }
}

static void fill_srs(const cuzk_engine *engine, cuzk_engine_status *status) {
    status->srs = allocate(engine->backend->circuit_count, sizeof *status->srs);
    for (size_t i = 0; i < engine->backend->circuit_count; i++) {
        const srs_entry *entry = &engine->srs[i];
        if (entry->info.file_bytes == 0)
            continue;
        cuzk_srs_status *s = &status->srs[status->srs_count++];
        *s = (cuzk_srs_status){.tier = srs_tier(engine, entry),
                               .bytes = entry->info.file_bytes,
                               .budgeted_bytes = entry->reserved,
                               .references = entry->references,
                               .development = entry->info.development};
        if (entry->state == SRS_LOADED && entry->references == 0)
            s->idle_ms = ms(engine_now(engine) - entry->last_used_ns);
        s->evictable = s->tier == CUZK_TIER_WARM;
        memcpy(s->circuit_id, engine->backend->circuits[i].id, sizeof s->circuit_id);
    }
}

static void fill_memory(const cuzk_engine *engine, cuzk_memory_status *memory) {
    const memory_budget *b = &engine->budget;
    *memory = (cuzk_memory_status){
        .total_bytes = b->total, .used_bytes = b->used, .available_bytes = budget_free(b), .peak_used_bytes = b->peak};
    memcpy(memory->used_by_owner, b->by_owner, sizeof b->by_owner);
    memcpy(memory->limit_reason, engine->limit_reason, sizeof memory->limit_reason);
}

void cuzk_engine_status_get(cuzk_engine *engine, cuzk_engine_status *status) {
    uint64_t resident;
    *status = (cuzk_engine_status){0};
    system_resident_bytes(&resident, NULL);
    engine_lock(engine);
    status->now_ns = (uint64_t)engine_now(engine);
    status->uptime_ms = status->now_ns / 1000000;
    status->started_unix_ms = engine->started_unix_ms;
    status->draining = engine->draining;
    fill_memory(engine, &status->memory);
    fill_jobs(engine, status);
    fill_ended(engine, status);
    fill_workers(engine, status);
    fill_devices(engine, status);
    fill_srs(engine, status);
    for (size_t kind = 0; kind < CUZK_PROOF_KIND_COUNT; kind++) {
        status->total_completed += status->completed[kind] = engine->metrics.completed[kind];
        status->total_failed += status->failed[kind] = engine->metrics.failed[kind];
        status->cancelled[kind] = engine->metrics.cancelled[kind];
    }
    status->journal = engine->journal != NULL;
    memcpy(status->journal_problem, engine->journal_problem, sizeof status->journal_problem);
    engine_unlock(engine);
    status->memory.resident_bytes = resident;
    for (size_t i = 0; i < status->device_count; i++)
        if (status->devices[i].is_gpu)
            status->devices[i].memory_free = engine->backend->device_memory_free(engine->backend, status->devices[i].ordinal);
}

void cuzk_engine_status_free(cuzk_engine_status *status) {
    for (size_t i = 0; i < status->job_count; i++)
        free(status->jobs[i].partitions);
    free(status->jobs);
    free(status->ended);
    free(status->workers);
    free(status->devices);
    free(status->srs);
    *status = (cuzk_engine_status){0};
}

static double busy_seconds(const cuzk_engine *engine, const worker *workers, size_t count) {
    int64_t ns = 0;
    for (size_t i = 0; i < count; i++)
        ns += workers[i].busy_ns + (workers[i].busy ? engine_now(engine) - workers[i].busy_since_ns : 0);
    return 1e-9 * (double)ns;
}

void cuzk_engine_metrics_get(cuzk_engine *engine, cuzk_engine_metrics *metrics) {
    engine_lock(engine);
    *metrics = engine->metrics;
    metrics->synthesis_busy_seconds = busy_seconds(engine, engine->synthesizers, engine->synthesizer_count);
    metrics->prover_busy_seconds = busy_seconds(engine, engine->provers, engine->prover_count);
    for (size_t i = 0; i < engine->active_count; i++)
        *(engine->active[i]->started_ns == INT64_MIN ? &metrics->jobs_queued : &metrics->jobs_running) += 1;
    metrics->budget_bytes = engine->budget.total;
    memcpy(metrics->used_by_owner, engine->budget.by_owner, sizeof metrics->used_by_owner);
    metrics->journal_bytes = engine->journal_request_bytes;
    engine_unlock(engine);
    if (engine->journal) {
        journal_statistics statistics;
        journal_statistics_get(engine->journal, &statistics);
        metrics->journal_commits = statistics.commits;
        metrics->journal_failures = statistics.failures;
        metrics->journal_seconds = statistics.seconds;
    }
    system_resident_bytes(&metrics->resident_bytes, NULL);
    metrics->peak_resident_bytes = peak_resident_bytes();
}

cuzk_circuit *cuzk_engine_circuits(cuzk_engine *engine, size_t *count) {
    proving_backend *backend = engine->backend;
    cuzk_circuit *circuits = allocate_zeroed(backend->circuit_count, sizeof *circuits);
    for (size_t i = 0; i < backend->circuit_count; i++) {
        cuzk_circuit *c = &circuits[i];
        parameters_info info = {0};
        cuzk_error error = {0};
        memcpy(c->circuit_id, backend->circuits[i].id, sizeof c->circuit_id);
        c->kind = backend->circuits[i].kind;
        c->sector_size = backend->circuits[i].sector_size;
        c->provable = backend->find_parameters(backend, i, &info, &error) == CUZK_OK;
        c->development = info.development;
        c->parameter_bytes = info.file_bytes;
        snprintf(c->reason, sizeof c->reason, "%.511s", error.message);
    }
    *count = backend->circuit_count;
    return circuits;
}
