/* The arithmetic of the transforms' butterflies with MULX, ADCX and ADOX, at the ends of its ranges, beside blst and long
 * division. */
#include "support/support.h"

#include "algebra/cpu.h"
#include "algebra/fr_butterfly.h"

#ifdef FR_LOOSE

enum { EDGES = 7, VALUES = EDGES + 60, WIDE = 8 };
__extension__ typedef unsigned __int128 uint128;
static fr values[VALUES]; /* as they stand in memory, reduced */

static int make_values(void **state) {
    (void)state;
    static const fr edges[EDGES] = {
        {{0}},
        {{1}},
        {{UINT64_MAX}},
        {{0, 0, 0, 0x73eda753299d7d48ULL}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x73eda753299d7d47ULL}},
        {{0xffffffff00000000ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL}},
        {{0, 0x53bda402fffe5bffULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL - 1}}};
    memcpy(values, edges, sizeof edges);
    test_random random = {9};
    for (int i = EDGES; i < VALUES; i++) {
        uint8_t bytes[32];
        test_random_bytes(&random, bytes, sizeof bytes);
        fr_from_hash(&values[i], bytes);
    }
    return 0;
}

/* a + r as it stands in memory: loose. */
static fr raised(const fr *a) {
    fr out;
    uint128 sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (uint128)a->l[i] + FR_ORDER[i];
        out.l[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return out;
}

static void assert_stands_for(const fr *loose, const fr *expected) {
    const fr reduced = loose_reduced(*loose), above = raised(expected);
    assert_memory_equal(&reduced, expected, sizeof reduced);
    assert_true(memcmp(loose, expected, sizeof *loose) == 0 || memcmp(loose, &above, sizeof *loose) == 0);
}

/* a * b + c, for c of 4 limbs. */
static void wide_product(uint64_t out[WIDE], const uint64_t a[4], const uint64_t b[4], const uint64_t c[4]) {
    memset(out, 0, WIDE * sizeof *out);
    memcpy(out, c, 4 * sizeof *c);
    for (int i = 0; i < 4; i++) {
        uint128 sum = 0;
        for (int j = 0; j < 4; j++) {
            sum += (uint128)a[i] * b[j] + out[i + j];
            out[i + j] = (uint64_t)sum;
            sum >>= 64;
        }
        out[i + 4] = (uint64_t)sum;
    }
}

/* value * 2^256 = quotient * r + remainder, and the remainder is the value in Montgomery form. */
static void roots(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++) {
        fr_root root;
        fr_canonical canonical;
        uint64_t sum[WIDE] = {0}, expected[WIDE] = {0};
        fr_prepare_root(&root, &values[i]);
        fr_to_canonical(&canonical, &values[i]);
        assert_memory_equal(&root.value, &canonical, sizeof canonical);
        memcpy(expected + 4, root.value.l, sizeof root.value);
        wide_product(sum, root.quotient.l, FR_ORDER, values[i].l);
        assert_memory_equal(sum, expected, sizeof sum);
        const fr back = fr_of_root(&root);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
}

/* The upper half of the product, or one less. */
static void check_quotient(const fr *a, const fr_root *root) {
    static const uint64_t zero[4];
    uint64_t product[WIDE];
    fr quotient = loose_quotient(a, root);
    wide_product(product, a->l, root->quotient.l, zero);
    for (int i = 0; i < 4 && memcmp(&quotient, product + 4, sizeof quotient) != 0; i++)
        if (++quotient.l[i] != 0)
            break;
    assert_memory_equal(&quotient, product + 4, sizeof quotient);
}

static void products(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++) {
        fr_root root;
        fr_prepare_root(&root, &values[i]);
        for (int j = 0; j < VALUES; j++) {
            const fr factors[2] = {values[j], raised(&values[j])};
            fr expected;
            blst_fr_mul(&expected, &values[j], &values[i]);
            for (int k = 0; k < 2; k++) {
                check_quotient(&factors[k], &root);
                const fr ours = loose_product(&factors[k], &root);
                assert_stands_for(&ours, &expected);
            }
        }
    }
}

static void sums_and_differences(void **state) {
    (void)state;
    if (!cpu_has_mulx_and_adx())
        skip();
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++)
            for (int k = 0; k < 4; k++) {
                const fr a = k & 1 ? raised(&values[i]) : values[i], b = k >> 1 ? raised(&values[j]) : values[j];
                fr expected, ours = loose_sum(&a, &b);
                blst_fr_add(&expected, &values[i], &values[j]);
                assert_stands_for(&ours, &expected);
                ours = loose_difference(&a, &b);
                blst_fr_sub(&expected, &values[i], &values[j]);
                assert_stands_for(&ours, &expected);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots),
        cmocka_unit_test(products),
        cmocka_unit_test(sums_and_differences),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}

#else

#include "algebra/nothing_to_test.h"

#endif
