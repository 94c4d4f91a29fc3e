/* Eight elements of Fr, one in each lane: 5 limbs of 52 bits. Internal to this room. "Normalised" and "loose" are as in
 * ifma_fp.h. All values are below 35r < 2^260.
 *
 * fr8_product(a, b) = a * b / 2^260 modulo r, below a * b / 2^260 + 2r. So a value x in memory, which stands for
 * x / 2^256, is multiplied by the value y there if b = 16 y. */
#ifndef ALGEBRA_IFMA_FR_H
#define ALGEBRA_IFMA_FR_H

#include "algebra/field.h"
#include "algebra/ifma_vector.h"

enum { FR8_LIMBS = 5, FR_WORDS = 4 };

typedef struct {
    vec limb[FR8_LIMBS];
} fr8;

/* r; 2^260 - r; -1/r modulo 2^52; (r * that + 1) / 2^52, which is below r. */
static const uint64_t FR_MODULUS[FR8_LIMBS] = {0xfffff00000001, 0x02fffe5bfefff, 0x9a1d80553bda4, 0x7d483339d8080,
                                               0x73eda753299d};
static const uint64_t FR_COMPLEMENT[FR8_LIMBS] = {0x00000ffffffff, 0xfd0001a401000, 0x65e27faac425b, 0x82b7ccc627f7f,
                                                  0xf8c1258acd662};
static const uint64_t FR_FACTOR = 0xffffeffffffff;
static const uint64_t FR_REDUCER[FR8_LIMBS] = {0xfdfff1a402001, 0x2d083dd6c33ff, 0x44cd43798bcce, 0x436f80f0223a9,
                                               0x73eda0144f28};

/* Straight-line code, as in ifma_fp.h. */
#define EACH_FR_LIMB(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4)

/* In the model: a is normalised and below `multiples` * r, as far as its highest limb tells. */
VEC_INLINE void fr8_expect(const fr8 *a, uint64_t multiples) {
    (void)a, (void)multiples;
#define STEP(i) vec_expect_below(a->limb[i], UINT64_C(1) << LIMB_BITS);
    EACH_FR_LIMB(STEP)
#undef STEP
    vec_expect_below(a->limb[4], multiples * (FR_MODULUS[4] + 1));
}

VEC_INLINE fr8 fr8_constant(const uint64_t limbs[FR8_LIMBS]) {
    fr8 a;
#define STEP(i) a.limb[i] = vec_broadcast(limbs[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
    return a;
}

/* a + b and a - b, loose. */
VEC_INLINE fr8 fr8_sum(const fr8 *a, const fr8 *b) {
    fr8 s;
#define STEP(i) s.limb[i] = vec_add(a->limb[i], b->limb[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
    return s;
}
VEC_INLINE fr8 fr8_subtract(const fr8 *a, const fr8 *b) {
    fr8 s;
#define STEP(i) s.limb[i] = vec_subtract(a->limb[i], b->limb[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
    return s;
}

/* a - b + 3r, loose: for b below 3r. */
VEC_INLINE fr8 fr8_difference(const fr8 *a, const fr8 *b) {
    fr8 s;
#define STEP(i) s.limb[i] = vec_subtract(vec_add(a->limb[i], vec_broadcast(3 * FR_MODULUS[i])), b->limb[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
    return s;
}

/* The same value with limbs 0 .. 3 in 0 .. 2^52 - 1, and a signed limb 4. */
VEC_INLINE fr8 fr8_carry(const fr8 *a) {
    fr8 n;
    const vec mask = vec_broadcast(LIMB_MASK);
    vec carry = vec_zero();
#define STEP(i)                                                                                                                  \
    n.limb[i] = vec_add(a->limb[i], carry);                                                                                      \
    if ((i) < FR8_LIMBS - 1) {                                                                                                   \
        carry = vec_shift_right_signed(n.limb[i], LIMB_BITS);                                                                    \
        n.limb[i] = vec_and(n.limb[i], mask);                                                                                    \
    }
    EACH_FR_LIMB(STEP)
#undef STEP
    return n;
}

/* The same value, normalised: a is loose and stands for 0 .. 35r. */
VEC_INLINE fr8 fr8_normalise(const fr8 *a) {
    fr8 n = fr8_carry(a);
    fr8_expect(&n, 35);
    return n;
}

