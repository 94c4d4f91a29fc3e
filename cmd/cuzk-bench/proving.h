/* Proving measured: the chain of squarings or a job's circuits, phase by phase. */
#ifndef CUZK_BENCH_PROVING_H
#define CUZK_BENCH_PROVING_H

#include "device.h"
#include "groth16/prover.h"
#include "measure.h"
#include "roofline.h"

typedef struct proving_result proving_result;

typedef struct {
    unsigned chain_log_size;   /* of the chain; 0: a job */
    const char *job_path;      /* NULL: the chain */
    const char *directory;     /* of the parameters; NULL: a temporary one (chain), FIL_PROOFS_PARAMETER_CACHE (job) */
    uint64_t partitions;       /* of a job, at most; 0: all */
    uint64_t iterations, warm_up;
    uint64_t threads;          /* 0: one for each CPU */
    proving_scratch scratch;   /* directory NULL: none */
    device_choice device;
    /* Called when setup is done (if one was) and after each iteration that counts; NULL: silent. */
    void (*report)(const proving_result *result, uint64_t iterations_done);
} proving_options;

typedef struct {
    usage all;
    uint64_t disk_bytes;    /* read from disk meanwhile: nothing while the parameters are in the page cache */
    uint64_t peak_resident; /* most memory in that time (VmHWM), pages of the parameters included */
    prove_profile profile;
} proving_iteration;

struct proving_result {
    char circuit[64]; /* "chain-2^18", "porep-2KiB" */
    char device[256]; /* its name; "" for the CPU */
    uint64_t partitions, threads;
    uint64_t constraints, aux, inputs; /* of one partition */
    prove_sizes sizes;
    uint64_t shape_bytes, parameter_bytes; /* the whole file; its queries are read once for each partition */
    bool set_up;
    usage setup, shape;
    proving_iteration *iterations;
    uint8_t proof[PROOF_BYTES]; /* the last */
    roofline rates;
    hardware_counters counters;
};

/* Proves and verifies. Errors are those of the prover, of setup and of the job. Free the result with proving_result_free,
 * also on failure. */
cuzk_status measure_proving(proving_result *result, const proving_options *options, cuzk_error *error);
void proving_result_free(proving_result *result);

#endif
