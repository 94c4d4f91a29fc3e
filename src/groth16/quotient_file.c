#include "groth16/quotient_file.h"

#include <stdlib.h>

#include "algebra/ntt_matrix.h"
#include "groth16/quotient.h"

enum {
    SIDE_A,
    SIDE_B,
    SIDE_C,
    EVALUATED_ROWS = 16, /* of the matrix, that are evaluated before they are turned into columns */
    LOG_LEAST_PIECE = 13 /* 256 KiB */
};

/* Halves of transforms that each pass does to a slab; in all those of QUOTIENT_TRANSFORMS. */
enum { INTERPOLATE_HALVES = 1, TO_COSET_HALVES = 2, MULTIPLY_HALVES = 3, DIVIDE_HALVES = 2 };
_Static_assert(3 * INTERPOLATE_HALVES + 2 * TO_COSET_HALVES + MULTIPLY_HALVES + DIVIDE_HALVES == 2 * QUOTIENT_TRANSFORMS,
               "all halves of all transforms");

/* What all passes work with. */
typedef struct {
    const compact_assignment *witness;
    matrix_shape shape;
    ntt_matrix *transforms;
    thread_pool *pool;
    progress *job;
    prove_profile *profile;
    phase_clock clock;

    matrix_file files[2];
    big_buffer memory;
    fr *slabs[2], *pieces;
    row_scratch **rows; /* one for each worker, made when first needed */
    fr by_vanishing, inverse_generator; /* 1 / Z on the coset; 1 / g */
    uint64_t halves;                    /* done, one for each slab */
} computation;

/* ---- Values on the domain -------------------------------------------------------------------------------------------- */

typedef struct {
    const computation *q;
    int side;
    size_t slab;
} evaluation_loop;

static size_t at_most(size_t value, size_t limit) { return value < limit ? value : limit; }

/* Rows begin .. end - 1 of a slab of columns. */
static void evaluate_range(void *context, size_t begin, size_t end, size_t worker) {
    const evaluation_loop *loop = context;
    const computation *q = loop->q;
    size_t rows = matrix_rows(&q->shape), columns = slab_columns(&q->shape), room = matrix_piece_elements(&q->shape);
    size_t height = at_most(EVALUATED_ROWS, room), width = at_most(columns, room / height);
    fr *values = q->pieces + worker * room;
    if (!q->rows[worker])
        q->rows[worker] = row_scratch_create(q->witness->shape);
    for (size_t row = begin; row < end; row += height) {
        size_t count = at_most(height, end - row);
        for (size_t column = 0; column < columns; column += width) {
            for (size_t i = 0; i < count; i++) {
                uint64_t first = (uint64_t)(row + i) * matrix_columns(&q->shape) + loop->slab * columns + column;
                fr *out[3] = {0};
                out[loop->side] = values + i * width;
                compact_rows(q->witness, first, first + width, out[SIDE_A], out[SIDE_B], out[SIDE_C], q->rows[worker]);
            }
            matrix_transpose(q->slabs[0] + column * rows + row, rows, values, width, count, width);
        }
    }
}

static void evaluate(const computation *q, int side, size_t slab) {
    evaluation_loop loop = {.q = q, .side = side, .slab = slab};
    size_t rows = matrix_rows(&q->shape), grain = even_grain(q->pool, rows);
    parallel_for(q->pool, rows, grain > EVALUATED_ROWS ? grain : EVALUATED_ROWS, evaluate_range, &loop);
}

/* ---- The lines of a slab, each by itself ------------------------------------------------------------------------------- */

typedef struct line_loop line_loop;

/* One line: row or column `index` of the matrix. */
typedef void (*line_step)(const line_loop *loop, fr *line, size_t index);

struct line_loop {
    const computation *q;
    slab_kind kind;
    size_t slab;
    line_step step;
    const fr *first, *shift; /* step_inverse_column */
    const matrix_file *next; /* whose next slab of this kind is wanted soon, or NULL */
    int in;                  /* which of the slabs in memory */
};

static size_t line_length(const line_loop *loop) {
    return loop->kind == SLAB_OF_ROWS ? matrix_columns(&loop->q->shape) : matrix_rows(&loop->q->shape);
}

static size_t line_count(const line_loop *loop) {
    return loop->kind == SLAB_OF_ROWS ? slab_rows(&loop->q->shape) : slab_columns(&loop->q->shape);
}

static void line_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const line_loop *loop = context;
    size_t count = line_count(loop), length = line_length(loop);
    for (size_t i = begin; i < end && !progress_cancelled(loop->q->job); i++) {
        if (loop->next)
            matrix_file_expect(loop->next, loop->kind, loop->slab + 1, i, count);
        loop->step(loop, loop->q->slabs[loop->in] + i * length, loop->slab * count + i);
    }
}

