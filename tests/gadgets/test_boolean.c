#include "support/circuit_check.h"

#include "gadgets/boolean.h"

/* A Boolean of any kind and value: 0 ... 5. */
enum { OPERAND_KINDS = 6 };

static boolean operand(constraint_system *cs, unsigned kind) {
    bool value = kind & 1;
    switch (kind / 2) {
    case 0:
        return boolean_constant(value);
    case 1:
        return boolean_allocate(cs, value);
    default:
        return boolean_not(boolean_allocate(cs, !value));
    }
}

typedef enum { XOR, AND, AND_NOT, NOR, CH, MAJ, OPERATIONS } operation;

typedef struct {
    operation operation;
    unsigned kinds[3];
    boolean result;
} operation_test;

static void operate(constraint_system *cs, void *context) {
    operation_test *test = context;
    boolean a = operand(cs, test->kinds[0]), b = operand(cs, test->kinds[1]), c = operand(cs, test->kinds[2]);
    switch (test->operation) {
    case XOR:
        test->result = boolean_xor(cs, a, b);
        break;
    case AND:
        test->result = boolean_and(cs, a, b);
        break;
    case AND_NOT:
        test->result = boolean_and_not(cs, a, b);
        break;
    case NOR:
        test->result = boolean_nor(cs, a, b);
        break;
    case CH:
        test->result = boolean_sha256_ch(cs, a, b, c);
        break;
    default:
        test->result = boolean_sha256_maj(cs, a, b, c);
    }
}

static bool expected_result(operation o, bool a, bool b, bool c) {
    switch (o) {
    case XOR:
        return a ^ b;
    case AND:
        return a & b;
    case AND_NOT:
        return a & !b;
    case NOR:
        return !a & !b;
    case CH:
        return (a & b) ^ (!a & c);
    default:
        return (a & b) ^ (a & c) ^ (b & c);
    }
}

/* The value that the constraints see. */
static bool value_in(const circuit_check *check, boolean b) {
    if (boolean_is_constant(b))
        return b.value;
    const fr *value = &check->aux_values[variable_index(b.variable)];
    assert_true(fr_is_zero(value) || fr_is_one(value));
    return fr_is_one(value) == (b.kind == BOOLEAN_IS);
}

static void operations_of_all_kinds_and_values(void **state) {
    (void)state;
    for (unsigned i = 0; i < OPERATIONS * OPERAND_KINDS * OPERAND_KINDS * OPERAND_KINDS; i++) {
        unsigned choice = i / OPERATIONS;
        operation_test test = {.operation = (operation)(i % OPERATIONS)};
        for (int k = 0; k < 3; k++, choice /= OPERAND_KINDS)
            test.kinds[k] = choice % OPERAND_KINDS;
        bool expected = expected_result(test.operation, test.kinds[0] & 1, test.kinds[1] & 1, test.kinds[2] & 1);
        assert_satisfied(operate, &test);
        circuit_check check;
        check_circuit(&check, operate, &test, NULL, NULL);
        assert_int_equal(test.result.value, expected);
        assert_int_equal(value_in(&check, test.result), expected);
        circuit_check_free(&check);

        uint32_t operands_allocated = 0;
        for (int k = 0; k < 3; k++)
            operands_allocated += test.kinds[k] >= 2;
        assert_every_variable_matters(operate, &test, operands_allocated, 1);
    }
}

/* Two operands of one variable. */
static void operate_on_itself(constraint_system *cs, void *context) {
    operation_test *test = context;
    boolean a = operand(cs, test->kinds[0]);
    test->result = boolean_xor(cs, a, boolean_not(a));
    assert_true(test->result.value || !cs->has_witness);
    test->result = boolean_and(cs, a, a);
    assert_int_equal(test->result.value, a.value);
    boolean_sha256_maj(cs, a, a, boolean_not(a));
}

static void operands_may_be_one_variable(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        operation_test test = {.kinds = {kind}};
        assert_satisfied(operate_on_itself, &test);
    }
}

static void enforce_equal(constraint_system *cs, void *context) {
    const unsigned *kinds = context;
    boolean a = operand(cs, kinds[0]), b = operand(cs, kinds[1]);
    boolean_enforce_equal(cs, a, b);
}

