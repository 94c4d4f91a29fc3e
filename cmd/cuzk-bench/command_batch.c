#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "command.h"
#include "report.h"
#include "rpc/server.h"

typedef struct {
    connection_options connection;
    job_options job;
    uint64_t count, concurrency, seconds, timeout, seed;
    const char *timeline, *status_address;
    bool json, quiet;
} batch_options;

typedef struct {
    size_t done, total;
    bool quiet;
} counter;

static void show_progress(void *context, const run_record *r) {
    counter *c = context;
    c->done++;
    if (c->quiet)
        return;
    if (r->outcome == RUN_PROVED || r->outcome == RUN_CANCELLED)
        fprintf(stderr, "%zu of %zu: %s in %.3f s\n", c->done, c->total, run_outcome_name(r->outcome),
                (double)(r->end_ns - r->start_ns) / 1e9);
    else
        fprintf(stderr, "%zu of %zu: %s: %s\n", c->done, c->total, run_outcome_name(r->outcome), r->message);
}

/* The warnings of proofs (development parameters) and the first of each kind of failure, once. */
static void print_remarks(const run_result *result) {
    for (int outcome = 0; outcome < RUN_OUTCOME_COUNT; outcome++)
        for (size_t i = 0; i < result->count; i++) {
            const run_record *r = &result->records[i];
            if ((int)r->outcome != outcome || !*r->message || outcome == RUN_CANCELLED)
                continue;
            printf("%s: %s\n", run_outcome_name(r->outcome), r->message);
            break;
        }
}

static cuzk_status report(const batch_options *o, const workload *w, const run_result *result, const stage_list *stages,
                          int *exit_code, cuzk_error *error) {
    run_summary summary = summarize(result);
    if (o->json) {
        write_summary_json(stdout, &summary, result, w->payloads, stages);
    } else {
        write_summary_text(stdout, &summary, stages);
        print_remarks(result);
    }
    size_t bad = summary.outcomes[RUN_FAILED] + summary.outcomes[RUN_REFUSED] + summary.outcomes[RUN_LOST] + summary.duplicated;
    *exit_code = bad ? EXIT_UNPROVED : EXIT_DONE;
    return o->timeline ? write_timeline(o->timeline, result, w->payloads, stages, error) : CUZK_OK;
}

/* Runs the workload between two looks at the daemon's timeline. */
static cuzk_status run_and_report(const batch_options *o, const workload *w, int *exit_code, cuzk_error *error) {
    stage_mark mark = {0};
    stage_list stages = {0};
    run_result result = {0};
    if (o->status_address)
        TRY(stages_mark(&mark, o->status_address, error));
    cuzk_status status = run_workload(&result, w, &o->connection, error);
    if (status == CUZK_OK && o->status_address)
        status = stages_since(&stages, o->status_address, &mark, error);
    if (status == CUZK_OK)
        status = report(o, w, &result, o->status_address ? &stages : NULL, exit_code, error);
    stages_free(&stages);
    run_result_free(&result);
    return status;
}

static cuzk_status run_payloads(const batch_options *o, payload *payloads, size_t payload_count, bool mixed, int *exit_code,
                                cuzk_error *error) {
    counter c = {.total = o->count, .quiet = o->quiet || o->json || (mixed && !isatty(STDERR_FILENO))};
    workload w = {.payloads = payloads,
                  .payload_count = payload_count,
                  .clients = (unsigned)o->concurrency,
                  .count = o->count,
                  .seconds = o->seconds,
                  .timeout_ms = o->timeout * 1000,
                  .mixed = mixed,
                  .seed = o->seed,
                  .finished = show_progress,
                  .context = &c};
    rpc_library_init();
    cuzk_status status = run_and_report(o, &w, exit_code, error);
    rpc_library_shutdown();
    return status;
}

/* One payload for each job file, or one from the options. */
static cuzk_status create_payloads(payload **payloads, size_t *count, const batch_options *o, const parsed_command_line *parsed,
                                   cuzk_error *error) {
    size_t wanted = parsed->positional_count ? parsed->positional_count : 1;
    cuzk_status status = CUZK_OK;
    *payloads = allocate_zeroed(wanted, sizeof **payloads);
    for (*count = 0; *count < wanted && status == CUZK_OK; ++*count)
        status =
            payload_create(&(*payloads)[*count], &o->job, parsed->positional_count ? parsed->positional[*count] : NULL, error);
    return status;
}

