#include "filecoin/sealing.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/challenges.h"
#include "filecoin/fr32.h"
#include "filecoin/hashes.h"
#include "filecoin/labels.h"
#include "filecoin/parallel_try.h"
#include "filecoin/trusted_element.h"
#include "gadgets/poseidon.h"

static cuzk_status check_size(const sector_shape *shape, cuzk_error *error) {
    if (shape->bytes > SEALING_MAX_BYTES)
        return failure(error, CUZK_BAD_INPUT, "a sector of %s cannot be sealed here (1GiB at most); take a sparse sector",
                       shape->name);
    return CUZK_OK;
}

/* Nodes of all base trees of trees C or R, leaves included. */
static uint64_t replica_tree_nodes(const sector_shape *shape) {
    merkle_shape tree = replica_tree_shape(shape);
    uint64_t leaves = sector_nodes(shape) / merkle_base_trees(&tree);
    return merkle_base_trees(&tree) * (leaves + merkle_upper_nodes(leaves, tree.base_arity));
}

/* Pads data into the leaves of a new tree D and builds it. */
static cuzk_status build_data_tree(big_buffer *tree, uint8_t comm_d[32], const sector_shape *shape, const uint8_t *data,
                                   thread_pool *pool, progress *job, cuzk_error *error) {
    uint64_t leaves = sector_nodes(shape), upper = merkle_upper_nodes(leaves, 2);
    TRY(big_buffer_allocate(tree, leaves + upper, NODE_BYTES, "tree D", error));
    uint8_t *nodes = tree->data;
    progress_begin(job, "tree D", upper);
    fr32_pad(nodes, data, fr32_unpadded_size(shape->bytes));
    merkle_build_rows(nodes + shape->bytes, nodes, leaves, MERKLE_SHA256, 2, pool, job);
    memcpy(comm_d, nodes + NODE_BYTES * (leaves + upper - 1), NODE_BYTES);
    progress_end(job);
    return progress_check(job, error);
}

typedef struct {
    const sealed_sector *sector;
    uint8_t *hashes;
    uint64_t first;
    progress *job;
} column_build;

static void hash_columns(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const column_build *build = context;
    const sealed_sector *sector = build->sector;
    for (size_t i = begin; i < end; i++) {
        fr column[MAX_LAYERS], hash;
        for (unsigned layer = 0; layer < sector->shape->layers; layer++)
            trusted_element(&column[layer], (const uint8_t *)sector->layers[layer].data + NODE_BYTES * (build->first + i));
        poseidon_hash(&hash, POSEIDON_MERKLE_TREE, column, sector->shape->layers);
        fr_to_bytes(build->hashes + NODE_BYTES * i, &hash);
    }
    progress_advance(build->job, end - begin);
}

static cuzk_status build_column_tree(sealed_sector *sector, thread_pool *pool, progress *job, cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    merkle_shape tree = replica_tree_shape(shape);
    unsigned base_trees = merkle_base_trees(&tree);
    uint64_t leaves = sector_nodes(shape) / base_trees, upper = merkle_upper_nodes(leaves, tree.base_arity);
    TRY(big_buffer_allocate(&sector->column_tree, replica_tree_nodes(shape), NODE_BYTES, "tree C", error));
    progress_begin(job, "tree C", replica_tree_nodes(shape));
    column_build build = {.sector = sector, .hashes = sector->column_tree.data, .job = job};
    for (unsigned i = 0; i < base_trees; i++, build.first += leaves, build.hashes += NODE_BYTES * (leaves + upper)) {
        parallel_for(pool, leaves, 64, hash_columns, &build);
        merkle_build_rows(build.hashes + NODE_BYTES * leaves, build.hashes, leaves, MERKLE_POSEIDON, tree.base_arity, pool, job);
    }
    progress_end(job);
    return progress_check(job, error);
}

