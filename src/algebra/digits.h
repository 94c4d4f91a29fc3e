/* Scalars as signed digits: s = sum of digit[i] * 2^(bits * i), every digit in -(2^(bits-1) - 1) .. 2^(bits-1), times
 * the sign that makes s at most r/2 (below 2^254). Internal to this room. */
#ifndef ALGEBRA_DIGITS_H
#define ALGEBRA_DIGITS_H

#include "algebra/endomorphism.h"

enum { MAX_WINDOW_BITS = 22, MAGNITUDE_BITS = 254 };

typedef struct {
    unsigned bits;    /* of a window: 1 .. MAX_WINDOW_BITS */
    unsigned count;   /* of windows */
    uint64_t bias[5]; /* sum of (2^(bits-1) - 1) * 2^(bits * i): added to a scalar, it makes its digits independent */
} signed_windows;

/* Windows for integers of magnitude below 2^magnitude_bits, at most 254: magnitude_bits + 1 bits, rounded up. */
void signed_windows_init(signed_windows *windows, unsigned bits, unsigned magnitude_bits);

/* Writes the digits of a canonical scalar (254 bits of magnitude), lowest window first, to out[0], out[stride], ...:
 * magnitude << 1 | negative; 0 for a zero digit. The magnitude is at most 2^(bits-1). */
void signed_digits(const signed_windows *windows, const fr_canonical *scalar, uint32_t *out, size_t stride);

/* The same for half a scalar (HALF_SCALAR_BITS of magnitude). */
void signed_digits_of_half(const signed_windows *windows, const half_scalar *half, uint32_t *out, size_t stride);

/* Replaces an integer above r/2, below r, by r less it, and tells whether it did. */
bool canonical_negate_if_large(uint64_t limbs[4]);

#endif
