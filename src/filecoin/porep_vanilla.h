/* Vanilla proofs of replication: opening a sector's labels and trees at the challenges (storage-proofs-porep,
 * stacked/vanilla/proof.rs, prove_layers_generate). */
#ifndef FILECOIN_POREP_VANILLA_H
#define FILECOIN_POREP_VANILLA_H

#include "filecoin/graph.h"
#include "filecoin/sector_view.h"
#include "filecoin/vanilla_proof.h"

/* The proof of one partition: shape->porep_challenges challenges, each 1 ... nodes - 1, of a view with labels and all
 * trees. The graph is the sector's. *proof is freed with free(). CUZK_BAD_INPUT if what is stored is damaged: in a checked
 * view also if a challenged node's labels or replica disagree with its parents and data. */
cuzk_status porep_prove_partition(porep_partition_proof **proof, const sector_view *view, const stacked_graph *graph,
                                  const uint8_t replica_id[32], const uint64_t *challenges, thread_pool *pool, cuzk_error *error);

/* All partitions: an array of registered_proof_partitions proofs, to be freed with porep_proofs_free. The challenges follow
 * from replica id, comm_r and seed. */
cuzk_status porep_prove(porep_partition_proof ***proofs, const registered_proof *proof, const sector_view *view,
                        const uint8_t replica_id[32], const uint8_t seed[32], thread_pool *pool, cuzk_error *error);
/* NULL is fine. */
void porep_proofs_free(porep_partition_proof **proofs, size_t count);

#endif
