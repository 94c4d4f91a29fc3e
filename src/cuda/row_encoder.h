/* The host's side of row_encoding.h. */
#ifndef CUDA_ROW_ENCODER_H
#define CUDA_ROW_ENCODER_H

#include "base/progress.h"
#include "base/threads.h"
#include "cuda/row_encoding.h"
#include "r1cs/compact_assignment.h"

typedef struct {
    uint32_t *codes; /* words of ROWS_PER_WORD rows, as many as the domain has rows, and at least one */
    size_t code_words;
    uint8_t *wide; /* a byte for each wide row */
    size_t wide_count;
    fr *numbers; /* Montgomery */
    size_t number_count;
    big_buffer codes_memory;
    size_t wide_capacity, number_capacity;
} row_encoding;

/* All rows of the domain. CUZK_NO_MEMORY or CUZK_CANCELLED. Free with row_encoding_free. */
cuzk_status row_encoding_create(row_encoding *encoding, const compact_assignment *witness, thread_pool *pool, progress *job,
                                cuzk_error *error);
void row_encoding_free(row_encoding *encoding);
/* Memory that making one takes at most, the result included. */
uint64_t row_encoding_bytes(const circuit_shape *shape, size_t workers);
/* The most wide rows that an assignment of a shape can have. */
uint64_t most_wide_rows_of(const circuit_shape *shape);

#endif
