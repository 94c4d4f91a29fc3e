/* Products in Fp with MULX, ADCX and ADOX, inlined and without the last subtraction, for the inner loop of sums in G1.
 * Internal to this room; for processors of which cpu_has_mulx_and_adx() is true.
 *
 * Montgomery's reduction makes the lowest limb t0 of the sum zero by adding a multiple of p and drops it. In all rounds but the
 * last that is t0 times m p, where m = -1/p modulo 2^64: as m p + 1 is a multiple of 2^64, what remains is the other limbs and
 * t0 * (m p + 1) / 2^64, without a product to find the multiple first (here 2 ns of 30). The price is range: round i adds up to
 * 2^64 m p 2^(64 i), so the first five 0.539 * 2^384 p. The last round adds (t0 m modulo 2^64) p instead, up to 2^384 p in all.
 *
 * So a product of a and b is below a b / 2^384 + 1.54 p. As p is below 0.102 * 2^384 it stays below 2p, "loose", for factors
 * whose product is below 4.5 p^2: two that are loose or differences (fp_difference.h). Between rounds the sum is below
 * (2 + 0.54) 2^64 p, and 2^64 p more within the last: less than 0.4 * 2^448, seven limbs. */
#ifndef ALGEBRA_FP_PRODUCT_H
#define ALGEBRA_FP_PRODUCT_H

#include "algebra/fp_difference.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
#define FP_LOOSE

/* -1/p modulo 2^64 */
static const uint64_t FP_MINUS_INVERSE = 0x89f3fffcfffcfffdULL;

/* Zero, in memory as the compiler is short of registers. */
static const uint64_t FP_NOTHING = 0;

static const fp FP_ORDER = {{0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL, 0x64774b84f38512bfULL,
                             0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL}};

/* (m p + 1) / 2^64 for m = -1/p modulo 2^64: 0.539 p. */
static const uint64_t FP_REDUCER[6] = {0x6a4aaa14be07a408ULL, 0x5d4f098d2923b9a3ULL, 0x622385e49d0feeb0ULL,
                                       0x5fb6d192233b3b63ULL, 0x2cffcd0f221a175bULL, 0x0e035b9b1e00bc8eULL};

/* clang-format off */
/* rdx times a limb, added to two limbs of the sum with one carry chain each. */
#define FP_ADD_LIMB(limb, to, next) \
    "mulx " limb ", %[low], %[high]\n\tadox %[high], %[" next "]\n\tadcx %[low], %[" to "]\n\t"
/* rdx times the six limbs at `of`, added to t0 .. t6, which have room for it; leaves both carries 0. */
#define FP_ADD_ROW(of) \
    FP_ADD_LIMB(of(0), "t0", "t1") FP_ADD_LIMB(of(1), "t1", "t2") FP_ADD_LIMB(of(2), "t2", "t3") \
    FP_ADD_LIMB(of(3), "t3", "t4") FP_ADD_LIMB(of(4), "t4", "t5") FP_ADD_LIMB(of(5), "t5", "t6") \
    "adcx %[zero], %[t6]\n\t"
/* t0 times the reducer, added to t1 .. t6 and a seventh limb, which takes the place of t0. This order of its last additions, and
 * that of FP_ADD_LIMB, are the fastest on Zen 2 by some percent. */
#define FP_REDUCE \
    "mov %[t0], %%rdx\n\txor %k[low], %k[low]\n\t" \
    FP_ADD_LIMB(FP_REDUCER_LIMB(0), "t1", "t2") FP_ADD_LIMB(FP_REDUCER_LIMB(1), "t2", "t3") \
    FP_ADD_LIMB(FP_REDUCER_LIMB(2), "t3", "t4") FP_ADD_LIMB(FP_REDUCER_LIMB(3), "t4", "t5") \
    FP_ADD_LIMB(FP_REDUCER_LIMB(4), "t5", "t6") \
    "mulx " FP_REDUCER_LIMB(5) ", %[low], %[t0]\n\tmov %[zero], %%rdx\n\tadcx %[low], %[t6]\n\tadcx %%rdx, %[t0]\n\tadox %%rdx, %[t0]\n\t"
/* The multiple of p that makes t0 zero: then t1 .. t6 is the sum over 2^64. */
#define FP_REDUCE_LAST \
    "mov %[t0], %%rdx\n\tmulx %[inverse], %%rdx, %[high]\n\txor %k[low], %k[low]\n\t" FP_ADD_ROW(FP_ORDER_LIMB)
/* clang-format on */
#define FP_FACTOR_LIMB(i) "8*" #i "(%[a])"
#define FP_ORDER_LIMB(i) "%[p" #i "]"
#define FP_REDUCER_LIMB(i) "%[r" #i "]"
#define FP_ORDER_OPERANDS                                                                                                        \
    [inverse] "m"(FP_MINUS_INVERSE), [zero] "m"(FP_NOTHING), [p0] "m"(FP_OFFSETS[0][0]), [p1] "m"(FP_OFFSETS[0][1]),             \
        [p2] "m"(FP_OFFSETS[0][2]), [p3] "m"(FP_OFFSETS[0][3]), [p4] "m"(FP_OFFSETS[0][4]), [p5] "m"(FP_OFFSETS[0][5])
