/* Hashing outside circuits, over bytes: what data trees, labels, challenges and replica ids are made of. Poseidon and
 * tree nodes over field elements are gadgets/poseidon.h and gadgets/merkle.h. */
#ifndef FILECOIN_HASHES_H
#define FILECOIN_HASHES_H

#include "filecoin/sector_shape.h"

/* BLAKE2b of 64 bytes, without a key. */
void blake2b_512(uint8_t hash[64], const void *bytes, size_t length);
/* BLAKE2b of 32 bytes with a key of 1 to 64 bytes. */
void blake2b_256_keyed(uint8_t hash[32], const void *key, size_t key_length, const void *bytes, size_t length);

/* SHA-256 with the top two bits (of the last byte) cleared, so that it is a field element, little-endian. */
void sha256_truncated(uint8_t hash[32], const void *bytes, size_t length);

/* A node of tree D: sha256_truncated of its two children. node may alias them. */
void sha256_node(uint8_t node[32], const uint8_t left[32], const uint8_t right[32]);

/* Root of tree D over a sector of zeros: its comm_d. */
void zero_comm_d(uint8_t comm_d[32], const sector_shape *shape);

/* A miner's id as unsigned LEB128, padded with zeros to 32 bytes (the payload of its id address). */
void prover_id_of_miner(uint8_t prover_id[32], uint64_t miner_id);

/* sha256_truncated of prover id, sector number (u64 BE), ticket, comm_d and porep id (storage-proofs-porep,
 * generate_replica_id). */
void compute_replica_id(uint8_t replica_id[32], const uint8_t prover_id[32], uint64_t sector_number, const uint8_t ticket[32],
                        const uint8_t comm_d[32], const uint8_t porep_id[32]);

/* The label of a node: sha256_truncated of replica id, layer (u32 BE, from 1), node (u64 BE), 20 zeros and the parents
 * (storage-proofs-porep, labeling_proof.rs). */
void compute_label(uint8_t label[32], const uint8_t replica_id[32], unsigned layer, uint64_t node,
                   const uint8_t parents[LABEL_PARENTS][32]);

#endif
