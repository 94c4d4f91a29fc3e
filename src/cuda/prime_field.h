/* Fr and Fp on the device: reduced, in Montgomery form with R = 2^256 and 2^384, so that an element's bytes are those of
 * blst's blst_fr and blst_fp. */
#ifndef CUDA_PRIME_FIELD_H
#define CUDA_PRIME_FIELD_H

#include "cuda/carry_chain.h"

/* Numbers that fix a field; 32-bit limbs, least significant first. The modulus has a spare bit above it: 2p < 2^(32 LIMBS). */
struct fr_parameters {
    static const int LIMBS = 8;
    static const uint32_t MINUS_INVERSE = 0xffffffff; /* -1/modulus modulo 2^32 */
    DEVICE static constexpr uint32_t modulus(int i) {
        constexpr uint32_t limbs[LIMBS] = {0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402,
                                           0x09a1d805, 0x3339d808, 0x299d7d48, 0x73eda753};
        return limbs[i];
    }
    DEVICE static constexpr uint32_t one(int i) { /* 2^256 modulo r */
        constexpr uint32_t limbs[LIMBS] = {0xfffffffe, 0x00000001, 0x00034802, 0x5884b7fa,
                                           0xecbc4ff5, 0x998c4fef, 0xacc5056f, 0x1824b159};
        return limbs[i];
    }
    DEVICE static constexpr uint32_t radix_squared(int i) { /* 2^512 modulo r */
        constexpr uint32_t limbs[LIMBS] = {0xf3f29c6d, 0xc999e990, 0x87925c23, 0x2b6cedcb,
                                           0x7254398f, 0x05d31496, 0x9f59ff11, 0x0748d9d9};
        return limbs[i];
    }
};

struct fp_parameters {
    static const int LIMBS = 12;
    static const uint32_t MINUS_INVERSE = 0xfffcfffd;
    DEVICE static constexpr uint32_t modulus(int i) {
        constexpr uint32_t limbs[LIMBS] = {0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0,
                                           0xf38512bf, 0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea};
        return limbs[i];
    }
    DEVICE static constexpr uint32_t one(int i) { /* 2^384 modulo p */
        constexpr uint32_t limbs[LIMBS] = {0x0002fffd, 0x76090000, 0xc40c0002, 0xebf4000b, 0x53c758ba, 0x5f489857,
                                           0x70525745, 0x77ce5853, 0xa256ec6d, 0x5c071a97, 0xfa80e493, 0x15f65ec3};
        return limbs[i];
    }
    DEVICE static constexpr uint32_t radix_squared(int i) { /* 2^768 modulo p */
        constexpr uint32_t limbs[LIMBS] = {0x1c341746, 0xf4df1f34, 0x09d104f1, 0x0a76e6a6, 0x4c95b6d5, 0x8de5476c,
                                           0x939d83c0, 0x67eb88a9, 0xb519952d, 0x9a793e85, 0x92cae3aa, 0x11988fe5};
        return limbs[i];
    }
};

