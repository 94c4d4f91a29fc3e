/* Poseidon hashes as blocks (r1cs/block.h). */
#ifndef GADGETS_POSEIDON_BLOCK_H
#define GADGETS_POSEIDON_BLOCK_H

#include "gadgets/poseidon.h"

/* Hands poseidon_circuit to cs as a whole. False, with nothing done, if cs does not take it. */
bool poseidon_block(constraint_system *cs, poseidon_domain domain, const number *preimage, unsigned arity, number *hash);

#endif
