#include "r1cs/compact_template.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_PLACES = 1024, MAX_PATCHES = 1024, MAX_LOCALS = 1 << 16 };

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        uint64_t value = 0;
        memcpy(&value, bytes + i, count - i < 8 ? count - i : 8);
        hash = mix(hash, value);
    }
    return hash;
}

static uint64_t mix_words(uint64_t hash, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = mix(hash, words[i]);
    return hash;
}

/* ---- Coefficients -------------------------------------------------------------------------------------------------- */

static uint64_t coefficient_hash(const fr *value) {
    return mix(mix(mix(mix(0, value->l[0]), value->l[1]), value->l[2]), value->l[3]);
}

/* The place of a value, or the empty one where it belongs. */
static uint32_t *coefficient_place(const coefficient_table *table, const fr *value) {
    size_t place = coefficient_hash(value) & (table->place_count - 1);
    while (table->places[place] && !fr_equal(&table->values[table->places[place] - 1], value))
        place = (place + 1) & (table->place_count - 1);
    return &table->places[place];
}

static void grow_coefficient_places(coefficient_table *table) {
    free(table->places);
    table->place_count = table->place_count ? 2 * table->place_count : FIRST_PLACES;
    table->places = allocate_zeroed(table->place_count, sizeof *table->places);
    for (size_t i = 0; i < table->count; i++)
        *coefficient_place(table, &table->values[i]) = (uint32_t)i + 1;
}

static uint32_t coefficient_number(coefficient_table *table, const fr *value) {
    for (uint32_t i = 0; i < KNOWN_COEFFICIENTS && i < table->count; i++)
        if (fr_equal(&table->values[i], value))
            return i;
    if (2 * (table->count + 1) > table->place_count)
        grow_coefficient_places(table);
    uint32_t *place = coefficient_place(table, value);
    if (!*place) {
        table->values = grow_array(table->values, table->count, &table->capacity, sizeof(fr));
        table->values[table->count++] = *value;
        *place = (uint32_t)table->count;
    }
    return *place - 1;
}

/* ---- Rows under construction --------------------------------------------------------------------------------------- */

static void add_side(row_buffer *buffer, coefficient_table *coefficients, const linear_combination *lc) {
    for (size_t i = 0; i < lc->count; i++) {
        const term *t = &lc->terms[i];
        if (fr_is_zero(&t->coefficient))
            continue;
        buffer->variables = grow_array(buffer->variables, buffer->terms, &buffer->variables_capacity, sizeof(variable));
        buffer->coefficients = grow_array(buffer->coefficients, buffer->terms, &buffer->coefficients_capacity, sizeof(uint32_t));
        buffer->variables[buffer->terms] = t->variable;
        buffer->coefficients[buffer->terms++] = coefficient_number(coefficients, &t->coefficient);
    }
    assert(buffer->terms <= UINT32_MAX);
}

void row_buffer_add(row_buffer *buffer, coefficient_table *coefficients, const constraint_system *cs, uint32_t aux_before) {
    const linear_combination *sides[3] = {&cs->a, &cs->b, &cs->c};
    for (size_t i = 0; i < 3; i++) {
        add_side(buffer, coefficients, sides[i]);
        buffer->ends = grow_array(buffer->ends, 3 * buffer->rows + i, &buffer->ends_capacity, sizeof(uint32_t));
        buffer->ends[3 * buffer->rows + i] = (uint32_t)buffer->terms;
    }
    assert(aux_before < MAX_LOCALS);
    buffer->aux_before = grow_array(buffer->aux_before, buffer->rows, &buffer->aux_before_capacity, sizeof(uint16_t));
    buffer->aux_before[buffer->rows++] = (uint16_t)aux_before;
}

void row_buffer_clear(row_buffer *buffer) { buffer->rows = buffer->terms = 0; }

void row_buffer_free(row_buffer *buffer) {
    free(buffer->ends);
    free(buffer->aux_before);
    free(buffer->variables);
    free(buffer->coefficients);
    *buffer = (row_buffer){0};
}

/* ---- The table ----------------------------------------------------------------------------------------------------- */

void template_table_init(template_table *table) {
    coefficient_number(&table->coefficients, &FR_ONE);
    coefficient_number(&table->coefficients, &FR_MINUS_ONE);
    coefficient_number(&table->coefficients, &FR_TWO);
    assert(table->coefficients.count == KNOWN_COEFFICIENTS);
}

void template_table_free(template_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        block_template *t = &table->templates[i];
        free(t->key);
        free(t->bit_mask);
        free(t->patches);
        free(t->marks[0]);
        free(t->marks[1]);
        if (t->shares_rows)
            continue;
        free(t->ends);
        free(t->aux_before);
        free(t->variables);
        free(t->coefficients);
    }
    free(table->templates);
    free(table->places);
    free(table->coefficients.values);
    free(table->coefficients.places);
    *table = (template_table){0};
}

static void *copy_of(template_table *table, const void *from, size_t count, size_t size) {
    void *copy = allocate(count, size);
    if (count > 0)
        memcpy(copy, from, count * size);
    table->bytes += count * size;
    return copy;
}

