/* What the work of a proof is measured by: products counted one by one, and sums' counts in a real proof. */
#include "support/support.h"

#include <stdlib.h>

#include "algebra/ntt.h"
#include "groth16/prove_work.h"
#include "groth16/prover.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

static uint64_t products;

static void counted_product(fr *out, const fr *a, const fr *b) {
    fr_mul(out, a, b);
    products++;
}

/* values[0], values[stride], ... in place of a polynomial's coefficients, by the definition of a radix-2 transform: even and
 * odd halves, and a product for each odd one but the first. out has the values in natural order. */
static void transform(fr *out, const fr *values, size_t stride, size_t count, const fr *root) {
    if (count == 1) {
        *out = *values;
        return;
    }
    fr square, power = *root, t;
    fr_square(&square, root);
    transform(out, values, 2 * stride, count / 2, &square);
    transform(out + count / 2, values + stride, 2 * stride, count / 2, &square);
    for (size_t i = 0; i < count / 2; i++) {
        t = out[count / 2 + i];
        if (i > 0) {
            counted_product(&t, &t, &power);
            fr_mul(&power, &power, root); /* a table's work, not the transform's */
        }
        fr_sub(&out[count / 2 + i], &out[i], &t);
        fr_add(&out[i], &out[i], &t);
    }
}

/* The counted transform is the real one: to the coset, whose factors are a product for each element. */
static void transforms_are_counted(void **state) {
    (void)state;
    for (unsigned log_size = 0; log_size <= 9; log_size++) {
        size_t size = (size_t)1 << log_size;
        fr *values = malloc(size * sizeof *values), *out = malloc(size * sizeof *out), root, power = FR_ONE;
        ntt_domain *domain;
        cuzk_error error = {0};
        for (size_t i = 0; i < size; i++)
            fr_from_seed(&values[i], (const uint8_t[32]){7}, i);
        memcpy(out, values, size * sizeof *out);
        products = 0;
        for (size_t i = 0; i < size; i++) {
            counted_product(&values[i], &values[i], &power);
            fr_mul(&power, &power, &FR_GENERATOR);
        }
        fr *by_definition = malloc(size * sizeof *by_definition);
        fr_root_of_unity(&root, log_size);
        transform(by_definition, values, 1, size, &root);
        assert_int_equal(products, transform_products(log_size));

        ASSERT_OK(ntt_domain_create(&domain, log_size, &error));
        ntt_coset_forward(domain, out, NULL);
        for (size_t i = 0; i < size; i++)
            assert_true(fr_equal(&out[i], &by_definition[i]));
        ntt_domain_destroy(domain);
        free(values);
        free(out);
        free(by_definition);
    }
}

/* Every phase of a proof takes time, and the sums have seen every point of their queries. */
static void a_proof_is_accounted_for(void **state) {
    (void)state;
    enum { SQUARINGS = 1000 };
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, SQUARINGS);
    toxic_waste waste = waste_of(9);
    parameters p;
    small_setup(&p, "work", &c.base, &waste);
    prove_profile profile = {0}, twice;
    const prove_options options = {.profile = &profile};
    uint8_t proof[PROOF_BYTES];
    ASSERT_OK(groth16_prove(proof, &c.base, &p, &options, NULL, NULL, NULL, &error));
    prove_sizes sizes = {.domain_log_size = 10, .assignment_bytes = 32 * SQUARINGS};
    for (int i = 0; i < PROVE_SUMS; i++) {
        const msm_counts *counts = &profile.sums[i];
        sizes.points[i] = parameters_count(&p, (section)(SECTION_H + i));
        assert_int_equal(counts->zeros + counts->ones + counts->wide, sizes.points[i]);
        assert_true(counts->wide > 0 && counts->additions > counts->wide && counts->inversions > 0);
    }
    for (prove_phase phase = 0; phase < PROVE_PHASES; phase++) {
        assert_true((profile.phases[phase].wall > 0) == (phase <= PHASE_VERIFICATION));
        assert_true(strlen(prove_phase_name(phase)) > 0);
    }

    work_amounts work = phase_work(PHASE_TO_COSET_B, &sizes, &profile);
    assert_int_equal(work.of[WORK_FR_PRODUCT], 512 * 10 + 1);
    assert_int_equal(work.of[WORK_BYTES], 2 * 32 * 1024);
    work = phase_work(PHASE_MSM_A, &sizes, &profile);
    const msm_counts *a = &profile.sums[PHASE_MSM_A - PHASE_MSM_H], *b_g2 = &profile.sums[PHASE_MSM_B_G2 - PHASE_MSM_H];
    assert_int_equal(work.of[WORK_FP_PRODUCT], 5 * a->additions + a->wide);
    assert_int_equal(work.of[WORK_FP_SQUARE], a->additions);
    work = phase_work(PHASE_MSM_B_G2, &sizes, &profile);
    assert_int_equal(work.of[WORK_FP2_PRODUCT], 5 * b_g2->additions);
    assert_int_equal(work.of[WORK_FP_PRODUCT], 2 * b_g2->wide);
    work = phase_work(PHASE_VERIFICATION, &sizes, &profile);
    assert_int_equal(work.of[WORK_FP_PRODUCT] + work.of[WORK_BYTES], 0);

    /* A second proof is added. */
    twice = profile;
    const prove_options again = {.profile = &twice};
    ASSERT_OK(groth16_prove(proof, &c.base, &p, &again, NULL, NULL, NULL, &error));
    for (int i = 0; i < PROVE_SUMS; i++) {
        assert_int_equal(twice.sums[i].wide, 2 * profile.sums[i].wide);
        assert_int_equal(twice.sums[i].additions, 2 * profile.sums[i].additions);
        assert_int_equal(twice.sums[i].window_bits, profile.sums[i].window_bits);
    }
    assert_true(twice.phases[PHASE_MSM_H].wall > profile.phases[PHASE_MSM_H].wall);
    parameters_close(&p);
}

static void the_bound_on_memory(void **state) {
    (void)state;
    assert_int_equal(peak_limit_bytes(22), (UINT64_C(256) << 20) + (UINT64_C(512) << 20));
    assert_int_equal(peak_limit_bytes(27), (UINT64_C(8) << 30) + (UINT64_C(512) << 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_counted),
        cmocka_unit_test(a_proof_is_accounted_for),
        cmocka_unit_test(the_bound_on_memory),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
