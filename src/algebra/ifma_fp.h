/* Eight elements of Fp, one in each lane: 8 limbs of 52 bits. Internal to this room.
 *
 * An fp8 is "normalised" if every limb is below 2^52, as factors of products must be; then its value is the sum of
 * limb[i] * 2^(52 i), not necessarily below p. It is "loose" if limbs are signed integers of less than 2^60, which stand for
 * the same sum. Between them lies fp8_normalise: so sums and differences cost one instruction a limb.
 *
 * fp8_product(a, b) = a * b / 2^416 modulo p. As our memory holds values times 2^384, kernels have to account for powers
 * of 2^32; see ifma_batch_add_template.h. For a * b < 2^416 * 2^366, which includes factors of 2^18 p and 3p, the product is
 * below 1.26 p. */
#ifndef ALGEBRA_IFMA_FP_H
#define ALGEBRA_IFMA_FP_H

#include "algebra/ifma_vector.h"

enum { FP8_LIMBS = 8, FP_WORDS = 6, FP_TOP_LIMB = 0x1a011 };

typedef struct {
    vec limb[FP8_LIMBS];
} fp8;

/* p; -1/p modulo 2^52; (p * that + 1) / 2^52, which is below p/4; and 2^416 modulo p. */
static const uint64_t FP_MODULUS[FP8_LIMBS] = {0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff, 0x12bf6730d2a0f,
                                               0x764774b84f385, 0x1ba7b6434bacd, 0x1ea397fe69a4b, 0x1a011};
static const uint64_t FP_FACTOR = 0x3fffcfffcfffd;
static const uint64_t FP_REDUCER[FP8_LIMBS] = {0x04be07d2027cb, 0xd7786e39002d4, 0xf51047083c4dd, 0x96079a7670223,
                                               0x04ca513044b79, 0x6615d3780ea11, 0xf9a5623d6a279, 0x6803};
static const uint64_t FP8_ONE[FP8_LIMBS] = {0x6480ea8e9b9af, 0x65766c8fe444f, 0x8b540fea96f7d, 0x3b2ee82efd422,
                                            0xa6723e5f0ade5, 0xff6eb6fdd4230, 0xe06ef23c24a25, 0x14c8e};

/* Straight-line code for each limb: compilers keep the limbs in registers only where no loop is left. */
#define EACH_LIMB(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

/* In the model: a is normalised and below `multiples` * p, as far as its highest limb tells. */
VEC_INLINE void fp8_expect(const fp8 *a, uint64_t multiples) {
    (void)a, (void)multiples;
#define STEP(i) vec_expect_below(a->limb[i], UINT64_C(1) << LIMB_BITS);
    EACH_LIMB(STEP)
#undef STEP
    vec_expect_below(a->limb[7], multiples * (FP_TOP_LIMB + 1));
}

VEC_INLINE fp8 fp8_constant(const uint64_t limbs[FP8_LIMBS]) {
    fp8 a;
#define STEP(i) a.limb[i] = vec_broadcast(limbs[i]);
    EACH_LIMB(STEP)
#undef STEP
    return a;
}

/* From FP8_LIMBS vectors in memory. */
VEC_INLINE fp8 fp8_load(const uint64_t *from) {
    fp8 a;
#define STEP(i) a.limb[i] = vec_load(from + LANES * (i));
    EACH_LIMB(STEP)
#undef STEP
    return a;
}

/* a - b + multiples * p, loose. */
VEC_INLINE fp8 fp8_difference(const fp8 *a, const fp8 *b, uint64_t multiples) {
    fp8 d;
#define STEP(i) d.limb[i] = vec_add(vec_subtract(a->limb[i], b->limb[i]), vec_broadcast(multiples * FP_MODULUS[i]));
    EACH_LIMB(STEP)
#undef STEP
    return d;
}

