#include "support/circuit_check.h"

#include "gadgets/encode.h"
#include "gadgets/multipack.h"
#include "gadgets/number.h"
#include "gadgets/uint64.h"

static test_random random_source = {2};

typedef struct {
    fr a, b;
    number product, square, sum, difference, encoded;
} arithmetic_test;

static void do_arithmetic(constraint_system *cs, void *context) {
    arithmetic_test *test = context;
    number a = number_allocate(cs, &test->a), b = number_allocate_input(cs, &test->b);
    test->product = number_multiply(cs, &a, &b);
    test->square = number_square(cs, &a);
    test->sum = number_add(cs, &a, &b);
    test->difference = number_subtract(cs, &a, &b);
    test->encoded = encode_circuit(cs, &a, &b);
    number_inputize(cs, &a);
    number a_again = number_allocate(cs, &test->a);
    number_enforce_equal(cs, "a = a", &a, &a_again);
}

static void arithmetic(void **state) {
    (void)state;
    const fr samples[] = {FR_ZERO, FR_ONE, FR_MINUS_ONE, test_random_fr(&random_source), test_random_fr(&random_source)};
    for (size_t i = 0; i < 25; i++) {
        arithmetic_test test = {.a = samples[i % 5], .b = samples[i / 5]};
        assert_satisfied(do_arithmetic, &test);
        fr expected;
        fr_mul(&expected, &test.a, &test.b);
        assert_true(fr_equal(&test.product.value, &expected));
        fr_mul(&expected, &test.a, &test.a);
        assert_true(fr_equal(&test.square.value, &expected));
        fr_add(&expected, &test.a, &test.b);
        assert_true(fr_equal(&test.sum.value, &expected));
        assert_true(fr_equal(&test.encoded.value, &expected));
        fr_sub(&expected, &test.a, &test.b);
        assert_true(fr_equal(&test.difference.value, &expected));
        assert_every_variable_matters(do_arithmetic, &test, 0, 1);

        circuit_check check;
        check_circuit(&check, do_arithmetic, &test, NULL, NULL);
        assert_int_equal(check.inputs, 3);
        assert_true(fr_equal(&check.input_values[2], &test.a));
        circuit_check_free(&check);
    }
}

typedef struct {
    fr value;
    bool strict;
    boolean bits[FR_BITS];
} bits_test;

static void take_bits(constraint_system *cs, void *context) {
    bits_test *test = context;
    number a = number_allocate(cs, &test->value);
    if (test->strict)
        number_to_bits_le_strict(cs, &a, test->bits);
    else
        number_to_bits_le(cs, &a, test->bits);
}

static void bits_of_numbers(void **state) {
    (void)state;
    const fr samples[] = {FR_ZERO, FR_ONE, FR_MINUS_ONE, test_random_fr(&random_source)};
    for (size_t i = 0; i < 8; i++) {
        bits_test test = {.value = samples[i / 2], .strict = i % 2};
        uint8_t bytes[FR_BYTES];
        fr_to_bytes(bytes, &test.value);
        assert_satisfied(take_bits, &test);
        for (size_t bit = 0; bit < FR_BITS; bit++) {
            assert_int_equal(test.bits[bit].kind, BOOLEAN_IS);
            assert_int_equal(test.bits[bit].value, bytes[bit / 8] >> (bit % 8) & 1);
        }
        assert_every_variable_matters(take_bits, &test, 0, 1);

        circuit_check check;
        check_circuit(&check, take_bits, &test, NULL, NULL);
        if (!test.strict)
            assert_int_equal(check.aux, 1 + 255);
        assert_int_equal(check.constraints, check.aux); /* one each, and none for the number itself */
        circuit_check_free(&check);
    }
}

/* The bits of the integer 5 + r, which a cheating prover could use for 5, at the variables where the gadget has them:
 * `variables`, most significant first. Conjunctions are computed from the false bits. */
typedef struct {
    uint8_t integer[32];
    variable bit_variables[FR_BITS];
    fr forged[1024];
    uint32_t count;
} forgery;

static void forge(void *context, variable v, fr *value) {
    const forgery *f = context;
    if (variable_is_aux(v) && variable_index(v) > 0)
        *value = f->forged[variable_index(v)];
}

static bool bit_of(const uint8_t *integer, size_t i) { return integer[i / 8] >> (i % 8) & 1; }

static fr fr_of_bit(bool bit) { return bit ? FR_ONE : FR_ZERO; }

static void forge_strict_bits(forgery *f) {
    uint8_t greatest[32];
    fr_to_bytes(greatest, &FR_MINUS_ONE);
    uint32_t next = 1;
    bool equal = true, run[FR_BITS + 1];
    size_t run_length = 0;
    bool first_run = true;
    for (size_t i = FR_BITS; i-- > 0;) {
        if (bit_of(greatest, i)) {
            run[run_length++] = bit_of(f->integer, i);
        } else if (run_length > 0) {
            if (!first_run)
                run[run_length++] = equal;
            first_run = false;
            equal = run[0];
            for (size_t k = 1; k < run_length; k++) {
                equal = equal && run[k];
                f->forged[next++] = fr_of_bit(equal);
            }
            run_length = 0;
        }
        f->forged[next++] = fr_of_bit(bit_of(f->integer, i));
    }
    f->count = next;
}

