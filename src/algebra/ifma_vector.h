/* Eight lanes of 64 bits, and the few instructions that the kernels of level ifma are written in. Internal to this room.
 *
 * The same kernels are compiled twice: with AVX-512, and, where CUZK_IFMA_MODEL is defined, with a model of these
 * instructions in plain C, which also holds the kernels to the ranges that their comments state. So tests on any CPU
 * can compare them with the portable level. */
#ifndef ALGEBRA_IFMA_VECTOR_H
#define ALGEBRA_IFMA_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_LANES = 3, LANES = 1 << LOG_LANES, LIMB_BITS = 52 };
static const uint64_t LIMB_MASK = (UINT64_C(1) << LIMB_BITS) - 1;
typedef uint8_t vec_mask; /* bit i for lane i */

/* A name that the linker sees. */
#define IFMA(name) IFMA_NAME(name)

#ifdef CUZK_IFMA_MODEL

/* Functions of functions: as one piece of code they would take a compiler minutes. */
#define VEC_INLINE static inline __attribute__((unused))

#include "algebra/ifma_vector_model.h"

#define IFMA_NAME(name) name##_ifma_model

#else

#include <immintrin.h>

#define VEC_INLINE static inline __attribute__((always_inline))

#define IFMA_NAME(name) name##_ifma

typedef __m512i vec;

VEC_INLINE vec vec_zero(void) { return _mm512_setzero_si512(); }
VEC_INLINE vec vec_broadcast(uint64_t value) { return _mm512_set1_epi64((long long)value); }
VEC_INLINE vec vec_load(const uint64_t *from) { return _mm512_loadu_si512(from); }
VEC_INLINE void vec_store(uint64_t *to, vec a) { _mm512_storeu_si512(to, a); }

VEC_INLINE vec vec_add(vec a, vec b) { return _mm512_add_epi64(a, b); }
VEC_INLINE vec vec_subtract(vec a, vec b) { return _mm512_sub_epi64(a, b); }
VEC_INLINE vec vec_and(vec a, vec b) { return _mm512_and_si512(a, b); }
VEC_INLINE vec vec_or(vec a, vec b) { return _mm512_or_si512(a, b); }
/* mask ? a - b : unchanged */
VEC_INLINE vec vec_subtract_where(vec unchanged, vec_mask mask, vec a, vec b) {
    return _mm512_mask_sub_epi64(unchanged, mask, a, b);
}
VEC_INLINE vec vec_select(vec_mask mask, vec yes, vec no) { return _mm512_mask_blend_epi64(mask, no, yes); }

/* Shifts by a constant; _signed brings in copies of the sign. */
#define vec_shift_left(a, bits) _mm512_slli_epi64(a, bits)
#define vec_shift_right(a, bits) _mm512_srli_epi64(a, bits)
#define vec_shift_right_signed(a, bits) _mm512_srai_epi64(a, bits)
/* The low 64 bits of (high:low) >> bits, and the high 64 bits of (high:low) << bits. */
#define vec_shift_pair_right(high, low, bits) _mm512_shrdi_epi64(low, high, bits)
#define vec_shift_pair_left(high, low, bits) _mm512_shldi_epi64(high, low, bits)

/* sum + the low or the high 52 bits of the 104-bit product of the low 52 bits of a and b. */
VEC_INLINE vec vec_add_product_low(vec sum, vec a, vec b) { return _mm512_madd52lo_epu64(sum, a, b); }
VEC_INLINE vec vec_add_product_high(vec sum, vec a, vec b) { return _mm512_madd52hi_epu64(sum, a, b); }

VEC_INLINE vec_mask vec_equal(vec a, vec b) { return _mm512_cmpeq_epi64_mask(a, b); }
VEC_INLINE vec_mask vec_at_least(vec a, vec b) { return _mm512_cmpge_epu64_mask(a, b); }

/* table[index] in each lane, index below 8. */
VEC_INLINE vec vec_lookup(vec table, vec index) { return _mm512_permutexvar_epi64(index, table); }
/* The even lanes of a and b in turn (a0 b0 a2 b2 ...), and the odd ones. */
VEC_INLINE vec vec_even_lanes(vec a, vec b) { return _mm512_unpacklo_epi64(a, b); }
VEC_INLINE vec vec_odd_lanes(vec a, vec b) { return _mm512_unpackhi_epi64(a, b); }
/* Of the four pairs of neighbouring lanes of a and of b: a0 a2 b0 b2, and a1 a3 b1 b3. */
VEC_INLINE vec vec_even_pairs(vec a, vec b) { return _mm512_shuffle_i64x2(a, b, 0x88); }
VEC_INLINE vec vec_odd_pairs(vec a, vec b) { return _mm512_shuffle_i64x2(a, b, 0xdd); }
/* Their pairs in turn, of the lower halves (a0 b0 a1 b1) and of the upper ones. */
VEC_INLINE vec vec_lower_pairs(vec a, vec b) {
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
}
VEC_INLINE vec vec_upper_pairs(vec a, vec b) {
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
}

VEC_INLINE __m128i pair_at(const uint64_t *from) { return _mm_loadu_si128((const __m128i *)(const void *)from); }
VEC_INLINE void store_pair(uint64_t *to, __m128i pair) { _mm_storeu_si128((__m128i *)(void *)to, pair); }

/* Two words from each of four places, and back. */
VEC_INLINE vec vec_load_pairs(const uint64_t *a, const uint64_t *b, const uint64_t *c, const uint64_t *d) {
    vec v = _mm512_castsi128_si512(pair_at(a));
    v = _mm512_inserti64x2(v, pair_at(b), 1);
    v = _mm512_inserti64x2(v, pair_at(c), 2);
    return _mm512_inserti64x2(v, pair_at(d), 3);
}
VEC_INLINE void vec_store_pairs(vec v, uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d) {
    store_pair(a, _mm512_castsi512_si128(v));
    store_pair(b, _mm512_extracti64x2_epi64(v, 1));
    store_pair(c, _mm512_extracti64x2_epi64(v, 2));
    store_pair(d, _mm512_extracti64x2_epi64(v, 3));
}

/* The model asserts these. */
#define vec_expect_below(a, limit) ((void)0)
#define vec_expect_no_overflow(sum, addend) ((void)0)

#endif

/* What follows is the same for both. */

/* Word pairs at `offset` of eight places, as one vector for each of the two words. Even lanes come from one load, odd ones
 * from the other. */
VEC_INLINE void load_two_words(vec word[2], const uint64_t *const at[LANES], size_t offset) {
    const vec even = vec_load_pairs(at[0] + offset, at[2] + offset, at[4] + offset, at[6] + offset);
    const vec odd = vec_load_pairs(at[1] + offset, at[3] + offset, at[5] + offset, at[7] + offset);
    word[0] = vec_even_lanes(even, odd);
    word[1] = vec_odd_lanes(even, odd);
}

VEC_INLINE void store_two_words(uint64_t *const at[LANES], size_t offset, const vec word[2]) {
    vec_store_pairs(vec_even_lanes(word[0], word[1]), at[0] + offset, at[2] + offset, at[4] + offset, at[6] + offset);
    vec_store_pairs(vec_odd_lanes(word[0], word[1]), at[1] + offset, at[3] + offset, at[5] + offset, at[7] + offset);
}

#endif
