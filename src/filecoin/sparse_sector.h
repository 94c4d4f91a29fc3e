/* Sectors of full size that satisfy a circuit without having been sealed: only what the challenges reach is made. They show
 * nothing about storage and exist to try out, measure and test provers. */
#ifndef FILECOIN_SPARSE_SECTOR_H
#define FILECOIN_SPARSE_SECTOR_H

#include "filecoin/registered_proof.h"
#include "filecoin/sector_view.h"
#include "filecoin/sparse_tree.h"
#include "filecoin/xorshift.h"

typedef struct {
    const registered_proof *proof;
    uint8_t prover_id[32], ticket[32], seed[32];
    uint64_t sector_number;
    uint64_t label_seed; /* what the labels of unchallenged nodes come from */
} sparse_porep_parameters;

/* For interactive PoRep. The data is zero. The challenged nodes and their parents have labels, those of the challenged
 * nodes being correct and all others arbitrary; tree C has these nodes' columns and tree R the challenged nodes'
 * encodings; every other leaf is zero. */
typedef struct {
    sector_view view; /* valid as long as the sector, whose address must not change */
    uint8_t replica_id[32], comm_d[32], comm_r[32];
    fr empty_replica[MAX_NODE_BITS + 1], empty_data[MAX_NODE_BITS + 1]; /* nodes above zeros */
    sparse_tree replica_tree, data_tree, column_tree;
    uint64_t node_count, *nodes; /* with labels, ascending */
    fr *labels;                  /* shape->layers for each of the nodes */
} sparse_porep_sector;

/* CUZK_BAD_INPUT for synthetic and non-interactive PoRep: their challenges follow from comm_r, and so from the labels that
 * would have to be right at the challenges. Free with sparse_porep_free after a success. */
cuzk_status sparse_porep_build(sparse_porep_sector *sector, const sparse_porep_parameters *parameters, thread_pool *pool,
                               cuzk_error *error);
void sparse_porep_free(sparse_porep_sector *sector);

/* For PoSt: tree R is zero but for arbitrary leaves at every fifth challenge, from the first on. */
typedef struct {
    sector_view view; /* as above */
    sparse_tree replica_tree;
} sparse_post_sector;

/* What is arbitrary follows from seed and sector number. empty: sparse_tree_empty_nodes of the shape's tree R, which many
 * sectors share; it must outlive them. Free with sparse_post_free. */
void sparse_post_build(sparse_post_sector *sector, const sector_shape *shape, const fr *empty, uint64_t sector_number,
                       const uint64_t *challenges, unsigned challenge_count, uint64_t seed);
void sparse_post_free(sparse_post_sector *sector);

/* For SnapDeals, whose challenges follow from the new comm_r: old replica and new data are arbitrary but constant over the
 * nodes that share a rho, so that the encoding holds at every node. */
typedef struct {
    sector_view old, updated; /* as above */
    uint8_t comm_d_new[32];
    striped_tree old_replica_tree, data_tree, replica_tree;
} sparse_update_sector;

/* Free with sparse_update_free. */
void sparse_update_build(sparse_update_sector *sector, const sector_shape *shape, xorshift *generator, thread_pool *pool);
void sparse_update_free(sparse_update_sector *sector);

#endif
