/* Four elements of Fp, one in each lane: 8 limbs of 48 bits, signed integers in doubles. Internal to this room.
 *
 * An fp4 stands for the sum of limb[i] * 2^(48 i), which may be negative. It is "normalised" if no limb's magnitude is
 * above 2^47 + 2^6, a "factor" if none is above 2^48, and "loose" if none is above 2^50. Sums and differences cost one
 * instruction a limb; fp4_normalise lies between loose and normalised.
 *
 * fp4_product(a, b) = a * b / 2^384 modulo p, as in memory, for a factor a and a normalised b. Its magnitude is below
 * a * b / 2^384 + 2p, that is 0.102 a b / p + 2p. Sums of two products are for normalised factors. */
#ifndef ALGEBRA_AVX2_FP_H
#define ALGEBRA_AVX2_FP_H

#include "algebra/fp_product.h"

#ifndef FP_LOOSE
#error "level avx2 needs the assembly of fp_product.h: leave its files out, and kernels_avx2 out of cpu.c"
#endif

enum { LIMBS = 8, LIMB_BITS = 48, COLUMNS = 4, FP_WORDS = 6 };
#include "algebra/avx2_limbs.h"

typedef struct {
    vec limb[LIMBS];
} fp4;

static const limbs_modulus FP_MODULUS = {
    .limb = {FOUR_TIMES(-21845), FOUR_TIMES(-86500641359361), FOUR_TIMES(-10839982866433), FOUR_TIMES(113459389855409),
             FOUR_TIMES(83034393350847), FOUR_TIMES(73992301405303), FOUR_TIMES(-27924617254986), FOUR_TIMES(28591897852288)},
    .limb_from_zero = {0xffffffffaaab, 0xb153ffffb9fe, 0xf6241eabfffe, 0x6730d2a0f6b0, 0x4b84f38512bf, 0x434bacd76477,
                       0xe69a4b1ba7b6, 0x1a0111ea397f},
    .top = 0x1a0111ea397f.e69a5p0};
/* -1/p modulo 2^48. */
static const double FP_FACTOR = -12885098499;

/* For k limbs of a sum that is to be reduced, (p * m + 1) / 2^(48 k) with m = -1/p modulo 2^(48 k): then u * p * m is
 * -u + 2^(48 k) * u * (this), so that u in the lowest k limbs goes away with u * (this) added to the others. */
static const fp4 FP_REDUCER_4 = {{FOUR_TIMES(-21755012641732), FOUR_TIMES(67931610668546), FOUR_TIMES(93791909140291),
                                  FOUR_TIMES(120812408089580), FOUR_TIMES(-42805983850374), FOUR_TIMES(44429414671876),
                                  FOUR_TIMES(127799698551255), FOUR_TIMES(2561466597693)}};
static const fp4 FP_REDUCER_2 = {{FOUR_TIMES(-83146701643398), FOUR_TIMES(-52304495845964), FOUR_TIMES(-69059296066530),
                                  FOUR_TIMES(71416966278282), FOUR_TIMES(-40219677770582), FOUR_TIMES(-80975576601467),
                                  FOUR_TIMES(94591380942515), FOUR_TIMES(24327316889158)}};
static const fp4 FP_REDUCER_1 = {{FOUR_TIMES(-72534179218257), FOUR_TIMES(126338879170056), FOUR_TIMES(110620645645691),
                                  FOUR_TIMES(125157666525437), FOUR_TIMES(85443492849723), FOUR_TIMES(-80234107986709),
                                  FOUR_TIMES(-80982865713643), FOUR_TIMES(28590588999102)}};

VEC_INLINE fp4 fp4_subtract(const fp4 *a, const fp4 *b) {
    fp4 d;
    UNROLLED for (size_t i = 0; i < LIMBS; i++) d.limb[i] = vec_subtract(a->limb[i], b->limb[i]);
    return d;
}

/* a - b, or -a - b in the lanes of mask. */
VEC_INLINE fp4 fp4_signed_difference(const fp4 *a, const fp4 *b, vec_mask mask) {
    const word_vec bits = _mm256_set_epi64x(8, 4, 2, 1);
    const word_vec chosen = _mm256_cmpeq_epi64(word_and(word_broadcast(mask), bits), bits);
    const vec sign = _mm256_castsi256_pd(word_and(chosen, word_broadcast(UINT64_C(1) << 63)));
    fp4 d;
    UNROLLED for (size_t i = 0; i < LIMBS; i++) d.limb[i] = vec_subtract(_mm256_xor_pd(a->limb[i], sign), b->limb[i]);
    return d;
}

