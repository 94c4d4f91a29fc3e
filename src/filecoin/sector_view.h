/* What vanilla proofs are made from: a sector's labels, trees and commitments, wherever they are. */
#ifndef FILECOIN_SECTOR_VIEW_H
#define FILECOIN_SECTOR_VIEW_H

#include "filecoin/merkle_tree.h"

typedef struct sector_view sector_view;
struct sector_view {
    const sector_shape *shape;
    fr comm_c, comm_r_last;
    /* Tree R of the replica; tree D of its data and tree C of its columns, or NULL where a proof does not ask for them. */
    const merkle_source *replica_tree, *data_tree, *column_tree;
    /* Gives a label; layers count from 0. False if what is stored is not a field element. NULL like the trees. */
    bool (*label)(fr *label, const sector_view *view, unsigned layer, uint64_t node);
    const void *labels; /* what `label` reads */
    bool checked;       /* made from foreign files: every path read is checked to lead to the root */
};

/* The path of a leaf in one of the view's trees; name is the tree's in messages. */
cuzk_status sector_view_path(merkle_path *path, const sector_view *view, const merkle_source *tree, uint64_t leaf,
                             const char *name, cuzk_error *error);

/* comm_r = H(comm_c, comm_r_last), 32 bytes canonical. */
void sector_view_comm_r(uint8_t comm_r[32], const sector_view *view);

/* A sector in memory or mapped files. Set the pointers to what there is, then open it; its address must not change then. */
typedef struct {
    const sector_shape *shape;
    const uint8_t *layers[MAX_LAYERS];                       /* shape->layers of shape->bytes each; all NULL: no labels */
    merkle_stored_tree replica_tree, data_tree, column_tree; /* leaves[0] NULL: no tree; tree R is needed */
    fr comm_c;
    bool checked;
} stored_sector;

/* The sector's view, after computing its trees' roots. comm_r_last is tree R's root. CUZK_BAD_INPUT if a root is not a field
 * element. */
cuzk_status stored_sector_open(sector_view *view, stored_sector *sector, cuzk_error *error);

/* Points the stored tree's base trees into consecutive memory: leaves and, unless rows is NULL, rows apart from them; else
 * each base tree's rows follow its leaves. */
void stored_tree_place(merkle_stored_tree *tree, const merkle_shape *shape, const uint8_t *leaves, const uint8_t *rows,
                       unsigned discarded_rows);

/* Rows above the leaves that a cached tree R leaves out (default_rows_to_discard in storage-proofs-core): 2, fewer in trees
 * too small for it. */
unsigned replica_discarded_rows(const sector_shape *shape);
/* Nodes in what is kept of one base tree of tree R. */
uint64_t replica_kept_nodes(const sector_shape *shape, unsigned discarded_rows);

#endif
