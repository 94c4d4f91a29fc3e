/* Whole Merkle trees outside circuits: building their rows, and reading inclusion proofs from any form of a tree. Nodes in
 * memory and files are 32 bytes, canonical, little-endian; a row's nodes lie one after another and its rows from the leaves
 * up, as merkletree's stores have them. */
#ifndef FILECOIN_MERKLE_TREE_H
#define FILECOIN_MERKLE_TREE_H

#include "base/progress.h"
#include "base/threads.h"
#include "filecoin/merkle_path.h"

/* Nodes above the leaves of a tree with one arity; leaves is a power of the arity. */
uint64_t merkle_upper_nodes(uint64_t leaves, unsigned arity);

/* Computes all rows above `leaves` leaves into rows, merkle_upper_nodes * 32 bytes; the root is the last node. The leaves
 * must be canonical (asserted). Progress advances by one for each node made. */
void merkle_build_rows(uint8_t *rows, const uint8_t *leaves, uint64_t leaf_count, merkle_hasher hasher, unsigned arity,
                       thread_pool *pool, progress *job);

/* A tree to read proofs from: files, buffers, or rules. Level 0 is the leaves, level merkle_levels the root. */
typedef struct merkle_source merkle_source;
struct merkle_source {
    merkle_shape shape;
    /* Gives a node, index below the level's number of nodes. False if what is stored is not a field element. */
    bool (*node)(fr *node, const merkle_source *source, unsigned level, uint64_t index);
    const void *tree; /* what `node` reads */
};

/* Number of nodes at a level. */
uint64_t merkle_level_nodes(const merkle_shape *shape, unsigned level);

/* The path of a leaf. path->siblings has room for the shape's siblings. CUZK_BAD_INPUT, beginning with name ("tree-r-last"),
 * if a node is no field element. */
cuzk_status merkle_source_path(merkle_path *path, const merkle_source *source, uint64_t leaf, const char *name,
                               cuzk_error *error);
/* The same for trees from outside: CUZK_BAD_INPUT as well if the path does not lead to the root. */
cuzk_status merkle_source_checked_path(merkle_path *path, const merkle_source *source, uint64_t leaf, const char *name,
                                       cuzk_error *error);

/* A tree in memory: base trees, all of one size, with their leaves and rows apart, and sub and top nodes made from their
 * roots. The lowest rows may be missing; what is needed of them is computed from the leaves. */
enum { MERKLE_MAX_BASE_TREES = 16 };
typedef struct {
    merkle_source source; /* of this tree, whose address must not change (merkle_stored_tree_open) */
    unsigned base_trees, discarded_rows;
    const uint8_t *leaves[MERKLE_MAX_BASE_TREES]; /* of each base tree */
    const uint8_t *rows[MERKLE_MAX_BASE_TREES];   /* those above the leaves that are not discarded */
    fr upper[MERKLE_MAX_BASE_TREES * 2];          /* base trees' roots, then the nodes above them */
} merkle_stored_tree;

/* Base trees of a compound tree: 1, 2, 8 or 16. */
unsigned merkle_base_trees(const merkle_shape *shape);

/* Sets the source and computes the upper nodes from base_trees, discarded_rows, leaves and rows, which the caller has set.
 * CUZK_BAD_INPUT, beginning with name, if a root is no field element. */
cuzk_status merkle_stored_tree_open(merkle_stored_tree *tree, const merkle_shape *shape, const char *name, cuzk_error *error);

/* The root of a source. False if it is not a field element. */
bool merkle_source_root(fr *root, const merkle_source *source);

#endif
