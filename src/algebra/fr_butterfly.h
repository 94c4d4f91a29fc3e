/* Butterflies of the transforms with MULX, ADCX and ADOX, inlined: products without their last subtraction. Internal to this
 * room; for processors of which cpu_has_mulx_and_adx() is true.
 *
 * Elements are "loose": below 2r, which fits in 256 bits (r is 0.453 * 2^256). A product of a loose element a and a reduced
 * root is (a * root + m * r) / 2^256 with m below 2^256, so below 0.907 r + r: loose again. */
#ifndef ALGEBRA_FR_BUTTERFLY_H
#define ALGEBRA_FR_BUTTERFLY_H

#include "algebra/field.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
#define FR_LOOSE

/* r, 2r, and -1/r modulo 2^64. */
static const uint64_t FR_ORDER[4] = {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};
static const uint64_t FR_ORDER_TWICE[4] = {0xfffffffe00000002ULL, 0xa77b4805fffcb7fdULL, 0x6673b0101343b00aULL,
                                           0xe7db4ea6533afa90ULL};
static const uint64_t FR_MINUS_INVERSE = 0xfffffffeffffffffULL;

/* rdx times the four limbs at `of`, added to t0 .. t4. */
#define FR_ADD_ROW(of, t0, t1, t2, t3, t4)                                             \
    "mulx " of(0) ", %[low], %[high]\n\tadcx %[low], " t0 "\n\tadox %[high], " t1 "\n\t" \
    "mulx " of(1) ", %[low], %[high]\n\tadcx %[low], " t1 "\n\tadox %[high], " t2 "\n\t" \
    "mulx " of(2) ", %[low], %[high]\n\tadcx %[low], " t2 "\n\tadox %[high], " t3 "\n\t" \
    "mulx " of(3) ", %[low], %[high]\n\tadcx %[low], " t3 "\n\tadox %[high], " t4 "\n\t" \
    "mov $0, %k[low]\n\tadcx %[low], " t4 "\n\t"
#define FR_ROOT_LIMB(i) "8*" #i "(%[root])"
#define FR_ORDER_LIMB(i) "%[r" #i "]"

/* The multiple of r that makes t0 zero: then t1 .. t4 is the sum over 2^64. */
#define FR_REDUCE(t0, t1, t2, t3, t4) \
    "mov %[inverse], %%rdx\n\timul " t0 ", %%rdx\n\txor %k[low], %k[low]\n\t" FR_ADD_ROW(FR_ORDER_LIMB, t0, t1, t2, t3, t4)
#define FR_ROUND(a, t0, t1, t2, t3, t4) \
    "mov " a ", %%rdx\n\txor %k" t4 ", %k" t4 "\n\t" FR_ADD_ROW(FR_ROOT_LIMB, "%" t0, "%" t1, "%" t2, "%" t3, "%" t4) \
    FR_REDUCE("%" t0, "%" t1, "%" t2, "%" t3, "%" t4)

/* a * root, loose, for a loose and root reduced. */
__attribute__((always_inline)) static inline fr loose_product(fr a, const fr *root) {
    uint64_t t0, t1, t2, t3, t4, low, high;
    __asm__("mov %[a0], %%rdx\n\txor %k[t4], %k[t4]\n\t"
            "mulx (%[root]), %[t0], %[t1]\n\t"
            "mulx 8(%[root]), %[low], %[t2]\n\tadd %[low], %[t1]\n\t"
            "mulx 16(%[root]), %[low], %[t3]\n\tadc %[low], %[t2]\n\t"
            "mulx 24(%[root]), %[low], %[high]\n\tadc %[low], %[t3]\n\tadc %[high], %[t4]\n\t"
            FR_REDUCE("%[t0]", "%[t1]", "%[t2]", "%[t3]", "%[t4]")
            FR_ROUND("%[a1]", "[t1]", "[t2]", "[t3]", "[t4]", "[t0]")
            FR_ROUND("%[a2]", "[t2]", "[t3]", "[t4]", "[t0]", "[t1]")
            FR_ROUND("%[a3]", "[t3]", "[t4]", "[t0]", "[t1]", "[t2]")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [low] "=&r"(low), [high] "=&r"(high)
            : [a0] "rm"(a.l[0]), [a1] "rm"(a.l[1]), [a2] "rm"(a.l[2]), [a3] "rm"(a.l[3]), [root] "r"(root), "m"(*root),
              [inverse] "m"(FR_MINUS_INVERSE), [r0] "m"(FR_ORDER[0]), [r1] "m"(FR_ORDER[1]), [r2] "m"(FR_ORDER[2]),
              [r3] "m"(FR_ORDER[3])
            : "rdx", "cc");
    return (fr){{t4, t0, t1, t2}};
}

