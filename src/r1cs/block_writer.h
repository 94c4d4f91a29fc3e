/* How kinds of blocks write down bits and rows. */
#ifndef R1CS_BLOCK_WRITER_H
#define R1CS_BLOCK_WRITER_H

#include <string.h>

#include "r1cs/block.h"

/* Bits one behind the other, least significant first. */
typedef struct {
    uint64_t *next;
    uint64_t pending; /* bits that do not fill a word yet */
    unsigned fill;    /* how many, below 64 */
} bit_writer;

/* Appends the low `count` bits (1 ... 64) of `bits`, whose others are zero. */
static inline void bit_writer_append(bit_writer *writer, uint64_t bits, unsigned count) {
    uint64_t pending = writer->pending | bits << writer->fill;
    unsigned fill = writer->fill + count;
    if (fill >= 64) {
        *writer->next++ = pending;
        pending = writer->fill ? bits >> (64 - writer->fill) : 0;
        fill -= 64;
    }
    writer->pending = pending;
    writer->fill = fill;
}

/* Writes the last word, if there is one. */
static inline void bit_writer_finish(bit_writer *writer) {
    if (writer->fill)
        *writer->next = writer->pending;
}

/* 16 codes at once. A vector is 16 bytes on every machine that gcc and clang know, in one register or more. */
typedef uint8_t code_vector __attribute__((vector_size(16)));
typedef uint8_t unaligned_code_vector __attribute__((vector_size(16), aligned(1), may_alias));

/* 0xff in byte i where bit i of 16 is set, else 0. */
static inline code_vector spread_bits(uint32_t bits) {
    typedef uint64_t word_pair __attribute__((vector_size(16)));
    const code_vector select = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint64_t ones = UINT64_C(0x0101010101010101);
    word_pair bytes = {(bits & 0xff) * ones, (bits >> 8 & 0xff) * ones};
    return (code_vector)(((code_vector)bytes & select) == select);
}

/* The codes of 16 rows: bit i of each argument belongs to row i. a_low and a_high are bits 1 and 2 of the code. */
static inline code_vector row_codes_16(uint32_t b, uint32_t a_low, uint32_t a_high) {
    return (spread_bits(b) & (uint8_t)ROW_B) | (spread_bits(a_low) & (uint8_t)ROW_A_ONE) |
           (spread_bits(a_high) & (uint8_t)ROW_A_TWO);
}

static inline void store_codes(uint8_t *codes, code_vector vector) {
    *(unaligned_code_vector *)(void *)codes = (unaligned_code_vector)vector;
}

/* Writes the codes of 32 rows, of which the caller may overwrite the last ones again. */
static inline void write_row_codes_32(uint8_t *codes, uint32_t b, uint32_t a_low, uint32_t a_high) {
    store_codes(codes, row_codes_16(b & 0xffff, a_low & 0xffff, a_high & 0xffff));
    store_codes(codes + 16, row_codes_16(b >> 16, a_low >> 16, a_high >> 16));
}

/* The codes of constraints (1 - bit) * bit = 0 of `count` bits. There is room for 32 codes more. */
static inline void write_bit_rows(uint8_t *codes, const uint64_t *bits, size_t count) {
    for (size_t i = 0; i < count; i += 32) {
        uint32_t part = (uint32_t)(bits[i / 64] >> (i % 64));
        write_row_codes_32(codes + i, part, ~part, 0);
    }
}

#endif
