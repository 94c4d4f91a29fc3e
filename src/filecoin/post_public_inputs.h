/* The public inputs of the PoSt and SnapDeals circuits, computed from public data alone: what a verifier knows. */
#ifndef FILECOIN_POST_PUBLIC_INPUTS_H
#define FILECOIN_POST_PUBLIC_INPUTS_H

#include "algebra/field.h"
#include "filecoin/registered_proof.h"

/* A sector that a PoSt is about. */
typedef struct {
    uint64_t number;
    fr comm_r;
} post_public_sector;

unsigned post_public_input_count(proof_kind kind, const sector_shape *shape);

/* Writes post_public_input_count values, without ONE, in the circuit's order (FallbackPoStCompound::generate_public_inputs
 * in storage-proofs-post): for each sector comm_r and its leaf challenges; the last sector stands for those that a short
 * WindowPoSt lacks, the one sector of a WinningPoSt for all. randomness: 32 bytes, canonical. count: 1, or up to
 * shape->window_sectors. partition_index: which of the miner's WindowPoSt partitions this is (0 for WinningPoSt). */
void post_public_inputs(fr *inputs, const registered_proof *proof, const uint8_t randomness[32], uint64_t partition_index,
                        const post_public_sector *sectors, size_t count);

/* SnapDeals (storage-proofs-update, circuit.rs, PublicInputs::to_vec): the partition's number and the choice of high bits
 * in one, comm_r_old, comm_d_new, comm_r_new. */
enum { SNAP_PUBLIC_INPUTS = 4 };
void snap_public_inputs(fr inputs[SNAP_PUBLIC_INPUTS], const sector_shape *shape, unsigned partition, const fr *comm_r_old,
                        const fr *comm_d_new, const fr *comm_r_new);

#endif
