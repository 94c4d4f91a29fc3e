/* The Groth16 prover: from a circuit with its witness, or a finished assignment, to 192 bytes. */
#ifndef GROTH16_PROVER_H
#define GROTH16_PROVER_H

#include "base/progress.h"
#include "groth16/parameters.h"
#include "groth16/prove_profile.h"
#include "groth16/proof.h"
#include "groth16/quotient_file.h"
#include "r1cs/compact_assignment.h"

/* {0} or NULL gives the defaults. */
typedef struct {
    const fr *r, *s;        /* the proof's randomness (Montgomery); NULL: from the operating system. For tests only: a
                               known r or s reveals the witness */
    bool skip_verification; /* do not verify the finished proof against its own public inputs */
    prove_profile *profile; /* NULL, or what the phases took is added to it */
    const proving_scratch *scratch; /* NULL: all in memory; or the transforms go by way of files there, and the same bytes come
                                       out (quotient_file.h) */
} prove_options;

/* Wall seconds, in few words. */
typedef struct {
    double synthesis, transforms, h, l, a, b_g1, b_g2, verification;
} prove_times;

/* Synthesizes the circuit, its shape first, and proves it. The parameters' points must have been checked once
 * (parameters_check.h).
 * pool NULL: on the caller alone; job NULL: silent, not cancellable; times may be NULL. For the same r and s the bytes do
 * not depend on the number of threads. Fails with
 *   CUZK_UNSATISFIED  the witness breaks a constraint, which is named
 *   CUZK_BAD_INPUT    the parameters are another circuit's (found before anything is computed from them), or a point in
 *                     them is malformed
 *   CUZK_INTERNAL     the finished proof does not verify
 *   CUZK_NO_MEMORY, CUZK_CANCELLED
 *   what quotient_file_compute says of scratch files, if options name a place for them. */
cuzk_status groth16_prove(uint8_t proof[PROOF_BYTES], const circuit *c, const parameters *p, const prove_options *options,
                          thread_pool *pool, progress *job, prove_times *times, cuzk_error *error);

/* The same from a finished assignment, which it uses up and frees, on success and failure. times->synthesis is left
 * alone. Memory: two vectors of the domain's size for the transforms; then one, and what an MSM takes. With scratch files, what
 * these may take instead of vectors. The parameters' pages leave the process as they are used. */
cuzk_status groth16_prove_assignment(uint8_t proof[PROOF_BYTES], compact_assignment *witness, const parameters *p,
                                     const prove_options *options, thread_pool *pool, progress *job, prove_times *times,
                                     cuzk_error *error);

/* One of several assignments of one circuit. */
typedef struct {
    compact_assignment *witness; /* in; used up and freed */
    progress *job;               /* in: NULL, or cancels this one alone */
    uint8_t proof[PROOF_BYTES];  /* out, if status is CUZK_OK */
    cuzk_status status;          /* out */
    cuzk_error error;            /* out, unless CUZK_OK */
} prove_item;

/* Proves `count` assignments of one circuit in one pass over the parameters: each range of points is read once, for all of them.
 * What ends one leaves the others alone. Memory: one vector of the domain's size for each, one besides, and what an MSM takes for
 * each. The randomness in options, if any, is that of every proof; times and options->profile are those of the whole pass. */
void groth16_prove_together(prove_item *items, size_t count, const parameters *p, const prove_options *options, thread_pool *pool,
                            prove_times *times);

#endif
