/* Strings of bits in words of 64, least significant first. */
#ifndef R1CS_BIT_WORDS_H
#define R1CS_BIT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that hold count bits. */
static inline size_t words_for_bits(size_t count) { return (count + 63) / 64; }

static inline bool bit_at(const uint64_t *words, size_t position) { return words[position / 64] >> (position % 64) & 1; }

/* `count` bits (1 ... 64) from a position on, with zeros above. No word is read that has none of them. */
static inline uint64_t take_bits(const uint64_t *words, size_t position, size_t count) {
    uint64_t bits = words[position / 64] >> (position % 64);
    if (position % 64 + count > 64)
        bits |= words[position / 64 + 1] << (64 - position % 64);
    return count < 64 ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

/* Sets those of `count` bits that are set in `bits`, whose others are zero. */
static inline void put_bits(uint64_t *words, size_t position, uint64_t bits, size_t count) {
    words[position / 64] |= bits << (position % 64);
    if (position % 64 + count > 64)
        words[position / 64 + 1] |= bits >> (64 - position % 64);
}

#endif
