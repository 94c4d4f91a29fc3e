/* Template of fixed_base.h, over the names of group_g1.h or group_g2.h. */
#include "algebra/fixed_base.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/digits.h"
#include "base/memory.h"

#include "algebra/adder_template.h"

enum {
    MAX_RANGE = 16 * BATCH_ADDITIONS,
    MAX_TABLE_BITS = 20 /* a table of 530 MB in G1; with larger ones it takes as long */
};

struct NAMED(fixed_base, ) {
    signed_windows windows;
    big_buffer multiples; /* points: number window_first_bucket(w) + d - 1 is d * 2^window_begin(w) * base */
};

typedef struct NAMED(fixed_base, ) fixed_base;

/* Additions in all: one for each window of each scalar but the first, and one for each multiple in the table. */
static unsigned choose_window_bits(size_t expected) {
    unsigned best = 2;
    double best_cost = 0;
    for (unsigned bits = 2; bits <= MAX_TABLE_BITS; bits++) {
        signed_windows windows;
        signed_windows_init(&windows, bits, MAGNITUDE_BITS);
        double cost = (double)(windows.count - 1) * (double)expected + (double)window_first_bucket(&windows, windows.count);
        if (bits == 2 || cost < best_cost) {
            best = bits;
            best_cost = cost;
        }
    }
    return best;
}

static affine_point *multiples_of_window(const fixed_base *table, unsigned window) {
    return (affine_point *)table->multiples.data + window_first_bucket(&table->windows, window);
}

/* Fills the multiples 2 .. of a window's first one: from 1 .. known, known + 1 .. 2 * known come by adding the largest. */
static void fill_window(affine_point *points, size_t multiples, adder *a) {
    for (size_t known = 1; known < multiples; known *= 2) {
        memcpy(points + known, points, known * sizeof *points);
        for (size_t i = known; i < 2 * known; i++)
            adder_push(a, &points[i], points, (uint32_t)(known - 1), 0);
        adder_flush(a, points);
    }
}

static void fill_windows(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    fixed_base *table = context;
    adder *a = allocate_zeroed(1, sizeof *a);
    for (size_t w = begin; w < end; w++)
        fill_window(multiples_of_window(table, (unsigned)w), (size_t)1 << (window_bits(&table->windows, (unsigned)w) - 1), a);
    free(a);
}

cuzk_status NAMED(fixed_base, _create)(fixed_base **out, const affine_point *base, size_t expected, thread_pool *pool,
                                       cuzk_error *error) {
    assert(!BLST_POINT(affine_is_inf)(base));
    *out = NULL;
    signed_windows windows;
    signed_windows_init(&windows, choose_window_bits(expected), MAGNITUDE_BITS);
    big_buffer multiples;
    TRY(big_buffer_allocate(&multiples, window_first_bucket(&windows, windows.count), sizeof(affine_point),
                            GROUP_NAME " multiples of a fixed base", error));
    fixed_base *table = allocate(1, sizeof *table);
    *table = (fixed_base){.windows = windows, .multiples = multiples};
    projective_point power;
    BLST_POINT(from_affine)(&power, base);
    for (unsigned w = 0; w < windows.count; w++) {
        BLST_POINT(to_affine)(multiples_of_window(table, w), &power);
        for (unsigned i = 0; i < window_bits(&windows, w); i++)
            BLST_POINT(double)(&power, &power);
    }
    parallel_for(pool, windows.count, 1, fill_windows, table);
    *out = table;
    return CUZK_OK;
}

void NAMED(fixed_base, _destroy)(fixed_base *table) {
    if (!table)
        return;
    big_buffer_free(&table->multiples);
    free(table);
}

typedef struct {
    const fixed_base *table;
    affine_point *points;
    const fr *scalars;
} multiply_job;

/* The sums begin with the multiples of the first window. */
static void copy_multiples(affine_point *points, const affine_point *multiples, const uint32_t *digits, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (digits[i])
            GROUP(copy_with_sign)(&points[i], &multiples[(digits[i] >> 1) - 1], digits[i] & 1);
        else
            memset(&points[i], 0, sizeof points[i]);
    }
}

/* A range of scalars, window by window, so that the multiples of one window at a time are wanted in the caches, and the sums,
 * one for each scalar, are distinct. */
static void multiply_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const multiply_job *job = context;
    const fixed_base *table = job->table;
    size_t length = end - begin, stride = length + 16; /* no power of two: the windows' digits fall in different cache sets */
    uint32_t *digits = allocate(table->windows.count * stride, sizeof *digits);
    adder *a = allocate_zeroed(1, sizeof *a);
    for (size_t i = 0; i < length; i++) {
        fr_canonical scalar;
        fr_to_canonical(&scalar, &job->scalars[begin + i]);
        signed_digits(&table->windows, &scalar, digits + i, stride);
    }
    copy_multiples(job->points + begin, multiples_of_window(table, 0), digits, length);
    for (unsigned w = 1; w < table->windows.count; w++) {
        const affine_point *multiples = multiples_of_window(table, w);
        for (size_t i = 0; i < length; i++) {
            uint32_t digit = digits[w * stride + i];
            if (digit)
                adder_push(a, &job->points[begin + i], multiples, (digit >> 1) - 1, digit & 1);
        }
        adder_flush(a, multiples);
    }
    free(digits);
    free(a);
}

void NAMED(fixed_base, _multiply)(const fixed_base *table, affine_point *points, const fr *scalars, size_t count,
                                  thread_pool *pool) {
    multiply_job job = {.table = table, .points = points, .scalars = scalars};
    size_t grain = even_grain(pool, count);
    grain = grain < MAX_RANGE ? grain : MAX_RANGE;
    parallel_for(pool, count, grain, multiply_range, &job);
}
