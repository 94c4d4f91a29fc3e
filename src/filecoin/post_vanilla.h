/* Vanilla proofs of spacetime: opening a sector's tree R at the challenges (storage-proofs-post, fallback/vanilla.rs). */
#ifndef FILECOIN_POST_VANILLA_H
#define FILECOIN_POST_VANILLA_H

#include "filecoin/sector_view.h"
#include "filecoin/vanilla_proof.h"

/* The challenged leaves of a sector: WINNING_CHALLENGES or WINDOW_CHALLENGES. Position counts a WindowPoSt's sectors over
 * all its partitions, from 0; of a WinningPoSt's it is 0. */
void post_sector_challenges(uint64_t *challenges, const registered_proof *proof, const uint8_t randomness[32],
                            uint64_t sector_number, uint64_t position);
unsigned post_sector_challenge_count(proof_kind kind);

/* The proof of one sector; *proof is freed with free(). CUZK_BAD_INPUT if what is stored is damaged. */
cuzk_status post_prove_sector(post_sector_proof **proof, const sector_view *view, uint64_t sector_number,
                              const uint64_t *challenges, unsigned challenge_count, thread_pool *pool, cuzk_error *error);

#endif
