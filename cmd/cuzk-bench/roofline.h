/* What this machine could do at best: products in the fields and bytes copied, measured. */
#ifndef CUZK_BENCH_ROOFLINE_H
#define CUZK_BENCH_ROOFLINE_H

#include "base/threads.h"
#include "groth16/prove_work.h"

/* "fr_products", ..., "bytes". */
extern const char *const WORK_NAMES[WORK_KINDS];

typedef struct {
    double per_core_second[WORK_KINDS]; /* for each second of processor time */
    double per_second[WORK_KINDS];      /* for each second that passed, on all threads together */
} roofline;

/* Takes about a tenth of a second for each rate, on all threads of the pool at once. Products are independent of each other,
 * and those of the level in use (algebra/cpu.h); in Fr those with the roots of transforms. */
void roofline_measure(roofline *result, thread_pool *pool);

/* Processor seconds that the products of an amount take at their rates; the bytes are left out. */
double product_seconds(const roofline *rates, const work_amounts *work);
/* Processor seconds that its bytes take. */
double traffic_seconds(const roofline *rates, const work_amounts *work);

#endif
