/* The quotient polynomial H = (A * B - C) / Z of a satisfied assignment. */
#ifndef GROTH16_QUOTIENT_H
#define GROTH16_QUOTIENT_H

#include "base/progress.h"
#include "base/threads.h"
#include "r1cs/assignment.h"

enum { QUOTIENT_TRANSFORMS = 7 };

/* Replaces witness->a, the values of A on the domain, by the coefficients of H (Montgomery; the degree is at most
 * 2^domain_log_size - 2, so the last one is zero) and frees b and c. Advances job by QUOTIENT_TRANSFORMS in all.
 * CUZK_NO_MEMORY or CUZK_CANCELLED; then what is left in the evaluations is of no use.
 *
 * The values of A, B and C on the domain are interpolated, evaluated on the coset g * <root> where Z = x^size - 1 is the
 * constant g^size - 1, combined there, and interpolated again. Source: bellperson 0.27, groth16/prover/native.rs. */
cuzk_status quotient_compute(assignment *witness, thread_pool *pool, progress *job, cuzk_error *error);

#endif
