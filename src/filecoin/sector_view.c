#include "filecoin/sector_view.h"

cuzk_status sector_view_path(merkle_path *path, const sector_view *view, const merkle_source *tree, uint64_t leaf,
                             const char *name, cuzk_error *error) {
    return view->checked ? merkle_source_checked_path(path, tree, leaf, name, error)
                         : merkle_source_path(path, tree, leaf, name, error);
}

void sector_view_comm_r(uint8_t comm_r[32], const sector_view *view) {
    const fr roots[2] = {view->comm_c, view->comm_r_last};
    fr hash;
    merkle_node(&hash, MERKLE_POSEIDON, roots, 2);
    fr_to_bytes(comm_r, &hash);
}

static bool stored_label(fr *label, const sector_view *view, unsigned layer, uint64_t node) {
    const stored_sector *sector = view->labels;
    return fr_from_bytes(label, sector->layers[layer] + NODE_BYTES * node);
}

static cuzk_status open_tree(const merkle_source **source, merkle_stored_tree *tree, const merkle_shape *shape, const char *name,
                             cuzk_error *error) {
    if (!tree->leaves[0])
        return CUZK_OK;
    TRY(merkle_stored_tree_open(tree, shape, name, error));
    *source = &tree->source;
    return CUZK_OK;
}

cuzk_status stored_sector_open(sector_view *view, stored_sector *sector, cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    merkle_shape replica_shape = replica_tree_shape(shape), data_shape = data_tree_shape(shape);
    *view = (sector_view){.shape = shape, .comm_c = sector->comm_c, .checked = sector->checked};
    TRY(open_tree(&view->replica_tree, &sector->replica_tree, &replica_shape, "tree-r-last", error));
    TRY(open_tree(&view->data_tree, &sector->data_tree, &data_shape, "tree-d", error));
    TRY(open_tree(&view->column_tree, &sector->column_tree, &replica_shape, "tree-c", error));
    if (!merkle_source_root(&view->comm_r_last, view->replica_tree))
        return failure(error, CUZK_BAD_INPUT, "tree-r-last: its root is not a field element");
    if (sector->layers[0]) {
        view->label = stored_label;
        view->labels = sector;
    }
    return CUZK_OK;
}

void stored_tree_place(merkle_stored_tree *tree, const merkle_shape *shape, const uint8_t *leaves, const uint8_t *rows,
                       unsigned discarded_rows) {
    tree->base_trees = merkle_base_trees(shape);
    tree->discarded_rows = discarded_rows;
    uint64_t leaf_count = merkle_level_nodes(shape, 0) / tree->base_trees;
    uint64_t kept = leaf_count;
    for (unsigned i = 0; i <= discarded_rows; i++)
        kept /= shape->base_arity;
    kept += merkle_upper_nodes(kept, shape->base_arity);
    for (unsigned i = 0; i < tree->base_trees; i++) {
        tree->leaves[i] = leaves;
        leaves += NODE_BYTES * leaf_count;
        tree->rows[i] = rows ? rows + NODE_BYTES * kept * i : leaves;
        if (!rows)
            leaves += NODE_BYTES * kept;
    }
}

unsigned replica_discarded_rows(const sector_shape *shape) {
    enum { DEFAULT_ROWS = 2 };
    unsigned levels = replica_tree_shape(shape).base_levels;
    return levels < 2 ? 0 : levels - 1 < DEFAULT_ROWS ? levels - 1 : DEFAULT_ROWS;
}

uint64_t replica_kept_nodes(const sector_shape *shape, unsigned discarded_rows) {
    merkle_shape tree = replica_tree_shape(shape);
    uint64_t lowest = merkle_level_nodes(&tree, discarded_rows + 1) / merkle_base_trees(&tree);
    return lowest + merkle_upper_nodes(lowest, tree.base_arity);
}
