/* Sums of products of limbs in four lanes, for the fields of level avx2. Internal to this room.
 *
 * An element is LIMBS limbs of LIMB_BITS bits, signed integers in doubles, and stands for the sum of limb[i] * 2^(LIMB_BITS * i).
 * Whoever includes this gives LIMBS, LIMB_BITS and COLUMNS. */
#ifndef ALGEBRA_AVX2_LIMBS_H
#define ALGEBRA_AVX2_LIMBS_H

#include "algebra/avx2_vector.h"

/* 2^LIMB_BITS. */
#define RADIX ((double)(UINT64_C(1) << LIMB_BITS))
static const uint64_t LIMB_MASK = (UINT64_C(1) << LIMB_BITS) - 1;

#define FOUR_TIMES(limb)                                                                                                         \
    { limb, limb, limb, limb }

/* Doubles from 2^52 * RADIX to twice that are multiples of RADIX: what is added to this one is rounded to a multiple. */
#define ROUNDER (0x1.8p52 * RADIX)

/* A few neighbouring columns of a product. The sum of the products that went into a column is high - ROUNDER + low; high -
 * ROUNDER is a multiple of RADIX, and low an integer to which each product adds at most RADIX / 2. Nothing is lost while they
 * are below 2^51 * RADIX and 2^53. */
typedef struct {
    vec high[COLUMNS], low[COLUMNS];
} column_sums;

VEC_INLINE column_sums column_sums_from(vec carry) {
    column_sums c;
    UNROLLED for (size_t i = 0; i < COLUMNS; i++) c.high[i] = vec_broadcast(ROUNDER), c.low[i] = vec_zero();
    c.low[0] = carry;
    return c;
}