/* a + b, loose. */
__attribute__((always_inline)) static inline fr loose_sum(fr a, fr b) {
    uint64_t s0 = a.l[0], s1 = a.l[1], s2 = a.l[2], s3 = a.l[3], s4, e0, e1, e2, e3;
    __asm__("mov $0, %k[s4]\n\t"
            "add %[b0], %[s0]\n\tadc %[b1], %[s1]\n\tadc %[b2], %[s2]\n\tadc %[b3], %[s3]\n\tadc $0, %[s4]\n\t"
            "mov %[s0], %[e0]\n\tmov %[s1], %[e1]\n\tmov %[s2], %[e2]\n\tmov %[s3], %[e3]\n\t"
            "sub %[r0], %[e0]\n\tsbb %[r1], %[e1]\n\tsbb %[r2], %[e2]\n\tsbb %[r3], %[e3]\n\tsbb $0, %[s4]\n\t"
            "cmovae %[e0], %[s0]\n\tcmovae %[e1], %[s1]\n\tcmovae %[e2], %[s2]\n\tcmovae %[e3], %[s3]"
            : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [s4] "=&r"(s4), [e0] "=&r"(e0), [e1] "=&r"(e1),
              [e2] "=&r"(e2), [e3] "=&r"(e3)
            : [b0] "rm"(b.l[0]), [b1] "rm"(b.l[1]), [b2] "rm"(b.l[2]), [b3] "rm"(b.l[3]), [r0] "m"(FR_ORDER_TWICE[0]),
              [r1] "m"(FR_ORDER_TWICE[1]), [r2] "m"(FR_ORDER_TWICE[2]), [r3] "m"(FR_ORDER_TWICE[3])
            : "cc");
    return (fr){{s0, s1, s2, s3}};
}

/* a - b, loose. */
__attribute__((always_inline)) static inline fr loose_difference(fr a, fr b) {
    uint64_t d0 = a.l[0], d1 = a.l[1], d2 = a.l[2], d3 = a.l[3], borrow;
    __asm__("sub %[b0], %[d0]\n\tsbb %[b1], %[d1]\n\tsbb %[b2], %[d2]\n\tsbb %[b3], %[d3]\n\tsbb %[borrow], %[borrow]"
            : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3), [borrow] "=&r"(borrow)
            : [b0] "rm"(b.l[0]), [b1] "rm"(b.l[1]), [b2] "rm"(b.l[2]), [b3] "rm"(b.l[3])
            : "cc");
    uint64_t r0 = FR_ORDER_TWICE[0] & borrow, r1 = FR_ORDER_TWICE[1] & borrow;
    uint64_t r2 = FR_ORDER_TWICE[2] & borrow, r3 = FR_ORDER_TWICE[3] & borrow;
    __asm__("add %[r0], %[d0]\n\tadc %[r1], %[d1]\n\tadc %[r2], %[d2]\n\tadc %[r3], %[d3]"
            : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3)
            : [r0] "rm"(r0), [r1] "rm"(r1), [r2] "rm"(r2), [r3] "rm"(r3)
            : "cc");
    return (fr){{d0, d1, d2, d3}};
}

/* A loose element, reduced. */
__attribute__((always_inline)) static inline fr loose_reduced(fr a) {
    uint64_t s0 = a.l[0], s1 = a.l[1], s2 = a.l[2], s3 = a.l[3], e0 = s0, e1 = s1, e2 = s2, e3 = s3;
    __asm__("sub %[r0], %[e0]\n\tsbb %[r1], %[e1]\n\tsbb %[r2], %[e2]\n\tsbb %[r3], %[e3]\n\t"
            "cmovae %[e0], %[s0]\n\tcmovae %[e1], %[s1]\n\tcmovae %[e2], %[s2]\n\tcmovae %[e3], %[s3]"
            : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [e0] "+&r"(e0), [e1] "+&r"(e1), [e2] "+&r"(e2),
              [e3] "+&r"(e3)
            : [r0] "m"(FR_ORDER[0]), [r1] "m"(FR_ORDER[1]), [r2] "m"(FR_ORDER[2]), [r3] "m"(FR_ORDER[3])
            : "cc");
    return (fr){{s0, s1, s2, s3}};
}

#endif
#endif