/* Builds tree R over a replica and keeps its upper rows. */
static cuzk_status build_replica_rows(big_buffer *kept_rows, const sector_shape *shape, const uint8_t *replica, thread_pool *pool,
                                      progress *job, cuzk_error *error) {
    merkle_shape tree = replica_tree_shape(shape);
    unsigned base_trees = merkle_base_trees(&tree);
    uint64_t leaves = sector_nodes(shape) / base_trees, upper = merkle_upper_nodes(leaves, tree.base_arity);
    uint64_t kept = replica_kept_nodes(shape, replica_discarded_rows(shape));
    big_buffer rows;
    TRY(big_buffer_allocate(kept_rows, base_trees * kept, NODE_BYTES, "tree R", error));
    TRY(big_buffer_allocate(&rows, upper, NODE_BYTES, "tree R", error));
    progress_begin(job, "tree R", base_trees * upper);
    for (unsigned i = 0; i < base_trees; i++) {
        merkle_build_rows(rows.data, replica + NODE_BYTES * leaves * i, leaves, MERKLE_POSEIDON, tree.base_arity, pool, job);
        memcpy((uint8_t *)kept_rows->data + NODE_BYTES * kept * i, (uint8_t *)rows.data + NODE_BYTES * (upper - kept),
               NODE_BYTES * kept);
    }
    progress_end(job);
    big_buffer_free(&rows);
    return progress_check(job, error);
}

/* The replica: the last layer's labels plus the data. */
static void encode_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const sealed_sector *sector = context;
    const uint8_t *keys = sector->layers[sector->shape->layers - 1].data, *data = sector->data_tree.data;
    uint8_t *replica = sector->replica.data;
    for (size_t i = begin; i < end; i++) {
        fr key, node;
        trusted_element(&key, keys + NODE_BYTES * i);
        trusted_element(&node, data + NODE_BYTES * i);
        fr_add(&node, &node, &key);
        fr_to_bytes(replica + NODE_BYTES * i, &node);
    }
}

static cuzk_status make_labels(sealed_sector *sector, const seal_parameters *parameters, thread_pool *pool, progress *job,
                               cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    stacked_graph graph;
    stacked_graph_init(&graph, shape, parameters->porep_id, parameters->api);
    uint8_t *layers[MAX_LAYERS] = {NULL};
    for (unsigned i = 0; i < shape->layers; i++) {
        TRY(big_buffer_allocate(&sector->layers[i], sector_nodes(shape), NODE_BYTES, "labels", error));
        layers[i] = sector->layers[i].data;
    }
    progress_begin(job, "labels", shape->layers * sector_nodes(shape));
    cuzk_status status = generate_labels(layers, shape, &graph, sector->replica_id, pool, job, error);
    progress_end(job);
    return status;
}

cuzk_status seal_sector(sealed_sector *sector, const seal_parameters *parameters, const uint8_t *data, thread_pool *pool,
                        progress *job, cuzk_error *error) {
    const sector_shape *shape = parameters->shape;
    *sector = (sealed_sector){.shape = shape};
    TRY(check_size(shape, error));
    TRY(build_data_tree(&sector->data_tree, sector->comm_d, shape, data, pool, job, error));
    compute_replica_id(sector->replica_id, parameters->prover_id, parameters->sector_number, parameters->ticket, sector->comm_d,
                       parameters->porep_id);
    TRY(make_labels(sector, parameters, pool, job, error));
    TRY(build_column_tree(sector, pool, job, error));
    TRY(big_buffer_allocate(&sector->replica, sector_nodes(shape), NODE_BYTES, "replica", error));
    parallel_for(pool, sector_nodes(shape), 4096, encode_range, sector);
    TRY(build_replica_rows(&sector->replica_rows, shape, sector->replica.data, pool, job, error));

    stored_sector stored;
    sector_view view;
    TRY(sealed_sector_view(&view, &stored, sector, error));
    merkle_source_root(&view.comm_c, view.column_tree);
    fr_to_bytes(sector->comm_c, &view.comm_c);
    fr_to_bytes(sector->comm_r_last, &view.comm_r_last);
    sector_view_comm_r(sector->comm_r, &view);
    return CUZK_OK;
}

void sealed_sector_free(sealed_sector *sector) {
    for (unsigned i = 0; i < MAX_LAYERS; i++)
        big_buffer_free(&sector->layers[i]);
    big_buffer_free(&sector->replica);
    big_buffer_free(&sector->data_tree);
    big_buffer_free(&sector->column_tree);
    big_buffer_free(&sector->replica_rows);
}

cuzk_status sealed_sector_view(sector_view *view, stored_sector *stored, const sealed_sector *sector, cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    merkle_shape replica_shape = replica_tree_shape(shape), data_shape = data_tree_shape(shape);
    *stored = (stored_sector){.shape = shape};
    trusted_element(&stored->comm_c, sector->comm_c);
    for (unsigned i = 0; i < shape->layers; i++)
        stored->layers[i] = sector->layers[i].data;
    stored_tree_place(&stored->data_tree, &data_shape, sector->data_tree.data, NULL, 0);
    stored_tree_place(&stored->column_tree, &replica_shape, sector->column_tree.data, NULL, 0);
    stored_tree_place(&stored->replica_tree, &replica_shape, sector->replica.data, sector->replica_rows.data,
                      replica_discarded_rows(shape));
    return stored_sector_open(view, stored, error);
}

