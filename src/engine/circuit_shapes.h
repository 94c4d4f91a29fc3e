/* The shapes of the circuits that jobs have asked for: each is made when it is first needed, shared by all partitions, and
 * kept, for making it takes up to a second and keeping it some megabytes. */
#ifndef ENGINE_CIRCUIT_SHAPES_H
#define ENGINE_CIRCUIT_SHAPES_H

#include "filecoin/circuits.h"
#include "r1cs/compact_shape.h"

typedef struct circuit_shapes circuit_shapes;

circuit_shapes *circuit_shapes_create(void);
void circuit_shapes_destroy(circuit_shapes *shapes);

/* The shape of a circuit, as long as `shapes` lives. Those who want the same one while it is made wait, others do not. Any
 * thread. */
const circuit_shape *circuit_shapes_get(circuit_shapes *shapes, proof_kind kind, const sector_shape *sector);

/* Memory that all of them take now. Any thread. */
uint64_t circuit_shapes_bytes(const circuit_shapes *shapes);

#endif
