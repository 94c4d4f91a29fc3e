#include "algebra/ntt_kernel.h"

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
                blst_fr_ct_bfly(&low[i], &low[half + i], &root);
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
