/* Transforms over Fr whose vector does not fit in memory, as transforms of a matrix's columns and rows (Bailey, "FFTs in
 * external or hierarchical memory", 1990). Each column and each row is transformed by itself, in place, wherever it is; who
 * calls brings them there.
 *
 * A vector of N = R * C elements is a matrix of R rows and C columns in two ways:
 *
 *   values        value i is in row i / C and column i mod C
 *   coefficients  coefficient k is in row k mod R and column k / R
 *
 * From values to coefficients: all columns, then all rows, by inverse_column and inverse_row. From coefficients to values:
 * all rows, then all columns. So columns and rows take turns, and a change of direction costs nothing: what leaves a row by
 * inverse_row can enter forward_row at once. */
#ifndef ALGEBRA_NTT_MATRIX_H
#define ALGEBRA_NTT_MATRIX_H

#include "algebra/ntt.h"

/* Constant after creation, shared by any number of threads. */
typedef struct ntt_matrix ntt_matrix;

/* R = 2^log_rows, C = 2^log_columns, N at most 2^NTT_MAX_LOG_SIZE (CUZK_BAD_INPUT names both). The tables take 64 * C bytes and
 * those of two domains (ntt.h). It belongs to the level of arithmetic (cpu.h) that is in use now. */
cuzk_status ntt_matrix_create(ntt_matrix **matrix, unsigned log_rows, unsigned log_columns, cuzk_error *error);
void ntt_matrix_destroy(ntt_matrix *matrix);

/* Column `index`, R elements: from values to the point between columns and rows. Coefficient k will be multiplied by
 * first * shift^(k mod R), which costs nothing here. */
void ntt_matrix_inverse_column(const ntt_matrix *matrix, fr *column, size_t index, const fr *first, const fr *shift);
/* A row, C elements: on to coefficients. */
void ntt_matrix_inverse_row(const ntt_matrix *matrix, fr *row);
/* The same from values on the coset g * <root>, g = FR_GENERATOR, if their columns were transformed with shift 1/g. */
void ntt_matrix_coset_inverse_row(const ntt_matrix *matrix, fr *row);

/* Row `index`, C elements: from coefficients that were multiplied by g^(k mod R) to the point between rows and columns, for
 * the values on the coset. */
void ntt_matrix_coset_forward_row(const ntt_matrix *matrix, fr *row, size_t index);
/* A column, R elements: on to values. */
void ntt_matrix_forward_column(const ntt_matrix *matrix, fr *column);

#endif
