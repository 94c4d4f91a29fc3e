/* Vanilla proofs of PoSt and SnapDeals as bincode 1.3 writes them: fixed-width little-endian integers, u64 lengths, u32
 * enum tags, 32 bytes for a field element. All lengths follow from the sector's shape, so none decides an allocation.
 *
 * Errors are CUZK_BAD_INPUT and name the field and its position: "sectors[0].inclusion_proofs[2].path[1].index: found 9,
 * expected 0 to 7 (byte 4711)". */
#ifndef FILECOIN_VANILLA_BINCODE_H
#define FILECOIN_VANILLA_BINCODE_H

#include "filecoin/vanilla_proof.h"

/* FallbackPoStSectorProof of filecoin-proofs (types/mod.rs), of exactly size bytes, with the kind's number of inclusion
 * proofs. The proof is created; free it with free(). */
cuzk_status decode_post_sector_proof(post_sector_proof **proof, proof_kind kind, const sector_shape *shape, const uint8_t *bytes,
                                     size_t size, cuzk_error *error);

/* PartitionProof of storage-proofs-update (vanilla.rs), in the same way. */
cuzk_status decode_snap_partition_proof(snap_partition_proof **proof, const sector_shape *shape, const uint8_t *bytes,
                                        size_t size, cuzk_error *error);

#endif
