/* 32-bit words of Booleans for SHA-256 (bellpepper, gadgets/uint32.rs). */
#ifndef GADGETS_UINT32_H
#define GADGETS_UINT32_H

#include "gadgets/multieq.h"

typedef struct {
    boolean bits[32]; /* least significant first */
    uint32_t value;   /* meaningful with a witness, and for a word of constants */
} uint32;

uint32 uint32_constant(uint32_t value);
/* 32 new bits. value is ignored without a witness. */
uint32 uint32_allocate(constraint_system *cs, uint32_t value);
/* From and to 32 bits, most significant first. */
uint32 uint32_from_bits_be(const boolean bits[32]);
void uint32_to_bits_be(const uint32 *a, boolean bits[32]);

/* Views: nothing is allocated. by is below 32. */
uint32 uint32_rotate_right(const uint32 *a, unsigned by);
uint32 uint32_shift_right(const uint32 *a, unsigned by);

/* Bit by bit, from the least significant on. */
uint32 uint32_xor(constraint_system *cs, const uint32 *a, const uint32 *b);
uint32 uint32_sha256_ch(constraint_system *cs, const uint32 *a, const uint32 *b, const uint32 *c);
uint32 uint32_sha256_maj(constraint_system *cs, const uint32 *a, const uint32 *b, const uint32 *c);

/* Sum modulo 2^32 of 2 to MULTIEQ_MAX_OPERANDS operands. Allocates as many bits as the greatest sum has, unless all bits
 * of all operands are constant; the equality of sum and bits goes into `equations`. */
uint32 uint32_add_many(multieq *equations, const uint32 *const *operands, size_t count);

#endif
