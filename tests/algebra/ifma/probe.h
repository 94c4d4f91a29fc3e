/* What the tests see of the vector arithmetic inside the kernels, once for AVX-512 and once for the model. */
#ifndef TESTS_IFMA_PROBE_H
#define TESTS_IFMA_PROBE_H

#include <stdint.h>

enum { PROBE_LANES = 8, PROBE_INSTRUCTIONS = 24 };

typedef uint64_t probe_vector[PROBE_LANES];

/* Results of products, by lane, reduced. */
typedef struct {
    uint64_t product[PROBE_LANES][6];         /* a * b / 2^416 */
    uint64_t square[PROBE_LANES][6];          /* a * a / 2^416 */
    uint64_t sum_of_products[PROBE_LANES][6]; /* (a * b + c * d) / 2^416 */
    uint64_t shifted_product[PROBE_LANES][6]; /* 2^16 * a * b / 2^416 */
} probe_fp_results;

typedef struct {
    uint64_t product[PROBE_LANES][4];        /* a * b / 2^260 */
    uint64_t nearly_reduced[PROBE_LANES][4]; /* a by way of fr8_nearly_reduced */
} probe_fr_results;

typedef struct {
    /* Every operation on vectors, on three operands. */
    void (*instructions)(probe_vector out[PROBE_INSTRUCTIONS], const probe_vector in[3]);
    /* Operands a, b, c, d in normalised limbs, below 2^384. */
    void (*fp_products)(probe_fp_results *out, const probe_vector operands[4][8]);
    /* fp8_reduced of loose limbs. */
    void (*fp_reduced)(uint64_t out[PROBE_LANES][6], const probe_vector limbs[8]);
    /* Operands a, b in normalised limbs, below 33r. */
    void (*fr_products)(probe_fr_results *out, const probe_vector operands[2][5]);
    void (*fr_reduced)(uint64_t out[PROBE_LANES][4], const probe_vector limbs[5]);
    /* Out of memory into lanes, times 1, and back; values below r. */
    void (*fr_round_trip)(uint64_t out[4 * PROBE_LANES], const uint64_t in[4 * PROBE_LANES]);
} probe;

extern const probe probe_ifma, probe_ifma_model;

#endif