VEC_INLINE fp4 fp4_normalise(const fp4 *a) {
    fp4 n;
    limbs_normalise(n.limb, a->limb);
    return n;
}

/* ---- Products ------------------------------------------------------------------------------------------------------- */

VEC_INLINE void add_factor_rows(column_sums *sum, int first, const fp4 *const factors[], int pairs, int begin, int end) {
    UNROLLED for (int pair = 0; pair < pairs; pair++)
        add_rows(sum, first, 0, factors[2 * pair]->limb, begin, end, factors[2 * pair + 1]->limb);
}

VEC_INLINE void round_of(fp_product_state *other, unsigned round) {
    if (other)
        fp_product_round(other, round);
}

/* factors[0] * factors[1] and, for two pairs, + factors[2] * factors[3], over 2^384 modulo p, normalised; and between its steps
 * the rounds of another product, in general registers, unless that is NULL.
 *
 * Montgomery's reduction takes 4, 2, 1 and 1 limbs at a time: u of the first three steps is those limbs as they are, all at
 * once. A step of k limbs adds less than 2^(48 k - 1) * p where u * (reducer) goes, and the last one p / 2 in the end: so it is
 * the products over 2^384 and p / 2 for each step, below 2p.
 *
 * A factor times a normalised element adds at most 8 * 2^48 * (2^47 + 2^6) to a column, the reduction less than 2^97 more. */
VEC_INLINE void fp4_sum_of_products(fp4 *out, const fp4 *const factors[], int pairs, fp_product_state *other) {
    fp4 u, sums;
    vec multiple, last_multiple;
    column_sums sum = column_sums_from(vec_zero()), next = column_sums_from(vec_zero());
    add_factor_rows(&sum, 0, factors, pairs, 0, 4);
    add_factor_rows(&next, 4, factors, pairs, 0, 1);
    u.limb[0] = split_limb(sum.low[0], &multiple);
    u.limb[1] = add_multiple(split_limb(add_carry(sum.low[1], sum.high[0]), &last_multiple), multiple);
    round_of(other, 0);
    add_factor_rows(&next, 4, factors, pairs, 1, 3);
    u.limb[2] = add_multiple(split_limb(add_carry(sum.low[2], sum.high[1]), &multiple), last_multiple);
    u.limb[3] = add_multiple(split_limb(add_carry(sum.low[3], sum.high[2]), &last_multiple), multiple);
    next.low[0] = vec_add(next.low[0], add_multiple(carry_of(sum.high[3]), last_multiple));
    add_factor_rows(&next, 4, factors, pairs, 3, 8);
    round_of(other, 1);
    sum = next;
    add_rows(&sum, 4, 4, u.limb, 0, 4, FP_REDUCER_4.limb);

    next = column_sums_from(vec_zero());
    u.limb[4] = split_limb(sum.low[0], &multiple);
    u.limb[5] = add_multiple(split_limb(add_carry(sum.low[1], sum.high[0]), &last_multiple), multiple);
    sum.low[2] = vec_add(sum.low[2], add_multiple(carry_of(sum.high[1]), last_multiple));
    add_factor_rows(&next, 8, factors, pairs, 1, 3);
    add_rows(&sum, 4, 6, u.limb + 4, 0, 2, FP_REDUCER_2.limb);
    round_of(other, 2);
    add_factor_rows(&next, 8, factors, pairs, 3, 4);
    u.limb[6] = split_limb(sum.low[2], &multiple);
    sum.low[3] = vec_add(sum.low[3], add_multiple(carry_of(sum.high[2]), multiple));
    add_factor_rows(&next, 8, factors, pairs, 4, 6);
    add_rows(&sum, 4, 7, u.limb + 6, 0, 1, FP_REDUCER_1.limb);
    round_of(other, 3);
    /* u of the last step is the limb times FP_FACTOR modulo 2^48. */
    const vec last = split_limb(sum.low[3], &multiple);
    add_factor_rows(&next, 8, factors, pairs, 6, 8);
    const vec high = vec_multiply_add(last, vec_broadcast(FP_FACTOR), vec_broadcast(ROUNDER));
    u.limb[7] = vec_multiply_add(last, vec_broadcast(FP_FACTOR), vec_subtract(vec_broadcast(ROUNDER), high));
    add_rows(&next, 8, 4, u.limb, 0, 2, FP_REDUCER_4.limb);
    add_rows(&sum, 4, 7, u.limb + 7, 0, 1, FP_MODULUS.limb);
    add_rows(&next, 8, 4, u.limb, 2, 4, FP_REDUCER_4.limb);
    round_of(other, 4);
    next.low[0] = vec_add(next.low[0], carry_of(vec_add(sum.high[3], sum.low[3]))); /* low is a multiple of 2^48 now */
    add_rows(&next, 8, 6, u.limb + 4, 0, 2, FP_REDUCER_2.limb);
    add_rows(&next, 8, 7, u.limb + 6, 0, 1, FP_REDUCER_1.limb);
    add_rows(&next, 8, 7, u.limb + 7, 0, 1, FP_MODULUS.limb);
    sums.limb[0] = next.low[0];
    UNROLLED for (size_t c = 1; c < COLUMNS; c++) sums.limb[c] = add_carry(next.low[c], next.high[c - 1]);
    sum = column_sums_from(carry_of(next.high[COLUMNS - 1]));
    add_factor_rows(&sum, 12, factors, pairs, 5, 8);
    round_of(other, 5);
    add_rows(&sum, 12, 4, u.limb, 1, 4, FP_REDUCER_4.limb);
    add_rows(&sum, 12, 6, u.limb + 4, 0, 2, FP_REDUCER_2.limb);
    add_rows(&sum, 12, 7, u.limb + 6, 0, 1, FP_REDUCER_1.limb);
    add_rows(&sum, 12, 7, u.limb + 7, 0, 1, FP_MODULUS.limb);
    sums.limb[4] = sum.low[0];
    UNROLLED for (size_t c = 1; c < COLUMNS; c++) sums.limb[4 + c] = add_carry(sum.low[c], sum.high[c - 1]);
    *out = fp4_normalise(&sums);
}

