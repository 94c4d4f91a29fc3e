#include "filecoin/post_public_inputs.h"

#include "filecoin/challenges.h"

unsigned post_public_input_count(proof_kind kind, const sector_shape *shape) {
    return post_circuit_sectors(kind, shape) * (1 + post_circuit_challenges(kind));
}

void post_public_inputs(fr *inputs, const registered_proof *proof, const uint8_t randomness[32], uint64_t partition_index,
                        const post_public_sector *sectors, size_t count) {
    unsigned challenges = post_circuit_challenges(proof->kind), per_sector = 1 + challenges;
    unsigned circuit_sectors = post_circuit_sectors(proof->kind, proof->shape);
    for (unsigned i = 0; i < circuit_sectors; i++, inputs += per_sector) {
        if (proof->kind == PROOF_WINDOW && i >= count) {
            memcpy(inputs, inputs - per_sector, per_sector * sizeof *inputs);
            continue;
        }
        const post_public_sector *sector = &sectors[proof->kind == PROOF_WINNING ? 0 : i];
        uint64_t position = partition_index * circuit_sectors + i;
        inputs[0] = sector->comm_r;
        for (unsigned n = 0; n < challenges; n++)
            fr_from_u64(&inputs[1 + n], post_leaf_challenge(proof->shape, randomness, sector->number,
                                                            post_challenge_index(proof, position, n)));
    }
}

void snap_public_inputs(fr inputs[SNAP_PUBLIC_INPUTS], const sector_shape *shape, unsigned partition, const fr *comm_r_old,
                        const fr *comm_d_new, const fr *comm_r_new) {
    fr_from_u64(&inputs[0], snap_partition_selector(shape, partition));
    inputs[1] = *comm_r_old;
    inputs[2] = *comm_d_new;
    inputs[3] = *comm_r_new;
}
