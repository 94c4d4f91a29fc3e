/* cuzk prove JOB.json --params DIR --out FILE */
#include <stdlib.h>

#include "base/mapped_file.h"
#include "base/memory.h"
#include "command.h"
#include "filecoin/job.h"
#include "groth16/development.h"
#include "groth16/parameters_check.h"
#include "groth16/prover.h"
#ifdef CUZK_HAS_CUDA
#include "cuda/cuda_prover.h"
#endif

#define NO_DEVICE UINT64_MAX

#ifndef CUZK_HAS_CUDA
typedef struct cuda_prover cuda_prover;
#endif

typedef struct {
    const char *directory, *output;
    uint64_t threads, partition, device;
    cuda_prover *prover; /* NULL: the CPU */
    partition_range range;
    proving_scratch scratch; /* directory NULL: none */
    bool check, quiet, json;
} prove_arguments;

/* ---- Devices ------------------------------------------------------------------------------------------------------- */

#ifdef CUZK_HAS_CUDA
static cuzk_status open_device(prove_arguments *arguments, cuzk_error *error) {
    cuda_prover_options options = {0};
    if (arguments->device == NO_DEVICE)
        return CUZK_OK;
    TRY(cuda_prover_options_from_environment(&options, error));
    if (cuda_prover_create(&arguments->prover, (unsigned)arguments->device, &options, error) != CUZK_OK)
        return failure_within(error, error->status, "--device: ");
    return CUZK_OK;
}

static void close_device(prove_arguments *arguments) { cuda_prover_destroy(arguments->prover); }

/* Where the device does wrong the CPU makes the proof, with a warning. */
static cuzk_status prove_assignment(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                                    const prove_options *options, thread_pool *pool, progress *phases, cuzk_error *error) {
    if (prover)
        return cuda_prove(proof, prover, witness, p, options, pool, phases, NULL, error);
    return groth16_prove_assignment(proof, witness, p, options, pool, phases, NULL, error);
}
#else
static cuzk_status open_device(prove_arguments *arguments, cuzk_error *error) {
    if (arguments->device == NO_DEVICE)
        return CUZK_OK;
    return failure(error, CUZK_BAD_INPUT,
                   "--device: found %llu, but this cuzk was built without CUDA; build it with -DCUZK_CUDA=ON, or leave the option out to "
                   "prove on the CPU",
                   (unsigned long long)arguments->device);
}

static void close_device(prove_arguments *arguments) { (void)arguments; }

static cuzk_status prove_assignment(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                                    const prove_options *options, thread_pool *pool, progress *phases, cuzk_error *error) {
    (void)prover;
    return groth16_prove_assignment(proof, witness, p, options, pool, phases, NULL, error);
}
#endif

/* ---- Proofs -------------------------------------------------------------------------------------------------------- */

static cuzk_status prove_partition(uint8_t proof[PROOF_BYTES], const proof_job *job, unsigned partition,
                                   const circuit_shape *shape, const parameters *p, const prove_options *options,
                                   cuda_prover *prover, thread_pool *pool, progress *phases, cuzk_error *error) {
    filecoin_circuit c;
    compact_assignment witness;
    TRY(job_circuit(&c, job, partition, error));
    progress_begin(phases, "synthesis", 0);
    cuzk_status status = compact_assignment_create(&witness, shape, &c.circuit, error);
    progress_end(phases);
    TRY(status);
    return prove_assignment(proof, prover, &witness, p, options, pool, phases, error);
}

/* Proves every partition asked for, also after one has failed, so that the message can name all that fail. */
static cuzk_status prove_partitions(uint8_t *proofs, const proof_job *job, const prove_arguments *arguments,
                                    const circuit_shape *shape, const parameters *p, thread_pool *pool, progress *phases,
                                    cuzk_error *error) {
    const prove_options options = {.scratch = arguments->scratch.directory ? &arguments->scratch : NULL};
    partition_range range = arguments->range;
    unsigned failed = 0;
    cuzk_status first = CUZK_OK;
    for (unsigned k = range.first; k < range.end; k++) {
        if (job->partition_count > 1 && phases->stream)
            fprintf(phases->stream, "partition %u of %u\n", k + 1, job->partition_count);
        cuzk_error partition_error = {0};
        uint8_t *proof = proofs + (size_t)(k - range.first) * PROOF_BYTES;
        cuzk_status status = prove_partition(proof, job, k, shape, p, &options, arguments->prover, pool, phases, &partition_error);
        if (status == CUZK_CANCELLED)
            return failure(error, status, "%s", partition_error.message);
        if (status != CUZK_OK && failed++ == 0) {
            first = status;
            failure(error, status, "partition %u of %u: %s", k, job->partition_count, partition_error.message);
        } else if (status != CUZK_OK) {
            fprintf(stderr, "cuzk prove: partition %u of %u: %s\n", k, job->partition_count, partition_error.message);
        }
    }
    if (failed > 1)
        failure_within(error, first, "%u of %u partitions failed; ", failed, range.end - range.first);
    return first;
}

static cuzk_status write_proofs(const char *path, const uint8_t *proofs, size_t bytes, cuzk_error *error) {
    output_file file;
    TRY(output_file_create(&file, path, error));
    fwrite(proofs, 1, bytes, file.stream);
    return output_file_commit(&file, error);
}

