/* Points and bitmaps that stay on a device from proof to proof. */
#include "proof_case.h"

#include "cuda/device_emulated.h"
#include "cuda/kept_points.h"

static const uint64_t PLENTY = UINT64_C(1) << 30, PAGE = 4096, ROUNDING = (uint64_t)KEPT_PARTS * 4096;

static uint64_t point_bytes_of(const proof_case *c) {
    uint64_t bytes = 0;
    for (section s = SECTION_H; s < SECTION_COUNT; s++)
        bytes += parameters_count(&c->parameters, s) * section_point_bytes(s);
    return bytes;
}

/* Of inputs, which the host sums. */
static uint64_t input_bytes_of(const proof_case *c) {
    size_t in_b = 0;
    for (uint32_t i = 0; i < c->shape.inputs; i++)
        in_b += density_get(&c->shape.b_input, i);
    return c->shape.inputs * G1_BYTES + in_b * (G1_BYTES + G2_BYTES);
}

static cuda_prove_report prove_on(const proof_case *c, cuda_prover *prover) {
    cuda_prove_report report = prove_equal(c, prover, NULL);
    assert_string_equal(report.reason, "");
    return report;
}

/* The first proof shows what memory a proof takes, the second keeps its points, and from the third on only the assignment goes
 * up. */
static void what_is_kept_does_not_go_up_again(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case c;
    open_case(&c, &squarings.base);
    cuda_prover *prover = prover_with(&(cuda_prover_options){.part_points = 64});
    const device *d = cuda_prover_device(prover);
    uint64_t up[4], at = 0;
    cuda_prove_report reports[4];
    for (int i = 0; i < 4; i++) {
        reports[i] = prove_on(&c, prover);
        up[i] = emulated_device_uploaded_bytes(d) - at;
        at += up[i];
        assert_int_equal(cuda_prover_kept_bytes(prover) > 0, i > 0);
    }
    uint64_t points = point_bytes_of(&c) - input_bytes_of(&c), tables = up[2] - reports[2].assignment_bytes;
    assert_int_equal(reports[0].point_bytes, points);
    assert_int_equal(reports[1].point_bytes, points);
    assert_int_equal(reports[2].point_bytes, 0);
    assert_int_equal(up[0], up[1]);
    assert_int_equal(up[2], up[3]);
    assert_int_equal(up[0] - up[2], points + 2 * words_for_bits(c.shape.aux) * sizeof(uint64_t));
    assert_true(tables < 1 << 16); /* roots of unity: they do not grow with the circuit */
    cuda_prover_destroy(prover);

    prover = prover_with(&(cuda_prover_options){.keep_nothing = true});
    for (int i = 0; i < 3; i++)
        assert_int_equal(prove_on(&c, prover).point_bytes, points);
    assert_int_equal(cuda_prover_kept_bytes(prover), 0);
    cuda_prover_destroy(prover);
    close_case(&c);
}

/* What one proof of it takes besides, and what it keeps. */
static void measure(const proof_case *c, uint64_t *own, uint64_t *kept) {
    emulated_devices_set(2, PLENTY);
    cuda_prover *prover = prover_with(NULL);
    prove_on(c, prover);
    prove_on(c, prover);
    *kept = cuda_prover_kept_bytes(prover);
    cuda_prover_destroy(prover);
    prover = prover_with(&(cuda_prover_options){.keep_nothing = true});
    prove_on(c, prover);
    *own = device_memory_peak_bytes(cuda_prover_device(prover));
    cuda_prover_destroy(prover);
}

/* Memory for a proof and for some of what it would keep: these sections stay, the others go up each time. */
static void part_of_it_is_kept(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case c;
    uint64_t own, kept;
    open_case(&c, &squarings.base);
    measure(&c, &own, &kept);
    uint64_t points = point_bytes_of(&c) - input_bytes_of(&c), before = 0;
    for (unsigned sixths = 0; sixths <= 6; sixths += 2) {
        emulated_devices_set(2, own + own / 8 + kept * sixths / 6 + (sixths == 6 ? ROUNDING : 0));
        cuda_prover *prover = prover_with(NULL);
        for (int i = 0; i < 2; i++)
            prove_on(&c, prover);
        uint64_t up = prove_on(&c, prover).point_bytes, stays = cuda_prover_kept_bytes(prover);
        assert_int_equal(up, prove_on(&c, prover).point_bytes);
        assert_true(stays >= before && up <= points);
        before = stays;
        if (sixths == 0)
            assert_true(up > points / 2);
        if (sixths == 2 || sixths == 4)
            assert_true(up > 0 && up < points && stays > 0 && stays < kept);
        if (sixths == 6)
            assert_int_equal(up, 0);
        cuda_prover_destroy(prover);
    }
    emulated_devices_set(2, PLENTY);
    close_case(&c);
}

