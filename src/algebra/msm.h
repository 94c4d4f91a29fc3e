/* Multi-scalar multiplication: sums of scalar * point in G1 and G2.
 *
 * Points come in the files' encoding (uncompressed big-endian, see curve.h), straight from the mapping: they are decoded
 * block by block as they stream and never copied as a whole. The caller has checked them (groth16/parameters.h), the
 * subgroup included. All sums are right for every such input: repeated and opposite points, infinity, any scalar.
 * Results do not depend on the number of threads. */
#ifndef ALGEBRA_MSM_H
#define ALGEBRA_MSM_H

#include "algebra/curve.h"
#include "base/progress.h"
#include "base/threads.h"

/* Where the scalars of count points come from: a callback so that a compact assignment need not be expanded as a
 * whole. Writes the scalars of points begin .. end-1, canonical, to out[0 .. end-begin-1]. Called from any worker. */
typedef void (*scalar_source)(const void *context, size_t begin, size_t end, fr_canonical *out);

/* The terms of a sum. */
typedef struct {
    const uint8_t *points; /* count * 96 (G1) or 192 (G2) bytes, all of order r (outside the subgroup the endomorphism is not
                              multiplication by a scalar) */
    size_t count;
    scalar_source source;
    const void *context;
    /* NULL, or called with points, in order, that are not looked at again: a mapped file's pages can go. */
    void (*used)(const uint8_t *begin, uint64_t bytes);
} msm_terms;

/* What a sum took. */
typedef struct {
    uint64_t zeros, ones, wide; /* scalars 0; 1 and -1; all others */
    uint64_t additions;         /* of affine points, 5 products and a square each, those to an empty sum included */
    uint64_t inversions;        /* that they shared */
    unsigned window_bits;       /* of the last windows; 0: none */
} msm_counts;

/* result = sum of scalar i * point i. Scalars are sorted by kind on the way: zeros are skipped (their points
 * are not looked at), ones are summed without buckets (batch-affine), -1 likewise, the rest go through signed-digit
 * Pippenger with a window chosen by their number, as two scalars of half the length by the curve's endomorphism.
 * The result is normalised: z = 1, or 0 for infinity.
 * Memory: msm_g1_memory at most.
 * job, if not NULL, is advanced by count in all and may cancel. counts, if not NULL, is added to. Fails with
 * CUZK_CANCELLED, CUZK_NO_MEMORY, or CUZK_BAD_INPUT when a point's encoding is malformed (its index is named). */
cuzk_status msm_g1(g1 *result, const msm_terms *terms, thread_pool *pool, progress *job, msm_counts *counts, cuzk_error *error);
cuzk_status msm_g2(g2 *result, const msm_terms *terms, thread_pool *pool, progress *job, msm_counts *counts, cuzk_error *error);

/* Bytes that a sum over count points takes besides them when all scalars are wide: a buffer of 6 MB, more for more points (6 MB for
 * each 2^19, up to 48 MB, or 192 MB beyond 33 million) and workers, a sixth to a third of it for digits, and the buckets:
 * 25 MB up to a million wide scalars, 113 MB up to 33 million, 805 MB beyond (in G2 50 MB and 226 MB). */
uint64_t msm_g1_memory(size_t count, size_t workers);
uint64_t msm_g2_memory(size_t count, size_t workers);

/* The scalars of one sum of several over the same points. */
typedef struct {
    scalar_source source;
    const void *context;
    progress *job;      /* NULL, or advanced by count in all; may cancel this sum */
    msm_counts *counts; /* NULL, or added to */
    cuzk_error *error;
    cuzk_status status; /* in: a sum with another than CUZK_OK is left out; out */
} msm_scalars;

/* Several sums in one pass over the points: each range of them is read for every sum before the next, and then given to
 * terms->used. results[i] = sum of scalar j of sums[i] * point j, as msm_g1 makes it; terms->source and context are not looked
 * at. A sum that fails leaves the others alone. Memory as for msm_g1, for each sum. */
void msm_g1_together(g1 *results, const msm_terms *terms, msm_scalars *sums, size_t sum_count, thread_pool *pool);
void msm_g2_together(g2 *results, const msm_terms *terms, msm_scalars *sums, size_t sum_count, thread_pool *pool);

/* A scalar_source over an array of field elements (const fr *, Montgomery). */
void scalars_from_fr_array(const void *context, size_t begin, size_t end, fr_canonical *out);

/* The same sums over points in memory, with a window of `window` bits forced (1 .. 22; 0: chosen): for tests. */
cuzk_status msm_g1_with_window(g1 *result, const uint8_t *points, size_t count, const fr_canonical *scalars, unsigned window,
                               thread_pool *pool, msm_counts *counts, cuzk_error *error);
cuzk_status msm_g2_with_window(g2 *result, const uint8_t *points, size_t count, const fr_canonical *scalars, unsigned window,
                               thread_pool *pool, msm_counts *counts, cuzk_error *error);

#endif
