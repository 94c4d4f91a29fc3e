/* How many products in the fields and bytes of memory each phase of a proof takes: what its time is measured by. */
#ifndef GROTH16_PROVE_WORK_H
#define GROTH16_PROVE_WORK_H

#include "groth16/prove_profile.h"

typedef enum {
    WORK_FR_PRODUCT,
    WORK_FP_PRODUCT,
    WORK_FP_SQUARE,
    WORK_FP2_PRODUCT,
    WORK_FP2_SQUARE,
    WORK_BYTES, /* of memory, read and written together */
    WORK_KINDS
} work_kind;

typedef struct {
    uint64_t of[WORK_KINDS];
} work_amounts;

/* The sizes that a proof's work follows from. */
typedef struct {
    unsigned domain_log_size;
    uint64_t assignment_bytes;
    uint64_t points[PROVE_SUMS]; /* of the queries h, l, a, b_g1, b_g2 */
} prove_sizes;

/* The work of a phase. Transforms: the products of a radix-2 transform, n/2 log n less those by 1, and one for each
 * element where a coset's or the inverse's factors come in; MSMs: what the sum counted, 5 products and a square for each
 * addition and one product for each wide scalar's second point. Bytes are those read and written by a phase that keeps nothing in
 * caches but what it is at: the encoded points, each addition's three points, a transform's passes. A phase without
 * a model (evaluation, combination, verification) has no products. */
work_amounts phase_work(prove_phase phase, const prove_sizes *sizes, const prove_profile *profile);

/* Products in Fr of a transform of 2^log_size elements as phase_work counts them. */
uint64_t transform_products(unsigned log_size);

/* The most memory that a proof may take: two buffers over the domain, and 512 MiB. */
uint64_t peak_limit_bytes(unsigned domain_log_size);

#endif
