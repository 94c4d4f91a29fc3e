/* What the tests see of the arithmetic in Fp inside the kernels of level avx2; for CPUs that have it. */
#ifndef TESTS_AVX2_PROBE_FP_H
#define TESTS_AVX2_PROBE_FP_H

#include <stdint.h>

#include "algebra/field.h"

enum { PROBE_LANES = 4, PROBE_LIMBS = 8 };

/* Limbs of four elements: limb[i][lane]. */
typedef struct {
    _Alignas(32) double limb[PROBE_LIMBS][PROBE_LANES];
} probe_element;

/* a * b / 2^384, normalised, and beside it the product of two elements in memory, loose. */
void probe_avx2_product(probe_element *out, const probe_element *a, const probe_element *b, fp *other, const fp *other_a,
                        const fp *other_b);
void probe_avx2_normalise(probe_element *a);
/* The values below p; and in a what they are as limbs again. */
void probe_avx2_store_reduced(fp out[PROBE_LANES], probe_element *a);
void probe_avx2_gather(probe_element *out, const fp in[PROBE_LANES]);

#endif
