/* A Groth16 proof and its 192 bytes: A (G1), B (G2), C (G1), compressed, one after another. */
#ifndef GROTH16_PROOF_H
#define GROTH16_PROOF_H

#include "algebra/curve.h"

enum { PROOF_BYTES = 2 * G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES };

typedef struct {
    g1_affine a;
    g2_affine b;
    g1_affine c;
} groth16_proof;

void proof_encode(uint8_t bytes[PROOF_BYTES], const groth16_proof *proof);

/* Decodes and checks: canonical encodings of points on their curves, in their subgroups and none at infinity. When one is
 * not, returns what is wrong with it and sets *point to 'A', 'B' or 'C'. */
point_error proof_decode(groth16_proof *proof, const uint8_t bytes[PROOF_BYTES], char *point);

#endif
