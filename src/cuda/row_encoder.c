#include "cuda/row_encoder.h"

#include <stdlib.h>

enum { RANGE_ROWS = 1 << 14 };

/* One range of rows: its codes go where they belong, the rest stays here until the ranges before it are done. */
typedef struct {
    uint8_t *codes;
    wide_row *rows;
    uint8_t *wide;
    fr *numbers;
    size_t wide_count, number_count;
} range_encoding;

typedef struct {
    const compact_assignment *witness;
    row_encoding *encoding;
    uint64_t first_row; /* of the wave of ranges */
    range_encoding *ranges;
    row_scratch **scratch; /* one for each worker */
} encoding_loop;

static void pack_codes(uint32_t *words, const uint8_t *codes, size_t count) {
    for (size_t i = 0; i < count; i += ROWS_PER_WORD) {
        uint32_t word = 0;
        for (size_t j = 0; j < ROWS_PER_WORD && i + j < count; j++)
            word |= (uint32_t)codes[i + j] << (4 * j);
        words[i / ROWS_PER_WORD] = word;
    }
}

/* How a row's A and B are written, where rows[-1] and rows[-2] are the rows before it, as far as the chain goes back. */
static uint8_t kind_of(const wide_row *rows, unsigned chain, bool may_follow) {
    unsigned kind = WIDE_A_OWN | WIDE_B_OWN;
    if (may_follow && fr_equal(&rows[0].a, &rows[-1].c))
        kind = WIDE_A_IS_PRODUCT;
    else if (may_follow && chain >= 1 && fr_equal(&rows[0].a, &rows[-2].a))
        kind = WIDE_A_IS_EARLIER_A;
    if (fr_is_zero(&rows[0].b))
        kind |= WIDE_B_ZERO;
    else if (fr_is_one(&rows[0].b))
        kind |= WIDE_B_ONE;
    else if (fr_equal(&rows[0].b, &rows[0].a))
        kind |= WIDE_B_IS_A;
    else if (may_follow && fr_equal(&rows[0].b, &rows[-1].c))
        kind |= WIDE_B_IS_PRODUCT;
    return (uint8_t)kind;
}

static void encode_wide(range_encoding *range) {
    unsigned chain = 0; /* rows of the chain behind its first, before this row */
    range->number_count = 0;
    for (size_t i = 0; i < range->wide_count; i++) {
        const wide_row *row = &range->rows[i];
        uint8_t kind = kind_of(row, chain, i > 0 && chain < WIDE_CHAIN_MAX);
        chain = wide_row_follows(kind) ? chain + 1 : 0;
        if (wide_row_has_own_a(kind))
            range->numbers[range->number_count++] = row->a;
        if (wide_row_has_own_b(kind))
            range->numbers[range->number_count++] = row->b;
        range->wide[i] = kind;
    }
}

static void encode_ranges(void *context, size_t begin, size_t end, size_t worker) {
    encoding_loop *loop = context;
    if (!loop->scratch[worker])
        loop->scratch[worker] = row_scratch_create(loop->witness->shape);
    uint64_t rows = UINT64_C(1) << loop->witness->shape->domain_log_size;
    for (size_t i = begin; i < end; i++) {
        range_encoding *range = &loop->ranges[i];
        uint64_t first = loop->first_row + i * RANGE_ROWS, behind = first + RANGE_ROWS < rows ? first + RANGE_ROWS : rows;
        range->wide_count = compact_row_codes(loop->witness, first, behind, range->codes, range->rows, loop->scratch[worker]);
        pack_codes(loop->encoding->codes + first / ROWS_PER_WORD, range->codes, (size_t)(behind - first));
        encode_wide(range);
    }
}

/* Makes room for count elements; grows by half. */
static void *room_for(void *memory, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return memory;
    *capacity = count + count / 2;
    return reallocate(memory, *capacity, size);
}

static void append(row_encoding *encoding, const range_encoding *range) {
    encoding->wide = room_for(encoding->wide, &encoding->wide_capacity, encoding->wide_count + range->wide_count, 1);
    memcpy(encoding->wide + encoding->wide_count, range->wide, range->wide_count);
    encoding->wide_count += range->wide_count;
    encoding->numbers =
        room_for(encoding->numbers, &encoding->number_capacity, encoding->number_count + range->number_count, sizeof(fr));
    memcpy(encoding->numbers + encoding->number_count, range->numbers, range->number_count * sizeof(fr));
    encoding->number_count += range->number_count;
}

