/* Gadgets under test: synthesis with values where every constraint is evaluated at once, and variables can be falsified. */
#ifndef TESTS_CIRCUIT_CHECK_H
#define TESTS_CIRCUIT_CHECK_H

#include "r1cs/constraint_system.h"
#include "support/support.h"

/* A gadget with whatever it needs around it. It may be called several times, with and without a witness. */
typedef void (*circuit_body)(constraint_system *cs, void *context);

/* The body as a circuit. */
typedef struct {
    circuit circuit;
    circuit_body body;
    void *context;
} body_circuit;
body_circuit body_circuit_of(circuit_body body, void *context);

/* Changes a variable's value as the constraints see it; what the gadgets compute with stays as it was. */
typedef void (*value_override)(void *context, variable v, fr *value);

typedef struct {
    uint32_t inputs, aux;
    uint64_t constraints, broken;
    char first_broken[400]; /* path of the first broken constraint, or "" */
    fr *input_values, *aux_values;
} circuit_check;

/* override may be NULL. Free with circuit_check_free. */
void check_circuit(circuit_check *check, circuit_body body, void *context, value_override override, void *override_context);
void circuit_check_free(circuit_check *check);

/* The test fails unless all constraints hold and the shape without a witness has the same sizes. */
void assert_satisfied(circuit_body body, void *context);
/* The test fails unless a constraint is broken whose path contains `name`. */
void assert_broken(circuit_body body, void *context, const char *name);
/* The test fails unless falsifying any auxiliary variable from first_aux on, one in `step`, breaks a constraint. A bit is
 * falsified by the other bit, any other value by one more. */
void assert_every_variable_matters(circuit_body body, void *context, uint32_t first_aux, uint32_t step);

/* A field element that is equal in every run. */
fr test_random_fr(test_random *random);

#endif
