#include "filecoin/porep_vanilla.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filecoin/challenges.h"
#include "filecoin/hashes.h"
#include "filecoin/parallel_try.h"
#include "gadgets/poseidon.h"

typedef struct {
    const sector_view *view;
    const stacked_graph *graph;
    const uint8_t *replica_id;
    const uint64_t *challenges;
    porep_partition_proof *proof;
} partition_prove;

static cuzk_status open_column(column_proof *column, const sector_view *view, uint64_t node, cuzk_error *error) {
    column->node = node;
    for (unsigned layer = 0; layer < view->shape->layers; layer++)
        if (!view->label(&column->rows[layer], view, layer, node))
            return failure(error, CUZK_BAD_INPUT, "layer %u: the label of node %llu is not a field element", layer + 1,
                           (unsigned long long)node);
    TRY(sector_view_path(&column->path, view, view->column_tree, node, "tree-c", error));
    if (!view->checked)
        return CUZK_OK;
    fr hash;
    poseidon_hash(&hash, POSEIDON_MERKLE_TREE, column->rows, view->shape->layers);
    if (!fr_equal(&hash, &column->path.leaf))
        return failure(error, CUZK_BAD_INPUT, "tree-c: leaf %llu is not the hash of its labels: a file is damaged",
                       (unsigned long long)node);
    return CUZK_OK;
}

/* The parents that a label hashes are labels of the parents' columns, in the order of the graph, repeated. */
static void set_label_parents(labeling_proof *label, const porep_challenge_proof *challenge, unsigned layer) {
    unsigned count = layer == 0 ? DRG_DEGREE : DRG_DEGREE + EXPANDER_DEGREE;
    label->layer = layer + 1;
    label->node = challenge->challenge;
    for (unsigned i = 0; i < LABEL_PARENTS; i++) {
        unsigned parent = i % count;
        label->parents[i] = parent < DRG_DEGREE ? challenge->drg_parents[parent].rows[layer]
                                                : challenge->expander_parents[parent - DRG_DEGREE].rows[layer - 1];
    }
}

static bool label_is_consistent(const labeling_proof *label, const fr *expected, const uint8_t replica_id[32]) {
    uint8_t parents[LABEL_PARENTS][32], computed[32], stated[32];
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        fr_to_bytes(parents[i], &label->parents[i]);
    compute_label(computed, replica_id, label->layer, label->node, (const uint8_t(*)[32])parents);
    fr_to_bytes(stated, expected);
    return memcmp(computed, stated, 32) == 0;
}

static cuzk_status check_encoding(const porep_challenge_proof *challenge, unsigned layers, const uint8_t replica_id[32],
                                  cuzk_error *error) {
    for (unsigned layer = 0; layer < layers; layer++)
        if (!label_is_consistent(&challenge->labels[layer], &challenge->column.rows[layer], replica_id))
            return failure(
                error, CUZK_BAD_INPUT,
                "layer %u: the label of node %llu does not follow from its parents: a file is damaged, or sector number, "
                "miner, ticket or proof type are others",
                layer + 1, (unsigned long long)challenge->challenge);
    fr encoded;
    fr_add(&encoded, &challenge->column.rows[layers - 1], &challenge->data_path.leaf);
    if (!fr_equal(&encoded, &challenge->replica_path.leaf))
        return failure(error, CUZK_BAD_INPUT, "replica: node %llu is not the encoding of its data: a file is damaged",
                       (unsigned long long)challenge->challenge);
    return CUZK_OK;
}

static cuzk_status prove_challenge(void *context, size_t index, cuzk_error *error) {
    const partition_prove *prove = context;
    const sector_view *view = prove->view;
    porep_challenge_proof *challenge = &prove->proof->challenges[index];
    uint64_t node = prove->challenges[index];
    assert(node > 0 && node < sector_nodes(view->shape));
    challenge->challenge = node;
    TRY(sector_view_path(&challenge->data_path, view, view->data_tree, node, "tree-d", error));
    TRY(sector_view_path(&challenge->replica_path, view, view->replica_tree, node, "tree-r-last", error));

    uint32_t drg_parents[DRG_DEGREE], expander_parents[EXPANDER_DEGREE];
    stacked_graph_drg_parents(prove->graph, (uint32_t)node, drg_parents);
    stacked_graph_expander_parents(prove->graph, (uint32_t)node, expander_parents);
    TRY(open_column(&challenge->column, view, node, error));
    for (unsigned i = 0; i < DRG_DEGREE; i++)
        TRY(open_column(&challenge->drg_parents[i], view, drg_parents[i], error));
    for (unsigned i = 0; i < EXPANDER_DEGREE; i++)
        TRY(open_column(&challenge->expander_parents[i], view, expander_parents[i], error));

    unsigned layers = view->shape->layers;
    for (unsigned layer = 0; layer < layers; layer++)
        set_label_parents(&challenge->labels[layer], challenge, layer);
    set_label_parents(&challenge->encoding, challenge, layers - 1);
    return view->checked ? check_encoding(challenge, layers, prove->replica_id, error) : CUZK_OK;
}

cuzk_status porep_prove_partition(porep_partition_proof **proof, const sector_view *view, const stacked_graph *graph,
                                  const uint8_t replica_id[32], const uint64_t *challenges, thread_pool *pool,
                                  cuzk_error *error) {
    assert(view->label && view->data_tree && view->column_tree);
    *proof = porep_partition_proof_create(view->shape);
    partition_prove prove = {.view = view, .graph = graph, .replica_id = replica_id, .challenges = challenges, .proof = *proof};
    cuzk_status status = parallel_try(pool, view->shape->porep_challenges, prove_challenge, &prove, error);
    if (status != CUZK_OK) {
        free(*proof);
        *proof = NULL;
    }
    return status;
}

cuzk_status porep_prove(porep_partition_proof ***proofs, const registered_proof *proof, const sector_view *view,
                        const uint8_t replica_id[32], const uint8_t seed[32], thread_pool *pool, cuzk_error *error) {
    unsigned partitions = registered_proof_partitions(proof);
    uint8_t porep_id[32], comm_r[32];
    stacked_graph graph;
    registered_proof_porep_id(porep_id, proof);
    stacked_graph_init(&graph, proof->shape, porep_id, proof->api);
    sector_view_comm_r(comm_r, view);
    *proofs = allocate_zeroed(partitions, sizeof(porep_partition_proof *));
    for (unsigned i = 0; i < partitions; i++) {
        uint64_t challenges[MAX_POREP_CHALLENGES];
        porep_challenges(challenges, proof, replica_id, comm_r, seed, i);
        cuzk_status status = porep_prove_partition(&(*proofs)[i], view, &graph, replica_id, challenges, pool, error);
        if (status != CUZK_OK) {
            porep_proofs_free(*proofs, i);
            *proofs = NULL;
            return status;
        }
    }
    return CUZK_OK;
}

void porep_proofs_free(porep_partition_proof **proofs, size_t count) {
    if (!proofs)
        return;
    for (size_t i = 0; i < count; i++)
        free(proofs[i]);
    free(proofs);
}
