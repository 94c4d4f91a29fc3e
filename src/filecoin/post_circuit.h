/* Proofs of spacetime: WinningPoSt and one WindowPoSt partition (storage-proofs-post, fallback/circuit.rs, which both
 * share). A circuit has post_circuit_sectors sectors with post_circuit_challenges challenges each.
 *
 * Public inputs: for each sector comm_r and the positions of its challenged leaves in tree R. */
#ifndef FILECOIN_POST_CIRCUIT_H
#define FILECOIN_POST_CIRCUIT_H

#include "filecoin/vanilla_proof.h"
#include "r1cs/constraint_system.h"

typedef struct {
    circuit circuit; /* synthesize this */
    proof_kind kind; /* PROOF_WINNING or PROOF_WINDOW */
    const sector_shape *shape;
    const post_sector_proof *const *sectors; /* NULL: blank */
    size_t sector_count;
} post_circuit;

/* The circuit of a kind and sector size without a witness. */
post_circuit post_circuit_blank(proof_kind kind, const sector_shape *shape);

/* The circuit of vanilla proofs of one sector size, which must outlive it, as must the array. WinningPoSt takes one
 * proof, whose WINNING_CHALLENGES paths become a sector each. WindowPoSt takes 1 ... shape->window_sectors proofs of
 * WINDOW_CHALLENGES paths; the last stands in for those that a short partition lacks. CUZK_BAD_INPUT if sectors or paths
 * are too few or too many. */
cuzk_status post_circuit_init(post_circuit *result, proof_kind kind, const post_sector_proof *const *sectors, size_t sector_count,
                              cuzk_error *error);

#endif
