/* The passes of ntt_kernel.h on eight columns in eight lanes. A tile holds its elements as
 * limbs, 320 bytes for each row of eight; it is converted on the way in and out. */
#include "algebra/ifma_fr.h"
#include "algebra/kernels.h"

enum { ROW_WORDS = FR8_LIMBS * LANES, PREFETCH_ROWS = 8, CACHE_LINE = 64 };

VEC_INLINE fr8 broadcast_factor(const ntt_factor *factor) { return fr8_constant(factor->limbs); }

VEC_INLINE fr8 broadcast_times_16(const fr *value) {
    vec word[FR_WORDS];
    for (size_t i = 0; i < FR_WORDS; i++)
        word[i] = vec_broadcast(value->l[i]);
    return fr8_from_words_times_16(word);
}

VEC_INLINE fr8 load_eight_times_16(const fr *values) {
    vec word[FR_WORDS];
    load_eight(word, values->l);
    return fr8_from_words_times_16(word);
}

/* a * b, normalised: below 2.5 r for one factor below r and one below 16 r, below 17 r for 33 r and 16 r. */
VEC_INLINE fr8 product(const fr8 *a, const fr8 *b) {
    const fr8 c = fr8_product(a, b);
    return fr8_normalise(&c);
}

/* low, high = low + t, low - t + 3r, for t loose and below 3r. */
VEC_INLINE void sum_and_difference(uint64_t *low, uint64_t *high, const fr8 *t) {
    const fr8 a = fr8_load(low);
    fr8 sum = fr8_sum(&a, t), difference = fr8_difference(&a, t);
    sum = fr8_normalise(&sum);
    difference = fr8_normalise(&difference);
    fr8_store(low, &sum);
    fr8_store(high, &difference);
}

/* Transforms the tile's columns, rows in natural order before and bit-reversed after. Elements are below 2.5 r before and grow by
 * 3r in each step: below 32.5 r after ten, so a product with a root is below 2.92 r, and all is below 33r. */
static void transform_tile(uint64_t *tile, unsigned log_rows, const ntt_factor *roots) {
    size_t half = ((size_t)1 << log_rows) / 2;
    for (size_t blocks = 1; blocks < (size_t)1 << log_rows; blocks *= 2, half /= 2) {
        /* The root of the first block is 1. */
        for (size_t i = 0; i < half; i++) {
            uint64_t *high = tile + (half + i) * ROW_WORDS;
            fr8 t = fr8_load(high);
            if (blocks > 1)
                t = fr8_nearly_reduced(&t);
            sum_and_difference(tile + i * ROW_WORDS, high, &t);
        }
        for (size_t b = 1; b < blocks; b++) {
            uint64_t *low = tile + 2 * half * b * ROW_WORDS;
            const fr8 root = broadcast_factor(&roots[b]);
            for (size_t i = 0; i < half; i++) {
                uint64_t *high = low + (half + i) * ROW_WORDS;
                fr8 t = fr8_load(high);
                t = fr8_product(&t, &root);
                sum_and_difference(low + i * ROW_WORDS, high, &t);
            }
        }
    }
}

VEC_INLINE void prefetch_eight(const fr *from) {
    for (size_t offset = 0; offset < LANES * sizeof *from; offset += CACHE_LINE)
        __builtin_prefetch((const char *)from + offset);
}

/* The tile's rows from rows of a matrix, each times its factor of scale unless that is NULL. */
static void load_tile(uint64_t *tile, const fr *from, size_t rows, size_t stride, const fr *scale) {
    for (size_t i = 0; i < rows; i++) {
        if (i + PREFETCH_ROWS < rows)
            prefetch_eight(from + (i + PREFETCH_ROWS) * stride);
        vec word[FR_WORDS];
        load_eight(word, from[i * stride].l);
        fr8 row = fr8_from_words(word);
        if (scale) {
            const fr8 factor = broadcast_times_16(&scale[i]);
            row = product(&row, &factor);
        }
        fr8_store(tile + i * ROW_WORDS, &row);
    }
}

VEC_INLINE void store_reduced(fr *to, const fr8 *a) {
    vec word[FR_WORDS];
    const fr8 reduced = fr8_reduced(a);
    fr8_to_words(word, &reduced);
    store_eight(to->l, word);
}

