/* Assignments as small as what they say: bits as bits, and of each block no more than it takes to compute the rest. All else
 * is made where it is needed, a range at a time: values of auxiliary variables, and of A, B and C.
 *
 * 130 million constraints of a 32 GiB PoRep take about 35 MB like this, where the values in full would take 16 GB. */
#ifndef R1CS_COMPACT_ASSIGNMENT_H
#define R1CS_COMPACT_ASSIGNMENT_H

#include "base/memory.h"
#include "r1cs/compact_shape.h"

typedef struct {
    const circuit_shape *shape;
    fr *inputs; /* shape->inputs, Montgomery; the first is one */
    uint64_t *bits;
    fr *elements;
    big_buffer inputs_memory, bits_memory, elements_memory;
} compact_assignment;

/* Synthesizes with witness. The shape is that of the circuit, and must outlive the assignment. Constraints between blocks
 * are checked one by one; those of a block hold by its construction. Fails with
 *   CUZK_UNSATISFIED  naming the first broken constraint
 *   CUZK_INTERNAL     the circuit is not of this shape
 *   CUZK_NO_MEMORY. */
cuzk_status compact_assignment_create(compact_assignment *result, const circuit_shape *shape, const circuit *c,
                                      cuzk_error *error);
void compact_assignment_free(compact_assignment *witness);
/* Memory that an assignment of a shape occupies, the shape not counted. */
size_t compact_assignment_bytes(const circuit_shape *shape);

/* Every function below may be called from several threads at once. */

/* The auxiliary variables begin ... end - 1, Montgomery or canonical; end is at most shape->aux. */
void compact_aux(const compact_assignment *witness, uint32_t begin, uint32_t end, fr *values);
void compact_aux_canonical(const compact_assignment *witness, uint32_t begin, uint32_t end, fr_canonical *values);

/* The same variables by kind of value, as a device or a sum over Boolean scalars wants them: bit i of ones is set where
 * variable begin + i is 1, bit i of wide where it is neither 0 nor 1; both have words_for_bits(end - begin) words. The wide
 * values come one after another in `values`, which has room for all. Returns how many they are. */
size_t compact_aux_by_kind(const compact_assignment *witness, uint32_t begin, uint32_t end, uint64_t *ones, uint64_t *wide,
                           fr_canonical *values);

/* The canonical values of the variables that occur in A (DENSITY_A) or B (DENSITY_B): those of numbers begin ... end - 1
 * among them, end at most shape->dense_aux[which]. */
void compact_dense_aux_canonical(const compact_assignment *witness, int which, uint32_t begin, uint32_t end,
                                 fr_canonical *values);

/* The value of any variable. */
void compact_value(fr *value, const compact_assignment *witness, variable v);
/* The variables begin ... end - 1 of a piece's own, Montgomery. */
void compact_piece_aux(const compact_assignment *witness, size_t piece, uint32_t begin, uint32_t end, fr *values);

/* Working memory for rows; each thread has its own. It keeps the last piece's rows, so that ranges in ascending order cost
 * nothing twice. */
typedef struct row_scratch row_scratch;
row_scratch *row_scratch_create(const circuit_shape *shape);
void row_scratch_free(row_scratch *scratch);

/* The values of A, B and C in rows begin ... end - 1, Montgomery; any of a, b, c may be NULL. Behind the circuit's rows come
 * those that setup and prover append, input_i * 0 = 0, and then zeros without end. */
void compact_rows(const compact_assignment *witness, uint64_t begin, uint64_t end, fr *a, fr *b, fr *c, row_scratch *scratch);

/* The same rows as codes (block.h), a byte each, and the wide ones in full. wide has room for end - begin. Returns how many
 * are wide. */
size_t compact_row_codes(const compact_assignment *witness, uint64_t begin, uint64_t end, uint8_t *codes, wide_row *wide,
                         row_scratch *scratch);

#endif
