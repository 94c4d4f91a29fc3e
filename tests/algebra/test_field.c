#include "support/support.h"

#include <stdlib.h>

#include "algebra/field.h"
#include "base/bytes.h"

/* r in little-endian bytes. */
static const uint8_t ORDER[FR_BYTES] = {1,    0,    0,    0,    0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe,
                                        0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1, 0x09, 0x08, 0xd8,
                                        0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};

static void assert_fr_is(const fr *a, const uint8_t expected[FR_BYTES]) {
    uint8_t bytes[FR_BYTES];
    fr_to_bytes(bytes, a);
    assert_memory_equal(bytes, expected, FR_BYTES);
}

static void assert_fr_is_hex(const fr *a, const char *hex) {
    uint8_t expected[FR_BYTES];
    assert_true(hex_decode(expected, FR_BYTES, hex));
    assert_fr_is(a, expected);
}

static void random_fr(test_random *random, fr *out) {
    uint8_t seed[32] = {0};
    fr_from_seed(out, seed, test_random_u64(random));
}

static void constants(void **state) {
    (void)state;
    uint8_t bytes[FR_BYTES] = {0};
    assert_fr_is(&FR_ZERO, bytes);
    bytes[0] = 1;
    assert_fr_is(&FR_ONE, bytes);
    bytes[0] = 2;
    assert_fr_is(&FR_TWO, bytes);
    bytes[0] = 7;
    assert_fr_is(&FR_GENERATOR, bytes);
    fr sum;
    fr_add(&sum, &FR_MINUS_ONE, &FR_ONE);
    assert_true(fr_is_zero(&sum));
    memcpy(bytes, ORDER, FR_BYTES);
    bytes[0] = 0;
    assert_fr_is(&FR_MINUS_ONE, bytes);
}

static void canonical_bytes(void **state) {
    (void)state;
    uint8_t bytes[FR_BYTES];
    fr a = FR_TWO;
    memcpy(bytes, ORDER, FR_BYTES);
    assert_false(fr_from_bytes(&a, bytes)); /* r */
    bytes[0] = 2;
    assert_false(fr_from_bytes(&a, bytes)); /* r + 1 */
    memset(bytes, 0xff, FR_BYTES);
    assert_false(fr_from_bytes(&a, bytes));
    memset(bytes, 0, FR_BYTES);
    bytes[31] = 0x74;
    assert_false(fr_from_bytes(&a, bytes));
    assert_true(fr_equal(&a, &FR_TWO)); /* left alone */
    memcpy(bytes, ORDER, FR_BYTES);
    bytes[0] = 0;
    assert_true(fr_from_bytes(&a, bytes)); /* r - 1 */
    assert_true(fr_equal(&a, &FR_MINUS_ONE));
    memset(bytes, 0, FR_BYTES);
    assert_true(fr_from_bytes(&a, bytes));
    assert_true(fr_is_zero(&a));
    test_random random = {1};
    for (int i = 0; i < 1000; i++) {
        test_random_bytes(&random, bytes, FR_BYTES);
        bytes[31] &= 0x3f;
        assert_true(fr_from_bytes(&a, bytes));
        assert_fr_is(&a, bytes);
    }
}

static void small_integers(void **state) {
    (void)state;
    fr a, b;
    fr_from_u64(&a, 0);
    assert_true(fr_is_zero(&a));
    fr_from_u64(&a, 1);
    assert_true(fr_is_one(&a));
    fr_from_u64(&a, UINT64_MAX);
    assert_fr_is_hex(&a, "ffffffffffffffff000000000000000000000000000000000000000000000000");
    fr_add(&b, &a, &FR_ONE);
    assert_fr_is_hex(&b, "0000000000000000010000000000000000000000000000000000000000000000");
    fr_double(&b, &a);
    fr_add(&a, &a, &a);
    assert_true(fr_equal(&a, &b));
    fr_negate(&b, &a);
    fr_add(&b, &b, &a);
    assert_true(fr_is_zero(&b));
    fr_negate(&b, &FR_ZERO);
    assert_true(fr_is_zero(&b));
}

static void hashes_lose_two_bits(void **state) {
    (void)state;
    uint8_t bytes[FR_BYTES], expected[FR_BYTES];
    fr a;
    memset(bytes, 0xff, FR_BYTES);
    fr_from_hash(&a, bytes);
    memset(expected, 0xff, FR_BYTES);
    expected[31] = 0x3f;
    assert_fr_is(&a, expected);
    test_random random = {2};
    for (int i = 0; i < 100; i++) {
        test_random_bytes(&random, bytes, FR_BYTES);
        fr_from_hash(&a, bytes);
        memcpy(expected, bytes, FR_BYTES);
        expected[31] &= 0x3f;
        assert_fr_is(&a, expected);
    }
}

