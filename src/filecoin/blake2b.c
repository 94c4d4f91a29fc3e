#include "filecoin/blake2b.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

/* The square roots' fractions that SHA-512 starts with too. */
static const uint64_t INITIAL[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/* The order of the message's words in each round; rounds 10 and 11 repeat the first two. */
static const uint8_t ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

enum { ROUNDS = 12, PARAMETERS = 0x01010040 /* 64 bytes of hash, no key, sequential */ };

static inline uint64_t rotate_right(uint64_t x, unsigned bits) { return x >> bits | x << (64 - bits); }

static inline void mix(uint64_t *v, unsigned a, unsigned b, unsigned c, unsigned d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 63);
}

static inline void mix_round(uint64_t v[16], const uint64_t m[16], const uint8_t order[16]) {
    mix(v, 0, 4, 8, 12, m[order[0]], m[order[1]]);
    mix(v, 1, 5, 9, 13, m[order[2]], m[order[3]]);
    mix(v, 2, 6, 10, 14, m[order[4]], m[order[5]]);
    mix(v, 3, 7, 11, 15, m[order[6]], m[order[7]]);
    mix(v, 0, 5, 10, 15, m[order[8]], m[order[9]]);
    mix(v, 1, 6, 11, 12, m[order[10]], m[order[11]]);
    mix(v, 2, 7, 8, 13, m[order[12]], m[order[13]]);
    mix(v, 3, 4, 9, 14, m[order[14]], m[order[15]]);
}

uint64_t blake2b_512_first_word(const void *bytes, size_t length) {
    assert(length <= BLAKE2B_BLOCK_BYTES);
    uint8_t block[BLAKE2B_BLOCK_BYTES] = {0};
    memcpy(block, bytes, length);
    uint64_t message[16], state[16];
    for (unsigned i = 0; i < 16; i++)
        message[i] = load_u64_le(block + 8 * i);
    memcpy(state, INITIAL, sizeof INITIAL);
    memcpy(state + 8, INITIAL, sizeof INITIAL);
    state[0] ^= PARAMETERS;
    state[12] ^= length;
    state[14] = ~state[14]; /* the last block */
    for (unsigned round = 0; round < ROUNDS; round++)
        mix_round(state, message, ORDER[round % 10]);
    return INITIAL[0] ^ PARAMETERS ^ state[0] ^ state[8];
}
