/* cuzk verify JOB.json FILE --params DIR */
#include <stdlib.h>

#include "base/mapped_file.h"
#include "base/memory.h"
#include "command.h"
#include "filecoin/job.h"
#include "groth16/development.h"

static cuzk_status verify_proofs(verification *result, const proof_job *job, uint64_t partition, const verifying_key *vk,
                                 const char *proof_path, thread_pool *pool, cuzk_error *error) {
    partition_range range;
    mapped_file file;
    TRY(select_partitions(&range, job->partition_count, partition, error));
    TRY(mapped_file_open(&file, proof_path, error));
    unsigned width = job_public_input_count(job), count = range.end - range.first;
    fr *inputs = allocate((size_t)count * width, sizeof(fr));
    for (unsigned k = 0; k < count; k++)
        job_public_inputs(inputs + (size_t)k * width, job, range.first + k);
    cuzk_status status = groth16_verify_batch(result, vk, file.data, file.size, inputs, width, count, pool, error);
    free(inputs);
    mapped_file_close(&file);
    return status == CUZK_OK ? status : failure_within(error, status, "%s: ", proof_path);
}

static cuzk_status run_verify(const char *job_path, const char *proof_path, const char *given_directory, uint64_t partition, bool json,
                              thread_pool *pool, int *exit_code, cuzk_error *error) {
    const char *directory, *origin;
    TRY(parameter_directory(given_directory, &directory, &origin, error));
    proof_job job;
    TRY(job_load(&job, job_path, error));
    char *key_path = parameter_path(directory, job.proof->kind, job.proof->shape, "vk");
    verifying_key vk;
    cuzk_status status = verifying_key_read(&vk, key_path, pool, error);
    status = explain_missing(status, "verifying key", job.proof, directory, origin, error);
    if (status == CUZK_OK) {
        verification result;
        status = verify_proofs(&result, &job, partition, &vk, proof_path, pool, error);
        if (status == CUZK_OK) {
            bool development = parameters_are_development(key_path, &vk);
            *exit_code = print_verdict(&result, json, development);
            if (development && !json)
                fputs("under development parameters: no chain accepts this proof\n", stderr);
        }
        verifying_key_free(&vk);
    }
    free(key_path);
    job_free(&job);
    return status;
}

cuzk_status command_verify(int argc, char **argv, int *exit_code, cuzk_error *error) {
    const char *directory = NULL;
    bool json = false;
    uint64_t threads = 0, partition = UINT64_MAX;
    const option options[] = {OPTION_PARAMETERS(&directory), OPTION_PARTITION(&partition), OPTION_JSON(&json), OPTION_THREADS(&threads)};
    const command_line line = {
        .usage = "cuzk verify JOB.json FILE --params DIR",
        .summary = "Verifies the proofs in FILE, one for each partition of the job, with the circuit's .vk. The public inputs come from the\n"
                   "job's statement alone. Prints valid or INVALID; exit code 0 or 1.",
        .example = "cuzk verify tests/data/jobs/window-post-v1/job.json tests/data/jobs/window-post-v1/proof.bin --params tests/data/params",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 2,
        .positional_maximum = 2,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = CUZK_OK;
    if (!done) {
        thread_pool *pool = thread_pool_create(threads);
        status = run_verify(parsed.positional[0], parsed.positional[1], directory, partition, json, pool, exit_code, error);
        thread_pool_destroy(pool);
    }
    parsed_command_line_free(&parsed);
    return status;
}