static void grow_places(template_table *table) {
    free(table->places);
    table->place_count = table->place_count ? 2 * table->place_count : FIRST_PLACES;
    table->places = allocate_zeroed(table->place_count, sizeof *table->places);
    for (size_t i = 0; i < table->count; i++) {
        size_t place = table->templates[i].hash & (table->place_count - 1);
        while (table->places[place])
            place = (place + 1) & (table->place_count - 1);
        table->places[place] = (uint32_t)i + 1;
    }
}

/* The first template at or behind *place that has the hash, or NULL at the place where one would go. */
static const block_template *next_with_hash(const template_table *table, uint64_t hash, size_t *place) {
    for (; table->places[*place]; *place = (*place + 1) & (table->place_count - 1)) {
        const block_template *t = &table->templates[table->places[*place] - 1];
        if (t->hash == hash)
            return t;
    }
    return NULL;
}

static void mark_rows(template_table *table, block_template *t) {
    size_t words = words_for_bits(template_locals(t));
    for (int side = 0; side < 2; side++)
        t->marks[side] = allocate_zeroed(words, sizeof(uint64_t));
    table->bytes += 2 * words * sizeof(uint64_t);
    uint32_t number = 0;
    for (uint32_t i = 0; i < 3 * t->rows; i++) {
        t->nonzeros[i % 3] += t->ends[i] - number;
        for (; number < t->ends[i]; number++)
            if (i % 3 < 2)
                t->marks[i % 3][t->variables[number] / 64] |= UINT64_C(1) << (t->variables[number] % 64);
    }
}

/* Notes where the coefficients differ from those of a template with the same variables; false if they do in too many
 * places. */
static bool share_rows(template_table *table, block_template *t, const block_template *like, const row_buffer *rows) {
    coefficient_patch patches[MAX_PATCHES];
    size_t count = 0;
    for (uint32_t i = 0; i < rows->terms; i++) {
        if (rows->coefficients[i] == like->coefficients[i])
            continue;
        if (count == MAX_PATCHES)
            return false;
        patches[count++] = (coefficient_patch){.term = i, .coefficient = rows->coefficients[i]};
    }
    t->shares_rows = true;
    t->ends = like->ends;
    t->aux_before = like->aux_before;
    t->variables = like->variables;
    t->coefficients = like->coefficients;
    t->patches = copy_of(table, patches, count, sizeof *patches);
    t->patch_count = count;
    return true;
}

static bool equal_bytes(const void *a, const void *b, size_t count) { return count == 0 || memcmp(a, b, count) == 0; }

static bool same_variables(const block_template *t, const row_buffer *rows) {
    if (t->rows != rows->rows || !equal_bytes(t->ends, rows->ends, 3 * rows->rows * sizeof(uint32_t)) ||
        !equal_bytes(t->aux_before, rows->aux_before, rows->rows * sizeof(uint16_t)))
        return false;
    for (size_t i = 0; i < rows->terms; i++)
        if (t->variables[i] != rows->variables[i])
            return false;
    return true;
}

/* Fills in the rows, which are in the template's numbering. */
static void set_rows(template_table *table, block_template *t, const row_buffer *rows) {
    assert(template_locals(t) <= MAX_LOCALS);
    t->rows = (uint32_t)rows->rows;
    for (size_t i = 0; t->kind && i < table->count; i++) {
        const block_template *like = &table->templates[i];
        if (like->kind == t->kind && !like->shares_rows && like->slots == t->slots && like->aux == t->aux &&
            same_variables(like, rows) && share_rows(table, t, like, rows))
            break;
    }
    if (!t->shares_rows) {
        t->ends = copy_of(table, rows->ends, 3 * rows->rows, sizeof(uint32_t));
        t->aux_before = copy_of(table, rows->aux_before, rows->rows, sizeof(uint16_t));
        t->coefficients = copy_of(table, rows->coefficients, rows->terms, sizeof(uint32_t));
        t->variables = allocate(rows->terms, sizeof *t->variables);
        table->bytes += rows->terms * sizeof *t->variables;
        for (size_t i = 0; i < rows->terms; i++)
            t->variables[i] = (uint16_t)rows->variables[i];
    }
    mark_rows(table, t);
}

static uint32_t insert(template_table *table, block_template *t, size_t place) {
    table->templates = grow_array(table->templates, table->count, &table->capacity, sizeof *table->templates);
    table->templates[table->count++] = *t;
    table->places[place] = (uint32_t)table->count;
    table->bytes += sizeof *t;
    return (uint32_t)table->count - 1;
}

/* Place of the search for a hash; makes sure that one is free. */
static size_t first_place(template_table *table, uint64_t hash) {
    if (2 * (table->count + 1) > table->place_count)
        grow_places(table);
    return hash & (table->place_count - 1);
}

/* ---- Templates of blocks ------------------------------------------------------------------------------------------- */

typedef struct {
    constraint_system head;
    coefficient_table *coefficients;
    uint32_t slots;
    row_buffer rows;
} recording_system;

static void ignore_allocation(constraint_system *cs, variable v, const fr *value) { (void)cs, (void)v, (void)value; }

