/* Scalars as signed digits: s = sum of digit[i] * 2^window_begin(i), every digit in -(2^(bits-1) - 1) .. 2^(bits-1) for a window
 * of `bits`, times the sign that makes s at most r/2 (below 2^254). Internal to this room. */
#ifndef ALGEBRA_DIGITS_H
#define ALGEBRA_DIGITS_H

#include "algebra/endomorphism.h"

enum { MAX_WINDOW_BITS = 22, MAGNITUDE_BITS = 254 };

typedef struct {
    unsigned bits;    /* of the lowest windows: 1 .. MAX_WINDOW_BITS */
    unsigned count;   /* of windows */
    unsigned wider;   /* so many windows have `bits`, those above one less */
    uint64_t bias[5]; /* sum of (2^(bits-1) - 1) * 2^window_begin(i): added to a scalar, it makes its digits independent */
} signed_windows;

/* As few windows of at most `bits` as integers of magnitude below 2^magnitude_bits, at most 254, need: magnitude_bits + 1 bits,
 * shared out evenly, for fewer buckets. */
void signed_windows_init(signed_windows *windows, unsigned bits, unsigned magnitude_bits);

static inline unsigned window_bits(const signed_windows *windows, unsigned window) {
    return windows->bits - (window >= windows->wider);
}

/* The lowest bit of a window, or all bits for window `count`. */
static inline unsigned window_begin(const signed_windows *windows, unsigned window) {
    return windows->bits * window - (window > windows->wider ? window - windows->wider : 0);
}

/* Each magnitude of a digit, 1 .. 2^(bits-1), has a bucket: where those of a window begin, or how many there are in all for
 * window `count`. */
static inline size_t window_first_bucket(const signed_windows *windows, unsigned window) {
    unsigned wide = window < windows->wider ? window : windows->wider;
    return (((size_t)wide << windows->bits) + ((size_t)(window - wide) << (windows->bits - 1))) / 2;
}

/* Writes the digits of a canonical scalar (254 bits of magnitude), lowest window first, to out[0], out[stride], ...:
 * magnitude << 1 | negative; 0 for a zero digit. The magnitude is at most 2^(bits-1). */
void signed_digits(const signed_windows *windows, const fr_canonical *scalar, uint32_t *out, size_t stride);

/* The same for half a scalar (HALF_SCALAR_BITS of magnitude). */
void signed_digits_of_half(const signed_windows *windows, const half_scalar *half, uint32_t *out, size_t stride);

/* Replaces an integer above r/2, below r, by r less it, and tells whether it did. */
bool canonical_negate_if_large(uint64_t limbs[4]);

#endif
