#include "groth16/matrix_file.h"

#include <string.h>

enum { PIECE_ELEMENTS = (512 << 10) / (int)sizeof(fr) };

/* A run of consecutive columns of a slab of rows, which is what the file has in a row, takes so many columns. */
static size_t piece_columns(const matrix_shape *shape) {
    size_t columns = slab_columns(shape);
    while (columns > 1 && columns * slab_rows(shape) > PIECE_ELEMENTS)
        columns /= 2;
    return columns;
}

size_t matrix_piece_elements(const matrix_shape *shape) { return piece_columns(shape) * slab_rows(shape); }

cuzk_status matrix_file_create(matrix_file *matrix, const matrix_shape *shape, const char *directory, thread_pool *pool,
                               fr *pieces, cuzk_error *error) {
    *matrix = (matrix_file){.shape = *shape, .pool = pool, .pieces = pieces};
    uint64_t bytes = (uint64_t)sizeof(fr) << (shape->log_rows + shape->log_columns);
    return scratch_file_create(&matrix->file, directory, bytes, error);
}

void matrix_file_close(matrix_file *matrix) { scratch_file_close(&matrix->file); }

void matrix_transpose(fr *to, size_t to_stride, const fr *from, size_t from_stride, size_t rows, size_t columns) {
    enum { SIDE = 8 }; /* of a square: as many cache lines as one set of the cache holds, since strides are powers of two */
    for (size_t i0 = 0; i0 < rows; i0 += SIDE)
        for (size_t j0 = 0; j0 < columns; j0 += SIDE)
            for (size_t i = i0; i < rows && i < i0 + SIDE; i++)
                for (size_t j = j0; j < columns && j < j0 + SIDE; j++)
                    to[j * to_stride + i] = from[i * from_stride + j];
}

/* ---- Slabs ----------------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t row_slab, column; /* where it begins */
} piece;

static size_t pieces_of_slab(const matrix_shape *shape) { return slab_elements(shape) / matrix_piece_elements(shape); }

static piece piece_of_slab(const matrix_shape *shape, slab_kind kind, size_t slab, size_t index) {
    size_t columns = piece_columns(shape), in_both = slab_columns(shape) / columns;
    if (kind == SLAB_OF_ROWS)
        return (piece){.row_slab = slab, .column = index * columns};
    return (piece){.row_slab = index / in_both, .column = slab * slab_columns(shape) + index % in_both * columns};
}

static uint64_t piece_offset(const matrix_shape *shape, piece p) {
    return (p.row_slab * slab_elements(shape) + p.column * slab_rows(shape)) * sizeof(fr);
}

typedef struct {
    matrix_file *matrix;
    slab_kind kind;
    size_t slab;
    fr *to;         /* read to here, or NULL */
    const fr *from; /* written from here, or NULL */
    atomic_bool failed;
    cuzk_status status; /* with the error: of who was the first to set failed */
    cuzk_error *error;
} move_loop;

/* Between a piece's own memory and its place in the slab. */
static void take_from_slab(const move_loop *loop, piece p, fr *elements) {
    const matrix_shape *shape = &loop->matrix->shape;
    size_t rows = slab_rows(shape), columns = piece_columns(shape);
    if (loop->kind == SLAB_OF_ROWS) {
        matrix_transpose(elements, rows, loop->from + p.column, matrix_columns(shape), rows, columns);
        return;
    }
    const fr *first = loop->from + (p.column % slab_columns(shape)) * matrix_rows(shape) + p.row_slab * rows;
    for (size_t i = 0; i < columns; i++)
        memcpy(elements + i * rows, first + i * matrix_rows(shape), rows * sizeof(fr));
}

static void put_into_slab(const move_loop *loop, piece p, const fr *elements) {
    const matrix_shape *shape = &loop->matrix->shape;
    size_t rows = slab_rows(shape), columns = piece_columns(shape);
    if (loop->kind == SLAB_OF_ROWS) {
        matrix_transpose(loop->to + p.column, matrix_columns(shape), elements, rows, columns, rows);
        return;
    }
    fr *first = loop->to + (p.column % slab_columns(shape)) * matrix_rows(shape) + p.row_slab * rows;
    for (size_t i = 0; i < columns; i++)
        memcpy(first + i * matrix_rows(shape), elements + i * rows, rows * sizeof(fr));
}