/* multiples * p - a, loose. */
VEC_INLINE fp8 fp8_negative(const fp8 *a, uint64_t multiples) {
    fp8 n;
#define STEP(i) n.limb[i] = vec_subtract(vec_broadcast(multiples * FP_MODULUS[i]), a->limb[i]);
    EACH_LIMB(STEP)
#undef STEP
    return n;
}

/* Loose, without a multiple of p. */
VEC_INLINE fp8 fp8_subtract(const fp8 *a, const fp8 *b) {
    fp8 d;
#define STEP(i) d.limb[i] = vec_subtract(a->limb[i], b->limb[i]);
    EACH_LIMB(STEP)
#undef STEP
    return d;
}

VEC_INLINE fp8 fp8_sum(const fp8 *a, const fp8 *b) {
    fp8 s;
#define STEP(i) s.limb[i] = vec_add(a->limb[i], b->limb[i]);
    EACH_LIMB(STEP)
#undef STEP
    return s;
}

/* a + b, or a - b in the lanes of mask; loose. */
VEC_INLINE fp8 fp8_sum_or_difference(const fp8 *a, const fp8 *b, vec_mask mask) {
    fp8 s;
#define STEP(i) s.limb[i] = vec_subtract_where(vec_add(a->limb[i], b->limb[i]), mask, a->limb[i], b->limb[i]);
    EACH_LIMB(STEP)
#undef STEP
    return s;
}

VEC_INLINE fp8 fp8_select(vec_mask mask, const fp8 *yes, const fp8 *no) {
    fp8 s;
#define STEP(i) s.limb[i] = vec_select(mask, yes->limb[i], no->limb[i]);
    EACH_LIMB(STEP)
#undef STEP
    return s;
}

/* The same value with limbs 0 .. 6 in 0 .. 2^52 - 1, and a signed limb 7. */
VEC_INLINE fp8 fp8_carry(const fp8 *a) {
    fp8 n;
    const vec mask = vec_broadcast(LIMB_MASK);
    vec carry = vec_zero();
#define STEP(i)                                                                                                                  \
    n.limb[i] = vec_add(a->limb[i], carry);                                                                                      \
    if ((i) < FP8_LIMBS - 1) {                                                                                                   \
        carry = vec_shift_right_signed(n.limb[i], LIMB_BITS);                                                                    \
        n.limb[i] = vec_and(n.limb[i], mask);                                                                                    \
    }
    EACH_LIMB(STEP)
#undef STEP
    return n;
}

/* The same value, normalised: a is loose and stands for 0 .. 2^416 - 1. */
VEC_INLINE fp8 fp8_normalise(const fp8 *a) {
    fp8 n = fp8_carry(a);
    fp8_expect(&n, UINT64_C(1) << 35);
    return n;
}

/* 2^16 * a for a below 2^399, normalised both. */
VEC_INLINE fp8 fp8_shift_left_16(const fp8 *a) {
    fp8 s;
    const vec mask = vec_broadcast(LIMB_MASK);
    s.limb[0] = vec_and(vec_shift_left(a->limb[0], 16), mask);
#define STEP(i)                                                                                                                  \
    if ((i) > 0)                                                                                                                 \
        s.limb[i] = vec_and(vec_shift_pair_left(a->limb[i], vec_shift_left(a->limb[(i) > 0 ? (i)-1 : 0], 12), 16), mask);
    EACH_LIMB(STEP)
#undef STEP
    return s;
}

/* sum[0 .. 8] += x * y. Each of the sums grows by less than 2^53. */
VEC_INLINE void fp8_add_row(vec sum[FP8_LIMBS + 1], vec x, const vec y[FP8_LIMBS]) {
#define STEP(i)                                                                                                                  \
    vec_expect_no_overflow(sum[i], UINT64_C(1) << 53);                                                                           \
    sum[i] = vec_add_product_low(sum[i], x, y[i]);
    EACH_LIMB(STEP)
#undef STEP
#define STEP(i) sum[(i) + 1] = vec_add_product_high(sum[(i) + 1], x, y[i]);
    EACH_LIMB(STEP)
#undef STEP
}

