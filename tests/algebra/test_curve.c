#include "support/support.h"

#include "algebra/curve.h"
#include "algebra/endomorphism.h"
#include "algebra/scaled_points.h"
#include "base/bytes.h"

enum { COMPRESSED = 0x80, INFINITY_BIT = 0x40, SIGN = 0x20, COORDINATE = 48 };

static const char MODULUS[] = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

static void multiple_of_g1(g1_affine *out, uint64_t k) {
    fr scalar;
    g1 p;
    fr_from_u64(&scalar, k);
    g1_from_affine(&p, G1_GENERATOR);
    g1_multiply(&p, &p, &scalar);
    g1_to_affine(out, &p);
}

static void multiple_of_g2(g2_affine *out, uint64_t k) {
    fr scalar;
    g2 p;
    fr_from_u64(&scalar, k);
    g2_from_affine(&p, G2_GENERATOR);
    g2_multiply(&p, &p, &scalar);
    g2_to_affine(out, &p);
}

static void generators(void **state) {
    (void)state;
    uint8_t bytes[G2_COMPRESSED_BYTES], expected[G2_COMPRESSED_BYTES];
    g1_compress(bytes, G1_GENERATOR);
    /* The standard generators, as in the encoding's specification. */
    assert_true(hex_decode(expected, G1_COMPRESSED_BYTES,
                           "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"));
    assert_memory_equal(bytes, expected, G1_COMPRESSED_BYTES);
    g2_compress(bytes, G2_GENERATOR);
    assert_true(hex_decode(expected, G2_COMPRESSED_BYTES,
                           "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
                           "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"));
    assert_memory_equal(bytes, expected, G2_COMPRESSED_BYTES);
}

static void round_trips(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 40; k++) {
        uint8_t long1[G1_BYTES], short1[G1_COMPRESSED_BYTES], long2[G2_BYTES], short2[G2_COMPRESSED_BYTES];
        g1_affine p, p2;
        g2_affine q, q2;
        multiple_of_g1(&p, k * k * 12345);
        multiple_of_g2(&q, k * k * 54321);
        assert_int_equal(g1_affine_is_infinity(&p), k == 0);
        assert_int_equal(g2_affine_is_infinity(&q), k == 0);
        g1_encode(long1, &p);
        g1_compress(short1, &p);
        g2_encode(long2, &q);
        g2_compress(short2, &q);
        assert_int_equal(short1[0] & COMPRESSED, COMPRESSED);
        assert_int_equal(short2[0] & COMPRESSED, COMPRESSED);
        for (int check = POINT_UNCHECKED; check <= POINT_IN_SUBGROUP; check++) {
            assert_int_equal(g1_decode(&p2, long1, (point_check)check, true), POINT_OK);
            assert_memory_equal(&p, &p2, sizeof p);
            assert_int_equal(g2_decode(&q2, long2, (point_check)check, true), POINT_OK);
            assert_memory_equal(&q, &q2, sizeof q);
            point_error expected = k == 0 ? POINT_IS_INFINITY : POINT_OK;
            assert_int_equal(g1_decode(&p2, long1, (point_check)check, false), expected);
            assert_int_equal(g2_decode(&q2, long2, (point_check)check, false), expected);
        }
        assert_int_equal(g1_decompress(&p2, short1, true), POINT_OK);
        assert_memory_equal(&p, &p2, sizeof p);
        assert_int_equal(g2_decompress(&q2, short2, true), POINT_OK);
        assert_memory_equal(&q, &q2, sizeof q);
        assert_int_equal(g1_decompress(&p2, short1, false), k == 0 ? POINT_IS_INFINITY : POINT_OK);
        assert_int_equal(g2_decompress(&q2, short2, false), k == 0 ? POINT_IS_INFINITY : POINT_OK);
    }
}

