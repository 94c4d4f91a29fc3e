#include "filecoin/sparse_tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

uint64_t find_ascending(const uint64_t *values, uint64_t count, uint64_t value) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && values[low] == value ? low : count;
}

static bool sparse_node(fr *node, const merkle_source *source, unsigned level, uint64_t index) {
    const sparse_tree *tree = source->tree;
    const sparse_level *nodes = &tree->levels[level];
    uint64_t position = find_ascending(nodes->indices, nodes->count, index);
    *node = position < nodes->count ? nodes->nodes[position] : tree->empty[level];
    return true;
}

static void allocate_level(sparse_level *level, uint64_t count) {
    level->count = count;
    level->indices = allocate(count, sizeof *level->indices);
    level->nodes = allocate(count, sizeof *level->nodes);
}

/* Work on one level of either tree: node i of it is made from the level below. */
typedef struct {
    const merkle_source *source;
    unsigned level;
    const uint64_t *indices; /* of the nodes to make, or NULL: node i is at index i << index_shift */
    unsigned index_shift;
    fr *nodes;
} level_build;

static void hash_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const level_build *build = context;
    const merkle_shape *shape = &build->source->shape;
    unsigned arity = merkle_level_arity(shape, build->level - 1);
    for (size_t i = begin; i < end; i++) {
        uint64_t index = build->indices ? build->indices[i] : (uint64_t)i << build->index_shift;
        fr children[MERKLE_MAX_ARITY];
        for (unsigned j = 0; j < arity; j++)
            build->source->node(&children[j], build->source, build->level - 1, index * arity + j);
        merkle_node(&build->nodes[i], shape->hasher, children, arity);
    }
}

static void find_parents(sparse_level *parents, const sparse_level *children, unsigned arity) {
    allocate_level(parents, children->count); /* at most as many; the rest stays unused */
    parents->count = 0;
    for (uint64_t i = 0; i < children->count; i++) {
        uint64_t parent = children->indices[i] / arity;
        if (parents->count == 0 || parents->indices[parents->count - 1] != parent)
            parents->indices[parents->count++] = parent;
    }
}

void sparse_tree_empty_nodes(fr empty[MAX_NODE_BITS + 1], const merkle_shape *shape) {
    empty[0] = FR_ZERO;
    for (unsigned level = 1; level <= merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level - 1);
        fr children[MERKLE_MAX_ARITY];
        for (unsigned j = 0; j < arity; j++)
            children[j] = empty[level - 1];
        merkle_node(&empty[level], shape->hasher, children, arity);
    }
}

void sparse_tree_build(sparse_tree *tree, const merkle_shape *shape, const fr *empty, const uint64_t *indices, const fr *leaves,
                       uint64_t count, thread_pool *pool) {
    *tree = (sparse_tree){.source = {.shape = *shape, .node = sparse_node, .tree = tree}, .empty = empty};
    allocate_level(&tree->levels[0], count);
    for (uint64_t i = 0; i < count; i++) {
        assert(i == 0 || indices[i] > indices[i - 1]);
        tree->levels[0].indices[i] = indices[i];
        tree->levels[0].nodes[i] = leaves[i];
    }
    for (unsigned level = 1; level <= merkle_levels(shape); level++) {
        sparse_level *parents = &tree->levels[level];
        find_parents(parents, &tree->levels[level - 1], merkle_level_arity(shape, level - 1));
        level_build build = {.source = &tree->source, .level = level, .indices = parents->indices, .nodes = parents->nodes};
        parallel_for(pool, parents->count, 8, hash_range, &build);
    }
}

void sparse_tree_free(sparse_tree *tree) {
    for (unsigned level = 0; level <= MAX_NODE_BITS; level++) {
        free(tree->levels[level].indices);
        free(tree->levels[level].nodes);
        tree->levels[level] = (sparse_level){0};
    }
}

/* log2 of the leaves below a node of a level. */
static unsigned height_bits(const merkle_shape *shape, unsigned level) {
    unsigned bits = 0;
    for (unsigned below = 0; below < level; below++)
        bits += (unsigned)__builtin_ctz(merkle_level_arity(shape, below));
    return bits;
}

/* How far to shift a node's index for its position in the level's array: the nodes of a stripe share one. */
static unsigned position_shift(const striped_tree *tree, unsigned level) {
    unsigned bits = height_bits(&tree->source.shape, level);
    return bits < tree->stripe_bits ? tree->stripe_bits - bits : 0;
}

static bool striped_node(fr *node, const merkle_source *source, unsigned level, uint64_t index) {
    const striped_tree *tree = source->tree;
    *node = tree->levels[level][index >> position_shift(tree, level)];
    return true;
}

void striped_tree_build(striped_tree *tree, const merkle_shape *shape, const fr *stripes, unsigned stripe_bits,
                        thread_pool *pool) {
    *tree = (striped_tree){.source = {.shape = *shape, .node = striped_node, .tree = tree}, .stripe_bits = stripe_bits};
    assert(stripe_bits <= merkle_index_bits(shape));
    for (unsigned level = 0; level <= merkle_levels(shape); level++) {
        unsigned shift = position_shift(tree, level);
        uint64_t count = merkle_level_nodes(shape, level) >> shift;
        tree->levels[level] = allocate(count, sizeof(fr));
        level_build build = {.source = &tree->source, .level = level, .index_shift = shift, .nodes = tree->levels[level]};
        if (level == 0)
            memcpy(tree->levels[0], stripes, count * sizeof *stripes);
        else
            parallel_for(pool, count, 8, hash_range, &build);
    }
}

void striped_tree_free(striped_tree *tree) {
    for (unsigned level = 0; level <= MAX_NODE_BITS; level++) {
        free(tree->levels[level]);
        tree->levels[level] = NULL;
    }
}
