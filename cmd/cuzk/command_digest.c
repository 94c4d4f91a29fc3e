/* cuzk digest JOB.json [--partition K] */
#include <stdlib.h>

#include "base/memory.h"
#include "command.h"
#include "filecoin/job.h"
#include "r1cs/compact_digest.h"

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

/* How digests are made. */
typedef struct {
    const circuit_shape *shape; /* NULL: the classic way */
    thread_pool *pool;
    progress *job;
} digest_method;

/* A witness that breaks a constraint has digests too, but only the classic way knows them. */
static cuzk_status digest_circuit(circuit_digest *digest, const circuit *c, const digest_method *method, cuzk_error *error) {
    compact_assignment witness;
    if (!method->shape)
        return circuit_digest_create(digest, c, true, error);
    cuzk_status status = compact_assignment_create(&witness, method->shape, c, error);
    if (status == CUZK_UNSATISFIED)
        return circuit_digest_create(digest, c, true, error);
    TRY(status);
    compact_digest_create(digest, method->shape, &witness, method->pool, method->job);
    compact_assignment_free(&witness);
    return CUZK_OK;
}

static cuzk_status digest_partition(json_writer *writer, const proof_job *job, unsigned partition, const digest_method *method,
                                    cuzk_error *error) {
    filecoin_circuit c;
    TRY(job_circuit(&c, job, partition, error));
    circuit_digest digest;
    TRY(digest_circuit(&digest, &c.circuit, method, error));
    json_begin_object(writer);
    /* A WindowPoSt request is about one partition of the miner's, whose number it states. */
    json_member_unsigned(writer, "partition", job->proof->kind == PROOF_WINDOW ? job->partition_index : partition);
    circuit_digest_write(&digest, writer);
    json_member_bool(writer, "public_inputs_match_verifier", inputs_match(&digest, job, partition));
    json_end_object(writer);
    circuit_digest_free(&digest);
    return CUZK_OK;
}

static cuzk_status digest_partitions(const proof_job *job, partition_range range, const digest_method *method, cuzk_error *error) {
    json_writer writer;
    json_writer_init(&writer, stdout, 2);
    json_begin_array(&writer);
    for (unsigned k = range.first; k < range.end; k++)
        TRY(digest_partition(&writer, job, k, method, error));
    json_end_array(&writer);
    return CUZK_OK;
}

static cuzk_status digest_job(const proof_job *job, uint64_t only, bool classic, bool quiet, uint64_t threads,
                              cuzk_error *error) {
    partition_range range;
    TRY(select_partitions(&range, job->partition_count, only, error));
    if (classic)
        return digest_partitions(job, range, &(digest_method){0}, error);
    filecoin_circuit blank = filecoin_circuit_blank(job->proof->kind, job->proof->shape);
    circuit_shape shape;
    circuit_shape_create(&shape, &blank.circuit);
    digest_method method = {.shape = &shape, .pool = thread_pool_create(threads), .job = stderr_progress(quiet)};
    cuzk_status status = digest_partitions(job, range, &method, error);
    thread_pool_destroy(method.pool);
    circuit_shape_free(&shape);
    return status;
}

cuzk_status command_digest(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    bool json = false, classic = false, quiet = false;
    uint64_t partition = UINT64_MAX, threads = 0;
    const option options[] = {
        OPTION_PARTITION(&partition),
        OPTION_JSON(&json),
        OPTION_CLASSIC(&classic),
        OPTION_QUIET(&quiet),
        OPTION_THREADS(&threads),
    };
    const command_line line = {
        .usage = "cuzk digest JOB.json [--partition K]",
        .summary = "Prints digests of the constraints, the witness and the evaluations of a job's circuits, and the public "
                   "inputs, as a\n"
                   "JSON array with an object for each partition.",
        .example = "cuzk digest tests/data/jobs/window-post-v1/job.json",
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
            status = digest_job(&job, partition, classic, quiet, threads, error);
            job_free(&job);
        }
    }
    parsed_command_line_free(&parsed);
    return status;
}
