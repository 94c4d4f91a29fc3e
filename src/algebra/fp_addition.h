/* The steps of an affine addition in G1 on the products of fp_product.h: what follows a product takes it from registers.
 * Internal to this room. */
#ifndef ALGEBRA_FP_ADDITION_H
#define ALGEBRA_FP_ADDITION_H

#include "algebra/fp_product.h"

#ifdef FP_LOOSE

/* ---- What is reduced after a product -------------------------------------------------------------------------------- */

/* By the quarter of -2p to 2p a value is in, what takes it between 0 and p: 2p, p, 0 or -p. */
static const uint64_t FP_CORRECTIONS[4][8] = {{0x73fdffffffff5556ULL, 0x3d57fffd62a7ffffULL, 0xce61a541ed61ec48ULL,
                                               0xc8ee9709e70a257eULL, 0x96374f6c869759aeULL, 0x340223d472ffcd34ULL},
                                              {0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL,
                                               0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL},
                                              {0},
                                              {0x4601000000005555ULL, 0xe15400014eac0000ULL, 0x98cf2d5f094f09dbULL,
                                               0x9b88b47b0c7aed40ULL, 0xb4e45849bcb45328ULL, 0xe5feee15c6801965ULL}};

/* Takes what is above -p and below 2p between 0 and p. */
static __attribute__((cold, noinline)) void fp_correct(fp *a) {
    if (a->l[5] >> 63) {
        uint64_t carry = 0;
        for (int i = 0; i < 6; i++) {
            const uint64_t sum = a->l[i] + carry;
            a->l[i] = sum + FP_ORDER.l[i];
            carry = (sum < carry) | (a->l[i] < sum);
        }
    } else {
        fp_loose_reduced(a, a);
    }
}

#define FP_WORDS_OUT [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5)

#define FP_WORDS_LESS(b)                                                                                                         \
    __asm__("sub (%[of]), %[r0]\n\tsbb 8(%[of]), %[r1]\n\tsbb 16(%[of]), %[r2]\n\t"                                              \
            "sbb 24(%[of]), %[r3]\n\tsbb 32(%[of]), %[r4]\n\tsbb 40(%[of]), %[r5]"                                               \
            : FP_WORDS_OUT                                                                                                       \
            : [of] "r"(b), "m"(*(b))                                                                                             \
            : "cc")

/* After all rounds: out = a * b - c, or a * b - c - d and *difference = c - that if difference is not NULL. All but the
 * difference are reduced, as c and d must be. out may be c or d, difference may not.
 *
 * Which multiple of p is missing is estimated from the highest limbs alone, without the borrows from below. It is wrong only by
 * one, and only for values whose highest limb is within a few units of that of a multiple of p: they do not come up by chance,
 * and are found by the highest limb of the result, which is then negative or at least that of p. */
