/* The ChaCha block function (D. J. Bernstein, "ChaCha, a variant of Salsa20"; RFC 8439 for the IETF layout), as a
 * generator of pseudo-random words: 8 rounds seed the graph, 20 choose synthetic challenges. */
#ifndef FILECOIN_CHACHA_H
#define FILECOIN_CHACHA_H

#include <stdint.h>

enum { CHACHA_WORDS = 16 };

/* One block of the key stream. counter_and_nonce are words 12-15 of the state: a 64-bit counter and a 64-bit nonce in
 * the original layout, a 32-bit counter and a 96-bit nonce in the IETF's. rounds is even. Words are in host order; as
 * bytes they are little-endian. */
void chacha_block(uint32_t words[CHACHA_WORDS], const uint8_t key[32], const uint32_t counter_and_nonce[4], unsigned rounds);

#endif
