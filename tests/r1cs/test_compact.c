/* Shapes and compact assignments of circuits without blocks, and what goes wrong. */
#include "support/compact_check.h"

#include <stdlib.h>
#include <string.h>

#include "support/circuit_check.h"
#include "support/small_circuits.h"

static void test_small_circuits(void **state) {
    (void)state;
    static const struct {
        small_circuit_kind kind;
        size_t size;
    } cases[] = {{CIRCUIT_SQUARINGS, 5},   {CIRCUIT_SQUARINGS, 5000}, {CIRCUIT_PRIVATE, 3}, {CIRCUIT_ZERO_TERMS, 1},
                 {CIRCUIT_INPUTS_IN_B, 3}, {CIRCUIT_ONE_IN_B, 4},     {CIRCUIT_EMPTY_B, 2}, {CIRCUIT_LOW_DEGREE, 4},
                 {CIRCUIT_RANDOM, 40},     {CIRCUIT_RANDOM, 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_circuit c = small_circuit_make(cases[i].kind, cases[i].size);
        assert_compact_equals_classic(&c.base);
    }
}

static void synthesize_nothing(const circuit *self, constraint_system *cs) { (void)self, (void)cs; }

static void test_a_circuit_without_anything(void **state) {
    (void)state;
    circuit c = {synthesize_nothing};
    assert_compact_equals_classic(&c);
}

/* Bits and numbers in turns, of which rows combine far ones; `broken` falsifies a row near the end. */
typedef struct {
    circuit circuit;
    size_t rounds;
    bool broken;
} mixed_circuit;

static void synthesize_mixed(const circuit *self, constraint_system *cs) {
    const mixed_circuit *c = (const mixed_circuit *)self;
    test_random random = {c->rounds};
    variable first = VARIABLE_ONE, last = VARIABLE_ONE;
    fr first_value = FR_ONE, last_value = FR_ONE;
    for (size_t i = 0; i < c->rounds; i++) {
        namespace_push_index(cs, "round", i);
        bool bit = test_random_u64(&random) & 1;
        variable v = constraint_system_allocate_bit(cs, bit);
        linear_combination_add_one(&cs->a, VARIABLE_ONE);
        linear_combination_subtract_one(&cs->a, v);
        linear_combination_add_one(&cs->b, v);
        constraint_system_enforce(cs, "bit");

        /* sum = 3 bit + first - last */
        fr sum, three;
        fr_from_u64(&three, 3);
        fr_sub(&sum, &first_value, &last_value);
        if (bit)
            fr_add(&sum, &sum, &three);
        if (c->broken && i == c->rounds - 2)
            fr_add(&sum, &sum, &FR_ONE);
        variable s = i % 5 == 4 ? constraint_system_allocate_input(cs, &sum) : constraint_system_allocate(cs, &sum);
        linear_combination_add(&cs->a, v, &three);
        linear_combination_add_one(&cs->a, first);
        linear_combination_subtract_one(&cs->a, last);
        linear_combination_add_one(&cs->b, VARIABLE_ONE);
        linear_combination_add_one(&cs->c, s);
        constraint_system_enforce(cs, "sum");
        namespace_pop(cs);
        if (i % 700 == 0) {
            first = s;
            first_value = sum;
        }
        last = s;
        last_value = sum;
    }
}

static mixed_circuit mixed(size_t rounds, bool broken) {
    return (mixed_circuit){.circuit = {synthesize_mixed}, .rounds = rounds, .broken = broken};
}

static void test_pieces_of_all_lengths(void **state) {
    (void)state;
    static const size_t rounds[] = {1, 2, 255, 256, 257, 511, 512, 513, 3000};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        mixed_circuit c = mixed(rounds[i], false);
        assert_compact_equals_classic(&c.circuit);
    }
}

static void test_alike_pieces_share_a_template(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 50000);
    circuit_shape shape;
    circuit_shape_create(&shape, &c.base);
    assert_true(shape.piece_count > 90);
    assert_true(shape.templates.count <= 4);
    assert_true(circuit_shape_bytes(&shape) < 200000);
    circuit_shape_free(&shape);
}

static void test_a_broken_constraint_is_named(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 600);
    c.broken = true;
    assert_compact_refuses(&c.base, "constraint 599");
    mixed_circuit m = mixed(1000, true);
    assert_compact_refuses(&m.circuit, "round 998/sum");
}

static void assert_strays(const circuit *of_shape, const circuit *c) {
    cuzk_error error = {0};
    circuit_shape shape;
    compact_assignment witness;
    circuit_shape_create(&shape, of_shape);
    assert_int_equal(compact_assignment_create(&witness, &shape, c, &error), CUZK_INTERNAL);
    assert_non_null(strstr(error.message, "not of the shape given"));
    circuit_shape_free(&shape);
}

static void test_a_circuit_of_another_shape_is_refused(void **state) {
    (void)state;
    small_circuit few = small_circuit_make(CIRCUIT_SQUARINGS, 600), many = small_circuit_make(CIRCUIT_SQUARINGS, 601);
    mixed_circuit other = mixed(300, false);
    circuit nothing = {synthesize_nothing};
    assert_strays(&few.base, &many.base);
    assert_strays(&many.base, &few.base);
    assert_strays(&few.base, &other.circuit);
    assert_strays(&other.circuit, &few.base);
    assert_strays(&nothing, &few.base);
    assert_strays(&few.base, &nothing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_circuits),
        cmocka_unit_test(test_a_circuit_without_anything),
        cmocka_unit_test(test_pieces_of_all_lengths),
        cmocka_unit_test(test_alike_pieces_share_a_template),
        cmocka_unit_test(test_a_broken_constraint_is_named),
        cmocka_unit_test(test_a_circuit_of_another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
