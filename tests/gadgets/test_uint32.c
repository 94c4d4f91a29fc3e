#include "support/circuit_check.h"

#include <string.h>

#include "gadgets/uint32.h"
#include "r1cs/digest.h"

/* A word with constant, allocated and negated bits in a random mix; `constant` makes all of them constant. */
static uint32 mixed_word(constraint_system *cs, test_random *random, bool constant) {
    uint32_t value = (uint32_t)test_random_u64(random);
    uint64_t kinds = test_random_u64(random);
    uint32 word = {.value = value};
    for (unsigned i = 0; i < 32; i++) {
        bool bit = value >> i & 1;
        switch (constant ? 0 : kinds >> (2 * i) & 3) {
        case 0:
            word.bits[i] = boolean_constant(bit);
            break;
        case 1:
            word.bits[i] = boolean_not(boolean_allocate(cs, !bit));
            break;
        default:
            word.bits[i] = boolean_allocate(cs, bit);
        }
    }
    return word;
}

static void assert_word(const uint32 *word, uint32_t expected) {
    assert_int_equal(word->value, expected);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(word->bits[i].value, expected >> i & 1);
}

static uint32_t rotated(uint32_t value, unsigned by) { return by ? value >> by | value << (32 - by) : value; }

static void do_operations(constraint_system *cs, void *context) {
    test_random random = {*(const uint64_t *)context};
    uint32 a = mixed_word(cs, &random, false), b = mixed_word(cs, &random, false), c = mixed_word(cs, &random, false);
    for (unsigned by = 0; by < 32; by++) {
        uint32 view = uint32_rotate_right(&a, by);
        if (cs->has_witness)
            assert_word(&view, rotated(a.value, by));
        view = uint32_shift_right(&a, by);
        if (cs->has_witness)
            assert_word(&view, a.value >> by);
    }
    uint32 results[] = {uint32_xor(cs, &a, &b), uint32_sha256_ch(cs, &a, &b, &c), uint32_sha256_maj(cs, &a, &b, &c)};
    uint32_t expected[] = {a.value ^ b.value, (a.value & b.value) | (~a.value & c.value),
                           (a.value & b.value) | (a.value & c.value) | (b.value & c.value)};
    for (size_t i = 0; i < 3; i++)
        if (cs->has_witness)
            assert_word(&results[i], expected[i]);

    boolean bits[32];
    uint32_to_bits_be(&a, bits);
    assert_int_equal(bits[0].variable, a.bits[31].variable);
    uint32 same = uint32_from_bits_be(bits);
    assert_memory_equal(same.bits, a.bits, sizeof same.bits);
    assert_int_equal(same.value, a.value);
}

static void operations_on_words(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++)
        assert_satisfied(do_operations, &seed);
}

static void do_allocate(constraint_system *cs, void *context) {
    uint32 word = uint32_allocate(cs, *(const uint32_t *)context);
    if (cs->has_witness)
        assert_word(&word, *(const uint32_t *)context);
}

static void allocated_and_constant_words(void **state) {
    (void)state;
    uint32_t value = 0x80c3f001;
    assert_satisfied(do_allocate, &value);
    uint32 word = uint32_constant(value);
    assert_word(&word, value);
    assert_true(boolean_is_constant(word.bits[0]) && boolean_is_constant(word.bits[31]));
}

/* Sums of 2 ... 10 operands one after another, with operands used more than once, as in SHA-256. */
enum { SUM_COUNT = 20 };

typedef struct {
    uint64_t seed;
    bool naive, constant;
    uint32_t first_sum_aux;
} sums_test;

/* Packed additions as they are defined, with linear combinations. */
typedef struct {
    constraint_system *cs;
    unsigned bits_used;
    linear_combination left, right;
} naive_multieq;

static void naive_emit(naive_multieq *m) {
    linear_combination_copy(&m->cs->a, &m->left);
    linear_combination_add_one(&m->cs->b, VARIABLE_ONE);
    linear_combination_copy(&m->cs->c, &m->right);
    constraint_system_enforce(m->cs, "multieq");
    linear_combination_clear(&m->left);
    linear_combination_clear(&m->right);
    m->bits_used = 0;
}

