/* Butterflies of the transforms with MULX and ANDN, inlined. Internal to this room; for processors of which
 * cpu_has_mulx_and_adx() is true.
 *
 * Elements are "loose": below 2r, which fits in 256 bits (r is 0.453 * 2^256), and in Montgomery form. Products are those with
 * roots, which are known long before: of a root w the quotient w * 2^256 / r goes with it, so that x * w - q * r, where q is
 * nearly x * quotient / 2^256, needs the upper half of one product and the lower halves of two (Harvey, "Faster arithmetic for
 * number-theoretic transforms", 2014; the idea is Shoup's). As w is not in Montgomery form, the result is where x is. */
#ifndef ALGEBRA_FR_BUTTERFLY_H
#define ALGEBRA_FR_BUTTERFLY_H

#include "algebra/field.h"
#include "algebra/fr_order.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
#define FR_LOOSE

/* 2r. */
static const uint64_t FR_ORDER_TWICE[4] = {0xfffffffe00000002ULL, 0xa77b4805fffcb7fdULL, 0x6673b0101343b00aULL,
                                           0xe7db4ea6533afa90ULL};

/* 2^256 - r. */
static const uint64_t FR_MINUS_ORDER[4] = {0x00000000ffffffffULL, 0xac425bfd0001a401ULL, 0xccc627f7f65e27faULL,
                                           0x8c1258acd66282b7ULL};

/* value: the root as an integer below r, not in Montgomery form; quotient: value * 2^256 / r, rounded down. */
typedef struct {
    fr value, quotient;
} fr_root;

/* ---- Roots ---------------------------------------------------------------------------------------------------------- */

#define FR_ORDER_PRODUCT(i) "mulx %[r" #i "], %[low], %[high]\n\t"

/* t0 .. t3 plus the multiple of r that makes the lowest limb zero, over 2^64: then in t1, t2, t3, t0. How many times r that is
 * goes to `limb`. */
#define FR_REDUCE(limb, t0, t1, t2, t3)                                                                                       \
    "mov %[" t0 "], %%rdx\n\timul %[inverse], %%rdx\n\tmov %%rdx, %[" limb "]\n\t"                                            \
    FR_ORDER_PRODUCT(0) "add %[low], %[" t0 "]\n\tadc %[high], %[" t1 "]\n\t"                                                 \
    FR_ORDER_PRODUCT(2) "adc %[low], %[" t2 "]\n\tadc %[high], %[" t3 "]\n\tadc $0, %[" t0 "]\n\t"                            \
    FR_ORDER_PRODUCT(1) "add %[low], %[" t1 "]\n\tadc %[high], %[" t2 "]\n\t"                                                 \
    FR_ORDER_PRODUCT(3) "adc %[low], %[" t3 "]\n\tadc %[high], %[" t0 "]\n\t"

/* The root of a value in Montgomery form, reduced. In value * 2^256 = quotient * r + remainder the remainder is that form, and
 * Montgomery's reduction of it, which leaves the value, adds just quotient * r. */
__attribute__((always_inline)) static inline void fr_prepare_root(fr_root *out, const fr *a) {
    uint64_t t0 = a->l[0], t1 = a->l[1], t2 = a->l[2], t3 = a->l[3], low, high;
    __asm__(FR_REDUCE("q0", "t0", "t1", "t2", "t3")
            FR_REDUCE("q1", "t1", "t2", "t3", "t0")
            FR_REDUCE("q2", "t2", "t3", "t0", "t1")
            FR_REDUCE("q3", "t3", "t0", "t1", "t2")
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [low] "=&r"(low), [high] "=&r"(high),
              [q0] "=&m"(out->quotient.l[0]), [q1] "=&m"(out->quotient.l[1]), [q2] "=&m"(out->quotient.l[2]),
              [q3] "=&m"(out->quotient.l[3])
            : [inverse] "m"(FR_MINUS_INVERSE), [r0] "m"(FR_ORDER[0]), [r1] "m"(FR_ORDER[1]), [r2] "m"(FR_ORDER[2]),
              [r3] "m"(FR_ORDER[3])
            : "rdx", "cc");
    out->value = (fr){{t0, t1, t2, t3}};
}

/* ---- Products ------------------------------------------------------------------------------------------------------- */

#define FR_FACTOR(x) "mov " x ", %%rdx\n\t"
#define FR_A(i) "8*" #i "(%[a])"
#define FR_QUOTIENT_PRODUCT(i, low, high) "mulx 32+8*" #i "(%[root]), %[" low "], %[" high "]\n\t"

/* a * root.quotient / 2^256, rounded down or one less: columns 3 to 7 of the product. Column 3 lacks the carries of what is left
 * out, the low halves in column 2 and all that is below: less than 6 of the 2^64 that make one. */
