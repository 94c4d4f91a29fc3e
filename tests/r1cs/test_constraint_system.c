#include "support/support.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "r1cs/digest.h"

/* x * x = y; 2x + 0*y - 3*ONE appears with a cancelled and a zero term; then `broken` breaks the last constraint. */
typedef struct {
    circuit circuit;
    bool broken;
    size_t repeats;
} sample_circuit;

static void synthesize_sample(const circuit *self, constraint_system *cs) {
    const sample_circuit *sample = (const sample_circuit *)self;
    fr x, y, z, k;
    fr_from_u64(&x, 300);
    fr_square(&y, &x);
    variable vx = constraint_system_allocate(cs, &x);
    variable vy = constraint_system_allocate_input(cs, &y);
    namespace_push(cs, "outer");
    for (size_t i = 0; i < sample->repeats; i++) {
        namespace_push_index(cs, "round", i);
        linear_combination_add_one(&cs->a, vx);
        linear_combination_add_one(&cs->b, vx);
        linear_combination_add_one(&cs->c, vy);
        constraint_system_enforce(cs, "square");
        namespace_pop(cs);
    }
    fr_from_u64(&k, 2);
    linear_combination_add(&cs->a, vx, &k);
    linear_combination_add(&cs->a, vy, &FR_ZERO);
    linear_combination_add(&cs->a, VARIABLE_ONE, &FR_ONE);
    linear_combination_subtract_one(&cs->a, VARIABLE_ONE); /* cancels */
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    fr_from_u64(&z, sample->broken ? 601 : 600);
    variable vz = constraint_system_allocate(cs, &z);
    linear_combination_add_one(&cs->c, vz);
    constraint_system_enforce(cs, "double");
    namespace_pop(cs);
}

static sample_circuit sample(bool broken, size_t repeats) {
    return (sample_circuit){.circuit = {synthesize_sample}, .broken = broken, .repeats = repeats};
}

static void counts_skip_zero_coefficients(void **state) {
    (void)state;
    sample_circuit c = sample(false, 1);
    circuit_counts counts;
    circuit_count(&counts, &c.circuit);
    assert_int_equal(counts.inputs, 2);
    assert_int_equal(counts.aux, 2);
    assert_int_equal(counts.constraints, 2);
    assert_int_equal(counts.nonzeros[0], 2);
    assert_int_equal(counts.nonzeros[1], 2);
    assert_int_equal(counts.nonzeros[2], 2);
    assert_int_equal(counts.a_aux.ones, 1);
    assert_int_equal(counts.b_aux.ones, 1);
    assert_int_equal(counts.b_input.ones, 1);
    assert_true(density_get(&counts.a_aux, 0));
    assert_false(density_get(&counts.a_aux, 1));
    assert_false(density_get(&counts.a_aux, 1000000));
    assert_int_equal(circuit_domain_log_size(&counts), 2);
    circuit_counts_free(&counts);
}

static void assignment_keeps_values_and_appends_input_constraints(void **state) {
    (void)state;
    sample_circuit c = sample(false, 5);
    assignment result;
    cuzk_error error = {0};
    ASSERT_OK(assignment_create(&result, &c.circuit, &error));
    assert_int_equal(result.domain_log_size, 3);
    fr expected;
    fr_from_u64(&expected, 300);
    for (int i = 0; i < 5; i++) {
        assert_true(fr_equal(&result.a[i], &expected));
        assert_true(fr_equal(&result.b[i], &expected));
        assert_true(fr_equal(&result.c[i], &result.inputs[1]));
    }
    fr_from_u64(&expected, 600);
    assert_true(fr_equal(&result.a[5], &expected));
    assert_true(fr_equal(&result.a[6], &FR_ONE));
    assert_true(fr_equal(&result.a[7], &result.inputs[1]));
    assert_true(fr_is_zero(&result.b[6]) && fr_is_zero(&result.c[6]) && fr_is_zero(&result.b[7]) && fr_is_zero(&result.c[7]));
    assignment_free(&result);
}

static void broken_constraint_is_named(void **state) {
    (void)state;
    sample_circuit c = sample(true, 3);
    assignment result;
    cuzk_error error = {0};
    assert_int_equal(assignment_create(&result, &c.circuit, &error), CUZK_UNSATISFIED);
    assert_non_null(strstr(error.message, "constraint 3: outer/double"));
    circuit_digest digest;
    ASSERT_OK(circuit_digest_create(&digest, &c.circuit, true, &error));
    assert_true(digest.broken.found);
    assert_int_equal(digest.broken.number, 3);
    assert_string_equal(digest.broken.name, "outer/double");
    circuit_digest_free(&digest);
}