static void print_result(const prove_arguments *arguments, bool development, double seconds) {
    unsigned count = arguments->range.end - arguments->range.first;
    size_t bytes = (size_t)count * PROOF_BYTES;
    double peak = (double)peak_resident_bytes() / (1 << 20);
    if (arguments->json) {
        json_writer writer;
        json_writer_init(&writer, stdout, 2);
        json_begin_object(&writer);
        json_member_string(&writer, "proof", arguments->output);
        json_member_unsigned(&writer, "bytes", bytes);
        json_member_unsigned(&writer, "partitions", count);
        json_member_double(&writer, "seconds", seconds);
        json_member_double(&writer, "peak_resident_mib", peak);
        json_member_bool(&writer, "development_parameters", development);
        json_end_object(&writer);
        return;
    }
    printf("%s: %zu bytes, %u partition%s, %.2f s, peak memory %.0f MiB\n", arguments->output, bytes, count, count == 1 ? "" : "s", seconds,
           peak);
    if (development)
        puts("made with development parameters: no chain accepts it");
}

static cuzk_status prove_with(const proof_job *job, const parameters *p, const prove_arguments *arguments, thread_pool *pool,
                              cuzk_error *error) {
    progress *phases = job_progress(arguments->quiet, arguments->json);
    if (arguments->check) {
        check_result result;
        TRY(parameters_check(&result, p, NULL, false, pool, phases, error));
    }
    int64_t start = monotonic_ns();
    size_t bytes = (size_t)(arguments->range.end - arguments->range.first) * PROOF_BYTES;
    uint8_t *proofs = allocate(bytes, 1);
    filecoin_circuit blank = filecoin_circuit_blank(job->proof->kind, job->proof->shape);
    circuit_shape shape;
    circuit_shape_create(&shape, &blank.circuit);
    cuzk_status status = prove_partitions(proofs, job, arguments, &shape, p, pool, phases, error);
    circuit_shape_free(&shape);
    if (status == CUZK_OK)
        status = write_proofs(arguments->output, proofs, bytes, error);
    free(proofs);
    if (status == CUZK_OK)
        print_result(arguments, parameters_are_development(p->path, &p->vk), 1e-9 * (double)(monotonic_ns() - start));
    return status;
}

/* A missing file is reported with what set the directory. */
static cuzk_status open_parameters(parameters *p, const proof_job *job, const char *given_directory, thread_pool *pool,
                                   cuzk_error *error) {
    const char *directory, *origin;
    const registered_proof *proof = job->proof;
    TRY(parameter_directory(given_directory, &directory, &origin, error));
    char *path = parameter_path(directory, proof->kind, proof->shape, "params");
    cuzk_status status = parameters_open(p, path, pool, error);
    free(path);
    return explain_missing(status, "parameters", proof, directory, origin, error);
}

static cuzk_status run_prove(const char *job_path, prove_arguments *arguments, cuzk_error *error) {
    if (!arguments->output)
        return failure(error, CUZK_BAD_INPUT, "--out: found nothing, expected the file for the proof");
    if (arguments->scratch.memory_bytes && !arguments->scratch.directory)
        return failure(error, CUZK_BAD_INPUT, "--memory: found it without --scratch; it says how much is not in files there");
    if (arguments->scratch.directory && arguments->device != NO_DEVICE)
        return failure(error, CUZK_BAD_INPUT, "--scratch: found it with --device; a device's transforms are in its own memory");
    proof_job job;
    TRY(open_device(arguments, error));
    cuzk_status loaded = job_load(&job, job_path, error);
    if (loaded != CUZK_OK) {
        close_device(arguments);
        return loaded;
    }
    thread_pool *pool = thread_pool_create(arguments->threads);
    parameters p;
    cuzk_status status = select_partitions(&arguments->range, job.partition_count, arguments->partition, error);
    if (status == CUZK_OK)
        status = open_parameters(&p, &job, arguments->directory, pool, error);
    if (status == CUZK_OK) {
        status = prove_with(&job, &p, arguments, pool, error);
        parameters_close(&p);
    }
    thread_pool_destroy(pool);
    job_free(&job);
    close_device(arguments);
    return status;
}

cuzk_status command_prove(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    prove_arguments arguments = {.partition = UINT64_MAX, .device = NO_DEVICE};
    const option options[] = {
        OPTION_PARAMETERS(&arguments.directory),
        {"out", 'o', OPTION_TEXT, &arguments.output, "FILE", "where the proof goes", 0, 0},
        OPTION_PARTITION(&arguments.partition),
        {"scratch", 0, OPTION_TEXT, &arguments.scratch.directory, "DIR",
         "keep the vectors of the transforms in files there, not in memory", 0, 0},
        {"memory", 0, OPTION_BYTES, &arguments.scratch.memory_bytes, "SIZE",
         "memory for the transforms with --scratch (default: 1GiB)", 0, 0},
        {"device", 0, OPTION_NUMBER, &arguments.device, "N", "prove on device N (needs a build with CUDA)", 0, 1023},
        {"check", 0, OPTION_FLAG, &arguments.check, NULL,
         "first check every point of the parameters, unless that was done before", 0, 0},
        OPTION_THREADS(&arguments.threads),
        OPTION_QUIET(&arguments.quiet),
        OPTION_JSON(&arguments.json),
    };
    const command_line line = {
        .usage = "cuzk prove JOB.json --params DIR --out FILE",
        .summary = "Proves a job: 192 bytes for each of its partitions, verified before they are written.\n"
                   "JOB.json has the fields of a proof request and names the file with its vanilla proof.",
        .example = "cuzk setup window 2KiB --out params && cuzk prove tests/data/jobs/window-post-v1/job.json --params params "
                   "--out proof.bin",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : run_prove(parsed.positional[0], &arguments, error);
    parsed_command_line_free(&parsed);
    return status;
}
