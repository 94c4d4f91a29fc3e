#include "rpc/metrics_text.h"

#include <inttypes.h>
#include <string.h>

#include "rpc/status.h"

static const char *kind_label(unsigned kind) {
    static const char *const labels[CUZK_PROOF_KIND_COUNT] = {"unspecified", "porep_c2", "snap_update", "window_post",
                                                              "winning_post"};
    return labels[kind];
}

static void family(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void single(FILE *out, const char *name, const char *type, const char *help, double value) {
    family(out, name, type, help);
    fprintf(out, "%s %.17g\n", name, value);
}

static void by_kind(FILE *out, const char *name, const char *help, const uint64_t counts[CUZK_PROOF_KIND_COUNT]) {
    family(out, name, "counter", help);
    for (unsigned kind = 1; kind < CUZK_PROOF_KIND_COUNT; kind++)
        fprintf(out, "%s{proof_kind=\"%s\"} %" PRIu64 "\n", name, kind_label(kind), counts[kind]);
}

/* The names that dashboards of the Rust daemon read (curio, extern/cuzk/cuzk-server/src/service.rs). */
static void write_known_names(FILE *out, const cuzk_engine_status *status, const cuzk_engine_metrics *m) {
    single(out, "cuzk_proofs_completed_total", "counter", "Jobs that ended with a proof.", (double)status->total_completed);
    single(out, "cuzk_proofs_failed_total", "counter", "Jobs that failed.", (double)status->total_failed);
    single(out, "cuzk_uptime_seconds", "gauge", "Seconds since the start.", (double)status->uptime_ms / 1000);
    single(out, "cuzk_queue_depth", "gauge", "Jobs that wait for their first partition to start.", m->jobs_queued);
    single(out, "cuzk_running_jobs", "gauge", "Jobs with a partition started.", m->jobs_running);
    single(out, "cuzk_gpu_workers", "gauge", "Prover workers.", (double)status->worker_count);
    by_kind(out, "cuzk_proofs_completed", "Jobs that ended with a proof, by kind.", m->completed);
    by_kind(out, "cuzk_proofs_failed", "Jobs that failed, by kind.", m->failed);
}

static void write_jobs(FILE *out, const cuzk_engine_metrics *m) {
    by_kind(out, "cuzk_proofs_cancelled_total", "Jobs that were cancelled, by kind.", m->cancelled);
    single(out, "cuzk_jobs_submitted_total", "counter", "Requests accepted, without repetitions.", (double)m->submitted);
    single(out, "cuzk_jobs_repeated_total", "counter", "Requests that met their existing job.", (double)m->repeated);
    single(out, "cuzk_jobs_resumed_total", "counter", "Unfinished jobs found in the journal at the start.", (double)m->resumed);
    family(out, "cuzk_jobs_refused_total", "counter", "Requests refused, by reason.");
    for (size_t i = 1; i < sizeof m->refused / sizeof *m->refused; i++)
        if (strcmp(cuzk_status_name((cuzk_status)i), "unknown") != 0)
            fprintf(out, "cuzk_jobs_refused_total{reason=\"%s\"} %" PRIu64 "\n", cuzk_status_name((cuzk_status)i), m->refused[i]);
    by_kind(out, "cuzk_partitions_proved_total", "Partitions proved, by kind.", m->partitions_proved);
    family(out, "cuzk_partition_failures_total", "counter", "Attempts at a partition that failed, by stage.");
    for (unsigned stage = 0; stage < CUZK_STAGE_COUNT; stage++)
        fprintf(out, "cuzk_partition_failures_total{stage=\"%s\"} %" PRIu64 "\n", cuzk_stage_name((cuzk_stage)stage),
                m->partition_failures[stage]);
    single(out, "cuzk_partition_retries_total", "counter", "Partitions tried a second time.", (double)m->partition_retries);
}

static void write_work(FILE *out, const cuzk_engine_status *status, const cuzk_engine_metrics *m) {
    single(out, "cuzk_passes_total", "counter", "Passes over parameters.", (double)m->passes);
    single(out, "cuzk_pass_partitions_total", "counter", "Partitions proved in passes.", (double)m->pass_partitions);
    single(out, "cuzk_srs_loads_total", "counter", "Parameter files opened.", (double)m->srs_loads);
    single(out, "cuzk_srs_evictions_total", "counter", "Parameter files closed to make room or on request.",
           (double)m->srs_evictions);
    single(out, "cuzk_synthesis_busy_seconds_total", "counter", "Time spent in synthesis, summed over workers.",
           m->synthesis_busy_seconds);
    single(out, "cuzk_prover_busy_seconds_total", "counter", "Time spent proving, summed over workers.", m->prover_busy_seconds);
    single(out, "cuzk_synthesis_active", "gauge", "Partitions in synthesis.", status->synthesis_active);
    single(out, "cuzk_draining", "gauge", "1 while the daemon refuses new jobs because it stops.", status->draining);
}

static uint64_t busy_ms_of(const cuzk_engine_status *status, unsigned ordinal) {
    uint64_t ms = 0;
    for (size_t i = 0; i < status->worker_count; i++)
        if (status->workers[i].device == ordinal)
            ms += status->workers[i].total_busy_ms;
    return ms;
}

static void write_devices(FILE *out, const cuzk_engine_status *status) {
    family(out, "cuzk_device_works", "gauge", "0 once a device has failed and gets no more work.");
    for (size_t i = 0; i < status->device_count; i++)
        fprintf(out, "cuzk_device_works{device=\"%u\",name=\"%s\"} %d\n", status->devices[i].ordinal, status->devices[i].name,
                status->devices[i].works);
    family(out, "cuzk_device_memory_free_bytes", "gauge", "Free memory of each device, of the CPU what is left of the budget.");
    for (size_t i = 0; i < status->device_count; i++)
        fprintf(out, "cuzk_device_memory_free_bytes{device=\"%u\",name=\"%s\"} %" PRIu64 "\n", status->devices[i].ordinal,
                status->devices[i].name, status->devices[i].memory_free);
    family(out, "cuzk_device_busy_seconds_total", "counter", "Time spent proving on each device, summed over its workers.");
    for (size_t i = 0; i < status->device_count; i++)
        fprintf(out, "cuzk_device_busy_seconds_total{device=\"%u\",name=\"%s\"} %.17g\n", status->devices[i].ordinal,
                status->devices[i].name, (double)busy_ms_of(status, status->devices[i].ordinal) / 1000);
}

static void write_resources(FILE *out, const cuzk_engine_status *status, const cuzk_engine_metrics *m) {
    single(out, "cuzk_memory_budget_bytes", "gauge", "The memory budget.", (double)m->budget_bytes);
    family(out, "cuzk_memory_used_bytes", "gauge", "Memory taken from the budget, by owner.");
    for (unsigned owner = 0; owner < CUZK_MEMORY_OWNER_COUNT; owner++)
        fprintf(out, "cuzk_memory_used_bytes{owner=\"%s\"} %" PRIu64 "\n", cuzk_memory_owner_name((cuzk_memory_owner)owner),
                m->used_by_owner[owner]);
    single(out, "cuzk_resident_memory_bytes", "gauge", "Resident memory of the process.", (double)m->resident_bytes);
    single(out, "cuzk_resident_memory_peak_bytes", "gauge", "Highest resident memory so far.", (double)m->peak_resident_bytes);
    single(out, "cuzk_journal_bytes", "gauge", "Inputs of unfinished jobs on disk.", (double)m->journal_bytes);
    single(out, "cuzk_journal_commits_total", "counter", "Transactions of the journal.", (double)m->journal_commits);
    single(out, "cuzk_journal_failures_total", "counter", "Transactions of the journal that failed.",
           (double)m->journal_failures);
    single(out, "cuzk_journal_seconds_total", "counter", "Time spent committing.", m->journal_seconds);
    family(out, "cuzk_srs_bytes", "gauge", "Memory of each circuit's parameters, with their tier.");
    for (size_t i = 0; i < status->srs_count; i++)
        fprintf(out, "cuzk_srs_bytes{circuit=\"%s\",tier=\"%s\"} %" PRIu64 "\n", status->srs[i].circuit_id,
                cuzk_tier_name(status->srs[i].tier), status->srs[i].budgeted_bytes);
}

static void write_histogram(FILE *out, const char *name, unsigned kind, const char *stage, const cuzk_histogram *histogram) {
    uint64_t cumulative = 0;
    char labels[96];
    snprintf(labels, sizeof labels, "proof_kind=\"%s\"%s%s%s", kind_label(kind), stage ? ",stage=\"" : "", stage ? stage : "",
             stage ? "\"" : "");
    for (int i = 0; i < CUZK_HISTOGRAM_BUCKETS; i++) {
        cumulative += histogram->counts[i];
        if (i < CUZK_HISTOGRAM_BUCKETS - 1)
            fprintf(out, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels, CUZK_HISTOGRAM_BOUNDS[i], cumulative);
        else
            fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, cumulative);
    }
    fprintf(out, "%s_sum{%s} %.17g\n%s_count{%s} %" PRIu64 "\n", name, labels, histogram->sum, name, labels, cumulative);
}

