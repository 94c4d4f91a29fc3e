/* Circuit digests against the reference data. */
#ifndef TESTS_REFERENCE_DIGEST_H
#define TESTS_REFERENCE_DIGEST_H

#include <yajl/yajl_tree.h>

#include "r1cs/digest.h"
#include "support/support.h"

/* Parses a JSON file; the test fails if it cannot. Free with yajl_tree_free. */
yajl_val read_json(const char *path);

/* Every member that circuit_digest_write writes must be equal in `reference`, an object as in circuits/KIND-SIZE.json or an
 * element of a job's digest.json. Fails with `what` and the place of the first difference. */
void assert_digest_equals(const circuit_digest *digest, yajl_val reference, const char *what);

/* Compares a blank circuit with circuits/NAME.json of the reference data, from tests/data or beside the repository.
 * Returns false, having done nothing, where that file is in neither. */
bool assert_blank_circuit_matches(const circuit *c, const char *name);

#endif
