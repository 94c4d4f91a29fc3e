/* What becomes of a proof when its device, an emulated one, does wrong. */
#include "proof_case.h"

#include "cuda/device_emulated.h"

/* A bit of any result turned over (a sum, or the number of a malformed point, of any query): the proof is made again by the CPU,
 * and says so. */
static void flipped_bits_do_not_get_out(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case c;
    open_case(&c, &squarings.base);
    unsigned by_host = 0, named = 0;
    for (uint64_t download = 0; download < 10; download++) {
        cuda_prover *prover = prover_with(NULL);
        emulated_device_flip_bit(cuda_prover_device(prover), download, 3);
        cuda_prove_report report = prove_equal(&c, prover, NULL);
        by_host += report.by_host;
        named += strstr(report.reason, "MSM") != NULL || strstr(report.reason, "query") != NULL;
        cuda_prover_destroy(prover);
    }
    assert_int_equal(by_host, 10);
    assert_int_equal(named, 10);
    close_case(&c);
}

/* The device fails anywhere, or has too little memory: the CPU makes the proof. */
static void failures_fall_back(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case c;
    open_case(&c, &squarings.base);
    cuda_prover *prover = prover_with(NULL);
    prove_equal(&c, prover, NULL);
    uint64_t operations = emulated_device_operations(cuda_prover_device(prover));
    cuda_prover_destroy(prover);
    for (uint64_t after = 0; after < operations; after += 1 + operations / 11) {
        prover = prover_with(NULL);
        emulated_device_fail_after(cuda_prover_device(prover), after);
        cuda_prove_report report = prove_equal(&c, prover, NULL);
        assert_true(report.by_host);
        assert_non_null(strstr(report.reason, "emulated device 0"));
        assert_true(prove_equal(&c, prover, NULL).by_host); /* and is not asked again */
        cuda_prover_destroy(prover);
    }
    for (uint64_t memory = 1 << 14; memory <= 1 << 18; memory *= 4) {
        emulated_devices_set(2, memory);
        prover = prover_with(NULL);
        assert_true(prove_equal(&c, prover, NULL).by_host);
        cuda_prover_destroy(prover);
    }
    emulated_devices_set(2, UINT64_C(1) << 30);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bits_do_not_get_out),
        cmocka_unit_test(failures_fall_back),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
