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

/* All values Montgomery. a, b, c have 2^domain_log_size elements: the values of the circuit's constraints, then those
 * of the appended constraint input_i * 0 = 0 of each input, then zeros. */
typedef struct {
    circuit_counts counts;
    unsigned domain_log_size;
    fr *inputs; /* counts.inputs, the first is one */
    fr *aux;    /* counts.aux */
    fr *a, *b, *c;
    big_buffer buffers[5];
} assignment;

/* Synthesizes with witness. A first pass without witness counts, so that every buffer is allocated once. Fails with
 * CUZK_UNSATISFIED (naming the first broken constraint; nothing is kept) or CUZK_NO_MEMORY. */
cuzk_status assignment_create(assignment *result, const circuit *c, cuzk_error *error);
void assignment_free(assignment *result);
/* Frees a, b and c alone, once the quotient is made. */
void assignment_free_evaluations(assignment *result);

#endif
