/* Vanilla proofs of sectors that exist on disk, encoded as requests carry them. Replica and cache are looked for where the
 * caller says; paths that a t_aux records are not used. All bytes read are checked: a damaged file is CUZK_BAD_INPUT. */
#ifndef FILECOIN_SECTOR_PROOFS_H
#define FILECOIN_SECTOR_PROOFS_H

#include "base/error.h"
#include "base/threads.h"
#include "filecoin/byte_buffer.h"
#include "filecoin/registered_proof.h"

typedef struct {
    const char *replica_path, *cache_directory;
    const uint8_t *comm_r; /* 32 bytes that it must have, or NULL */
} sector_location;

/* A WinningPoSt's or WindowPoSt's proof of one sector: appends a JSON list of one string. position: of the sector among
 * all that the WindowPoSt proves, over its partitions, from 0; only version 1.0's challenges depend on it. */
cuzk_status sector_post_proof(byte_buffer *json, const registered_proof *proof, uint64_t sector_number, uint64_t position,
                              const uint8_t randomness[32], const sector_location *sector, thread_pool *pool, cuzk_error *error);

/* A SnapDeals update's proofs: appends a JSON list of one string for each partition. comm_d_new: 32 bytes that the new data
 * must have, or NULL. */
cuzk_status sector_update_proofs(byte_buffer *json, const registered_proof *proof, const sector_location *old,
                                 const sector_location *updated, const uint8_t *comm_d_new, thread_pool *pool, cuzk_error *error);

/* A PoRep's commit phase 1: appends the JSON wrapper (c1_encode.h). The cache must still have its layers and trees. */
cuzk_status sector_c1(byte_buffer *json, const registered_proof *proof, uint64_t miner_id, uint64_t sector_number,
                      const uint8_t ticket[32], const uint8_t seed[32], const sector_location *sector, thread_pool *pool,
                      cuzk_error *error);

#endif