static void powers_of_two(void **state) {
    (void)state;
    const uint8_t seed[FR_BYTES] = {77};
    fr values[6] = {FR_ZERO, FR_ONE, FR_TWO, FR_MINUS_ONE}, power, expected, quotient;
    fr_from_seed(&values[4], seed, 0);
    values[5] = (fr){{0xffffffff00000000ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}}; /* r - 1 */
    for (unsigned bits = 0; bits < 64; bits++) {
        fr_from_u64(&power, UINT64_C(1) << bits);
        fr_invert(&power, &power);
        for (size_t i = 0; i < 6; i++) {
            fr_mul(&expected, &values[i], &power);
            fr_divide_by_power_of_two(&quotient, &values[i], bits);
            assert_memory_equal(&quotient, &expected, sizeof expected);
        }
    }
}

static void inversion(void **state) {
    (void)state;
    enum { COUNT = 50 };
    fr values[COUNT], inverted[COUNT], scratch[COUNT], product;
    test_random random = {3};
    for (size_t i = 0; i < COUNT; i++) {
        random_fr(&random, &values[i]);
        if (i % 7 == 0 || i == COUNT - 1)
            values[i] = FR_ZERO;
    }
    values[1] = FR_ONE;
    values[2] = FR_MINUS_ONE;
    for (size_t count = 0; count <= COUNT; count++) {
        memcpy(inverted, values, sizeof values);
        fr_batch_invert(inverted, count, scratch);
        for (size_t i = 0; i < count; i++) {
            fr alone;
            fr_invert(&alone, &values[i]);
            assert_true(fr_equal(&inverted[i], &alone));
            fr_mul(&product, &inverted[i], &values[i]);
            assert_true(fr_is_zero(&values[i]) ? fr_is_zero(&product) : fr_is_one(&product));
        }
        assert_memory_equal(inverted + count, values + count, (COUNT - count) * sizeof *values);
    }
}

static void exponents(void **state) {
    (void)state;
    test_random random = {4};
    fr base, expected = FR_ONE, power;
    random_fr(&random, &base);
    for (uint64_t i = 0; i < 70; i++) {
        fr_power(&power, &base, i);
        assert_true(fr_equal(&power, &expected));
        fr_mul(&expected, &expected, &base);
    }
    fr_power(&power, &FR_ZERO, 0);
    assert_true(fr_is_one(&power));
    fr_power(&power, &FR_MINUS_ONE, UINT64_MAX);
    assert_true(fr_equal(&power, &FR_MINUS_ONE));
}

static void roots_of_unity(void **state) {
    (void)state;
    /* 7^((r-1)/2^32) by the exponent's 28 bytes, lowest first. */
    fr power = FR_ONE, base = FR_GENERATOR;
    for (int i = 4; i < FR_BYTES; i++)
        for (int bit = 0; bit < 8; bit++) {
            if (ORDER[i] >> bit & 1)
                fr_mul(&power, &power, &base);
            fr_square(&base, &base);
        }
    assert_true(fr_equal(&power, &FR_ROOT_OF_UNITY));
    fr root;
    fr_root_of_unity(&root, 0);
    assert_true(fr_is_one(&root));
    for (unsigned log_size = 1; log_size <= FR_TWO_ADICITY; log_size++) {
        fr_root_of_unity(&root, log_size);
        fr_power(&root, &root, UINT64_C(1) << (log_size - 1));
        assert_true(fr_equal(&root, &FR_MINUS_ONE));
    }
}

static void seeds(void **state) {
    (void)state;
    uint8_t seed[32];
    for (uint8_t i = 0; i < 32; i++)
        seed[i] = i;
    fr a;
    fr_from_seed(&a, seed, 0);
    assert_fr_is_hex(&a, "fecb3e38a17294c5c445b23bba137bd009cb42a25f8a09d809c93be76345ee34");
    fr_from_seed(&a, seed, 1);
    assert_fr_is_hex(&a, "2f71114a8532ac99b71895a91e962b19b55002304814bd8d065e801a7047ed48");
    fr_from_seed(&a, seed, (UINT64_C(1) << 40) + 5);
    assert_fr_is_hex(&a, "f2f6ec4c13137b3eb89a44f23a3cd383453f5ec3b6a18aabb42857e2025c5f55");
}

static void random_values_differ(void **state) {
    (void)state;
    cuzk_error error = {0};
    fr a, b;
    ASSERT_OK(fr_random(&a, &error));
    ASSERT_OK(fr_random(&b, &error));
    assert_false(fr_equal(&a, &b));
    uint8_t bytes[FR_BYTES];
    fr_to_bytes(bytes, &a);
    assert_true(fr_from_bytes(&b, bytes));
    assert_true(fr_equal(&a, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),      cmocka_unit_test(canonical_bytes), cmocka_unit_test(small_integers),
        cmocka_unit_test(powers_of_two),  cmocka_unit_test(inversion),      cmocka_unit_test(exponents),       cmocka_unit_test(hashes_lose_two_bits),
        cmocka_unit_test(roots_of_unity), cmocka_unit_test(seeds),           cmocka_unit_test(random_values_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