/* Does the step to all lines, and books its time. */
static void for_lines(line_loop loop, computation *q, prove_phase phase) {
    loop.q = q;
    parallel_for(q->pool, line_count(&loop), even_grain(q->pool, line_count(&loop)), line_range, &loop);
    phase_clock_lap(&q->clock, q->profile, phase);
}

static void step_inverse_column(const line_loop *loop, fr *line, size_t index) {
    ntt_matrix_inverse_column(loop->q->transforms, line, index, loop->first, loop->shift);
}

static void step_inverse_row(const line_loop *loop, fr *line, size_t index) {
    (void)index;
    ntt_matrix_inverse_row(loop->q->transforms, line);
}

static void step_coset_inverse_row(const line_loop *loop, fr *line, size_t index) {
    (void)index;
    ntt_matrix_coset_inverse_row(loop->q->transforms, line);
}

static void step_coset_forward_row(const line_loop *loop, fr *line, size_t index) {
    ntt_matrix_coset_forward_row(loop->q->transforms, line, index);
}

static void step_forward_column(const line_loop *loop, fr *line, size_t index) {
    (void)index;
    ntt_matrix_forward_column(loop->q->transforms, line);
}

/* The same line of the other slab in memory. */
static const fr *other_line(const line_loop *loop, const fr *line) {
    return loop->q->slabs[1 - loop->in] + (line - loop->q->slabs[loop->in]);
}

static void step_multiply(const line_loop *loop, fr *line, size_t index) {
    (void)index;
    const fr *other = other_line(loop, line);
    for (size_t i = 0; i < line_length(loop); i++)
        fr_mul(&line[i], &line[i], &other[i]);
}

static void step_subtract(const line_loop *loop, fr *line, size_t index) {
    (void)index;
    const fr *other = other_line(loop, line);
    for (size_t i = 0; i < line_length(loop); i++)
        fr_sub(&line[i], &line[i], &other[i]);
}

/* ---- Passes ---------------------------------------------------------------------------------------------------------- */

/* Ends a slab, to which so many halves of transforms were done. */
static cuzk_status slab_done(computation *q, uint64_t halves, cuzk_error *error) {
    uint64_t for_a_transform = 2 * matrix_slabs(&q->shape), before = q->halves / for_a_transform;
    q->halves += halves;
    progress_advance(q->job, q->halves / for_a_transform - before);
    return progress_check(q->job, error);
}

/* A, B or C from the assignment, halfway to coefficients, which will come out times first * shift^(k mod R). phase is that of the
 * evaluation. */
static cuzk_status begin_interpolation(computation *q, matrix_file *file, int side, const fr *first, const fr *shift,
                                       prove_phase phase, cuzk_error *error) {
    line_loop inverse = {.kind = SLAB_OF_COLUMNS, .step = step_inverse_column, .first = first, .shift = shift};
    for (size_t slab = 0; slab < matrix_slabs(&q->shape); slab++) {
        evaluate(q, side, slab);
        phase_clock_lap(&q->clock, q->profile, phase);
        inverse.slab = slab;
        for_lines(inverse, q, phase + 1);
        TRY(matrix_file_write(file, SLAB_OF_COLUMNS, slab, q->slabs[0], error));
        phase_clock_lap(&q->clock, q->profile, phase + 1);
        TRY(slab_done(q, INTERPOLATE_HALVES, error));
    }
    return CUZK_OK;
}

/* On to coefficients, and halfway to the coset. */
static cuzk_status turn_to_coset(computation *q, matrix_file *file, prove_phase phase, cuzk_error *error) {
    for (size_t slab = 0; slab < matrix_slabs(&q->shape); slab++) {
        TRY(matrix_file_read(file, SLAB_OF_ROWS, slab, q->slabs[0], error));
        for_lines((line_loop){.kind = SLAB_OF_ROWS, .slab = slab, .step = step_inverse_row, .next = file}, q, phase + 1);
        for_lines((line_loop){.kind = SLAB_OF_ROWS, .slab = slab, .step = step_coset_forward_row}, q, phase + 2);
        TRY(matrix_file_write(file, SLAB_OF_ROWS, slab, q->slabs[0], error));
        phase_clock_lap(&q->clock, q->profile, phase + 2);
        TRY(slab_done(q, TO_COSET_HALVES, error));
    }
    return CUZK_OK;
}

