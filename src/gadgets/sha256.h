/* SHA-256 in a circuit (bellpepper, gadgets/sha256.rs). */
#ifndef GADGETS_SHA256_H
#define GADGETS_SHA256_H

#include "gadgets/uint32.h"

enum { SHA256_BLOCK_BITS = 512, SHA256_DIGEST_BITS = 256 };

extern const uint32_t SHA256_ROUND_CONSTANTS[64];

/* SHA-256 of count bits (a multiple of 8), padding included. Bits are in the order of the standard: bytes as they come,
 * most significant bit first, the digest too. About 26,000 constraints for each block of 512 bits, fewer for constant
 * bits. */
void sha256_circuit(constraint_system *cs, const boolean *input, size_t count, boolean digest[SHA256_DIGEST_BITS]);

/* One compression: replaces state by the compression of it and a block. */
void sha256_compression_circuit(constraint_system *cs, const boolean block[SHA256_BLOCK_BITS], uint32 state[8]);

#endif
