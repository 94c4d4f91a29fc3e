#include "algebra/fp2_product.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)

#include "algebra/cpu.h"
#include "algebra/fp_product.h"

#define FIRST_FACTOR(i) "8*" #i "(%[a])"
#define SECOND_FACTOR(i) "48+8*" #i "(%[a])"

/* Limb i of both products, and a reduction of fp_product.h: then t1 .. t6, t0 is the sum over 2^64. */
#define ROUND(i, t0_, t1_, t2_, t3_, t4_, t5_, t6_, reduce, operands)                                                            \
    __asm__("mov 8*" #i "(%[b]), %%rdx\n\txor %k[low], %k[low]\n\t" FP_ADD_ROW(FIRST_FACTOR)                                     \
            "mov 48+8*" #i "(%[b]), %%rdx\n\t" FP_ADD_ROW(SECOND_FACTOR) reduce                                                  \
            : [t0] "+&r"(t0_), [t1] "+&r"(t1_), [t2] "+&r"(t2_), [t3] "+&r"(t3_), [t4] "+&r"(t4_), [t5] "+&r"(t5_),              \
              [t6] "+&r"(t6_), [low] "=&r"(low), [high] "=&r"(high)                                                              \
            : [a] "r"(a), [b] "r"(b), operands                                                                                   \
            : "rdx", "cc", "memory")

/* out = (a[0] * b[0] + a[1] * b[1]) / 2^384 modulo p, reduced, for a below 2p and b at most p. The reductions of all rounds add at
 * most 1.54 p in the end, and the products 4 p^2 / 2^384, which is below 0.41 p: less than 2p. Between rounds the sum is below
 * (4 + 0.54) 2^64 p, which fits in 7 limbs: p is below 0.102 * 2^384. */
static inline void sum_of_products(fp *out, const fp a[2], const fp b[2]) {
    uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, low, high;
    ROUND(0, t0, t1, t2, t3, t4, t5, t6, FP_REDUCE, FP_REDUCER_OPERANDS);
    ROUND(1, t1, t2, t3, t4, t5, t6, t0, FP_REDUCE, FP_REDUCER_OPERANDS);
    ROUND(2, t2, t3, t4, t5, t6, t0, t1, FP_REDUCE, FP_REDUCER_OPERANDS);
    ROUND(3, t3, t4, t5, t6, t0, t1, t2, FP_REDUCE, FP_REDUCER_OPERANDS);
    ROUND(4, t4, t5, t6, t0, t1, t2, t3, FP_REDUCE, FP_REDUCER_OPERANDS);
    ROUND(5, t5, t6, t0, t1, t2, t3, t4, FP_REDUCE_LAST, FP_ORDER_OPERANDS);
    *out = (fp){{t6, t0, t1, t2, t3, t4}};
    /* Less p if that is not negative. */
    __asm__("sub %[p0], %[t0]\n\tsbb %[p1], %[t1]\n\tsbb %[p2], %[t2]\n\t"
            "sbb %[p3], %[t3]\n\tsbb %[p4], %[t4]\n\tsbb %[p5], %[t5]\n\t"
            "cmovc (%[out]), %[t0]\n\tcmovc 8(%[out]), %[t1]\n\tcmovc 16(%[out]), %[t2]\n\t"
            "cmovc 24(%[out]), %[t3]\n\tcmovc 32(%[out]), %[t4]\n\tcmovc 40(%[out]), %[t5]"
            : [t0] "+&r"(t6), [t1] "+&r"(t0), [t2] "+&r"(t1), [t3] "+&r"(t2), [t4] "+&r"(t3), [t5] "+&r"(t4)
            : [out] "r"(out), FP_ORDER_OPERANDS
            : "cc", "memory");
    *out = (fp){{t6, t0, t1, t2, t3, t4}};
}

static void product_by_sums(fp2 *out, const fp2 *a, const fp2 *b) {
    static const fp zero;
    fp imaginary[2] = {b->fp[1], b->fp[0]}, real[2] = {b->fp[0]};
    fp2 product;
    fp_difference(&real[1], &zero, &b->fp[1]); /* p - b1 */
    sum_of_products(&product.fp[0], a->fp, real);
    sum_of_products(&product.fp[1], a->fp, imaginary);
    *out = product;
}

static void product_of_reduced(fp2 *out, const fp2 *a, const fp2 *b) {
    fp2 reduced;
    fp order;
    memcpy(order.l, FP_OFFSETS[0], sizeof order.l);
    fp_subtract(&reduced.fp[0], &a->fp[0], &order);
    fp_subtract(&reduced.fp[1], &a->fp[1], &order);
    blst_fp2_mul(out, &reduced, b);
}

void fp2_product(fp2 *out, const fp2 *a, const fp2 *b) {
    if (cpu_has_mulx_and_adx())
        product_by_sums(out, a, b);
    else
        product_of_reduced(out, a, b);
}

#else

void fp2_product(fp2 *out, const fp2 *a, const fp2 *b) { blst_fp2_mul(out, a, b); }

#endif
