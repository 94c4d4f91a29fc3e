#include "filecoin/sparse_sector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/hashes.h"
#include "filecoin/trusted_element.h"
#include "gadgets/poseidon.h"

static void random_element(fr *element, xorshift *generator) {
    uint8_t bytes[32];
    xorshift_element(generator, bytes);
    trusted_element(element, bytes);
}

/* PoRep. */

/* A challenged node with its parents, which are all that its proof opens. */
enum { REACHED = 1 + DRG_DEGREE + EXPANDER_DEGREE };
typedef struct {
    uint64_t node;
    uint32_t parents[DRG_DEGREE + EXPANDER_DEGREE];
} reached_nodes;

static int compare_u64(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts values and drops repetitions; returns how many are left. */
static uint64_t sort_unique(uint64_t *values, uint64_t count) {
    qsort(values, count, sizeof *values, compare_u64);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
}

/* All partitions' challenges, ascending and different. */
static uint64_t all_challenges(uint64_t **challenges, const registered_proof *proof, const uint8_t replica_id[32],
                               const uint8_t seed[32]) {
    static const uint8_t unused_comm_r[32] = {0};
    unsigned per_partition = proof->shape->porep_challenges, partitions = registered_proof_partitions(proof);
    *challenges = allocate((size_t)partitions * per_partition, sizeof **challenges);
    for (unsigned i = 0; i < partitions; i++)
        porep_challenges(*challenges + (size_t)i * per_partition, proof, replica_id, unused_comm_r, seed, i);
    return sort_unique(*challenges, (uint64_t)partitions * per_partition);
}

/* Whatever a label is before, or without, being computed. */
static void arbitrary_label(fr *label, uint64_t seed, uint32_t node, uint32_t layer) {
    uint8_t message[16], hash[32];
    store_u64_le(message, seed);
    store_u32_le(message + 8, node);
    store_u32_le(message + 12, layer);
    sha256_truncated(hash, message, sizeof message);
    trusted_element(label, hash);
}

static fr *labels_of(const sparse_porep_sector *sector, uint64_t node) {
    uint64_t position = find_ascending(sector->nodes, sector->node_count, node);
    assert(position < sector->node_count);
    return sector->labels + position * sector->view.shape->layers;
}

static bool sparse_label(fr *label, const sector_view *view, unsigned layer, uint64_t node) {
    *label = labels_of(view->labels, node)[layer];
    return true;
}

static void label_reached(sparse_porep_sector *sector, const reached_nodes *reached, unsigned layer) {
    unsigned count = layer == 0 ? DRG_DEGREE : DRG_DEGREE + EXPANDER_DEGREE;
    uint8_t parents[LABEL_PARENTS][32], label[32];
    for (unsigned i = 0; i < LABEL_PARENTS; i++) {
        unsigned parent = i % count;
        fr_to_bytes(parents[i], &labels_of(sector, reached->parents[parent])[parent < DRG_DEGREE ? layer : layer - 1]);
    }
    compute_label(label, sector->replica_id, layer + 1, reached->node, (const uint8_t(*)[32])parents);
    trusted_element(&labels_of(sector, reached->node)[layer], label);
}

/* Sets nodes and arbitrary labels, then computes those of the challenged nodes: layer by layer and in ascending order, for
 * a challenged node may be another's parent. */
static void make_labels(sparse_porep_sector *sector, const sparse_porep_parameters *parameters, const uint64_t *challenges,
                        uint64_t challenge_count) {
    const registered_proof *proof = parameters->proof;
    unsigned layers = proof->shape->layers;
    uint8_t porep_id[32];
    stacked_graph graph;
    registered_proof_porep_id(porep_id, proof);
    stacked_graph_init(&graph, proof->shape, porep_id, proof->api);

    reached_nodes *reached = allocate(challenge_count, sizeof *reached);
    sector->nodes = allocate(challenge_count * REACHED, sizeof *sector->nodes);
    uint64_t *next = sector->nodes;
    for (uint64_t i = 0; i < challenge_count; i++) {
        reached[i].node = *next++ = challenges[i];
        stacked_graph_drg_parents(&graph, (uint32_t)challenges[i], reached[i].parents);
        stacked_graph_expander_parents(&graph, (uint32_t)challenges[i], reached[i].parents + DRG_DEGREE);
        for (unsigned j = 0; j < DRG_DEGREE + EXPANDER_DEGREE; j++)
            *next++ = reached[i].parents[j];
    }
    sector->node_count = sort_unique(sector->nodes, challenge_count * REACHED);

    sector->labels = allocate(sector->node_count * layers, sizeof *sector->labels);
    for (uint64_t i = 0; i < sector->node_count; i++)
        for (unsigned layer = 0; layer < layers; layer++)
            arbitrary_label(&sector->labels[i * layers + layer], parameters->label_seed, (uint32_t)sector->nodes[i], layer);
    for (unsigned layer = 0; layer < layers; layer++)
        for (uint64_t i = 0; i < challenge_count; i++)
            label_reached(sector, &reached[i], layer);
    free(reached);
}

typedef struct {
    const sparse_porep_sector *sector;
    fr *hashes;
} column_hashing;

static void hash_columns(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const column_hashing *hashing = context;
    unsigned layers = hashing->sector->view.shape->layers;
    for (size_t i = begin; i < end; i++)
        poseidon_hash(&hashing->hashes[i], POSEIDON_MERKLE_TREE, hashing->sector->labels + i * layers, layers);
}

static void build_trees(sparse_porep_sector *sector, const uint64_t *challenges, uint64_t challenge_count, thread_pool *pool) {
    const sector_shape *shape = sector->view.shape;
    merkle_shape replica_shape = replica_tree_shape(shape), data_shape = data_tree_shape(shape);
    column_hashing hashing = {.sector = sector, .hashes = allocate(sector->node_count, sizeof(fr))};
    parallel_for(pool, sector->node_count, 8, hash_columns, &hashing);
    sparse_tree_empty_nodes(sector->empty_replica, &replica_shape);
    sparse_tree_empty_nodes(sector->empty_data, &data_shape);
    sparse_tree_build(&sector->column_tree, &replica_shape, sector->empty_replica, sector->nodes, hashing.hashes,
                      sector->node_count, pool);
    free(hashing.hashes);

    /* The data is zero, so a node's encoding is its last label. */
    fr *encodings = allocate(challenge_count, sizeof *encodings);
    for (uint64_t i = 0; i < challenge_count; i++)
        encodings[i] = labels_of(sector, challenges[i])[shape->layers - 1];
    sparse_tree_build(&sector->replica_tree, &replica_shape, sector->empty_replica, challenges, encodings, challenge_count, pool);
    free(encodings);
    sparse_tree_build(&sector->data_tree, &data_shape, sector->empty_data, NULL, NULL, 0, pool);
}

cuzk_status sparse_porep_build(sparse_porep_sector *sector, const sparse_porep_parameters *parameters, thread_pool *pool,
                               cuzk_error *error) {
    const registered_proof *proof = parameters->proof;
    const sector_shape *shape = proof->shape;
    if (proof->feature != POREP_INTERACTIVE)
        return failure(
            error, CUZK_BAD_INPUT,
            "%s cannot be made of a sparse sector: its challenges follow from comm_r, hence from every label, so that only a "
            "whole sector has the right ones; seal one (1GiB at most) or take an interactive proof",
            proof->name);
    *sector = (sparse_porep_sector){.view = {.shape = shape}};
    uint8_t porep_id[32];
    registered_proof_porep_id(porep_id, proof);
    zero_comm_d(sector->comm_d, shape);
    compute_replica_id(sector->replica_id, parameters->prover_id, parameters->sector_number, parameters->ticket, sector->comm_d,
                       porep_id);
    uint64_t *challenges;
    uint64_t challenge_count = all_challenges(&challenges, proof, sector->replica_id, parameters->seed);
    make_labels(sector, parameters, challenges, challenge_count);
    build_trees(sector, challenges, challenge_count, pool);
    free(challenges);

    sector_view *view = &sector->view;
    view->replica_tree = &sector->replica_tree.source;
    view->data_tree = &sector->data_tree.source;
    view->column_tree = &sector->column_tree.source;
    view->label = sparse_label;
    view->labels = sector;
    merkle_source_root(&view->comm_c, view->column_tree);
    merkle_source_root(&view->comm_r_last, view->replica_tree);
    sector_view_comm_r(sector->comm_r, view);
    return CUZK_OK;
}

void sparse_porep_free(sparse_porep_sector *sector) {
    sparse_tree_free(&sector->replica_tree);
    sparse_tree_free(&sector->data_tree);
    sparse_tree_free(&sector->column_tree);
    free(sector->nodes);
    free(sector->labels);
}

/* PoSt. */

static void arbitrary_leaf(fr *leaf, uint64_t seed, uint64_t sector_number, uint64_t node) {
    uint8_t message[24], hash[32];
    store_u64_le(message, seed);
    store_u64_le(message + 8, sector_number);
    store_u64_le(message + 16, node);
    sha256_truncated(hash, message, sizeof message);
    trusted_element(leaf, hash);
}

/* One challenge in so many opens a label, and the others zero: the hashes above labels are all that a sector costs. */
enum { LABELLED_CHALLENGES = 5 };

void sparse_post_build(sparse_post_sector *sector, const sector_shape *shape, const fr *empty, uint64_t sector_number,
                       const uint64_t *challenges, unsigned challenge_count, uint64_t seed) {
    assert(challenge_count <= WINNING_CHALLENGES);
    uint64_t nodes[WINNING_CHALLENGES], count = 0;
    fr leaves[WINNING_CHALLENGES];
    for (unsigned i = 0; i < challenge_count; i += LABELLED_CHALLENGES)
        nodes[count++] = challenges[i];
    count = sort_unique(nodes, count);
    for (uint64_t i = 0; i < count; i++)
        arbitrary_leaf(&leaves[i], seed, sector_number, nodes[i]);
    merkle_shape tree_shape = replica_tree_shape(shape);
    sparse_tree_build(&sector->replica_tree, &tree_shape, empty, nodes, leaves, count, NULL);

    sector->view = (sector_view){.shape = shape, .replica_tree = &sector->replica_tree.source};
    merkle_source_root(&sector->view.comm_r_last, sector->view.replica_tree);
    arbitrary_leaf(&sector->view.comm_c, seed, sector_number, UINT64_MAX);
}

void sparse_post_free(sparse_post_sector *sector) { sparse_tree_free(&sector->replica_tree); }

/* SnapDeals. */

void sparse_update_build(sparse_update_sector *sector, const sector_shape *shape, xorshift *generator, thread_pool *pool) {
    merkle_shape replica_shape = replica_tree_shape(shape), data_shape = data_tree_shape(shape);
    unsigned high_bits = snap_high_bits(shape), stripe_bits = shape->node_bits - high_bits;
    size_t stripes = (size_t)1 << high_bits;
    fr *keys = allocate(stripes, sizeof *keys), *data = allocate(stripes, sizeof *data), comm_c;
    random_element(&comm_c, generator);
    for (size_t i = 0; i < stripes; i++)
        random_element(&keys[i], generator);
    for (size_t i = 0; i < stripes; i++)
        random_element(&data[i], generator);
    striped_tree_build(&sector->old_replica_tree, &replica_shape, keys, stripe_bits, pool);
    striped_tree_build(&sector->data_tree, &data_shape, data, stripe_bits, pool);
    sector->old = (sector_view){.shape = shape, .comm_c = comm_c, .replica_tree = &sector->old_replica_tree.source};
    merkle_source_root(&sector->old.comm_r_last, sector->old.replica_tree);

    uint8_t comm_r_old_bytes[32];
    fr comm_r_old, comm_d_new, phi, rho;
    sector_view_comm_r(comm_r_old_bytes, &sector->old);
    trusted_element(&comm_r_old, comm_r_old_bytes);
    merkle_source_root(&comm_d_new, &sector->data_tree.source);
    fr_to_bytes(sector->comm_d_new, &comm_d_new);
    snap_phi(&phi, &comm_d_new, &comm_r_old);
    for (size_t i = 0; i < stripes; i++) {
        snap_rho(&rho, &phi, i);
        fr_mul(&rho, &rho, &data[i]);
        fr_add(&keys[i], &keys[i], &rho);
    }
    striped_tree_build(&sector->replica_tree, &replica_shape, keys, stripe_bits, pool);
    sector->updated = (sector_view){
        .shape = shape, .comm_c = comm_c, .replica_tree = &sector->replica_tree.source, .data_tree = &sector->data_tree.source};
    merkle_source_root(&sector->updated.comm_r_last, sector->updated.replica_tree);
    free(keys);
    free(data);
}

void sparse_update_free(sparse_update_sector *sector) {
    striped_tree_free(&sector->old_replica_tree);
    striped_tree_free(&sector->data_tree);
    striped_tree_free(&sector->replica_tree);
}
