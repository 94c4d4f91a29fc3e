/* Labels in a circuit (storage-proofs-porep, stacked/circuit/create_label.rs). */
#ifndef FILECOIN_CIRCUIT_LABEL_H
#define FILECOIN_CIRCUIT_LABEL_H

#include "filecoin/sector_shape.h"
#include "gadgets/number.h"
#include "gadgets/uint64.h"

/* A node's 32 bytes as SHA-256 takes them: byte by byte of the little-endian integer, each from its most significant
 * bit on. */
typedef struct {
    boolean bits[8 * NODE_BYTES];
} node_octets;

/* Decomposes a number; the 256th bit is a constant 0. */
void node_octets_of_number(constraint_system *cs, const number *a, node_octets *octets);

/* The label of a node: SHA-256 of replica id | u32 BE layer | u64 BE node | zeros up to 64 bytes | LABEL_PARENTS parents,
 * as a little-endian integer without its two top bits. parents are the distinct ones (parent_count > 0), taken round and
 * round: 6 in layer 1, 14 in the others. */
number circuit_label(constraint_system *cs, const node_octets *replica_id, unsigned layer, const uint64 *node,
                     const node_octets *parents, size_t parent_count);

#endif
