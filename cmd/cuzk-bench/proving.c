#include "proving.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "chain.h"
#include "filecoin/job.h"
#include "groth16/prover.h"
#include "groth16/setup.h"

/* What is proved. */
typedef struct {
    chain_circuit chain;
    proof_job *job; /* NULL: the chain */
    unsigned partitions;
    char *parameters_path, *temporary_directory; /* the latter NULL if it stays */
} statement;

/* ---- The statement ------------------------------------------------------------------------------------------------------ */

static char *path_in(const char *directory, const char *name) {
    size_t capacity = strlen(directory) + strlen(name) + 2;
    char *path = allocate(capacity, 1);
    snprintf(path, capacity, "%s/%s", directory, name);
    return path;
}

static cuzk_status make_temporary_directory(char **directory, cuzk_error *error) {
    const char *parent = getenv("TMPDIR");
    *directory = path_in(parent && *parent ? parent : "/tmp", "cuzk-bench-XXXXXX");
    if (mkdtemp(*directory))
        return CUZK_OK;
    cuzk_status status = failure_errno(error, CUZK_INPUT_OUTPUT, "cannot make a temporary directory %s", *directory);
    free(*directory);
    *directory = NULL;
    return status;
}

static cuzk_status open_chain(statement *s, const proving_options *options, cuzk_error *error) {
    char name[64];
    const char *directory = options->directory;
    s->chain = chain_circuit_make(options->chain_log_size);
    s->partitions = 1;
    if (!directory) {
        TRY(make_temporary_directory(&s->temporary_directory, error));
        directory = s->temporary_directory;
    } else if (mkdir(directory, 0777) != 0 && access(directory, W_OK) != 0) {
        return failure_errno(error, CUZK_INPUT_OUTPUT, "--params %s", directory);
    }
    snprintf(name, sizeof name, "chain-%u.params", options->chain_log_size);
    s->parameters_path = path_in(directory, name);
    return CUZK_OK;
}

static cuzk_status open_job(statement *s, const proving_options *options, cuzk_error *error) {
    static const char variable_name[] = "FIL_PROOFS_PARAMETER_CACHE";
    const char *directory = options->directory ? options->directory : getenv(variable_name);
    if (!directory || !*directory)
        return failure(error, CUZK_BAD_INPUT, "no parameter directory: give --params DIR or set %s", variable_name);
    proof_job *job = allocate_zeroed(1, sizeof *job);
    cuzk_status status = job_load(job, options->job_path, error);
    if (status != CUZK_OK) {
        free(job);
        return status;
    }
    s->job = job;
    s->partitions = job->partition_count;
    if (options->partitions && options->partitions < s->partitions)
        s->partitions = (unsigned)options->partitions;
    char id[CACHE_ID_CAPACITY], name[CACHE_ID_CAPACITY + 16];
    circuit_cache_id(id, job->proof->kind, job->proof->shape);
    snprintf(name, sizeof name, "v%d-%s.params", PARAMETER_VERSION, id);
    s->parameters_path = path_in(directory, name);
    return CUZK_OK;
}

static void remove_temporary_directory(const statement *s) {
    static const char *const extensions[] = {"params", "vk", "params.development", "vk.development", "params.checked"};
    char name[64];
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        snprintf(name, sizeof name, "chain-%u.%s", s->chain.log_size, extensions[i]);
        char *path = path_in(s->temporary_directory, name);
        unlink(path);
        free(path);
    }
    rmdir(s->temporary_directory);
}

static void close_statement(statement *s) {
    if (s->temporary_directory)
        remove_temporary_directory(s);
    if (s->job)
        job_free(s->job);
    free(s->job);
    free(s->parameters_path);
    free(s->temporary_directory);
}

static void describe(proving_result *result, const statement *s) {
    if (s->job)
        snprintf(result->circuit, sizeof result->circuit, "%s-%s", proof_kind_word(s->job->proof->kind),
                 s->job->proof->shape->name);
    else
        snprintf(result->circuit, sizeof result->circuit, "chain-2^%u", s->chain.log_size);
    result->partitions = s->partitions;
}

/* The chain's parameters, unless they are there already. */
static cuzk_status set_up_chain(proving_result *result, const statement *s, thread_pool *pool, cuzk_error *error) {
    if (s->job || access(s->parameters_path, F_OK) == 0)
        return CUZK_OK;
    const setup_description description = {.version = CUZK_VERSION, .circuit = result->circuit};
    char *key_path = duplicate_string(s->parameters_path);
    memcpy(strrchr(key_path, '.'), ".vk", sizeof ".vk");
    usage begin = usage_now(NULL);
    cuzk_status status = groth16_setup(&s->chain.base, NULL, s->parameters_path, key_path, &description, pool, NULL, error);
    result->setup = usage_since(&begin, NULL);
    result->set_up = true;
    free(key_path);
    return status;
}

/* ---- Iterations --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const proving_options *options;
    const statement *statement;
    const circuit_shape *shape;
    const parameters *parameters;
    proving_result *result;
    thread_pool *pool;
    proving_device *device; /* NULL: the CPU */
} proving_loop;

