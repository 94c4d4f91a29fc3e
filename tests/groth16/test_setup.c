#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "groth16/parameters.h"
#include "groth16/query_writer.h"
#include "groth16/setup.h"
#include "support/cancelling_stream.h"
#include "support/scratch.h"
#include "support/slow_groth16.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

static const setup_description DESCRIPTION = {.version = "0.0.0", .circuit = "test", .sector_size = 2048};

static cuzk_status setup_to(const char *name, const circuit *c, const toxic_waste *waste, thread_pool *pool, progress *job,
                            cuzk_error *error) {
    char parameters_name[64], key_name[64];
    snprintf(parameters_name, sizeof parameters_name, "%s.params", name);
    snprintf(key_name, sizeof key_name, "%s.vk", name);
    return groth16_setup(c, waste, scratch_path(parameters_name), scratch_path(key_name), &DESCRIPTION, pool, job, error);
}

static void assert_file_equals(const char *name, const uint8_t *expected, size_t size) {
    size_t found_size;
    uint8_t *found = read_test_file(scratch_path(name), &found_size);
    assert_int_equal(found_size, size);
    assert_memory_equal(found, expected, size);
    free(found);
}

static void assert_setup_equals_twin(const small_circuit *c) {
    cuzk_error error = {0};
    toxic_waste waste = waste_of(1);
    slow_circuit slow = slow_circuit_record(&c->base);
    size_t size, vk_size;
    uint8_t *expected = slow_setup(&slow, &waste, &size, &vk_size);
    for (size_t threads = 0; threads <= 3; threads++) {
        thread_pool *pool = threads ? thread_pool_create(threads) : NULL;
        ASSERT_OK(setup_to("twin", &c->base, &waste, pool, NULL, &error));
        thread_pool_destroy(pool);
        assert_file_equals("twin.params", expected, size);
        assert_file_equals("twin.vk", expected, vk_size);
    }
    free(expected);
    slow_circuit_free(&slow);
}

static void equals_the_slow_twin(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        assert_setup_equals_twin(&circuits[i]);
}

static void random_circuits_equal_the_slow_twin(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 3 + seed * 2);
        c.seed = seed;
        assert_setup_equals_twin(&c);
    }
}

/* Sections hold exactly the variables with a non-zero coefficient. */
static void zero_terms_are_left_out(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_ZERO_TERMS, 0);
    toxic_waste waste = waste_of(2);
    ASSERT_OK(setup_to("zero", &c.base, &waste, NULL, NULL, &error));
    parameters p;
    ASSERT_OK(parameters_open(&p, scratch_path("zero.params"), NULL, &error));
    assert_int_equal(parameters_count(&p, SECTION_IC), 3);
    assert_int_equal(parameters_count(&p, SECTION_L), 3);
    assert_int_equal(parameters_count(&p, SECTION_A), 3 + 2);    /* x and y, not z */
    assert_int_equal(parameters_count(&p, SECTION_B_G1), 2 + 2); /* ONE and other_in; x and y */
    assert_int_equal(parameters_count(&p, SECTION_B_G2), 2 + 2);
    assert_int_equal(parameters_count(&p, SECTION_H), 15);
    circuit_shape shape;
    circuit_shape_create(&shape, &c.base);
    ASSERT_OK(parameters_fit(&p, &shape, &error));
    circuit_shape_free(&shape);
    parameters_close(&p);
}

static void assert_refused(const circuit *c, const toxic_waste *waste, cuzk_status status, const char *words) {
    cuzk_error error = {0};
    size_t before = scratch_count();
    assert_int_equal(setup_to("refused", c, waste, NULL, NULL, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.message, words))
        fail_msg("found \"%s\", expected \"%s\" in it", error.message, words);
    assert_int_equal(scratch_count(), before);
}

static void refuses_unusable_circuits_and_secrets(void **state) {
    (void)state;
    small_circuit unused = small_circuit_make(CIRCUIT_UNUSED_VARIABLE, 2);
    toxic_waste waste = waste_of(3);
    assert_refused(&unused.base, &waste, CUZK_BAD_INPUT, "auxiliary variable 0: found in no constraint");

    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 2); /* domain of 4 */
    fr *const secrets[] = {&waste.tau, &waste.alpha, &waste.beta, &waste.gamma, &waste.delta};
    static const char *const names[] = {"tau: found 0", "alpha: found 0", "beta: found 0", "gamma: found 0", "delta: found 0"};
    for (size_t i = 0; i < 5; i++) {
        fr kept = *secrets[i];
        *secrets[i] = FR_ZERO;
        assert_refused(&c.base, &waste, CUZK_BAD_INPUT, names[i]);
        *secrets[i] = kept;
    }
    for (uint64_t i = 0; i < 4; i++) {
        fr root;
        fr_root_of_unity(&root, 2);
        fr_power(&waste.tau, &root, i);
        assert_refused(&c.base, &waste, CUZK_BAD_INPUT, "an element of the domain of size 2^2");
    }
}

/* x occurs in A of rows 0 and 1 with coefficient 1: L_0(tau) + L_1(tau) = 0 at tau = 2w / (1 + w). Its density says that a point
 * belongs into the file, and no point can stand there. */
static void synthesize_two_rows(const circuit *self, constraint_system *cs) {
    (void)self;
    variable x = constraint_system_allocate(cs, &FR_ONE);
    for (int row = 0; row < 2; row++) {
        linear_combination_add_one(&cs->a, x);
        linear_combination_add(&cs->b, VARIABLE_ONE, row == 0 ? &FR_ONE : &FR_TWO);
        linear_combination_add(&cs->c, VARIABLE_ONE, row == 0 ? &FR_ONE : &FR_TWO);
        constraint_system_enforce(cs, "row");
    }
}