static void forge_plain_bits(forgery *f) {
    for (size_t i = 0; i < FR_BITS; i++)
        f->forged[i + 1] = fr_of_bit(bit_of(f->integer, i));
    f->count = 1 + FR_BITS;
}

static void only_strict_bits_are_unique(void **state) {
    (void)state;
    bits_test test = {.strict = false};
    fr_from_u64(&test.value, 5);
    static forgery f;
    fr_to_bytes(f.integer, &FR_MINUS_ONE);
    f.integer[0] = 6; /* r - 1 ends in a zero byte: r - 1 + 6 */
    circuit_check check;

    forge_plain_bits(&f);
    check_circuit(&check, take_bits, &test, forge, &f);
    assert_int_equal(check.aux, f.count);
    assert_int_equal(check.broken, 0);
    circuit_check_free(&check);

    test.strict = true;
    forge_strict_bits(&f);
    check_circuit(&check, take_bits, &test, forge, &f);
    assert_int_equal(check.aux, f.count);
    assert_true(check.broken > 0);
    circuit_check_free(&check);

    /* The forger's arithmetic is right: with the true bits nothing breaks. */
    fr_to_bytes(f.integer, &test.value);
    forge_strict_bits(&f);
    check_circuit(&check, take_bits, &test, forge, &f);
    assert_int_equal(check.broken, 0);
    circuit_check_free(&check);
}

typedef struct {
    size_t size, index;
    boolean index_bits[7];
    number values[128];
    number selected, inserted[8], reversed[2];
} choice_test;

static void allocate_choices(constraint_system *cs, choice_test *test, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fr value;
        fr_from_u64(&value, 1000 + i);
        test->values[i] = number_allocate(cs, &value);
    }
    for (size_t bit = 0; (size_t)1 << bit < test->size; bit++)
        test->index_bits[bit] = boolean_allocate(cs, test->index >> bit & 1);
}

static void do_select(constraint_system *cs, void *context) {
    choice_test *test = context;
    allocate_choices(cs, test, test->size);
    test->selected = number_select(cs, test->values, test->size, test->index_bits);
}

static void select_takes_the_number_at_an_index(void **state) {
    (void)state;
    for (size_t size = 1; size <= 128; size *= 2)
        for (size_t index = 0; index < size; index += 1 + size / 16) {
            static choice_test test;
            test.size = size;
            test.index = index;
            assert_satisfied(do_select, &test);
            fr expected;
            fr_from_u64(&expected, 1000 + index);
            assert_true(fr_equal(&test.selected.value, &expected));
            uint32_t operands = (uint32_t)(size + (size_t)__builtin_ctzll(size));
            assert_every_variable_matters(do_select, &test, operands, 1);
        }
}

static void do_insert(constraint_system *cs, void *context) {
    choice_test *test = context;
    allocate_choices(cs, test, test->size);
    number_insert(cs, &test->values[0], test->index_bits, &test->values[1], test->size, test->inserted);
}

static void insert_puts_an_element_among_its_siblings(void **state) {
    (void)state;
    for (size_t size = 2; size <= 8; size *= 2)
        for (size_t index = 0; index < size; index++) {
            static choice_test test;
            test.size = size;
            test.index = index;
            assert_satisfied(do_insert, &test);
            for (size_t i = 0; i < size; i++) {
                fr expected;
                fr_from_u64(&expected, 1000 + (i < index ? i + 1 : i == index ? 0 : i));
                assert_true(fr_equal(&test.inserted[i].value, &expected));
            }
            uint32_t operands = (uint32_t)(size + (size_t)__builtin_ctzll(size));
            assert_every_variable_matters(do_insert, &test, operands, 1);
        }
}

static void do_reverse(constraint_system *cs, void *context) {
    choice_test *test = context;
    test->size = 2;
    allocate_choices(cs, test, 2);
    number_conditionally_reverse(cs, &test->values[0], &test->values[1], test->index_bits[0], &test->reversed[0],
                                 &test->reversed[1]);
}

static void conditional_reversal(void **state) {
    (void)state;
    for (size_t index = 0; index < 2; index++) {
        static choice_test test;
        test.index = index;
        assert_satisfied(do_reverse, &test);
        assert_true(fr_equal(&test.reversed[index].value, &test.values[0].value));
        assert_true(fr_equal(&test.reversed[1 - index].value, &test.values[1].value));
        assert_every_variable_matters(do_reverse, &test, 3, 1);
    }
}

/* 600 bits of all kinds. */
typedef struct {
    uint64_t seed;
    size_t count;
    bool expected[600];
    number packed;
} packing_test;