static cuzk_status move_piece(move_loop *loop, piece p, fr *elements, cuzk_error *error) {
    matrix_file *matrix = loop->matrix;
    size_t bytes = matrix_piece_elements(&matrix->shape) * sizeof(fr);
    uint64_t offset = piece_offset(&matrix->shape, p);
    if (loop->from) {
        take_from_slab(loop, p, elements);
        return scratch_file_write(&matrix->file, offset, elements, bytes, error);
    }
    TRY(scratch_file_read(&matrix->file, offset, elements, bytes, error));
    put_into_slab(loop, p, elements);
    return CUZK_OK;
}

static void move_range(void *context, size_t begin, size_t end, size_t worker) {
    move_loop *loop = context;
    const matrix_shape *shape = &loop->matrix->shape;
    fr *elements = loop->matrix->pieces + worker * matrix_piece_elements(shape);
    for (size_t i = begin; i < end && !atomic_load(&loop->failed); i++) {
        cuzk_error error = {0};
        cuzk_status status = move_piece(loop, piece_of_slab(shape, loop->kind, loop->slab, i), elements, &error);
        if (status != CUZK_OK && !atomic_exchange(&loop->failed, true)) {
            loop->status = status;
            if (loop->error)
                *loop->error = error;
        }
    }
}

static cuzk_status move_slab(move_loop *loop) {
    parallel_for(loop->matrix->pool, pieces_of_slab(&loop->matrix->shape), 1, move_range, loop);
    return loop->status;
}

cuzk_status matrix_file_read(matrix_file *matrix, slab_kind kind, size_t index, fr *elements, cuzk_error *error) {
    move_loop loop = {.matrix = matrix, .kind = kind, .slab = index, .to = elements, .error = error};
    return move_slab(&loop);
}

cuzk_status matrix_file_write(matrix_file *matrix, slab_kind kind, size_t index, const fr *elements, cuzk_error *error) {
    move_loop loop = {.matrix = matrix, .kind = kind, .slab = index, .from = elements, .error = error};
    return move_slab(&loop);
}

void matrix_file_expect(const matrix_file *matrix, slab_kind kind, size_t index, size_t part, size_t parts) {
    const matrix_shape *shape = &matrix->shape;
    if (index >= matrix_slabs(shape))
        return;
    size_t pieces = pieces_of_slab(shape), bytes = matrix_piece_elements(shape) * sizeof(fr);
    for (size_t i = part * pieces / parts; i < (part + 1) * pieces / parts; i++)
        scratch_file_expect(&matrix->file, piece_offset(shape, piece_of_slab(shape, kind, index, i)), bytes);
}

/* ---- Ranges ---------------------------------------------------------------------------------------------------------- */

/* When a range contains the first element of a group of columns, a piece wide, the next group is expected. */
static void expect_group_behind(const matrix_file *matrix, size_t begin, size_t end) {
    const matrix_shape *shape = &matrix->shape;
    size_t columns = piece_columns(shape), group = columns << shape->log_rows;
    size_t bytes = matrix_piece_elements(shape) * sizeof(fr);
    size_t first = (begin + group - 1) / group + 1, behind = (end + group - 1) / group + 1;
    for (size_t next = first; next < behind && next * columns < matrix_columns(shape); next++)
        for (size_t i = 0; i < matrix_slabs(shape); i++)
            scratch_file_expect(&matrix->file, piece_offset(shape, (piece){.row_slab = i, .column = next * columns}), bytes);
}

cuzk_status matrix_file_read_range(matrix_file *matrix, size_t begin, size_t end, void *elements, cuzk_error *error) {
    const matrix_shape *shape = &matrix->shape;
    size_t rows = slab_rows(shape);
    uint8_t *to = elements;
    expect_group_behind(matrix, begin, end);
    while (begin < end) {
        /* Up to the end of the column's part in its slab of rows. */
        size_t column = begin >> shape->log_rows, row = begin & (matrix_rows(shape) - 1);
        size_t left = rows - row % rows, count = left < end - begin ? left : end - begin;
        uint64_t offset = piece_offset(shape, (piece){.row_slab = row / rows, .column = column}) + row % rows * sizeof(fr);
        TRY(scratch_file_read(&matrix->file, offset, to, count * sizeof(fr), error));
        to += count * sizeof(fr);
        begin += count;
    }
    return CUZK_OK;
}