static void refuses_a_root_of_a_polynomial(void **state) {
    (void)state;
    const circuit c = {synthesize_two_rows};
    toxic_waste waste = waste_of(4);
    fr root, denominator;
    fr_root_of_unity(&root, 2);
    fr_add(&denominator, &root, &FR_ONE);
    fr_invert(&denominator, &denominator);
    fr_double(&waste.tau, &root);
    fr_mul(&waste.tau, &waste.tau, &denominator);
    assert_refused(&c, &waste, CUZK_BAD_INPUT, "tau: found a root of a polynomial of auxiliary variable 0");
}

static void leaves_nothing_behind_when_it_fails(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 3);
    toxic_waste waste = waste_of(6);
    size_t before = scratch_count();

    progress job;
    progress_init(&job, NULL);
    progress_cancel(&job);
    assert_int_equal(setup_to("cancelled", &c.base, &waste, NULL, &job, &error), CUZK_CANCELLED);
    assert_int_equal(scratch_count(), before);

    for (unsigned phases = 1; phases <= 6; phases++) { /* of counting, evaluating, h, l, a, b_g1, b_g2 */
        cancelling_job stop;
        cancelling_job_create(&stop, phases);
        assert_int_equal(setup_to("cancelled", &c.base, &waste, NULL, &stop.job, &error), CUZK_CANCELLED);
        fclose(stop.job.stream);
        assert_int_equal(scratch_count(), before);
    }

    assert_int_equal(
        groth16_setup(&c.base, &waste, scratch_path("a.params"), scratch_path("missing/a.vk"), &DESCRIPTION, NULL, NULL, &error),
        CUZK_INPUT_OUTPUT);
    assert_non_null(strstr(error.message, "missing/a.vk"));
    assert_int_equal(
        groth16_setup(&c.base, &waste, scratch_path("missing/a.params"), scratch_path("a.vk"), &DESCRIPTION, NULL, NULL, &error),
        CUZK_INPUT_OUTPUT);
    assert_int_equal(scratch_count(), before);
}

static void zero_scalars(void *context, fr *out, size_t count) {
    (void)context;
    memset(out, 0, count * sizeof *out);
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    cuzk_error error = {0};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    query_writer writer;
    ASSERT_OK(query_writer_create(&writer, full, "p.params", 1000, 0, NULL, NULL, &error));
    assert_int_equal(query_write_g1(&writer, "query", 1000, zero_scalars, NULL, &error), CUZK_INPUT_OUTPUT);
    assert_non_null(strstr(error.message, "p.params: cannot write: No space left"));
    query_writer_free(&writer);
    fclose(full);
}

static void random_secrets_differ(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 3);
    ASSERT_OK(setup_to("random1", &c.base, NULL, NULL, NULL, &error));
    ASSERT_OK(setup_to("random2", &c.base, NULL, NULL, NULL, &error));
    verifying_key first, second;
    ASSERT_OK(verifying_key_read(&first, scratch_path("random1.vk"), NULL, &error));
    ASSERT_OK(verifying_key_read(&second, scratch_path("random2.vk"), NULL, &error));
    assert_false(verifying_key_equal(&first, &second));
    assert_memory_not_equal(&first.alpha_g1, &second.alpha_g1, sizeof first.alpha_g1);
    assert_memory_not_equal(&first.gamma_g2, &second.gamma_g2, sizeof first.gamma_g2);
    verifying_key_free(&first);
    verifying_key_free(&second);
}

static void development_parameters_are_recognised(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 3);
    toxic_waste waste = waste_of(7), other_waste = waste_of(8);
    ASSERT_OK(setup_to("marked", &c.base, &waste, NULL, NULL, &error));
    ASSERT_OK(setup_to("other", &c.base, &other_waste, NULL, NULL, &error));
    verifying_key vk, other;
    ASSERT_OK(verifying_key_read(&vk, scratch_path("marked.vk"), NULL, &error));
    ASSERT_OK(verifying_key_read(&other, scratch_path("other.vk"), NULL, &error));

    assert_true(parameters_are_development(scratch_path("marked.params"), &vk));
    assert_true(parameters_are_development(scratch_path("marked.vk"), &vk));
    size_t size;
    uint8_t *note = read_test_file(scratch_path("marked.params.development"), &size);
    assert_non_null(strstr((char *)note, "not from a trusted setup"));
    assert_non_null(strstr((char *)note, "\"circuit\": \"test\""));
    assert_non_null(strstr((char *)note, "\"sector_size\": 2048"));
    assert_non_null(strstr((char *)note, "\"trusted_setup\": false"));
    assert_non_null(strstr((char *)note, "\"version\": \"0.0.0\""));

    /* Another file under the same name is not meant by the note. */
    assert_false(parameters_are_development(scratch_path("marked.params"), &other));
    assert_false(parameters_are_development(scratch_path("absent.params"), &vk));
    /* A damaged note still warns. */
    scratch_write(scratch_path("marked.params.development"), note, size / 2);
    assert_true(parameters_are_development(scratch_path("marked.params"), &other));
    scratch_write(scratch_path("marked.params.development"), note, 0);
    assert_true(parameters_are_development(scratch_path("marked.params"), &vk));
    free(note);
    verifying_key_free(&vk);
    verifying_key_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_slow_twin),
        cmocka_unit_test(random_circuits_equal_the_slow_twin),
        cmocka_unit_test(zero_terms_are_left_out),
        cmocka_unit_test(refuses_unusable_circuits_and_secrets),
        cmocka_unit_test(refuses_a_root_of_a_polynomial),
        cmocka_unit_test(leaves_nothing_behind_when_it_fails),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(random_secrets_differ),
        cmocka_unit_test(development_parameters_are_recognised),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
