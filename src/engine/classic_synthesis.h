/* The classic synthesis beside the compact one: constraints are made and evaluated one by one, as the published
 * implementation does it, values are kept in full, and what the prover gets must equal them. */
#ifndef ENGINE_CLASSIC_SYNTHESIS_H
#define ENGINE_CLASSIC_SYNTHESIS_H

#include "base/progress.h"
#include "r1cs/compact_assignment.h"

/* Memory that the values in full take. */
uint64_t classic_synthesis_bytes(const circuit_shape *shape);

/* Synthesizes the circuit, which has its witness, and compares every variable and every row with the compact assignment.
 * CUZK_UNSATISFIED names the first broken constraint; CUZK_INTERNAL: the two differ, and where; CUZK_NO_MEMORY;
 * CUZK_CANCELLED, which it notices between synthesis and comparison and while it compares. */
cuzk_status classic_synthesis_agrees(const compact_assignment *compact, const circuit *c, progress *job, cuzk_error *error);

#endif
