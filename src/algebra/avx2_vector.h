/* Four lanes of doubles or of 64-bit words, for the kernels of level avx2. Internal to this room.
 *
 * A limb is a double that holds an integer: the units that multiply doubles are the widest multipliers that processors
 * with AVX2 and FMA have. How products of limbs stay exact is said in avx2_fp.h. */
#ifndef ALGEBRA_AVX2_VECTOR_H
#define ALGEBRA_AVX2_VECTOR_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VECTOR_LANES = 4 };
typedef uint8_t vec_mask; /* bit i for lane i */
typedef __m256d vec;      /* limbs */
typedef __m256i word_vec; /* words of memory */

#define VEC_INLINE static inline __attribute__((always_inline))

/* Before a loop whose count is a constant: limbs stay in registers only where no loop is left. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* A name that the linker sees. */
#define LEVEL(name) LEVEL_NAME(name)
#define LEVEL_NAME(name) name##_avx2

VEC_INLINE vec vec_zero(void) { return _mm256_setzero_pd(); }
VEC_INLINE vec vec_broadcast(double value) { return _mm256_set1_pd(value); }
VEC_INLINE vec vec_add(vec a, vec b) { return _mm256_add_pd(a, b); }
VEC_INLINE vec vec_subtract(vec a, vec b) { return _mm256_sub_pd(a, b); }
/* a * b + c and c - a * b, rounded once. */
VEC_INLINE vec vec_multiply_add(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }
VEC_INLINE vec vec_multiply_subtract_from(vec c, vec a, vec b) { return _mm256_fnmadd_pd(a, b, c); }

VEC_INLINE word_vec word_broadcast(uint64_t value) { return _mm256_set1_epi64x((long long)value); }
VEC_INLINE word_vec word_zero(void) { return _mm256_setzero_si256(); }
VEC_INLINE word_vec word_and(word_vec a, word_vec b) { return _mm256_and_si256(a, b); }
VEC_INLINE word_vec word_or(word_vec a, word_vec b) { return _mm256_or_si256(a, b); }
VEC_INLINE word_vec word_add(word_vec a, word_vec b) { return _mm256_add_epi64(a, b); }
#define word_shift_left(a, bits) _mm256_slli_epi64(a, bits)
#define word_shift_right(a, bits) _mm256_srli_epi64(a, bits)
VEC_INLINE vec_mask word_equal(word_vec a, word_vec b) {
    return (vec_mask)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)));
}

/* The doubles of words below 2^52, which are the mantissa of a double from 2^52 on. */
VEC_INLINE vec vec_of_word(word_vec a) {
    const vec exponent = vec_broadcast(0x1p52);
    return vec_subtract(_mm256_castsi256_pd(word_or(a, _mm256_castpd_si256(exponent))), exponent);
}

VEC_INLINE __m128i pair_at(const uint64_t *from) { return _mm_loadu_si128((const __m128i *)(const void *)from); }
VEC_INLINE void store_pair(uint64_t *to, __m128i pair) { _mm_storeu_si128((__m128i *)(void *)to, pair); }

/* Word pairs at `offset` of four places, as one vector for each of the two words. */
VEC_INLINE void load_two_words(word_vec word[2], const uint64_t *const at[VECTOR_LANES], size_t offset) {
    const __m256i even = _mm256_inserti128_si256(_mm256_castsi128_si256(pair_at(at[0] + offset)), pair_at(at[2] + offset), 1);
    const __m256i odd = _mm256_inserti128_si256(_mm256_castsi128_si256(pair_at(at[1] + offset)), pair_at(at[3] + offset), 1);
    word[0] = _mm256_unpacklo_epi64(even, odd);
    word[1] = _mm256_unpackhi_epi64(even, odd);
}

VEC_INLINE void store_two_words(uint64_t *const at[VECTOR_LANES], size_t offset, const word_vec word[2]) {
    const __m256i even = _mm256_unpacklo_epi64(word[0], word[1]), odd = _mm256_unpackhi_epi64(word[0], word[1]);
    store_pair(at[0] + offset, _mm256_castsi256_si128(even));
    store_pair(at[1] + offset, _mm256_castsi256_si128(odd));
    store_pair(at[2] + offset, _mm256_extracti128_si256(even, 1));
    store_pair(at[3] + offset, _mm256_extracti128_si256(odd, 1));
}

#endif
