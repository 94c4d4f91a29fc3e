/* The five sums of a proof on a device. */
#ifndef CUDA_CUDA_SUMS_H
#define CUDA_CUDA_SUMS_H

#include "cuda/cuda_prover.h"
#include "cuda/device_query.h"
#include "cuda/row_encoder.h"
#include "groth16/proof_combine.h"

/* What every step of one proof works with. */
typedef struct {
    device *device;
    const cuda_prover_options *options;
    compact_assignment *witness;
    const parameters *parameters;
    thread_pool *pool;
    progress *job;
    cuda_prove_report *report;
    prove_profile *profile; /* may be NULL */
    row_encoding rows;
    aux_encoding aux;
    query_streams streams;
    kept_circuit *kept; /* NULL: nothing is kept */
    device_witness on_device;
    uint8_t made[PROOF_BYTES]; /* the device's proof, if it came to one, before it is verified */
    bool is_made;
} cuda_proving;

/* Takes rows, aux and streams; everything else the device's memory held is free again afterwards, but what is kept. */
cuzk_status cuda_sums(query_sums *sums, cuda_proving *p, cuzk_error *error);

/* Points of a query that are on the device at a time, if its points do not stay there. */
size_t cuda_part_points(const cuda_prover_options *options, section s);

#endif
