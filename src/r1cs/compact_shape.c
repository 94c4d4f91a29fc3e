#include "r1cs/compact_shape.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* Rows between blocks are cut into pieces of about this size, so that a piece fits into a cache. */
enum { PIECE_AUX = 512, PIECE_ROWS = 512, PIECE_TERMS = 4096, FIRST_PLACES = 1024 };

typedef struct {
    uint64_t *words;
    size_t capacity;
} bitmap;

/* Variables of the open piece, each with its slot. A place is in use if its stamp is the current one. */
typedef struct {
    struct {
        variable variable;
        uint32_t slot, stamp;
    } * places;
    size_t place_count;
    uint32_t stamp;
} slot_table;

typedef struct {
    constraint_system head;
    circuit_shape *shape;
    size_t pieces_capacity, runs_capacity;
    bitmap dense[DENSITIES]; /* all auxiliary variables */

    /* The piece that is open: rows since the last block. */
    row_buffer rows;
    uint32_t first_aux, first_row;
    uint64_t bit_mask[PIECE_AUX / 64];
    slot_table slot_table;
    variable *slots;
    size_t slot_count, slots_capacity;
} shaping_system;

/* ---- Bitmaps --------------------------------------------------------------------------------------------------------- */

static void bitmap_reserve(bitmap *map, size_t bits) {
    size_t words = words_for_bits(bits);
    if (words <= map->capacity)
        return;
    size_t capacity = map->capacity ? map->capacity : 1024;
    while (capacity < words)
        capacity *= 2;
    map->words = reallocate(map->words, capacity, sizeof(uint64_t));
    memset(map->words + map->capacity, 0, (capacity - map->capacity) * sizeof(uint64_t));
    map->capacity = capacity;
}

static void bitmap_set(bitmap *map, size_t index) {
    bitmap_reserve(map, index + 1);
    map->words[index / 64] |= UINT64_C(1) << (index % 64);
}

/* map |= `count` bits of `bits` from position `from` on, at position `to`. */
static void bitmap_or(bitmap *map, size_t to, const uint64_t *bits, size_t from, size_t count) {
    bitmap_reserve(map, to + count);
    for (size_t i = 0; i < count; i += 64) {
        size_t part = count - i < 64 ? count - i : 64;
        put_bits(map->words, to + i, take_bits(bits, from + i, part), part);
    }
}

/* ---- Pieces ---------------------------------------------------------------------------------------------------------- */

static void add_run(shaping_system *system, slot_run run) {
    circuit_shape *shape = system->shape;
    shape->runs = grow_array(shape->runs, shape->run_count, &system->runs_capacity, sizeof *shape->runs);
    shape->runs[shape->run_count++] = run;
}

static void add_runs(shaping_system *system, const variable *slots, size_t count) {
    for (size_t i = 0; i < count;) {
        slot_run run = {.first = slots[i++], .count = 1};
        if (i < count && slots[i] - run.first + 1 <= 2) /* one more, the same or one less */
            run.step = (int16_t)((int)(slots[i] - run.first + 1) - 1);
        for (; i < count && run.count < UINT16_MAX && slots[i] == slot_run_at(run, run.count); i++)
            run.count++;
        add_run(system, run);
    }
}

static bool runs_overlap(slot_run a, slot_run b) {
    variable a_low = a.step < 0 ? a.first - (a.count - 1u) : a.first, b_low = b.step < 0 ? b.first - (b.count - 1u) : b.first;
    return a_low < b_low + b.count && b_low < a_low + a.count;
}

/* Whether a variable stands in more than one slot of the last piece, a block: then terms of its rows may fall together. */
static bool slots_repeat(const circuit_shape *shape) {
    size_t first = shape->pieces[shape->piece_count - 1].first_run;
    for (size_t i = first; i < shape->run_count; i++) {
        if (shape->runs[i].count > 1 && shape->runs[i].step == 0)
            return true;
        for (size_t j = first; j < i; j++)
            if (runs_overlap(shape->runs[i], shape->runs[j]))
                return true;
    }
    return false;
}

