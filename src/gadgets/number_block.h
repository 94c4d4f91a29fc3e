/* Decompositions of numbers into bits as blocks (r1cs/block.h). */
#ifndef GADGETS_NUMBER_BLOCK_H
#define GADGETS_NUMBER_BLOCK_H

#include "gadgets/number.h"

/* Hands number_to_bits_le to cs as a whole. False, with nothing done, if cs does not take it. */
bool number_bits_block(constraint_system *cs, const number *a, boolean bits[FR_BITS]);

#endif
