/* The compact path against the classic one. */
#ifndef TESTS_COMPACT_CHECK_H
#define TESTS_COMPACT_CHECK_H

#include "r1cs/compact_assignment.h"
#include "support/support.h"

/* The test fails unless the circuit, whose witness satisfies it, has the same constraints, counts, values of all variables and
 * of A, B and C on both paths, in every form in which the compact one hands them out. */
void assert_compact_equals_classic(const circuit *c);

/* The test fails unless both paths refuse the circuit with the same message, which contains `name`. */
void assert_compact_refuses(const circuit *c, const char *name);

#endif
