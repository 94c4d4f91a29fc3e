/* PoRep vanilla proofs as Lotus and Curio pass them on: the output of commit phase 1 (serde_json of filecoin-proofs-api's
 * SealCommitPhase1Output), compact and with members in the Rust order, byte for byte. */
#ifndef FILECOIN_C1_ENCODE_H
#define FILECOIN_C1_ENCODE_H

#include "filecoin/byte_buffer.h"
#include "filecoin/vanilla_proof.h"

/* Points to what it describes and owns nothing. Byte strings are 32 bytes. */
typedef struct {
    const registered_proof *proof;
    uint64_t sector_number;
    const uint8_t *comm_r, *comm_d, *replica_id, *seed, *ticket;
    porep_partition_proof *const *partitions; /* registered_proof_partitions(proof) */
} c1_contents;

/* Appends the phase 1 output itself. */
void encode_c1_output(byte_buffer *buffer, const c1_contents *contents);

/* Appends the wrapper around it: {"Phase1Out": base64, "SectorNum": number, "SectorSize": bytes}. */
void encode_c1_wrapper(byte_buffer *buffer, const c1_contents *contents);

#endif
