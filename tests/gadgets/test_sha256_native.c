/* SHA-256 as blocks: variables and rows from 32-bit words equal those of the gadget, whatever is constant or negated. */
#include "support/compact_check.h"

#include <string.h>

#include "gadgets/sha256.h"
#include "support/circuit_check.h"

/* Compressions of random bits. In percent: how many bits are constants, how many of the others are negated, and how many are
 * bits that occurred before. whole_words: constants come as words. */
typedef struct {
    uint64_t seed;
    unsigned constant, negated, repeated;
    bool whole_words;
    unsigned compressions;
} random_compressions;

static boolean random_bit(constraint_system *cs, test_random *random, const random_compressions *r, bool constant,
                          const boolean *before, size_t count) {
    uint64_t draw = test_random_u64(random);
    bool value = draw & 1;
    if (constant)
        return boolean_constant(value);
    if (count > 0 && draw >> 8 & 1 && draw >> 16 % 100 < r->repeated)
        return before[(draw >> 24) % count];
    boolean bit = boolean_allocate(cs, value);
    return (draw >> 40) % 100 < r->negated ? boolean_not(bit) : bit;
}

static void compress_random_bits(constraint_system *cs, void *context) {
    const random_compressions *r = context;
    test_random random = {r->seed};
    for (unsigned k = 0; k < r->compressions; k++) {
        boolean bits[SHA256_BLOCK_BITS + 256];
        uint32 state[8];
        bool constant = false;
        for (size_t i = 0; i < SHA256_BLOCK_BITS + 256; i++) {
            if (!r->whole_words || i % 32 == 0)
                constant = test_random_u64(&random) % 100 < r->constant;
            bits[i] = random_bit(cs, &random, r, constant, bits, i);
        }
        for (size_t j = 0; j < 8; j++)
            state[j] = uint32_from_bits_be(bits + SHA256_BLOCK_BITS + 32 * j);
        namespace_push_index(cs, "compression", k);
        sha256_compression_circuit(cs, bits, state);
        namespace_pop(cs);
    }
}

static void test_compressions_of_random_bits(void **state) {
    (void)state;
    static const random_compressions cases[] = {
        {1, 0, 0, 0, false, 2},    {2, 50, 0, 0, false, 2},  {3, 0, 50, 0, false, 2},   {4, 30, 30, 0, false, 3},
        {5, 90, 10, 0, false, 2},  {6, 50, 0, 0, true, 3},   {7, 80, 20, 0, true, 3},   {8, 99, 50, 0, false, 2},
        {9, 10, 10, 50, false, 2}, {10, 0, 0, 90, false, 1}, {11, 100, 0, 0, false, 1}, {12, 97, 0, 0, true, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        random_compressions r = cases[i];
        body_circuit c = body_circuit_of(compress_random_bits, &r);
        assert_compact_equals_classic(&c.circuit);
    }
}

/* Hashes of `bits` allocated bits with a word of constants among them, the number of the hash, as labels have it. */
typedef struct {
    size_t bits;
    unsigned hashes;
} numbered_hashes;

enum { NUMBER_POSITION = 256 };

static void hash_with_number(constraint_system *cs, void *context) {
    const numbered_hashes *n = context;
    test_random random = {n->bits};
    for (unsigned k = 1; k <= n->hashes; k++) { /* a zero would be no term */
        boolean input[32 + 2048], digest[SHA256_DIGEST_BITS];
        uint32 word = uint32_constant(k);
        for (size_t i = 0; i < n->bits; i++)
            input[i < NUMBER_POSITION ? i : i + 32] = boolean_allocate(cs, test_random_u64(&random) & 1);
        uint32_to_bits_be(&word, input + (n->bits < NUMBER_POSITION ? n->bits : NUMBER_POSITION));
        sha256_circuit(cs, input, 32 + n->bits, digest);
        boolean_enforce_equal(cs, digest[3], digest[3]);
    }
}

static void test_hashes(void **state) {
    (void)state;
    static const size_t bits[] = {0, 8, 224, 416, 480, 992};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        numbered_hashes n = {.bits = bits[i], .hashes = 2};
        body_circuit c = body_circuit_of(hash_with_number, &n);
        assert_compact_equals_classic(&c.circuit);
    }
}

/* Hashes that differ in constants alone share their rows, and the others are all alike. */
static void test_templates_are_few_and_small(void **state) {
    (void)state;
    size_t bytes[2];
    for (unsigned i = 0; i < 2; i++) {
        numbered_hashes n = {.bits = 1504, .hashes = i == 0 ? 1 : 11};
        body_circuit c = body_circuit_of(hash_with_number, &n);
        circuit_shape shape;
        circuit_shape_create(&shape, &c.circuit);
        bytes[i] = shape.templates.bytes;
        circuit_shape_free(&shape);
    }
    assert_true(bytes[1] < bytes[0] + 10 * 50000);
}

static void enforce_digest(constraint_system *cs, void *context) {
    (void)context;
    boolean input[256], digest[SHA256_DIGEST_BITS];
    for (size_t i = 0; i < 256; i++)
        input[i] = boolean_allocate(cs, i % 3 == 0);
    namespace_push(cs, "hash");
    sha256_circuit(cs, input, 256, digest);
    namespace_pop(cs);
    namespace_push(cs, "behind the hash");
    boolean_enforce_equal(cs, digest[9], boolean_constant(cs->has_witness && !digest[9].value));
    namespace_pop(cs);
}

static void test_a_wrong_digest_is_named(void **state) {
    (void)state;
    body_circuit c = body_circuit_of(enforce_digest, NULL);
    assert_compact_refuses(&c.circuit, "behind the hash/");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compressions_of_random_bits),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_templates_are_few_and_small),
        cmocka_unit_test(test_a_wrong_digest_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
