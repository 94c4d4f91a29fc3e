/* What happened when: the ring of stretches, and counting. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "engine/job.h"

const double CUZK_HISTOGRAM_BOUNDS[CUZK_HISTOGRAM_BUCKETS - 1] = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,    2.5,
                                                                   5,    10,    30,   60,  120,  300, 600, 1800};

cuzk_span *timeline_create(void) {
    cuzk_span *ring = allocate(TIMELINE_CAPACITY, sizeof *ring);
    /* Written to, so that its memory does not grow while the engine runs. */
    for (size_t i = 0; i < TIMELINE_CAPACITY; i++)
        ring[i] = (cuzk_span){.sequence = UINT64_MAX};
    return ring;
}

static cuzk_span *slot(cuzk_engine *engine, uint64_t sequence) { return &engine->timeline[sequence % TIMELINE_CAPACITY]; }

uint64_t timeline_begin_locked(cuzk_engine *engine, const partition *p, cuzk_stage stage, unsigned worker_number,
                               const backend_device *device) {
    const job *j = p->job;
    uint64_t sequence = ++engine->timeline_sequence;
    cuzk_span *span = slot(engine, sequence);
    *span = (cuzk_span){.sequence = sequence,
                        .kind = j->kind,
                        .priority = j->priority,
                        .partition = p->index,
                        .attempt = p->attempts,
                        .stage = stage,
                        .worker = worker_number,
                        .device = device ? device->name : NULL,
                        .start_ns = (uint64_t)engine_now(engine)};
    memcpy(span->job_id, j->id, sizeof span->job_id);
    snprintf(span->circuit_id, sizeof span->circuit_id, "%s", job_circuit_id(engine, j));
    return sequence;
}

void timeline_end_locked(cuzk_engine *engine, uint64_t sequence, bool failed) {
    cuzk_span *span = slot(engine, sequence);
    if (span->sequence != sequence)
        return; /* so many stretches began meanwhile that it was overwritten */
    span->end_ns = (uint64_t)engine_now(engine);
    span->failed = failed;
    uint64_t taken = span->end_ns - span->start_ns;
    if (engine->options.timing)
        log_info("timing job=%s circuit=%s partition=%u attempt=%u stage=%s start_ms=%.3f ms=%.3f worker=%u%s", span->job_id,
                 span->circuit_id, span->partition, span->attempt, cuzk_stage_name(span->stage), 1e-6 * (double)span->start_ns,
                 1e-6 * (double)taken, span->worker, failed ? " failed" : "");
}

void timeline_log_phases(const worker *w, const partition *p, const prove_profile *profile) {
    for (prove_phase phase = 0; phase < PROVE_PHASES; phase++)
        if (profile->phases[phase].wall > 0)
            log_info("timing job=%s circuit=%s partition=%u attempt=%u stage=prove phase=\"%s\" ms=%.3f worker=%u device=\"%s\"", p->job->id,
                     job_circuit_id(w->engine, p->job), p->index, p->attempts, prove_phase_name(phase),
                     1e3 * profile->phases[phase].wall, w->number, w->device->name);
}

cuzk_span *cuzk_engine_timeline(cuzk_engine *engine, uint64_t after, size_t *count) {
    cuzk_span *copy = allocate(TIMELINE_CAPACITY, sizeof *copy);
    engine_lock(engine);
    uint64_t last = engine->timeline_sequence;
    uint64_t oldest = last > TIMELINE_CAPACITY ? last - TIMELINE_CAPACITY : 0;
    *count = 0;
    for (uint64_t sequence = (after > oldest ? after : oldest) + 1; sequence <= last; sequence++)
        copy[(*count)++] = *slot(engine, sequence);
    engine_unlock(engine);
    return reallocate(copy, *count, sizeof *copy);
}

static void histogram_add(cuzk_histogram *histogram, uint64_t milliseconds) {
    double seconds = 1e-3 * (double)milliseconds;
    size_t bucket = 0;
    while (bucket < CUZK_HISTOGRAM_BUCKETS - 1 && seconds > CUZK_HISTOGRAM_BOUNDS[bucket])
        bucket++;
    histogram->counts[bucket]++;
    histogram->count++;
    histogram->sum += seconds;
}

void metrics_count_ended_locked(cuzk_engine *engine, const job *j) {
    cuzk_engine_metrics *m = &engine->metrics;
    cuzk_job_times times = job_times(engine, j);
    cuzk_histogram *latency = m->latency[j->kind];
    switch (j->outcome) {
    case CUZK_JOB_COMPLETED: m->completed[j->kind]++; break;
    case CUZK_JOB_FAILED: m->failed[j->kind]++; break;
    case CUZK_JOB_CANCELLED:
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: m->cancelled[j->kind]++; return;
    }
    histogram_add(&latency[CUZK_LATENCY_QUEUE_WAIT], times.queue_wait_ms);
    histogram_add(&latency[CUZK_LATENCY_SRS_LOAD], times.srs_load_ms);
    histogram_add(&latency[CUZK_LATENCY_SYNTHESIS], times.synthesis_ms);
    histogram_add(&latency[CUZK_LATENCY_COMPUTE], times.compute_ms);
    histogram_add(&latency[CUZK_LATENCY_TOTAL], times.total_ms);
}