static uint32 naive_add_many(naive_multieq *m, const uint32 *const *operands, size_t count) {
    uint64_t sum = 0, greatest = 0;
    linear_combination left = {0}, right = {0};
    bool constant = true;
    for (size_t k = 0; k < count; k++) {
        fr power = FR_ONE;
        sum += operands[k]->value;
        greatest += UINT32_MAX;
        for (unsigned i = 0; i < 32; i++) {
            boolean_add_to(&left, &power, operands[k]->bits[i]);
            constant &= boolean_is_constant(operands[k]->bits[i]);
            fr_double(&power, &power);
        }
    }
    uint32 result = uint32_constant((uint32_t)sum);
    if (!constant) {
        unsigned width = 0;
        fr power = FR_ONE;
        for (; greatest >> width; width++) {
            boolean bit = boolean_allocate(m->cs, sum >> width & 1);
            linear_combination_add(&right, bit.variable, &power);
            fr_double(&power, &power);
            if (width < 32)
                result.bits[width] = bit;
        }
        if (m->bits_used + width >= 254)
            naive_emit(m);
        fr scale;
        fr_power(&scale, &FR_TWO, m->bits_used);
        linear_combination_add_scaled(&m->left, &scale, &left);
        linear_combination_add_scaled(&m->right, &scale, &right);
        m->bits_used += width;
    }
    linear_combination_free(&left);
    linear_combination_free(&right);
    return result;
}

static void do_sums(constraint_system *cs, void *context) {
    sums_test *test = context;
    test_random random = {test->seed};
    uint32 words[10 + SUM_COUNT];
    for (size_t i = 0; i < 10; i++)
        words[i] = mixed_word(cs, &random, test->constant || i == 3);
    test->first_sum_aux = cs->aux_count;
    multieq equations;
    naive_multieq naive_equations = {.cs = cs};
    multieq_begin(&equations, cs);
    for (size_t i = 0; i < SUM_COUNT; i++) {
        const uint32 *operands[MULTIEQ_MAX_OPERANDS];
        size_t count = 2 + test_random_u64(&random) % 9;
        uint32_t expected = 0;
        for (size_t k = 0; k < count; k++) {
            operands[k] = &words[test_random_u64(&random) % (10 + i)];
            expected += operands[k]->value;
        }
        words[10 + i] = test->naive ? naive_add_many(&naive_equations, operands, count)
                                    : uint32_add_many(&equations, operands, count);
        if (cs->has_witness)
            assert_word(&words[10 + i], expected);
    }
    if (test->naive && naive_equations.bits_used > 0)
        naive_emit(&naive_equations);
    if (!test->naive)
        multieq_end(&equations);
    linear_combination_free(&naive_equations.left);
    linear_combination_free(&naive_equations.right);
}

static void sums_of_words(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        sums_test test = {.seed = seed};
        assert_satisfied(do_sums, &test);
        assert_every_variable_matters(do_sums, &test, test.first_sum_aux, 1);
    }
}

static void packed_sums_equal_their_slow_twin(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        circuit_digest digests[2];
        for (int naive = 0; naive < 2; naive++) {
            sums_test test = {.seed = seed, .naive = naive};
            body_circuit c = body_circuit_of(do_sums, &test);
            cuzk_error error = {0};
            ASSERT_OK(circuit_digest_create(&digests[naive], &c.circuit, true, &error));
        }
        assert_int_equal(digests[0].counts.constraints, digests[1].counts.constraints);
        assert_memory_equal(digests[0].r1cs.total, digests[1].r1cs.total, 32);
        assert_memory_equal(digests[0].aux.total, digests[1].aux.total, 32);
        circuit_digest_free(&digests[0]);
        circuit_digest_free(&digests[1]);
    }
}

static void sums_of_constants_are_constants(void **state) {
    (void)state;
    sums_test test = {.seed = 1, .constant = true};
    circuit_check check;
    check_circuit(&check, do_sums, &test, NULL, NULL);
    assert_int_equal(check.aux, 0);
    assert_int_equal(check.constraints, 0);
    circuit_check_free(&check);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_on_words),
        cmocka_unit_test(allocated_and_constant_words),
        cmocka_unit_test(sums_of_words),
        cmocka_unit_test(packed_sums_equal_their_slow_twin),
        cmocka_unit_test(sums_of_constants_are_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
