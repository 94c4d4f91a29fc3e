/* Rows in the encoding of row_encoding.h, in a device's memory, and the values of A, B and C from them. */
#ifndef CUDA_ROWS_H
#define CUDA_ROWS_H

#include "cuda/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct device_rows device_rows;

/* The arrays of a row_encoding, in the host's memory. They must stay until the stream has been waited for. */
typedef struct {
    const uint32_t *codes;
    size_t code_words;
    const uint8_t *wide;
    size_t wide_count;
    const void *numbers;
    size_t number_count;
} encoded_rows;

cuzk_status device_rows_create(device_rows **rows, device_stream *stream, const encoded_rows *encoded, cuzk_error *error);
void device_rows_destroy(device_rows *rows);

typedef enum { ROWS_A, ROWS_B, ROWS_C } rows_side;

/* Writes A, B or C of the first `count` rows (at most 8 * code_words), Montgomery. */
cuzk_status device_rows_expand(const device_rows *rows, device_stream *stream, rows_side side, void *values, size_t count,
                               cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
