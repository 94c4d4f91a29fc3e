/* The same proof again and again: with its randomness fixed, and whatever the threads do, the bytes are the same. */
#include "support/support.h"

#include <string.h>

#include "groth16/prover.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

static void two_hundred_proofs_are_equal(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 60);
    toxic_waste waste = waste_of(1);
    parameters p;
    small_setup(&p, "repeated", &c.base, &waste);
    fr r, s;
    fr_from_u64(&r, 1234567);
    fr_from_u64(&s, 7654321);
    const prove_options options = {.r = &r, .s = &s};
    uint8_t first[PROOF_BYTES], proof[PROOF_BYTES];
    ASSERT_OK(groth16_prove(first, &c.base, &p, &options, NULL, NULL, NULL, &error));
    for (unsigned run = 0; run < 200; run++) {
        thread_pool *pool = thread_pool_create(1 + run % 5);
        memset(proof, 0, sizeof proof);
        ASSERT_OK(groth16_prove(proof, &c.base, &p, &options, pool, NULL, NULL, &error));
        assert_memory_equal(proof, first, PROOF_BYTES);
        thread_pool_destroy(pool);
    }
    parameters_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_hundred_proofs_are_equal)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