static void equality_holds_only_for_equals(void **state) {
    (void)state;
    for (unsigned i = 0; i < OPERAND_KINDS * OPERAND_KINDS; i++) {
        unsigned kinds[2] = {i % OPERAND_KINDS, i / OPERAND_KINDS};
        bool equal = (kinds[0] & 1) == (kinds[1] & 1), both_constant = kinds[0] < 2 && kinds[1] < 2;
        if (equal)
            assert_satisfied(enforce_equal, kinds);
        else if (!both_constant)
            assert_broken(enforce_equal, kinds, "enforce equal");
    }
}

typedef struct {
    bool value, must_be_false;
} conditional_test;

static void allocate_conditionally(constraint_system *cs, void *context) {
    const conditional_test *test = context;
    boolean must_be_false = boolean_allocate(cs, test->must_be_false);
    boolean_allocate_conditionally(cs, test->value, must_be_false);
}

static void conditional_bits(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        conditional_test test = {.value = i & 1, .must_be_false = i & 2};
        if (test.value && test.must_be_false)
            assert_broken(allocate_conditionally, &test, "boolean constraint");
        else
            assert_satisfied(allocate_conditionally, &test);
    }
}

static void add_not_a_bit(void *context, variable v, fr *value) {
    (void)context;
    if (variable_is_aux(v))
        fr_from_u64(value, 2);
}

static void bits_are_bits(void **state) {
    (void)state;
    conditional_test test = {0};
    circuit_check check;
    check_circuit(&check, allocate_conditionally, &test, add_not_a_bit, NULL);
    assert_int_equal(check.broken, 2);
    circuit_check_free(&check);
}

typedef struct {
    const uint8_t *bytes;
    bool big_endian;
    boolean bits[16];
} bytes_test;

static void allocate_bytes(constraint_system *cs, void *context) {
    bytes_test *test = context;
    const uint8_t *bytes = cs->has_witness ? test->bytes : NULL;
    if (test->big_endian)
        boolean_allocate_bytes_be(cs, bytes, 2, test->bits);
    else
        boolean_allocate_bytes_le(cs, bytes, 2, test->bits);
}

static void bytes_in_either_order_of_bits(void **state) {
    (void)state;
    const uint8_t bytes[2] = {0x01, 0xb4};
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        bytes_test test = {.bytes = bytes, .big_endian = big_endian};
        assert_satisfied(allocate_bytes, &test);
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal(test.bits[i].value, bytes[i / 8] >> (big_endian ? 7 - i % 8 : i % 8) & 1);
    }
}

/* k * b, with k = 3, added to 5 * ONE. */
static void a_boolean_in_a_linear_combination(void **state) {
    (void)state;
    variable x = 7 | VARIABLE_AUX_BIT;
    fr aux[8], three, five, sum, expected;
    fr_from_u64(&three, 3);
    fr_from_u64(&five, 5);
    for (unsigned bit = 0; bit < 2; bit++) {
        fr_from_u64(&aux[7], bit);
        const boolean views[] = {boolean_constant(bit), {.variable = x, .kind = BOOLEAN_IS, .value = bit},
                                 {.variable = x, .kind = BOOLEAN_NOT, .value = !bit}};
        for (size_t i = 0; i < 3; i++) {
            linear_combination lc = {0};
            linear_combination_add(&lc, VARIABLE_ONE, &five);
            boolean_add_to(&lc, &three, views[i]);
            linear_combination_evaluate(&sum, &lc, &FR_ONE, aux);
            fr_from_u64(&expected, views[i].value ? 8 : 5);
            assert_true(fr_equal(&sum, &expected));
            linear_combination_free(&lc);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_of_all_kinds_and_values), cmocka_unit_test(operands_may_be_one_variable),
        cmocka_unit_test(equality_holds_only_for_equals),     cmocka_unit_test(conditional_bits),
        cmocka_unit_test(bits_are_bits),                      cmocka_unit_test(bytes_in_either_order_of_bits),
        cmocka_unit_test(a_boolean_in_a_linear_combination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