/* sum[0 .. 5] += x * y. Each of the sums grows by less than 2^53. */
VEC_INLINE void fr8_add_row_signed(vec sum[FR8_LIMBS + 1], vec x, const vec y[FR8_LIMBS]) {
#define STEP(i) sum[i] = vec_add_product_low(sum[i], x, y[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
#define STEP(i) sum[(i) + 1] = vec_add_product_high(sum[(i) + 1], x, y[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
}

VEC_INLINE void fr8_add_row(vec sum[FR8_LIMBS + 1], vec x, const vec y[FR8_LIMBS]) {
#define STEP(i) vec_expect_no_overflow(sum[i], UINT64_C(1) << 53);
    EACH_FR_LIMB(STEP)
#undef STEP
    fr8_add_row_signed(sum, x, y);
}

/* a * b / 2^260 modulo r, loose, not negative in any limb, below a * b / 2^260 + 2r (1 + 2^-50). Factors normalised. The
 * rounds of the reduction are those of ifma_fp.h: four leave (a * b + e) / 2^208 with e < 2^260 r (1 + 2^-50), and the last adds
 * less than 2^52 r before it divides by 2^52. */
VEC_INLINE fr8 fr8_product(const fr8 *a, const fr8 *b) {
    fr8 out;
    vec sum[2 * FR8_LIMBS];
    const fr8 reducer = fr8_constant(FR_REDUCER), r = fr8_constant(FR_MODULUS);
#define STEP(i) sum[i] = sum[(i) + FR8_LIMBS] = vec_zero();
    EACH_FR_LIMB(STEP)
#undef STEP
#define STEP(i)                                                                                                                  \
    fr8_add_row(sum + (i), a->limb[i], b->limb);                                                                                 \
    if ((i) < FR8_LIMBS - 1) {                                                                                                   \
        sum[(i) + 1] = vec_add(sum[(i) + 1], vec_shift_right(sum[i], LIMB_BITS));                                                \
        fr8_add_row(sum + (i) + 1, sum[i], reducer.limb);                                                                        \
    }
    EACH_FR_LIMB(STEP)
#undef STEP
    const vec q = vec_add_product_low(vec_zero(), sum[4], vec_broadcast(FR_FACTOR));
    fr8_add_row(sum + 4, q, r.limb);
    sum[5] = vec_add(sum[5], vec_shift_right(sum[4], LIMB_BITS));
#define STEP(i) out.limb[i] = sum[(i) + FR8_LIMBS];
    EACH_FR_LIMB(STEP)
#undef STEP
    return out;
}

/* a - q * r, loose, for q below 2^8: a + q * (2^260 - r) - q * 2^260. */
VEC_INLINE fr8 fr8_subtract_multiple(const fr8 *a, vec q) {
    vec sum[FR8_LIMBS + 1];
    const fr8 complement = fr8_constant(FR_COMPLEMENT);
#define STEP(i) sum[i] = a->limb[i];
    EACH_FR_LIMB(STEP)
#undef STEP
    sum[FR8_LIMBS] = vec_subtract(vec_zero(), q);
    fr8_add_row_signed(sum, q, complement.limb);
    sum[4] = vec_add(sum[4], vec_shift_left(sum[5], LIMB_BITS));
    fr8 b;
#define STEP(i) b.limb[i] = sum[i];
    EACH_FR_LIMB(STEP)
#undef STEP
    return b;
}

/* Congruent to a, loose, not negative and below 1.4 r; for a normalised and below 33r. The quotient floor(a / r) is taken as
 * floor(top limb * 35 / 2^52), which is never more, as r < 2^260 / 35; 33r (1 - 35r / 2^260) + r is 1.32 r. */
VEC_INLINE fr8 fr8_nearly_reduced(const fr8 *a) {
    return fr8_subtract_multiple(a, vec_add_product_high(vec_zero(), a->limb[4], vec_broadcast(35)));
}

