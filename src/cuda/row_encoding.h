/* The values of A, B and C of all rows, as small as they cross the bus to a device: half a byte for each row, and of the wide
 * rows only what does not follow from others. A 32 GiB PoRep's 130 million rows take 90 MB so.
 *
 * C is A * B, since rows hold. Most wide rows belong to S-boxes of Poseidon, (x, 1), (x, x), (x^2, x^2), (x, x^4): each row's
 * numbers have occurred in a row or a product before, and of four rows one number is left. */
#ifndef CUDA_ROW_ENCODING_H
#define CUDA_ROW_ENCODING_H

#include <stdint.h>

#ifdef __CUDACC__
#define ROW_ENCODING_FUNCTION static __host__ __device__ inline
#else
#define ROW_ENCODING_FUNCTION static inline
#endif

/* A byte for each wide row, whose A and B are their own numbers or follow from the rows before it: the product (C) of the wide
 * row before, or the A of the one two before. Own numbers come one after another, a row's A before its B. Rows that follow from
 * others make a chain, whose first row does not. */
enum {
    WIDE_A_OWN = 0 << 0,
    WIDE_A_IS_PRODUCT = 1 << 0,
    WIDE_A_IS_EARLIER_A = 2 << 0, /* only in the third row of a chain or later */
    WIDE_A_MASK = 3 << 0,
    WIDE_B_OWN = 0 << 2,
    WIDE_B_IS_A = 1 << 2,
    WIDE_B_IS_PRODUCT = 2 << 2,
    WIDE_B_ZERO = 3 << 2,
    WIDE_B_ONE = 4 << 2,
    WIDE_B_MASK = 7 << 2,
    WIDE_CHAIN_MAX = 8, /* at most so many rows of a chain behind its first */
    ROWS_PER_WORD = 8   /* of codes (r1cs/block.h), four bits each, the first row lowest */
};

ROW_ENCODING_FUNCTION int wide_row_has_own_a(uint8_t kind) { return (kind & WIDE_A_MASK) == WIDE_A_OWN; }
ROW_ENCODING_FUNCTION int wide_row_has_own_b(uint8_t kind) { return (kind & WIDE_B_MASK) == WIDE_B_OWN; }
ROW_ENCODING_FUNCTION int wide_row_follows(uint8_t kind) {
    return !wide_row_has_own_a(kind) || (kind & WIDE_B_MASK) == WIDE_B_IS_PRODUCT;
}

#endif
