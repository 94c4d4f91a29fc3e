/* Verification of Groth16 proofs: e(A, B) = e(alpha, beta) e(sum of inputs * ic, gamma) e(C, delta). */
#ifndef GROTH16_VERIFIER_H
#define GROTH16_VERIFIER_H

#include "groth16/proof.h"
#include "groth16/verifying_key.h"

enum { VERIFICATION_REASON_CAPACITY = 160 };

/* A verdict on proofs. Malformed bytes are a verdict too, not an error: they prove nothing. */
typedef struct {
    bool valid;
    size_t index;                              /* of the first invalid proof */
    char reason[VERIFICATION_REASON_CAPACITY]; /* why it is invalid; empty if valid */
} verification;

/* Verifies one proof. inputs: input_count public inputs (Montgomery) without ONE. CUZK_BAD_INPUT if the key takes another
 * number of them (both are named), CUZK_NO_MEMORY; otherwise CUZK_OK and a verdict. */
cuzk_status groth16_verify(verification *result, const verifying_key *vk, const uint8_t proof[PROOF_BYTES], const fr *inputs,
                           size_t input_count, thread_pool *pool, cuzk_error *error);

/* Verifies proof_count proofs under one key at once. proofs: proofs_bytes bytes, which must be proof_count * PROOF_BYTES
 * (CUZK_BAD_INPUT names both otherwise, also for proof_count 0); inputs: proof_count rows of input_count public inputs.
 * The equations are added with weights from the operating system's generator, so that a false one passes with
 * probability 2^-250; when the sum fails, the proofs are verified one by one to name the first invalid one.
 * Source of the method: Zcash protocol specification, appendix B.2. */
cuzk_status groth16_verify_batch(verification *result, const verifying_key *vk, const uint8_t *proofs, size_t proofs_bytes,
                                 const fr *inputs, size_t input_count, size_t proof_count, thread_pool *pool, cuzk_error *error);

#endif
