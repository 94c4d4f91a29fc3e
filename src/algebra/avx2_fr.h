/* Four elements of Fr, one in each lane: 6 limbs of 44 bits, signed integers in doubles. Internal to this room.
 *
 * An fr4 is "loose" if no limb's magnitude is above 2^47 and its value's is below 2^260 (35 r), "normalised" if the five lower
 * limbs' are at most 2^43 + 2^10. Sums and differences cost one instruction a limb.
 *
 * Products are those with roots, which are known long before: of w the quotient w * 2^264 / r goes with it, so that
 * x * w - round(x * quotient / 2^264) * r needs the upper half of one product and the lower halves of two (Harvey, "Faster
 * arithmetic for number-theoretic transforms", 2014; the idea is Shoup's). x may be in Montgomery form or not: w is not. */
#ifndef ALGEBRA_AVX2_FR_H
#define ALGEBRA_AVX2_FR_H

#include "algebra/field.h"

enum { LIMBS = 6, LIMB_BITS = 44, COLUMNS = 3, FR_WORDS = 4 };
#include "algebra/avx2_limbs.h"

typedef struct {
    vec limb[LIMBS];
} fr4;

/* value: normalised, of magnitude below r; quotient: value * 2^264 / r, within 2, its lower limbs as if normalised. */
typedef struct {
    fr4 value, quotient;
} fr4_root;

static const limbs_modulus FR_MODULUS = {
    .limb = {FOUR_TIMES(-4294967295), FOUR_TIMES(-112743940096), FOUR_TIMES(5857222066944), FOUR_TIMES(-2746621485696),
             FOUR_TIMES(-7020169645254), FOUR_TIMES(31119275315)},
    .limb_from_zero = {0xfff00000001, 0xfe5bfefffff, 0x553bda402ff, 0xd80809a1d80, 0x99d7d483339, 0x73eda7532},
    .top = 0x73eda7532.99d7ep0};
static const fr4 FR_MINUS_MODULUS = {{FOUR_TIMES(4294967295), FOUR_TIMES(112743940096), FOUR_TIMES(-5857222066944),
                                      FOUR_TIMES(2746621485696), FOUR_TIMES(7020169645254), FOUR_TIMES(-31119275315)}};
/* 2^528 / r, rounded, but for its highest limb, which is the number after it. */
static const fr4 FR_RECIPROCAL = {{FOUR_TIMES(-4340541353962), FOUR_TIMES(7783138697249), FOUR_TIMES(4667366853549),
                                   FOUR_TIMES(541315642960), FOUR_TIMES(8230108781751), FOUR_TIMES(5537536142819)}};
static const double FR_RECIPROCAL_TOP = 565;

VEC_INLINE void fr4_add(fr4 *out, const fr4 *a, const fr4 *b) {
    UNROLLED for (size_t i = 0; i < LIMBS; i++) out->limb[i] = vec_add(a->limb[i], b->limb[i]);
}
VEC_INLINE void fr4_subtract(fr4 *out, const fr4 *a, const fr4 *b) {
    UNROLLED for (size_t i = 0; i < LIMBS; i++) out->limb[i] = vec_subtract(a->limb[i], b->limb[i]);
}

/* The same modulo r, normalised and of magnitude below 0.51 r; a loose. */
VEC_INLINE void fr4_settle(fr4 *a) {
    limbs_subtract_modulus(a->limb, a->limb, &FR_MODULUS, -0.5);
    limbs_normalise(a->limb, a->limb);
}

/* ---- Products ------------------------------------------------------------------------------------------------------- */

/* x * y / 2^264 rounded, in limbs below 2^49: for x loose, and y as a root's quotient. Columns of which only the sum's upper bits
 * count, 5 and 4, are sums of doubles; what rounding these to 53 bits takes away, and lower columns, is less than 0.2. */
VEC_INLINE void upper_half(vec out[LIMBS], const vec *x, const vec *y) {
    vec column_4 = vec_zero(), column_5 = vec_zero(), limb;
    UNROLLED for (int i = 0; i < LIMBS; i++) {
        LOAD_LIMB(limb, x[i]);
        ADD_PRODUCT(column_5, limb, y[LIMBS - 1 - i]);
        if (i < LIMBS - 1)
            ADD_PRODUCT(column_4, limb, y[LIMBS - 2 - i]);
    }
    const vec integer = vec_broadcast(0x1.8p52), below = add_multiple(column_5, column_4);
    column_sums sum = column_sums_from(vec_zero());
    add_rows(&sum, 6, 0, x, 1, 6, y);
    out[0] = vec_subtract(vec_add(add_multiple(sum.low[0], below), integer), integer);
    out[1] = add_carry(sum.low[1], sum.high[0]);
    out[2] = add_carry(sum.low[2], sum.high[1]);
    sum = column_sums_from(carry_of(sum.high[2]));
    add_rows(&sum, 9, 0, x, 4, 6, y);
    out[3] = sum.low[0];
    out[4] = add_carry(sum.low[1], sum.high[0]);
    out[5] = carry_of(sum.high[1]);
}

