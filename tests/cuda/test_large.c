/* A proof of the shape of a PoRep's, with hashes of both kinds and a domain of 2^16: every kernel at once, in parts, at the
 * largest size that an emulation does in seconds. */
#include "proof_case.h"

#include "hash_circuit.h"

static void a_large_proof_equals_the_cpu(void **state) {
    (void)state;
    hash_circuit hashes = {.poseidons = 4, .compressions = 2};
    body_circuit body = body_circuit_of(synthesize_hashes, &hashes);
    proof_case c;
    open_case(&c, &body.circuit);
    assert_int_equal(c.shape.domain_log_size, 16);
    cuda_prover *prover = prover_with(&(cuda_prover_options){.part_points = 30000, .window_bits = {12, 7, 7, 7, 6}});
    thread_pool *pool = thread_pool_create(2);
    cuda_prove_report report = prove_equal(&c, prover, pool);
    assert_string_equal(report.reason, "");
    /* A hash's rows and variables are bits, most of them: they cross the bus as such. */
    assert_true(report.assignment_bytes < 3 * c.shape.constraints);
    thread_pool_destroy(pool);
    cuda_prover_destroy(prover);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_proof_equals_the_cpu),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
