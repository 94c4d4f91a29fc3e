/* cuzk digest JOB.json [--partition K] */
#include <stdlib.h>

#include "base/memory.h"
#include "command.h"
#include "filecoin/job.h"
#include "r1cs/digest.h"

/* Whether the witness states the public inputs that the verifier computes. */
static bool inputs_match(const circuit_digest *digest, const proof_job *job, unsigned partition) {
    unsigned count = job_public_input_count(job);
    if (digest->counts.inputs != count + 1)
        return false;
    fr *expected = allocate(count, sizeof(fr));
    job_public_inputs(expected, job, partition);
    bool equal = true;
    for (unsigned i = 0; i < count; i++)
        equal &= fr_equal(&expected[i], &digest->public_inputs[i]);
    free(expected);
    return equal;
}

static cuzk_status digest_partition(json_writer *writer, const proof_job *job, unsigned partition, cuzk_error *error) {
    filecoin_circuit c;
    TRY(job_circuit(&c, job, partition, error));
    circuit_digest digest;
    TRY(circuit_digest_create(&digest, &c.circuit, true, error));
    json_begin_object(writer);
    /* A WindowPoSt request is about one partition of the miner's, whose number it states. */
    json_member_unsigned(writer, "partition", job->proof->kind == PROOF_WINDOW ? job->partition_index : partition);
    circuit_digest_write(&digest, writer);
    json_member_bool(writer, "public_inputs_match_verifier", inputs_match(&digest, job, partition));
    json_end_object(writer);
    circuit_digest_free(&digest);
    return CUZK_OK;
}

static cuzk_status digest_job(const proof_job *job, const uint64_t *only, cuzk_error *error) {
    if (only && *only >= job->partition_count)
        return failure(error, CUZK_BAD_INPUT, "--partition: found %llu, expected a number below %u, the job's number of partitions",
                       (unsigned long long)*only, job->partition_count);
    json_writer writer;
    json_writer_init(&writer, stdout, 2);
    json_begin_array(&writer);
    for (unsigned k = 0; k < job->partition_count; k++)
        if (!only || *only == k)
            TRY(digest_partition(&writer, job, k, error));
    json_end_array(&writer);
    return CUZK_OK;
}

cuzk_status command_digest(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    bool json = false;
    uint64_t partition = UINT64_MAX;
    const option options[] = {
        {"partition", 0, OPTION_NUMBER, &partition, "K", "only this partition, counted from 0", 0, 0},
        OPTION_JSON(&json),
    };
    const command_line line = {
        .usage = "cuzk digest JOB.json [--partition K]",
        .summary = "Prints digests of the constraints, the witness and the evaluations of a job's circuits, and the public inputs, as a\n"
                   "JSON array with an object for each partition.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = CUZK_OK;
    if (!done) {
        proof_job job;
        status = job_load(&job, parsed.positional[0], error);
        if (status == CUZK_OK) {
            status = digest_job(&job, partition == UINT64_MAX ? NULL : &partition, error);
            job_free(&job);
        }
    }
    parsed_command_line_free(&parsed);
    return status;
}
