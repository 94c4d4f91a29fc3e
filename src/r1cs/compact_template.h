/* Templates: the constraints of a piece of a circuit, recorded once and used wherever the piece occurs again.
 *
 * A piece is either a block that a gadget handed over as a whole (block.h), or the rows between two such blocks, of which
 * many are alike too. Its variables are numbered from the piece's point of view: 0 is ONE, then come its slots (the variables
 * around it that its rows mention), then those that it allocates. */
#ifndef R1CS_COMPACT_TEMPLATE_H
#define R1CS_COMPACT_TEMPLATE_H

#include "r1cs/bit_words.h"
#include "r1cs/block.h"

/* Coefficients, each once. The first are known by number. */
enum { COEFFICIENT_ONE, COEFFICIENT_MINUS_ONE, COEFFICIENT_TWO, KNOWN_COEFFICIENTS };

typedef struct {
    fr *values;
    size_t count, capacity;
    uint32_t *places; /* a hash table of numbers + 1 */
    size_t place_count;
} coefficient_table;

/* Rows under construction: the terms of A, B, C of each row one after another, those with coefficient zero left out. */
typedef struct {
    uint32_t *ends;       /* of the terms of each row's A, B and C */
    uint16_t *aux_before; /* of each row: how many of the piece's variables had been allocated */
    variable *variables;
    uint32_t *coefficients;
    size_t rows, ends_capacity, aux_before_capacity, terms, variables_capacity, coefficients_capacity;
} row_buffer;

typedef struct {
    uint32_t term, coefficient;
} coefficient_patch;

typedef struct {
    const block_kind *kind; /* NULL: rows between blocks */
    uint8_t *key;
    size_t key_size;
    uint32_t slots, aux, rows;
    block_storage storage;
    uint64_t *bit_mask; /* of rows between blocks: which of the variables are bits */

    /* The rows, as in row_buffer, over the template's own numbering. A template that differs from another in few
     * coefficients shares its arrays and lists the differences, in ascending order of the terms. */
    bool shares_rows;
    uint32_t *ends;
    uint16_t *aux_before;
    uint16_t *variables;
    uint32_t *coefficients;
    coefficient_patch *patches;
    size_t patch_count;

    /* What of ONE, the slots and the variables occurs in A and in B; how many terms A, B and C have. */
    uint64_t *marks[2];
    uint32_t nonzeros[3];

    uint64_t hash;
} block_template;

typedef struct {
    coefficient_table coefficients;
    block_template *templates;
    size_t count, capacity;
    uint32_t *places; /* a hash table of indices + 1 */
    size_t place_count;
    size_t bytes; /* that templates occupy */
} template_table;

/* Sets a zeroed table up; free with template_table_free. */
void template_table_init(template_table *table);
void template_table_free(template_table *table);

/* Adds the constraint that cs is about to count, before which the piece has allocated so many variables. */
void row_buffer_add(row_buffer *buffer, coefficient_table *coefficients, const constraint_system *cs, uint32_t aux_before);
void row_buffer_clear(row_buffer *buffer);
void row_buffer_free(row_buffer *buffer);

/* The template of a request, recorded if it is new. Returns its index. */
uint32_t template_of_request(template_table *table, const block_kind *kind, const void *request);

/* The template of rows between blocks, whose variables are already in the template's numbering; bit_mask has a bit for each
 * of the aux variables. Returns its index. */
uint32_t template_of_rows(template_table *table, const row_buffer *rows, uint32_t slots, uint32_t aux, const uint64_t *bit_mask);

/* How many variables a template speaks of: ONE, slots, its own. */
static inline uint32_t template_locals(const block_template *t) { return 1 + t->slots + t->aux; }

/* Walks the terms of consecutive rows. */
typedef struct {
    const block_template *template;
    const fr *coefficients;
    const coefficient_patch *patch, *patches_end;
    uint32_t side, term, end; /* side: 3 * row + 0, 1, 2 for A, B, C */
} template_cursor;

/* Puts a cursor in front of a row. */
template_cursor template_cursor_at(const template_table *table, const block_template *t, uint32_t row);
/* Goes to the next row's A, or from A to B, or from B to C. The terms of the side before must all have been taken. */
static inline void template_cursor_next_side(template_cursor *cursor) { cursor->end = cursor->template->ends[cursor->side++]; }
/* Takes the next term of the side; false behind the last. *coefficient is the number of a coefficient. */
static inline bool template_cursor_next_term(template_cursor *cursor, uint32_t *local, uint32_t *coefficient) {
    if (cursor->term == cursor->end)
        return false;
    uint32_t at = cursor->term++;
    *local = cursor->template->variables[at];
    *coefficient = cursor->template->coefficients[at];
    if (cursor->patch < cursor->patches_end && cursor->patch->term == at)
        *coefficient = cursor->patch++->coefficient;
    return true;
}

#endif
