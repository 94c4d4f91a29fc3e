/* Field elements in a circuit (bellpepper-core, gadgets/num.rs; storage-proofs-core, gadgets/constraint.rs and
 * insertion.rs). */
#ifndef GADGETS_NUMBER_H
#define GADGETS_NUMBER_H

#include "gadgets/boolean.h"

/* An allocated variable with its value, which is meaningful only with a witness (and zero without). */
typedef struct {
    variable variable;
    fr value; /* Montgomery */
} number;

/* A new auxiliary variable or input. value may be NULL without a witness. No constraint. */
number number_allocate(constraint_system *cs, const fr *value);
number number_allocate_input(constraint_system *cs, const fr *value);

/* A new public input that equals a: input * 1 = a. */
void number_inputize(constraint_system *cs, const number *a);

/* a * b and a * a: one variable, one constraint. */
number number_multiply(constraint_system *cs, const number *a, const number *b);
number number_square(constraint_system *cs, const number *a);
/* a + b and a - b: one variable, one constraint. */
number number_add(constraint_system *cs, const number *a, const number *b);
number number_subtract(constraint_system *cs, const number *a, const number *b);

/* One constraint between existing numbers. name is static text.
 *     equal: a * 1 = b     sum: (a + b) * 1 = sum     difference: (difference + b) * 1 = a */
void number_enforce_equal(constraint_system *cs, const char *name, const number *a, const number *b);
void number_enforce_sum(constraint_system *cs, const char *name, const number *a, const number *b, const number *sum);
void number_enforce_difference(constraint_system *cs, const char *name, const number *a, const number *b,
                               const number *difference);

/* The bits of a, least significant first. 0 * 0 = sum 2^i bit_i - a: the bits may also stand for a + r, which is below
 * 2^255 for small a. */
void number_to_bits_le(constraint_system *cs, const number *a, boolean bits[FR_BITS]);
/* The same with the bits' integer below r, at the cost of further constraints. */
void number_to_bits_le_strict(constraint_system *cs, const number *a, boolean bits[FR_BITS]);

/* condition ? a : b, by (b - a) * condition = b - result. */
number number_pick(constraint_system *cs, boolean condition, const number *a, const number *b);
/* from[index] of count numbers (a power of two, at most 128); index_bits are log2(count) bits, least significant first. */
number number_select(constraint_system *cs, const number *from, size_t count, const boolean *index_bits);
/* (first, second) = condition ? (b, a) : (a, b). */
void number_conditionally_reverse(constraint_system *cs, const number *a, const number *b, boolean condition, number *first,
                                  number *second);
/* Puts element into `siblings` (size - 1 numbers) at the position of index_bits (log2(size) allocated bits, not negated,
 * least significant first): out has size numbers, size is 2, 4 or 8. */
void number_insert(constraint_system *cs, const number *element, const boolean *index_bits, const number *siblings, size_t size,
                   number *out);

#endif
