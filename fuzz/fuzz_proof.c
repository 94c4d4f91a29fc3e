/* Proof bytes: what decodes must encode to the same bytes. */
#include "groth16/proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size != PROOF_BYTES)
        return 0;
    groth16_proof proof;
    char point;
    if (proof_decode(&proof, data, &point) != POINT_OK)
        return 0;
    uint8_t again[PROOF_BYTES];
    proof_encode(again, &proof);
    if (memcmp(again, data, PROOF_BYTES) != 0)
        __builtin_trap();
    return 0;
}