static cuzk_status prove_partition(const proving_loop *loop, unsigned partition, prove_profile *profile, cuzk_error *error) {
    const statement *s = loop->statement;
    const proving_scratch *scratch = &loop->options->scratch;
    const prove_options options = {.profile = profile, .scratch = scratch->directory ? scratch : NULL};
    compact_assignment witness;
    filecoin_circuit c;
    if (s->job)
        TRY(job_circuit(&c, s->job, partition, error));
    phase_clock clock = phase_clock_start();
    TRY(compact_assignment_create(&witness, loop->shape, s->job ? &c.circuit : &s->chain.base, error));
    phase_clock_lap(&clock, profile, PHASE_SYNTHESIS);
    if (loop->device)
        return bench_device_driver()->prove(loop->result->proof, loop->device, &witness, loop->parameters, &options, loop->pool, NULL,
                                            error);
    return groth16_prove_assignment(loop->result->proof, &witness, loop->parameters, &options, loop->pool, NULL, NULL, error);
}

static cuzk_status iterate(const proving_loop *loop, proving_iteration *iteration, cuzk_error *error) {
    *iteration = (proving_iteration){0};
    peak_resident_reset();
    uint64_t disk = disk_bytes_read();
    usage begin = usage_now(&loop->result->counters);
    for (unsigned i = 0; i < loop->statement->partitions; i++)
        TRY(prove_partition(loop, i, &iteration->profile, error));
    iteration->all = usage_since(&begin, &loop->result->counters);
    iteration->disk_bytes = disk_bytes_read() - disk;
    iteration->peak_resident = peak_resident_since_reset();
    return CUZK_OK;
}

static cuzk_status iterate_all(const proving_loop *loop, cuzk_error *error) {
    const proving_options *options = loop->options;
    for (uint64_t i = 0; i < options->warm_up + options->iterations; i++) {
        proving_iteration iteration;
        TRY(iterate(loop, &iteration, error));
        if (i < options->warm_up)
            continue;
        loop->result->iterations[i - options->warm_up] = iteration;
        if (options->report)
            options->report(loop->result, i - options->warm_up + 1);
    }
    return CUZK_OK;
}

/* ---- All of it ---------------------------------------------------------------------------------------------------------- */

static void note_sizes(proving_result *result, const circuit_shape *shape, const parameters *p) {
    result->constraints = shape->constraints;
    result->aux = shape->aux;
    result->inputs = shape->inputs;
    result->shape_bytes = circuit_shape_bytes(shape);
    result->sizes = (prove_sizes){.domain_log_size = shape->domain_log_size, .assignment_bytes = compact_assignment_bytes(shape)};
    for (size_t i = 0; i < PROVE_SUMS; i++)
        result->sizes.points[i] = parameters_count(p, (section)(SECTION_H + i));
    result->parameter_bytes = p->file.size;
}

static cuzk_status measure_with_parameters(proving_result *result, const proving_options *options, const statement *s,
                                           const parameters *p, thread_pool *pool, cuzk_error *error) {
    circuit_shape shape;
    filecoin_circuit blank;
    if (s->job)
        blank = filecoin_circuit_blank(s->job->proof->kind, s->job->proof->shape);
    usage begin = usage_now(NULL);
    circuit_shape_create(&shape, s->job ? &blank.circuit : &s->chain.base);
    result->shape = usage_since(&begin, NULL);
    note_sizes(result, &shape, p);
    malloc_trim(0); /* what setup took is not the proof's */
    proving_loop loop = {
        .options = options, .statement = s, .shape = &shape, .parameters = p, .result = result, .pool = pool};
    cuzk_status status = device_choice_open(&loop.device, &options->device, error);
    if (loop.device)
        snprintf(result->device, sizeof result->device, "%s", bench_device_driver()->name(loop.device));
    if (status == CUZK_OK)
        status = iterate_all(&loop, error);
    if (loop.device)
        bench_device_driver()->close(loop.device);
    circuit_shape_free(&shape);
    return status;
}

static cuzk_status measure_statement(proving_result *result, const proving_options *options, const statement *s, thread_pool *pool,
                                     cuzk_error *error) {
    parameters p;
    describe(result, s);
    result->iterations = allocate_zeroed((size_t)options->iterations, sizeof *result->iterations);
    TRY(set_up_chain(result, s, pool, error));
    if (options->report && result->set_up)
        options->report(result, 0);
    TRY(parameters_open(&p, s->parameters_path, pool, error));
    cuzk_status status = measure_with_parameters(result, options, s, &p, pool, error);
    parameters_close(&p);
    if (status == CUZK_OK)
        roofline_measure(&result->rates, pool);
    return status;
}

cuzk_status measure_proving(proving_result *result, const proving_options *options, cuzk_error *error) {
    statement s = {0};
    device_options unused;
    *result = (proving_result){0};
    TRY(device_choice_check(&options->device, &unused, error)); /* before a setup takes minutes */
    hardware_counters_open(&result->counters);
    thread_pool *pool = thread_pool_create((size_t)options->threads);
    result->threads = thread_pool_size(pool);
    cuzk_status status = options->job_path ? open_job(&s, options, error) : open_chain(&s, options, error);
    if (status == CUZK_OK)
        status = measure_statement(result, options, &s, pool, error);
    close_statement(&s);
    thread_pool_destroy(pool);
    return status;
}

void proving_result_free(proving_result *result) {
    hardware_counters_close(&result->counters);
    free(result->iterations);
    *result = (proving_result){0};
}