/* One round of the reduction: sum[0] and with it 52 bits go away. With u = sum[0] modulo 2^52, u * FP_FACTOR * p is
 * -u + 2^52 * u * FP_REDUCER: so what is left is sum / 2^52 + u * FP_REDUCER. */
VEC_INLINE void fp8_reduce_row(vec sum[FP8_LIMBS + 2], const fp8 *reducer) {
    sum[1] = vec_add(sum[1], vec_shift_right(sum[0], LIMB_BITS));
    fp8_add_row(sum + 1, sum[0], reducer->limb);
}

/* The last round is Montgomery's, whose result is smaller: q = u * FP_FACTOR modulo 2^52, and the sum is
 * (sum + q * p) / 2^52. Seven rounds as above leave (product + e) / 2^364 with e < 2^416 * p/4 (1 + 2^-51), so in all we
 * get less than product / 2^416 + p/4 + p. */
VEC_INLINE void fp8_reduce_last_row(fp8 *out, vec sum[FP8_LIMBS + 1]) {
    const vec q = vec_add_product_low(vec_zero(), sum[0], vec_broadcast(FP_FACTOR));
    const fp8 p = fp8_constant(FP_MODULUS);
    fp8_add_row(sum, q, p.limb);
    sum[1] = vec_add(sum[1], vec_shift_right(sum[0], LIMB_BITS));
#define STEP(i) out->limb[i] = sum[(i) + 1];
    EACH_LIMB(STEP)
#undef STEP
}

enum { FP8_ROWS = 2 * FP8_LIMBS + 1 };

#define CLEAR(i) sum[i] = sum[(i) + FP8_LIMBS] = vec_zero();

/* Loose, below 1.26 p; limbs below 2^58 and not negative. Factors normalised. */
VEC_INLINE fp8 fp8_product(const fp8 *a, const fp8 *b) {
    fp8 out;
    vec sum[FP8_ROWS];
    const fp8 reducer = fp8_constant(FP_REDUCER);
    EACH_LIMB(CLEAR)
    sum[FP8_ROWS - 1] = vec_zero();
#define STEP(i)                                                                                                                  \
    fp8_add_row(sum + (i), a->limb[i], b->limb);                                                                                 \
    if ((i) < FP8_LIMBS - 1)                                                                                                     \
        fp8_reduce_row(sum + (i), &reducer);
    EACH_LIMB(STEP)
#undef STEP
    fp8_reduce_last_row(&out, sum + FP8_LIMBS - 1);
    return out;
}

/* a * b + c * d as one product, with one reduction: for a * b + c * d below 2^416 * 2^366. */
VEC_INLINE fp8 fp8_sum_of_products(const fp8 *a, const fp8 *b, const fp8 *c, const fp8 *d) {
    fp8 out;
    vec sum[FP8_ROWS];
    const fp8 reducer = fp8_constant(FP_REDUCER);
    EACH_LIMB(CLEAR)
    sum[FP8_ROWS - 1] = vec_zero();
#define STEP(i)                                                                                                                  \
    fp8_add_row(sum + (i), a->limb[i], b->limb);                                                                                 \
    fp8_add_row(sum + (i), c->limb[i], d->limb);                                                                                 \
    if ((i) < FP8_LIMBS - 1)                                                                                                     \
        fp8_reduce_row(sum + (i), &reducer);
    EACH_LIMB(STEP)
#undef STEP
    fp8_reduce_last_row(&out, sum + FP8_LIMBS - 1);
    return out;
}

/* sum[i + j] and sum[i + j + 1] += the product of limbs i and j. */
#define ADD_LIMBS(i, j)                                                                                                          \
    sum[(i) + (j)] = vec_add_product_low(sum[(i) + (j)], a->limb[i], a->limb[j]);                                                \
    sum[(i) + (j) + 1] = vec_add_product_high(sum[(i) + (j) + 1], a->limb[i], a->limb[j]);

