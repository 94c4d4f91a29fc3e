/* Sums of products with one reduction equal those of single products. */
#include "support/support.h"

#include "algebra/fr_dot.h"

enum { MAX_STRIDE = 5 };

static fr greatest(void) { return (fr){{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}}; }

static void random_element(fr *out, test_random *random) {
    uint8_t bytes[32];
    uint64_t draw = test_random_u64(random);
    if (draw % 8 == 0) {
        *out = greatest(); /* the largest value that limbs can have */
    } else if (draw % 8 == 1) {
        *out = FR_ZERO;
    } else {
        test_random_bytes(random, bytes, sizeof bytes);
        fr_from_hash(out, bytes);
    }
}

static void check(const fr *a, const fr *b, size_t stride, size_t count) {
    fr expected = FR_ZERO, product, found;
    for (size_t i = 0; i < count; i++) {
        fr_mul(&product, &a[i], &b[i * stride]);
        fr_add(&expected, &expected, &product);
    }
    fr_dot(&found, a, b, stride, count);
    assert_memory_equal(&found, &expected, sizeof found);
}

static void random_sums(void **state) {
    (void)state;
    test_random random = {3};
    fr a[FR_DOT_MAX], b[FR_DOT_MAX * MAX_STRIDE];
    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < FR_DOT_MAX; i++)
            random_element(&a[i], &random);
        for (size_t i = 0; i < FR_DOT_MAX * MAX_STRIDE; i++)
            random_element(&b[i], &random);
        for (size_t count = 1; count <= FR_DOT_MAX; count++)
            check(a, b, 1 + (round + count) % MAX_STRIDE, count);
    }
}

static void greatest_sums(void **state) {
    (void)state;
    fr a[FR_DOT_MAX], b[FR_DOT_MAX];
    for (size_t i = 0; i < FR_DOT_MAX; i++)
        a[i] = b[i] = greatest();
    for (size_t count = 1; count <= FR_DOT_MAX; count++)
        check(a, b, 1, count);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_sums), cmocka_unit_test(greatest_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
