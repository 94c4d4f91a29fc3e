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

#include "algebra/avx2_vector.h"
#include "algebra/fp_product.h"

#ifndef FP_LOOSE
#error "level avx2 needs the assembly of fp_product.h: leave its files out, and kernels_avx2 out of cpu.c"
#endif

enum { FP_LIMBS = 8, FP_WORDS = 6, FP_LIMB_BITS = 48 };

typedef struct {
    vec limb[FP_LIMBS];
} fp4;

#define FOUR_TIMES(limb)                                                                                                         \
    { limb, limb, limb, limb }

/* p in limbs of both signs, and in limbs from 0; -1/p modulo 2^48. */
static const fp4 FP_MODULUS = {{FOUR_TIMES(-21845), FOUR_TIMES(-86500641359361), FOUR_TIMES(-10839982866433),
                                FOUR_TIMES(113459389855409), FOUR_TIMES(83034393350847), FOUR_TIMES(73992301405303),
                                FOUR_TIMES(-27924617254986), FOUR_TIMES(28591897852288)}};
static const uint64_t FP_MODULUS_LIMBS[FP_LIMBS] = {0xffffffffaaab, 0xb153ffffb9fe, 0xf6241eabfffe, 0x6730d2a0f6b0,
                                                    0x4b84f38512bf, 0x434bacd76477, 0xe69a4b1ba7b6, 0x1a0111ea397f};
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
    UNROLLED for (size_t i = 0; i < FP_LIMBS; i++) d.limb[i] = vec_subtract(a->limb[i], b->limb[i]);
    return d;
}

/* a - b, or -a - b in the lanes of mask. */
VEC_INLINE fp4 fp4_signed_difference(const fp4 *a, const fp4 *b, vec_mask mask) {
    const word_vec bits = _mm256_set_epi64x(8, 4, 2, 1);
    const word_vec chosen = _mm256_cmpeq_epi64(word_and(word_broadcast(mask), bits), bits);
    const vec sign = _mm256_castsi256_pd(word_and(chosen, word_broadcast(UINT64_C(1) << 63)));
    fp4 d;
    UNROLLED for (size_t i = 0; i < FP_LIMBS; i++) d.limb[i] = vec_subtract(_mm256_xor_pd(a->limb[i], sign), b->limb[i]);
    return d;
}

/* ---- Sums of products of limbs -------------------------------------------------------------------------------------- */

/* Doubles from 2^100 to 2^101 are multiples of 2^48: what is added to this one is rounded to a multiple. */
static const double ROUNDER = 0x1.8p100;

/* Four neighbouring columns of a product. The sum of the products that went into a column is high - ROUNDER + low; high -
 * ROUNDER is a multiple of 2^48, and low an integer to which each product adds at most 2^47. Nothing is lost while they are below
 * 2^99 and 2^53: a factor times a normalised element adds at most 8 * 2^48 * (2^47 + 2^6) to a column, the reduction less than
 * 2^97 more. */
enum { COLUMNS = 4 };
typedef struct {
    vec high[COLUMNS], low[COLUMNS];
} columns;

VEC_INLINE columns columns_from(vec carry) {
    columns c;
    UNROLLED for (size_t i = 0; i < COLUMNS; i++) c.high[i] = vec_broadcast(ROUNDER), c.low[i] = vec_zero();
    c.low[0] = carry;
    return c;
}

/* The steps of an addition of x * y to a column: next = high + x * y, rounded to a multiple of 2^48; what that left out, exactly,
 * is high - next + x * y; and that goes to low. One instruction each and in this order: compilers would load limbs early, run
 * out of registers, and store them elsewhere. */
#define TO_NEXT_HIGH(next, high, x, y)                                                                                           \
    __asm__ volatile("vmovapd %[h], %[n]\n\tvfmadd231pd %[factor], %[limb], %[n]"                                                \
                     : [n] "=&x"(next)                                                                                           \
                     : [h] "x"(high), [limb] "x"(x), [factor] "m"(y))