static void mark_variable(shaping_system *system, int which, variable v) {
    if (variable_is_aux(v))
        bitmap_set(&system->dense[which], variable_index(v));
    else if (which == DENSITY_B)
        density_set(&system->shape->b_input, v);
}

static void mark_piece(shaping_system *system, const block_template *t, const variable *slots, uint32_t first_aux) {
    for (int i = 0; i < 3; i++)
        system->shape->nonzeros[i] += t->nonzeros[i];
    for (int which = 0; which < DENSITIES; which++) {
        const uint64_t *marks = t->marks[which];
        if (marks[0] & 1)
            mark_variable(system, which, VARIABLE_ONE);
        for (uint32_t i = 0; i < t->slots; i++)
            if (bit_at(marks, 1 + i))
                mark_variable(system, which, slots[i]);
        bitmap_or(&system->dense[which], first_aux, marks, 1 + t->slots, t->aux);
    }
}

/* The same with terms that fall together. */
static void mark_row(void *context, uint64_t row, const linear_combination sides[3]) {
    (void)row;
    shaping_system *system = context;
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < sides[i].count; j++) {
            if (fr_is_zero(&sides[i].terms[j].coefficient))
                continue;
            system->shape->nonzeros[i]++;
            if (i < DENSITIES)
                mark_variable(system, i, sides[i].terms[j].variable);
        }
    }
}

static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Appends a piece that begins at the given variable and row. */
static void add_piece(shaping_system *system, uint32_t template, const variable *slots, uint32_t first_aux, uint32_t first_row) {
    circuit_shape *shape = system->shape;
    const block_template *t = &shape->templates.templates[template];
    shape->pieces = grow_array(shape->pieces, shape->piece_count + 1, &system->pieces_capacity, sizeof *shape->pieces);
    shape->pieces[shape->piece_count++] = (shape_piece){.template = template,
                                                        .first_aux = first_aux,
                                                        .first_row = first_row,
                                                        .first_word = shape->stored_words,
                                                        .first_element = shape->stored_elements,
                                                        .first_run = (uint32_t)shape->run_count};
    add_runs(system, slots, t->slots);
    shape->stored_words += (uint32_t)words_for_bits(t->storage.bits);
    shape->stored_elements += t->storage.elements;
    shape->most_aux = greater(shape->most_aux, t->aux);
    shape->most_rows = greater(shape->most_rows, t->rows);
    shape->most_wide_rows = greater(shape->most_wide_rows, t->storage.wide_rows);
    shape->most_slots = greater(shape->most_slots, t->slots);
    /* One behind the last, where a visit to the rows finds the end. */
    shape->pieces[shape->piece_count] = (shape_piece){.first_aux = first_aux + t->aux, .first_row = first_row + t->rows};
    if (t->kind && slots_repeat(shape))
        circuit_shape_visit_rows(shape, first_row, first_row + t->rows, mark_row, system);
    else
        mark_piece(system, t, slots, first_aux);
}

/* ---- Rows between blocks --------------------------------------------------------------------------------------------- */

static void slot_table_begin(slot_table *table, size_t variables) {
    if (2 * variables > table->place_count) {
        free(table->places);
        table->place_count = table->place_count ? table->place_count : FIRST_PLACES;
        while (2 * variables > table->place_count)
            table->place_count *= 2;
        table->places = allocate_zeroed(table->place_count, sizeof *table->places);
        table->stamp = 0;
    }
    table->stamp++;
}

