#include "support/circuit_check.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "gadgets/number.h"
#include "gadgets/sha256.h"
#include "r1cs/counting.h"

/* What of the message is allocated; the rest is constant. */
typedef enum { ALL_ALLOCATED, ALL_CONSTANT, SOME_WORDS, SOME_BITS } mixture;

typedef struct {
    uint8_t message[5 * 64];
    size_t length;
    mixture mixture;
    uint32_t first_aux; /* of the hash */
    boolean digest[SHA256_DIGEST_BITS];
} hash_test;

static boolean message_bit(constraint_system *cs, const hash_test *test, size_t i) {
    bool value = test->message[i / 8] >> (7 - i % 8) & 1;
    bool allocated = test->mixture == ALL_ALLOCATED || (test->mixture == SOME_WORDS && i / 32 % 3 == 1) ||
                     (test->mixture == SOME_BITS && i % 5 < 2);
    if (!allocated)
        return boolean_constant(value);
    return i % 7 == 0 ? boolean_not(boolean_allocate(cs, !value)) : boolean_allocate(cs, value);
}

static void do_hash(constraint_system *cs, void *context) {
    hash_test *test = context;
    boolean *bits = malloc(8 * test->length * sizeof *bits + 1);
    for (size_t i = 0; i < 8 * test->length; i++)
        bits[i] = message_bit(cs, test, i);
    test->first_aux = cs->aux_count;
    sha256_circuit(cs, bits, 8 * test->length, test->digest);
    free(bits);
}

static void assert_digest(const hash_test *test) {
    uint8_t expected[32], digest[32] = {0};
    SHA256(test->message, test->length, expected);
    for (size_t i = 0; i < SHA256_DIGEST_BITS; i++)
        digest[i / 8] |= (uint8_t)(test->digest[i].value << (7 - i % 8));
    assert_memory_equal(digest, expected, 32);
}

/* Lengths around the places where padding takes another block, up to 5 blocks. */
static void digests_equal_openssl(void **state) {
    (void)state;
    static hash_test test;
    const size_t lengths[] = {0, 1, 32, 55, 56, 64, 119, 120, 200, 5 * 64 - 9};
    test_random random = {3};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int m = 0; m < 4; m++) {
            test_random_bytes(&random, test.message, sizeof test.message);
            test.length = lengths[i];
            test.mixture = (mixture)m;
            assert_satisfied(do_hash, &test);
            assert_digest(&test);
            if (test.mixture == ALL_CONSTANT) {
                circuit_check check;
                check_circuit(&check, do_hash, &test, NULL, NULL);
                assert_int_equal(check.aux, 0);
                circuit_check_free(&check);
            }
        }
}

static void falsified_variables_break_the_hash(void **state) {
    (void)state;
    static hash_test test;
    test_random random = {4};
    for (int m = 0; m < 4; m++) {
        test_random_bytes(&random, test.message, sizeof test.message);
        test.length = 50;
        test.mixture = (mixture)m;
        circuit_check check;
        check_circuit(&check, do_hash, &test, NULL, NULL);
        circuit_check_free(&check);
        assert_every_variable_matters(do_hash, &test, test.first_aux, 613);
    }
}

/* Sizes of one compression, counted in the reference circuits for the shapes that they have. */
typedef struct {
    const char *what;
    bool constant_state;
    /* For each of the block's 16 words: 'v' variable, 'n' variable but for a constant zero on top of the word's last byte (the
     * top bit of a 255-bit number), 'c' constant. */
    const char *words;
    uint32_t aux;
    uint64_t constraints;
} compression_shape;

static void do_compression(constraint_system *cs, void *context) {
    const compression_shape *shape = context;
    boolean block[SHA256_BLOCK_BITS];
    uint32 state[8];
    for (size_t i = 0; i < 8; i++)
        state[i] = shape->constant_state ? uint32_constant(0x12345678) : uint32_allocate(cs, 0x12345678);
    for (size_t i = 0; i < SHA256_BLOCK_BITS; i++) {
        char word = shape->words[i / 32];
        bool constant = word == 'c' || (word == 'n' && i % 32 == 24);
        block[i] = constant ? boolean_constant(false) : boolean_allocate(cs, false);
    }
    sha256_compression_circuit(cs, block, state);
}

static void sizes_of_the_filecoin_compressions(void **state) {
    (void)state;
    const compression_shape shapes[] = {
        {"two numbers, constant state", true, "vvvvvvvnvvvvvvvn", 25806, 25832},
        {"padding alone", false, "cccccccccccccccc", 19014, 19034},
        {"first block of a label", true, "vvvvvvvncvvccccc", 25337, 25363},
        {"two parents of a label", false, "vvvvvvvnvvvvvvvn", 26158, 26184},
        {"a parent and padding", false, "vvvvvvvncccccccc", 25567, 25593},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        compression_shape shape = shapes[i];
        uint32_t bits = shape.constant_state ? 0 : 256;
        for (size_t word = 0; word < 16; word++)
            bits += shape.words[word] == 'v' ? 32 : shape.words[word] == 'n' ? 31 : 0;
        body_circuit c = body_circuit_of(do_compression, &shape);
        circuit_counts counts;
        circuit_count(&counts, &c.circuit);
        assert_int_equal(counts.aux, shape.aux + bits);
        assert_int_equal(counts.constraints, shape.constraints + bits);
        circuit_counts_free(&counts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_equal_openssl),
        cmocka_unit_test(falsified_variables_break_the_hash),
        cmocka_unit_test(sizes_of_the_filecoin_compressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