/* a * a as a product: 72 instead of 128 products of limbs, for those off the diagonal are doubled. */
VEC_INLINE fp8 fp8_square(const fp8 *a) {
    fp8 out;
    vec sum[FP8_ROWS];
    const fp8 reducer = fp8_constant(FP_REDUCER);
    EACH_LIMB(CLEAR)
    sum[FP8_ROWS - 1] = vec_zero();
    ADD_LIMBS(0, 1)
    ADD_LIMBS(0, 2) ADD_LIMBS(0, 3) ADD_LIMBS(0, 4) ADD_LIMBS(0, 5) ADD_LIMBS(0, 6) ADD_LIMBS(0, 7) ADD_LIMBS(1, 2)
        ADD_LIMBS(1, 3) ADD_LIMBS(1, 4) ADD_LIMBS(1, 5) ADD_LIMBS(1, 6) ADD_LIMBS(1, 7) ADD_LIMBS(2, 3) ADD_LIMBS(2, 4)
            ADD_LIMBS(2, 5) ADD_LIMBS(2, 6) ADD_LIMBS(2, 7) ADD_LIMBS(3, 4) ADD_LIMBS(3, 5) ADD_LIMBS(3, 6) ADD_LIMBS(3, 7)
                ADD_LIMBS(4, 5) ADD_LIMBS(4, 6) ADD_LIMBS(4, 7) ADD_LIMBS(5, 6) ADD_LIMBS(5, 7) ADD_LIMBS(6, 7)
#define STEP(i)                                                                                                                  \
    sum[i] = vec_add(sum[i], sum[i]);                                                                                            \
    sum[(i) + FP8_LIMBS] = vec_add(sum[(i) + FP8_LIMBS], sum[(i) + FP8_LIMBS]);
                    EACH_LIMB(STEP)
#undef STEP
#define STEP(i) ADD_LIMBS(i, i)
                        EACH_LIMB(STEP)
#undef STEP
#define STEP(i)                                                                                                                  \
    if ((i) < FP8_LIMBS - 1)                                                                                                     \
        fp8_reduce_row(sum + (i), &reducer);
                            EACH_LIMB(STEP)
#undef STEP
                                fp8_reduce_last_row(&out, sum + FP8_LIMBS - 1);
    return out;
}
#undef ADD_LIMBS
#undef CLEAR

/* (3 - i) * p in lane i, limb by limb. */
#define MULTIPLES_OF_P(limb)                                                                                                     \
    { 3 * (limb), 2 * (limb), (limb), 0, -(limb), -(2 * (limb)), -(3 * (limb)), -(4 * (limb)) }
static const uint64_t FP_CORRECTIONS[FP8_LIMBS][LANES] = {
    MULTIPLES_OF_P(UINT64_C(0xeffffffffaaab)), MULTIPLES_OF_P(UINT64_C(0xfeb153ffffb9f)),
    MULTIPLES_OF_P(UINT64_C(0x6b0f6241eabff)), MULTIPLES_OF_P(UINT64_C(0x12bf6730d2a0f)),
    MULTIPLES_OF_P(UINT64_C(0x764774b84f385)), MULTIPLES_OF_P(UINT64_C(0x1ba7b6434bacd)),
    MULTIPLES_OF_P(UINT64_C(0x1ea397fe69a4b)), MULTIPLES_OF_P(UINT64_C(0x1a011))};
#undef MULTIPLES_OF_P

/* Where a is p or more (and below 2p), a - p; normalised both. */
VEC_INLINE fp8 fp8_reduced_once(const fp8 *a) {
    const fp8 p = fp8_constant(FP_MODULUS);
    fp8 less = fp8_subtract(a, &p);
    less = fp8_carry(&less);
    const vec_mask negative = vec_at_least(less.limb[7], vec_broadcast(UINT64_C(1) << 63));
    return fp8_select(negative, a, &less);
}