static cuzk_status encode_all(encoding_loop *loop, size_t wave, thread_pool *pool, progress *job, cuzk_error *error) {
    uint64_t rows = UINT64_C(1) << loop->witness->shape->domain_log_size;
    for (loop->first_row = 0; loop->first_row < rows; loop->first_row += (uint64_t)wave * RANGE_ROWS) {
        uint64_t left = (rows - loop->first_row + RANGE_ROWS - 1) / RANGE_ROWS;
        size_t ranges = left < wave ? (size_t)left : wave;
        parallel_for(pool, ranges, 1, encode_ranges, loop);
        for (size_t i = 0; i < ranges; i++)
            append(loop->encoding, &loop->ranges[i]);
        TRY(progress_check(job, error));
    }
    return CUZK_OK;
}

static void create_range(range_encoding *range) {
    range->codes = allocate(RANGE_ROWS, 1);
    range->rows = allocate(RANGE_ROWS, sizeof *range->rows);
    range->wide = allocate(RANGE_ROWS, 1);
    range->numbers = allocate((size_t)2 * RANGE_ROWS, sizeof(fr));
}

static void free_range(range_encoding *range) {
    free(range->codes);
    free(range->rows);
    free(range->wide);
    free(range->numbers);
}

cuzk_status row_encoding_create(row_encoding *encoding, const compact_assignment *witness, thread_pool *pool, progress *job,
                                cuzk_error *error) {
    size_t workers = thread_pool_size(pool), wave = 2 * workers, rows = (size_t)1 << witness->shape->domain_log_size;
    *encoding = (row_encoding){.code_words = (rows + ROWS_PER_WORD - 1) / ROWS_PER_WORD};
    TRY(big_buffer_allocate(&encoding->codes_memory, encoding->code_words, sizeof(uint32_t), "codes of rows", error));
    encoding->codes = encoding->codes_memory.data;
    encoding_loop loop = {.witness = witness, .encoding = encoding};
    loop.ranges = allocate_zeroed(wave, sizeof *loop.ranges);
    loop.scratch = allocate_zeroed(workers, sizeof *loop.scratch);
    for (size_t i = 0; i < wave; i++)
        create_range(&loop.ranges[i]);
    cuzk_status status = encode_all(&loop, wave, pool, job, error);
    for (size_t i = 0; i < wave; i++)
        free_range(&loop.ranges[i]);
    for (size_t i = 0; i < workers; i++)
        row_scratch_free(loop.scratch[i]);
    free(loop.ranges);
    free(loop.scratch);
    if (status != CUZK_OK)
        row_encoding_free(encoding);
    return status;
}

void row_encoding_free(row_encoding *encoding) {
    big_buffer_free(&encoding->codes_memory);
    free(encoding->wide);
    free(encoding->numbers);
    *encoding = (row_encoding){0};
}

uint64_t most_wide_rows_of(const circuit_shape *shape) {
    uint64_t rows = shape->inputs;
    for (size_t p = 0; p < shape->piece_count; p++)
        rows += shape_template(shape, p)->kind ? shape_template(shape, p)->storage.wide_rows : shape_template(shape, p)->rows;
    return rows;
}

uint64_t row_encoding_bytes(const circuit_shape *shape, size_t workers) {
    uint64_t codes = (UINT64_C(1) << shape->domain_log_size) / ROWS_PER_WORD * sizeof(uint32_t) + sizeof(uint32_t);
    uint64_t wide = most_wide_rows_of(shape), numbers = 2 * wide;
    uint64_t range = RANGE_ROWS * (1 + sizeof(wide_row) + 1 + 2 * sizeof(fr));
    uint64_t scratch = (uint64_t)shape->most_rows * (1 + sizeof(wide_row)) + (uint64_t)shape->most_aux * sizeof(fr);
    return codes + (wide + numbers * sizeof(fr)) * 3 / 2 + workers * (2 * range + scratch);
}