/* A or B halfway to the values on the coset; phase is that of its evaluation. */
static cuzk_status to_coset(computation *q, matrix_file *file, int side, prove_phase phase, cuzk_error *error) {
    TRY(begin_interpolation(q, file, side, &FR_ONE, &FR_GENERATOR, phase, error));
    return turn_to_coset(q, file, phase, error);
}

/* On to the values on the coset, their product, and halfway back to coefficients, divided by Z. */
static cuzk_status multiply(computation *q, cuzk_error *error) {
    for (size_t slab = 0; slab < matrix_slabs(&q->shape); slab++) {
        for (int side = SIDE_A; side <= SIDE_B; side++) {
            line_loop forward = {
                .kind = SLAB_OF_COLUMNS, .slab = slab, .step = step_forward_column, .next = &q->files[side], .in = side};
            TRY(matrix_file_read(&q->files[side], SLAB_OF_COLUMNS, slab, q->slabs[side], error));
            for_lines(forward, q, side == SIDE_A ? PHASE_TO_COSET_A : PHASE_TO_COSET_B);
        }
        for_lines((line_loop){.kind = SLAB_OF_COLUMNS, .slab = slab, .step = step_multiply}, q, PHASE_MULTIPLY);
        line_loop back = {.kind = SLAB_OF_COLUMNS,
                          .slab = slab,
                          .step = step_inverse_column,
                          .first = &q->by_vanishing,
                          .shift = &q->inverse_generator};
        for_lines(back, q, PHASE_FROM_COSET);
        TRY(matrix_file_write(&q->files[0], SLAB_OF_COLUMNS, slab, q->slabs[0], error));
        phase_clock_lap(&q->clock, q->profile, PHASE_FROM_COSET);
        TRY(slab_done(q, MULTIPLY_HALVES, error));
    }
    return CUZK_OK;
}

/* On to the coefficients of A * B and of C, and their difference, both divided by Z. */
static cuzk_status subtract(computation *q, cuzk_error *error) {
    for (size_t slab = 0; slab < matrix_slabs(&q->shape); slab++) {
        TRY(matrix_file_read(&q->files[0], SLAB_OF_ROWS, slab, q->slabs[0], error));
        for_lines((line_loop){.kind = SLAB_OF_ROWS, .slab = slab, .step = step_coset_inverse_row, .next = &q->files[0]}, q,
                  PHASE_FROM_COSET);
        TRY(matrix_file_read(&q->files[1], SLAB_OF_ROWS, slab, q->slabs[1], error));
        for_lines((line_loop){.kind = SLAB_OF_ROWS, .slab = slab, .step = step_inverse_row, .next = &q->files[1], .in = 1}, q,
                  PHASE_INTERPOLATE_C);
        for_lines((line_loop){.kind = SLAB_OF_ROWS, .slab = slab, .step = step_subtract}, q, PHASE_DIVIDE);
        TRY(matrix_file_write(&q->files[0], SLAB_OF_ROWS, slab, q->slabs[0], error));
        phase_clock_lap(&q->clock, q->profile, PHASE_DIVIDE);
        TRY(slab_done(q, DIVIDE_HALVES, error));
    }
    return CUZK_OK;
}

static cuzk_status run_passes(computation *q, cuzk_error *error) {
    ntt_vanishing_at(&q->by_vanishing, q->shape.log_rows + q->shape.log_columns, &FR_GENERATOR);
    fr_invert(&q->by_vanishing, &q->by_vanishing);
    fr_invert(&q->inverse_generator, &FR_GENERATOR);
    q->clock = phase_clock_start();
    TRY(to_coset(q, &q->files[0], SIDE_A, PHASE_EVALUATE_A, error));
    TRY(to_coset(q, &q->files[1], SIDE_B, PHASE_EVALUATE_B, error));
    TRY(multiply(q, error));
    TRY(begin_interpolation(q, &q->files[1], SIDE_C, &q->by_vanishing, &FR_ONE, PHASE_EVALUATE_C, error));
    return subtract(q, error);
}

/* ---- Memory and files -------------------------------------------------------------------------------------------------- */

static cuzk_status acquire(computation *q, const char *directory, cuzk_error *error) {
    size_t slab = slab_elements(&q->shape), workers = thread_pool_size(q->pool);
    size_t elements = 2 * slab + workers * matrix_piece_elements(&q->shape);
    TRY(ntt_matrix_create(&q->transforms, q->shape.log_rows, q->shape.log_columns, error));
    TRY(big_buffer_allocate(&q->memory, elements, sizeof(fr), "slabs of the quotient", error));
    q->slabs[0] = q->memory.data;
    q->slabs[1] = q->slabs[0] + slab;
    q->pieces = q->slabs[1] + slab;
    q->rows = allocate_zeroed(workers, sizeof *q->rows);
    for (int i = 0; i < 2; i++)
        TRY(matrix_file_create(&q->files[i], &q->shape, directory, q->pool, q->pieces, error));
    return CUZK_OK;
}

