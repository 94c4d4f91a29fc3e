/* Vanilla proofs as bincode writes them: integers little-endian of fixed width, u64 lengths, u32 enum tags (serde of
 * storage-proofs-core merkle/proof.rs, filecoin-proofs types/mod.rs, storage-proofs-update vanilla.rs). */
#ifndef FILECOIN_VANILLA_ENCODE_H
#define FILECOIN_VANILLA_ENCODE_H

#include "filecoin/byte_buffer.h"
#include "filecoin/vanilla_proof.h"

/* Append FallbackPoStSectorProof; PartitionProof. */
void encode_post_sector_proof(byte_buffer *buffer, const post_sector_proof *proof);
void encode_snap_partition_proof(byte_buffer *buffer, const snap_partition_proof *proof);

/* Appends a JSON array of the proofs in base64, as requests carry them. begin and end bracket any number of proofs; each
 * is encoded into a buffer of its own before. */
void begin_proof_list(byte_buffer *list);
void append_to_proof_list(byte_buffer *list, const byte_buffer *proof);
void end_proof_list(byte_buffer *list);

/* Appends the whole list of an update's partitions. */
void encode_update_proof_list(byte_buffer *list, snap_partition_proof *const *proofs, size_t count);

#endif