/* The steps of an addition of x * y to a column: next = high + x * y, rounded to a multiple of RADIX; what that left out,
 * exactly, is high - next + x * y; and that goes to low. One instruction each and in this order: compilers would load limbs
 * early, run out of registers, and store them elsewhere. */
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
VEC_INLINE void add_rows(column_sums *sum, int first, int at, const vec *x, int begin, int end, const vec *y) {
#define EACH_COLUMN UNROLLED for (int c = 0; c < COLUMNS; c++) if (lowest + c >= 0 && lowest + c < LIMBS)
    UNROLLED for (int i = begin; i < end; i++) {
        vec next[COLUMNS], limb;
        const int lowest = first - at - i; /* limb of y in the first column */
        if (lowest <= -COLUMNS || lowest >= LIMBS)
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

/* What a column passes on to the next: (high - ROUNDER) / RADIX. */
VEC_INLINE vec carry_of(vec high) { return vec_multiply_add(high, vec_broadcast(1 / RADIX), vec_broadcast(-ROUNDER / RADIX)); }

VEC_INLINE vec add_carry(vec low, vec high) { return vec_add(low, carry_of(high)); }

/* limb - *multiple, which is from -RADIX / 2 to RADIX / 2, and a multiple of RADIX. */
VEC_INLINE vec split_limb(vec limb, vec *multiple) {
    const vec rounder = vec_broadcast(ROUNDER);
    *multiple = vec_subtract(vec_add(limb, rounder), rounder);
    return vec_subtract(limb, *multiple);
}

/* limb + multiple / RADIX */
VEC_INLINE vec add_multiple(vec limb, vec multiple) { return vec_multiply_add(multiple, vec_broadcast(1 / RADIX), limb); }

/* The same value; carries go one limb up, all at once: the lower limbs end at RADIX / 2 + 2^(54 - LIMB_BITS) at most. Limbs are
 * below 2^53 before. out may be a. */
VEC_INLINE void limbs_normalise(vec out[LIMBS], const vec a[LIMBS]) {
    vec multiple, last = vec_zero();
    out[0] = split_limb(a[0], &last);
    UNROLLED for (size_t i = 1; i < LIMBS - 1; i++) {
        out[i] = add_multiple(split_limb(a[i], &multiple), last);
        last = multiple;
    }
    out[LIMBS - 1] = add_multiple(a[LIMBS - 1], last);
}

/* ---- Reduction ------------------------------------------------------------------------------------------------------ */

/* A modulus m in limbs of both signs, and in limbs from 0; and the quotient of m by RADIX^(LIMBS - 1). */
typedef struct {
    vec limb[LIMBS];
    uint64_t limb_from_zero[LIMBS];
    double top;
} limbs_modulus;

/* Limbs from 0 to RADIX - 1 with the value of a modulo RADIX^LIMBS; limbs of a below 2^51. With 1.5 * 2^52 added to it a double's
 * mantissa is 2^51 + limb. The carry of it, and the exponent above that, is CARRIED more than the limb's own, which the next limb
 * takes off again. */
VEC_INLINE void limbs_from_zero(word_vec out[LIMBS], const vec a[LIMBS]) {
    enum { CARRIED = 0x4338000000000000 >> LIMB_BITS };
    const word_vec mask = word_broadcast(LIMB_MASK);
    word_vec carry = word_zero();
    UNROLLED for (size_t i = 0; i < LIMBS; i++) {
        const vec magic = vec_broadcast(i == 0 ? 0x1.8p52 : 0x1.8p52 - CARRIED);
        const word_vec limb = word_add(_mm256_castpd_si256(vec_add(a[i], magic)), carry);
        out[i] = word_and(limb, mask);
        carry = word_shift_right(limb, LIMB_BITS);
    }
}

/* a less the multiple of m that leaves something from (from - 2^-39) * m to (from + 1) * m: the quotient is taken as that of the
 * two highest limbs, made 2^-40 larger. Its magnitude is below 64, and limbs of a are below 2^50. */
VEC_INLINE void limbs_subtract_modulus(vec out[LIMBS], const vec a[LIMBS], const limbs_modulus *m, double from) {
    const vec high = vec_multiply_add(a[LIMBS - 2], vec_broadcast(1 / RADIX), a[LIMBS - 1]), integer = vec_broadcast(0x1.8p52);
    /* the nearest integer to this is the quotient */
    const vec shifted = vec_multiply_add(high, vec_broadcast(1 / m->top), vec_broadcast(-0.5 - from + 0x1p-40));
    const vec quotient = vec_subtract(vec_add(shifted, integer), integer);
    UNROLLED for (size_t i = 0; i < LIMBS; i++) out[i] = vec_multiply_subtract_from(a[i], quotient, m->limb[i]);
}

/* Adds m, modulo RADIX^LIMBS, where the highest limb is more than that of m. */
static __attribute__((noinline)) void add_modulus_where_negative(word_vec limbs[LIMBS], const limbs_modulus *m) {
    uint64_t words[LIMBS][VECTOR_LANES];
    for (size_t i = 0; i < LIMBS; i++)
        _mm256_storeu_si256((__m256i *)(void *)words[i], limbs[i]);
    for (size_t lane = 0; lane < VECTOR_LANES; lane++) {
        if (words[LIMBS - 1][lane] <= m->limb_from_zero[LIMBS - 1])
            continue;
        uint64_t carry = 0;
        for (size_t i = 0; i < LIMBS; i++) {
            const uint64_t sum = words[i][lane] + m->limb_from_zero[i] + carry;
            words[i][lane] = sum & LIMB_MASK;
            carry = sum >> LIMB_BITS;
        }
    }
    for (size_t i = 0; i < LIMBS; i++)
        limbs[i] = _mm256_loadu_si256((const __m256i *)(const void *)words[i]);
}

/* The value below m that is congruent to a, in limbs from 0. What limbs_subtract_modulus leaves is negative only next to 0. */
VEC_INLINE void limbs_reduced(word_vec out[LIMBS], const vec a[LIMBS], const limbs_modulus *m) {
    vec rest[LIMBS];
    limbs_subtract_modulus(rest, a, m, 0);
    limbs_from_zero(out, rest);
    const word_vec negative = _mm256_cmpgt_epi64(out[LIMBS - 1], word_broadcast(m->limb_from_zero[LIMBS - 1]));
    if (__builtin_expect(!_mm256_testz_si256(negative, negative), 0))
        add_modulus_where_negative(out, m);
}

#endif