__attribute__((always_inline)) static inline void fp_product_finish_less(fp *out, fp *difference, const fp_product_state *s,
                                                                         const fp *c, const fp *d) {
    __extension__ typedef unsigned __int128 uint128;
    /* The limb of 2p, rounded up, to make it positive. Then 2^124 / (limb of p + 2): less than 4 limbs of p + 8, so less than
     * 4 in the highest four bits of the product. */
    uint64_t above = 0x340223d472ffcd36ULL - c->l[5];
    if (difference)
        above -= d->l[5];
    uint64_t r0 = s->t[6], r1 = s->t[0], r2 = s->t[1], r3 = s->t[2], r4 = s->t[3], r5 = s->t[4];
    above += r5;
    FP_WORDS_LESS(c);
    if (difference)
        FP_WORDS_LESS(d);
    const uint64_t quarter = (uint64_t)((uint128)above * 0x9d835d2f3cc9e452ULL >> 124);
    __asm__("add (%[of],%[at]), %[r0]\n\tadc 8(%[of],%[at]), %[r1]\n\tadc 16(%[of],%[at]), %[r2]\n\t"
            "adc 24(%[of],%[at]), %[r3]\n\tadc 32(%[of],%[at]), %[r4]\n\tadc 40(%[of],%[at]), %[r5]"
            : FP_WORDS_OUT
            : [of] "r"(FP_CORRECTIONS), [at] "r"(quarter * sizeof FP_CORRECTIONS[0]), "m"(FP_CORRECTIONS)
            : "cc");
    fp result;
    if (__builtin_expect(r5 >= FP_ORDER.l[5], 0)) {
        FP_STORE(&result, r0, r1, r2, r3, r4, r5);
        fp_correct(&result);
        r0 = result.l[0], r1 = result.l[1], r2 = result.l[2], r3 = result.l[3], r4 = result.l[4], r5 = result.l[5];
    }
    if (difference) {
        uint64_t d0 = c->l[0], d1 = c->l[1], d2 = c->l[2], d3 = c->l[3], d4 = c->l[4], d5 = c->l[5];
        __asm__("sub %[r0], %[d0]\n\tsbb %[r1], %[d1]\n\tsbb %[r2], %[d2]\n\t"
                "sbb %[r3], %[d3]\n\tsbb %[r4], %[d4]\n\tsbb %[r5], %[d5]\n\t"
                "add %[p0], %[d0]\n\tadc %[p1], %[d1]\n\tadc %[p2], %[d2]\n\t"
                "adc %[p3], %[d3]\n\tadc %[p4], %[d4]\n\tadc %[p5], %[d5]"
                : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3), [d4] "+&r"(d4), [d5] "+&r"(d5)
                : [r0] "r"(r0), [r1] "r"(r1), [r2] "r"(r2), [r3] "r"(r3), [r4] "r"(r4), [r5] "r"(r5), [p0] "m"(FP_OFFSETS[0][0]),
                  [p1] "m"(FP_OFFSETS[0][1]), [p2] "m"(FP_OFFSETS[0][2]), [p3] "m"(FP_OFFSETS[0][3]), [p4] "m"(FP_OFFSETS[0][4]),
                  [p5] "m"(FP_OFFSETS[0][5])
                : "cc");
        FP_STORE(difference, d0, d1, d2, d3, d4, d5);
    }
    FP_STORE(out, r0, r1, r2, r3, r4, r5);
}

/* out = a * b - c, reduced, for factors as in fp_loose_product and a reduced c; out may be any of them. */
__attribute__((always_inline)) static inline void fp_product_less(fp *out, const fp *a, const fp *b, const fp *c) {
    fp_product_state s = {.a = a, .b = b};
    fp_product_rounds(&s);
    fp_product_finish_less(out, NULL, &s, c, NULL);
}

/* ---- Squares -------------------------------------------------------------------------------------------------------- */

/* Round i of a square adds limb i times itself and times twice the limbs above it: 21 products of limbs for 36. Twice those limbs
 * is 2a but for the bit that limb i itself shifts into the next. */
/* clang-format off */
#define FP_SQUARE_LIMB(i, to, next) FP_ADD_LIMB("8*" #i "(%[a])", to, next)
#define FP_SHIFTED_LIMB(i, to, next) \
    "mov 8*" #i "(%[a]), %[low]\n\tlea (%[low],%[low]), %[low]\n\t" FP_ADD_LIMB("%[low]", to, next)
#define FP_TWICE_LIMB(i, to, next) FP_ADD_LIMB("8*" #i "(%[twice])", to, next)
#define FP_SQUARE_ROW_1 FP_SQUARE_LIMB(1, "t1", "t2") FP_SHIFTED_LIMB(2, "t2", "t3") \
    FP_TWICE_LIMB(3, "t3", "t4") FP_TWICE_LIMB(4, "t4", "t5") FP_TWICE_LIMB(5, "t5", "t6")
#define FP_SQUARE_ROW_2 FP_SQUARE_LIMB(2, "t2", "t3") FP_SHIFTED_LIMB(3, "t3", "t4") \
    FP_TWICE_LIMB(4, "t4", "t5") FP_TWICE_LIMB(5, "t5", "t6")
#define FP_SQUARE_ROW_3 FP_SQUARE_LIMB(3, "t3", "t4") FP_SHIFTED_LIMB(4, "t4", "t5") FP_TWICE_LIMB(5, "t5", "t6")
#define FP_SQUARE_ROW_4 FP_SQUARE_LIMB(4, "t4", "t5") FP_SHIFTED_LIMB(5, "t5", "t6")
#define FP_SQUARE_ROW_5 FP_SQUARE_LIMB(5, "t5", "t6")
/* clang-format on */
#define FP_SQUARE_ROUND(s, i, reduce, operands)                                                                                  \
    __asm__("mov 8*" #i "(%[a]), %%rdx\n\txor %k[low], %k[low]\n\t" FP_SQUARE_ROW_##i "adcx %[zero], %[t6]\n\t" reduce           \
            : [t0] "+&r"((s)->t[i]), [t1] "+&r"((s)->t[(i + 1) % 7]), [t2] "+&r"((s)->t[(i + 2) % 7]),                           \
              [t3] "+&r"((s)->t[(i + 3) % 7]), [t4] "+&r"((s)->t[(i + 4) % 7]), [t5] "+&r"((s)->t[(i + 5) % 7]),                 \
              [t6] "+&r"((s)->t[(i + 6) % 7]), [low] "=&r"(low), [high] "=&r"(high)                                              \
            : [a] "r"((s)->a), [twice] "r"(&twice), "m"(*(s)->a), "m"(twice), operands                                           \
            : "rdx", "cc")

