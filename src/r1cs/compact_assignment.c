#include "r1cs/compact_assignment.h"

#include <assert.h>
#include <stdlib.h>

#include "r1cs/assignment.h"

enum { CACHE_SLOTS = 256, NO_PIECE = -1 };

/* Synthesis with witness along a known shape: the shape says which piece comes next and where its values go. */
typedef struct {
    constraint_system head;
    const circuit_shape *shape;
    compact_assignment *witness;
    broken_constraint broken;
    bool strays; /* the circuit is not of this shape; the rest of the synthesis is idle */

    /* The piece that is being filled, if it is not a block: how many of its bits and elements are there, and all values. */
    size_t piece;
    uint32_t bits, elements;
    fr *values;

    /* Of variables around it: those that were looked at last, and the piece where the last one was found. */
    struct {
        variable variable;
        fr value;
    } cache[CACHE_SLOTS];
    size_t found_piece;
} filling_system;

/* ---- Allocation -------------------------------------------------------------------------------------------------------- */

/* Goes to the piece that begins where the last one ended. */
static void next_piece(filling_system *system) {
    system->piece++;
    system->bits = system->elements = 0;
}

static const block_template *current_template(const filling_system *system) {
    return shape_template(system->shape, system->piece);
}

/* Finds the place of a new variable in the current piece, or in one behind it; false if it cannot be there. */
static bool place_of_new(filling_system *system, uint32_t index, bool is_bit, uint32_t *place) {
    const circuit_shape *shape = system->shape;
    while (!system->strays && system->piece < shape->piece_count && index >= shape->pieces[system->piece + 1].first_aux)
        next_piece(system);
    system->strays = system->strays || system->piece == shape->piece_count || current_template(system)->kind ||
                     index < shape->pieces[system->piece].first_aux;
    if (system->strays)
        return false;
    *place = index - shape->pieces[system->piece].first_aux;
    system->strays = bit_at(current_template(system)->bit_mask, *place) != is_bit;
    return !system->strays;
}

static void fill_aux(filling_system *system, uint32_t index, const fr *value) {
    uint32_t place;
    if (!place_of_new(system, index, false, &place))
        return;
    system->values[place] = *value;
    system->witness->elements[system->shape->pieces[system->piece].first_element + system->elements++] = *value;
}

static void fill(constraint_system *cs, variable v, const fr *value) {
    filling_system *system = (filling_system *)cs;
    if (variable_is_aux(v))
        fill_aux(system, variable_index(v), value);
    else if (v < system->shape->inputs)
        system->witness->inputs[v] = *value;
    else
        system->strays = true;
}

static void fill_bit(constraint_system *cs, variable v, bool value) {
    filling_system *system = (filling_system *)cs;
    uint32_t place;
    if (!place_of_new(system, variable_index(v), true, &place))
        return;
    system->values[place] = value ? FR_ONE : FR_ZERO;
    uint64_t *words = system->witness->bits + system->shape->pieces[system->piece].first_word;
    words[system->bits / 64] |= (uint64_t)value << (system->bits % 64);
    system->bits++;
}

static bool fill_block(constraint_system *cs, const block_kind *kind, void *request) {
    filling_system *system = (filling_system *)cs;
    const circuit_shape *shape = system->shape;
    /* What lies between the last block and this one has been filled. */
    while (!system->strays && system->piece < shape->piece_count &&
           (shape->pieces[system->piece].first_aux < cs->aux_count || !current_template(system)->kind))
        next_piece(system);
    const shape_piece *piece = &shape->pieces[system->piece];
    if (system->strays || system->piece == shape->piece_count || current_template(system)->kind != kind ||
        piece->first_aux != cs->aux_count || piece->first_row != cs->constraint_count) {
        system->strays = true;
        return false;
    }
    const block_template *t = current_template(system);
    kind->store(request, system->witness->bits + piece->first_word, system->witness->elements + piece->first_element);
    cs->aux_count += t->aux;
    cs->constraint_count += t->rows;
    next_piece(system);
    return true;
}

/* ---- Checking ---------------------------------------------------------------------------------------------------------- */

static bool in_piece(const circuit_shape *shape, size_t piece, uint32_t index) {
    return index >= shape->pieces[piece].first_aux && index < shape->pieces[piece + 1].first_aux;
}

/* The value of a variable that has been allocated. */
static const fr *look_up(filling_system *system, variable v) {
    const circuit_shape *shape = system->shape;
    if (!variable_is_aux(v))
        return &system->witness->inputs[v];
    uint32_t index = variable_index(v);
    if (system->piece < shape->piece_count && in_piece(shape, system->piece, index))
        return &system->values[index - shape->pieces[system->piece].first_aux];
    fr *value = &system->cache[index % CACHE_SLOTS].value;
    if (system->cache[index % CACHE_SLOTS].variable == v)
        return value;
    if (!in_piece(shape, system->found_piece, index))
        system->found_piece = shape_piece_of_aux(shape, index);
    uint32_t place = index - shape->pieces[system->found_piece].first_aux;
    compact_piece_aux(system->witness, system->found_piece, place, place + 1, value);
    system->cache[index % CACHE_SLOTS].variable = v;
    return value;
}

