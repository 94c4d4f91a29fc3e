/* 64-bit integers of Booleans (storage-proofs-core, gadgets/uint64.rs). */
#ifndef GADGETS_UINT64_H
#define GADGETS_UINT64_H

#include "gadgets/boolean.h"

typedef struct {
    boolean bits[64]; /* least significant first */
    uint64_t value;   /* meaningful with a witness, and if constant */
} uint64;

uint64 uint64_constant(uint64_t value);
/* 64 new bits. value is ignored without a witness. */
uint64 uint64_allocate(constraint_system *cs, uint64_t value);
/* A new public input with the value. */
void uint64_pack_into_input(constraint_system *cs, const uint64 *a);
/* Most significant first. */
void uint64_to_bits_be(const uint64 *a, boolean bits[64]);

#endif
