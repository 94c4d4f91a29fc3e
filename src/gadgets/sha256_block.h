/* SHA-256 compressions as blocks (r1cs/block.h). */
#ifndef GADGETS_SHA256_BLOCK_H
#define GADGETS_SHA256_BLOCK_H

#include "gadgets/sha256.h"

/* Hands a compression to cs as a whole. False, with nothing done, if cs does not take it or everything is constant. */
bool sha256_compression_block(constraint_system *cs, const boolean block[SHA256_BLOCK_BITS], uint32 state[8]);

#endif
