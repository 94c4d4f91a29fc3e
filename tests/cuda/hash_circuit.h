/* A circuit with what a PoRep consists of, in small: Poseidon hashes in a chain, their bits, SHA-256 of these, inputs. */
#ifndef TESTS_CUDA_HASH_CIRCUIT_H
#define TESTS_CUDA_HASH_CIRCUIT_H

#include "gadgets/number.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"
#include "support/circuit_check.h"

typedef struct {
    unsigned poseidons, compressions; /* at least one of the first */
} hash_circuit;

static inline void synthesize_hashes(constraint_system *cs, void *context) {
    const hash_circuit *h = context;
    number values[8];
    test_random random = {5};
    for (size_t i = 0; i < 8; i++) {
        fr value = test_random_fr(&random);
        values[i] = number_allocate(cs, &value);
    }
    for (unsigned i = 0; i < h->poseidons; i++) {
        namespace_push_index(cs, "poseidon", i);
        values[i % 8] = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, values, 8);
        namespace_pop(cs);
    }
    number_inputize(cs, &values[0]);
    boolean bits[FR_BITS + 1], digest[SHA256_DIGEST_BITS];
    number_to_bits_le(cs, &values[0], bits);
    bits[FR_BITS] = boolean_constant(false);
    for (unsigned i = 0; i < h->compressions; i++) {
        namespace_push_index(cs, "sha256", i);
        sha256_circuit(cs, bits, 8, digest);
        for (size_t j = 0; j < 8; j++)
            bits[j] = digest[j];
        namespace_pop(cs);
    }
    number_inputize(cs, &values[h->poseidons % 8]);
}

#endif