static void write_latencies(FILE *out, const cuzk_engine_metrics *m) {
    family(out, "cuzk_proof_duration_seconds", "histogram", "From submission to the end of a job.");
    for (unsigned kind = 1; kind < CUZK_PROOF_KIND_COUNT; kind++)
        write_histogram(out, "cuzk_proof_duration_seconds", kind, NULL, &m->latency[kind][CUZK_LATENCY_TOTAL]);
    family(out, "cuzk_stage_duration_seconds", "histogram", "Time that ended jobs spent in each stage, summed over partitions.");
    for (unsigned kind = 1; kind < CUZK_PROOF_KIND_COUNT; kind++)
        for (unsigned latency = 0; latency < CUZK_LATENCY_TOTAL; latency++)
            write_histogram(out, "cuzk_stage_duration_seconds", kind, cuzk_latency_name((cuzk_latency)latency),
                            &m->latency[kind][latency]);
}

static void write_method(FILE *out, const char *method, const rpc_counters *counters) {
    for (size_t code = 0; code < RPC_STATUS_COUNT; code++) {
        uint64_t count = atomic_load(&counters->ended[code]);
        if (count > 0 || code == 0)
            fprintf(out, "cuzk_rpc_calls_total{method=\"%s\",code=\"%s\"} %" PRIu64 "\n", method,
                    rpc_status_name((grpc_status_code)code), count);
    }
}

