/* The shape of a circuit: everything about it that does not depend on the witness, in megabytes where its matrices would
 * take tens of gigabytes. All partitions and all sectors of a size share one.
 *
 * A circuit is a sequence of pieces: blocks that gadgets handed over as a whole, and the rows between them. Each piece
 * is a template (compact_template.h) with the variables that stand in its slots; its own variables and its rows are
 * consecutive numbers. */
#ifndef R1CS_COMPACT_SHAPE_H
#define R1CS_COMPACT_SHAPE_H

#include "r1cs/compact_template.h"
#include "r1cs/counting.h"

/* `count` variables that differ by `step` each. */
typedef struct {
    variable first;
    uint16_t count;
    int16_t step;
} slot_run;

static inline variable slot_run_at(slot_run run, uint32_t i) { return (variable)(run.first + (int64_t)i * run.step); }

/* Which variables occur, with a non-zero coefficient, in A or in B. */
enum { DENSITY_A, DENSITY_B, DENSITIES };

typedef struct {
    uint32_t template;
    uint32_t first_aux, first_row;
    uint32_t first_word, first_element; /* what it stores in an assignment's bits and elements */
    uint32_t first_run;                 /* its slots, in the shape's runs */
    uint32_t mask[DENSITIES];           /* where the bits of its own variables begin in the shape's masks */
    uint32_t rank[DENSITIES];           /* how many of the variables before its own occur */
} shape_piece;

typedef struct {
    uint32_t inputs; /* ONE included */
    uint32_t aux;
    uint64_t constraints;
    uint64_t nonzeros[3];
    uint32_t dense_aux[DENSITIES]; /* how many auxiliary variables occur in A and in B */
    density b_input;
    unsigned domain_log_size;

    template_table templates;
    shape_piece *pieces; /* piece_count, and one behind the last that begins where it ends */
    size_t piece_count;
    slot_run *runs;
    size_t run_count;
    uint64_t *masks; /* alike ones once */
    size_t mask_words;

    /* Of the pieces: what all store together, and the most that one has. */
    uint32_t stored_words, stored_elements;
    uint32_t most_aux, most_rows, most_wide_rows, most_slots;
} circuit_shape;

/* Synthesizes the circuit without a witness. Free with circuit_shape_free. */
void circuit_shape_create(circuit_shape *shape, const circuit *c);
void circuit_shape_free(circuit_shape *shape);
/* Memory that a shape occupies. */
size_t circuit_shape_bytes(const circuit_shape *shape);

/* The piece that an auxiliary variable or a row belongs to. index and row must exist. */
size_t shape_piece_of_aux(const circuit_shape *shape, uint32_t index);
size_t shape_piece_of_row(const circuit_shape *shape, uint64_t row);

static inline const block_template *shape_template(const circuit_shape *shape, size_t piece) {
    return &shape->templates.templates[shape->pieces[piece].template];
}

/* Writes the variables in a piece's slots. */
void shape_slots(const circuit_shape *shape, size_t piece, variable *slots);

/* Called for a row with its A, B and C, which are as a constraint system sees them but for terms with coefficient zero. */
typedef void (*row_visitor)(void *context, uint64_t row, const linear_combination sides[3]);

/* How many auxiliary variables the circuit has allocated when it enforces a row. */
uint32_t shape_aux_before_row(const circuit_shape *shape, uint64_t row);

/* Visits the rows begin ... end - 1 in order; end is at most shape->constraints. Several threads may do so at once. */
void circuit_shape_visit_rows(const circuit_shape *shape, uint64_t begin, uint64_t end, row_visitor visit, void *context);

/* What circuit_count would say of the circuit, two bits for each auxiliary variable. Free with circuit_counts_free. */
void circuit_shape_counts(const circuit_shape *shape, circuit_counts *counts);

#endif