typedef struct {
    const sector_view *old;
    const updated_sector *sector;
    fr *rhos; /* one for each value of the high bits */
} update_encoding;

static bool encode_node(const update_encoding *encoding, uint64_t node) {
    const sector_shape *shape = encoding->old->shape;
    fr key, data;
    if (!encoding->old->replica_tree->node(&key, encoding->old->replica_tree, 0, node))
        return false;
    trusted_element(&data, (const uint8_t *)encoding->sector->data_tree.data + NODE_BYTES * node);
    fr_mul(&data, &data, &encoding->rhos[node >> (shape->node_bits - snap_high_bits(shape))]);
    fr_add(&data, &data, &key);
    fr_to_bytes((uint8_t *)encoding->sector->replica.data + NODE_BYTES * node, &data);
    return true;
}

enum { ENCODED_AT_ONCE = 64 }; /* divides every sector's nodes */

static cuzk_status encode_update_step(void *context, size_t index, cuzk_error *error) {
    for (uint64_t node = ENCODED_AT_ONCE * (uint64_t)index; node < ENCODED_AT_ONCE * ((uint64_t)index + 1); node++)
        if (!encode_node(context, node))
            return failure(error, CUZK_BAD_INPUT, "old replica: node %llu is not a field element", (unsigned long long)node);
    return CUZK_OK;
}

/* New replica: the old one plus the data times rho, which the node's high bits select (storage-proofs-update vanilla.rs). */
static cuzk_status encode_update(updated_sector *sector, const sector_view *old, thread_pool *pool, cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    uint8_t comm_r_old_bytes[32];
    fr comm_d, comm_r_old, phi;
    sector_view_comm_r(comm_r_old_bytes, old);
    trusted_element(&comm_r_old, comm_r_old_bytes);
    trusted_element(&comm_d, sector->comm_d);
    snap_phi(&phi, &comm_d, &comm_r_old);
    size_t rho_count = (size_t)1 << snap_high_bits(shape);
    update_encoding encoding = {.old = old, .sector = sector, .rhos = allocate(rho_count, sizeof(fr))};
    for (size_t i = 0; i < rho_count; i++)
        snap_rho(&encoding.rhos[i], &phi, i);
    cuzk_status status = parallel_try(pool, sector_nodes(shape) / ENCODED_AT_ONCE, encode_update_step, &encoding, error);
    free(encoding.rhos);
    return status;
}

cuzk_status update_sector(updated_sector *sector, const sector_view *old, const uint8_t *data, thread_pool *pool, progress *job,
                          cuzk_error *error) {
    const sector_shape *shape = old->shape;
    *sector = (updated_sector){.shape = shape};
    TRY(check_size(shape, error));
    TRY(build_data_tree(&sector->data_tree, sector->comm_d, shape, data, pool, job, error));
    TRY(big_buffer_allocate(&sector->replica, sector_nodes(shape), NODE_BYTES, "replica", error));
    TRY(encode_update(sector, old, pool, error));
    TRY(build_replica_rows(&sector->replica_rows, shape, sector->replica.data, pool, job, error));

    fr_to_bytes(sector->comm_c, &old->comm_c);
    stored_sector stored;
    sector_view view;
    TRY(updated_sector_view(&view, &stored, sector, error));
    fr_to_bytes(sector->comm_r_last, &view.comm_r_last);
    sector_view_comm_r(sector->comm_r, &view);
    return CUZK_OK;
}

void updated_sector_free(updated_sector *sector) {
    big_buffer_free(&sector->replica);
    big_buffer_free(&sector->data_tree);
    big_buffer_free(&sector->replica_rows);
}

cuzk_status updated_sector_view(sector_view *view, stored_sector *stored, const updated_sector *sector, cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    merkle_shape replica_shape = replica_tree_shape(shape), data_shape = data_tree_shape(shape);
    *stored = (stored_sector){.shape = shape};
    trusted_element(&stored->comm_c, sector->comm_c);
    stored_tree_place(&stored->data_tree, &data_shape, sector->data_tree.data, NULL, 0);
    stored_tree_place(&stored->replica_tree, &replica_shape, sector->replica.data, sector->replica_rows.data,
                      replica_discarded_rows(shape));
    return stored_sector_open(view, stored, error);
}