#define SUBTRACT_FROM(high, next) __asm__ volatile("vsubpd %[n], %[h], %[h]" : [h] "+x"(high) : [n] "x"(next))
#define ADD_PRODUCT(rest, x, y)                                                                                                  \
    __asm__ volatile("vfmadd231pd %[factor], %[limb], %[r]" : [r] "+x"(rest) : [limb] "x"(x), [factor] "m"(y))
#define ADD_TO(low, rest) __asm__ volatile("vaddpd %[r], %[l], %[l]" : [l] "+x"(low) : [r] "x"(rest))
#define LOAD_LIMB(limb, from) __asm__ volatile("vmovapd %[memory], %[l]" : [l] "=x"(limb) : [memory] "m"(from))

/* += x * y for limbs begin .. end-1 of x, the lowest of which belongs to column `at`; the first of the four is column `first`. */
VEC_INLINE void add_rows(columns *sum, int first, int at, const vec *x, int begin, int end, const vec *y) {
#define EACH_COLUMN UNROLLED for (int c = 0; c < COLUMNS; c++) if (lowest + c >= 0 && lowest + c < FP_LIMBS)
    UNROLLED for (int i = begin; i < end; i++) {
        vec next[COLUMNS], limb;
        const int lowest = first - at - i; /* limb of y in the first column */
        if (lowest <= -COLUMNS || lowest >= FP_LIMBS)
            continue;
        LOAD_LIMB(limb, x[i]);
        EACH_COLUMN TO_NEXT_HIGH(next[c], sum->high[c], limb, y[lowest + c]);
        EACH_COLUMN SUBTRACT_FROM(sum->high[c], next[c]);
        EACH_COLUMN ADD_PRODUCT(sum->high[c], limb, y[lowest + c]);
        EACH_COLUMN ADD_TO(sum->low[c], sum->high[c]);
        EACH_COLUMN sum->high[c] = next[c];
    }
#undef EACH_COLUMN
}

/* What a column passes on to the next: (high - ROUNDER) / 2^48. */
VEC_INLINE vec carry_of(vec high) { return vec_multiply_add(high, vec_broadcast(0x1p-48), vec_broadcast(-ROUNDER * 0x1p-48)); }

VEC_INLINE vec add_carry(vec low, vec high) { return vec_add(low, carry_of(high)); }

/* limb - *multiple, which is from -2^47 to 2^47, and a multiple of 2^48. */
VEC_INLINE vec split_limb(vec limb, vec *multiple) {
    const vec rounder = vec_broadcast(ROUNDER);
    *multiple = vec_subtract(vec_add(limb, rounder), rounder);
    return vec_subtract(limb, *multiple);
}

/* limb + multiple / 2^48 */
VEC_INLINE vec add_multiple(vec limb, vec multiple) { return vec_multiply_add(multiple, vec_broadcast(0x1p-48), limb); }

/* The value normalised: carries go one limb up, all at once. Limbs are below 2^53 before. */
VEC_INLINE fp4 fp4_normalise(const fp4 *a) {
    fp4 n;
    vec multiple, last = vec_zero();
    n.limb[0] = split_limb(a->limb[0], &last);
    UNROLLED for (size_t i = 1; i < FP_LIMBS - 1; i++) {
        n.limb[i] = add_multiple(split_limb(a->limb[i], &multiple), last);
        last = multiple;
    }
    n.limb[FP_LIMBS - 1] = add_multiple(a->limb[FP_LIMBS - 1], last);
    return n;
}

