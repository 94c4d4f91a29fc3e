/* Poseidon hashes and decompositions as blocks: their variables and rows equal those of the gadgets. */
#include "support/compact_check.h"

#include "gadgets/merkle.h"
#include "gadgets/poseidon.h"
#include "support/circuit_check.h"

/* Chains of hashes, each of the last one and new numbers, one of them twice. */
typedef struct {
    unsigned arity;
    poseidon_domain domain;
} hash_chain;

static void hash_in_chain(constraint_system *cs, void *context) {
    const hash_chain *chain = context;
    test_random random = {chain->arity};
    fr value = test_random_fr(&random);
    number last = number_allocate(cs, &value);
    for (int i = 0; i < 3; i++) {
        number preimage[POSEIDON_MAX_ARITY];
        preimage[0] = last;
        for (unsigned j = 1; j < chain->arity; j++) {
            value = j == 2 ? FR_ZERO : test_random_fr(&random);
            preimage[j] = j % 5 == 4 ? preimage[1] : number_allocate(cs, &value);
        }
        last = poseidon_circuit(cs, chain->domain, preimage, chain->arity);
    }
    number_inputize(cs, &last);
}

static void test_poseidon_of_every_arity(void **state) {
    (void)state;
    for (unsigned arity = 1; arity <= POSEIDON_MAX_ARITY; arity++) {
        hash_chain chain = {.arity = arity, .domain = arity % 2 ? POSEIDON_MERKLE_TREE : POSEIDON_RANDOMNESS};
        body_circuit c = body_circuit_of(hash_in_chain, &chain);
        assert_compact_equals_classic(&c.circuit);
    }
}

static void decompose(constraint_system *cs, void *context) {
    (void)context;
    test_random random = {5};
    fr values[5] = {FR_ZERO, FR_ONE, FR_MINUS_ONE, FR_TWO};
    values[4] = test_random_fr(&random);
    for (size_t i = 0; i < 5; i++) {
        boolean bits[FR_BITS];
        number a = i == 3 ? number_allocate_input(cs, &values[i]) : number_allocate(cs, &values[i]);
        number_to_bits_le(cs, &a, bits);
        boolean_xor(cs, bits[0], bits[FR_BITS - 1]);
        number_to_bits_le_strict(cs, &a, bits);
    }
}

static void test_decompositions(void **state) {
    (void)state;
    body_circuit c = body_circuit_of(decompose, NULL);
    assert_compact_equals_classic(&c.circuit);
}

/* Inclusion proofs in a tree of each hasher; `wrong` is added to the root. */
typedef struct {
    merkle_hasher hasher;
    bool wrong;
} inclusion;

static void include_leaf(constraint_system *cs, void *context) {
    const inclusion *proof = context;
    merkle_shape shape = merkle_shape_of(proof->hasher, proof->hasher == MERKLE_POSEIDON ? 8 : 2, 0, 0, 64);
    test_random random = {17};
    fr siblings[64], leaf_value = test_random_fr(&random), root_value;
    for (size_t i = 0; i < merkle_path_siblings(&shape); i++)
        siblings[i] = test_random_fr(&random);
    merkle_opening opening = {.index = 37, .siblings = siblings};
    merkle_root(&root_value, &shape, &opening, &leaf_value);
    if (proof->wrong)
        fr_add(&root_value, &root_value, &FR_ONE);
    number leaf = number_allocate(cs, &leaf_value), root = number_allocate(cs, &root_value);
    namespace_push(cs, "inclusion");
    merkle_enforce_inclusion(cs, &shape, &opening, &leaf, &root);
    namespace_pop(cs);
}

static void test_merkle_paths(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        inclusion proof = {.hasher = i == 0 ? MERKLE_POSEIDON : MERKLE_SHA256};
        body_circuit c = body_circuit_of(include_leaf, &proof);
        assert_compact_equals_classic(&c.circuit);
        proof.wrong = true;
        assert_compact_refuses(&c.circuit, "inclusion/enforce root is correct");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poseidon_of_every_arity),
        cmocka_unit_test(test_decompositions),
        cmocka_unit_test(test_merkle_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
