#include "synthesis.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "filecoin/job.h"
#include "r1cs/assignment.h"
#include "r1cs/compact_assignment.h"
#include "r1cs/term_storage.h"

const char *const STRATEGY_NAMES[STRATEGY_COUNT] = {"compact", "kept", "vec", "inline1", "inline2", "inline4"};

cuzk_status parse_strategy(const char *name, synthesis_strategy *strategy, cuzk_error *error) {
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        if (strcmp(name, STRATEGY_NAMES[i]) == 0) {
            *strategy = (synthesis_strategy)i;
            return CUZK_OK;
        }
    }
    return failure(error, CUZK_BAD_INPUT, "--strategy: found %s, expected compact, kept, vec, inline1, inline2 or inline4", name);
}

/* ---- The circuits ------------------------------------------------------------------------------------------------------- */

typedef struct {
    bool is_job;
    proof_job job;
    c1_output c1;
    fr replica_id, comm_d, comm_r; /* of c1 */
    const registered_proof *proof;
    unsigned partitions;
} circuit_source;

static cuzk_status read_element(fr *out, const uint8_t bytes[32], const char *name, cuzk_error *error) {
    if (!fr_from_bytes(out, bytes))
        return failure(error, CUZK_BAD_INPUT, "%s: found a number not below the field's order", name);
    return CUZK_OK;
}

static cuzk_status open_c1(circuit_source *source, const char *path, cuzk_error *error) {
    TRY(c1_load(&source->c1, path, error));
    source->proof = source->c1.proof;
    source->partitions = source->c1.partition_count;
    TRY(read_element(&source->replica_id, source->c1.statement.replica_id, "replica_id", error));
    TRY(read_element(&source->comm_d, source->c1.statement.comm_d, "comm_d", error));
    return read_element(&source->comm_r, source->c1.statement.comm_r, "comm_r", error);
}

static cuzk_status open_source(circuit_source *source, const synthesis_options *options, cuzk_error *error) {
    *source = (circuit_source){.is_job = options->job_path != NULL};
    if (!source->is_job)
        return open_c1(source, options->c1_path, error);
    TRY(job_load(&source->job, options->job_path, error));
    source->proof = source->job.proof;
    source->partitions = source->job.partition_count;
    return CUZK_OK;
}

static void close_source(circuit_source *source) {
    if (source->is_job && source->proof)
        job_free(&source->job);
    else if (source->proof)
        c1_free(&source->c1);
}

static cuzk_status circuit_of(filecoin_circuit *c, const circuit_source *source, unsigned partition, cuzk_error *error) {
    if (source->is_job)
        return job_circuit(c, &source->job, partition, error);
    return porep_circuit_init(&c->porep, source->c1.partitions[partition], &source->replica_id, &source->comm_d, &source->comm_r,
                              error);
}

/* ---- One iteration ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const synthesis_options *options;
    const circuit_source *source;
    const circuit_shape *shape;
    synthesis_result *result;
    compact_assignment *witnesses; /* one for each partition; they live until the iteration ends, as in a prover's queue */
    _Atomic uint64_t witness_cpu_us, evaluation_cpu_us, term_allocations;
    cuzk_status *status;
    cuzk_error *errors;
} synthesis_loop;

static cuzk_status evaluate(const compact_assignment *witness, uint64_t block_rows, cuzk_error *error) {
    const circuit_shape *shape = witness->shape;
    big_buffer memory;
    TRY(big_buffer_allocate(&memory, 3 * (size_t)block_rows, sizeof(fr), "block of A, B, C", error));
    fr *values = memory.data;
    row_scratch *scratch = row_scratch_create(shape);
    uint64_t rows = shape->constraints + shape->inputs;
    for (uint64_t begin = 0; begin < rows; begin += block_rows) {
        uint64_t end = rows - begin < block_rows ? rows : begin + block_rows;
        compact_rows(witness, begin, end, values, values + block_rows, values + 2 * block_rows, scratch);
    }
    row_scratch_free(scratch);
    big_buffer_free(&memory);
    return CUZK_OK;
}

static cuzk_status synthesize_compact(synthesis_loop *loop, const circuit *c, size_t partition, cuzk_error *error) {
    compact_assignment *witness = &loop->witnesses[partition];
    uint64_t begin = thread_cpu_us();
    TRY(compact_assignment_create(witness, loop->shape, c, error));
    uint64_t made = thread_cpu_us();
    TRY(evaluate(witness, loop->options->block_rows, error));
    atomic_fetch_add(&loop->witness_cpu_us, made - begin);
    atomic_fetch_add(&loop->evaluation_cpu_us, thread_cpu_us() - made);
    return CUZK_OK;
}

static cuzk_status synthesize_classic(synthesis_loop *loop, const circuit *c, cuzk_error *error) {
    static const size_t inline_terms[STRATEGY_COUNT] = {[STRATEGY_INLINE1] = 1, [STRATEGY_INLINE2] = 2, [STRATEGY_INLINE4] = 4};
    const synthesis_options *options = loop->options;
    term_storage terms = term_storage_create(inline_terms[options->strategy], options->arena);
    assignment_options how = {.terms = options->strategy == STRATEGY_KEPT ? NULL : &terms};
    if (options->presize) {
        how.inputs = loop->shape->inputs;
        how.aux = loop->shape->aux;
        how.constraints = loop->shape->constraints;
    }
    assignment made;
    cuzk_status status = assignment_create_with(&made, c, &how, error);
    atomic_fetch_add(&loop->term_allocations, terms.allocations);
    term_storage_free(&terms);
    TRY(status);
    loop->result->constraints = made.counts.constraints;
    loop->result->aux = made.counts.aux;
    loop->result->assignment_bytes = made.inputs_memory.bytes + made.aux_memory.bytes;
    for (int i = 0; i < 3; i++)
        loop->result->assignment_bytes += made.evaluations_memory[i].bytes;
    assignment_free(&made);
    return CUZK_OK;
}

