/* The quotient polynomial H = (A * B - C) / Z of a satisfied assignment. */
#ifndef GROTH16_QUOTIENT_H
#define GROTH16_QUOTIENT_H

#include "base/progress.h"
#include "base/threads.h"
#include "groth16/prove_profile.h"
#include "r1cs/compact_assignment.h"

enum { QUOTIENT_TRANSFORMS = 6 };

/* Makes the 2^domain_log_size coefficients of H in *h (fr, Montgomery; the degree is at most 2^domain_log_size - 2, so the
 * last one is zero), to be freed by the caller. Memory is one such vector more. Advances job by QUOTIENT_TRANSFORMS in all;
 * profile may be NULL. CUZK_NO_MEMORY or CUZK_CANCELLED; then nothing is kept.
 *
 * The values of A and B on the domain are made one after the other, interpolated, evaluated on a coset h * <root> and multiplied
 * there. Interpolated again, that is the remainder D of A * B modulo x^size - h^size. C is the remainder modulo Z = x^size - 1, so
 * A * B = H * Z + C, whose other remainder is H * (h^size - 1) + C: H = (D - C) / (h^size - 1). Which coset it is makes no
 * difference for a satisfied assignment; with h the square root of the root, h^size = -1, transforms need no factors for it, and
 * H = (C - D) / 2. With C in coefficients it need not go to the coset, so six transforms do what takes bellperson 0.27 seven
 * (groth16/prover/native.rs). */
cuzk_status quotient_compute(big_buffer *h, const compact_assignment *witness, thread_pool *pool, progress *job,
                             prove_profile *profile, cuzk_error *error);

#endif
