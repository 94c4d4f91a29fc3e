/* The rows of a shape as linear combinations over the circuit's variables: the part of compact_shape.h that setup and
 * digests use. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "r1cs/compact_shape.h"

void shape_slots(const circuit_shape *shape, size_t piece, variable *slots) {
    size_t run = shape->pieces[piece].first_run;
    for (uint32_t left = shape_template(shape, piece)->slots; left > 0; left -= shape->runs[run++].count)
        for (uint32_t i = 0; i < shape->runs[run].count; i++)
            *slots++ = slot_run_at(shape->runs[run], i);
}

uint32_t shape_aux_before_row(const circuit_shape *shape, uint64_t row) {
    size_t piece = shape_piece_of_row(shape, row);
    return shape->pieces[piece].first_aux + shape_template(shape, piece)->aux_before[row - shape->pieces[piece].first_row];
}

typedef struct {
    const circuit_shape *shape;
    variable *slots; /* behind ONE */
    linear_combination sides[3];
    row_visitor visit;
    void *context;
} row_visit;

static void read_side(const row_visit *visit, template_cursor *cursor, uint32_t own, linear_combination *lc) {
    uint32_t first_own = 1 + cursor->template->slots, local, coefficient;
    linear_combination_clear(lc);
    template_cursor_next_side(cursor);
    while (template_cursor_next_term(cursor, &local, &coefficient)) {
        variable v = local < first_own ? visit->slots[local] : own + (local - first_own);
        linear_combination_add(lc, v, &cursor->coefficients[coefficient]);
    }
}

static void visit_piece(row_visit *visit, size_t index, uint64_t begin, uint64_t end) {
    const shape_piece *piece = &visit->shape->pieces[index];
    const block_template *t = shape_template(visit->shape, index);
    shape_slots(visit->shape, index, visit->slots + 1);
    template_cursor cursor = template_cursor_at(&visit->shape->templates, t, (uint32_t)(begin - piece->first_row));
    for (uint64_t row = begin; row < end; row++) {
        for (int i = 0; i < 3; i++)
            read_side(visit, &cursor, piece->first_aux | VARIABLE_AUX_BIT, &visit->sides[i]);
        visit->visit(visit->context, row, visit->sides);
    }
}

void circuit_shape_visit_rows(const circuit_shape *shape, uint64_t begin, uint64_t end, row_visitor visitor, void *context) {
    row_visit visit = {.shape = shape, .visit = visitor, .context = context};
    if (begin >= end)
        return;
    visit.slots = allocate((size_t)shape->most_slots + 1, sizeof(variable));
    visit.slots[0] = VARIABLE_ONE;
    for (size_t i = shape_piece_of_row(shape, begin); begin < end; i++) {
        assert(i < shape->piece_count);
        uint64_t piece_end = shape->pieces[i].first_row + (uint64_t)shape_template(shape, i)->rows;
        uint64_t stop = piece_end < end ? piece_end : end;
        if (begin < stop)
            visit_piece(&visit, i, begin, stop);
        begin = begin < stop ? stop : begin;
    }
    for (int i = 0; i < 3; i++)
        linear_combination_free(&visit.sides[i]);
    free(visit.slots);
}
