/* The inner loops of the transforms. Internal to this room: a faster level of arithmetic replaces this file's functions
 * and nothing else. */
#ifndef ALGEBRA_NTT_KERNEL_H
#define ALGEBRA_NTT_KERNEL_H

#include "algebra/field.h"

/* Columns that are transformed together where a pass runs down a matrix: 256 bytes of each row. */
enum { NTT_TILE_WIDTH = 8 };

/* Transforms each of the `width` columns of a matrix of 2^log_rows rows (row-major): rows in natural order before, in
 * bit-reversed order after. roots[b] = w^reverse(b) for b < 2^(log_rows-1), where reverse() is on log_rows-1 bits and w
 * is the root of order 2^log_rows; a table for more rows begins with that for fewer. */
void ntt_columns(fr *matrix, unsigned log_rows, size_t width, const fr *roots);

/* values[i] *= factors[i]. */
void ntt_scale(fr *values, const fr *factors, size_t count);

/* values[i] *= first * ratio^i. */
void ntt_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count);

#endif