__attribute__((always_inline)) static inline fr loose_quotient(const fr *a, const fr_root *root) {
    uint64_t c, q0, q1, q2, q3, x, y, low;
    __asm__(FR_FACTOR(FR_A(0))
            FR_QUOTIENT_PRODUCT(2, "c", "c") FR_QUOTIENT_PRODUCT(3, "low", "q0") "add %[low], %[c]\n\tadc $0, %[q0]\n\t"
            FR_FACTOR(FR_A(1))
            FR_QUOTIENT_PRODUCT(1, "x", "x") FR_QUOTIENT_PRODUCT(2, "low", "y") "add %[low], %[x]\n\t"
            FR_QUOTIENT_PRODUCT(3, "low", "q1") "adc %[low], %[y]\n\tadc $0, %[q1]\n\t"
            "add %[x], %[c]\n\tadc %[y], %[q0]\n\tadc $0, %[q1]\n\t"
            FR_FACTOR(FR_A(2))
            FR_QUOTIENT_PRODUCT(1, "low", "y") "add %[low], %[c]\n\tadc %[y], %[q0]\n\t"
            FR_QUOTIENT_PRODUCT(3, "low", "q2") "adc %[low], %[q1]\n\tadc $0, %[q2]\n\t"
            FR_QUOTIENT_PRODUCT(0, "x", "x") "add %[x], %[c]\n\t"
            FR_QUOTIENT_PRODUCT(2, "low", "y") "adc %[low], %[q0]\n\tadc %[y], %[q1]\n\tadc $0, %[q2]\n\t"
            FR_FACTOR(FR_A(3)) "mov $0, %k[q3]\n\t"
            FR_QUOTIENT_PRODUCT(0, "x", "y") "add %[x], %[c]\n\tadc %[y], %[q0]\n\t"
            FR_QUOTIENT_PRODUCT(2, "x", "y") "adc %[x], %[q1]\n\tadc %[y], %[q2]\n\tadc $0, %[q3]\n\t"
            FR_QUOTIENT_PRODUCT(1, "x", "y") "add %[x], %[q0]\n\tadc %[y], %[q1]\n\t"
            FR_QUOTIENT_PRODUCT(3, "x", "y") "adc %[x], %[q2]\n\tadc %[y], %[q3]"
            : [c] "=&r"(c), [q0] "=&r"(q0), [q1] "=&r"(q1), [q2] "=&r"(q2), [q3] "=&r"(q3), [x] "=&r"(x), [y] "=&r"(y),
              [low] "=&r"(low)
            : [a] "r"(a), "m"(*a), [root] "r"(root), "m"(*root)
            : "rdx", "cc");
    return (fr){{q0, q1, q2, q3}};
}

#define FR_VALUE(i) "8*" #i "(%[root])"
#define FR_MINUS_R(i) "%[n" #i "]"

/* Rows 1 to 3 of the lower half of a product: x1 .. x3 times the limbs at `of`, added to y1 .. y3. */
#define FR_LOWER_ROWS(of, x1, x2, x3)                                                                                         \
    FR_FACTOR(x1)                                                                                                             \
    "mulx " of(0) ", %[low], %[high]\n\tadd %[low], %[y1]\n\t"                                                                \
    "mulx " of(1) ", %[low], %[next]\n\tadc %[high], %[y2]\n\tadc %[next], %[y3]\n\t"                                         \
    "imul " of(2) ", %%rdx\n\tadd %[low], %[y2]\n\tadc %%rdx, %[y3]\n\t"                                                      \
    FR_FACTOR(x2)                                                                                                             \
    "mulx " of(0) ", %[low], %[high]\n\timul " of(1) ", %%rdx\n\t"                                                            \
    "add %[low], %[y2]\n\tadc %[high], %[y3]\n\tadd %%rdx, %[y3]\n\t"                                                         \
    FR_FACTOR(x3) "imul " of(0) ", %%rdx\n\tadd %%rdx, %[y3]\n\t"

/* a * value - q * r modulo 2^256: the lower halves of both products. */
__attribute__((always_inline)) static inline fr loose_remainder(const fr *a, const fr_root *root, fr q) {
    uint64_t y0, y1, y2, y3, low, high, next;
    __asm__(FR_FACTOR(FR_A(0))
            "mulx (%[root]), %[y0], %[y1]\n\tmulx 8(%[root]), %[low], %[y2]\n\tmulx 16(%[root]), %[high], %[y3]\n\t"
            "imul 24(%[root]), %%rdx\n\tadd %[low], %[y1]\n\tadc %[high], %[y2]\n\tadc %%rdx, %[y3]\n\t"
            FR_LOWER_ROWS(FR_VALUE, FR_A(1), FR_A(2), FR_A(3))
            FR_FACTOR("%[q0]")
            "mulx %[n0], %[low], %[high]\n\tadd %[low], %[y0]\n\tmulx %[n1], %[low], %[next]\n\tadc %[high], %[y1]\n\t"
            "adc %[next], %[y2]\n\tmulx %[n2], %[high], %[next]\n\tadc %[next], %[y3]\n\t"
            "imul %[n3], %%rdx\n\tadd %[low], %[y1]\n\tadc %[high], %[y2]\n\tadc %%rdx, %[y3]\n\t"
            FR_LOWER_ROWS(FR_MINUS_R, "%[q1]", "%[q2]", "%[q3]")
            : [y0] "=&r"(y0), [y1] "=&r"(y1), [y2] "=&r"(y2), [y3] "=&r"(y3), [low] "=&r"(low), [high] "=&r"(high),
              [next] "=&r"(next)
            : [a] "r"(a), "m"(*a), [q0] "rm"(q.l[0]), [q1] "rm"(q.l[1]),
              [q2] "rm"(q.l[2]), [q3] "rm"(q.l[3]), [root] "r"(root), "m"(*root), [n0] "m"(FR_MINUS_ORDER[0]),
              [n1] "m"(FR_MINUS_ORDER[1]), [n2] "m"(FR_MINUS_ORDER[2]), [n3] "m"(FR_MINUS_ORDER[3])
            : "rdx", "cc");
    return (fr){{y0, y1, y2, y3}};
}