/* Where a is r or more (and below 2r), a - r; normalised both. */
VEC_INLINE fr8 fr8_reduced_once(const fr8 *a) {
    const fr8 r = fr8_constant(FR_MODULUS);
    fr8 less = fr8_subtract(a, &r), out;
    less = fr8_carry(&less);
    const vec_mask negative = vec_at_least(less.limb[4], vec_broadcast(UINT64_C(1) << 63));
#define STEP(i) out.limb[i] = vec_select(negative, a->limb[i], less.limb[i]);
    EACH_FR_LIMB(STEP)
#undef STEP
    return out;
}

/* The value below r, normalised, that is congruent to a: a is loose, not negative in any limb, and below 34r.
 *
 * H, the top limb with the carry of the one below it, is floor(a / 2^208) or one less. With T + 1 > r / 2^208 for the top limb T
 * of r, floor(H * floor(2^98 / (T + 1)) / 2^98) is at most a / r, and what it leaves is below r + 2^218. Values of r or more have
 * a top limb of at least T: besides r itself that is one value in 2^46. */
VEC_INLINE fr8 fr8_reduced(const fr8 *a) {
    const vec reciprocal = vec_broadcast(0x8d54253b7fb6e);
    const vec top = vec_add(a->limb[4], vec_shift_right(a->limb[3], LIMB_BITS));
    vec_expect_below(top, 34 * (FR_MODULUS[4] + 1));
    const vec q = vec_shift_right(vec_add_product_high(vec_zero(), top, reciprocal), 46);
    fr8 b = fr8_subtract_multiple(a, q);
    b = fr8_normalise(&b);
    fr8_expect(&b, 2);
    if (__builtin_expect(vec_at_least(b.limb[4], vec_broadcast(FR_MODULUS[4])), 0))
        b = fr8_reduced_once(&b);
    fr8_expect(&b, 1);
    return b;
}

/* From four words of 64 bits below 2^256, and back. */
VEC_INLINE fr8 fr8_from_words(const vec word[FR_WORDS]) {
    const vec mask = vec_broadcast(LIMB_MASK);
    fr8 a;
    a.limb[0] = vec_and(word[0], mask);
    a.limb[1] = vec_and(vec_shift_pair_right(word[1], word[0], 52), mask);
    a.limb[2] = vec_and(vec_shift_pair_right(word[2], word[1], 40), mask);
    a.limb[3] = vec_and(vec_shift_pair_right(word[3], word[2], 28), mask);
    a.limb[4] = vec_shift_right(word[3], 16);
    return a;
}

VEC_INLINE void fr8_to_words(vec word[FR_WORDS], const fr8 *a) {
    word[0] = vec_or(a->limb[0], vec_shift_left(a->limb[1], 52));
    word[1] = vec_or(vec_shift_right(a->limb[1], 12), vec_shift_left(a->limb[2], 40));
    word[2] = vec_or(vec_shift_right(a->limb[2], 24), vec_shift_left(a->limb[3], 28));
    word[3] = vec_or(vec_shift_right(a->limb[3], 36), vec_shift_left(a->limb[4], 16));
}

/* Words of eight elements that lie side by side; element 0 4 1 5 2 6 3 7 in the lanes, in that order. */
VEC_INLINE void load_eight(vec word[FR_WORDS], const uint64_t *from) {
    const vec v01 = vec_load(from), v23 = vec_load(from + 8), v45 = vec_load(from + 16), v67 = vec_load(from + 24);
    const vec low0 = vec_even_pairs(v01, v23), low4 = vec_even_pairs(v45, v67);
    const vec high0 = vec_odd_pairs(v01, v23), high4 = vec_odd_pairs(v45, v67);
    word[0] = vec_even_lanes(low0, low4);
    word[1] = vec_odd_lanes(low0, low4);
    word[2] = vec_even_lanes(high0, high4);
    word[3] = vec_odd_lanes(high0, high4);
}

VEC_INLINE void store_eight(uint64_t *to, const vec word[FR_WORDS]) {
    const vec low0 = vec_even_lanes(word[0], word[1]), low4 = vec_odd_lanes(word[0], word[1]);
    const vec high0 = vec_even_lanes(word[2], word[3]), high4 = vec_odd_lanes(word[2], word[3]);
    vec_store(to, vec_lower_pairs(low0, high0));
    vec_store(to + 8, vec_upper_pairs(low0, high0));
    vec_store(to + 16, vec_lower_pairs(low4, high4));
    vec_store(to + 24, vec_upper_pairs(low4, high4));
}

#endif
