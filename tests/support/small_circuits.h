/* Small circuits with witnesses, for tests of what treats circuits as a whole: constraint systems, setup, prover. */
#ifndef TESTS_SMALL_CIRCUITS_H
#define TESTS_SMALL_CIRCUITS_H

#include "r1cs/constraint_system.h"

typedef enum {
    CIRCUIT_SQUARINGS,      /* input y = x^(2^size): size constraints; x and what is between are auxiliary */
    CIRCUIT_PRIVATE,        /* the same without an input but ONE: y is auxiliary */
    CIRCUIT_ZERO_TERMS,     /* 0*x, x-x, x added then removed, in A, B, C, for inputs and auxiliary variables */
    CIRCUIT_INPUTS_IN_B,    /* five inputs, of which the first `size` (ONE not counted) occur in B */
    CIRCUIT_ONE_IN_B,       /* no variable but ONE; size constraints 2 * 3 = 6 */
    CIRCUIT_EMPTY_B,        /* x * 0 = 0, size times: b_g1 and b_g2 are empty and H is zero */
    CIRCUIT_LOW_DEGREE,     /* domain 2^size, no variable but ONE, constants such that H is of degree 0 */
    CIRCUIT_RANDOM,         /* size constraints with random sparse terms, drawn from `seed` */
    CIRCUIT_UNUSED_VARIABLE /* an auxiliary variable in no constraint */
} small_circuit_kind;

typedef struct {
    circuit base; /* first */
    small_circuit_kind kind;
    size_t size;
    uint64_t seed;  /* of CIRCUIT_RANDOM's shape */
    uint64_t value; /* what the witness is made from */
    bool broken;    /* CIRCUIT_SQUARINGS: the last constraint does not hold */
} small_circuit;

small_circuit small_circuit_make(small_circuit_kind kind, size_t size);

/* One or more of each kind that can be proved, but the random one; domains of 1 to 32. */
enum { SMALL_CIRCUIT_EXAMPLES = 14 };
void small_circuit_examples(small_circuit examples[SMALL_CIRCUIT_EXAMPLES]);

#endif
