#include "groth16/proof.h"

enum { OFFSET_B = G1_COMPRESSED_BYTES, OFFSET_C = G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES };

void proof_encode(uint8_t bytes[PROOF_BYTES], const groth16_proof *proof) {
    g1_compress(bytes, &proof->a);
    g2_compress(bytes + OFFSET_B, &proof->b);
    g1_compress(bytes + OFFSET_C, &proof->c);
}

point_error proof_decode(groth16_proof *proof, const uint8_t bytes[PROOF_BYTES], char *point) {
    *point = 'A';
    point_error wrong = g1_decompress(&proof->a, bytes, false);
    if (wrong != POINT_OK)
        return wrong;
    *point = 'B';
    wrong = g2_decompress(&proof->b, bytes + OFFSET_B, false);
    if (wrong != POINT_OK)
        return wrong;
    *point = 'C';
    return g1_decompress(&proof->c, bytes + OFFSET_C, false);
}
