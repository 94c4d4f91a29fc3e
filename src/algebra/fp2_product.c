#include "algebra/fp2_product.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)

#include "algebra/cpu.h"
#include "algebra/fp_difference.h"

/* -1/p modulo 2^64 */
static const uint64_t MINUS_INVERSE = 0x89f3fffcfffcfffdULL;

/* One limb of the other factor, in rdx, times the six at `from`, added to t0 .. t6. */
#define ADD_PRODUCT(from)                                                                 \
    "xor %k[low], %k[low]\n\t"                                                            \
    "mulx " from(0) ", %[low], %[high]\n\tadcx %[low], %[t0]\n\tadox %[high], %[t1]\n\t" \
    "mulx " from(1) ", %[low], %[high]\n\tadcx %[low], %[t1]\n\tadox %[high], %[t2]\n\t" \
    "mulx " from(2) ", %[low], %[high]\n\tadcx %[low], %[t2]\n\tadox %[high], %[t3]\n\t" \
    "mulx " from(3) ", %[low], %[high]\n\tadcx %[low], %[t3]\n\tadox %[high], %[t4]\n\t" \
    "mulx " from(4) ", %[low], %[high]\n\tadcx %[low], %[t4]\n\tadox %[high], %[t5]\n\t" \
    "mulx " from(5) ", %[low], %[high]\n\tadcx %[low], %[t5]\n\tadox %[high], %[t6]\n\t" \
    "mov $0, %[low]\n\tadcx %[low], %[t6]\n\t"

/* In memory, at fixed addresses: there is no register left for a pointer to it. */
#define ORDER_OPERANDS                                                                                        \
    [p0] "m"(FP_OFFSETS[0][0]), [p1] "m"(FP_OFFSETS[0][1]), [p2] "m"(FP_OFFSETS[0][2]), [p3] "m"(FP_OFFSETS[0][3]), \
        [p4] "m"(FP_OFFSETS[0][4]), [p5] "m"(FP_OFFSETS[0][5])

#define FIRST_FACTOR(i) "8*" #i "(%[a])"
#define SECOND_FACTOR(i) "48+8*" #i "(%[a])"
#define ORDER_LIMB(i) "%[p" #i "]"

/* Limb i of both products, and the multiple of p that makes t0 zero: then t1 .. t6, t0 is the sum over 2^64. */
#define ROUND(i, t0_, t1_, t2_, t3_, t4_, t5_, t6_)                                                                               \
    __asm__("mov 8*" #i "(%[b]), %%rdx\n\t" ADD_PRODUCT(FIRST_FACTOR)                                                             \
            "mov 48+8*" #i "(%[b]), %%rdx\n\t" ADD_PRODUCT(SECOND_FACTOR)                                                         \
            "mov %[t0], %%rdx\n\timul %[inverse], %%rdx\n\t" ADD_PRODUCT(ORDER_LIMB)                                             \
            : [t0] "+&r"(t0_), [t1] "+&r"(t1_), [t2] "+&r"(t2_), [t3] "+&r"(t3_), [t4] "+&r"(t4_), [t5] "+&r"(t5_),               \
              [t6] "+&r"(t6_), [low] "=&r"(low), [high] "=&r"(high)                                                               \
            : [a] "r"(a), [b] "r"(b), [inverse] "m"(MINUS_INVERSE), ORDER_OPERANDS                                                \
            : "rdx", "cc", "memory")

/* out = (a[0] * b[0] + a[1] * b[1]) / 2^384 modulo p, reduced, for a below 2p and b at most p. The sum stays below 5p after each
 * round, for it is divided by 2^64 and at most (2 + 2 + 1) p 2^64 are added before, which also fits in 7 limbs: p is below
 * 2^381 / 1.2. The last one is below p + 4 p^2 / 2^384 < 2p. */
static inline void sum_of_products(fp *out, const fp a[2], const fp b[2]) {
    uint64_t t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, low, high;
    ROUND(0, t0, t1, t2, t3, t4, t5, t6);
    ROUND(1, t1, t2, t3, t4, t5, t6, t0);
    ROUND(2, t2, t3, t4, t5, t6, t0, t1);
    ROUND(3, t3, t4, t5, t6, t0, t1, t2);
    ROUND(4, t4, t5, t6, t0, t1, t2, t3);
    ROUND(5, t5, t6, t0, t1, t2, t3, t4);
    *out = (fp){{t6, t0, t1, t2, t3, t4}};
    /* Less p if that is not negative. */
    __asm__("sub %[p0], %[t0]\n\tsbb %[p1], %[t1]\n\tsbb %[p2], %[t2]\n\t"
            "sbb %[p3], %[t3]\n\tsbb %[p4], %[t4]\n\tsbb %[p5], %[t5]\n\t"
            "cmovc (%[out]), %[t0]\n\tcmovc 8(%[out]), %[t1]\n\tcmovc 16(%[out]), %[t2]\n\t"
            "cmovc 24(%[out]), %[t3]\n\tcmovc 32(%[out]), %[t4]\n\tcmovc 40(%[out]), %[t5]"
            : [t0] "+&r"(t6), [t1] "+&r"(t0), [t2] "+&r"(t1), [t3] "+&r"(t2), [t4] "+&r"(t3), [t5] "+&r"(t4)
            : [out] "r"(out), ORDER_OPERANDS
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
