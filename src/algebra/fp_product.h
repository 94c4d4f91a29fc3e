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
#define FP_ADD_ROW(of)                                                                                                           \
    "mulx " of(0) ", %[low], %[high]\n\tadcx %[low], %[t0]\n\tadox %[high], %[t1]\n\t"                                           \
                  "mulx " of(1) ", %[low], %[high]\n\tadcx %[low], %[t1]\n\tadox %[high], %[t2]\n\t"                             \
                                "mulx " of(                                                                                      \
                                    2) ", %[low], %[high]\n\tadcx %[low], %[t2]\n\tadox %[high], %[t3]\n\t"                      \
                                       "mulx " of(                                                                               \
                                           3) ", %[low], %[high]\n\tadcx %[low], %[t3]\n\tadox %[high], %[t4]\n\t"               \
                                              "mulx " of(                                                                        \
                                                  4) ", %[low], %[high]\n\tadcx %[low], %[t4]\n\tadox %[high], %[t5]\n\t"        \
                                                     "mulx " of(                                                                 \
                                                         5) ", %[low], %[high]\n\tadcx %[low], %[t5]\n\tadox %[high], %[t6]\n\t" \
                                                            "mov $0, %k[low]\n\tadcx %[low], %[t6]\n\t"
#define FP_FACTOR_LIMB(i) "8*" #i "(%[a])"
#define FP_ORDER_LIMB(i) "%[p" #i "]"

/* The multiple of p that makes t0 zero: then t1 .. t6 is the sum over 2^64. */
#define FP_REDUCE "mov %[t0], %%rdx\n\timul %[inverse], %%rdx\n\txor %k[low], %k[low]\n\t" FP_ADD_ROW(FP_ORDER_LIMB)
#define FP_ORDER_OPERANDS                                                                                                        \
    [inverse] "m"(FP_MINUS_INVERSE), [p0] "m"(FP_OFFSETS[0][0]), [p1] "m"(FP_OFFSETS[0][1]), [p2] "m"(FP_OFFSETS[0][2]),         \
        [p3] "m"(FP_OFFSETS[0][3]), [p4] "m"(FP_OFFSETS[0][4]), [p5] "m"(FP_OFFSETS[0][5])

/* A product of a and b on its way, in six rounds: limb i of b times a, and a reduction. Round i leaves the sum in t[i + 1] and
 * those that follow, around the end of the seven. */
typedef struct {
    const fp *a, *b;
    uint64_t t[7];
} fp_product_state;

#define FP_ROUND(s, i)                                                                                                           \
    __asm__("mov 8*" #i "(%[b]), %%rdx\n\txor %k[t6], %k[t6]\n\t" FP_ADD_ROW(FP_FACTOR_LIMB) FP_REDUCE                           \
            : [t0] "+&r"((s)->t[i]), [t1] "+&r"((s)->t[i + 1]), [t2] "+&r"((s)->t[(i + 2) % 7]),                                 \
              [t3] "+&r"((s)->t[(i + 3) % 7]), [t4] "+&r"((s)->t[(i + 4) % 7]), [t5] "+&r"((s)->t[(i + 5) % 7]),                 \
              [t6] "=&r"((s)->t[(i + 6) % 7]), [low] "=&r"(low), [high] "=&r"(high)                                              \
            : [a] "r"((s)->a), [b] "r"((s)->b), "m"(*(s)->a), "m"(*(s)->b), FP_ORDER_OPERANDS                                    \
            : "rdx", "cc")

__attribute__((always_inline)) static inline void fp_product_round(fp_product_state *s, unsigned round) {
    uint64_t low, high;
    switch (round) {
    case 0:
        __asm__("mov (%[b]), %%rdx\n\txor %k[t6], %k[t6]\n\t"
                "mulx (%[a]), %[t0], %[t1]\n\t"
                "mulx 8(%[a]), %[low], %[t2]\n\tadd %[low], %[t1]\n\t"
                "mulx 16(%[a]), %[low], %[t3]\n\tadc %[low], %[t2]\n\t"
                "mulx 24(%[a]), %[low], %[t4]\n\tadc %[low], %[t3]\n\t"
                "mulx 32(%[a]), %[low], %[t5]\n\tadc %[low], %[t4]\n\t"
                "mulx 40(%[a]), %[low], %[high]\n\tadc %[low], %[t5]\n\tadc %[high], %[t6]\n\t" FP_REDUCE
                : [t0] "=&r"(s->t[0]), [t1] "=&r"(s->t[1]), [t2] "=&r"(s->t[2]), [t3] "=&r"(s->t[3]), [t4] "=&r"(s->t[4]),
                  [t5] "=&r"(s->t[5]), [t6] "=&r"(s->t[6]), [low] "=&r"(low), [high] "=&r"(high)
                : [a] "r"(s->a), [b] "r"(s->b), "m"(*s->a), "m"(*s->b), FP_ORDER_OPERANDS
                : "rdx", "cc");
        break;
    case 1:
        FP_ROUND(s, 1);
        break;
    case 2:
        FP_ROUND(s, 2);
        break;
    case 3:
        FP_ROUND(s, 3);
        break;
    case 4:
        FP_ROUND(s, 4);
        break;
    case 5:
        FP_ROUND(s, 5);
        break;
    }
}

/* After all rounds: out = a * b, loose; out may be one of them. */
__attribute__((always_inline)) static inline void fp_product_finish(fp *out, const fp_product_state *s) {
    FP_STORE(out, s->t[6], s->t[0], s->t[1], s->t[2], s->t[3], s->t[4]);
}

/* out = a * b, loose; out may be one of them. */
__attribute__((always_inline)) static inline void fp_loose_product(fp *out, const fp *a, const fp *b) {
    fp_product_state s = {.a = a, .b = b};
    fp_product_round(&s, 0);
    fp_product_round(&s, 1);
    fp_product_round(&s, 2);
    fp_product_round(&s, 3);
    fp_product_round(&s, 4);
    fp_product_round(&s, 5);
    fp_product_finish(out, &s);
}

/* out = a, less p if that is not negative: reduced for a loose a. */
static inline void fp_loose_reduced(fp *out, const fp *a) { fp_subtract(out, a, &FP_ORDER); }

#endif
#endif
