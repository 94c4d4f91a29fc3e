/* Template of fixed_base.h, over the names of group_g1.h or group_g2.h. */
#include "algebra/fixed_base.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/batch_add.h"
#include "algebra/digits.h"
#include "base/memory.h"

enum { BATCHES_IN_RANGE = 16 };

struct NAMED(fixed_base, ) {
    signed_windows windows;
    size_t multiples;     /* of each window: 2^(bits-1) */
    affine_point *points; /* points[w * multiples + d - 1] = d * 2^(bits * w) * base */
};

typedef struct NAMED(fixed_base, ) fixed_base;

/* Additions in all: windows for each scalar, and windows * 2^(bits-1) for the table. */
static unsigned choose_window_bits(size_t expected) {
    unsigned best = 2;
    double best_cost = 0;
    for (unsigned bits = 2; bits <= 16; bits++) {
        signed_windows windows;
        signed_windows_init(&windows, bits, MAGNITUDE_BITS);
        double cost = (double)windows.count * ((double)expected + (double)(1u << (bits - 1)));
        if (bits == 2 || cost < best_cost) {
            best = bits;
            best_cost = cost;
        }
    }
    return best;
}

/* Flushes a batch that is full or the last one. */
static void add_batch(GROUP(addition) *batch, size_t *count, const affine_point *addends, GROUP(batch_scratch) *scratch) {
    GROUP(batch_add)(batch, *count, addends, scratch);
    *count = 0;
}

/* Fills the multiples 2 .. of window's first one: from 1 .. known, known + 1 .. 2 * known come by adding the largest. */
static void fill_window(affine_point *points, size_t multiples, GROUP(addition) *batch, GROUP(batch_scratch) *scratch) {
    for (size_t known = 1; known < multiples; known *= 2) {
        size_t count = 0;
        memcpy(points + known, points, known * sizeof *points);
        for (size_t i = known; i < 2 * known; i++) {
            batch[count++] = (GROUP(addition)){.sum = &points[i], .addend = (uint32_t)(known - 1)};
            if (count == BATCH_ADDITIONS)
                add_batch(batch, &count, points, scratch);
        }
        add_batch(batch, &count, points, scratch);
    }
}

static void fill_windows(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    fixed_base *table = context;
    GROUP(addition) *batch = allocate(BATCH_ADDITIONS, sizeof *batch);
    GROUP(batch_scratch) *scratch = allocate(1, sizeof *scratch);
    for (size_t w = begin; w < end; w++)
        fill_window(table->points + w * table->multiples, table->multiples, batch, scratch);
    free(batch);
    free(scratch);
}

fixed_base *NAMED(fixed_base, _create)(const affine_point *base, size_t expected, thread_pool *pool) {
    assert(!BLST_POINT(affine_is_inf)(base));
    fixed_base *table = allocate(1, sizeof *table);
    signed_windows_init(&table->windows, choose_window_bits(expected), MAGNITUDE_BITS);
    table->multiples = (size_t)1 << (table->windows.bits - 1);
    table->points = allocate(table->windows.count * table->multiples, sizeof *table->points);
    projective_point power;
    BLST_POINT(from_affine)(&power, base);
    for (size_t w = 0; w < table->windows.count; w++) {
        BLST_POINT(to_affine)(&table->points[w * table->multiples], &power);
        for (unsigned i = 0; i < table->windows.bits; i++)
            BLST_POINT(double)(&power, &power);
    }
    parallel_for(pool, table->windows.count, 1, fill_windows, table);
    return table;
}

void NAMED(fixed_base, _destroy)(fixed_base *table) {
    if (!table)
        return;
    free(table->points);
    free(table);
}

typedef struct {
    const fixed_base *table;
    affine_point *points;
    const fr *scalars;
} multiply_job;

/* One batch of scalars in lockstep: their sums, one for each scalar, are distinct, so each window is one batch. */
static void multiply_batch(const multiply_job *job, size_t begin, size_t end, uint32_t *digits, GROUP(addition) *batch,
                           GROUP(batch_scratch) *scratch) {
    const fixed_base *table = job->table;
    for (size_t i = begin; i < end; i++) {
        fr_canonical scalar;
        fr_to_canonical(&scalar, &job->scalars[i]);
        signed_digits(&table->windows, &scalar, digits + (i - begin), BATCH_ADDITIONS);
    }
    memset(job->points + begin, 0, (end - begin) * sizeof *job->points);
    for (size_t w = 0; w < table->windows.count; w++) {
        size_t count = 0;
        for (size_t i = begin; i < end; i++) {
            uint32_t digit = digits[w * BATCH_ADDITIONS + (i - begin)];
            if (digit)
                batch[count++] = (GROUP(addition)){.sum = &job->points[i], .addend = (digit >> 1) - 1, .negate = digit & 1};
        }
        add_batch(batch, &count, table->points + w * table->multiples, scratch);
    }
}

static void multiply_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const multiply_job *job = context;
    uint32_t *digits = allocate(job->table->windows.count * BATCH_ADDITIONS, sizeof *digits);
    GROUP(addition) *batch = allocate(BATCH_ADDITIONS, sizeof *batch);
    GROUP(batch_scratch) *scratch = allocate(1, sizeof *scratch);
    for (size_t i = begin; i < end; i += BATCH_ADDITIONS)
        multiply_batch(job, i, end - i < BATCH_ADDITIONS ? end : i + BATCH_ADDITIONS, digits, batch, scratch);
    free(digits);
    free(batch);
    free(scratch);
}

void NAMED(fixed_base, _multiply)(const fixed_base *table, affine_point *points, const fr *scalars, size_t count,
                                  thread_pool *pool) {
    multiply_job job = {.table = table, .points = points, .scalars = scalars};
    /* Full batches where there are enough scalars for every worker. */
    size_t grain = even_grain(pool, count), batches = grain / BATCH_ADDITIONS;
    if (batches > 0)
        grain = (batches < BATCHES_IN_RANGE ? batches : BATCHES_IN_RANGE) * BATCH_ADDITIONS;
    parallel_for(pool, count, grain, multiply_range, &job);
}
