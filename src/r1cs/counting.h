/* Constraint system that counts: sizes and densities, no values, no matrices. */
#ifndef R1CS_COUNTING_H
#define R1CS_COUNTING_H

#include "r1cs/constraint_system.h"

/* Which variables occur, with a non-zero coefficient, in A and in B: they decide which points a .params file holds. */
typedef struct {
    uint64_t *words; /* bit i of word i / 64 */
    size_t capacity; /* words, allocated and zero */
    uint64_t ones;
} density;

static inline bool density_get(const density *d, uint32_t index) {
    return index / 64 < d->capacity && (d->words[index / 64] >> (index % 64) & 1);
}
/* Marks an index, growing as needed. */
void density_set(density *d, uint32_t index);
/* Makes room for indices below count. */
void density_reserve(density *d, size_t count);
void density_free(density *d);

typedef struct {
    uint32_t inputs;      /* ONE included */
    uint32_t aux;
    uint64_t constraints; /* without the one that setup and prover append for each input */
    uint64_t nonzeros[3]; /* terms with a non-zero coefficient in A, B, C */
    density a_aux, b_aux, b_input;
} circuit_counts;

/* Synthesizes the circuit without a witness. Free with circuit_counts_free. */
void circuit_count(circuit_counts *counts, const circuit *c);
void circuit_counts_free(circuit_counts *counts);

/* Marks the terms of a constraint's A and B in the densities and adds to nonzeros: what every system that tracks
 * densities does for each constraint. */
void circuit_counts_track(circuit_counts *counts, const constraint_system *cs);

/* log2 of the domain: the smallest power of two that holds constraints + inputs rows. */
unsigned circuit_domain_log_size(const circuit_counts *counts);

#endif
