#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Numbers -------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* By nearest rank: the smallest value that at least that share of all values does not exceed. */
static double percentile(const double *sorted, size_t count, unsigned percent) {
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

static double client_seconds(const run_record *r) { return (double)(r->end_ns - r->start_ns) / 1e9; }
static double queue_seconds(const run_record *r) { return (double)r->queue_wait_ms / 1e3; }
static double load_seconds(const run_record *r) { return (double)r->srs_load_ms / 1e3; }
static double synthesis_seconds(const run_record *r) { return (double)r->synthesis_ms / 1e3; }
static double compute_seconds(const run_record *r) { return (double)r->gpu_compute_ms / 1e3; }

static latency_summary latencies(const run_result *result, double (*value)(const run_record *)) {
    latency_summary summary = {0};
    double *values = allocate(result->count, sizeof *values), sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++) {
        if (result->records[i].outcome != RUN_PROVED)
            continue;
        values[count++] = value(&result->records[i]);
        sum += values[count - 1];
    }
    if (count > 0) {
        qsort(values, count, sizeof *values, by_value);
        summary = (latency_summary){.minimum = values[0],
                                    .mean = sum / (double)count,
                                    .p50 = percentile(values, count, 50),
                                    .p90 = percentile(values, count, 90),
                                    .p99 = percentile(values, count, 99),
                                    .maximum = values[count - 1]};
    }
    free(values);
    return summary;
}

typedef struct {
    const run_record *record;
} reference;

static int by_job(const void *a, const void *b) {
    return strcmp(((const reference *)a)->record->job_id, ((const reference *)b)->record->job_id);
}

static int by_proof(const void *a, const void *b) {
    const run_record *x = ((const reference *)a)->record, *y = ((const reference *)b)->record;
    if (x->proof_length != y->proof_length)
        return x->proof_length < y->proof_length ? -1 : 1;
    return memcmp(x->proof, y->proof, x->proof_length);
}

static size_t count_equal(reference *list, size_t count, int (*compare)(const void *, const void *)) {
    size_t equal = 0;
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 1; i < count; i++)
        equal += compare(&list[i - 1], &list[i]) == 0;
    return equal;
}

/* Every request had an id of its own: no two of them may get the same job, or the same proof. */
static size_t count_duplicates(const run_result *result) {
    reference *proved = allocate(result->count, sizeof *proved);
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++)
        if (result->records[i].outcome == RUN_PROVED)
            proved[count++].record = &result->records[i];
    size_t duplicates = count_equal(proved, count, by_job) + count_equal(proved, count, by_proof);
    free(proved);
    return duplicates;
}

run_summary summarize(const run_result *result) {
    run_summary s = {.seconds = (double)result->duration_ns / 1e9, .duplicated = count_duplicates(result)};
    for (size_t i = 0; i < result->count; i++)
        s.outcomes[result->records[i].outcome]++;
    if (s.seconds > 0)
        s.proofs_per_minute = (double)s.outcomes[RUN_PROVED] * 60 / s.seconds;
    s.latency = latencies(result, client_seconds);
    s.queue_wait = latencies(result, queue_seconds);
    s.srs_load = latencies(result, load_seconds);
    s.synthesis = latencies(result, synthesis_seconds);
    s.gpu_compute = latencies(result, compute_seconds);
    return s;
}

/* ---- Text ----------------------------------------------------------------------------------------------------------- */

static void write_row(FILE *stream, const char *name, const latency_summary *l) {
    fprintf(stream, "  %-14s %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", name, l->minimum, l->mean, l->p50, l->p90, l->p99,
            l->maximum);
}

void write_summary_text(FILE *stream, const run_summary *s, const stage_list *stages) {
    fprintf(stream, "%zu proved in %.1f s: %.2f proofs per minute\n", s->outcomes[RUN_PROVED], s->seconds, s->proofs_per_minute);
    for (int i = RUN_FAILED; i < RUN_OUTCOME_COUNT; i++)
        if (s->outcomes[i])
            fprintf(stream, "%zu %s\n", s->outcomes[i], run_outcome_name((run_outcome)i));
    if (s->duplicated)
        fprintf(stream, "%zu duplicated\n", s->duplicated);
    if (stages)
        fprintf(stream, "prover busy %.1f %% of the time from its first partition to its last\n", 100 * stages->prover_busy);
    if (s->outcomes[RUN_PROVED] == 0)
        return;
    fprintf(stream, "\n  %-14s %9s %9s %9s %9s %9s %9s\n", "seconds", "least", "mean", "median", "90 %", "99 %", "most");
    write_row(stream, "latency", &s->latency);
    write_row(stream, "queue", &s->queue_wait);
    write_row(stream, "load", &s->srs_load);
    write_row(stream, "synthesis", &s->synthesis);
    write_row(stream, "proving", &s->gpu_compute);
}

/* ---- JSON ----------------------------------------------------------------------------------------------------------- */

static void write_latency_member(json_writer *w, const char *key, const latency_summary *l) {
    json_key(w, key);
    json_begin_object(w);
    json_member_double(w, "min", l->minimum);
    json_member_double(w, "mean", l->mean);
    json_member_double(w, "p50", l->p50);
    json_member_double(w, "p90", l->p90);
    json_member_double(w, "p99", l->p99);
    json_member_double(w, "max", l->maximum);
    json_end_object(w);
}

static void write_record(json_writer *w, const run_record *r, const payload *payloads) {
    json_begin_object(w);
    json_member_string(w, "job", payloads[r->payload].name);
    json_member_string(w, "job_id", r->job_id);
    json_member_unsigned(w, "client", r->client);
    json_member_string(w, "outcome", run_outcome_name(r->outcome));
    json_member_double(w, "start_secs", (double)r->start_ns / 1e9);
    json_member_double(w, "end_secs", (double)r->end_ns / 1e9);
    json_member_unsigned(w, "queue_wait_ms", r->queue_wait_ms);
    json_member_unsigned(w, "srs_load_ms", r->srs_load_ms);
    json_member_unsigned(w, "synthesis_ms", r->synthesis_ms);
    json_member_unsigned(w, "gpu_compute_ms", r->gpu_compute_ms);
    json_member_unsigned(w, "total_ms", r->total_ms);
    json_key(w, "proof");
    json_hex(w, "", r->proof, r->proof_length);
    json_member_string(w, "message", r->message);
    json_end_object(w);
}

void write_summary_json(FILE *stream, const run_summary *s, const run_result *result, const payload *payloads,
                        const stage_list *stages) {
    json_writer writer, *w = &writer;
    json_writer_init(w, stream, 2);
    json_begin_object(w);
    for (int i = 0; i < RUN_OUTCOME_COUNT; i++)
        json_member_unsigned(w, run_outcome_name((run_outcome)i), s->outcomes[i]);
    json_member_unsigned(w, "duplicated", s->duplicated);
    json_member_double(w, "seconds", s->seconds);
    json_member_double(w, "proofs_per_minute", s->proofs_per_minute);
    if (stages)
        json_member_double(w, "prover_busy", stages->prover_busy);
    write_latency_member(w, "latency_secs", &s->latency);
    write_latency_member(w, "queue_wait_secs", &s->queue_wait);
    write_latency_member(w, "srs_load_secs", &s->srs_load);
    write_latency_member(w, "synthesis_secs", &s->synthesis);
    write_latency_member(w, "gpu_compute_secs", &s->gpu_compute);
    json_key(w, "proofs");
    json_begin_array(w);
    for (size_t i = 0; i < result->count; i++)
        write_record(w, &result->records[i], payloads);
    json_end_array(w);
    json_end_object(w);
}