static void release(computation *q) {
    for (size_t i = 0; q->rows && i < thread_pool_size(q->pool); i++)
        row_scratch_free(q->rows[i]);
    free(q->rows);
    matrix_file_close(&q->files[0]);
    matrix_file_close(&q->files[1]);
    big_buffer_free(&q->memory);
    ntt_matrix_destroy(q->transforms);
}

/* The first file has become the quotient. */
static void hand_over(quotient_file *h, computation *q) {
    for (int i = 0; i < 2; i++) {
        h->bytes_read += q->files[i].file.bytes_read;
        h->bytes_written += q->files[i].file.bytes_written;
    }
    h->matrix = q->files[0];
    h->matrix.pieces = NULL;
    h->matrix.file.bytes_read = h->matrix.file.bytes_written = 0;
    q->files[0] = (matrix_file){0};
}

cuzk_status quotient_file_compute_cut(quotient_file *h, const compact_assignment *witness, const char *directory,
                                      const matrix_shape *shape, thread_pool *pool, progress *job, prove_profile *profile,
                                      cuzk_error *error) {
    computation q = {.witness = witness, .shape = *shape, .pool = pool, .job = job, .profile = profile};
    *h = (quotient_file){0};
    cuzk_status status = acquire(&q, directory, error);
    if (status == CUZK_OK)
        status = run_passes(&q, error);
    if (status == CUZK_OK)
        hand_over(h, &q);
    release(&q);
    return status;
}

uint64_t quotient_file_memory(const matrix_shape *shape, size_t workers) {
    enum { TABLES_BYTES = 1 << 20 };
    uint64_t elements = 2 * slab_elements(shape) + workers * matrix_piece_elements(shape) + 2 * matrix_columns(shape);
    return elements * sizeof(fr) + TABLES_BYTES;
}

cuzk_status quotient_file_shape(matrix_shape *shape, unsigned domain_log_size, const proving_scratch *scratch, size_t workers,
                                cuzk_error *error) {
    uint64_t memory_bytes = scratch->memory_bytes ? scratch->memory_bytes : PROVING_SCRATCH_MEMORY;
    unsigned most_log_slabs = domain_log_size > LOG_LEAST_PIECE ? (domain_log_size - LOG_LEAST_PIECE) / 2 : 0;
    *shape = (matrix_shape){.log_rows = domain_log_size / 2, .log_columns = domain_log_size - domain_log_size / 2};
    while (quotient_file_memory(shape, workers) > memory_bytes) {
        if (shape->log_slabs == most_log_slabs)
            return failure(error, CUZK_BAD_INPUT,
                           "memory for the transforms: found %llu bytes, expected at least %llu for a domain of 2^%u",
                           (unsigned long long)memory_bytes, (unsigned long long)quotient_file_memory(shape, workers),
                           domain_log_size);
        shape->log_slabs++;
    }
    return CUZK_OK;
}

cuzk_status quotient_file_compute(quotient_file *h, const compact_assignment *witness, const proving_scratch *scratch,
                                  thread_pool *pool, progress *job, prove_profile *profile, cuzk_error *error) {
    matrix_shape shape;
    *h = (quotient_file){0};
    TRY(quotient_file_shape(&shape, witness->shape->domain_log_size, scratch, thread_pool_size(pool), error));
    return quotient_file_compute_cut(h, witness, scratch->directory, &shape, pool, job, profile, error);
}

void quotient_file_free(quotient_file *h) {
    matrix_file_close(&h->matrix);
    *h = (quotient_file){0};
}

/* ---- The coefficients ---------------------------------------------------------------------------------------------------- */

void quotient_file_scalars(const void *context, size_t begin, size_t end, fr_canonical *out) {
    quotient_file *h = (quotient_file *)(uintptr_t)context;
    cuzk_error error = {0};
    if (matrix_file_read_range(&h->matrix, begin, end, out, &error) != CUZK_OK) {
        if (!atomic_exchange(&h->failed, true))
            h->failure = error;
        memset(out, 0, (end - begin) * sizeof *out);
        return;
    }
    for (size_t i = 0; i < end - begin; i++) {
        fr value;
        memcpy(&value, &out[i], sizeof value);
        fr_to_canonical(&out[i], &value);
    }
}

cuzk_status quotient_file_check(const quotient_file *h, cuzk_error *error) {
    if (!atomic_load(&h->failed))
        return CUZK_OK;
    return failure(error, h->failure.status, "%s", h->failure.message);
}