/* a * root, loose, for a loose: a * value - q * r with q from loose_quotient. Were q not rounded, this would be
 * a * remainder / 2^256, where remainder is value * 2^256 modulo r: below 0.907 r. Rounding adds from 0 to (1 + 2^-61) r. */
__attribute__((always_inline)) static inline fr loose_product(const fr *a, const fr_root *root) {
    return loose_remainder(a, root, loose_quotient(a, root));
}

/* The Montgomery form of a root, reduced: the remainder value * 2^256 - quotient * r, which is below 2^256. */
static inline fr fr_of_root(const fr_root *root) {
    const fr zero = {{0, 0, 0, 0}};
    return loose_remainder(&zero, root, root->quotient);
}

/* ---- Sums ----------------------------------------------------------------------------------------------------------- */

#define FR_TWICE_LIMBS                                                                                                        \
    [r0] "m"(FR_ORDER_TWICE[0]), [r1] "m"(FR_ORDER_TWICE[1]), [r2] "m"(FR_ORDER_TWICE[2]), [r3] "m"(FR_ORDER_TWICE[3])

/* a + b, loose: s = a + (b - 2r), or without a carry e = a + b. */
__attribute__((always_inline)) static inline fr loose_sum(const fr *a, const fr *b) {
    uint64_t s0 = b->l[0], s1 = b->l[1], s2 = b->l[2], s3 = b->l[3], e0 = a->l[0], e1 = a->l[1], e2 = a->l[2], e3 = a->l[3];
    __asm__("add %[s0], %[e0]\n\tadc %[s1], %[e1]\n\tadc %[s2], %[e2]\n\tadc %[s3], %[e3]\n\t"
            "sub %[r0], %[s0]\n\tsbb %[r1], %[s1]\n\tsbb %[r2], %[s2]\n\tsbb %[r3], %[s3]\n\t"
            "add %[a0], %[s0]\n\tadc %[a1], %[s1]\n\tadc %[a2], %[s2]\n\tadc %[a3], %[s3]\n\t"
            "cmovae %[e0], %[s0]\n\tcmovae %[e1], %[s1]\n\tcmovae %[e2], %[s2]\n\tcmovae %[e3], %[s3]"
            : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [e0] "+&r"(e0), [e1] "+&r"(e1), [e2] "+&r"(e2),
              [e3] "+&r"(e3)
            : [a0] "m"(a->l[0]), [a1] "m"(a->l[1]), [a2] "m"(a->l[2]), [a3] "m"(a->l[3]), FR_TWICE_LIMBS
            : "cc");
    return (fr){{s0, s1, s2, s3}};
}

/* a - b, loose: with a borrow 2r more. The mask, of which ANDN takes the complement, is 0 with a borrow. */
__attribute__((always_inline)) static inline fr loose_difference(const fr *a, const fr *b) {
    uint64_t d0 = a->l[0], d1 = a->l[1], d2 = a->l[2], d3 = a->l[3], e0, e1, e2, mask;
    __asm__("sub %[b0], %[d0]\n\tsbb %[b1], %[d1]\n\tsbb %[b2], %[d2]\n\tsbb %[b3], %[d3]\n\tcmc\n\tsbb %[mask], %[mask]\n\t"
            "andn %[r0], %[mask], %[e0]\n\tandn %[r1], %[mask], %[e1]\n\tandn %[r2], %[mask], %[e2]\n\t"
            "andn %[r3], %[mask], %[mask]\n\t"
            "add %[e0], %[d0]\n\tadc %[e1], %[d1]\n\tadc %[e2], %[d2]\n\tadc %[mask], %[d3]"
            : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3), [e0] "=&r"(e0), [e1] "=&r"(e1), [e2] "=&r"(e2),
              [mask] "=&r"(mask)
            : [b0] "rm"(b->l[0]), [b1] "rm"(b->l[1]), [b2] "rm"(b->l[2]), [b3] "rm"(b->l[3]), FR_TWICE_LIMBS
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