VEC_INLINE void fp4_product(fp4 *out, const fp4 *a, const fp4 *b, fp_product_state *other) {
    const fp4 *const factors[] = {a, b};
    fp4_sum_of_products(out, factors, 1, other);
}

/* ---- From and to memory --------------------------------------------------------------------------------------------- */

/* Six words at `offset` of each place: a factor, from 0, limbs below 2^48. *lowest is the lowest word. */
VEC_INLINE fp4 fp4_gather(const uint64_t *const at[VECTOR_LANES], size_t offset, word_vec *lowest) {
    const word_vec mask = word_broadcast(LIMB_MASK);
    fp4 a;
    word_vec word[FP_WORDS];
    UNROLLED for (size_t i = 0; i < FP_WORDS; i += 2) load_two_words(word + i, at, offset + i);
    *lowest = word[0];
    UNROLLED for (size_t half = 0; half < 2; half++) {
        const word_vec *w = word + 3 * half;
        vec *limb = a.limb + 4 * half;
        limb[0] = vec_of_word(word_and(w[0], mask));
        limb[1] = vec_of_word(word_and(word_or(word_shift_right(w[0], 48), word_shift_left(w[1], 16)), mask));
        limb[2] = vec_of_word(word_and(word_or(word_shift_right(w[1], 32), word_shift_left(w[2], 32)), mask));
        limb[3] = vec_of_word(word_shift_right(w[2], 16));
    }
    return a;
}

/* Words of limbs from 0 to 2^48 - 1. */
VEC_INLINE void fp4_scatter(uint64_t *const at[VECTOR_LANES], size_t offset, const word_vec limbs[LIMBS]) {
    word_vec word[FP_WORDS];
    UNROLLED for (size_t half = 0; half < 2; half++) {
        const word_vec *limb = limbs + 4 * half;
        word_vec *w = word + 3 * half;
        w[0] = word_or(limb[0], word_shift_left(limb[1], 48));
        w[1] = word_or(word_shift_right(limb[1], 16), word_shift_left(limb[2], 32));
        w[2] = word_or(word_shift_right(limb[2], 32), word_shift_left(limb[3], 16));
    }
    UNROLLED for (size_t i = 0; i < FP_WORDS; i += 2) store_two_words(at, offset + i, word + i);
}

/* Stores the value below p that is congruent to a, and gives its limbs; a is loose and its magnitude is below 8p. */
VEC_INLINE fp4 fp4_store_reduced(uint64_t *const at[VECTOR_LANES], size_t offset, const fp4 *a) {
    word_vec limbs[LIMBS];
    limbs_reduced(limbs, a->limb, &FP_MODULUS);
    fp4_scatter(at, offset, limbs);
    fp4 out;
    UNROLLED for (size_t i = 0; i < LIMBS; i++) out.limb[i] = vec_of_word(limbs[i]);
    return out;
}

#endif