/* Room for one circuit's points only: the one that was used least recently goes, wholly or in part, and all proofs are right. */
static void another_circuit_takes_the_place(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60), others = small_circuit_make(CIRCUIT_SQUARINGS, 59);
    proof_case a, b;
    uint64_t own_a, own_b, kept_a, kept_b;
    open_case(&a, &squarings.base);
    open_case(&b, &others.base);
    measure(&a, &own_a, &kept_a);
    measure(&b, &own_b, &kept_b);
    uint64_t own = own_a > own_b ? own_a : own_b, kept = kept_a > kept_b ? kept_a : kept_b;
    emulated_devices_set(2, own + own / 8 + kept + ROUNDING);
    cuda_prover *prover = prover_with(NULL);
    for (int i = 0; i < 2; i++)
        prove_on(&a, prover);
    assert_int_equal(prove_on(&a, prover).point_bytes, 0);
    for (int i = 0; i < 2; i++)
        prove_on(&b, prover);
    assert_int_equal(prove_on(&b, prover).point_bytes, 0);
    assert_true(cuda_prover_kept_bytes(prover) <= kept);
    assert_true(prove_on(&a, prover).point_bytes > 0);
    assert_int_equal(prove_on(&a, prover).point_bytes, 0);
    cuda_prover_destroy(prover);

    /* With room for both, both stay. */
    emulated_devices_set(2, own + own / 8 + kept_a + kept_b + 2 * ROUNDING);
    prover = prover_with(NULL);
    for (int i = 0; i < 2; i++) {
        prove_on(&a, prover);
        prove_on(&b, prover);
    }
    assert_int_equal(prove_on(&a, prover).point_bytes, 0);
    assert_int_equal(prove_on(&b, prover).point_bytes, 0);
    cuda_prover_destroy(prover);
    emulated_devices_set(2, PLENTY);
    close_case(&a);
    close_case(&b);
}

/* What is kept makes room for a circuit that needs the memory itself, known or not. */
static void proofs_go_before_what_is_kept(void **state) {
    (void)state;
    small_circuit small = small_circuit_make(CIRCUIT_SQUARINGS, 30), large = small_circuit_make(CIRCUIT_SQUARINGS, 200);
    proof_case a, b;
    uint64_t own_a, own_b, kept_a, kept_b;
    open_case(&a, &small.base);
    open_case(&b, &large.base);
    measure(&a, &own_a, &kept_a);
    measure(&b, &own_b, &kept_b);
    assert_true(own_b > own_a + own_a / 8 + kept_a);
    emulated_devices_set(2, own_b + PAGE);
    cuda_prover *prover = prover_with(NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++)
            prove_on(&a, prover);
        assert_int_equal(prove_on(&a, prover).point_bytes, 0);
        prove_on(&b, prover);
    }
    cuda_prover_destroy(prover);
    emulated_devices_set(2, PLENTY);
    close_case(&a);
    close_case(&b);
}

/* Another setup's parameters under the same path are other parameters. */
static void files_are_told_apart(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case first, second;
    open_case(&first, &squarings.base);
    open_case_with(&second, &squarings.base, 12);
    assert_string_equal(first.parameters.path, second.parameters.path);
    second.parameters.file.modified_ns = first.parameters.file.modified_ns;
    cuda_prover *prover = prover_with(NULL);
    for (int i = 0; i < 3; i++)
        prove_on(&first, prover);
    for (int i = 0; i < 3; i++)
        assert_int_equal(prove_on(&second, prover).point_bytes == 0, i == 2);
    assert_int_equal(prove_on(&first, prover).point_bytes, 0);
    cuda_prover_destroy(prover);
    close_case(&first);
    close_case(&second);
}

/* After a wrong proof, a malformed point or a cancellation nothing that may be wrong stays. */
static void doubtful_points_are_given_up(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 60);
    proof_case c;
    open_case(&c, &squarings.base);
    cuda_prover *prover = prover_with(NULL);
    for (int i = 0; i < 3; i++)
        prove_on(&c, prover);
    assert_true(cuda_prover_kept_bytes(prover) > 0);
    emulated_device_flip_bit(cuda_prover_device(prover), 0, 3);
    cuda_prove_report report = prove_equal(&c, prover, NULL);
    assert_true(report.by_host);
    assert_int_equal(cuda_prover_kept_bytes(prover), 0);
    prove_on(&c, prover);
    assert_int_equal(prove_on(&c, prover).point_bytes, 0);

    progress job;
    uint8_t proof[PROOF_BYTES];
    progress_init(&job, NULL);
    progress_cancel(&job);
    cuda_prover_destroy(prover);
    prover = prover_with(NULL);
    prove_on(&c, prover);
    compact_assignment witness = witness_of(&c);
    assert_int_equal(cuda_prove_alone(proof, prover, &witness, &c.parameters, &c.options, NULL, &job, NULL, &error),
                     CUZK_CANCELLED);
    assert_int_equal(cuda_prover_kept_bytes(prover), 0);
    for (int i = 0; i < 2; i++)
        prove_on(&c, prover);
    cuda_prover_destroy(prover);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_does_not_go_up_again),
        cmocka_unit_test(part_of_it_is_kept),
        cmocka_unit_test(another_circuit_takes_the_place),
        cmocka_unit_test(proofs_go_before_what_is_kept),
        cmocka_unit_test(files_are_told_apart),
        cmocka_unit_test(doubtful_points_are_given_up),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