static void synthesize_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    synthesis_loop *loop = context;
    for (size_t i = begin; i < end; i++) {
        filecoin_circuit c;
        cuzk_status status = circuit_of(&c, loop->source, (unsigned)i, &loop->errors[i]);
        if (status == CUZK_OK && loop->options->strategy == STRATEGY_COMPACT)
            status = synthesize_compact(loop, &c.circuit, i, &loop->errors[i]);
        else if (status == CUZK_OK)
            status = synthesize_classic(loop, &c.circuit, &loop->errors[i]);
        loop->status[i] = status;
    }
}

static cuzk_status first_failure(const synthesis_loop *loop, cuzk_error *error) {
    for (size_t i = 0; i < loop->result->partitions; i++)
        if (loop->status[i] != CUZK_OK)
            return failure(error, loop->status[i], "partition %zu: %s", i, loop->errors[i].message);
    return CUZK_OK;
}

static cuzk_status iterate(synthesis_loop *loop, synthesis_iteration *iteration, thread_pool *pool, cuzk_error *error) {
    synthesis_result *result = loop->result;
    loop->witness_cpu_us = loop->evaluation_cpu_us = loop->term_allocations = 0;
    usage begin = usage_now(&result->counters);
    parallel_for(pool, (size_t)result->partitions, 1, synthesize_range, loop);
    *iteration = (synthesis_iteration){.all = usage_since(&begin, &result->counters),
                                       .witness_cpu_us = loop->witness_cpu_us,
                                       .evaluation_cpu_us = loop->evaluation_cpu_us};
    result->term_allocations = loop->term_allocations;
    for (size_t i = 0; i < result->partitions; i++)
        compact_assignment_free(&loop->witnesses[i]);
    return first_failure(loop, error);
}

/* ---- All of it ---------------------------------------------------------------------------------------------------------- */

static cuzk_status iterate_all(synthesis_loop *loop, thread_pool *pool, cuzk_error *error) {
    const synthesis_options *options = loop->options;
    for (uint64_t i = 0; i < options->warm_up + options->iterations; i++) {
        synthesis_iteration iteration;
        TRY(iterate(loop, &iteration, pool, error));
        if (i >= options->warm_up)
            loop->result->iterations[i - options->warm_up] = iteration;
    }
    loop->result->resident_peak = peak_resident_bytes();
    return CUZK_OK;
}

static void make_shape(circuit_shape *shape, const circuit_source *source, synthesis_result *result) {
    filecoin_circuit blank = filecoin_circuit_blank(source->proof->kind, source->proof->shape);
    usage begin = usage_now(NULL);
    circuit_shape_create(shape, &blank.circuit);
    result->shape = usage_since(&begin, NULL);
    result->shape_bytes = circuit_shape_bytes(shape);
    result->templates = shape->templates.count;
    result->pieces = shape->piece_count;
    result->constraints = shape->constraints;
    result->aux = shape->aux;
    result->assignment_bytes = compact_assignment_bytes(shape);
}

static cuzk_status measure_source(synthesis_result *result, const synthesis_options *options, const circuit_source *source,
                                  thread_pool *pool, cuzk_error *error) {
    circuit_shape shape = {0};
    bool shaped = options->strategy == STRATEGY_COMPACT || options->presize;
    size_t partitions =
        options->partitions && options->partitions < source->partitions ? (size_t)options->partitions : source->partitions;
    snprintf(result->circuit, sizeof result->circuit, "%s-%s", proof_kind_word(source->proof->kind), source->proof->shape->name);
    result->partitions = partitions;
    result->iterations = allocate_zeroed((size_t)options->iterations, sizeof *result->iterations);
    if (shaped)
        make_shape(&shape, source, result);
    synthesis_loop loop = {.options = options, .source = source, .shape = shaped ? &shape : NULL, .result = result};
    loop.witnesses = allocate_zeroed(partitions, sizeof *loop.witnesses);
    loop.status = allocate_zeroed(partitions, sizeof *loop.status);
    loop.errors = allocate_zeroed(partitions, sizeof *loop.errors);
    cuzk_status status = iterate_all(&loop, pool, error);
    free(loop.witnesses);
    free(loop.status);
    free(loop.errors);
    circuit_shape_free(&shape);
    return status;
}

cuzk_status measure_synthesis(synthesis_result *result, const synthesis_options *options, cuzk_error *error) {
    circuit_source *source = allocate(1, sizeof *source);
    *result = (synthesis_result){0};
    hardware_counters_open(&result->counters);
    thread_pool *pool = thread_pool_create(options->threads);
    result->threads = thread_pool_size(pool);
    usage begin = usage_now(NULL);
    cuzk_status status = open_source(source, options, error);
    result->load = usage_since(&begin, NULL);
    result->resident_before = resident_bytes();
    if (status == CUZK_OK)
        status = measure_source(result, options, source, pool, error);
    close_source(source);
    free(source);
    thread_pool_destroy(pool);
    return status;
}

void synthesis_result_free(synthesis_result *result) {
    hardware_counters_close(&result->counters);
    free(result->iterations);
    *result = (synthesis_result){0};
}