/* Every combination of the three flags over a finite point's payload and over zeros. */
static void flag_combinations(void **state) {
    (void)state;
    uint8_t bytes[G2_BYTES];
    g1_affine p, expected1;
    g2_affine q, expected2;
    multiple_of_g1(&expected1, 3);
    multiple_of_g2(&expected2, 3);
    for (unsigned flags = 0; flags < 256; flags += 0x20) {
        for (int empty = 0; empty < 2; empty++) {
            point_error uncompressed = flags == INFINITY_BIT && empty ? POINT_OK : POINT_BAD_FLAGS;
            if (flags == 0)
                uncompressed = empty ? POINT_NOT_ON_CURVE : POINT_OK;
            g1_encode(bytes, &expected1);
            if (empty)
                memset(bytes, 0, sizeof bytes);
            bytes[0] = (uint8_t)((bytes[0] & 0x1f) | flags);
            assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, true), uncompressed);
            assert_int_equal(g1_decode(&p, bytes, POINT_IN_SUBGROUP, true), uncompressed);
            assert_int_equal(g1_decode_scaled(&p, bytes), uncompressed);
            g2_encode(bytes, &expected2);
            if (empty)
                memset(bytes, 0, sizeof bytes);
            bytes[0] = (uint8_t)((bytes[0] & 0x1f) | flags);
            assert_int_equal(g2_decode(&q, bytes, POINT_UNCHECKED, true), uncompressed);
            assert_int_equal(g2_decode(&q, bytes, POINT_IN_SUBGROUP, true), uncompressed);
            assert_int_equal(g2_decode_scaled(&q, bytes), uncompressed);

            bool finite = (flags & ~(unsigned)SIGN) == COMPRESSED;
            point_error compressed = flags == (COMPRESSED | INFINITY_BIT) && empty ? POINT_OK : POINT_BAD_FLAGS;
            g1_compress(bytes, &expected1);
            bool same_sign = (bytes[0] & SIGN) == (flags & SIGN);
            if (empty)
                memset(bytes, 0, sizeof bytes);
            bytes[0] = (uint8_t)((bytes[0] & 0x1f) | flags);
            /* x = 0 is on G1's curve, with y = 2 or -2, of order 3. */
            assert_int_equal(g1_decompress(&p, bytes, true), finite ? (empty ? POINT_NOT_IN_SUBGROUP : POINT_OK) : compressed);
            if (finite && !empty)
                assert_int_equal(memcmp(&p, &expected1, sizeof p) == 0, same_sign);
            g2_compress(bytes, &expected2);
            same_sign = (bytes[0] & SIGN) == (flags & SIGN);
            if (empty)
                memset(bytes, 0, sizeof bytes);
            bytes[0] = (uint8_t)((bytes[0] & 0x1f) | flags);
            point_error found = g2_decompress(&q, bytes, true);
            if (finite && empty)
                assert_true(found == POINT_NOT_ON_CURVE || found == POINT_NOT_IN_SUBGROUP);
            else
                assert_int_equal(found, finite ? POINT_OK : compressed);
            if (finite && !empty)
                assert_int_equal(memcmp(&q, &expected2, sizeof q) == 0, same_sign);
        }
    }
}

/* An infinity whose other bits are not zero, at every place. */
static void infinity_with_payload(void **state) {
    (void)state;
    g1_affine p;
    g2_affine q;
    for (size_t i = 0; i < G2_BYTES; i++) {
        for (int bit = 0; bit < 8; bit++) {
            uint8_t bytes[G2_BYTES] = {0}, short_bytes[G2_BYTES] = {0};
            bytes[0] = INFINITY_BIT;
            short_bytes[0] = INFINITY_BIT | COMPRESSED;
            if (i == 0 && bit >= 6)
                continue;
            bytes[i] = (uint8_t)(bytes[i] | 1 << bit);
            short_bytes[i] = (uint8_t)(short_bytes[i] | 1 << bit);
            assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, true), i < G1_BYTES ? POINT_BAD_FLAGS : POINT_OK);
            assert_int_equal(g1_decode_scaled(&p, bytes), i < G1_BYTES ? POINT_BAD_FLAGS : POINT_OK);
            assert_int_equal(g2_decode(&q, bytes, POINT_UNCHECKED, true), POINT_BAD_FLAGS);
            assert_int_equal(g2_decode_scaled(&q, bytes), POINT_BAD_FLAGS);
            assert_int_equal(g1_decompress(&p, short_bytes, true), i < G1_COMPRESSED_BYTES ? POINT_BAD_FLAGS : POINT_OK);
            assert_int_equal(g2_decompress(&q, short_bytes, true), i < G2_COMPRESSED_BYTES ? POINT_BAD_FLAGS : POINT_OK);
        }
    }
}