static void record_row(constraint_system *cs, const char *name) {
    (void)name;
    recording_system *system = (recording_system *)cs;
    row_buffer_add(&system->rows, system->coefficients, cs, cs->aux_count - system->slots);
}

/* Auxiliary variables 0, 1, ... of the recording are the slots and then the block's own: the template's numbering but for
 * ONE. */
static void to_locals(row_buffer *rows) {
    for (size_t i = 0; i < rows->terms; i++) {
        variable v = rows->variables[i];
        assert(v == VARIABLE_ONE || variable_is_aux(v));
        rows->variables[i] = v == VARIABLE_ONE ? 0 : 1 + variable_index(v);
    }
}

static void record(template_table *table, block_template *t) {
    static const constraint_system_class class = {.allocated = ignore_allocation, .enforced = record_row};
    recording_system system = {.coefficients = &table->coefficients, .slots = t->slots};
    variable slots[BLOCK_SLOT_CAPACITY];
    constraint_system_init(&system.head, &class, false);
    for (uint32_t i = 0; i < t->slots; i++)
        slots[i] = constraint_system_allocate(&system.head, NULL);
    t->kind->synthesize(&system.head, t->key, slots);
    assert(system.head.input_count == 1);
    t->aux = system.head.aux_count - t->slots;
    to_locals(&system.rows);
    set_rows(table, t, &system.rows);
    t->storage = t->kind->storage(t->key, t->aux, t->rows);
    row_buffer_free(&system.rows);
    constraint_system_free(&system.head);
}

uint32_t template_of_request(template_table *table, const block_kind *kind, const void *request) {
    uint8_t key[BLOCK_KEY_CAPACITY];
    size_t size = kind->key(request, key);
    uint64_t hash = mix_bytes((uintptr_t)kind, key, size);
    size_t place = first_place(table, hash);
    for (const block_template *t; (t = next_with_hash(table, hash, &place)); place = (place + 1) & (table->place_count - 1))
        if (t->kind == kind && t->key_size == size && equal_bytes(t->key, key, size))
            return (uint32_t)(t - table->templates);

    variable slots[BLOCK_SLOT_CAPACITY];
    block_template t = {.kind = kind, .key_size = size, .slots = (uint32_t)kind->slots(request, slots), .hash = hash};
    t.key = copy_of(table, key, size, 1);
    record(table, &t);
    return insert(table, &t, place);
}

/* ---- Templates of rows between blocks ------------------------------------------------------------------------------ */

static bool equals_rows(const block_template *t, const row_buffer *rows, uint32_t slots, uint32_t aux, const uint64_t *bit_mask) {
    return !t->kind && t->slots == slots && t->aux == aux && same_variables(t, rows) &&
           equal_bytes(t->coefficients, rows->coefficients, rows->terms * sizeof(uint32_t)) &&
           equal_bytes(t->bit_mask, bit_mask, words_for_bits(aux) * sizeof(uint64_t));
}

static block_storage storage_of_rows(const row_buffer *rows, uint32_t aux, const uint64_t *bit_mask) {
    uint32_t bits = 0;
    for (size_t i = 0; i < words_for_bits(aux); i++)
        bits += (uint32_t)__builtin_popcountll(bit_mask[i]);
    return (block_storage){.bits = bits, .elements = aux - bits, .wide_rows = (uint32_t)rows->rows};
}

uint32_t template_of_rows(template_table *table, const row_buffer *rows, uint32_t slots, uint32_t aux, const uint64_t *bit_mask) {
    uint64_t hash = mix(mix(mix(rows->rows, rows->terms), slots), aux);
    hash = mix_words(hash, rows->ends, 3 * rows->rows);
    hash = mix_words(hash, rows->variables, rows->terms);
    hash = mix_words(hash, rows->coefficients, rows->terms);
    size_t place = first_place(table, hash);
    for (const block_template *t; (t = next_with_hash(table, hash, &place)); place = (place + 1) & (table->place_count - 1))
        if (equals_rows(t, rows, slots, aux, bit_mask))
            return (uint32_t)(t - table->templates);

    block_template t = {.slots = slots, .aux = aux, .hash = hash, .storage = storage_of_rows(rows, aux, bit_mask)};
    t.bit_mask = copy_of(table, bit_mask, words_for_bits(aux), sizeof(uint64_t));
    set_rows(table, &t, rows);
    return insert(table, &t, place);
}

/* ---- Walking -------------------------------------------------------------------------------------------------------- */

template_cursor template_cursor_at(const template_table *table, const block_template *t, uint32_t row) {
    template_cursor cursor = {.template = t, .coefficients = table->coefficients.values, .side = 3 * row};
    cursor.term = row == 0 ? 0 : t->ends[3 * row - 1];
    if (t->patch_count == 0)
        return cursor;
    cursor.patches_end = t->patches + t->patch_count;
    size_t low = 0, high = t->patch_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->patches[middle].term < cursor.term)
            low = middle + 1;
        else
            high = middle;
    }
    cursor.patch = t->patches + low;
    return cursor;
}