static void make_bits(constraint_system *cs, packing_test *test, boolean *bits) {
    test_random random = {test->seed};
    for (size_t i = 0; i < test->count; i++) {
        uint64_t choice = test_random_u64(&random);
        bool value = test->expected[i] = choice & 1;
        switch (choice >> 1 & 3) {
        case 0:
            bits[i] = boolean_constant(value);
            break;
        case 1:
            bits[i] = boolean_not(boolean_allocate(cs, !value));
            break;
        default:
            bits[i] = boolean_allocate(cs, value);
        }
    }
}

static void do_pack(constraint_system *cs, void *context) {
    packing_test *test = context;
    boolean bits[600];
    make_bits(cs, test, bits);
    test->packed = pack_bits(cs, bits, test->count);
}

static void do_pack_into_inputs(constraint_system *cs, void *context) {
    packing_test *test = context;
    boolean bits[600];
    make_bits(cs, test, bits);
    pack_into_inputs(cs, bits, test->count);
}

/* sum 2^i bits[i] by doubling from the top. */
static fr packed_by_horner(const bool *bits, size_t count) {
    fr sum = FR_ZERO;
    while (count-- > 0) {
        fr_double(&sum, &sum);
        if (bits[count])
            fr_add(&sum, &sum, &FR_ONE);
    }
    return sum;
}

static void bits_packed_into_a_number(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 8, 100, MULTIPACK_CAPACITY};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        static packing_test test;
        test.seed = i;
        test.count = counts[i];
        assert_satisfied(do_pack, &test);
        fr expected = packed_by_horner(test.expected, test.count);
        assert_true(fr_equal(&test.packed.value, &expected));
        assert_every_variable_matters(do_pack, &test, 0, 1);
    }
}

static void bits_packed_into_inputs(void **state) {
    (void)state;
    static packing_test test = {.seed = 9, .count = 600};
    assert_satisfied(do_pack_into_inputs, &test);
    circuit_check check;
    check_circuit(&check, do_pack_into_inputs, &test, NULL, NULL);
    assert_int_equal(check.inputs, 1 + 3);
    for (size_t i = 0; i < 3; i++) {
        fr expected = packed_by_horner(test.expected + 254 * i, i < 2 ? 254 : 600 - 2 * 254);
        assert_true(fr_equal(&check.input_values[1 + i], &expected));
    }
    circuit_check_free(&check);
    assert_every_variable_matters(do_pack_into_inputs, &test, 0, 1);
}

static void bit_numbering(void **state) {
    (void)state;
    boolean bits[11], reversed[16];
    for (unsigned i = 0; i < 11; i++)
        bits[i] = (boolean){.variable = 100 + i, .kind = BOOLEAN_IS};
    reverse_bit_numbering(reversed, bits, 11);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(reversed[i].variable, 107 - i);
    for (unsigned i = 8; i < 16; i++) {
        if (i < 13) {
            assert_int_equal(reversed[i].kind, BOOLEAN_CONSTANT);
            assert_false(reversed[i].value);
        } else {
            assert_int_equal(reversed[i].variable, 108 + 15 - i);
        }
    }
}

typedef struct {
    uint64_t value;
    uint64 allocated;
} uint64_test;

static void do_uint64(constraint_system *cs, void *context) {
    uint64_test *test = context;
    test->allocated = uint64_allocate(cs, test->value);
    uint64_pack_into_input(cs, &test->allocated);
}

static void integers_of_64_bits(void **state) {
    (void)state;
    const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_C(0x8123456789abcdef)};
    for (size_t i = 0; i < 4; i++) {
        uint64_test test = {.value = values[i]};
        assert_satisfied(do_uint64, &test);
        circuit_check check;
        check_circuit(&check, do_uint64, &test, NULL, NULL);
        fr expected;
        fr_from_u64(&expected, values[i]);
        assert_int_equal(check.inputs, 2);
        assert_true(fr_equal(&check.input_values[1], &expected));
        circuit_check_free(&check);
        assert_every_variable_matters(do_uint64, &test, 0, 1);

        boolean bits[64];
        uint64 constant = uint64_constant(values[i]);
        uint64_to_bits_be(&constant, bits);
        for (unsigned bit = 0; bit < 64; bit++) {
            assert_int_equal(bits[bit].kind, BOOLEAN_CONSTANT);
            assert_int_equal(bits[bit].value, values[i] >> (63 - bit) & 1);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(bits_of_numbers),
        cmocka_unit_test(only_strict_bits_are_unique),
        cmocka_unit_test(select_takes_the_number_at_an_index),
        cmocka_unit_test(insert_puts_an_element_among_its_siblings),
        cmocka_unit_test(conditional_reversal),
        cmocka_unit_test(bits_packed_into_a_number),
        cmocka_unit_test(bits_packed_into_inputs),
        cmocka_unit_test(bit_numbering),
        cmocka_unit_test(integers_of_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
