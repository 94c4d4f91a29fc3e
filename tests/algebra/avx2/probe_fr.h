/* What the tests see of the arithmetic in Fr inside the kernels of level avx2; for CPUs that have it. */
#ifndef TESTS_AVX2_PROBE_FR_H
#define TESTS_AVX2_PROBE_FR_H

#include "algebra/field.h"

enum { PROBE_LANES = 4, PROBE_LIMBS = 6 };

/* Limbs of four elements: limb[i][lane]. */
typedef struct {
    _Alignas(32) double limb[PROBE_LIMBS][PROBE_LANES];
} probe_element;

/* x times roots; *root is normalised, or comes from a product by another. */
void probe_avx2_fr_product(probe_element *out, const probe_element *x, const probe_element *root);
void probe_avx2_fr_settle(probe_element *a);
/* Out of memory, every stride-th; and the values below r into it. */
void probe_avx2_fr_load(probe_element *out, const fr *from, size_t stride);
void probe_avx2_fr_store(fr *to, size_t stride, const probe_element *a);
void probe_avx2_fr_transpose(probe_element elements[PROBE_LANES]);

#endif
