#include <stdlib.h>

#include "base/log.h"
#include "base/mapped_file.h"
#include "command.h"
#include "report.h"
#include "rpc/server.h"

static cuzk_status write_proof(const char *path, const run_record *record, cuzk_error *error) {
    output_file file;
    TRY(output_file_create(&file, path, error));
    fwrite(record->proof, 1, record->proof_length, file.stream);
    return output_file_commit(&file, error);
}

static void print_record(const run_record *r) {
    printf("%s %s: %zu bytes\n", r->job_id, run_outcome_name(r->outcome), r->proof_length);
    if (*r->message)
        printf("%s\n", r->message);
    printf("  %-12s %10.3f s\n  %-12s %10.3f s\n  %-12s %10.3f s\n  %-12s %10.3f s\n  %-12s %10.3f s\n  %-12s %10.3f s\n",
           "queue", (double)r->queue_wait_ms / 1e3, "load", (double)r->srs_load_ms / 1e3, "synthesis",
           (double)r->synthesis_ms / 1e3, "proving", (double)r->gpu_compute_ms / 1e3, "total", (double)r->total_ms / 1e3,
           "seen here", (double)(r->end_ns - r->start_ns) / 1e9);
    if (r->proof_length == 0 || r->proof_length > 192)
        return;
    for (size_t i = 0; i < r->proof_length; i++)
        printf("%02x", r->proof[i]);
    putchar('\n');
}

static cuzk_status run_single(const workload *w, const connection_options *connection, const char *out, bool json, int *exit_code,
                              cuzk_error *error) {
    run_result result;
    TRY(run_workload(&result, w, connection, error));
    run_record *r = &result.records[0];
    cuzk_status status = CUZK_OK;
    if (r->status != CUZK_OK)
        status = failure(error, r->status, "%s", r->message);
    else if (out && r->outcome == RUN_PROVED)
        status = write_proof(out, r, error);
    if (status == CUZK_OK && json) {
        run_summary summary = summarize(&result);
        write_summary_json(stdout, &summary, &result, w->payloads, NULL);
    } else if (status == CUZK_OK) {
        print_record(r);
    }
    *exit_code = r->outcome == RUN_PROVED ? EXIT_DONE : EXIT_UNPROVED;
    run_result_free(&result);
    return status;
}

cuzk_status command_single(int argc, char **argv, int *exit_code, cuzk_error *error) {
    connection_options connection = CONNECTION_DEFAULTS;
    job_options job = JOB_DEFAULTS;
    const char *out = NULL;
    bool json = false, done;
    uint64_t timeout = 0;
    const option options[] = {
        CONNECTION_OPTIONS(&connection),
        JOB_OPTIONS(&job),
        {"out", 'o', OPTION_TEXT, &out, "FILE", "write the proof there", 0, 0},
        {"timeout", 0, OPTION_NUMBER, &timeout, "SECONDS", "give up after this time", 0, 0},
        {"json", 0, OPTION_FLAG, &json, NULL, "print the result as JSON", 0, 0},
    };
    const command_line line = {
        .usage = "cuzk-bench single [JOB.json | -t KIND --c1 FILE | -t KIND --vanilla FILE ...]",
        .summary = "Has one proof made, and says how long each stage took.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_maximum = 1,
    };
    parsed_command_line parsed = {0};
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    payload p;
    cuzk_status status = done ? CUZK_OK : payload_create(&p, &job, parsed.positional_count ? parsed.positional[0] : NULL, error);
    parsed_command_line_free(&parsed);
    if (done || status != CUZK_OK)
        return status;
    workload w = {.payloads = &p, .payload_count = 1, .clients = 1, .count = 1, .timeout_ms = timeout * 1000};
    rpc_library_init();
    status = run_single(&w, &connection, out, json, exit_code, error);
    rpc_library_shutdown();
    payload_free(&p);
    return status;
}
