/* Single operations of the device's arithmetic, for tests: they run on whatever device the program is linked with. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include "cuda/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CHECK_FR, CHECK_FP, CHECK_FP2 } checked_field;
typedef enum {
    CHECK_ADD,
    CHECK_SUBTRACT,
    CHECK_MULTIPLY,
    CHECK_SQUARE,
    CHECK_NEGATE,
    CHECK_TO_CANONICAL,
    CHECK_FROM_CANONICAL
} checked_operation;

/* out[i] = a[i] operation b[i]; arrays of count elements in the device's memory, as blst keeps them (operations of one operand
 * take a alone; Fp2 has no canonical form). */
cuzk_status device_check_field(device_stream *stream, checked_field field, checked_operation operation, void *out, const void *a,
                               const void *b, size_t count, cuzk_error *error);

/* out[t] = the sum of value[u] over the threads u of t's block of 64 up to t, by barriers, ballots and exchanges of warps. count
 * is a multiple of 64. */
cuzk_status device_check_block(device_stream *stream, uint32_t *out, const uint32_t *values, size_t count, cuzk_error *error);

/* Reads one byte. */
cuzk_status device_check_read(device_stream *stream, uint8_t *out, const void *from, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
