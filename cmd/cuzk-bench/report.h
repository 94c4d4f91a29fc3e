/* What a run came to: counts, throughput, latencies, as text, JSON and a chart. */
#ifndef CUZK_BENCH_REPORT_H
#define CUZK_BENCH_REPORT_H

#include "run.h"
#include "stages.h"

typedef struct {
    double minimum, mean, p50, p90, p99, maximum; /* seconds; of the proofs that were made */
} latency_summary;

typedef struct {
    size_t outcomes[RUN_OUTCOME_COUNT];
    size_t duplicated; /* proofs or job ids that came twice */
    double seconds, proofs_per_minute;
    latency_summary latency;                                      /* as the clients saw it */
    latency_summary queue_wait, srs_load, synthesis, gpu_compute; /* the daemon's account */
} run_summary;

run_summary summarize(const run_result *result);

/* stages may be NULL. */
void write_summary_text(FILE *stream, const run_summary *summary, const stage_list *stages);
void write_summary_json(FILE *stream, const run_summary *summary, const run_result *result, const payload *payloads,
                        const stage_list *stages);

/* The timeline as SVG: one row for each proof and, with stages, one for each worker of the daemon. */
cuzk_status write_timeline(const char *path, const run_result *result, const payload *payloads, const stage_list *stages,
                           cuzk_error *error);

#endif