static cuzk_status run_command_line(const command_line *line, batch_options *o, bool mixed, int argc, char **argv, int *exit_code,
                                    cuzk_error *error) {
    parsed_command_line parsed = {0};
    bool done;
    payload *payloads = NULL;
    size_t count = 0;
    TRY(parse_arguments(line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : create_payloads(&payloads, &count, o, &parsed, error);
    parsed_command_line_free(&parsed);
    if (!done && status == CUZK_OK)
        status = run_payloads(o, payloads, count, mixed, exit_code, error);
    for (size_t i = 0; i < count; i++)
        payload_free(&payloads[i]);
    free(payloads);
    return status;
}

#define REPORT_OPTIONS(o)                                                                                                        \
    {"timeout", 0, OPTION_NUMBER, &(o)->timeout, "SECONDS", "give a proof up after this time", 0, 0},                            \
        {"timeline", 0, OPTION_TEXT, &(o)->timeline, "FILE.svg", "draw a chart of the run", 0, 0},                               \
        {"status-addr",                                                                                                          \
         0,                                                                                                                      \
         OPTION_TEXT,                                                                                                            \
         &(o)->status_address,                                                                                                   \
         "HOST:PORT",                                                                                                            \
         "daemon.status_listen: adds the daemon's stages to chart and report",                                                   \
         0,                                                                                                                      \
         0},                                                                                                                     \
        {"json", 0, OPTION_FLAG, &(o)->json, NULL, "print the result as JSON", 0, 0}, {                                          \
        "quiet", 'q', OPTION_FLAG, &(o)->quiet, NULL, "no progress on stderr", 0, 0                                              \
    }

cuzk_status command_batch(int argc, char **argv, int *exit_code, cuzk_error *error) {
    batch_options o = {.connection = CONNECTION_DEFAULTS, .job = JOB_DEFAULTS, .count = 3, .concurrency = 1};
    const option options[] = {
        CONNECTION_OPTIONS(&o.connection),
        JOB_OPTIONS(&o.job),
        {"count", 'n', OPTION_NUMBER, &o.count, "N", "proofs in all (3)", 1, 1000000},
        {"concurrency", 'j', OPTION_NUMBER, &o.concurrency, "N", "requests at the same time (1)", 1, 4096},
        REPORT_OPTIONS(&o),
    };
    const command_line line = {
        .usage = "cuzk-bench batch [JOB.json ... | -t KIND --c1 FILE | -t KIND --vanilla FILE ...] [-n COUNT] [-j CONCURRENCY]",
        .summary = "Has many proofs made: proofs per minute, latency percentiles and a chart. Several jobs take turns.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_maximum = 64,
    };
    return run_command_line(&line, &o, false, argc, argv, exit_code, error);
}

cuzk_status command_stress(int argc, char **argv, int *exit_code, cuzk_error *error) {
    batch_options o = {.connection = CONNECTION_DEFAULTS, .job = JOB_DEFAULTS, .count = 1000, .concurrency = 200, .seed = 1};
    const option options[] = {
        CONNECTION_OPTIONS(&o.connection),
        JOB_OPTIONS(&o.job),
        {"count", 'n', OPTION_NUMBER, &o.count, "N", "proofs in all (1000); 0: until --seconds are over", 0, 10000000},
        {"concurrency", 'j', OPTION_NUMBER, &o.concurrency, "N", "clients at once, each with its own connection (200)", 1, 4096},
        {"seconds", 's', OPTION_NUMBER, &o.seconds, "N", "start no more after this time", 0, 1000000},
        {"seed", 0, OPTION_NUMBER, &o.seed, "N", "of the random choices (1)", 0, 0},
        REPORT_OPTIONS(&o),
    };
    const command_line line = {
        .usage = "cuzk-bench stress JOB.json ... [-n COUNT] [-j CLIENTS] [-s SECONDS]",
        .summary = "Many clients at once, with jobs, priorities and calls by chance; one job in ten is cancelled. Exits with 1 "
                   "if anything\n"
                   "accepted is lost, duplicated or failed.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_maximum = 64,
    };
    return run_command_line(&line, &o, true, argc, argv, exit_code, error);
}
