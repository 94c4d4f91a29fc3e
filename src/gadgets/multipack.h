/* Bits packed into numbers and inputs (bellpepper, gadgets/multipack.rs), and orders of bits. */
#ifndef GADGETS_MULTIPACK_H
#define GADGETS_MULTIPACK_H

#include "gadgets/number.h"

enum { MULTIPACK_CAPACITY = FR_BITS - 1 };

/* A new number, sum 2^i bits[i], of at most MULTIPACK_CAPACITY bits, least significant first: sum * 1 = number. */
number pack_bits(constraint_system *cs, const boolean *bits, size_t count);
/* As many new public inputs as it takes, each of MULTIPACK_CAPACITY bits (the last of what is left), least significant
 * first. */
void pack_into_inputs(constraint_system *cs, const boolean *bits, size_t count);

/* Reverses the bits within each byte: from numbers, least significant bit first, to SHA-256's order and back. A partial
 * last byte is filled up with constant zeros: out has count rounded up to a multiple of 8 bits. May not overlap. */
void reverse_bit_numbering(boolean *out, const boolean *bits, size_t count);

#endif
