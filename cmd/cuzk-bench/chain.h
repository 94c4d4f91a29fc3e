/* The chain of squarings: a circuit whose witness is dense and of full size, for comparing provers. */
#ifndef CUZK_BENCH_CHAIN_H
#define CUZK_BENCH_CHAIN_H

#include "r1cs/constraint_system.h"

/* x, x^2, x^4, ... with x = 3: 2^log_size - 4 squarings, and a last constraint that makes the end the public input, so that
 * the domain is 2^log_size. The statement of the referee's `chain-setup-prove`. */
typedef struct {
    circuit base; /* first */
    unsigned log_size;
} chain_circuit;

enum { CHAIN_MIN_LOG_SIZE = 3, CHAIN_MAX_LOG_SIZE = 27 };

chain_circuit chain_circuit_make(unsigned log_size);

#endif
