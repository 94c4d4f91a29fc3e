/* The graph that sealing walks: each node of a layer hashes six parents in its own layer (a depth-robust graph by bucket
 * sampling) and, from the second layer on, eight in the layer below (an expander by a Feistel permutation).
 * Source: storage-proofs-core drgraph.rs and crypto/feistel.rs, storage-proofs-porep stacked/vanilla/graph.rs. */
#ifndef FILECOIN_GRAPH_H
#define FILECOIN_GRAPH_H

#include "filecoin/registered_proof.h"

typedef struct {
    uint64_t nodes;
    api_version api;          /* 1.0 has the predecessor last among the DRG parents, later versions first */
    uint8_t drg_seed[28];     /* completed with the node's number */
    uint64_t feistel_keys[4]; /* three rounds use the first three */
    unsigned half_bits;       /* of the permutation's domain, the power of four that holds 8 * nodes */
} stacked_graph;

/* porep_id: 32 bytes (registered_proof_porep_id). */
void stacked_graph_init(stacked_graph *graph, const sector_shape *shape, const uint8_t porep_id[32], api_version api);

/* Parents in the order that labels hash them; they may repeat. node < graph->nodes. Nodes 0 and 1 have 0 six times. */
void stacked_graph_drg_parents(const stacked_graph *graph, uint32_t node, uint32_t parents[DRG_DEGREE]);
void stacked_graph_expander_parents(const stacked_graph *graph, uint32_t node, uint32_t parents[EXPANDER_DEGREE]);

#endif
