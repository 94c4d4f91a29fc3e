/* The quotient polynomial (quotient.h) of a domain whose vectors do not fit in memory: the same coefficients, bit for bit, by
 * way of scratch files.
 *
 * The domain is a matrix (algebra/ntt_matrix.h) in two files, and passes through memory in slabs of columns and of rows. What
 * meets in one slab is done there at once, so that six transforms take seven passes:
 *
 *   columns  A: evaluated from the assignment, half of the transform to coefficients           writes
 *   rows     A: the other half, then half of the transform to the coset                 reads, writes
 *   columns, rows  B: likewise                                                          reads, writes twice
 *   columns  A and B: the other halves; A * B; half of the transform back        reads both, writes
 *   columns  C: evaluated, half of the transform to coefficients                               writes
 *   rows     A * B and C: the other halves; their difference                     reads both, writes
 *
 * In all six vectors are read and seven written; the sum over H reads one more. */
#ifndef GROTH16_QUOTIENT_FILE_H
#define GROTH16_QUOTIENT_FILE_H

#include "base/progress.h"
#include "groth16/matrix_file.h"
#include "groth16/prove_profile.h"
#include "r1cs/compact_assignment.h"

/* Where a proof may keep what it has no memory for. */
typedef struct {
    const char *directory;
    uint64_t memory_bytes; /* for the transforms; 0: PROVING_SCRATCH_MEMORY */
} proving_scratch;

#define PROVING_SCRATCH_MEMORY (UINT64_C(1) << 30)

/* The coefficients, and whether reading them has failed. */
typedef struct {
    matrix_file matrix;
    atomic_bool failed;
    cuzk_error failure; /* of the first read that failed */
    uint64_t bytes_read, bytes_written; /* while they were made, of both files */
} quotient_file;

/* Makes the 2^domain_log_size coefficients. Takes two files of 32 bytes an element, of which one remains. Advances job by
 * QUOTIENT_TRANSFORMS in all; the profile's phases include the waits for the disk. Fails with CUZK_BAD_INPUT when the memory is
 * not enough (quotient_file_shape), CUZK_NOT_FOUND or CUZK_INPUT_OUTPUT as scratch files do, CUZK_NO_MEMORY, CUZK_CANCELLED; then
 * nothing is kept. Free with quotient_file_free. */
cuzk_status quotient_file_compute(quotient_file *h, const compact_assignment *witness, const proving_scratch *scratch,
                                  thread_pool *pool, progress *job, prove_profile *profile, cuzk_error *error);
void quotient_file_free(quotient_file *h);

/* A scalar_source (algebra/msm.h) over a quotient_file: coefficients begin .. end - 1, canonical. Zeros when they cannot be
 * read, which quotient_file_check then tells. */
void quotient_file_scalars(const void *context, size_t begin, size_t end, fr_canonical *out);
/* CUZK_OK, or the failure of a read. */
cuzk_status quotient_file_check(const quotient_file *h, cuzk_error *error);

/* How the matrix is cut: into slabs as large as the memory allows, two of which are in memory at once. Slabs must not be so
 * small that a piece falls below 256 KiB (from 2^13 elements on): less memory than for that is CUZK_BAD_INPUT. */
cuzk_status quotient_file_shape(matrix_shape *shape, unsigned domain_log_size, const proving_scratch *scratch, size_t workers,
                                cuzk_error *error);
/* The memory that a cut takes: two slabs, a piece for each worker, tables. */
uint64_t quotient_file_memory(const matrix_shape *shape, size_t workers);

/* quotient_file_compute with the matrix cut in a given way: for tests. */
cuzk_status quotient_file_compute_cut(quotient_file *h, const compact_assignment *witness, const char *directory,
                                      const matrix_shape *shape, thread_pool *pool, progress *job, prove_profile *profile,
                                      cuzk_error *error);

#endif
