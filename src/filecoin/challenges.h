/* Which nodes a proof must open: pseudo-random from what is committed and, where there is a beacon, its randomness. All
 * byte strings are 32 bytes; field elements among them canonical, little-endian. */
#ifndef FILECOIN_CHALLENGES_H
#define FILECOIN_CHALLENGES_H

#include "algebra/field.h"
#include "filecoin/registered_proof.h"

enum { MAX_POREP_CHALLENGES = 18, MAX_SNAP_CHALLENGES = 86 };

/* The proof->shape->porep_challenges challenges of a PoRep's partition, each 1 ... nodes - 1 (storage-proofs-porep
 * stacked/vanilla/challenges.rs). comm_r is used by synthetic and non-interactive PoRep only, seed by all but the latter. */
void porep_challenges(uint64_t *challenges, const registered_proof *proof, const uint8_t replica_id[32],
                      const uint8_t comm_r[32], const uint8_t seed[32], unsigned partition);

/* The synthetic PoRep's whole set, of which its challenges are a part: min(nodes, 2^18) of them. */
enum { MAX_SYNTHETIC_CHALLENGES = 1 << 18 };
uint64_t synthetic_challenge_count(const sector_shape *shape);
uint64_t synthetic_challenge(const sector_shape *shape, const uint8_t replica_id[32], const uint8_t comm_r[32], uint64_t index);

/* PoSt (storage-proofs-post fallback/vanilla.rs). Which of a miner's sector_count sectors the n-th election proves:
 * its position, below sector_count. */
uint64_t winning_sector_challenge(const uint8_t randomness[32], const uint8_t prover_id[32], uint64_t n, uint64_t sector_count);

/* The challenge_index-th leaf of a sector, below its number of nodes. */
uint64_t post_leaf_challenge(const sector_shape *shape, const uint8_t randomness[32], uint64_t sector_number,
                             uint64_t challenge_index);
/* The index of the n-th challenge of a sector that stands at sector_position, counted over all partitions: version 1.0
 * depends on the position, 1.2 (FIP-0061) does not (fallback/utils.rs). */
uint64_t post_challenge_index(const registered_proof *proof, uint64_t sector_position, unsigned n);

/* SnapDeals (storage-proofs-update challenges.rs, vanilla.rs). The shape->snap_challenges challenges of a partition, all
 * of them in its share of the nodes. */
void snap_challenges(uint64_t *challenges, const sector_shape *shape, const fr *comm_r_new, unsigned partition);
/* phi = H(comm_d_new, comm_r_old). */
void snap_phi(fr *phi, const fr *comm_d_new, const fr *comm_r_old);
/* rho = H(phi, high), high being the high bits of a node's index. */
void snap_rho(fr *rho, const fr *phi, uint64_t high);

#endif
