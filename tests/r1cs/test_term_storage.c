/* Storages of terms: whatever linear combinations keep their terms in, they say the same. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "r1cs/assignment.h"
#include "r1cs/term_storage.h"
#include "support/small_circuits.h"

static void assert_same_terms(const linear_combination *a, const linear_combination *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->terms[i].variable, b->terms[i].variable);
        assert_true(fr_equal(&a->terms[i].coefficient, &b->terms[i].coefficient));
    }
}

/* Combinations of every size, in random order and with repetitions, three side by side as in a constraint. */
static void check_storage(size_t inline_capacity, bool arena) {
    test_random random = {inline_capacity + 1};
    term_storage storage = term_storage_create(inline_capacity, arena);
    linear_combination stored[3] = {{0}, {0}, {0}}, plain[3] = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++)
        term_storage_attach(&storage, &stored[i]);
    for (size_t round = 0; round < 400; round++) {
        for (int i = 0; i < 3; i++) {
            size_t adds = round % 50 == 49 ? 30000 : test_random_u64(&random) % (round + 1);
            for (size_t k = 0; k < adds; k++) {
                /* Mostly behind all others, sometimes among them. */
                variable v = k % 7 ? (variable)k : (variable)(test_random_u64(&random) % (k + 1));
                fr coefficient;
                fr_from_u64(&coefficient, test_random_u64(&random) % 3);
                linear_combination_add(&stored[i], v, &coefficient);
                linear_combination_add(&plain[i], v, &coefficient);
            }
            assert_same_terms(&stored[i], &plain[i]);
        }
        for (int i = 0; i < 3; i++) {
            linear_combination_clear(&stored[i]);
            linear_combination_clear(&plain[i]);
            assert_int_equal(stored[i].capacity, inline_capacity);
        }
        assert_int_equal(storage.live, 0);
        assert_int_equal(storage.arena_used, 0);
    }
    for (int i = 0; i < 3; i++) {
        linear_combination_free(&stored[i]);
        linear_combination_free(&plain[i]);
    }
    term_storage_free(&storage);
}

static void test_terms_do_not_depend_on_the_storage(void **state) {
    (void)state;
    static const size_t capacities[] = {0, 1, 2, 4};
    for (size_t i = 0; i < 4; i++) {
        check_storage(capacities[i], false);
        check_storage(capacities[i], true);
    }
}

static void test_allocations_are_counted(void **state) {
    (void)state;
    linear_combination lc = {0};
    term_storage storage = term_storage_create(2, false);
    term_storage_attach(&storage, &lc);
    for (variable v = 0; v < 2; v++)
        linear_combination_add_one(&lc, v);
    assert_int_equal(storage.allocations, 0);
    for (variable v = 2; v < 9; v++)
        linear_combination_add_one(&lc, v);
    assert_int_equal(storage.allocations, 3); /* 4, 8, 16 */
    linear_combination_free(&lc);
    term_storage_free(&storage);
}

static void assert_same_assignment(const assignment *a, const assignment *b) {
    size_t size = (size_t)1 << a->domain_log_size;
    assert_int_equal(a->counts.aux, b->counts.aux);
    assert_int_equal(a->counts.inputs, b->counts.inputs);
    assert_int_equal(a->domain_log_size, b->domain_log_size);
    assert_int_equal(a->counts.a_aux.ones, b->counts.a_aux.ones);
    assert_int_equal(a->counts.b_aux.ones, b->counts.b_aux.ones);
    assert_memory_equal(a->aux, b->aux, a->counts.aux * sizeof(fr));
    assert_memory_equal(a->inputs, b->inputs, a->counts.inputs * sizeof(fr));
    assert_memory_equal(a->a, b->a, size * sizeof(fr));
    assert_memory_equal(a->b, b->b, size * sizeof(fr));
    assert_memory_equal(a->c, b->c, size * sizeof(fr));
}

static void test_assignments_do_not_depend_on_how_they_are_made(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 500);
    assignment expected, made;
    ASSERT_OK(assignment_create(&expected, &c.base, &error));
    for (size_t i = 0; i < 4; i++) {
        term_storage storage = term_storage_create(i == 3 ? 4 : i, i % 2);
        assignment_options options = {.terms = &storage};
        ASSERT_OK(assignment_create_with(&made, &c.base, &options, &error));
        assert_same_assignment(&made, &expected);
        assignment_free(&made);
        options.inputs = expected.counts.inputs;
        options.aux = expected.counts.aux;
        options.constraints = expected.counts.constraints;
        ASSERT_OK(assignment_create_with(&made, &c.base, &options, &error));
        assert_same_assignment(&made, &expected);
        assignment_free(&made);
        term_storage_free(&storage);
    }
    assignment_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms_do_not_depend_on_the_storage),
        cmocka_unit_test(test_allocations_are_counted),
        cmocka_unit_test(test_assignments_do_not_depend_on_how_they_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
