/* Bincode vanilla proofs. The first byte picks the kind and the sector's shape, the rest is the proof. */
#include <stdlib.h>

#include "filecoin/vanilla_bincode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const sector_shape *shape = &SECTOR_SHAPES[(data[0] >> 2) % SECTOR_SHAPE_COUNT];
    cuzk_error error = {0};
    cuzk_status status;
    if (data[0] & 2) {
        snap_partition_proof *proof = NULL;
        status = decode_snap_partition_proof(&proof, shape, data + 1, size - 1, &error);
        if (status == CUZK_OK)
            free(proof);
    } else {
        post_sector_proof *proof = NULL;
        status = decode_post_sector_proof(&proof, data[0] & 1 ? PROOF_WINNING : PROOF_WINDOW, shape, data + 1, size - 1, &error);
        if (status == CUZK_OK)
            free(proof);
    }
    if (status != CUZK_OK && error.message[0] == 0)
        __builtin_trap();
    return 0;
}