/* The digest's twin: all bytes of one block in memory, hashed at once. */
static void append_row(uint8_t **at, uint64_t column, uint64_t coefficient) {
    memset(*at, 0, 40);
    store_u64_le(*at, column);
    store_u64_le(*at + 8, coefficient);
    *at += 40;
}

static void append_count(uint8_t **at, uint32_t count) {
    store_u32_le(*at, count);
    *at += 4;
}

static void digest_equals_its_definition(void **state) {
    (void)state;
    const uint64_t aux = UINT64_C(1) << 63;
    enum { REPEATS = DIGEST_BLOCK_SIZE + 7 };
    uint8_t *bytes = malloc((size_t)(REPEATS + 1) * 140), *at = bytes, *second = NULL;
    for (int i = 0; i < REPEATS; i++) {
        if (i == DIGEST_BLOCK_SIZE)
            second = at;
        append_count(&at, 1), append_row(&at, 0 | aux, 1);
        append_count(&at, 1), append_row(&at, 0 | aux, 1);
        append_count(&at, 1), append_row(&at, 1, 1);
    }
    append_count(&at, 1), append_row(&at, 0 | aux, 2);
    append_count(&at, 1), append_row(&at, 0, 1);
    append_count(&at, 1), append_row(&at, 1 | aux, 1);
    uint8_t blocks[2][32], total[32];
    SHA256(bytes, (size_t)(second - bytes), blocks[0]);
    SHA256(second, (size_t)(at - second), blocks[1]);
    SHA256(blocks[0], 64, total);
    free(bytes);

    sample_circuit c = sample(false, REPEATS);
    circuit_digest digest;
    cuzk_error error = {0};
    ASSERT_OK(circuit_digest_create(&digest, &c.circuit, false, &error));
    assert_int_equal(digest.r1cs.count, 2);
    assert_memory_equal(digest.r1cs.blocks[0], blocks[0], 32);
    assert_memory_equal(digest.r1cs.blocks[1], blocks[1], 32);
    assert_memory_equal(digest.r1cs.total, total, 32);
    assert_int_equal(digest.block_first_aux[0], 1);
    assert_int_equal(digest.block_first_aux[1], 1);
    circuit_digest_free(&digest);
}

static void digest_of_values_equals_its_definition(void **state) {
    (void)state;
    sample_circuit c = sample(false, 1);
    circuit_digest digest;
    cuzk_error error = {0};
    ASSERT_OK(circuit_digest_create(&digest, &c.circuit, true, &error));
    uint8_t values[6][32] = {{0}}, block[32], total[32];
    store_u64_le(values[0], 300);
    store_u64_le(values[1], 600);
    SHA256(values[0], 64, block);
    SHA256(block, 32, total);
    assert_memory_equal(digest.aux.total, total, 32);
    store_u64_le(values[1], 300);
    store_u64_le(values[2], 90000);
    store_u64_le(values[3], 600);
    store_u64_le(values[4], 1);
    store_u64_le(values[5], 600);
    SHA256(values[0], sizeof values, block);
    SHA256(block, 32, total);
    assert_memory_equal(digest.abc.total, total, 32);
    assert_int_equal(digest.abc_classes[1][1], 1);
    assert_int_equal(digest.abc_classes[2][3], 2);
    circuit_digest_free(&digest);
}

static void linear_combination_sorts_and_merges(void **state) {
    (void)state;
    linear_combination lc = {0};
    test_random random = {1};
    fr expected[40] = {{{0}}};
    for (int i = 0; i < 2000; i++) {
        uint32_t index = (uint32_t)(test_random_u64(&random) % 40);
        variable v = index < 20 ? index : (index - 20) | VARIABLE_AUX_BIT;
        fr k;
        fr_from_u64(&k, test_random_u64(&random));
        linear_combination_add(&lc, v, &k);
        fr_add(&expected[index], &expected[index], &k);
    }
    assert_int_equal(lc.count, 40);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(lc.terms[i].variable, i < 20 ? i : (i - 20) | VARIABLE_AUX_BIT);
        assert_true(fr_equal(&lc.terms[i].coefficient, &expected[i]));
    }
    linear_combination_free(&lc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_skip_zero_coefficients),
        cmocka_unit_test(assignment_keeps_values_and_appends_input_constraints),
        cmocka_unit_test(broken_constraint_is_named),
        cmocka_unit_test(digest_equals_its_definition),
        cmocka_unit_test(digest_of_values_equals_its_definition),
        cmocka_unit_test(linear_combination_sorts_and_merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