/* The value below p, normalised, that is congruent to a: a is loose and stands for more than -2p and less than 4p.
 *
 * Let w = a + 3p, between p and 7p, T = FP_TOP_LIMB, and H the top limb of a with the carry of the limb below it, plus 3T. What H
 * leaves out is: of limb 6 less than 1 (times 2^364), of all limbs below less than 2^-43, of 3p 0.36. So w / 2^364 is between
 * H - 1 and H + 1.4. i = (H - 1) * floor(2^52 / (T + 1)) / 2^52 is at most w / p, as p / 2^364 < T + 1, and w - i * p is below
 * p + 9 * 2^364 (2.4 from H, 6.2 from T + 1 in place of p / 2^364). Values of p or more have a top limb of at least T:
 * that happens to one value of 10,000, and only then do we look closer. */
VEC_INLINE fp8 fp8_reduced(const fp8 *a) {
    const vec reciprocal = vec_broadcast((UINT64_C(1) << LIMB_BITS) / (FP_TOP_LIMB + 1));
    vec top = vec_add(a->limb[7], vec_shift_right_signed(a->limb[6], LIMB_BITS));
    top = vec_add(top, vec_broadcast(3 * FP_TOP_LIMB - 1));
    vec_expect_below(top, 8 * FP_TOP_LIMB);
    const vec index = vec_add_product_high(vec_zero(), top, reciprocal);
    fp8 b;
#define STEP(i) b.limb[i] = vec_add(a->limb[i], vec_lookup(vec_load(FP_CORRECTIONS[i]), index));
    EACH_LIMB(STEP)
#undef STEP
    b = fp8_normalise(&b);
    fp8_expect(&b, 2);
    if (__builtin_expect(vec_at_least(b.limb[7], vec_broadcast(FP_TOP_LIMB)), 0))
        b = fp8_reduced_once(&b);
    fp8_expect(&b, 1);
    return b;
}

/* From six words of 64 bits, and back; normalised, below 2^384. */
VEC_INLINE fp8 fp8_from_words(const vec word[FP_WORDS]) {
    const vec mask = vec_broadcast(LIMB_MASK);
    fp8 a;
    a.limb[0] = vec_and(word[0], mask);
    a.limb[1] = vec_and(vec_shift_pair_right(word[1], word[0], 52), mask);
    a.limb[2] = vec_and(vec_shift_pair_right(word[2], word[1], 40), mask);
    a.limb[3] = vec_and(vec_shift_pair_right(word[3], word[2], 28), mask);
    a.limb[4] = vec_and(vec_shift_pair_right(word[4], word[3], 16), mask);
    a.limb[5] = vec_and(vec_shift_right(word[4], 4), mask);
    a.limb[6] = vec_and(vec_shift_pair_right(word[5], word[4], 56), mask);
    a.limb[7] = vec_shift_right(word[5], 44);
    return a;
}

VEC_INLINE void fp8_to_words(vec word[FP_WORDS], const fp8 *a) {
    word[0] = vec_or(a->limb[0], vec_shift_left(a->limb[1], 52));
    word[1] = vec_or(vec_shift_right(a->limb[1], 12), vec_shift_left(a->limb[2], 40));
    word[2] = vec_or(vec_shift_right(a->limb[2], 24), vec_shift_left(a->limb[3], 28));
    word[3] = vec_or(vec_shift_right(a->limb[3], 36), vec_shift_left(a->limb[4], 16));
    word[4] = vec_or(vec_or(vec_shift_right(a->limb[4], 48), vec_shift_left(a->limb[5], 4)), vec_shift_left(a->limb[6], 56));
    word[5] = vec_or(vec_shift_right(a->limb[6], 8), vec_shift_left(a->limb[7], 44));
}

#endif
