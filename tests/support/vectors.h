/* Test vectors in JSON: arrays of objects with byte strings in hexadecimal digits. */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include "algebra/field.h"
#include "support/reference_digest.h"

/* The vectors of tests/data/vectors/NAME. The test fails if the file is no array. Free with yajl_tree_free. */
yajl_val read_vectors(const char *name);
size_t vector_count(yajl_val vectors);
yajl_val vector_at(yajl_val vectors, size_t i);

/* A member that must be there. */
yajl_val vector_member(yajl_val object, const char *key);
uint64_t vector_unsigned(yajl_val object, const char *key);
/* A field element, 32 canonical bytes, little-endian. */
void vector_fr(fr *out, yajl_val text);

#endif
