/* The passes of the transforms on the portable level. */
#include <string.h>

#include "algebra/kernels.h"

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

/* Transforms each of the `width` columns of a matrix of 2^log_rows rows (row-major): rows in natural order before, in
 * bit-reversed order after.
 *
 * Splits polynomials modulo x^n - c^2 into x^(n/2) - c and x^(n/2) + c, n halving at each step, until each is modulo
 * x - root: its value there. Half h of a block holds the coefficients from n/2 up. */
static void transform_columns(fr *matrix, unsigned log_rows, size_t width, const fr *roots) {
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

static void scale(fr *values, const fr *factors, size_t count) {
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

void ntt_one_column(fr *values, unsigned log_rows, const fr *roots) { transform_columns(values, log_rows, 1, roots); }

static void load_tile(fr *tile, const fr *from, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        memcpy(tile + i * NTT_TILE_WIDTH, from + i * stride, NTT_TILE_WIDTH * sizeof *tile);
}

static void store_tile(fr *to, const fr *tile, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * stride, tile + i * NTT_TILE_WIDTH, NTT_TILE_WIDTH * sizeof *tile);
}

/* The factors between first and second pass, for the columns from `column` on. */
static void scale_columns(const ntt_pass *p, fr *tile, size_t column) {
    const ntt_tables *t = p->tables;
    unsigned log_outer = p->log_outer;
    fr first, ratio;
    fr_power(&first, &t->shift_in, column);
    fr_mul(&first, &first, &t->column_start);
    fr_power(&ratio, &t->root, column);
    fr_mul(&ratio, &ratio, &t->shift_out);
    for (size_t k1 = 0; k1 < (size_t)1 << log_outer; k1++) {
        fr *row = tile + reverse_bits(k1, log_outer) * NTT_TILE_WIDTH;
        ntt_scale_by_powers(row, &first, &t->row_ratios[k1], NTT_TILE_WIDTH);
        fr_mul(&first, &first, &ratio);
    }
}

static void first_pass(const ntt_pass *p, size_t column, void *scratch) {
    const ntt_tables *t = p->tables;
    size_t rows = (size_t)1 << p->log_outer, stride = (size_t)1 << (p->log_size - p->log_outer);
    fr *tile = scratch;
    load_tile(tile, p->values + column, rows, stride);
    if (t->input_scale)
        for (size_t row = 1; row < rows; row++)
            for (size_t j = 0; j < NTT_TILE_WIDTH; j++)
                fr_mul(&tile[row * NTT_TILE_WIDTH + j], &tile[row * NTT_TILE_WIDTH + j], &t->input_scale[row]);
    transform_columns(tile, p->log_outer, NTT_TILE_WIDTH, t->roots);
    scale_columns(p, tile, column);
    store_tile(p->values + column, tile, rows, stride);
}

/* Second pass on the B * A elements that share k1. */
static void transform_middle(const ntt_pass *p, fr *values, fr *tile) {
    size_t middle = (size_t)1 << p->log_middle, outer = (size_t)1 << p->log_outer;
    for (size_t column = 0; column < outer; column += NTT_TILE_WIDTH) {
        load_tile(tile, values + column, middle, outer);
        transform_columns(tile, p->log_middle, NTT_TILE_WIDTH, p->tables->roots);
        store_tile(values + column, tile, middle, outer);
    }
    scale(values, p->tables->middle_scale, middle * outer);
}

static void other_passes(const ntt_pass *p, size_t row, size_t rows, void *scratch) {
    size_t middle = (size_t)1 << p->log_middle, outer = (size_t)1 << p->log_outer;
    for (size_t k1 = row; k1 < row + rows; k1++) {
        fr *values = p->values + k1 * middle * outer;
        if (middle > 1)
            transform_middle(p, values, scratch);
        for (size_t k2 = 0; k2 < middle; k2++) {
            transform_columns(values + k2 * outer, p->log_outer, 1, p->tables->roots);
            if (p->tables->output_scale)
                scale(values + k2 * outer, p->tables->output_scale, outer);
        }
    }
}

static size_t scratch_bytes(const ntt_pass *p) {
    unsigned log_rows = p->log_outer > p->log_middle ? p->log_outer : p->log_middle;
    return ((size_t)1 << log_rows) * NTT_TILE_WIDTH * sizeof(fr);
}

const algebra_kernels kernels_portable = {
    .level = CPU_PORTABLE,
    .g1_batch_add = g1_batch_add_portable,
    .g2_batch_add = g2_batch_add_portable,
    .ntt_scratch_bytes = scratch_bytes,
    .ntt_first_pass = first_pass,
    .ntt_other_passes = other_passes,
};
