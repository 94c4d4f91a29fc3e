/* The device's arithmetic against blst, byte for byte: all pairs of edge values, and random ones. */
#include "cuda_fixture.h"

#include "algebra/curve.h"
#include "cuda/check.h"

enum { EDGES = 40, RANDOM = 1500 };

static const uint64_t R_LIMBS[4] = {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};
static const uint64_t P_LIMBS[6] = {0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL,
                                    0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL};

static bool below(const uint64_t *a, const uint64_t *modulus, int limbs) {
    for (int i = limbs - 1; i >= 0; i--)
        if (a[i] != modulus[i])
            return a[i] < modulus[i];
    return false;
}

/* Limbs that are below the modulus, whatever they stand for: small numbers, the modulus less a small number, limbs of zeros and
 * ones (long carries). */
static void edge_limbs(uint64_t *out, const uint64_t *modulus, int limbs, int number) {
    memset(out, 0, (size_t)limbs * sizeof *out);
    if (number < 8) {
        out[0] = (uint64_t)number;
        return;
    }
    if (number < 16) {
        memcpy(out, modulus, (size_t)limbs * sizeof *out);
        out[0] -= (uint64_t)number - 7;
        return;
    }
    test_random random = {(uint64_t)number};
    do {
        uint64_t pattern = test_random_u64(&random);
        for (int i = 0; i < 2 * limbs; i++) {
            uint64_t half = pattern >> i & 1 ? 0xffffffff : pattern >> (i + 24) & 1 ? 0x80000000 : 0;
            out[i / 2] = i % 2 ? out[i / 2] | half << 32 : half;
        }
        if (pattern >> 60 & 1)
            out[limbs - 1] = modulus[limbs - 1];
        else
            out[limbs - 1] >>= 4;
    } while (!below(out, modulus, limbs));
}

static void random_limbs(test_random *random, uint64_t *out, const uint64_t *modulus, int limbs) {
    do {
        test_random_bytes(random, out, (size_t)limbs * sizeof *out);
        out[limbs - 1] >>= 1;
        if (limbs == 6)
            out[limbs - 1] >>= 2;
    } while (!below(out, modulus, limbs));
}

/* The operands: all pairs of edges, then random ones. */
static size_t make_operands(uint64_t **a, uint64_t **b, const uint64_t *modulus, int limbs) {
    size_t count = (size_t)EDGES * EDGES + RANDOM, size = (size_t)limbs * sizeof(uint64_t);
    *a = malloc(count * size);
    *b = malloc(count * size);
    assert_true(*a && *b);
    test_random random = {1};
    for (size_t i = 0; i < count; i++) {
        uint64_t *left = *a + i * (size_t)limbs, *right = *b + i * (size_t)limbs;
        if (i < (size_t)EDGES * EDGES) {
            edge_limbs(left, modulus, limbs, (int)(i / EDGES));
            edge_limbs(right, modulus, limbs, (int)(i % EDGES));
        } else {
            random_limbs(&random, left, modulus, limbs);
            random_limbs(&random, right, modulus, limbs);
        }
    }
    return count;
}

typedef void (*expected_value)(void *out, const void *a, const void *b);

static void check_field(checked_field field, const expected_value *expected, const uint64_t *a, const uint64_t *b, size_t count,
                        size_t size) {
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    void *da = device_copy_of(&f, a, count * size), *db = device_copy_of(&f, b, count * size),
         *dout = device_room(&f, count * size);
    uint8_t *out = malloc(count * size), want[192];
    assert_non_null(out);
    for (int operation = CHECK_ADD; operation <= CHECK_FROM_CANONICAL; operation++) {
        if (!expected[operation])
            continue;
        ASSERT_OK(device_check_field(f.stream, field, (checked_operation)operation, dout, da, db, count, &error));
        bring_back(&f, out, dout, count * size);
        for (size_t i = 0; i < count; i++) {
            expected[operation](want, (const uint8_t *)a + i * size, (const uint8_t *)b + i * size);
            if (memcmp(out + i * size, want, size) != 0)
                fail_msg("field %d, operation %d, pair %zu", (int)field, operation, i);
        }
    }
    free(out);
    cuda_fixture_close(&f);
}

static void fr_sum(void *out, const void *a, const void *b) { blst_fr_add(out, a, b); }
static void fr_difference(void *out, const void *a, const void *b) { blst_fr_sub(out, a, b); }
static void fr_product(void *out, const void *a, const void *b) { blst_fr_mul(out, a, b); }
static void fr_own_square(void *out, const void *a, const void *b) { (void)b, blst_fr_sqr(out, a); }
static void fr_negative(void *out, const void *a, const void *b) { (void)b, blst_fr_cneg(out, a, true); }
static void fr_canonical_of(void *out, const void *a, const void *b) { (void)b, blst_uint64_from_fr(out, a); }
static void fr_of_canonical(void *out, const void *a, const void *b) { (void)b, blst_fr_from_uint64(out, a); }
static const expected_value FR_EXPECTED[] = {fr_sum,      fr_difference,   fr_product,     fr_own_square,
                                             fr_negative, fr_canonical_of, fr_of_canonical};

static void fp_sum(void *out, const void *a, const void *b) { blst_fp_add(out, a, b); }
static void fp_difference_of(void *out, const void *a, const void *b) { blst_fp_sub(out, a, b); }
static void fp_product(void *out, const void *a, const void *b) { blst_fp_mul(out, a, b); }
static void fp_own_square(void *out, const void *a, const void *b) { (void)b, blst_fp_sqr(out, a); }
static void fp_negative(void *out, const void *a, const void *b) { (void)b, blst_fp_cneg(out, a, true); }
static void fp_canonical_of(void *out, const void *a, const void *b) { (void)b, blst_uint64_from_fp(out, a); }
static void fp_of_canonical(void *out, const void *a, const void *b) { (void)b, blst_fp_from_uint64(out, a); }
static const expected_value FP_EXPECTED[] = {fp_sum,      fp_difference_of, fp_product,     fp_own_square,
                                             fp_negative, fp_canonical_of,  fp_of_canonical};

static void fp2_sum(void *out, const void *a, const void *b) { blst_fp2_add(out, a, b); }
static void fp2_difference(void *out, const void *a, const void *b) { blst_fp2_sub(out, a, b); }
static void fp2_product(void *out, const void *a, const void *b) { blst_fp2_mul(out, a, b); }
static void fp2_own_square(void *out, const void *a, const void *b) { (void)b, blst_fp2_sqr(out, a); }
static void fp2_negative(void *out, const void *a, const void *b) { (void)b, blst_fp2_cneg(out, a, true); }
static const expected_value FP2_EXPECTED[] = {fp2_sum, fp2_difference, fp2_product, fp2_own_square, fp2_negative, NULL, NULL};

static void fr_equals_blst(void **state) {
    (void)state;
    uint64_t *a, *b;
    size_t count = make_operands(&a, &b, R_LIMBS, 4);
    check_field(CHECK_FR, FR_EXPECTED, a, b, count, sizeof(fr));
    free(a);
    free(b);
}

static void fp_and_fp2_equal_blst(void **state) {
    (void)state;
    uint64_t *a, *b;
    size_t count = make_operands(&a, &b, P_LIMBS, 6) / 2 * 2;
    check_field(CHECK_FP, FP_EXPECTED, a, b, count, sizeof(fp));
    check_field(CHECK_FP2, FP2_EXPECTED, a, b, count / 2, sizeof(fp2));
    free(a);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fr_equals_blst),
        cmocka_unit_test(fp_and_fp2_equal_blst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