template <class P> struct alignas(16) prime_field {
    static const int LIMBS = P::LIMBS;
    uint32_t limb[LIMBS];

    DEVICE static prime_field zero() {
        prime_field r;
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            r.limb[i] = 0;
        return r;
    }
    DEVICE static prime_field one() {
        prime_field r;
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            r.limb[i] = P::one(i);
        return r;
    }

    DEVICE bool is_zero() const {
        uint32_t bits = 0;
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            bits |= limb[i];
        return bits == 0;
    }
    DEVICE bool operator==(const prime_field &b) const {
        uint32_t bits = 0;
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            bits |= limb[i] ^ b.limb[i];
        return bits == 0;
    }

    /* True if the limbs are a number below the modulus: for what comes from outside. */
    DEVICE bool is_reduced() const {
        carry_chain c;
        c.sub_cc(limb[0], P::modulus(0));
        UNROLL
        for (int i = 1; i < LIMBS; i++)
            c.subc_cc(limb[i], P::modulus(i));
        return c.subc(0, 0) != 0;
    }

    /* Any number below 2p becomes one below p. */
    DEVICE prime_field reduce_once() const {
        prime_field r;
        carry_chain c;
        r.limb[0] = c.sub_cc(limb[0], P::modulus(0));
        UNROLL
        for (int i = 1; i < LIMBS; i++)
            r.limb[i] = c.subc_cc(limb[i], P::modulus(i));
        uint32_t below = c.subc(0, 0);
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            r.limb[i] = below ? limb[i] : r.limb[i];
        return r;
    }

    DEVICE prime_field operator+(const prime_field &b) const {
        prime_field r;
        carry_chain c;
        r.limb[0] = c.add_cc(limb[0], b.limb[0]);
        UNROLL
        for (int i = 1; i < LIMBS; i++)
            r.limb[i] = c.addc_cc(limb[i], b.limb[i]);
        return r.reduce_once();
    }

    DEVICE prime_field operator-(const prime_field &b) const {
        prime_field r;
        carry_chain c;
        r.limb[0] = c.sub_cc(limb[0], b.limb[0]);
        UNROLL
        for (int i = 1; i < LIMBS; i++)
            r.limb[i] = c.subc_cc(limb[i], b.limb[i]);
        uint32_t borrow = c.subc(0, 0); /* all ones or zero */
        r.limb[0] = c.add_cc(r.limb[0], P::modulus(0) & borrow);
        UNROLL
        for (int i = 1; i < LIMBS; i++)
            r.limb[i] = c.addc_cc(r.limb[i], P::modulus(i) & borrow);
        return r;
    }

    DEVICE prime_field negate() const { return zero() - *this; }
    DEVICE prime_field doubled() const { return *this + *this; }

    /* The product divided by R. Sums of limb products are kept in two accumulators, even + odd * 2^32, so that each product's
     * two halves go to two neighbouring limbs of one accumulator and the machine can do them as one wide multiplication.
     * After each row the lowest limb is zero and falls away, and the accumulators change places. Below 2p at any time:
     * the sum before a row is below 2p, and a row adds less than 2p * 2^32. */
    DEVICE prime_field operator*(const prime_field &b) const {
        uint32_t even[LIMBS], odd[LIMBS];
        UNROLL
        for (int j = 0; j < LIMBS; j += 2) {
            even[j] = multiply_low(limb[j], b.limb[0]);
            even[j + 1] = multiply_high(limb[j], b.limb[0]);
            odd[j] = multiply_low(limb[j + 1], b.limb[0]);
            odd[j + 1] = multiply_high(limb[j + 1], b.limb[0]);
        }
        eliminate(even, odd);
        UNROLL
        for (int i = 1; i < LIMBS; i += 2) {
            add_row(odd, even, b.limb[i]);
            eliminate(odd, even);
            if (i + 1 < LIMBS) {
                add_row(even, odd, b.limb[i + 1]);
                eliminate(even, odd);
            }
        }
        /* The number of rows is even: the last to be eliminated is odd[0]. */
        prime_field r;
        carry_chain c;
        r.limb[0] = c.add_cc(even[0], odd[1]);
        UNROLL
        for (int j = 1; j < LIMBS - 1; j++)
            r.limb[j] = c.addc_cc(even[j], odd[j + 1]);
        r.limb[LIMBS - 1] = c.addc(even[LIMBS - 1], 0);
        return r.reduce_once();
    }
    DEVICE prime_field squared() const { return *this * *this; }

    /* Montgomery form to the plain number, and back. */
    DEVICE prime_field to_canonical() const {
        prime_field plain_one = zero();
        plain_one.limb[0] = 1;
        return *this * plain_one;
    }
    DEVICE prime_field from_canonical() const {
        prime_field square;
        UNROLL
        for (int i = 0; i < LIMBS; i++)
            square.limb[i] = P::radix_squared(i);
        return *this * square;
    }

  private:
    /* low + high * 2^32 += m * modulus, with m such that low[0] becomes zero. */
    DEVICE static void eliminate(uint32_t *low, uint32_t *high) {
        uint32_t m = multiply_low(low[0], P::MINUS_INVERSE);
        carry_chain c;
        c.mad_wide_cc(high, P::modulus(1), m, high[0], high[1]);
        UNROLL
        for (int j = 2; j < LIMBS; j += 2)
            c.madc_wide_cc(high + j, P::modulus(j + 1), m, high[j], high[j + 1]);
        c.mad_wide_cc(low, P::modulus(0), m, low[0], low[1]);
        UNROLL
        for (int j = 2; j < LIMBS; j += 2)
            c.madc_wide_cc(low + j, P::modulus(j), m, low[j], low[j + 1]);
        high[LIMBS - 1] = c.addc(high[LIMBS - 1], 0);
    }

    /* Drops the zero limb of old_low + old_high * 2^32 and adds this * b. old_high becomes the low accumulator, what is left of
     * old_low the high one. */
    DEVICE void add_row(uint32_t *low, uint32_t *high, uint32_t b) const {
        carry_chain c;
        low[0] = c.add_cc(low[0], high[1]);
        UNROLL
        for (int j = 0; j < LIMBS - 2; j += 2)
            c.madc_wide_cc(high + j, limb[j + 1], b, high[j + 2], high[j + 3]);
        c.madc_wide_cc(high + LIMBS - 2, limb[LIMBS - 1], b, 0, 0);
        c.mad_wide_cc(low, limb[0], b, low[0], low[1]);
        UNROLL
        for (int j = 2; j < LIMBS; j += 2)
            c.madc_wide_cc(low + j, limb[j], b, low[j], low[j + 1]);
        high[LIMBS - 1] = c.addc(high[LIMBS - 1], 0);
    }
};

typedef prime_field<fr_parameters> device_fr;
typedef prime_field<fp_parameters> device_fp;

#endif
