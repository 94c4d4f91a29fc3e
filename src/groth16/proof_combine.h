/* From the five sums of a proof to its three points, for every prover, whatever made the sums. */
#ifndef GROTH16_PROOF_COMBINE_H
#define GROTH16_PROOF_COMBINE_H

#include "groth16/proof.h"
#include "groth16/verifying_key.h"

/* The sums over the queries. */
typedef struct {
    g1 h, l, a, b_g1;
    g2 b_g2;
} query_sums;

/* With r, s the proof's randomness (Montgomery):
 *   A = alpha + a + r delta,  B = beta + b + s delta,  C = h + l + s A + r B - r s delta (B in G1 there). */
void proof_combine(groth16_proof *proof, const query_sums *sums, const verifying_key *vk, const fr *r, const fr *s);

/* An r or s: the given one, or if that is NULL one from the operating system, whose failure is passed on. */
cuzk_status proof_randomness(fr *out, const fr *given, cuzk_error *error);

#endif
