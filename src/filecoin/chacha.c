#include "filecoin/chacha.h"

#include <string.h>

#include "base/bytes.h"

static inline uint32_t rotate(uint32_t x, unsigned bits) { return x << bits | x >> (32 - bits); }

static inline void quarter_round(uint32_t *s, unsigned a, unsigned b, unsigned c, unsigned d) {
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

void chacha_block(uint32_t words[CHACHA_WORDS], const uint8_t key[32], const uint32_t counter_and_nonce[4], unsigned rounds) {
    uint32_t state[CHACHA_WORDS];
    for (unsigned i = 0; i < 4; i++)
        state[i] = load_u32_le((const uint8_t *)"expand 32-byte k" + 4 * i);
    for (unsigned i = 0; i < 8; i++)
        state[4 + i] = load_u32_le(key + 4 * i);
    memcpy(state + 12, counter_and_nonce, 16);

    memcpy(words, state, sizeof state);
    for (unsigned round = 0; round < rounds; round += 2) {
        for (unsigned column = 0; column < 4; column++)
            quarter_round(words, column, 4 + column, 8 + column, 12 + column);
        for (unsigned diagonal = 0; diagonal < 4; diagonal++)
            quarter_round(words, diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4);
    }
    for (unsigned i = 0; i < CHACHA_WORDS; i++)
        words[i] += state[i];
}
