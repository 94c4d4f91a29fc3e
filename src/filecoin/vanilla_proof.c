#include "filecoin/vanilla_proof.h"

#include "base/memory.h"

/* Hands out the field elements behind a proof's structs. */
typedef struct {
    fr *next;
} value_pool;

static fr *take(value_pool *pool, size_t count) {
    fr *values = pool->next;
    pool->next += count;
    return values;
}

porep_partition_proof *porep_partition_proof_create(const sector_shape *shape) {
    enum { COLUMNS = 1 + DRG_DEGREE + EXPANDER_DEGREE };
    merkle_shape data_tree = data_tree_shape(shape), replica_tree = replica_tree_shape(shape);
    size_t challenges = shape->porep_challenges, layers = shape->layers;
    size_t data_siblings = merkle_path_siblings(&data_tree), replica_siblings = merkle_path_siblings(&replica_tree);
    size_t values = data_siblings + (1 + COLUMNS) * replica_siblings + COLUMNS * layers + (layers + 1) * LABEL_PARENTS;

    porep_partition_proof *proof = allocate_zeroed(
        1, sizeof *proof + challenges * (sizeof *proof->challenges + layers * sizeof(labeling_proof) + values * sizeof(fr)));
    proof->shape = shape;
    proof->challenges = (porep_challenge_proof *)(proof + 1);
    labeling_proof *labels = (labeling_proof *)(proof->challenges + challenges);
    value_pool pool = {(fr *)(labels + challenges * layers)};

    for (size_t i = 0; i < challenges; i++) {
        porep_challenge_proof *challenge = &proof->challenges[i];
        challenge->data_path.siblings = take(&pool, data_siblings);
        challenge->replica_path.siblings = take(&pool, replica_siblings);
        for (size_t j = 0; j < COLUMNS; j++) {
            column_proof *column = j == 0            ? &challenge->column
                                   : j <= DRG_DEGREE ? &challenge->drg_parents[j - 1]
                                                     : &challenge->expander_parents[j - 1 - DRG_DEGREE];
            column->rows = take(&pool, layers);
            column->path.siblings = take(&pool, replica_siblings);
        }
        challenge->labels = labels + i * layers;
        for (size_t j = 0; j < layers; j++)
            challenge->labels[j].parents = take(&pool, LABEL_PARENTS);
        challenge->encoding.parents = take(&pool, LABEL_PARENTS);
    }
    return proof;
}

post_sector_proof *post_sector_proof_create(const sector_shape *shape, unsigned path_count) {
    merkle_shape tree = replica_tree_shape(shape);
    size_t siblings = merkle_path_siblings(&tree);
    post_sector_proof *proof = allocate_zeroed(1, sizeof *proof + path_count * (sizeof *proof->paths + siblings * sizeof(fr)));
    proof->shape = shape;
    proof->path_count = path_count;
    proof->paths = (merkle_path *)(proof + 1);
    value_pool pool = {(fr *)(proof->paths + path_count)};
    for (unsigned i = 0; i < path_count; i++)
        proof->paths[i].siblings = take(&pool, siblings);
    return proof;
}

snap_partition_proof *snap_partition_proof_create(const sector_shape *shape) {
    merkle_shape data_tree = data_tree_shape(shape), replica_tree = replica_tree_shape(shape);
    size_t challenges = shape->snap_challenges, apex_leaves = shape->snap_apex_leaves;
    size_t data_siblings = merkle_path_siblings(&data_tree), replica_siblings = merkle_path_siblings(&replica_tree);
    size_t values = data_siblings + 2 * replica_siblings;
    snap_partition_proof *proof = allocate_zeroed(
        1, sizeof *proof + challenges * (sizeof *proof->challenges + values * sizeof(fr)) + apex_leaves * sizeof(fr));
    proof->shape = shape;
    proof->challenges = (snap_challenge_proof *)(proof + 1);
    value_pool pool = {(fr *)(proof->challenges + challenges)};
    proof->apex_leaves = take(&pool, apex_leaves);
    for (size_t i = 0; i < challenges; i++) {
        proof->challenges[i].replica_old_path.siblings = take(&pool, replica_siblings);
        proof->challenges[i].data_new_path.siblings = take(&pool, data_siblings);
        proof->challenges[i].replica_new_path.siblings = take(&pool, replica_siblings);
    }
    return proof;
}
