/* The quotient of groth16/quotient.h on a device. */
#ifndef CUDA_CUDA_QUOTIENT_H
#define CUDA_CUDA_QUOTIENT_H

#include "base/progress.h"
#include "cuda/device.h"
#include "cuda/row_encoder.h"
#include "groth16/prove_profile.h"

/* Makes the 2^log_size coefficients of H (Montgomery) in *h, in the device's memory, to be freed by the caller. Takes memory for
 * one such vector more while it works. Waits for the stream. profile may be NULL. */
cuzk_status cuda_quotient(void **h, device_stream *stream, const row_encoding *encoding, unsigned log_size, progress *job,
                          prove_profile *profile, cuzk_error *error);

#endif
