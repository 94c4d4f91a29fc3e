/* Inclusion proofs in a sector's trees, as vanilla proofs hold them. */
#ifndef FILECOIN_MERKLE_PATH_H
#define FILECOIN_MERKLE_PATH_H

#include "filecoin/sector_shape.h"
#include "gadgets/merkle.h"

merkle_shape data_tree_shape(const sector_shape *shape);    /* tree D: binary, SHA-256 */
merkle_shape replica_tree_shape(const sector_shape *shape); /* trees C and R: Poseidon */

/* One form for the three of storage-proofs-core (merkle/proof.rs): a Single path, or the base, sub and top paths of a
 * compound tree one after another. Nothing here makes leaf, siblings and root agree. */
typedef struct {
    fr leaf, root;  /* Montgomery, as all field elements here */
    uint64_t index; /* of the leaf, below the number of the sector's nodes */
    fr *siblings;   /* level by level from the leaf up, each level's arity - 1 in order: merkle_path_siblings in all */
} merkle_path;

static inline merkle_opening merkle_path_opening(const merkle_path *path) {
    return (merkle_opening){.index = path->index, .siblings = path->siblings};
}

#endif