#define FP_REDUCER_OPERANDS                                                                                                      \
    [zero] "m"(FP_NOTHING), [r0] "m"(FP_REDUCER[0]), [r1] "m"(FP_REDUCER[1]), [r2] "m"(FP_REDUCER[2]), [r3] "m"(FP_REDUCER[3]),  \
        [r4] "m"(FP_REDUCER[4]), [r5] "m"(FP_REDUCER[5])

/* A product of a and b on its way, in six rounds: limb i of b times a, and a reduction. Round i leaves the sum in t[i + 1] and
 * those that follow, around the end of the seven. */
typedef struct {
    const fp *a, *b;
    uint64_t t[7];
} fp_product_state;

#define FP_ROUND(s, i, reduce, operands)                                                                                         \
    __asm__("mov 8*" #i "(%[b]), %%rdx\n\txor %k[low], %k[low]\n\t" FP_ADD_ROW(FP_FACTOR_LIMB) reduce                            \
            : [t0] "+&r"((s)->t[i]), [t1] "+&r"((s)->t[(i + 1) % 7]), [t2] "+&r"((s)->t[(i + 2) % 7]),                           \
              [t3] "+&r"((s)->t[(i + 3) % 7]), [t4] "+&r"((s)->t[(i + 4) % 7]), [t5] "+&r"((s)->t[(i + 5) % 7]),                 \
              [t6] "+&r"((s)->t[(i + 6) % 7]), [low] "=&r"(low), [high] "=&r"(high)                                              \
            : [a] "r"((s)->a), [b] "r"((s)->b), "m"(*(s)->a), "m"(*(s)->b), operands                                             \
            : "rdx", "cc")

__attribute__((always_inline)) static inline void fp_product_round(fp_product_state *s, unsigned round) {
    uint64_t low, high;
    switch (round) {
    case 0:
        __asm__("mov (%[b]), %%rdx\n\txor %k[low], %k[low]\n\t"
                "mulx (%[a]), %[t0], %[t1]\n\t"
                "mulx 8(%[a]), %[low], %[t2]\n\tadcx %[low], %[t1]\n\t"
                "mulx 16(%[a]), %[low], %[t3]\n\tadcx %[low], %[t2]\n\t"
                "mulx 24(%[a]), %[low], %[t4]\n\tadcx %[low], %[t3]\n\t"
                "mulx 32(%[a]), %[low], %[t5]\n\tadcx %[low], %[t4]\n\t"
                "mulx 40(%[a]), %[low], %[t6]\n\tadcx %[low], %[t5]\n\tadcx %[zero], %[t6]\n\t" FP_REDUCE
                : [t0] "=&r"(s->t[0]), [t1] "=&r"(s->t[1]), [t2] "=&r"(s->t[2]), [t3] "=&r"(s->t[3]), [t4] "=&r"(s->t[4]),
                  [t5] "=&r"(s->t[5]), [t6] "=&r"(s->t[6]), [low] "=&r"(low), [high] "=&r"(high)
                : [a] "r"(s->a), [b] "r"(s->b), "m"(*s->a), "m"(*s->b), FP_REDUCER_OPERANDS
                : "rdx", "cc");
        break;
    case 1:
        FP_ROUND(s, 1, FP_REDUCE, FP_REDUCER_OPERANDS);
        break;
    case 2:
        FP_ROUND(s, 2, FP_REDUCE, FP_REDUCER_OPERANDS);
        break;
    case 3:
        FP_ROUND(s, 3, FP_REDUCE, FP_REDUCER_OPERANDS);
        break;
    case 4:
        FP_ROUND(s, 4, FP_REDUCE, FP_REDUCER_OPERANDS);
        break;
    case 5:
        FP_ROUND(s, 5, FP_REDUCE_LAST, FP_ORDER_OPERANDS);
        break;
    }
}

/* After all rounds: out = a * b, loose; out may be one of them. */
__attribute__((always_inline)) static inline void fp_product_finish(fp *out, const fp_product_state *s) {
    FP_STORE(out, s->t[6], s->t[0], s->t[1], s->t[2], s->t[3], s->t[4]);
}

__attribute__((always_inline)) static inline void fp_product_rounds(fp_product_state *s) {
    fp_product_round(s, 0);
    fp_product_round(s, 1);
    fp_product_round(s, 2);
    fp_product_round(s, 3);
    fp_product_round(s, 4);
    fp_product_round(s, 5);
}

/* out = a * b, loose; out may be one of them. */
__attribute__((always_inline)) static inline void fp_loose_product(fp *out, const fp *a, const fp *b) {
    fp_product_state s = {.a = a, .b = b};
    fp_product_rounds(&s);
    fp_product_finish(out, &s);
}

/* out = a, less p if that is not negative: reduced for a loose a. */
static inline void fp_loose_reduced(fp *out, const fp *a) { fp_subtract(out, a, &FP_ORDER); }

#endif
#endif
