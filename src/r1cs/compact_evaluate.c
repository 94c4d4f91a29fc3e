/* The values of A, B and C, made piece by piece where they are needed: the part of compact_assignment.h about rows. */
#include <assert.h>
#include <stdlib.h>

#include "r1cs/compact_assignment.h"

enum { CODES_SLACK = 64 };

struct row_scratch {
    /* The piece whose rows are here, of which assignment; NULL: none. */
    const compact_assignment *witness;
    size_t piece;
    uint8_t *codes;
    wide_row *wide;
    size_t next_row, next_wide; /* of the piece, behind the range that was asked for last */

    fr *locals;         /* of rows between blocks: ONE, the slots and the piece's own variables */
    size_t found_piece; /* where a slot's variable was found last */

    fr tables[3][ROW_SMALL_CODES]; /* what each code says of A, B and C */
};

row_scratch *row_scratch_create(const circuit_shape *shape) {
    row_scratch *scratch = allocate_zeroed(1, sizeof *scratch);
    scratch->codes = allocate((size_t)shape->most_rows + CODES_SLACK, 1);
    scratch->wide = allocate(shape->most_wide_rows, sizeof *scratch->wide);
    scratch->locals = allocate(1 + (size_t)shape->most_slots + shape->most_aux, sizeof(fr));
    const fr *choices[] = {
        [ROW_A_ZERO / 2] = &FR_ZERO, [ROW_A_ONE / 2] = &FR_ONE, [ROW_A_TWO / 2] = &FR_TWO, [ROW_A_MINUS_ONE / 2] = &FR_MINUS_ONE};
    for (int code = 0; code < ROW_SMALL_CODES; code++) {
        scratch->tables[0][code] = *choices[code / 2];
        scratch->tables[1][code] = code & ROW_B ? FR_ONE : FR_ZERO;
        fr_mul(&scratch->tables[2][code], &scratch->tables[0][code], &scratch->tables[1][code]);
    }
    return scratch;
}

void row_scratch_free(row_scratch *scratch) {
    if (!scratch)
        return;
    free(scratch->codes);
    free(scratch->wide);
    free(scratch->locals);
    free(scratch);
}

/* ---- Rows between blocks, from their terms ----------------------------------------------------------------------------- */

/* The values of consecutive auxiliary variables. */
static void read_consecutive(row_scratch *scratch, const compact_assignment *witness, uint32_t begin, uint32_t end, fr *values) {
    const circuit_shape *shape = witness->shape;
    while (begin < end) {
        if (begin < shape->pieces[scratch->found_piece].first_aux || begin >= shape->pieces[scratch->found_piece + 1].first_aux)
            scratch->found_piece = shape_piece_of_aux(shape, begin);
        uint32_t first = shape->pieces[scratch->found_piece].first_aux,
                 behind = shape->pieces[scratch->found_piece + 1].first_aux;
        uint32_t stop = behind < end ? behind : end;
        compact_piece_aux(witness, scratch->found_piece, begin - first, stop - first, values);
        values += stop - begin;
        begin = stop;
    }
}

static void reverse(fr *values, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        fr swapped = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = swapped;
    }
}

static void read_run(row_scratch *scratch, const compact_assignment *witness, slot_run run, fr *values) {
    uint32_t index = variable_index(run.first), count = run.count;
    if (!variable_is_aux(run.first)) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = witness->inputs[slot_run_at(run, i)];
    } else if (run.step == 1 || count == 1) {
        read_consecutive(scratch, witness, index, index + count, values);
    } else if (run.step == -1) {
        read_consecutive(scratch, witness, index - (count - 1), index + 1, values);
        reverse(values, count);
    } else {
        read_consecutive(scratch, witness, index, index + 1, values);
        for (uint32_t i = 1; i < count; i++)
            values[i] = values[0];
    }
}

static void read_locals(row_scratch *scratch, const compact_assignment *witness, size_t index) {
    const circuit_shape *shape = witness->shape;
    const block_template *t = shape_template(shape, index);
    fr *values = scratch->locals;
    *values++ = FR_ONE;
    size_t run = shape->pieces[index].first_run;
    for (uint32_t left = t->slots; left > 0; run++) {
        read_run(scratch, witness, shape->runs[run], values);
        left -= shape->runs[run].count;
        values += shape->runs[run].count;
    }
    compact_piece_aux(witness, index, 0, t->aux, values);
}

