#include "support/support.h"

#include "algebra/pairing.h"

static void random_fr(test_random *random, fr *out) {
    uint8_t seed[32] = {1};
    fr_from_seed(out, seed, test_random_u64(random));
}

static void multiple_of_g1(g1_affine *out, const fr *k) {
    g1 p;
    g1_from_affine(&p, G1_GENERATOR);
    g1_multiply(&p, &p, k);
    g1_to_affine(out, &p);
}

static void multiple_of_g2(g2_affine *out, const fr *k) {
    g2 p;
    g2_from_affine(&p, G2_GENERATOR);
    g2_multiply(&p, &p, k);
    g2_to_affine(out, &p);
}

/* e(aP, bQ) e(-abP, Q) = 1, and not if either side is changed. */
static void bilinear(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 4; i++) {
        fr a, b, product;
        random_fr(&random, &a);
        random_fr(&random, &b);
        fr_mul(&product, &a, &b);
        fr_negate(&product, &product);
        g1_affine p[2];
        g2_affine q[2];
        multiple_of_g1(&p[0], &a);
        multiple_of_g2(&q[0], &b);
        multiple_of_g1(&p[1], &product);
        q[1] = *G2_GENERATOR;
        assert_true(pairing_product_is_one(p, q, 2));
        assert_false(pairing_product_is_one(p, q, 1));
        fr_add(&product, &product, &FR_ONE);
        multiple_of_g1(&p[1], &product);
        assert_false(pairing_product_is_one(p, q, 2));
    }
}

static void infinity_contributes_one(void **state) {
    (void)state;
    g1_affine p[3] = {*G1_GENERATOR, {{{0}}, {{0}}}, *G1_GENERATOR};
    g2_affine q[3];
    memset(q, 0, sizeof q);
    q[1] = *G2_GENERATOR;
    assert_true(pairing_product_is_one(p, q, 0));
    assert_true(pairing_product_is_one(p, q, 1));
    assert_true(pairing_product_is_one(p, q, 2));
    assert_true(pairing_product_is_one(p, q, 3));
    q[2] = *G2_GENERATOR;
    assert_false(pairing_product_is_one(p, q, 3));
}

/* More pairs than share one Miller loop, some of them infinite: the exponents' products sum to zero. */
static void many_pairs(void **state) {
    (void)state;
    enum { COUNT = 35 };
    test_random random = {2};
    g1_affine p[COUNT];
    g2_affine q[COUNT];
    fr sum = FR_ZERO, a, b;
    for (size_t i = 0; i + 1 < COUNT; i++) {
        random_fr(&random, &a);
        random_fr(&random, &b);
        if (i % 10 == 3)
            a = FR_ZERO;
        multiple_of_g1(&p[i], &a);
        multiple_of_g2(&q[i], &b);
        fr_mul(&a, &a, &b);
        fr_add(&sum, &sum, &a);
    }
    fr_negate(&sum, &sum);
    multiple_of_g1(&p[COUNT - 1], &sum);
    q[COUNT - 1] = *G2_GENERATOR;
    assert_true(pairing_product_is_one(p, q, COUNT));
    assert_false(pairing_product_is_one(p, q, COUNT - 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilinear),
        cmocka_unit_test(infinity_contributes_one),
        cmocka_unit_test(many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