VEC_INLINE void add_factor_rows(columns *sum, int first, const fp4 *const factors[], int pairs, int begin, int end) {
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
 * the products over 2^384 and p / 2 for each step, below 2p. */
VEC_INLINE void fp4_sum_of_products(fp4 *out, const fp4 *const factors[], int pairs, fp_product_state *other) {
    fp4 u, sums;
    vec multiple, last_multiple;
    columns sum = columns_from(vec_zero()), next = columns_from(vec_zero());
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

    next = columns_from(vec_zero());
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
    sum = columns_from(carry_of(next.high[COLUMNS - 1]));
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
    const word_vec mask = word_broadcast((UINT64_C(1) << FP_LIMB_BITS) - 1);
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
VEC_INLINE void fp4_scatter(uint64_t *const at[VECTOR_LANES], size_t offset, const word_vec limbs[FP_LIMBS]) {
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

/* Limbs from 0 to 2^48 - 1 with the value of a, of which it must be known that it is not negative; limbs of a below 2^51.
 * With 1.5 * 2^52 added to it a double's mantissa is 2^51 + limb. The carry of it, and the exponent above that, is 0x4338 more
 * than the limb's own, which the next limb takes off again. */
VEC_INLINE void limbs_from_zero(word_vec out[FP_LIMBS], const fp4 *a) {
    const word_vec mask = word_broadcast((UINT64_C(1) << FP_LIMB_BITS) - 1);
    word_vec carry = word_zero();
    UNROLLED for (size_t i = 0; i < FP_LIMBS; i++) {
        const vec magic = vec_broadcast(i == 0 ? 0x1.8p52 : 0x1.8p52 - 0x4338);
        const word_vec limb = word_add(_mm256_castpd_si256(vec_add(a->limb[i], magic)), carry);
        out[i] = word_and(limb, mask);
        carry = word_shift_right(limb, FP_LIMB_BITS);
    }
}

/* Where a is p or more (and below 2p), a - p. */
static __attribute__((noinline)) void subtract_modulus_where_possible(word_vec limbs[FP_LIMBS]) {
    uint64_t words[FP_LIMBS][VECTOR_LANES];
    for (size_t i = 0; i < FP_LIMBS; i++)
        _mm256_storeu_si256((__m256i *)(void *)words[i], limbs[i]);
    for (size_t lane = 0; lane < VECTOR_LANES; lane++) {
        uint64_t less[FP_LIMBS], borrow = 0;
        for (size_t i = 0; i < FP_LIMBS; i++) {
            const uint64_t difference = words[i][lane] - FP_MODULUS_LIMBS[i] - borrow;
            less[i] = difference & ((UINT64_C(1) << FP_LIMB_BITS) - 1);
            borrow = difference >> 63;
        }
        for (size_t i = 0; i < FP_LIMBS && !borrow; i++)
            words[i][lane] = less[i];
    }
    for (size_t i = 0; i < FP_LIMBS; i++)
        limbs[i] = _mm256_loadu_si256((const __m256i *)(const void *)words[i]);
}

/* Stores the value below p that is congruent to a, and gives its limbs; a is loose and its magnitude is below 8p.
 *
 * The quotient is taken as that of the two highest limbs, made a little smaller: a - quotient * p is then from 0 to
 * p + 2^342, and only if it is next to p need we look closer. */
VEC_INLINE fp4 fp4_store_reduced(uint64_t *const at[VECTOR_LANES], size_t offset, const fp4 *a) {
    const double top = 0x1a0111ea397f.e69a5p0; /* p / 2^336, rounded up */
    const vec high = vec_multiply_add(a->limb[6], vec_broadcast(0x1p-48), a->limb[7]);
    /* the nearest integer to this is the quotient, with 8 added and taken off */
    const vec shifted = vec_multiply_add(high, vec_broadcast(1 / top), vec_broadcast(7.5 - 0x1p-40));
    const vec integer = vec_broadcast(0x1.8p52);
    const vec quotient = vec_subtract(vec_subtract(vec_add(shifted, integer), integer), vec_broadcast(8));
    fp4 rest;
    UNROLLED for (size_t i = 0; i < FP_LIMBS; i++) rest.limb[i] =
        vec_multiply_subtract_from(a->limb[i], quotient, FP_MODULUS.limb[i]);
    word_vec limbs[FP_LIMBS];
    limbs_from_zero(limbs, &rest);
    const word_vec largest = _mm256_cmpgt_epi64(limbs[7], word_broadcast(FP_MODULUS_LIMBS[7] - 1));
    if (__builtin_expect(!_mm256_testz_si256(largest, largest), 0))
        subtract_modulus_where_possible(limbs);
    fp4_scatter(at, offset, limbs);
    fp4 out;
    UNROLLED for (size_t i = 0; i < FP_LIMBS; i++) out.limb[i] = vec_of_word(limbs[i]);
    return out;
}

#endif