static void evaluate(fr *out, filling_system *system, const linear_combination *lc) {
    fr sum = FR_ZERO;
    for (size_t i = 0; i < lc->count; i++) {
        const fr *value = look_up(system, lc->terms[i].variable), *coefficient = &lc->terms[i].coefficient;
        fr product;
        if (fr_is_zero(value))
            continue;
        if (fr_is_one(coefficient)) {
            fr_add(&sum, &sum, value);
        } else if (fr_is_one(value)) {
            fr_add(&sum, &sum, coefficient);
        } else {
            fr_mul(&product, coefficient, value);
            fr_add(&sum, &sum, &product);
        }
    }
    *out = sum;
}

static void check(constraint_system *cs, const char *name) {
    filling_system *system = (filling_system *)cs;
    if (system->strays || system->broken.found)
        return;
    fr a, b, c;
    evaluate(&a, system, &cs->a);
    evaluate(&b, system, &cs->b);
    evaluate(&c, system, &cs->c);
    if (!constraint_holds(&a, &b, &c))
        broken_constraint_set(&system->broken, cs, name);
}

/* ---- All of it --------------------------------------------------------------------------------------------------------- */

static cuzk_status allocate_all(compact_assignment *witness, cuzk_error *error) {
    const circuit_shape *shape = witness->shape;
    TRY(big_buffer_allocate(&witness->inputs_memory, shape->inputs, sizeof(fr), "witness: inputs", error));
    /* One more, so that even of nothing there is an address. */
    TRY(big_buffer_allocate(&witness->bits_memory, (size_t)shape->stored_words + 1, sizeof(uint64_t), "witness: bits", error));
    TRY(big_buffer_allocate(&witness->elements_memory, (size_t)shape->stored_elements + 1, sizeof(fr), "witness: elements",
                            error));
    witness->inputs = witness->inputs_memory.data;
    witness->bits = witness->bits_memory.data;
    witness->elements = witness->elements_memory.data;
    return CUZK_OK;
}

static cuzk_status outcome(const filling_system *system, cuzk_error *error) {
    const circuit_shape *shape = system->shape;
    const constraint_system *cs = &system->head;
    if (system->strays || cs->input_count != shape->inputs || cs->aux_count != shape->aux ||
        cs->constraint_count != shape->constraints)
        return failure(
            error, CUZK_INTERNAL,
            "synthesis: the circuit is not of the shape given: found %u inputs, %u auxiliary variables, %llu constraints, "
            "expected %u, %u, %llu%s",
            cs->input_count, cs->aux_count, (unsigned long long)cs->constraint_count, shape->inputs, shape->aux,
            (unsigned long long)shape->constraints, system->strays ? " in another order" : "");
    if (system->broken.found)
        return failure(error, CUZK_UNSATISFIED, "the witness does not satisfy constraint %llu: %s",
                       (unsigned long long)system->broken.number, system->broken.name);
    return CUZK_OK;
}

static cuzk_status fill_all(compact_assignment *witness, const circuit *c, cuzk_error *error) {
    static const constraint_system_class class = {
        .allocated = fill, .enforced = check, .allocated_bit = fill_bit, .block = fill_block};
    filling_system *system = allocate_zeroed(1, sizeof *system);
    system->shape = witness->shape;
    system->witness = witness;
    system->values = allocate(system->shape->most_aux, sizeof(fr));
    constraint_system_init(&system->head, &class, true);
    c->synthesize(c, &system->head);
    cuzk_status status = outcome(system, error);
    constraint_system_free(&system->head);
    free(system->values);
    free(system);
    return status;
}

cuzk_status compact_assignment_create(compact_assignment *result, const circuit_shape *shape, const circuit *c,
                                      cuzk_error *error) {
    *result = (compact_assignment){.shape = shape};
    cuzk_status status = allocate_all(result, error);
    if (status == CUZK_OK)
        status = fill_all(result, c, error);
    if (status != CUZK_OK)
        compact_assignment_free(result);
    return status;
}

void compact_assignment_free(compact_assignment *witness) {
    big_buffer_free(&witness->inputs_memory);
    big_buffer_free(&witness->bits_memory);
    big_buffer_free(&witness->elements_memory);
    *witness = (compact_assignment){0};
}

size_t compact_assignment_bytes(const circuit_shape *shape) {
    return shape->inputs * sizeof(fr) + ((size_t)shape->stored_words + 1) * sizeof(uint64_t) +
           ((size_t)shape->stored_elements + 1) * sizeof(fr);
}