/* The slot of a variable around the open piece, new or not. */
static uint32_t slot_of(shaping_system *system, variable v) {
    slot_table *table = &system->slot_table;
    size_t mask = table->place_count - 1, place = (v * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (table->places[place].stamp == table->stamp && table->places[place].variable != v)
        place = (place + 1) & mask;
    if (table->places[place].stamp != table->stamp) {
        table->places[place].variable = v;
        table->places[place].stamp = table->stamp;
        table->places[place].slot = (uint32_t)system->slot_count;
        system->slots = grow_array(system->slots, system->slot_count, &system->slots_capacity, sizeof(variable));
        system->slots[system->slot_count++] = v;
    }
    return table->places[place].slot;
}

static bool is_own(const shaping_system *system, variable v) {
    return variable_is_aux(v) && variable_index(v) >= system->first_aux;
}

/* From the circuit's numbering to the piece's: ONE, slots in the order of their first use, own variables. */
static void number_rows(shaping_system *system) {
    row_buffer *rows = &system->rows;
    slot_table_begin(&system->slot_table, rows->terms);
    system->slot_count = 0;
    for (size_t i = 0; i < rows->terms; i++) {
        variable v = rows->variables[i];
        if (v != VARIABLE_ONE && !is_own(system, v))
            rows->variables[i] = 1 + slot_of(system, v);
        else if (v == VARIABLE_ONE)
            rows->variables[i] = 0;
    }
    /* An own variable still has the bit of an auxiliary one, which no number of a slot has. */
    for (size_t i = 0; i < rows->terms; i++)
        if (variable_is_aux(rows->variables[i]))
            rows->variables[i] = (uint32_t)(1 + system->slot_count) + variable_index(rows->variables[i]) - system->first_aux;
}

static uint32_t open_aux(const shaping_system *system) { return system->head.aux_count - system->first_aux; }

/* Closes the open piece, to which aux variables belong, and opens the next. */
static void close_piece(shaping_system *system, uint32_t aux) {
    if (aux > 0 || system->rows.rows > 0) {
        number_rows(system);
        uint32_t template =
            template_of_rows(&system->shape->templates, &system->rows, (uint32_t)system->slot_count, aux, system->bit_mask);
        add_piece(system, template, system->slots, system->first_aux, system->first_row);
    }
    system->first_aux += aux;
    system->first_row += (uint32_t)system->rows.rows;
    row_buffer_clear(&system->rows);
    memset(system->bit_mask, 0, sizeof system->bit_mask);
}

/* Makes room for a new variable in the open piece and returns its number there. */
static uint32_t place_of_new(shaping_system *system, variable v) {
    if (variable_index(v) - system->first_aux == PIECE_AUX)
        close_piece(system, PIECE_AUX);
    return variable_index(v) - system->first_aux;
}

static void shape_allocation(constraint_system *cs, variable v, const fr *value) {
    (void)value;
    if (variable_is_aux(v))
        place_of_new((shaping_system *)cs, v);
}

static void shape_bit(constraint_system *cs, variable v, bool value) {
    (void)value;
    shaping_system *system = (shaping_system *)cs;
    uint32_t place = place_of_new(system, v);
    system->bit_mask[place / 64] |= UINT64_C(1) << (place % 64);
}

static void shape_row(constraint_system *cs, const char *name) {
    (void)name;
    shaping_system *system = (shaping_system *)cs;
    assert(cs->constraint_count < UINT32_MAX);
    row_buffer_add(&system->rows, &system->shape->templates.coefficients, cs, open_aux(system));
    if (system->rows.rows == PIECE_ROWS || system->rows.terms >= PIECE_TERMS)
        close_piece(system, open_aux(system));
}

static bool shape_block(constraint_system *cs, const block_kind *kind, void *request) {
    shaping_system *system = (shaping_system *)cs;
    close_piece(system, open_aux(system));
    uint32_t template = template_of_request(&system->shape->templates, kind, request);
    variable slots[BLOCK_SLOT_CAPACITY];
    kind->slots(request, slots);
    add_piece(system, template, slots, cs->aux_count, (uint32_t)cs->constraint_count);
    const block_template *t = &system->shape->templates.templates[template];
    assert(t->aux < VARIABLE_AUX_BIT - 1 - cs->aux_count);
    cs->aux_count = system->first_aux += t->aux;
    cs->constraint_count = system->first_row += t->rows;
    return true;
}

/* ---- Densities ------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t hash;
    uint32_t offset, words;
} mask_entry;

typedef struct {
    mask_entry *places; /* a hash table; words == 0: free */
    size_t place_count, used, masks_capacity;
} mask_table;

