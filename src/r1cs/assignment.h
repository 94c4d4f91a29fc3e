/* Constraint system that proves: keeps the assignment, evaluates A, B and C, and checks every constraint. */
#ifndef R1CS_ASSIGNMENT_H
#define R1CS_ASSIGNMENT_H

#include "base/memory.h"
#include "r1cs/counting.h"

enum { CONSTRAINT_NAME_CAPACITY = 400 };

/* A constraint that does not hold. */
typedef struct {
    bool found;
    uint64_t number;
    char name[CONSTRAINT_NAME_CAPACITY];
} broken_constraint;

/* Notes the constraint that cs is about to count as broken. */
void broken_constraint_set(broken_constraint *broken, const constraint_system *cs, const char *name);

/* True if a * b = c. */
bool constraint_holds(const fr *a, const fr *b, const fr *c);

/* All values Montgomery. a, b, c have 2^domain_log_size elements: the values of the circuit's constraints, then those
 * of the appended constraint input_i * 0 = 0 of each input, then zeros. */
typedef struct {
    circuit_counts counts;
    unsigned domain_log_size;
    fr *inputs; /* counts.inputs, the first is one */
    fr *aux;    /* counts.aux */
    fr *a, *b, *c;
    big_buffer inputs_memory, aux_memory, evaluations_memory[3];
} assignment;

/* Synthesizes with witness, in one pass: the buffers grow by doubling their mapping. Fails with CUZK_UNSATISFIED (naming the
 * first broken constraint; nothing is kept) or CUZK_NO_MEMORY. The classic way, in which constraints are made one by one and
 * values are kept in full; provers use compact_assignment.h. */
cuzk_status assignment_create(assignment *result, const circuit *c, cuzk_error *error);

/* How the same is done, for those who compare: {0} is what assignment_create does. */
typedef struct {
    struct term_storage *terms; /* what linear combinations keep their terms in (term_storage.h); NULL: kept memory */
    /* Sizes that are known beforehand: then no vector has to grow. 0: not known. */
    uint32_t inputs, aux;
    uint64_t constraints;
} assignment_options;
cuzk_status assignment_create_with(assignment *result, const circuit *c, const assignment_options *options, cuzk_error *error);

void assignment_free(assignment *result);
/* Frees a, b and c alone, once the quotient is made. */
void assignment_free_evaluations(assignment *result);

#endif