static void write_server(FILE *out, const metrics_sources *sources, const rpc_server *server) {
    family(out, "cuzk_rpc_calls_total", "counter", "gRPC calls ended, by method and status.");
    for (size_t i = 0; i < sources->method_count; i++)
        write_method(out, sources->methods[i].path, rpc_server_counters(server, i));
    write_method(out, "unknown", rpc_server_counters(server, sources->method_count));
    single(out, "cuzk_rpc_waiting_calls", "gauge", "Prove, AwaitProof, SubmitProof and PreloadSRS calls that run.",
           (double)rpc_server_long_calls(server));
    single(out, "cuzk_rpc_uploads_waiting", "gauge", "Clients that wait until their request is received.",
           (double)proving_service_uploads_waiting(sources->service));
}

void metrics_write(FILE *stream, cuzk_engine *engine, metrics_sources *sources) {
    cuzk_engine_status status;
    cuzk_engine_metrics metrics;
    cuzk_engine_status_get(engine, &status);
    cuzk_engine_metrics_get(engine, &metrics);
    family(stream, "cuzk_build_info", "gauge", "Always 1; the version is in the label.");
    fprintf(stream, "cuzk_build_info{version=\"%s\"} 1\n", CUZK_VERSION);
    write_known_names(stream, &status, &metrics);
    write_jobs(stream, &metrics);
    write_work(stream, &status, &metrics);
    write_devices(stream, &status);
    write_resources(stream, &status, &metrics);
    write_latencies(stream, &metrics);
    const rpc_server *server = sources ? atomic_load(&sources->server) : NULL;
    if (server)
        write_server(stream, sources, server);
    cuzk_engine_status_free(&status);
}