/* p, p + 1 and the largest integer that the flags leave room for, in each coordinate. */
static void coordinates_not_reduced(void **state) {
    (void)state;
    uint8_t wrong[3][COORDINATE];
    assert_true(hex_decode(wrong[0], COORDINATE, MODULUS));
    assert_true(hex_decode(wrong[1], COORDINATE, MODULUS));
    wrong[1][COORDINATE - 1]++;
    memset(wrong[2], 0xff, COORDINATE);
    wrong[2][0] = 0x1f;
    g1_affine p;
    g2_affine q;
    for (size_t w = 0; w < 3; w++) {
        uint8_t bytes[G2_BYTES];
        for (size_t coordinate = 0; coordinate < 2; coordinate++) {
            g1_encode(bytes, G1_GENERATOR);
            memcpy(bytes + coordinate * COORDINATE, wrong[w], COORDINATE);
            assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, true), POINT_BAD_COORDINATE);
            assert_int_equal(g1_decode_scaled(&p, bytes), POINT_BAD_COORDINATE);
        }
        for (size_t coordinate = 0; coordinate < 4; coordinate++) {
            g2_encode(bytes, G2_GENERATOR);
            memcpy(bytes + coordinate * COORDINATE, wrong[w], COORDINATE);
            assert_int_equal(g2_decode(&q, bytes, POINT_UNCHECKED, true), POINT_BAD_COORDINATE);
            assert_int_equal(g2_decode_scaled(&q, bytes), POINT_BAD_COORDINATE);
        }
        g1_compress(bytes, G1_GENERATOR);
        memcpy(bytes, wrong[w], COORDINATE);
        bytes[0] |= COMPRESSED;
        assert_int_equal(g1_decompress(&p, bytes, true), POINT_BAD_COORDINATE);
        for (size_t coordinate = 0; coordinate < 2; coordinate++) {
            g2_compress(bytes, G2_GENERATOR);
            memcpy(bytes + coordinate * COORDINATE, wrong[w], COORDINATE);
            if (coordinate == 0)
                bytes[0] |= COMPRESSED;
            assert_int_equal(g2_decompress(&q, bytes, true), POINT_BAD_COORDINATE);
        }
        /* Flags in front of a later coordinate are part of the integer. */
        g1_encode(bytes, G1_GENERATOR);
        bytes[COORDINATE] |= (uint8_t)(0x20 << w);
        assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, true), POINT_BAD_COORDINATE);
    }
    /* p - 1 is a coordinate, if of no point here. */
    uint8_t bytes[G1_BYTES];
    g1_encode(bytes, G1_GENERATOR);
    assert_true(hex_decode(bytes, COORDINATE, MODULUS));
    bytes[COORDINATE - 1]--;
    assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, true), POINT_OK);
    assert_int_equal(g1_decode(&p, bytes, POINT_ON_CURVE, true), POINT_NOT_ON_CURVE);
}

