#include "algebra/digits.h"

#include <assert.h>

#include "algebra/fr_order.h"
#include "base/bytes.h"

__extension__ typedef unsigned __int128 uint128;

/* (r - 1) / 2 */
static const uint64_t HALF_ORDER[4] = {0x7fffffff80000000ULL, 0xa9ded2017fff2dffULL, 0x199cec0404d0ec02ULL,
                                       0x39f6d3a994cebea4ULL};

void signed_windows_init(signed_windows *windows, unsigned bits, unsigned magnitude_bits) {
    assert(bits >= 1 && bits <= MAX_WINDOW_BITS && magnitude_bits <= MAGNITUDE_BITS);
    unsigned all = magnitude_bits + 1, count = (all + bits - 1) / bits, rest = all % count;
    *windows = (signed_windows){.bits = (all + count - 1) / count, .count = count, .wider = rest ? rest : count};
    for (unsigned i = 0; i < count; i++) {
        /* Windows do not overlap, so their biases combine without carries. */
        uint64_t bias = (UINT64_C(1) << (window_bits(windows, i) - 1)) - 1;
        unsigned limb = window_begin(windows, i) / 64, shift = window_begin(windows, i) % 64;
        windows->bias[limb] |= bias << shift;
        if (shift > 0 && limb + 1 < 5)
            windows->bias[limb + 1] |= bias >> (64 - shift);
    }
}

bool canonical_negate_if_large(uint64_t limbs[4]) {
    int top = 3;
    while (top > 0 && limbs[top] == HALF_ORDER[top])
        top--;
    if (limbs[top] <= HALF_ORDER[top])
        return false;
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        uint128 difference = (uint128)FR_ORDER[i] - limbs[i] - borrow;
        limbs[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return true;
}

/* `count` digits of so many bits, from bit `begin` on. */
static inline void digits_of_width(unsigned bits, unsigned begin, unsigned count, const uint64_t limbs[6], uint32_t flip,
                                   uint32_t *out, size_t stride) {
    int32_t bias = (int32_t)((UINT32_C(1) << bits) / 2 - 1);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (unsigned i = 0; i < count; i++, begin += bits) {
        unsigned limb = begin / 64, shift = begin % 64;
        uint64_t window = limbs[limb] >> shift;
        if (shift + bits > 64)
            window |= limbs[limb + 1] << (64 - shift);
        int32_t digit = (int32_t)(window & mask) - bias;
        uint32_t negative = digit < 0;
        uint32_t magnitude = negative ? (uint32_t)-digit : (uint32_t)digit;
        out[i * stride] = magnitude ? magnitude << 1 | (negative ^ flip) : 0;
    }
}

/* The digits of limbs, an integer of 5 limbs and one more of zero, so that reading past a limb's end stays inside. */
static inline void digits_of(const signed_windows *windows, uint64_t limbs[6], uint32_t flip, uint32_t *out, size_t stride) {
    uint64_t carry = 0;
    for (int i = 0; i < 5; i++) {
        uint128 sum = (uint128)limbs[i] + windows->bias[i] + carry;
        limbs[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    unsigned wider = windows->wider;
    digits_of_width(windows->bits, 0, wider, limbs, flip, out, stride);
    digits_of_width(windows->bits - 1, window_begin(windows, wider), windows->count - wider, limbs, flip, out + wider * stride, stride);
}

void signed_digits(const signed_windows *windows, const fr_canonical *scalar, uint32_t *out, size_t stride) {
    uint64_t limbs[6] = {0};
    for (int i = 0; i < 4; i++)
        limbs[i] = load_u64_le(scalar->bytes + 8 * i);
    uint32_t flip = canonical_negate_if_large(limbs);
    digits_of(windows, limbs, flip, out, stride);
}

void signed_digits_of_half(const signed_windows *windows, const half_scalar *half, uint32_t *out, size_t stride) {
    uint64_t limbs[6] = {half->magnitude[0], half->magnitude[1]};
    digits_of(windows, limbs, half->negative, out, stride);
}
