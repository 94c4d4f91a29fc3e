/* The quotient polynomial H = (A * B - C) / Z of a satisfied assignment. */
#ifndef GROTH16_QUOTIENT_H
#define GROTH16_QUOTIENT_H

#include "base/progress.h"
#include "base/threads.h"
#include "r1cs/compact_assignment.h"

enum { QUOTIENT_TRANSFORMS = 7 };

/* Makes the 2^domain_log_size coefficients of H in *h (fr, Montgomery; the degree is at most 2^domain_log_size - 2, so the
 * last one is zero), to be freed by the caller. Memory is one such vector more. Advances job by QUOTIENT_TRANSFORMS in all.
 * CUZK_NO_MEMORY or CUZK_CANCELLED; then nothing is kept.
 *
 * The values of A, B and C on the domain are made one after another, interpolated, evaluated on the coset g * <root> where
 * Z = x^size - 1 is the constant g^size - 1, combined there, and interpolated again. Source: bellperson 0.27,
 * groth16/prover/native.rs. */
cuzk_status quotient_compute(big_buffer *h, const compact_assignment *witness, thread_pool *pool, progress *job,
                             cuzk_error *error);

#endif
