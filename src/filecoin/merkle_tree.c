#include "filecoin/merkle_tree.h"

#include <assert.h>

#include "filecoin/trusted_element.h"

uint64_t merkle_upper_nodes(uint64_t leaves, unsigned arity) {
    uint64_t nodes = 0;
    while (leaves > 1)
        nodes += leaves /= arity;
    return nodes;
}

typedef struct {
    uint8_t *parents;
    const uint8_t *children;
    merkle_hasher hasher;
    unsigned arity;
    progress *job;
} row_build;

static void hash_bytes_node(uint8_t *parent, const uint8_t *children) {
    blst_sha256(parent, children, 2 * NODE_BYTES);
    parent[NODE_BYTES - 1] &= 0x3f;
}

static void hash_poseidon_node(uint8_t *parent, const uint8_t *children, unsigned arity) {
    fr nodes[MERKLE_MAX_ARITY];
    for (unsigned i = 0; i < arity; i++)
        trusted_element(&nodes[i], children + NODE_BYTES * i);
    merkle_node(&nodes[0], MERKLE_POSEIDON, nodes, arity);
    fr_to_bytes(parent, &nodes[0]);
}

static void build_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const row_build *build = context;
    for (size_t i = begin; i < end; i++) {
        uint8_t *parent = build->parents + NODE_BYTES * i;
        const uint8_t *children = build->children + (size_t)NODE_BYTES * build->arity * i;
        if (build->hasher == MERKLE_SHA256)
            hash_bytes_node(parent, children);
        else
            hash_poseidon_node(parent, children, build->arity);
    }
    progress_advance(build->job, end - begin);
}

void merkle_build_rows(uint8_t *rows, const uint8_t *leaves, uint64_t leaf_count, merkle_hasher hasher, unsigned arity,
                       thread_pool *pool, progress *job) {
    assert(hasher == MERKLE_POSEIDON || arity == 2);
    row_build build = {.parents = rows, .children = leaves, .hasher = hasher, .arity = arity, .job = job};
    for (uint64_t count = leaf_count / arity; count > 0; count /= arity) {
        parallel_for(pool, count, hasher == MERKLE_SHA256 ? 4096 : 64, build_range, &build);
        build.children = build.parents;
        build.parents += NODE_BYTES * count;
    }
}

uint64_t merkle_level_nodes(const merkle_shape *shape, unsigned level) {
    uint64_t nodes = 1;
    for (unsigned above = level; above < merkle_levels(shape); above++)
        nodes *= merkle_level_arity(shape, above);
    return nodes;
}

bool merkle_source_root(fr *root, const merkle_source *source) {
    return source->node(root, source, merkle_levels(&source->shape), 0);
}

cuzk_status merkle_source_path(merkle_path *path, const merkle_source *source, uint64_t leaf, const char *name,
                               cuzk_error *error) {
    const merkle_shape *shape = &source->shape;
    assert(leaf < merkle_level_nodes(shape, 0));
    bool readable = source->node(&path->leaf, source, 0, leaf) && merkle_source_root(&path->root, source);
    path->index = leaf;
    fr *sibling = path->siblings;
    uint64_t index = leaf;
    for (unsigned level = 0; level < merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level);
        uint64_t first = index - index % arity;
        for (uint64_t i = first; i < first + arity; i++)
            if (i != index)
                readable = source->node(sibling++, source, level, i) && readable;
        index /= arity;
    }
    if (!readable)
        return failure(error, CUZK_BAD_INPUT, "%s: found bytes that are not a field element on the path of leaf %llu", name,
                       (unsigned long long)leaf);
    return CUZK_OK;
}

cuzk_status merkle_source_checked_path(merkle_path *path, const merkle_source *source, uint64_t leaf, const char *name,
                                       cuzk_error *error) {
    TRY(merkle_source_path(path, source, leaf, name, error));
    fr root;
    merkle_opening opening = merkle_path_opening(path);
    merkle_root(&root, &source->shape, &opening, &path->leaf);
    if (!fr_equal(&root, &path->root))
        return failure(error, CUZK_BAD_INPUT, "%s: the path of leaf %llu does not lead to the root: the file is damaged", name,
                       (unsigned long long)leaf);
    return CUZK_OK;
}

unsigned merkle_base_trees(const merkle_shape *shape) {
    return (shape->sub_arity ? shape->sub_arity : 1) * (shape->top_arity ? shape->top_arity : 1);
}

/* Nodes of one base tree at a level of it. */
static uint64_t base_nodes(const merkle_shape *shape, unsigned level) {
    uint64_t nodes = 1;
    for (; level < shape->base_levels; level++)
        nodes *= shape->base_arity;
    return nodes;
}

static bool base_node(fr *node, const merkle_stored_tree *tree, unsigned base_tree, unsigned level, uint64_t index) {
    const merkle_shape *shape = &tree->source.shape;
    if (level == 0)
        return fr_from_bytes(node, tree->leaves[base_tree] + NODE_BYTES * index);
    if (level > tree->discarded_rows) {
        const uint8_t *row = tree->rows[base_tree];
        for (unsigned below = tree->discarded_rows + 1; below < level; below++)
            row += NODE_BYTES * base_nodes(shape, below);
        return fr_from_bytes(node, row + NODE_BYTES * index);
    }
    fr children[MERKLE_MAX_ARITY];
    for (unsigned i = 0; i < shape->base_arity; i++)
        if (!base_node(&children[i], tree, base_tree, level - 1, index * shape->base_arity + i))
            return false;
    merkle_node(node, shape->hasher, children, shape->base_arity);
    return true;
}

static bool stored_node(fr *node, const merkle_source *source, unsigned level, uint64_t index) {
    const merkle_stored_tree *tree = source->tree;
    const merkle_shape *shape = &source->shape;
    if (level < shape->base_levels) {
        uint64_t nodes = base_nodes(shape, level);
        return base_node(node, tree, (unsigned)(index / nodes), level, index % nodes);
    }
    const fr *row = tree->upper;
    for (unsigned below = shape->base_levels; below < level; below++)
        row += merkle_level_nodes(shape, below);
    *node = row[index];
    return true;
}

cuzk_status merkle_stored_tree_open(merkle_stored_tree *tree, const merkle_shape *shape, const char *name, cuzk_error *error) {
    tree->source = (merkle_source){.shape = *shape, .node = stored_node, .tree = tree};
    assert(tree->base_trees == merkle_base_trees(shape) && tree->discarded_rows < shape->base_levels);
    for (unsigned i = 0; i < tree->base_trees; i++)
        if (!base_node(&tree->upper[i], tree, i, shape->base_levels, 0))
            return failure(error, CUZK_BAD_INPUT, "%s: found a root that is not a field element", name);
    const fr *children = tree->upper;
    fr *parents = tree->upper + tree->base_trees;
    for (unsigned level = shape->base_levels; level < merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level);
        for (uint64_t i = 0; i < merkle_level_nodes(shape, level + 1); i++)
            merkle_node(&parents[i], shape->hasher, children + i * arity, arity);
        children = parents;
        parents += merkle_level_nodes(shape, level + 1);
    }
    return CUZK_OK;
}
