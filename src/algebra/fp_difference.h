/* Subtractions in Fp inlined into the inner loop of batch additions, where calls and needless reductions would cost a
 * tenth of the time. Internal to this room.
 *
 * A "difference" is only congruent to what it stands for, and below 2p: it may be a factor of blst_fp_mul (whose result
 * is below p for any factors with a product below p * 2^384, so with one reduced factor) or of the products of fp_product.h, and
 * nothing else. */
#ifndef ALGEBRA_FP_DIFFERENCE_H
#define ALGEBRA_FP_DIFFERENCE_H

#include "algebra/field.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)

/* p, and 2p + 1. */
static const uint64_t FP_OFFSETS[2][6] = {{0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL,
                                           0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL},
                                          {0x73fdffffffff5557ULL, 0x3d57fffd62a7ffffULL, 0xce61a541ed61ec48ULL,
                                           0xc8ee9709e70a257eULL, 0x96374f6c869759aeULL, 0x340223d472ffcd34ULL}};

/* Word by word, as all here: compilers would rather do it by way of vector registers, which takes longer. */
#define FP_STORE(to, w0, w1, w2, w3, w4, w5)                                                                                     \
    __asm__("mov %[t0], (%[out])\n\tmov %[t1], 8(%[out])\n\tmov %[t2], 16(%[out])\n\t"                                          \
            "mov %[t3], 24(%[out])\n\tmov %[t4], 32(%[out])\n\tmov %[t5], 40(%[out])"                                             \
            : "=m"(*(to))                                                                                                        \
            : [out] "r"(to), [t0] "r"(w0), [t1] "r"(w1), [t2] "r"(w2), [t3] "r"(w3), [t4] "r"(w4), [t5] "r"(w5))

/* The six words at `from`. */
static inline void fp_copy(fp *out, const uint64_t *from) {
    FP_STORE(out, from[0], from[1], from[2], from[3], from[4], from[5]);
}

/* out = a - b for b reduced: reduced, or below 2p if a is only that. */
static inline void fp_subtract(fp *out, const fp *a, const fp *b) {
    uint64_t r0 = a->l[0], r1 = a->l[1], r2 = a->l[2], r3 = a->l[3], r4 = a->l[4], r5 = a->l[5], borrow;
    __asm__("sub (%[b]), %[r0]\n\tsbb 8(%[b]), %[r1]\n\tsbb 16(%[b]), %[r2]\n\t"
            "sbb 24(%[b]), %[r3]\n\tsbb 32(%[b]), %[r4]\n\tsbb 40(%[b]), %[r5]\n\t"
            "sbb %[borrow], %[borrow]"
            : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5),
              [borrow] "=&r"(borrow)
            : [b] "r"(b), "m"(*b)
            : "cc");
    uint64_t p0, p1, p2, p3, p4;
    __asm__("mov %[borrow], %[p0]\n\tmov %[borrow], %[p1]\n\tmov %[borrow], %[p2]\n\t"
            "mov %[borrow], %[p3]\n\tmov %[borrow], %[p4]\n\t"
            "and %[o0], %[p0]\n\tand %[o1], %[p1]\n\tand %[o2], %[p2]\n\tand %[o3], %[p3]\n\tand %[o4], %[p4]\n\t"
            "and %[o5], %[borrow]\n\t"
            "add %[p0], %[r0]\n\tadc %[p1], %[r1]\n\tadc %[p2], %[r2]\n\t"
            "adc %[p3], %[r3]\n\tadc %[p4], %[r4]\n\tadc %[borrow], %[r5]"
            : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5),
              [borrow] "+&r"(borrow), [p0] "=&r"(p0), [p1] "=&r"(p1), [p2] "=&r"(p2), [p3] "=&r"(p3), [p4] "=&r"(p4)
            : [o0] "m"(FP_OFFSETS[0][0]), [o1] "m"(FP_OFFSETS[0][1]), [o2] "m"(FP_OFFSETS[0][2]), [o3] "m"(FP_OFFSETS[0][3]),
              [o4] "m"(FP_OFFSETS[0][4]), [o5] "m"(FP_OFFSETS[0][5])
            : "cc");
    FP_STORE(out, r0, r1, r2, r3, r4, r5);
}

/* A difference: a - b, or -a - b if negate is 1. Negated, a enters by its complement -a - 1, for which 2p + 1 makes up. */
static inline void fp_signed_difference(fp *out, const fp *a, const fp *b, uint32_t negate) {
    uint64_t flip = -(uint64_t)negate, r0, r1, r2, r3, r4, r5;
    const uint64_t(*p)[6] = &FP_OFFSETS[negate];
    __asm__("mov (%[a]), %[r0]\n\tmov 8(%[a]), %[r1]\n\tmov 16(%[a]), %[r2]\n\t"
            "mov 24(%[a]), %[r3]\n\tmov 32(%[a]), %[r4]\n\tmov 40(%[a]), %[r5]"
            : [r0] "=&r"(r0), [r1] "=&r"(r1), [r2] "=&r"(r2), [r3] "=&r"(r3), [r4] "=&r"(r4), [r5] "=&r"(r5)
            : [a] "r"(a), "m"(*a));
    if (!__builtin_constant_p(negate) || negate)
        __asm__("xor %[flip], %[r0]\n\txor %[flip], %[r1]\n\txor %[flip], %[r2]\n\t"
                "xor %[flip], %[r3]\n\txor %[flip], %[r4]\n\txor %[flip], %[r5]"
                : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5)
                : [flip] "r"(flip)
                : "cc");
    __asm__("sub (%[b]), %[r0]\n\tsbb 8(%[b]), %[r1]\n\tsbb 16(%[b]), %[r2]\n\t"
            "sbb 24(%[b]), %[r3]\n\tsbb 32(%[b]), %[r4]\n\tsbb 40(%[b]), %[r5]\n\t"
            "add (%[p]), %[r0]\n\tadc 8(%[p]), %[r1]\n\tadc 16(%[p]), %[r2]\n\t"
            "adc 24(%[p]), %[r3]\n\tadc 32(%[p]), %[r4]\n\tadc 40(%[p]), %[r5]"
            : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5)
            : [b] "r"(b), [p] "r"(p), "m"(*b), "m"(*p)
            : "cc");
    FP_STORE(out, r0, r1, r2, r3, r4, r5);
}

static inline void fp_difference(fp *out, const fp *a, const fp *b) { fp_signed_difference(out, a, b, 0); }

/* p, or 2p where -0 - 0 was asked for. */
static inline bool fp_difference_is_zero(const fp *d) {
    const uint64_t *p = FP_OFFSETS[0], *above_2p = FP_OFFSETS[1];
    if (d->l[0] == p[0])
        return memcmp(d->l, p, sizeof d->l) == 0;
    return d->l[0] == above_2p[0] - 1 && memcmp(d->l + 1, above_2p + 1, sizeof d->l - sizeof d->l[0]) == 0;
}

#else

static inline void fp_subtract(fp *out, const fp *a, const fp *b) { blst_fp_sub(out, a, b); }
static inline void fp_difference(fp *out, const fp *a, const fp *b) { blst_fp_sub(out, a, b); }
static inline void fp_signed_difference(fp *out, const fp *a, const fp *b, uint32_t negate) {
    fp signed_a;
    blst_fp_cneg(&signed_a, a, negate);
    blst_fp_sub(out, &signed_a, b);
}
static inline bool fp_difference_is_zero(const fp *d) { return (d->l[0] | d->l[1] | d->l[2] | d->l[3] | d->l[4] | d->l[5]) == 0; }

#endif
#endif
