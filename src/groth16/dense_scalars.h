/* The scalars of a query that skips variables: which value belongs to the i-th point. */
#ifndef GROTH16_DENSE_SCALARS_H
#define GROTH16_DENSE_SCALARS_H

#include "algebra/msm.h"
#include "r1cs/counting.h"

/* The values of the variables in a density, in order, without a copy. */
typedef struct {
    const fr *values; /* Montgomery, one for each variable */
    const density *present;
    uint32_t *ranks; /* variables present before each block of 512 */
    size_t blocks;
} dense_scalars;

/* Indexes a density; values and density must outlive it. Free with dense_scalars_free. */
void dense_scalars_create(dense_scalars *scalars, const fr *values, const density *present);
void dense_scalars_free(dense_scalars *scalars);

/* A scalar_source (msm.h) over a dense_scalars: for present->ones points. */
void dense_scalars_source(const void *context, size_t begin, size_t end, fr_canonical *out);

#endif
