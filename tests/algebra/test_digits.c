#include "support/support.h"

#include "algebra/digits.h"
#include "base/bytes.h"

/* The scalar that digits stand for, by Horner's rule. */
static void value_of_digits(fr *out, const uint32_t *digits, const signed_windows *windows) {
    *out = FR_ZERO;
    for (unsigned i = windows->count; i-- > 0;) {
        for (unsigned bit = 0; bit < window_bits(windows, i); bit++)
            fr_double(out, out);
        fr digit;
        fr_from_u64(&digit, digits[i] >> 1);
        if (digits[i] & 1)
            fr_sub(out, out, &digit);
        else
            fr_add(out, out, &digit);
    }
}

static void check(const fr *value, const signed_windows *windows) {
    enum { STRIDE = 3 };
    uint32_t spread[FR_BITS * STRIDE], digits[FR_BITS];
    fr_canonical scalar;
    fr back;
    fr_to_canonical(&scalar, value);
    signed_digits(windows, &scalar, spread, STRIDE);
    for (unsigned i = 0; i < windows->count; i++) {
        digits[i] = spread[i * STRIDE];
        assert_true(digits[i] >> 1 <= UINT32_C(1) << (window_bits(windows, i) - 1));
        assert_int_not_equal(digits[i], 1); /* zero has no sign */
    }
    value_of_digits(&back, digits, windows);
    assert_true(fr_equal(value, &back));
}

static void digits_stand_for_the_scalar(void **state) {
    (void)state;
    for (unsigned bits = 1; bits <= MAX_WINDOW_BITS; bits++) {
        signed_windows windows;
        signed_windows_init(&windows, bits, MAGNITUDE_BITS);
        assert_true(windows.count * bits >= FR_BITS && (windows.count - 1) * bits < FR_BITS);
        assert_true(windows.bits <= bits && windows.wider >= 1 && windows.wider <= windows.count);
        size_t buckets = 0;
        unsigned begin = 0;
        for (unsigned i = 0; i < windows.count; i++) {
            assert_int_equal(window_begin(&windows, i), begin);
            assert_int_equal(window_first_bucket(&windows, i), buckets);
            begin += window_bits(&windows, i);
            buckets += (size_t)1 << (window_bits(&windows, i) - 1);
        }
        assert_int_equal(begin, FR_BITS);
        assert_int_equal(window_first_bucket(&windows, windows.count), buckets);
        fr value = FR_ZERO, other, half;
        for (int i = 0; i < 20; i++) {
            check(&value, &windows); /* 0 .. 19, and their negatives */
            fr_negate(&other, &value);
            check(&other, &windows);
            fr_add(&value, &value, &FR_ONE);
        }
        fr_invert(&half, &FR_TWO); /* (r + 1) / 2, where the sign changes */
        fr_sub(&value, &half, &FR_TWO);
        for (int i = 0; i < 4; i++) {
            check(&value, &windows);
            fr_add(&value, &value, &FR_ONE);
        }
        value = FR_ONE;
        for (unsigned i = 0; i < FR_BITS; i++) {
            check(&value, &windows); /* 2^i, 2^i - 1, 2^i + 1 */
            fr_sub(&other, &value, &FR_ONE);
            check(&other, &windows);
            fr_add(&other, &value, &FR_ONE);
            check(&other, &windows);
            fr_double(&value, &value);
        }
        uint8_t seed[32] = {9};
        for (uint64_t i = 0; i < 200; i++) {
            fr_from_seed(&value, seed, i);
            check(&value, &windows);
        }
        /* Every window at the border of a carry, one below and one above. */
        for (int border = -1; border <= 1; border++) {
            fr_from_u64(&other, (UINT64_C(1) << (bits - 1)));
            if (border < 0)
                fr_sub(&other, &other, &FR_ONE);
            if (border > 0)
                fr_add(&other, &other, &FR_ONE);
            value = FR_ZERO;
            for (unsigned i = 0; i < windows.count; i++) {
                for (unsigned bit = 0; bit < bits; bit++)
                    fr_double(&value, &value);
                fr_add(&value, &value, &other);
                check(&value, &windows);
            }
        }
    }
}

