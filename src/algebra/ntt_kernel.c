#include "algebra/ntt_kernel.h"

#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)

static const uint64_t ORDER[4] = {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};

/* low, high = low + root * high, low - root * high: blst's butterfly with sum and difference inlined. */
static inline void butterfly(fr *low, fr *high, const fr *root) {
    fr t;
    fr_mul(&t, high, root);
    uint64_t s0 = low->l[0], s1 = low->l[1], s2 = low->l[2], s3 = low->l[3];
    uint64_t d0 = s0, d1 = s1, d2 = s2, d3 = s3, borrow;
    __asm__("sub (%[t]), %[d0]\n\tsbb 8(%[t]), %[d1]\n\tsbb 16(%[t]), %[d2]\n\tsbb 24(%[t]), %[d3]\n\t"
            "sbb %[borrow], %[borrow]"
            : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3), [borrow] "=&r"(borrow)
            : [t] "r"(&t), "m"(t)
            : "cc");
    uint64_t r0 = ORDER[0] & borrow, r1 = ORDER[1] & borrow, r2 = ORDER[2] & borrow, r3 = ORDER[3] & borrow;
    __asm__("add %[r0], %[d0]\n\tadc %[r1], %[d1]\n\tadc %[r2], %[d2]\n\tadc %[r3], %[d3]"
            : [d0] "+&r"(d0), [d1] "+&r"(d1), [d2] "+&r"(d2), [d3] "+&r"(d3)
            : [r0] "rm"(r0), [r1] "rm"(r1), [r2] "rm"(r2), [r3] "rm"(r3)
            : "cc");
    *high = (fr){{d0, d1, d2, d3}};
    uint64_t e0, e1, e2, e3; /* the sum, which is below 2r < 2^256, less r */
    __asm__("add (%[t]), %[s0]\n\tadc 8(%[t]), %[s1]\n\tadc 16(%[t]), %[s2]\n\tadc 24(%[t]), %[s3]\n\t"
            "mov %[s0], %[e0]\n\tmov %[s1], %[e1]\n\tmov %[s2], %[e2]\n\tmov %[s3], %[e3]\n\t"
            "sub (%[r]), %[e0]\n\tsbb 8(%[r]), %[e1]\n\tsbb 16(%[r]), %[e2]\n\tsbb 24(%[r]), %[e3]\n\t"
            "cmovae %[e0], %[s0]\n\tcmovae %[e1], %[s1]\n\tcmovae %[e2], %[s2]\n\tcmovae %[e3], %[s3]"
            : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [e0] "=&r"(e0), [e1] "=&r"(e1), [e2] "=&r"(e2),
              [e3] "=&r"(e3)
            : [t] "r"(&t), [r] "r"(ORDER), "m"(t), "m"(ORDER)
            : "cc");
    *low = (fr){{s0, s1, s2, s3}};
}

#else

static inline void butterfly(fr *low, fr *high, const fr *root) { blst_fr_ct_bfly(low, high, root); }

#endif

/* Splits polynomials modulo x^n - c^2 into x^(n/2) - c and x^(n/2) + c, n halving at each step, until each is modulo
 * x - root: its value there. Half h of a block holds the coefficients from n/2 up. */
void ntt_columns(fr *matrix, unsigned log_rows, size_t width, const fr *roots) {
    size_t half = (width << log_rows) / 2;
    for (size_t blocks = 1; blocks < (size_t)1 << log_rows; blocks *= 2, half /= 2) {
        /* c = 1 in the first block: no products. */
        for (size_t i = 0; i < half; i++) {
            fr high = matrix[half + i];
            fr_sub(&matrix[half + i], &matrix[i], &high);
            fr_add(&matrix[i], &matrix[i], &high);
        }
        for (size_t b = 1; b < blocks; b++) {
            fr *low = matrix + 2 * half * b;
            fr root = roots[b];
            for (size_t i = 0; i < half; i++)
                butterfly(&low[i], &low[half + i], &root);
        }
    }
}

void ntt_scale(fr *values, const fr *factors, size_t count) {
    for (size_t i = 0; i < count; i++)
        fr_mul(&values[i], &values[i], &factors[i]);
}

void ntt_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count) {
    fr power = *first;
    for (size_t i = 0; i < count; i++) {
        fr_mul(&values[i], &values[i], &power);
        fr_mul(&power, &power, ratio);
    }
}
