/* Synthesis measured: circuits of a job, made into assignments in one way or another. */
#ifndef CUZK_BENCH_SYNTHESIS_H
#define CUZK_BENCH_SYNTHESIS_H

#include "base/error.h"
#include "measure.h"

typedef enum {
    STRATEGY_COMPACT, /* native witness, values made where they are needed */
    STRATEGY_KEPT,    /* classic: three linear combinations whose memory is kept from one constraint to the next */
    STRATEGY_VECTOR,  /* classic, with fresh combinations for each constraint: growing vectors, */
    STRATEGY_INLINE1, /* or room for 1, 2, 4 terms in place and vectors beyond */
    STRATEGY_INLINE2,
    STRATEGY_INLINE4,
    STRATEGY_COUNT
} synthesis_strategy;

extern const char *const STRATEGY_NAMES[STRATEGY_COUNT];

typedef struct {
    const char *job_path, *c1_path; /* one of them; the other is NULL */
    synthesis_strategy strategy;
    bool presize, arena; /* classic only */
    uint64_t partitions; /* at most; 0: all */
    uint64_t iterations, warm_up;
    uint64_t threads;    /* 0: one for each CPU; each works on a partition of its own */
    uint64_t block_rows; /* rows of A, B, C that are evaluated at a time (compact) */
} synthesis_options;

typedef struct {
    usage all;
    /* Compact: processor time of the witness and of A, B, C, over all partitions. */
    uint64_t witness_cpu_us, evaluation_cpu_us;
} synthesis_iteration;

typedef struct {
    char circuit[64]; /* "porep-32GiB" */
    uint64_t partitions, threads;
    uint64_t constraints, aux; /* of one partition */
    usage load, shape;         /* reading the job; the circuit's shape (compact and presized) */
    uint64_t shape_bytes, templates, pieces;
    uint64_t assignment_bytes;               /* of one partition */
    uint64_t term_allocations;               /* classic, of the last iteration */
    uint64_t resident_before, resident_peak; /* after reading the job, and at most so far */
    synthesis_iteration *iterations;         /* options->iterations */
    hardware_counters counters;
} synthesis_result;

/* CUZK_BAD_INPUT for a job that cannot be read, CUZK_UNSATISFIED, CUZK_NO_MEMORY. Free the result with
 * synthesis_result_free, also on failure. */
cuzk_status measure_synthesis(synthesis_result *result, const synthesis_options *options, cuzk_error *error);
void synthesis_result_free(synthesis_result *result);

/* Parses a strategy's name; the error lists them. */
cuzk_status parse_strategy(const char *name, synthesis_strategy *strategy, cuzk_error *error);

#endif
