/* The passes of the transforms on levels of vector arithmetic (kernels.h). Internal to this room. */
#ifndef ALGEBRA_NTT_KERNEL_H
#define ALGEBRA_NTT_KERNEL_H

#include "algebra/ntt.h"

enum {
    NTT_TILE_WIDTH = 8,    /* columns that are transformed together where a pass runs down a matrix: 256 bytes of each row */
    NTT_MAX_LOG_OUTER = 10 /* a tile of 2^10 rows stays in a L2 cache */
};

/* A value in limbs of 52 bits, times 2^260 and reduced: a factor for level ifma. */
typedef struct {
    uint64_t limbs[5];
} ntt_factor;

/* What distinguishes the transforms, of size N = A * B * A; ntt.c says where the factors come from. */
typedef struct {
    fr root;                  /* of order N, or its inverse */
    fr *roots;                /* roots[b] = w^reverse(b), w of order M = max(A, B), b < M/2, reverse() on log M - 1 bits; so a
                                 table for more rows begins with that for fewer */
    ntt_factor *root_factors; /* the same */
    fr column_start;          /* factors of the first pass: column_start * shift_in^j * (root^j * shift_out)^k1 */
    fr shift_in;              /* the coset's shift g for a transform to the coset, else 1 */
    fr shift_out;             /* 1/g for a transform from the coset, else 1 */
    fr *row_ratios;           /* [A]: root^k1 * shift_in, from one column to the next */
    fr *input_scale;          /* [A]: g^(B * A * i1), or NULL */
    fr *middle_scale;         /* [B][A]: (root^A)^(k2 * i3) * shift_out^(A * k2), rows in bit-reversed order; NULL if B = 1 */
    fr *output_scale;         /* [A]: shift_out^(A * B * k3) in bit-reversed order, or NULL */
} ntt_tables;

/* One transform of values[i1][i2][i3], with A, B and A values of the indices. */
typedef struct {
    unsigned log_size, log_outer, log_middle; /* N, A, B; log_outer at least 5 */
    const ntt_tables *tables;
    fr *values;
} ntt_pass;

static inline size_t reverse_bits(size_t value, unsigned bits) {
    size_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (value >> i & 1) << (bits - 1 - i);
    return reversed;
}

/* For each level but the portable one, which has none (ntt_blocks.h):
 *
 * ntt_scratch_bytes(pass): how much memory, aligned to 64 bytes, the others want.
 *
 * ntt_first_pass(pass, column, scratch): columns column .. column + 7 of the matrix of A rows: scaled by input_scale,
 * transformed over i1, and multiplied by the factors between the passes. Leaves rows in bit-reversed order.
 *
 * ntt_other_passes(pass, row, rows, scratch): for each of these rows of the matrix, `rows` * B a multiple of 8: transformed over
 * i2 and scaled by middle_scale (if B > 1), then over i3 and scaled by output_scale. Leaves indices in bit-reversed order. */

/* One column by blocks: 2^log_rows values in natural order before, bit-reversed after; the roots those of ntt_tables. */
void ntt_one_column(fr *values, unsigned log_rows, const fr *roots);

/* Tables, to be freed: ratio^0 .. ratio^(count-1); and 2^log_count powers, that of i at the reverse of i. */
fr *ntt_powers(const fr *ratio, size_t count);
fr *ntt_powers_bit_reversed(const fr *ratio, unsigned log_count);

/* values[i] *= first * ratio^i. */
void ntt_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count);

/* ntt_domain_create with a choice of A = 2^log_outer for sizes above 2^10 (others ignore it): between 2^5 and 2^10, and B
 * no more than 2^10. So tests meet all shapes at small sizes. */
ntt_domain *ntt_domain_split(unsigned log_size, unsigned log_outer);

#endif