static uint64_t mask_hash(const uint64_t *words, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static mask_entry *mask_place(const mask_table *table, const circuit_shape *shape, const uint64_t *words, uint32_t count,
                              uint64_t hash) {
    size_t place = hash & (table->place_count - 1);
    for (;; place = (place + 1) & (table->place_count - 1)) {
        mask_entry *entry = &table->places[place];
        if (entry->words == 0 || (entry->hash == hash && entry->words == count &&
                                  memcmp(shape->masks + entry->offset, words, count * sizeof *words) == 0))
            return entry;
    }
}

static void grow_masks(mask_table *table) {
    mask_table larger = {.place_count = table->place_count ? 2 * table->place_count : FIRST_PLACES};
    larger.places = allocate_zeroed(larger.place_count, sizeof *larger.places);
    for (size_t i = 0; i < table->place_count; i++) {
        if (table->places[i].words == 0)
            continue;
        size_t place = table->places[i].hash & (larger.place_count - 1);
        while (larger.places[place].words)
            place = (place + 1) & (larger.place_count - 1);
        larger.places[place] = table->places[i];
    }
    free(table->places);
    table->places = larger.places;
    table->place_count = larger.place_count;
}

/* Where the words are among the shape's masks; adds them if they are new. */
static uint32_t mask_offset(mask_table *table, circuit_shape *shape, const uint64_t *words, uint32_t count) {
    if (count == 0)
        return 0;
    if (2 * (table->used + 1) > table->place_count)
        grow_masks(table);
    uint64_t hash = mask_hash(words, count);
    mask_entry *entry = mask_place(table, shape, words, count, hash);
    if (entry->words == 0) {
        *entry = (mask_entry){.hash = hash, .offset = (uint32_t)shape->mask_words, .words = count};
        table->used++;
        if (shape->mask_words + count > table->masks_capacity) {
            table->masks_capacity = 2 * (shape->mask_words + count);
            shape->masks = reallocate(shape->masks, table->masks_capacity, sizeof(uint64_t));
        }
        memcpy(shape->masks + shape->mask_words, words, count * sizeof *words);
        shape->mask_words += count;
    }
    return entry->offset;
}

/* Cuts the bitmaps of all variables into those of the pieces, most of which are alike. */
static void divide_densities(shaping_system *system) {
    circuit_shape *shape = system->shape;
    mask_table table = {0};
    uint64_t *words = allocate(words_for_bits(shape->most_aux), sizeof(uint64_t));
    for (int which = 0; which < DENSITIES; which++) {
        bitmap_reserve(&system->dense[which], shape->aux);
        for (size_t i = 0; i < shape->piece_count; i++) {
            shape_piece *piece = &shape->pieces[i];
            uint32_t aux = shape_template(shape, i)->aux, count = (uint32_t)words_for_bits(aux);
            piece->rank[which] = shape->dense_aux[which];
            for (uint32_t j = 0; j < count; j++) {
                words[j] = take_bits(system->dense[which].words, (size_t)piece->first_aux + 64 * j,
                                     aux - 64 * j < 64 ? aux - 64 * j : 64);
                shape->dense_aux[which] += (uint32_t)__builtin_popcountll(words[j]);
            }
            piece->mask[which] = mask_offset(&table, shape, words, count);
        }
        shape->pieces[shape->piece_count].rank[which] = shape->dense_aux[which];
    }
    free(words);
    free(table.places);
}

/* The auxiliary variables that occur in A (DENSITY_A) or B as one bitmap. */
static void expand_density(const circuit_shape *shape, int which, density *out) {
    bitmap map = {0};
    bitmap_reserve(&map, shape->aux);
    for (size_t i = 0; i < shape->piece_count; i++)
        if (shape_template(shape, i)->aux > 0)
            bitmap_or(&map, shape->pieces[i].first_aux, &shape->masks[shape->pieces[i].mask[which]], 0,
                      shape_template(shape, i)->aux);
    *out = (density){.words = map.words, .capacity = map.capacity, .ones = shape->dense_aux[which]};
}

void circuit_shape_counts(const circuit_shape *shape, circuit_counts *counts) {
    *counts = (circuit_counts){.inputs = shape->inputs, .aux = shape->aux, .constraints = shape->constraints};
    memcpy(counts->nonzeros, shape->nonzeros, sizeof counts->nonzeros);
    expand_density(shape, DENSITY_A, &counts->a_aux);
    expand_density(shape, DENSITY_B, &counts->b_aux);
    for (uint32_t i = 0; i < shape->inputs; i++)
        if (density_get(&shape->b_input, i))
            density_set(&counts->b_input, i);
}

/* ---- All of it ------------------------------------------------------------------------------------------------------- */

static void finish(shaping_system *system) {
    circuit_shape *shape = system->shape;
    const constraint_system *cs = &system->head;
    close_piece(system, open_aux(system));
    shape->inputs = cs->input_count;
    shape->aux = cs->aux_count;
    shape->constraints = cs->constraint_count;
    while (UINT64_C(1) << shape->domain_log_size < shape->constraints + shape->inputs)
        shape->domain_log_size++;
    if (shape->piece_count == 0)
        shape->pieces = allocate_zeroed(1, sizeof *shape->pieces);
    shape->pieces[shape->piece_count] = (shape_piece){.first_aux = shape->aux,
                                                      .first_row = (uint32_t)shape->constraints,
                                                      .first_word = shape->stored_words,
                                                      .first_element = shape->stored_elements,
                                                      .first_run = (uint32_t)shape->run_count};
    divide_densities(system);
}

void circuit_shape_create(circuit_shape *shape, const circuit *c) {
    static const constraint_system_class class = {
        .allocated = shape_allocation, .enforced = shape_row, .allocated_bit = shape_bit, .block = shape_block};
    *shape = (circuit_shape){0};
    shaping_system *system = allocate_zeroed(1, sizeof *system);
    system->shape = shape;
    template_table_init(&shape->templates);
    constraint_system_init(&system->head, &class, false);
    c->synthesize(c, &system->head);
    finish(system);
    constraint_system_free(&system->head);
    row_buffer_free(&system->rows);
    for (int which = 0; which < DENSITIES; which++)
        free(system->dense[which].words);
    free(system->slot_table.places);
    free(system->slots);
    free(system);
}

void circuit_shape_free(circuit_shape *shape) {
    template_table_free(&shape->templates);
    density_free(&shape->b_input);
    free(shape->pieces);
    free(shape->runs);
    free(shape->masks);
    *shape = (circuit_shape){0};
}

size_t circuit_shape_bytes(const circuit_shape *shape) {
    const template_table *table = &shape->templates;
    return table->bytes + table->coefficients.count * sizeof(fr) + table->coefficients.place_count * sizeof(uint32_t) +
           table->place_count * sizeof(uint32_t) + shape->piece_count * sizeof *shape->pieces +
           shape->run_count * sizeof *shape->runs + shape->mask_words * sizeof *shape->masks +
           shape->b_input.capacity * sizeof(uint64_t);
}

size_t shape_piece_of_aux(const circuit_shape *shape, uint32_t index) {
    size_t low = 0, high = shape->piece_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (shape->pieces[middle].first_aux <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t shape_piece_of_row(const circuit_shape *shape, uint64_t row) {
    size_t low = 0, high = shape->piece_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (shape->pieces[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}
