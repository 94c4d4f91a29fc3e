/* BLAKE2b-512 of one block (RFC 7693), several times as fast as a call to the library: the graph's permutation hashes 16
 * bytes dozens of times for each node. */
#ifndef FILECOIN_BLAKE2B_H
#define FILECOIN_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

enum { BLAKE2B_BLOCK_BYTES = 128 };

/* The first 8 bytes of the hash, as a little-endian integer. length <= BLAKE2B_BLOCK_BYTES. No key. */
uint64_t blake2b_512_first_word(const void *bytes, size_t length);

#endif
