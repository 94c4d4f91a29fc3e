/* The arithmetic of level avx2 in Fp by itself: products, carries and reductions at the ends of their ranges, against blst. */
#include "support/support.h"

#include <string.h>

#include "algebra/avx2/probe_fp.h"

#include "algebra/avx2/limb_values.h" /* of the probe's elements */
#include "algebra/fp_product.h"
#include "algebra/fp_values.h"

#ifdef __x86_64__

enum { ROUNDS = 200000, WORDS = 6 };
static const double FACTOR_LIMIT = 0x1p48, NORMALISED_LIMIT = 0x1p47 + 64, LOOSE_LIMIT = 0x1p50, INNER = 0x1p47;

/* The words of the value modulo p. */
static fp value_of(const probe_element *a, int lane) {
    fp sum = {{0}}, shift;
    const uint64_t two_to_48[WORDS] = {UINT64_C(1) << 48};
    blst_fp_from_uint64(&shift, two_to_48);
    for (int i = PROBE_LIMBS; i-- > 0;) {
        double limb = a->limb[i][lane];
        assert_true(limb == (double)(int64_t)limb);
        uint64_t words[WORDS] = {(uint64_t)fabs(limb)};
        fp term;
        blst_fp_from_uint64(&term, words);
        blst_fp_cneg(&term, &term, limb < 0);
        blst_fp_mul(&sum, &sum, &shift);
        blst_fp_add(&sum, &sum, &term);
    }
    fp out;
    blst_uint64_from_fp(out.l, &sum);
    return out;
}

static void products(void **state) {
    (void)state;
    test_random random = {1};
    enum { OTHERS = 1000 };
    static fp others[OTHERS];
    make_fp_values(others, OTHERS, 4);
    for (int round = 0; round < ROUNDS; round++) {
        probe_element a, b, out;
        /* The highest limbs allow magnitudes of 8p and 4p. */
        make_element(&random, &a, FACTOR_LIMIT, 0x1p47 + 0x1p46, INNER);
        make_element(&random, &b, NORMALISED_LIMIT, 0x1p46 + 0x1p45, INNER);
        const fp other_a = others[test_random_u64(&random) % OTHERS], other_b = others[(size_t)round % OTHERS];
        fp other, expected, stored[PROBE_LANES];
        probe_avx2_product(&out, &a, &b, &other, &other_a, &other_b);
        assert_limbs_below(&out, NORMALISED_LIMIT, 0x1p45 * 6);
        blst_fp_mul(&expected, &other_a, &other_b);
        fp_loose_reduced(&other, &other);
        assert_memory_equal(&other, &expected, sizeof other);
        probe_element limbs = out;
        probe_avx2_store_reduced(stored, &limbs);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fp value_a = value_of(&a, lane), value_b = value_of(&b, lane);
            blst_fp_mul(&expected, &value_a, &value_b);
            assert_memory_equal(&stored[lane], &expected, sizeof expected);
            expected = value_of(&out, lane);
            assert_memory_equal(&stored[lane], &expected, sizeof expected);
        }
    }
}

static void carries(void **state) {
    (void)state;
    test_random random = {2};
    for (int round = 0; round < ROUNDS; round++) {
        probe_element a, out;
        make_element(&random, &a, 0x1p53 - 0x1p6, 0x1p46, INNER);
        out = a;
        probe_avx2_normalise(&out);
        assert_limbs_below(&out, NORMALISED_LIMIT, 0x1p46 + 64);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fp before = value_of(&a, lane), after = value_of(&out, lane);
            assert_memory_equal(&before, &after, sizeof before);
        }
    }
}

/* Loose limbs whose value is a multiple of p, from -7 to 7 times, and a little more or less. */
static void reductions(void **state) {
    (void)state;
    test_random random = {3};
    double p_limb[PROBE_LIMBS] = {0}; /* from -2^47 to 2^47 */
    for (int i = 0; i < PROBE_LIMBS; i++) {
        size_t bit = 48 * (size_t)i, word = bit / 64, shift = bit % 64;
        uint64_t limb = FP_ORDER.l[word] >> shift | (shift > 16 ? FP_ORDER.l[word + 1] << (64 - shift) : 0);
        p_limb[i] += (double)(limb & ((UINT64_C(1) << 48) - 1));
        if (p_limb[i] >= 0x1p47 && i < PROBE_LIMBS - 1) {
            p_limb[i] -= 0x1p48;
            p_limb[i + 1] += 1;
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        probe_element a;
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            double multiple = (double)(test_random_u64(&random) % 15) - 7, beside = (double)(test_random_u64(&random) % 5) - 2;
            if (test_random_u64(&random) % 4 == 0)
                beside *= 0x1p45;
            for (int i = 0; i < PROBE_LIMBS; i++)
                a.limb[i][lane] = multiple * p_limb[i];
            a.limb[0][lane] += beside;
            /* the same value in other limbs */
            for (int i = 0; i < PROBE_LIMBS - 1; i++) {
                double moved = (double)(test_random_u64(&random) % 3) - 1;
                a.limb[i][lane] += moved * 0x1p48;
                a.limb[i + 1][lane] -= moved;
            }
        }
        assert_limbs_below(&a, LOOSE_LIMIT, LOOSE_LIMIT);
        fp stored[PROBE_LANES];
        const probe_element before = a;
        probe_avx2_store_reduced(stored, &a);
        probe_element again;
        probe_avx2_gather(&again, stored);
        assert_memory_equal(&again, &a, sizeof a);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fp expected = value_of(&before, lane);
            assert_memory_equal(&stored[lane], &expected, sizeof expected);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(carries),
        cmocka_unit_test(reductions),
    };
    return RUN_WHERE_THERE_IS_AVX2(tests);
}

#else

int main(void) { return 0; }

#endif
