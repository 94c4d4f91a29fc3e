/* The table of functions through which the engine and the programs know devices. */
#include "proof_case.h"

#include "cuda/aux_encoder.h"
#include "cuda/cuda_driver.h"
#include "cuda/device_emulated.h"
#include "cuda/row_encoder.h"
#include "hash_circuit.h"

static proving_device *open_device(unsigned ordinal, const device_options *options) {
    cuzk_error error = {0};
    proving_device *opened;
    ASSERT_OK(CUDA_DRIVER.open(&opened, ordinal, options, &error));
    return opened;
}

static cuzk_status prove_on(const proof_case *c, proving_device *d, prove_profile *profile, cuzk_error *error) {
    uint8_t proof[PROOF_BYTES] = {0};
    prove_options options = c->options;
    options.profile = profile;
    compact_assignment witness = witness_of(c);
    TRY(CUDA_DRIVER.prove(proof, d, &witness, &c->parameters, &options, NULL, NULL, error));
    assert_memory_equal(proof, c->expected, PROOF_BYTES);
    return CUZK_OK;
}

static void devices_say_what_they_are(void **state) {
    (void)state;
    cuzk_error error = {0};
    proving_device *opened;
    assert_int_equal(CUDA_DRIVER.count(), 2);
    proving_device *d = open_device(1, NULL);
    assert_string_equal(CUDA_DRIVER.name(d), "emulated device 1");
    assert_int_equal(CUDA_DRIVER.memory_total(d), 1 << 30);
    assert_int_equal(CUDA_DRIVER.memory_free(d), 1 << 30);
    assert_true(CUDA_DRIVER.works(d));
    CUDA_DRIVER.close(d);
    assert_int_equal(CUDA_DRIVER.open(&opened, 2, NULL, &error), CUZK_NOT_FOUND);
    assert_null(opened);
    assert_int_equal(CUDA_DRIVER.open(&opened, 0, &(device_options){.windows = "q=1"}, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "windows: found \"q=1\", expected h, l, a, b_g1 or b_g2, \"=\" and 1 ... 22");
}

/* Every way of points, with and without a profile: equal bytes, and every phase took time. */
static void options_and_phases(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 60);
    proof_case c;
    open_case(&c, &random.base);
    const device_options options[] = {
        {0},
        {.pinning = DEVICE_POINTS_MAPPED, .windows = "h=5,b_g2=3"},
        {.pinning = DEVICE_POINTS_REGISTERED, .b_g2_on_host = true},
        {.allocate_each_time = true, .keep_nothing = true},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        proving_device *d = open_device(0, &options[i]);
        prove_profile profile = {0};
        for (int n = 0; n < 2; n++)
            ASSERT_OK(prove_on(&c, d, NULL, &error));
        ASSERT_OK(prove_on(&c, d, &profile, &error)); /* from points that stayed, unless nothing does */
        for (prove_phase phase = PHASE_EVALUATE_A; phase < PROVE_PHASES; phase++)
            assert_true(profile.phases[phase].wall > 0);
        assert_int_equal(profile.sums[0].window_bits, 5);
        CUDA_DRIVER.close(d);
    }
    emulated_devices_refuse_registration(true);
    proving_device *d = open_device(0, &options[2]);
    ASSERT_OK(prove_on(&c, d, NULL, &error));
    CUDA_DRIVER.close(d);
    emulated_devices_refuse_registration(false);
    close_case(&c);
}

/* Whoever called decides where the proof is made then. */
static void nobody_proves_in_its_place(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 30);
    proof_case c;
    open_case(&c, &squarings.base);
    proving_device *d = open_device(1, NULL);
    for (uint64_t download = 0; download < 10; download += 3) {
        emulated_device_flip_bit(cuda_prover_device(cuda_driver_prover(d)), download, 3);
        assert_int_equal(prove_on(&c, d, NULL, &error), CUZK_UNAVAILABLE);
        assert_non_null(strstr(error.message, "emulated device 1: "));
        if (!CUDA_DRIVER.works(d)) { /* it took a sound point for malformed: nothing that it says is believed any more */
            CUDA_DRIVER.close(d);
            d = open_device(1, NULL);
        }
        ASSERT_OK(prove_on(&c, d, NULL, &error));
    }
    emulated_device_fail_after(cuda_prover_device(cuda_driver_prover(d)), 20);
    assert_int_equal(prove_on(&c, d, NULL, &error), CUZK_UNAVAILABLE);
    assert_false(CUDA_DRIVER.works(d));
    assert_int_equal(prove_on(&c, d, NULL, &error), CUZK_UNAVAILABLE);
    assert_string_equal(error.message, "emulated device 1 has failed before");
    CUDA_DRIVER.close(d);

    emulated_devices_set(2, 1 << 15);
    d = open_device(0, NULL);
    assert_int_equal(prove_on(&c, d, NULL, &error), CUZK_NO_MEMORY);
    assert_true(CUDA_DRIVER.works(d));
    CUDA_DRIVER.close(d);
    emulated_devices_set(2, UINT64_C(1) << 30);
    close_case(&c);
}

/* What the engine's budget counts with is enough, and not many times too much. */
static void host_memory_is_foreseen(void **state) {
    (void)state;
    cuzk_error error = {0};
    hash_circuit hashes = {.poseidons = 2, .compressions = 1};
    body_circuit body = body_circuit_of(synthesize_hashes, &hashes);
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 400);
    const circuit *circuits[] = {&body.circuit, &random.base};
    for (size_t i = 0; i < 2; i++) {
        circuit_shape shape;
        compact_assignment witness;
        row_encoding rows;
        aux_encoding aux;
        circuit_shape_create(&shape, circuits[i]);
        ASSERT_OK(compact_assignment_create(&witness, &shape, circuits[i], &error));
        ASSERT_OK(row_encoding_create(&rows, &witness, NULL, NULL, &error));
        ASSERT_OK(aux_encoding_create(&aux, &witness, NULL, &error));
        assert_true(rows.wide_count <= most_wide_rows_of(&shape));
        uint64_t taken = rows.code_words * sizeof *rows.codes + rows.wide_capacity + rows.number_capacity * sizeof(fr);
        uint64_t working = row_encoding_bytes(&shape, 1) - row_encoding_bytes(&shape, 0);
        assert_true(taken <= row_encoding_bytes(&shape, 0) && working < 16 << 20);
        uint64_t most = shape.stored_elements + most_wide_rows_of(&shape);
        assert_true(aux.value_count <= most);
        taken = 2 * aux.words * sizeof(uint64_t) + aux.value_capacity * sizeof(fr_canonical);
        assert_true(taken <= aux_encoding_bytes(&shape, most, 0));
        assert_true(CUDA_DRIVER.host_bytes(&shape, 2) >
                    row_encoding_bytes(&shape, 2) + aux_encoding_bytes(&shape, aux.value_count, 2));
        uint64_t points = 2 * ((UINT64_C(1) << shape.domain_log_size) - 1) * G1_BYTES;
        assert_in_range(CUDA_DRIVER.kept_host_bytes(&shape), points, 3 * points);
        row_encoding_free(&rows);
        aux_encoding_free(&aux);
        compact_assignment_free(&witness);
        circuit_shape_free(&shape);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_say_what_they_are),
        cmocka_unit_test(options_and_phases),
        cmocka_unit_test(nobody_proves_in_its_place),
        cmocka_unit_test(host_memory_is_foreseen),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