/* Points with small x, nearly all of which lie outside the subgroup: the cofactors are large. */
static void points_outside_the_subgroup(void **state) {
    (void)state;
    size_t on_curve = 0, off_curve = 0;
    for (uint64_t x = 0; x < 40; x++) {
        g1_affine p, p2;
        uint64_t limbs[6] = {x, 0, 0, 0, 0, 0}, four[6] = {4, 0, 0, 0, 0, 0};
        fp b, square;
        blst_fp_from_uint64(&p.x, limbs);
        blst_fp_from_uint64(&b, four);
        blst_fp_sqr(&square, &p.x);
        blst_fp_mul(&square, &square, &p.x);
        blst_fp_add(&square, &square, &b);
        uint8_t bytes[G2_BYTES] = {0}, compressed[G2_COMPRESSED_BYTES] = {0};
        compressed[0] = COMPRESSED;
        compressed[COORDINATE - 1] = (uint8_t)x;
        if (blst_fp_sqrt(&p.y, &square)) {
            on_curve++;
            g1_encode(bytes, &p);
            assert_int_equal(g1_decode(&p2, bytes, POINT_ON_CURVE, false), POINT_OK);
            assert_memory_equal(&p, &p2, sizeof p);
            assert_int_equal(g1_decode(&p2, bytes, POINT_IN_SUBGROUP, false), POINT_NOT_IN_SUBGROUP);
            assert_int_equal(g1_decompress(&p2, compressed, false), POINT_NOT_IN_SUBGROUP);
        } else {
            off_curve++;
            assert_int_equal(g1_decompress(&p2, compressed, false), POINT_NOT_ON_CURVE);
        }

        g2_affine q, q2;
        fp2 square2;
        q.x = (fp2){{p.x, p.x}};
        blst_fp2_sqr(&square2, &q.x);
        blst_fp2_mul(&square2, &square2, &q.x);
        blst_fp2_add(&square2, &square2, &(fp2){{b, b}});
        memset(compressed, 0, sizeof compressed);
        compressed[0] = COMPRESSED;
        compressed[COORDINATE - 1] = compressed[2 * COORDINATE - 1] = (uint8_t)x;
        if (blst_fp2_sqrt(&q.y, &square2)) {
            on_curve++;
            g2_encode(bytes, &q);
            assert_int_equal(g2_decode(&q2, bytes, POINT_ON_CURVE, false), POINT_OK);
            assert_memory_equal(&q, &q2, sizeof q);
            assert_int_equal(g2_decode(&q2, bytes, POINT_IN_SUBGROUP, false), POINT_NOT_IN_SUBGROUP);
            assert_int_equal(g2_decompress(&q2, compressed, false), POINT_NOT_IN_SUBGROUP);
        } else {
            off_curve++;
            assert_int_equal(g2_decompress(&q2, compressed, false), POINT_NOT_ON_CURVE);
        }
    }
    assert_true(on_curve > 20 && off_curve > 20);
}

static void points_off_the_curve(void **state) {
    (void)state;
    uint8_t bytes[G2_BYTES];
    g1_affine p;
    g2_affine q;
    g1_encode(bytes, G1_GENERATOR);
    bytes[G1_BYTES - 1] ^= 1;
    assert_int_equal(g1_decode(&p, bytes, POINT_UNCHECKED, false), POINT_OK);
    assert_int_equal(g1_decode(&p, bytes, POINT_ON_CURVE, false), POINT_NOT_ON_CURVE);
    assert_int_equal(g1_decode(&p, bytes, POINT_IN_SUBGROUP, false), POINT_NOT_ON_CURVE);
    g2_encode(bytes, G2_GENERATOR);
    bytes[G2_BYTES - 1] ^= 1;
    assert_int_equal(g2_decode(&q, bytes, POINT_UNCHECKED, false), POINT_OK);
    assert_int_equal(g2_decode(&q, bytes, POINT_ON_CURVE, false), POINT_NOT_ON_CURVE);
    assert_int_equal(g2_decode(&q, bytes, POINT_IN_SUBGROUP, false), POINT_NOT_ON_CURVE);
}

static void scaled_points(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 30; k++) {
        uint8_t bytes[G2_BYTES];
        g1_affine p, p2;
        g2_affine q, q2;
        g1 sum1;
        g2 sum2;
        multiple_of_g1(&p, k * 98765);
        multiple_of_g2(&q, k * 56789);
        g1_encode(bytes, &p);
        assert_int_equal(g1_decode_scaled(&p2, bytes), POINT_OK);
        g1_from_affine(&sum1, &p2);
        blst_p1_double(&sum1, &sum1);
        g1_add_affine(&sum1, &sum1, &p2);
        g1_unscale(&sum1);
        g1_to_affine(&p2, &sum1);
        multiple_of_g1(&p, 3 * k * 98765);
        assert_memory_equal(&p, &p2, sizeof p);
        g2_encode(bytes, &q);
        assert_int_equal(g2_decode_scaled(&q2, bytes), POINT_OK);
        g2_from_affine(&sum2, &q2);
        blst_p2_double(&sum2, &sum2);
        g2_add_affine(&sum2, &sum2, &q2);
        g2_unscale(&sum2);
        g2_to_affine(&q2, &sum2);
        multiple_of_g2(&q, 3 * k * 56789);
        assert_memory_equal(&q, &q2, sizeof q);
    }
}