static void value_of_half(fr *out, const half_scalar *half) {
    fr_canonical bytes = {{0}};
    for (int i = 0; i < 16; i++)
        bytes.bytes[i] = (uint8_t)(half->magnitude[i / 8] >> (8 * (i % 8)));
    assert_true(fr_from_bytes(out, bytes.bytes));
    if (half->negative)
        fr_negate(out, out);
}

/* low + high * z^2 is the scalar, both halves are short, and their digits stand for them. */
static void check_split(const fr *value) {
    fr_canonical scalar;
    half_scalar halves[2];
    fr parts[2], back, z2;
    fr_to_canonical(&scalar, value);
    split_scalar(&halves[0], &halves[1], &scalar);
    fr_from_u64(&z2, 0xd201000000010000ULL);
    fr_square(&z2, &z2);
    for (int h = 0; h < 2; h++) {
        assert_int_equal(halves[h].magnitude[1] >> 63, 0);
        value_of_half(&parts[h], &halves[h]);
        for (unsigned bits = 1; bits <= MAX_WINDOW_BITS; bits += 3) {
            uint32_t digits[HALF_SCALAR_BITS + 1];
            signed_windows windows;
            signed_windows_init(&windows, bits, HALF_SCALAR_BITS);
            signed_digits_of_half(&windows, &halves[h], digits, 1);
            value_of_digits(&back, digits, &windows);
            assert_true(fr_equal(&back, &parts[h]));
        }
    }
    fr_mul(&back, &parts[1], &z2);
    fr_add(&back, &back, &parts[0]);
    assert_true(fr_equal(&back, value));
}

static void halves_stand_for_the_scalar(void **state) {
    (void)state;
    uint8_t seed[32] = {10};
    fr value, other, z2, half;
    for (uint64_t i = 0; i < 2000; i++) {
        fr_from_seed(&value, seed, i);
        check_split(&value);
    }
    /* Around multiples of z^2 / 2, where quotient and remainder change, and around r / 2. */
    fr_from_u64(&z2, 0xd201000000010000ULL);
    fr_square(&z2, &z2);
    fr_invert(&half, &FR_TWO);
    fr z2_half;
    fr_mul(&z2_half, &z2, &half); /* z^2 is even */
    fr starts[6] = {FR_ZERO, z2, z2_half, half};
    fr_mul(&starts[4], &z2, &z2_half);
    fr_sub(&starts[5], &half, &z2_half);
    for (int s = 0; s < 6; s++) {
        value = starts[s];
        for (int multiple = 0; multiple < 4; multiple++) {
            fr_sub(&other, &value, &FR_TWO);
            for (int i = 0; i < 5; i++) {
                check_split(&other);
                fr negated;
                fr_negate(&negated, &other);
                check_split(&negated);
                fr_add(&other, &other, &FR_ONE);
            }
            fr_add(&value, &value, &z2);
        }
    }
}

static void large_scalars_are_negated(void **state) {
    (void)state;
    fr_canonical bytes;
    uint64_t limbs[4];
    fr value, half;
    fr_invert(&half, &FR_TWO);
    fr_sub(&value, &half, &FR_ONE); /* (r - 1) / 2 */
    fr_to_canonical(&bytes, &value);
    for (int i = 0; i < 4; i++)
        limbs[i] = load_u64_le(bytes.bytes + 8 * i);
    assert_false(canonical_negate_if_large(limbs));
    fr_to_canonical(&bytes, &half);
    uint64_t negated[4];
    for (int i = 0; i < 4; i++)
        negated[i] = load_u64_le(bytes.bytes + 8 * i);
    assert_true(canonical_negate_if_large(negated));
    assert_memory_equal(limbs, negated, sizeof limbs); /* r - (r + 1) / 2 = (r - 1) / 2 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_stand_for_the_scalar),
        cmocka_unit_test(halves_stand_for_the_scalar),
        cmocka_unit_test(large_scalars_are_negated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
