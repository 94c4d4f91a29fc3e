/* Trees of any height that take little room: one with few leaves that are not zero, and one whose leaves are equal in
 * stripes. Both give proofs as real trees do (merkle_source). */
#ifndef FILECOIN_SPARSE_TREE_H
#define FILECOIN_SPARSE_TREE_H

#include "base/threads.h"
#include "filecoin/merkle_tree.h"

/* The nodes of a level that have a leaf below that was given; all others are as above zero leaves. */
typedef struct {
    uint64_t count;
    uint64_t *indices; /* ascending */
    fr *nodes;
} sparse_level;

typedef struct {
    merkle_source source; /* of this tree, whose address must not change */
    sparse_level levels[MAX_NODE_BITS + 1];
    const fr *empty; /* the node above zero leaves, for each level */
} sparse_tree;

/* Computes the nodes above zero leaves: one for each of a shape's levels, leaves and root included. Trees share them. */
void sparse_tree_empty_nodes(fr empty[MAX_NODE_BITS + 1], const merkle_shape *shape);

/* Builds the tree with `count` given leaves at ascending, different indices; both arrays are copied. empty is of the same
 * shape and must outlive the tree. Free with sparse_tree_free. */
void sparse_tree_build(sparse_tree *tree, const merkle_shape *shape, const fr *empty, const uint64_t *indices, const fr *leaves,
                       uint64_t count, thread_pool *pool);
void sparse_tree_free(sparse_tree *tree);

/* Position of value among count ascending ones, or count if it is not there. */
uint64_t find_ascending(const uint64_t *values, uint64_t count, uint64_t value);

typedef struct {
    merkle_source source;          /* as above */
    unsigned stripe_bits;          /* log2 of the leaves in a stripe */
    fr *levels[MAX_NODE_BITS + 1]; /* one node for each stripe, or each node where these are fewer */
} striped_tree;

/* Builds the tree whose first 2^stripe_bits leaves are stripes[0], the next stripes[1], and so on to the end. Free with
 * striped_tree_free. */
void striped_tree_build(striped_tree *tree, const merkle_shape *shape, const fr *stripes, unsigned stripe_bits,
                        thread_pool *pool);
void striped_tree_free(striped_tree *tree);

#endif
