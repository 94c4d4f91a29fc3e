/* A SHA-256 compression's variables and rows from 32-bit words: what sha256_compression_circuit makes one bit at a time. */
#ifndef GADGETS_SHA256_NATIVE_H
#define GADGETS_SHA256_NATIVE_H

#include "r1cs/block.h"

/* A word of Booleans. A constant bit is not negated. */
typedef struct {
    uint32_t value;    /* of the Booleans */
    uint32_t constant; /* which bits are constants */
    uint32_t negated;  /* which bits are the negation of their variable */
} native_word;

enum { SHA256_MESSAGE_WORDS = 16, SHA256_STATE_WORDS = 8, SHA256_INPUT_WORDS = SHA256_MESSAGE_WORDS + SHA256_STATE_WORDS };

/* Writes the variables that the compression of the message's 16 words into the state's 8 allocates, a bit each, least
 * significant first in words of 64, and the new state's values. At least one bit of the input is not constant. */
void sha256_native_bits(const native_word input[SHA256_INPUT_WORDS], uint64_t *bits, uint32_t state[SHA256_STATE_WORDS]);

/* Writes the codes of its rows (block.h), with room for 64 more, and the wide rows, which are MultiEq's. */
void sha256_native_rows(const native_word input[SHA256_INPUT_WORDS], uint8_t *codes, wide_row *wide);

#endif
