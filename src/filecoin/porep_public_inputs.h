/* The public inputs of a PoRep partition's circuit, computed from public data alone: what a verifier knows. */
#ifndef FILECOIN_POREP_PUBLIC_INPUTS_H
#define FILECOIN_POREP_PUBLIC_INPUTS_H

#include "algebra/field.h"
#include "filecoin/registered_proof.h"

/* What a PoRep proves, 32 bytes each. comm_d, comm_r and replica_id are canonical field elements, little-endian. */
typedef struct {
    uint8_t replica_id[32], comm_d[32], comm_r[32];
    uint8_t seed[32]; /* of the interactive challenges; a non-interactive PoRep does not look at it */
} porep_statement;

/* Inputs of each challenge: 1 data path, 14 parents' paths, the challenge, its replica path and its column path. */
enum { POREP_INPUTS_PER_CHALLENGE = 1 + DRG_DEGREE + EXPANDER_DEGREE + 3 };
static inline unsigned porep_public_input_count(const sector_shape *shape) {
    return 3 + shape->porep_challenges * POREP_INPUTS_PER_CHALLENGE;
}

/* Writes porep_public_input_count values, without ONE, in the circuit's order (StackedCompound::generate_public_inputs
 * in storage-proofs-porep). partition < registered_proof_partitions(proof). */
void porep_public_inputs(fr *inputs, const registered_proof *proof, const porep_statement *statement, unsigned partition);

#endif
