/* Vanilla proofs of a SnapDeals update: opening the old replica, the new data and the new replica at the challenges
 * (storage-proofs-update, vanilla.rs). */
#ifndef FILECOIN_UPDATE_VANILLA_H
#define FILECOIN_UPDATE_VANILLA_H

#include "filecoin/sector_view.h"
#include "filecoin/vanilla_proof.h"

/* The proof of one partition, below shape->snap_partitions. The old sector's view has tree R, the new one's trees R and D;
 * comm_c is the old one's. *proof is freed with free(). CUZK_BAD_INPUT if what is stored is damaged: in checked views also
 * if the new replica is not the old one with the new data encoded. */
cuzk_status update_prove_partition(snap_partition_proof **proof, const sector_view *old, const sector_view *updated,
                                   unsigned partition, thread_pool *pool, cuzk_error *error);

/* All shape->snap_partitions partitions, an array to be freed with update_proofs_free. */
cuzk_status update_prove(snap_partition_proof ***proofs, const sector_view *old, const sector_view *updated, thread_pool *pool,
                         cuzk_error *error);
/* NULL is fine. */
void update_proofs_free(snap_partition_proof **proofs, size_t count);

#endif