/* All rounds of the square of s->a, which has just come out of the rounds of `finished`. */
__attribute__((always_inline)) static inline void fp_square_rounds(fp_product_state *s, const fp_product_state *finished) {
    uint64_t low, high;
    fp twice; /* from its limb 1 */
    uint64_t w1 = finished->t[0], w2 = finished->t[1], w3 = finished->t[2], w4 = finished->t[3], w5 = finished->t[4];
    __asm__("add %[w1], %[w1]\n\tadc %[w2], %[w2]\n\tadc %[w3], %[w3]\n\tadc %[w4], %[w4]\n\tadc %[w5], %[w5]\n\t"
            "mov %[w1], 8(%[twice])\n\tmov %[w2], 16(%[twice])\n\tmov %[w3], 24(%[twice])\n\tmov %[w4], 32(%[twice])\n\tmov "
            "%[w5], 40(%[twice])"
            : [w1] "+&r"(w1), [w2] "+&r"(w2), [w3] "+&r"(w3), [w4] "+&r"(w4), [w5] "+&r"(w5), "=m"(twice)
            : [twice] "r"(&twice)
            : "cc");
    __asm__("mov (%[a]), %%rdx\n\txor %k[low], %k[low]\n\t"
            "mulx %%rdx, %[t0], %[t1]\n\t"
            "mulx 8(%[twice]), %[low], %[t2]\n\tadcx %[low], %[t1]\n\t"
            "mulx 16(%[twice]), %[low], %[t3]\n\tadcx %[low], %[t2]\n\t"
            "mulx 24(%[twice]), %[low], %[t4]\n\tadcx %[low], %[t3]\n\t"
            "mulx 32(%[twice]), %[low], %[t5]\n\tadcx %[low], %[t4]\n\t"
            "mulx 40(%[twice]), %[low], %[t6]\n\tadcx %[low], %[t5]\n\tadcx %[zero], %[t6]\n\t" FP_REDUCE
            : [t0] "=&r"(s->t[0]), [t1] "=&r"(s->t[1]), [t2] "=&r"(s->t[2]), [t3] "=&r"(s->t[3]), [t4] "=&r"(s->t[4]),
              [t5] "=&r"(s->t[5]), [t6] "=&r"(s->t[6]), [low] "=&r"(low), [high] "=&r"(high)
            : [a] "r"(s->a), [twice] "r"(&twice), "m"(*s->a), "m"(twice), FP_REDUCER_OPERANDS
            : "rdx", "cc");
    FP_SQUARE_ROUND(s, 1, FP_REDUCE, FP_REDUCER_OPERANDS);
    FP_SQUARE_ROUND(s, 2, FP_REDUCE, FP_REDUCER_OPERANDS);
    FP_SQUARE_ROUND(s, 3, FP_REDUCE, FP_REDUCER_OPERANDS);
    FP_SQUARE_ROUND(s, 4, FP_REDUCE, FP_REDUCER_OPERANDS);
    FP_SQUARE_ROUND(s, 5, FP_REDUCE_LAST, FP_ORDER_OPERANDS);
}

/* *slope = a * b, loose, for factors as in fp_loose_product; *x = slope^2 - x1 - x2, reduced; and *difference = x1 - x. x1 and x2
 * are reduced; slope may be a or b. */
__attribute__((always_inline)) static inline void fp_slope_and_x(fp *slope, fp *x, fp *difference, const fp *a, const fp *b,
                                                                 const fp *x1, const fp *x2) {
    fp_product_state product = {.a = a, .b = b}, square = {.a = slope};
    fp_product_rounds(&product);
    fp_product_finish(slope, &product);
    fp_square_rounds(&square, &product);
    fp_product_finish_less(x, difference, &square, x1, x2);
}

#endif
#endif
