/* How much memory and how large a file a circuit needs, from its shape alone: nothing is run. */
#ifndef GROTH16_PROVING_MEMORY_H
#define GROTH16_PROVING_MEMORY_H

#include "groth16/quotient_file.h"

/* Bytes. */
typedef struct {
    uint64_t parameters; /* the size of the .params file */
    uint64_t resident;   /* the part of it that is resident at once: a proof gives pages of the mapped file back as it goes */
    uint64_t shape;      /* of the circuit, shared by all partitions */
    uint64_t assignment; /* of one partition */
    uint64_t working;    /* of proving one partition, besides: at most */
} proving_memory;

/* workers: of the pool that proves. */
proving_memory proving_memory_of(const circuit_shape *shape, size_t workers);

/* The same where the transforms go by way of files (prove_options): no vector is in memory then. Pages that the kernel keeps of
 * these files for as long as nobody wants the memory are not counted. */
proving_memory proving_memory_with_scratch(const circuit_shape *shape, size_t workers, const proving_scratch *scratch);

/* What a pass over a parameter file of that size keeps resident at once. */
uint64_t parameters_resident_bytes(uint64_t file_bytes);

/* What a process that proves partitions one after another has resident at most. */
uint64_t proving_memory_total(const proving_memory *memory);

#endif
