/* The Groth16 prover on a device: groth16/prover.h's proof, with transforms and sums on the device, and the same bytes for the
 * same randomness. */
#ifndef CUDA_CUDA_PROVER_H
#define CUDA_CUDA_PROVER_H

#include "base/progress.h"
#include "cuda/device.h"
#include "groth16/device_driver.h"

typedef enum { CUDA_QUERY_H, CUDA_QUERY_L, CUDA_QUERY_A, CUDA_QUERY_B_G1, CUDA_QUERY_B_G2, CUDA_QUERIES } cuda_query;

/* {0} chooses everything. */
typedef struct {
    unsigned window_bits[CUDA_QUERIES]; /* 1 .. DEVICE_WINDOW_BITS_MAX; 0: chosen */
    size_t part_points;                 /* of a query, on the device at a time: at least 64; 0: chosen */
    bool b_g2_on_host;                  /* the sum over B in G2 by the CPU, while the device does the rest */
    device_pinning pinning;
    bool allocate_each_time; /* page-locked memory for each query, not once */
    bool keep_nothing;       /* no points stay on the device between proofs */
} cuda_prover_options;

/* Reads "h=20,l=16,a=16,b_g1=16,b_g2=14" or some of these into window_bits, which keeps the others. CUZK_BAD_INPUT names the word
 * that is wrong, behind `origin`, where the text is from. */
cuzk_status cuda_prover_windows(cuda_prover_options *options, const char *text, const char *origin, cuzk_error *error);
/* The same with CUZK_MSM_WINDOWS of the environment, if it is set. */
cuzk_status cuda_prover_options_from_environment(cuda_prover_options *options, cuzk_error *error);

/* Bytes that went up, and who made the proof. What phases took is in prove_options.profile. */
typedef struct {
    uint64_t assignment_bytes, point_bytes;
    bool by_host;                     /* the device failed or made a wrong proof, and the CPU made the proof */
    char reason[CUZK_ERROR_CAPACITY]; /* why; "" otherwise */
} cuda_prove_report;

typedef struct cuda_prover cuda_prover;

/* Takes device number ordinal, of device_count(). Any number of threads may prove with it: what goes to the device takes turns,
 * what the host does before and after does not. */
cuzk_status cuda_prover_create(cuda_prover **prover, unsigned ordinal, const cuda_prover_options *options, cuzk_error *error);
void cuda_prover_destroy(cuda_prover *prover);
const char *cuda_prover_name(const cuda_prover *prover);
uint64_t cuda_prover_memory_total(const cuda_prover *prover);
/* False once the device has failed. */
bool cuda_prover_works(const cuda_prover *prover);
/* The device's free memory when it was last used. */
uint64_t cuda_prover_memory_free(const cuda_prover *prover);
/* For tests: the device, and, while nobody proves, bytes of points and bitmaps that it keeps. */
device *cuda_prover_device(cuda_prover *prover);
uint64_t cuda_prover_kept_bytes(const cuda_prover *prover);

/* groth16_prove_assignment on the device, with the same meaning of its parameters; report may be NULL. CUZK_UNAVAILABLE if the
 * device fails, or if its proof does not verify (which is always looked at unless options say otherwise); CUZK_NO_MEMORY if it
 * has not the memory. A device that has failed is not used again. */
cuzk_status cuda_prove_alone(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                             const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                             cuzk_error *error);

/* The same, but where that fails with one of these two a warning is logged and the CPU makes the proof. */
cuzk_status cuda_prove(uint8_t proof[PROOF_BYTES], cuda_prover *prover, compact_assignment *witness, const parameters *p,
                       const prove_options *options, thread_pool *pool, progress *job, cuda_prove_report *report,
                       cuzk_error *error);

#endif
