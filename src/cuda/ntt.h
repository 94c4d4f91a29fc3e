/* The transforms of algebra/ntt.h on a device, with equal results, and what the quotient needs between them. Values are
 * 2^log_size elements of Fr (Montgomery) in the device's memory. Every function gives the stream its work and returns. */
#ifndef CUDA_NTT_H
#define CUDA_NTT_H

#include "cuda/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of powers in the device's memory, at most 6 MiB. */
typedef struct device_ntt device_ntt;

/* log_size is at most NTT_MAX_LOG_SIZE. Transforms may run on other streams once this one has been waited for. */
cuzk_status device_ntt_create(device_ntt **ntt, device_stream *stream, unsigned log_size, cuzk_error *error);
/* With another number of levels in a pass, 1 .. 10: for tests and measurements. */
cuzk_status device_ntt_create_with_tile(device_ntt **ntt, device_stream *stream, unsigned log_size, unsigned tile_log,
                                        cuzk_error *error);
void device_ntt_destroy(device_ntt *ntt);

/* Natural order on both sides. */
cuzk_status device_ntt_forward(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);
cuzk_status device_ntt_inverse(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);
cuzk_status device_ntt_coset_forward(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);
cuzk_status device_ntt_coset_inverse(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);

/* ntt_inverse and then ntt_coset_forward: values on the domain to values on the coset. The coefficients between the two stay in
 * bit-reversed order, which saves two passes over memory, and the factors g^i / size are part of a pass. */
cuzk_status device_ntt_to_coset(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);
/* Its two transforms: to coefficients, bit-reversed and multiplied by g^i / size; from these to values on the coset. */
cuzk_status device_ntt_to_coset_coefficients(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);
cuzk_status device_ntt_from_coset_coefficients(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error);

/* a[i] *= b[i] */
cuzk_status device_multiply(device_stream *stream, void *a, const void *b, size_t count, cuzk_error *error);
/* From A * B on the coset and C on the domain, both of 2^log_size values: the coefficients of H = (A * B - C) / (x^size - 1), in
 * product, as groth16/quotient.h explains it. c is used up. */
cuzk_status device_ntt_quotient(const device_ntt *ntt, device_stream *stream, void *product, void *c, cuzk_error *error);
/* Its three steps: the coefficients of A * B, those of C, both bit-reversed, and H from the two. */
cuzk_status device_ntt_product_coefficients(const device_ntt *ntt, device_stream *stream, void *product, cuzk_error *error);
cuzk_status device_ntt_c_coefficients(const device_ntt *ntt, device_stream *stream, void *c, cuzk_error *error);
cuzk_status device_ntt_divide(const device_ntt *ntt, device_stream *stream, void *product, const void *c, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
