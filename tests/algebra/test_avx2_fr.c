/* The arithmetic of level avx2 in Fr by itself: products with roots, carries and reductions at the ends of their ranges, against
 * blst. */
#include "support/support.h"

#include <string.h>

#include "algebra/avx2/probe_fr.h"

#include "algebra/avx2/limb_values.h" /* of the probe's elements */

#ifdef __x86_64__

enum { ROUNDS = 200000 };
static const double LOOSE_LIMIT = 0x1p47, NORMALISED_LIMIT = 0x1p43 + 0x1p10, INNER = 0x1p43;
static const double LOOSE_TOP = 0x1p39, ORDER_TOP = 31119275314.6 /* r / 2^220 */, ROOT_TOP = 31119275313;

/* The value modulo r, as its words are in memory. */
static fr value_of(const probe_element *a, int lane) {
    fr sum = FR_ZERO, shift, one;
    fr_from_u64(&shift, UINT64_C(1) << 44);
    for (int i = PROBE_LIMBS; i-- > 0;) {
        double limb = a->limb[i][lane];
        assert_true(limb == (double)(int64_t)limb);
        fr term;
        fr_from_u64(&term, (uint64_t)fabs(limb));
        if (limb < 0)
            fr_negate(&term, &term);
        fr_mul(&sum, &sum, &shift);
        fr_add(&sum, &sum, &term);
    }
    /* Elements here are not in Montgomery form: sum stands for itself, in memory for sum / 2^256. */
    memset(&one, 0, sizeof one);
    one.l[0] = 1;
    fr_mul(&sum, &sum, &one);
    return sum;
}

/* Of magnitude below r, normalised, as a root is. */
static void make_root(test_random *random, probe_element *root) { make_element(random, root, 0x1p43, ROOT_TOP, INNER); }

static void products(void **state) {
    (void)state;
    test_random random = {1};
    probe_element root, x, out;
    fr two_to_256 = FR_ONE; /* words of elements stand for these over 2^256, which a product of them lacks once */
    for (int i = 0; i < 256; i++)
        fr_double(&two_to_256, &two_to_256);
    make_root(&random, &root);
    for (int round = 0; round < ROUNDS; round++) {
        make_element(&random, &x, LOOSE_LIMIT, LOOSE_TOP, INNER);
        probe_avx2_fr_product(&out, &x, &root);
        assert_limbs_below(&out, NORMALISED_LIMIT, 0.9 * ORDER_TOP);
        fr stored[PROBE_LANES];
        probe_avx2_fr_store(stored, 1, &out);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fr expected, x_value = value_of(&x, lane), root_value = value_of(&root, lane);
            fr_mul(&expected, &x_value, &root_value);
            fr_mul(&expected, &expected, &two_to_256);
            assert_memory_equal(&stored[lane], &expected, sizeof expected);
        }
        /* A root may be the product of others. */
        if (round % 2)
            make_root(&random, &root);
        else
            root = out;
    }
}

static void settled(void **state) {
    (void)state;
    test_random random = {2};
    for (int round = 0; round < ROUNDS; round++) {
        probe_element a;
        make_element(&random, &a, LOOSE_LIMIT, LOOSE_TOP, INNER);
        const probe_element before = a;
        probe_avx2_fr_settle(&a);
        assert_limbs_below(&a, NORMALISED_LIMIT, 0.51 * ORDER_TOP);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fr expected = value_of(&before, lane), after = value_of(&a, lane);
            assert_memory_equal(&after, &expected, sizeof expected);
        }
    }
}

/* Multiples of r, and a little more or less, in various limbs: the value that is stored, and what it is when it is loaded. */
static void reductions(void **state) {
    (void)state;
    const double order[PROBE_LIMBS] = {-4294967295, -112743940096, 5857222066944, -2746621485696, -7020169645254, 31119275315};
    test_random random = {3};
    enum { STRIDE = 3 };
    fr stored[PROBE_LANES * STRIDE];
    for (int round = 0; round < ROUNDS; round++) {
        probe_element a, again;
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            double multiple = (double)(test_random_u64(&random) % 33) - 16, beside = (double)(test_random_u64(&random) % 5) - 2;
            if (test_random_u64(&random) % 4 == 0)
                beside *= 0x1p45;
            for (int i = 0; i < PROBE_LIMBS; i++)
                a.limb[i][lane] = multiple * order[i];
            a.limb[0][lane] += beside;
            for (int i = 0; i < PROBE_LIMBS - 1; i++) {
                double moved = (double)(test_random_u64(&random) % 3) - 1;
                a.limb[i][lane] += moved * 0x1p44;
                a.limb[i + 1][lane] -= moved;
            }
        }
        probe_avx2_fr_store(stored, STRIDE, &a);
        probe_avx2_fr_load(&again, stored, STRIDE);
        assert_limbs_below(&again, 0x1p44 - 1, ORDER_TOP);
        for (int lane = 0; lane < PROBE_LANES; lane++) {
            fr expected = value_of(&a, lane), loaded = value_of(&again, lane);
            assert_memory_equal(&stored[lane * STRIDE], &expected, sizeof expected);
            assert_memory_equal(&loaded, &expected, sizeof expected);
        }
    }
}

static void transposition(void **state) {
    (void)state;
    test_random random = {4};
    probe_element elements[PROBE_LANES], transposed[PROBE_LANES];
    for (int i = 0; i < PROBE_LANES; i++)
        make_element(&random, &elements[i], LOOSE_LIMIT, LOOSE_TOP, INNER);
    memcpy(transposed, elements, sizeof elements);
    probe_avx2_fr_transpose(transposed);
    for (int i = 0; i < PROBE_LANES; i++)
        for (int lane = 0; lane < PROBE_LANES; lane++)
            for (int limb = 0; limb < PROBE_LIMBS; limb++)
                assert_true(transposed[i].limb[limb][lane] == elements[lane].limb[limb][i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(settled),
        cmocka_unit_test(reductions),
        cmocka_unit_test(transposition),
    };
    return RUN_WHERE_THERE_IS_AVX2(tests);
}

#else

int main(void) { return 0; }

#endif
