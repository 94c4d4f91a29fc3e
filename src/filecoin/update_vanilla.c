#include "filecoin/update_vanilla.h"

#include <stdlib.h>

#include "base/memory.h"
#include "filecoin/challenges.h"
#include "filecoin/parallel_try.h"
#include "filecoin/trusted_element.h"

typedef struct {
    const sector_view *old, *updated;
    fr phi;
    const uint64_t *challenges;
    snap_partition_proof *proof;
} partition_prove;

static void comm_r_element(fr *comm_r, const sector_view *view) {
    uint8_t bytes[32];
    sector_view_comm_r(bytes, view);
    trusted_element(comm_r, bytes);
}

static bool encodes_data(const snap_challenge_proof *challenge, const sector_shape *shape, const fr *phi) {
    fr rho, encoded;
    snap_rho(&rho, phi, challenge->data_new_path.index >> (shape->node_bits - snap_high_bits(shape)));
    fr_mul(&encoded, &challenge->data_new_path.leaf, &rho);
    fr_add(&encoded, &encoded, &challenge->replica_old_path.leaf);
    return fr_equal(&encoded, &challenge->replica_new_path.leaf);
}

static cuzk_status prove_challenge(void *context, size_t index, cuzk_error *error) {
    const partition_prove *prove = context;
    const sector_view *old = prove->old, *updated = prove->updated;
    snap_challenge_proof *challenge = &prove->proof->challenges[index];
    uint64_t node = prove->challenges[index];
    TRY(sector_view_path(&challenge->replica_old_path, old, old->replica_tree, node, "old tree-r-last", error));
    TRY(sector_view_path(&challenge->data_new_path, updated, updated->data_tree, node, "new tree-d", error));
    TRY(sector_view_path(&challenge->replica_new_path, updated, updated->replica_tree, node, "new tree-r-last", error));
    if (updated->checked && !encodes_data(challenge, old->shape, &prove->phi))
        return failure(error, CUZK_BAD_INPUT, "new replica: node %llu is not the encoding of its data in the old one",
                       (unsigned long long)node);
    return CUZK_OK;
}

/* The apex leaves of all partitions are a level of tree D. */
static cuzk_status read_apex_leaves(fr *leaves, const sector_view *updated, unsigned partition, cuzk_error *error) {
    const merkle_source *tree = updated->data_tree;
    uint64_t per_partition = updated->shape->snap_apex_leaves;
    unsigned level = 0;
    while (merkle_level_nodes(&tree->shape, level) > per_partition * updated->shape->snap_partitions)
        level++;
    for (uint64_t i = 0; i < per_partition; i++)
        if (!tree->node(&leaves[i], tree, level, per_partition * partition + i))
            return failure(error, CUZK_BAD_INPUT, "new tree-d: found bytes that are not a field element at level %u", level);
    return CUZK_OK;
}

cuzk_status update_prove_partition(snap_partition_proof **proof, const sector_view *old, const sector_view *updated,
                                   unsigned partition, thread_pool *pool, cuzk_error *error) {
    const sector_shape *shape = old->shape;
    uint64_t challenges[MAX_SNAP_CHALLENGES];
    fr comm_r_new, comm_r_old, comm_d_new;
    if (!merkle_source_root(&comm_d_new, updated->data_tree))
        return failure(error, CUZK_BAD_INPUT, "new tree-d: its root is not a field element");
    comm_r_element(&comm_r_old, old);
    comm_r_element(&comm_r_new, updated);
    snap_challenges(challenges, shape, &comm_r_new, partition);

    snap_partition_proof *made = snap_partition_proof_create(shape);
    made->comm_c = old->comm_c;
    partition_prove prove = {.old = old, .updated = updated, .challenges = challenges, .proof = made};
    snap_phi(&prove.phi, &comm_d_new, &comm_r_old);
    cuzk_status status = read_apex_leaves(made->apex_leaves, updated, partition, error);
    if (status == CUZK_OK)
        status = parallel_try(pool, shape->snap_challenges, prove_challenge, &prove, error);
    if (status != CUZK_OK)
        free(made);
    *proof = status == CUZK_OK ? made : NULL;
    return status;
}

cuzk_status update_prove(snap_partition_proof ***proofs, const sector_view *old, const sector_view *updated, thread_pool *pool,
                         cuzk_error *error) {
    unsigned partitions = old->shape->snap_partitions;
    *proofs = allocate_zeroed(partitions, sizeof(snap_partition_proof *));
    for (unsigned i = 0; i < partitions; i++) {
        cuzk_status status = update_prove_partition(&(*proofs)[i], old, updated, i, pool, error);
        if (status != CUZK_OK) {
            update_proofs_free(*proofs, i);
            *proofs = NULL;
            return status;
        }
    }
    return CUZK_OK;
}

void update_proofs_free(snap_partition_proof **proofs, size_t count) {
    if (!proofs)
        return;
    for (size_t i = 0; i < count; i++)
        free(proofs[i]);
    free(proofs);
}