/* The lanes' running factors go through the rows in natural order, so the tile's through its own in bit-reversed order. */
static void store_first_pass(const ntt_pass *pass, const uint64_t *tile, size_t column) {
    const ntt_tables *t = pass->tables;
    size_t stride = (size_t)1 << (pass->log_size - pass->log_outer);
    fr first[LANES], ratio[LANES];
    fr_power(&first[0], &t->shift_in, column);
    fr_mul(&first[0], &first[0], &t->column_start);
    fr_power(&ratio[0], &t->root, column);
    fr_mul(&ratio[0], &ratio[0], &t->shift_out);
    for (size_t lane = 1; lane < LANES; lane++) {
        fr_mul(&first[lane], &first[lane - 1], &t->shift_in);
        fr_mul(&ratio[lane], &ratio[lane - 1], &t->root);
    }
    fr8 factor = load_eight_times_16(first);
    const fr8 step = load_eight_times_16(ratio);
    for (size_t k1 = 0; k1 < (size_t)1 << pass->log_outer; k1++) {
        size_t row = reverse_bits(k1, pass->log_outer);
        fr8 value = fr8_load(tile + row * ROW_WORDS);
        value = fr8_product(&value, &factor);
        store_reduced(pass->values + row * stride + column, &value);
        factor = product(&factor, &step); /* below 9.3 r */
    }
}

static void first_pass(const ntt_pass *pass, size_t column, void *scratch) {
    size_t rows = (size_t)1 << pass->log_outer, stride = (size_t)1 << (pass->log_size - pass->log_outer);
    load_tile(scratch, pass->values + column, rows, stride, pass->tables->input_scale);
    transform_tile(scratch, pass->log_outer, pass->tables->root_factors);
    store_first_pass(pass, scratch, column);
}

/* The second pass on the B * A elements that share k1. */
static void middle_pass(const ntt_pass *pass, fr *values, uint64_t *tile) {
    size_t middle = (size_t)1 << pass->log_middle, outer = (size_t)1 << pass->log_outer;
    for (size_t column = 0; column < outer; column += LANES) {
        load_tile(tile, values + column, middle, outer, NULL);
        transform_tile(tile, pass->log_middle, pass->tables->root_factors);
        for (size_t row = 0; row < middle; row++) {
            size_t at = row * outer + column;
            fr8 value = fr8_load(tile + row * ROW_WORDS);
            const fr8 factor = load_eight_times_16(pass->tables->middle_scale + at);
            value = fr8_product(&value, &factor);
            store_reduced(values + at, &value);
        }
    }
}

/* The last pass on eight rows of A elements, one in each lane. */
static void last_pass(const ntt_pass *pass, fr *values, uint64_t *tile) {
    size_t outer = (size_t)1 << pass->log_outer;
    uint64_t *rows[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        rows[lane] = values[lane * outer].l;
    for (size_t i = 0; i < outer; i++) {
        vec word[FR_WORDS];
        load_two_words(word, (const uint64_t *const *)rows, i * FR_WORDS);
        load_two_words(word + 2, (const uint64_t *const *)rows, i * FR_WORDS + 2);
        const fr8 row = fr8_from_words(word);
        fr8_store(tile + i * ROW_WORDS, &row);
    }
    transform_tile(tile, pass->log_outer, pass->tables->root_factors);
    for (size_t i = 0; i < outer; i++) {
        fr8 value = fr8_load(tile + i * ROW_WORDS);
        if (pass->tables->output_scale) {
            const fr8 factor = broadcast_times_16(&pass->tables->output_scale[i]);
            value = fr8_product(&value, &factor);
        }
        value = fr8_reduced(&value);
        vec word[FR_WORDS];
        fr8_to_words(word, &value);
        store_two_words(rows, i * FR_WORDS, word);
        store_two_words(rows, i * FR_WORDS + 2, word + 2);
    }
}

static void other_passes(const ntt_pass *pass, size_t row, size_t rows, void *scratch) {
    size_t middle = (size_t)1 << pass->log_middle, outer = (size_t)1 << pass->log_outer;
    size_t done = row * middle;
    for (size_t k1 = row; k1 < row + rows; k1++) {
        if (middle > 1)
            middle_pass(pass, pass->values + k1 * middle * outer, scratch);
        for (; done + LANES <= (k1 + 1) * middle; done += LANES)
            last_pass(pass, pass->values + done * outer, scratch);
    }
}

static size_t scratch_bytes(const ntt_pass *pass) {
    unsigned log_rows = pass->log_outer > pass->log_middle ? pass->log_outer : pass->log_middle;
    return ((size_t)1 << log_rows) * ROW_WORDS * sizeof(uint64_t);
}

const algebra_kernels IFMA(kernels) = {
    .level = CPU_IFMA,
    .g1_batch_add = IFMA(g1_batch_add),
    .g2_batch_add = IFMA(g2_batch_add),
    .g1_lane_products = IFMA(g1_lane_products),
    .g2_lane_products = IFMA(g2_lane_products),
    .ntt_scratch_bytes = scratch_bytes,
    .ntt_first_pass = first_pass,
    .ntt_other_passes = other_passes,
};
