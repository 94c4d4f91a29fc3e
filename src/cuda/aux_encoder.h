/* The auxiliary variables of an assignment as they cross the bus: a bitmap of ones, a bitmap of the wide ones, and the values of
 * these. */
#ifndef CUDA_AUX_ENCODER_H
#define CUDA_AUX_ENCODER_H

#include "base/threads.h"
#include "r1cs/compact_assignment.h"

typedef struct {
    size_t words; /* of 64 variables */
    uint64_t *ones, *wide;
    fr_canonical *values; /* of the wide ones */
    size_t value_count;
    big_buffer bitmaps;
    size_t value_capacity;
} aux_encoding;

/* CUZK_NO_MEMORY. Free with aux_encoding_free. */
cuzk_status aux_encoding_create(aux_encoding *encoding, const compact_assignment *witness, thread_pool *pool, cuzk_error *error);
void aux_encoding_free(aux_encoding *encoding);
/* Memory that making one takes at most, the result included; most_wide: bounds the wide variables. */
uint64_t aux_encoding_bytes(const circuit_shape *shape, uint64_t most_wide, size_t workers);

/* Which auxiliary variables occur in A (DENSITY_A) or B (DENSITY_B), and how many before each word; rank has words + 1. Both are
 * the caller's to free with free(). */
void aux_density(const circuit_shape *shape, int which, uint64_t **dense, uint32_t **rank);

#endif