static void endomorphisms(void **state) {
    (void)state;
    fr z;
    fr_from_u64(&z, 0xd201000000010000ULL);
    for (uint64_t k = 0; k < 20; k++) {
        g1_affine p, p2, expected;
        g2_affine q, q2, expected2;
        g1 sum;
        g2 sum2;
        multiple_of_g1(&p, k * 424242);
        g1_from_affine(&sum, &p);
        g1_multiply(&sum, &sum, &z);
        g1_multiply(&sum, &sum, &z);
        g1_to_affine(&expected, &sum);
        g1_multiply_by_z2(&p2, &p);
        assert_memory_equal(&p2, &expected, sizeof p2);
        multiple_of_g2(&q, k * 424242);
        g2_from_affine(&sum2, &q);
        g2_multiply(&sum2, &sum2, &z);
        g2_multiply(&sum2, &sum2, &z);
        g2_to_affine(&expected2, &sum2);
        g2_multiply_by_z2(&q2, &q);
        assert_memory_equal(&q2, &expected2, sizeof q2);
    }
}

static void multiplication_and_addition(void **state) {
    (void)state;
    uint8_t seed[32] = {5};
    g1 p, left, right, sum;
    g2 q, left2, right2, sum2;
    g1_affine affine;
    g2_affine affine2;
    g1_from_affine(&p, G1_GENERATOR);
    g2_from_affine(&q, G2_GENERATOR);
    for (uint64_t i = 0; i < 10; i++) {
        fr a, b, c;
        fr_from_seed(&a, seed, 2 * i);
        fr_from_seed(&b, seed, 2 * i + 1);
        if (i == 0)
            fr_negate(&b, &a); /* opposite */
        if (i == 1)
            b = a; /* equal */
        if (i == 2)
            a = FR_ZERO;
        if (i == 3)
            b = FR_ZERO;
        if (i == 4)
            a = FR_MINUS_ONE;
        fr_add(&c, &a, &b);
        g1_multiply(&left, &p, &a);
        g1_multiply(&right, &p, &b);
        g1_multiply(&sum, &p, &c);
        g1_to_affine(&affine, &right);
        g1_add_affine(&right, &left, &affine);
        assert_true(blst_p1_is_equal(&right, &sum));
        g1_from_affine(&right, &affine);
        g1_add(&right, &left, &right);
        assert_true(blst_p1_is_equal(&right, &sum));
        g2_multiply(&left2, &q, &a);
        g2_multiply(&right2, &q, &b);
        g2_multiply(&sum2, &q, &c);
        g2_to_affine(&affine2, &right2);
        g2_add_affine(&right2, &left2, &affine2);
        assert_true(blst_p2_is_equal(&right2, &sum2));
        g2_from_affine(&right2, &affine2);
        g2_add(&right2, &left2, &right2);
        assert_true(blst_p2_is_equal(&right2, &sum2));
    }
}

static void errors_have_texts(void **state) {
    (void)state;
    for (int error = POINT_OK; error <= POINT_IS_INFINITY; error++)
        for (int other = POINT_OK; other < error; other++)
            assert_string_not_equal(point_error_text((point_error)error), point_error_text((point_error)other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(flag_combinations),
        cmocka_unit_test(infinity_with_payload),
        cmocka_unit_test(coordinates_not_reduced),
        cmocka_unit_test(points_outside_the_subgroup),
        cmocka_unit_test(points_off_the_curve),
        cmocka_unit_test(scaled_points),
        cmocka_unit_test(endomorphisms),
        cmocka_unit_test(multiplication_and_addition),
        cmocka_unit_test(errors_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
