/* Parameters and proofs are the same bytes on every level of arithmetic. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/levels.h"
#include "groth16/prover.h"
#include "groth16/verifier.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

typedef struct {
    uint8_t proof[PROOF_BYTES];
    uint8_t *parameters;
    size_t parameter_bytes;
} result;

static result setup_and_prove(const circuit *c, const algebra_kernels *kernels, size_t threads) {
    cuzk_error error = {0};
    result out = {.parameters = NULL};
    uint8_t seed[32] = {9};
    fr r, s;
    fr_from_seed(&r, seed, 0);
    fr_from_seed(&s, seed, 1);
    prove_options options = {.r = &r, .s = &s};
    toxic_waste waste = waste_of(3);
    parameters p;
    thread_pool *pool = thread_pool_create(threads);
    kernels_use(kernels);
    small_setup(&p, "levels", c, &waste);
    out.parameter_bytes = p.file.size;
    out.parameters = malloc(p.file.size);
    assert_non_null(out.parameters);
    memcpy(out.parameters, p.file.data, p.file.size);
    ASSERT_OK(groth16_prove(out.proof, c, &p, &options, pool, NULL, NULL, &error));
    parameters_close(&p);
    thread_pool_destroy(pool);
    return out;
}

static void check_circuit(const circuit *c) {
    result expected = setup_and_prove(c, &kernels_portable, 1);
    const algebra_kernels *levels[4];
    size_t count = levels_of_the_cpu(levels);
    levels[count++] = &kernels_ifma_model;
    for (size_t i = 0; i < count; i++) {
        result found = setup_and_prove(c, levels[i], 2);
        assert_int_equal(found.parameter_bytes, expected.parameter_bytes);
        assert_memory_equal(found.parameters, expected.parameters, expected.parameter_bytes);
        assert_memory_equal(found.proof, expected.proof, PROOF_BYTES);
        free(found.parameters);
    }
    free(expected.parameters);
}

/* Domains of 2^11, where transforms go through the vector passes. */
static void squarings(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 1100);
    check_circuit(&c.base);
}

static void random_circuit(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 1500);
    c.seed = 77;
    check_circuit(&c.base);
}

/* Sums over few or no points, and over repeated ones. */
static void small_circuits(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        check_circuit(&circuits[i].base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squarings),
        cmocka_unit_test(random_circuit),
        cmocka_unit_test(small_circuits),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
