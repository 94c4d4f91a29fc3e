/* A matrix of field elements that does not fit in memory, in a scratch file, and its way into memory and back in slabs: so
 * many whole rows, or so many whole columns, at once.
 *
 * With S slabs either way, R / S rows make a slab of rows, C / S columns one of columns. In the file slabs of rows follow
 * each other, and in each its columns. So a slab of rows is one run of bytes, a slab of columns is S runs, and the whole, column
 * by column, is S runs that grow side by side. */
#ifndef GROTH16_MATRIX_FILE_H
#define GROTH16_MATRIX_FILE_H

#include <stdbool.h>

#include "algebra/field.h"
#include "base/scratch_file.h"
#include "base/threads.h"

/* R = 2^log_rows, C = 2^log_columns, S = 2^log_slabs; S is at most R and at most C. */
typedef struct {
    unsigned log_rows, log_columns, log_slabs;
} matrix_shape;

static inline size_t matrix_rows(const matrix_shape *shape) { return (size_t)1 << shape->log_rows; }
static inline size_t matrix_columns(const matrix_shape *shape) { return (size_t)1 << shape->log_columns; }
static inline size_t matrix_slabs(const matrix_shape *shape) { return (size_t)1 << shape->log_slabs; }
/* Of a slab. */
static inline size_t slab_rows(const matrix_shape *shape) { return matrix_rows(shape) >> shape->log_slabs; }
static inline size_t slab_columns(const matrix_shape *shape) { return matrix_columns(shape) >> shape->log_slabs; }
static inline size_t slab_elements(const matrix_shape *shape) { return slab_rows(shape) << shape->log_columns; }

/* A slab moves in pieces of this many elements, half a megabyte where slabs are large enough: a power of two. */
size_t matrix_piece_elements(const matrix_shape *shape);

typedef struct {
    scratch_file file;
    matrix_shape shape;
    thread_pool *pool; /* moves pieces */
    fr *pieces;        /* the caller's: room for one for each worker of the pool */
} matrix_file;

/* Makes the file (scratch_file_create) with arbitrary contents. */
cuzk_status matrix_file_create(matrix_file *matrix, const matrix_shape *shape, const char *directory, thread_pool *pool,
                               fr *pieces, cuzk_error *error);
/* {0} is fine. */
void matrix_file_close(matrix_file *matrix);

typedef enum { SLAB_OF_ROWS, SLAB_OF_COLUMNS } slab_kind;

/* Moves slab `index` to memory or to the file; elements is an array of its rows or columns, each in consecutive elements.
 * CUZK_INPUT_OUTPUT. */
cuzk_status matrix_file_read(matrix_file *matrix, slab_kind kind, size_t index, fr *elements, cuzk_error *error);
cuzk_status matrix_file_write(matrix_file *matrix, slab_kind kind, size_t index, const fr *elements, cuzk_error *error);
/* Says that part `part` of `parts` of the slab will be read soon; a slab behind the last is ignored. */
void matrix_file_expect(const matrix_file *matrix, slab_kind kind, size_t index, size_t part, size_t parts);

/* Reads elements begin .. end - 1 of the whole in the order column by column, to elements; and what comes behind, for ranges
 * that ascend, is expected. Any number of threads may call it at once. */
cuzk_status matrix_file_read_range(matrix_file *matrix, size_t begin, size_t end, void *elements, cuzk_error *error);

/* to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns. */
void matrix_transpose(fr *to, size_t to_stride, const fr *from, size_t from_stride, size_t rows, size_t columns);

#endif
