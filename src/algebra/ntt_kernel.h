/* What the levels of arithmetic do for the transforms of ntt_blocks.h, which says what blocks, layers and roots are. Internal to
 * this room. */
#ifndef ALGEBRA_NTT_KERNEL_H
#define ALGEBRA_NTT_KERNEL_H

#include "algebra/ntt.h"

enum {
    NTT_MAX_LOG_ROWS = 10, /* layers of a pass down columns */
    NTT_MAX_LOG_BLOCK = 12 /* a block of this size is done at once: it stays in a L2 cache */
};

/* Which way: from coefficients to values by splitting blocks; the same with the inverse roots; and back from values. */
typedef enum { NTT_SPLIT, NTT_SPLIT_INVERSE, NTT_MERGE } ntt_way;

typedef struct {
    unsigned min_log_size;     /* transforms of fewer elements are for the portable kernel */
    unsigned log_tile_columns; /* columns go through the first layers in tiles of so many */
    size_t workspace_bytes;    /* memory of one worker, aligned to 64 bytes */

    /* Roots for transforms of 2^log_size elements or fewer. */
    void *(*tables_create)(unsigned log_size);
    void (*tables_destroy)(void *tables);

    /* A block of 2^log_size elements is a matrix of 2^log_rows rows: down its columns, in tiles `first` .. `last` - 1, go its
     * first log_rows layers (at most NTT_MAX_LOG_ROWS). Elements are reduced at the end, or else below 2^256. */
    void (*columns)(const void *tables, ntt_way way, fr *values, unsigned log_size, unsigned log_rows, size_t block, size_t first,
                    size_t last, bool reduce, void *workspace);

    /* All layers of a block of 2^log_size elements, at most NTT_MAX_LOG_BLOCK. */
    void (*block)(const void *tables, ntt_way way, fr *values, unsigned log_size, size_t block, bool reduce, void *workspace);

    /* ntt_products of ntt_blocks.h. */
    size_t (*products)(size_t times);
} ntt_kernel;

/* For the portable kernel ntt_blocks.c takes ntt_kernel_mulx where the CPU has MULX and ADX. */
extern const ntt_kernel ntt_kernel_portable, ntt_kernel_mulx, ntt_kernel_avx2, ntt_kernel_ifma, ntt_kernel_ifma_model;

static inline size_t reverse_bits(size_t value, unsigned bits) {
    size_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (value >> i & 1) << (bits - 1 - i);
    return reversed;
}

#endif
