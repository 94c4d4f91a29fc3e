/* Products in Fp with MULX, ADCX and ADOX, inlined and without the last subtraction, for the inner loop of sums in G1.
 * Internal to this room; for processors of which cpu_has_mulx_and_adx() is true.
 *
 * A product of a and b is (a b + m p) / 2^384 with m below 2^384, so below p + a b / 2^384. As p is below 0.102 * 2^384 it
 * stays below 2p, "loose", for factors whose product is below 9.8 p^2: two loose ones, or one and a difference
 * (fp_difference.h). */
#ifndef ALGEBRA_FP_PRODUCT_H
#define ALGEBRA_FP_PRODUCT_H

#include "algebra/fp_difference.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
#define FP_LOOSE

/* -1/p modulo 2^64 */
static const uint64_t FP_MINUS_INVERSE = 0x89f3fffcfffcfffdULL;

static const fp FP_ORDER = {{0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL, 0x64774b84f38512bfULL,
                             0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL}};

/* rdx times the six limbs at `of`, added to t0 .. t6. */
#define FP_ADD_ROW(of)                                                                   \
    "mulx " of(0) ", %[low], %[high]\n\tadcx %[low], %[t0]\n\tadox %[high], %[t1]\n\t" \
    "mulx " of(1) ", %[low], %[high]\n\tadcx %[low], %[t1]\n\tadox %[high], %[t2]\n\t" \
    "mulx " of(2) ", %[low], %[high]\n\tadcx %[low], %[t2]\n\tadox %[high], %[t3]\n\t" \
    "mulx " of(3) ", %[low], %[high]\n\tadcx %[low], %[t3]\n\tadox %[high], %[t4]\n\t" \
    "mulx " of(4) ", %[low], %[high]\n\tadcx %[low], %[t4]\n\tadox %[high], %[t5]\n\t" \
    "mulx " of(5) ", %[low], %[high]\n\tadcx %[low], %[t5]\n\tadox %[high], %[t6]\n\t" \
    "mov $0, %k[low]\n\tadcx %[low], %[t6]\n\t"
#define FP_FACTOR_LIMB(i) "8*" #i "(%[a])"
#define FP_ORDER_LIMB(i) "%[p" #i "]"

/* The multiple of p that makes t0 zero: then t1 .. t6 is the sum over 2^64. */
#define FP_REDUCE "mov %[t0], %%rdx\n\timul %[inverse], %%rdx\n\txor %k[low], %k[low]\n\t" FP_ADD_ROW(FP_ORDER_LIMB)
#define FP_ORDER_OPERANDS                                                                                           \
    [inverse] "m"(FP_MINUS_INVERSE), [p0] "m"(FP_OFFSETS[0][0]), [p1] "m"(FP_OFFSETS[0][1]), [p2] "m"(FP_OFFSETS[0][2]), \
        [p3] "m"(FP_OFFSETS[0][3]), [p4] "m"(FP_OFFSETS[0][4]), [p5] "m"(FP_OFFSETS[0][5])

/* Limb i of b times a, and a reduction; t6 is new. */
#define FP_ROUND(i, t0_, t1_, t2_, t3_, t4_, t5_, t6_)                                                                           \
    __asm__("mov 8*" #i "(%[b]), %%rdx\n\txor %k[t6], %k[t6]\n\t" FP_ADD_ROW(FP_FACTOR_LIMB) FP_REDUCE                          \
            : [t0] "+&r"(t0_), [t1] "+&r"(t1_), [t2] "+&r"(t2_), [t3] "+&r"(t3_), [t4] "+&r"(t4_), [t5] "+&r"(t5_),              \
              [t6] "=&r"(t6_), [low] "=&r"(low), [high] "=&r"(high)                                                              \
            : [a] "r"(a), [b] "r"(b), "m"(*a), "m"(*b), FP_ORDER_OPERANDS                                                        \
            : "rdx", "cc")

/* out = a * b, loose; out may be one of them. */
__attribute__((always_inline)) static inline void fp_loose_product(fp *out, const fp *a, const fp *b) {
    uint64_t t0, t1, t2, t3, t4, t5, t6, low, high;
    __asm__("mov (%[b]), %%rdx\n\txor %k[t6], %k[t6]\n\t"
            "mulx (%[a]), %[t0], %[t1]\n\t"
            "mulx 8(%[a]), %[low], %[t2]\n\tadd %[low], %[t1]\n\t"
            "mulx 16(%[a]), %[low], %[t3]\n\tadc %[low], %[t2]\n\t"
            "mulx 24(%[a]), %[low], %[t4]\n\tadc %[low], %[t3]\n\t"
            "mulx 32(%[a]), %[low], %[t5]\n\tadc %[low], %[t4]\n\t"
            "mulx 40(%[a]), %[low], %[high]\n\tadc %[low], %[t5]\n\tadc %[high], %[t6]\n\t" FP_REDUCE
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5), [t6] "=&r"(t6),
              [low] "=&r"(low), [high] "=&r"(high)
            : [a] "r"(a), [b] "r"(b), "m"(*a), "m"(*b), FP_ORDER_OPERANDS
            : "rdx", "cc");
    FP_ROUND(1, t1, t2, t3, t4, t5, t6, t0);
    FP_ROUND(2, t2, t3, t4, t5, t6, t0, t1);
    FP_ROUND(3, t3, t4, t5, t6, t0, t1, t2);
    FP_ROUND(4, t4, t5, t6, t0, t1, t2, t3);
    FP_ROUND(5, t5, t6, t0, t1, t2, t3, t4);
    FP_STORE(out, t6, t0, t1, t2, t3, t4);
}

/* out = a, less p if that is not negative: reduced for a loose a. */
static inline void fp_loose_reduced(fp *out, const fp *a) { fp_subtract(out, a, &FP_ORDER); }

#endif
#endif