/* x * root modulo r for x loose: normalised, and of magnitude below 0.9 r. What upper_half makes is off the true quotient by 0.5
 * for rounding, 0.2, and 2 * 2^260 / 2^264 for the root's quotient. So the difference is known from its value modulo 2^264. A
 * column gets at most 6 * 2^47 * 2^43 for x and 6 * 2^49 * 2^43 for the quotient, below 2^95. */
VEC_INLINE void fr4_product(fr4 *out, const fr4 *x, const fr4_root *root) {
    vec quotient[LIMBS], low[LIMBS], ignored;
    upper_half(quotient, x->limb, root->quotient.limb);
    column_sums sum = column_sums_from(vec_zero());
    add_rows(&sum, 0, 0, x->limb, 0, 3, root->value.limb);
    add_rows(&sum, 0, 0, quotient, 0, 3, FR_MINUS_MODULUS.limb);
    low[0] = sum.low[0];
    low[1] = add_carry(sum.low[1], sum.high[0]);
    low[2] = add_carry(sum.low[2], sum.high[1]);
    sum = column_sums_from(carry_of(sum.high[2]));
    add_rows(&sum, 3, 0, x->limb, 0, 6, root->value.limb);
    add_rows(&sum, 3, 0, quotient, 0, 6, FR_MINUS_MODULUS.limb);
    low[3] = sum.low[0];
    low[4] = add_carry(sum.low[1], sum.high[0]);
    low[5] = add_carry(sum.low[2], sum.high[1]);
    limbs_normalise(out->limb, low);
    out->limb[LIMBS - 1] = split_limb(out->limb[LIMBS - 1], &ignored);
}

/* The root of a value: normalised, and of magnitude below r. */
VEC_INLINE void fr4_prepare_root(fr4_root *out, const fr4 *value) {
    vec quotient[LIMBS];
    upper_half(quotient, value->limb, FR_RECIPROCAL.limb);
    UNROLLED for (size_t i = 0; i < LIMBS; i++) quotient[i] =
        vec_multiply_add(value->limb[i], vec_broadcast(FR_RECIPROCAL_TOP), quotient[i]);
    limbs_normalise(out->quotient.limb, quotient);
    out->value = *value;
}

/* ---- From and to memory --------------------------------------------------------------------------------------------- */

/* Four elements, `stride` from one to the next: loose, limbs from 0. */
VEC_INLINE void fr4_load(fr4 *out, const fr *from, size_t stride) {
    const uint64_t *const at[VECTOR_LANES] = {from[0].l, from[stride].l, from[2 * stride].l, from[3 * stride].l};
    const word_vec mask = word_broadcast(LIMB_MASK);
    word_vec w[FR_WORDS];
    load_two_words(w, at, 0);
    load_two_words(w + 2, at, 2);
    out->limb[0] = vec_of_word(word_and(w[0], mask));
    out->limb[1] = vec_of_word(word_and(word_or(word_shift_right(w[0], 44), word_shift_left(w[1], 20)), mask));
    out->limb[2] = vec_of_word(word_and(word_or(word_shift_right(w[1], 24), word_shift_left(w[2], 40)), mask));
    out->limb[3] = vec_of_word(word_and(word_shift_right(w[2], 4), mask));
    out->limb[4] = vec_of_word(word_and(word_or(word_shift_right(w[2], 48), word_shift_left(w[3], 16)), mask));
    out->limb[5] = vec_of_word(word_shift_right(w[3], 28));
}

/* The values below r that are congruent to a, which is loose. */
VEC_INLINE void fr4_store(fr *to, size_t stride, const fr4 *a) {
    uint64_t *const at[VECTOR_LANES] = {to[0].l, to[stride].l, to[2 * stride].l, to[3 * stride].l};
    word_vec l[LIMBS], w[FR_WORDS];
    limbs_reduced(l, a->limb, &FR_MODULUS);
    w[0] = word_or(l[0], word_shift_left(l[1], 44));
    w[1] = word_or(word_shift_right(l[1], 20), word_shift_left(l[2], 24));
    w[2] = word_or(word_or(word_shift_right(l[2], 40), word_shift_left(l[3], 4)), word_shift_left(l[4], 48));
    w[3] = word_or(word_shift_right(l[4], 16), word_shift_left(l[5], 28));
    store_two_words(at, 0, w);
    store_two_words(at, 2, w + 2);
}

/* Lane i of element j goes to lane j of element i. */
VEC_INLINE void fr4_transpose(fr4 elements[VECTOR_LANES]) {
    UNROLLED for (size_t i = 0; i < LIMBS; i++) {
        const vec a = elements[0].limb[i], b = elements[1].limb[i], c = elements[2].limb[i], d = elements[3].limb[i];
        const vec even_ab = _mm256_unpacklo_pd(a, b), odd_ab = _mm256_unpackhi_pd(a, b);
        const vec even_cd = _mm256_unpacklo_pd(c, d), odd_cd = _mm256_unpackhi_pd(c, d);
        elements[0].limb[i] = _mm256_permute2f128_pd(even_ab, even_cd, 0x20);
        elements[1].limb[i] = _mm256_permute2f128_pd(odd_ab, odd_cd, 0x20);
        elements[2].limb[i] = _mm256_permute2f128_pd(even_ab, even_cd, 0x31);
        elements[3].limb[i] = _mm256_permute2f128_pd(odd_ab, odd_cd, 0x31);
    }
}

#endif