static void evaluate_side(fr *sum, template_cursor *cursor, const fr *locals) {
    uint32_t local, coefficient;
    *sum = FR_ZERO;
    template_cursor_next_side(cursor);
    while (template_cursor_next_term(cursor, &local, &coefficient)) {
        const fr *value = &locals[local];
        fr product;
        if (fr_is_zero(value)) {
            continue;
        } else if (coefficient == COEFFICIENT_ONE) {
            fr_add(sum, sum, value);
        } else if (coefficient == COEFFICIENT_MINUS_ONE) {
            fr_sub(sum, sum, value);
        } else if (fr_is_one(value)) {
            fr_add(sum, sum, &cursor->coefficients[coefficient]);
        } else {
            fr_mul(&product, value, &cursor->coefficients[coefficient]);
            fr_add(sum, sum, &product);
        }
    }
}

static void evaluate_terms(row_scratch *scratch, const compact_assignment *witness, size_t index) {
    const block_template *t = shape_template(witness->shape, index);
    read_locals(scratch, witness, index);
    template_cursor cursor = template_cursor_at(&witness->shape->templates, t, 0);
    for (uint32_t i = 0; i < t->rows; i++) {
        evaluate_side(&scratch->wide[i].a, &cursor, scratch->locals);
        evaluate_side(&scratch->wide[i].b, &cursor, scratch->locals);
        evaluate_side(&scratch->wide[i].c, &cursor, scratch->locals);
    }
    memset(scratch->codes, ROW_WIDE, t->rows);
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------------- */

/* Puts a piece's rows into the scratch memory. */
static void load_piece(row_scratch *scratch, const compact_assignment *witness, size_t index) {
    if (scratch->witness == witness && scratch->piece == index)
        return;
    if (scratch->witness != witness)
        scratch->found_piece = 0;
    scratch->witness = witness;
    scratch->piece = index;
    scratch->next_row = scratch->next_wide = 0;
    const circuit_shape *shape = witness->shape;
    const shape_piece *piece = &shape->pieces[index];
    const block_template *t = shape_template(shape, index);
    if (t->kind)
        t->kind->rows(t->key, witness->bits + piece->first_word, witness->elements + piece->first_element, scratch->codes,
                      scratch->wide);
    else
        evaluate_terms(scratch, witness, index);
}

static size_t count_wide(const uint8_t *codes, size_t count) {
    size_t wide = 0;
    for (size_t i = 0; i < count;) {
        /* The inner sum stays in a byte, of which a vector has many. */
        uint8_t sum = 0;
        for (size_t end = count - i < UINT8_MAX ? count : i + UINT8_MAX; i < end; i++)
            sum = (uint8_t)(sum + (codes[i] >> 3));
        wide += sum;
    }
    return wide;
}

/* Consecutive rows of one piece. */
typedef struct {
    const uint8_t *codes;
    size_t count;
    const wide_row *wide; /* those of the rows that are wide */
    size_t wide_count;
} row_part;

/* The rows from begin on, up to the end of their piece or to `end`, which is at most the number of constraints. */
static row_part part_at(row_scratch *scratch, const compact_assignment *witness, uint64_t begin, uint64_t end) {
    const circuit_shape *shape = witness->shape;
    size_t index = scratch->piece;
    if (scratch->witness != witness || begin < shape->pieces[index].first_row)
        index = shape_piece_of_row(shape, begin);
    else if (begin >= shape->pieces[index + 1].first_row)
        index = index + 1 < shape->piece_count && begin < shape->pieces[index + 2].first_row ? index + 1
                                                                                             : shape_piece_of_row(shape, begin);
    load_piece(scratch, witness, index);
    uint64_t behind = shape->pieces[index + 1].first_row;
    size_t first = (size_t)(begin - shape->pieces[index].first_row);
    row_part part = {.codes = scratch->codes + first, .count = (size_t)((behind < end ? behind : end) - begin)};
    size_t wide_before = first == scratch->next_row ? scratch->next_wide : count_wide(scratch->codes, first);
    part.wide = scratch->wide + wide_before;
    part.wide_count = count_wide(part.codes, part.count);
    scratch->next_row = first + part.count;
    scratch->next_wide = wide_before + part.wide_count;
    return part;
}

/* ---- Codes to values ---------------------------------------------------------------------------------------------------- */

/* 32 bytes to be copied whole. */
typedef uint64_t element_vector __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(sizeof(element_vector) == sizeof(fr), "an element is copied as a vector");

/* How many rows come before the next wide one. */
static size_t small_rows(const uint8_t *codes, size_t count) {
    const uint8_t *wide = count == 0 || *codes == ROW_WIDE ? codes : memchr(codes, ROW_WIDE, count);
    return wide ? (size_t)(wide - codes) : count;
}

/* wide: the side's value in the first wide row; a wide_row has three. */
__attribute__((always_inline)) static inline void expand(fr *out, const uint8_t *codes, size_t count, const fr *table,
                                                         const fr *wide) {
    for (size_t i = 0; i < count;) {
        size_t end = i + small_rows(codes + i, count - i);
#pragma GCC unroll 8
        for (; i < end; i++)
            *(element_vector *)(void *)&out[i] = *(const element_vector *)(const void *)&table[codes[i]];
        for (; i < count && codes[i] == ROW_WIDE; i++, wide += sizeof(wide_row) / sizeof(fr))
            out[i] = *wide;
    }
}

typedef void expand_function(fr *out, const uint8_t *codes, size_t count, const fr *table, const fr *wide);

static void expand_anywhere(fr *out, const uint8_t *codes, size_t count, const fr *table, const fr *wide) {
    expand(out, codes, count, table, wide);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void expand_avx2(fr *out, const uint8_t *codes, size_t count, const fr *table,
                                                        const fr *wide) {
    expand(out, codes, count, table, wide);
}
#endif

/* The one for this processor. */
static expand_function *expand_side_function(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return expand_avx2;
#endif
    return expand_anywhere;
}

/* ---- Ranges -------------------------------------------------------------------------------------------------------------- */

static void fill_zero(fr *values, uint64_t count) {
    if (values)
        memset(values, 0, count * sizeof *values);
}

/* Rows behind the circuit's own. */
static void appended_rows(const compact_assignment *witness, uint64_t begin, uint64_t end, fr *a, fr *b, fr *c) {
    const circuit_shape *shape = witness->shape;
    fill_zero(a, end - begin);
    fill_zero(b, end - begin);
    fill_zero(c, end - begin);
    for (uint64_t row = begin; a && row < end && row - shape->constraints < shape->inputs; row++)
        a[row - begin] = witness->inputs[row - shape->constraints];
}

static fr *moved(fr *values, uint64_t count) { return values ? values + count : NULL; }

void compact_rows(const compact_assignment *witness, uint64_t begin, uint64_t end, fr *a, fr *b, fr *c, row_scratch *scratch) {
    uint64_t constraints = witness->shape->constraints, own_end = end < constraints ? end : constraints;
    uint64_t at = begin;
    expand_function *expand_side = expand_side_function();
    while (at < own_end) {
        row_part part = part_at(scratch, witness, at, own_end);
        if (a)
            expand_side(a + (at - begin), part.codes, part.count, scratch->tables[0], &part.wide->a);
        if (b)
            expand_side(b + (at - begin), part.codes, part.count, scratch->tables[1], &part.wide->b);
        if (c)
            expand_side(c + (at - begin), part.codes, part.count, scratch->tables[2], &part.wide->c);
        at += part.count;
    }
    if (at < end)
        appended_rows(witness, at, end, moved(a, at - begin), moved(b, at - begin), moved(c, at - begin));
}

size_t compact_row_codes(const compact_assignment *witness, uint64_t begin, uint64_t end, uint8_t *codes, wide_row *wide,
                         row_scratch *scratch) {
    const circuit_shape *shape = witness->shape;
    uint64_t own_end = end < shape->constraints ? end : shape->constraints;
    size_t found = 0;
    while (begin < own_end) {
        row_part part = part_at(scratch, witness, begin, own_end);
        memcpy(codes, part.codes, part.count);
        memcpy(wide + found, part.wide, part.wide_count * sizeof *wide);
        found += part.wide_count;
        codes += part.count;
        begin += part.count;
    }
    for (; begin < end; begin++) {
        bool is_input = begin - shape->constraints < shape->inputs;
        *codes++ = is_input ? ROW_WIDE : ROW_A_ZERO;
        if (is_input)
            wide[found++] = (wide_row){.a = witness->inputs[begin - shape->constraints]};
    }
    return found;
}
