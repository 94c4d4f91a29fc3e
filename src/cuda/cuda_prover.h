/* The Groth16 prover on a device: groth16/prover.h's proof, with transforms and sums on the device, and the same bytes for the
 * same randomness. */
#ifndef CUDA_CUDA_PROVER_H
#define CUDA_CUDA_PROVER_H

#include "base/progress.h"
#include "cuda/device.h"
#include "groth16/prover.h"

typedef enum { CUDA_QUERY_H, CUDA_QUERY_L, CUDA_QUERY_A, CUDA_QUERY_B_G1, CUDA_QUERY_B_G2, CUDA_QUERIES } cuda_query;

/* {0} chooses everything. */
typedef struct {
    unsigned window_bits[CUDA_QUERIES]; /* 1 .. DEVICE_WINDOW_BITS_MAX; 0: chosen */
    size_t part_points;                 /* of a query, on the device at a time: at least 64; 0: chosen */
    bool b_g2_on_host;                  /* the sum over B in G2 by the CPU, while the device does the rest */
    bool use_mapping;                   /* copy points straight from the mapped file, not through page-locked memory */
} cuda_prover_options;

/* Reads CUZK_MSM_WINDOWS, "h=20,l=16,a=16,b_g1=16,b_g2=14" or some of these, into window_bits. Unset: leaves them. CUZK_BAD_INPUT
 * names the word that is wrong. */
cuzk_status cuda_prover_options_from_environment(cuda_prover_options *options, cuzk_error *error);

/* Seconds, and bytes that went up. */
typedef struct {
    double encoding; /* of the assignment, on the host */
    double waiting;  /* for the device */
    double transforms, queries[CUDA_QUERIES], verification, total;
    uint64_t assignment_bytes, point_bytes;
    bool by_host;                     /* the device failed or made a wrong proof, and the CPU made the proof */
    char reason[CUZK_ERROR_CAPACITY]; /* why; "" otherwise */
} cuda_prove_report;

typedef struct cuda_prover cuda_prover;

/* Takes device number ordinal, of device_count(). Any number of threads may prove with it: what goes to the device takes turns,
 * what the host does before and after does not. */
cuzk_status cuda_prover_create(cuda_prover **prover, unsigned ordinal, const cuda_prover_options *options, cuzk_error *error);
void cuda_prover_destroy(cuda_prover *prover);
/* For tests. */
device *cuda_prover_device(cuda_prover *prover);

/* groth16_prove_assignment, with the same meaning of its parameters, on the device; report may be NULL. If the device fails or
 * has not the memory, or its proof does not verify (which is always looked at unless options say otherwise), a warning is logged
 * and the CPU makes the proof. A device that has failed is not used again. */
cuzk_status cuda_prove(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                       const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                       cuzk_error *error);

#endif
