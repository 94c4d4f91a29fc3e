#include "roofline.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/curve.h"
#include "algebra/fp2_product.h"
#include "algebra/kernels.h"
#include "algebra/ntt_blocks.h"
#include "base/memory.h"
#include "measure.h"

enum { BATCH = 1 << 12, ELEMENTS = 64, COPY_BYTES = 8 << 20, SECONDS_DIVISOR = 10 };

const char *const WORK_NAMES[WORK_KINDS] = {"fr_products",  "fp_products", "fp_squares",
                                       "fp2_products", "fp2_squares", "bytes"};

/* What one thread works on. */
typedef struct {
    fp2 pairs[ELEMENTS + 1];
    uint8_t *from, *to;
} operands;

/* One batch; returns how much it was. */
static uint64_t work_once(operands *o, work_kind kind) {
    const algebra_kernels *kernels = kernels_in_use();
    switch (kind) {
    case WORK_FR_PRODUCT:
        return ntt_products(BATCH);
    case WORK_FP_PRODUCT:
        return kernels->g1_lane_products(BATCH, false);
    case WORK_FP_SQUARE:
        return kernels->g1_lane_products(BATCH, true);
    case WORK_FP2_PRODUCT:
        if (kernels->g2_lane_products)
            return kernels->g2_lane_products(BATCH, false);
        for (size_t i = 0; i < BATCH; i++)
            fp2_product(&o->pairs[i % ELEMENTS], &o->pairs[i % ELEMENTS], &o->pairs[ELEMENTS]);
        return BATCH;
    case WORK_FP2_SQUARE:
        if (kernels->g2_lane_products)
            return kernels->g2_lane_products(BATCH, true);
        for (size_t i = 0; i < BATCH; i++)
            blst_fp2_sqr(&o->pairs[i % ELEMENTS], &o->pairs[i % ELEMENTS]);
        return BATCH;
    default:
        memcpy(o->to, o->from, COPY_BYTES);
        o->from[o->to[0] % COPY_BYTES]++; /* so that no copy is left out */
        return 2 * COPY_BYTES;
    }
}

static operands *operands_create(void) {
    static const uint8_t seed[32] = {'r', 'o', 'o', 'f'};
    operands *o = allocate(1, sizeof *o);
    for (size_t i = 0; i <= ELEMENTS; i++) {
        fr scalar;
        fr_canonical canonical;
        fr_from_seed(&scalar, seed, i);
        fr_to_canonical(&canonical, &scalar);
        blst_fp_from_le_bytes(&o->pairs[i].fp[0], canonical.bytes, FR_BYTES);
        o->pairs[i].fp[1] = o->pairs[i / 2].fp[0];
    }
    o->from = allocate(2 * COPY_BYTES, 1);
    o->to = o->from + COPY_BYTES;
    memset(o->from, 1, 2 * COPY_BYTES);
    return o;
}

static void operands_destroy(operands *o) {
    free(o->from);
    free(o);
}

typedef struct {
    work_kind kind;
    _Atomic uint64_t amount, cpu_us;
} rate_loop;

static void measure_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    rate_loop *loop = context;
    operands *o = operands_create();
    for (size_t i = begin; i < end; i++) {
        uint64_t amount = 0, start = thread_cpu_us(), taken;
        do {
            amount += work_once(o, loop->kind);
            taken = thread_cpu_us() - start;
        } while (taken < 1000000 / SECONDS_DIVISOR);
        loop->amount += amount;
        loop->cpu_us += taken;
    }
    operands_destroy(o);
}

void roofline_measure(roofline *result, thread_pool *pool) {
    for (work_kind kind = 0; kind < WORK_KINDS; kind++) {
        rate_loop loop = {.kind = kind};
        usage begin = usage_now(NULL);
        parallel_for(pool, thread_pool_size(pool), 1, measure_range, &loop);
        usage taken = usage_since(&begin, NULL);
        result->per_core_second[kind] = 1e6 * (double)loop.amount / (double)loop.cpu_us;
        result->per_second[kind] = 1e6 * (double)loop.amount / (double)taken.wall_us;
    }
}

double product_seconds(const roofline *rates, const work_amounts *work) {
    double seconds = 0;
    for (work_kind kind = 0; kind < WORK_BYTES; kind++)
        seconds += (double)work->of[kind] / rates->per_core_second[kind];
    return seconds;
}

double traffic_seconds(const roofline *rates, const work_amounts *work) {
    return (double)work->of[WORK_BYTES] / rates->per_core_second[WORK_BYTES];
}
