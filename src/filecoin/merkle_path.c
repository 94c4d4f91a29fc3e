#include "filecoin/merkle_path.h"

merkle_shape data_tree_shape(const sector_shape *shape) {
    return merkle_shape_of(MERKLE_SHA256, 2, 0, 0, sector_nodes(shape));
}

merkle_shape replica_tree_shape(const sector_shape *shape) {
    return merkle_shape_of(MERKLE_POSEIDON, shape->base_arity, shape->sub_arity, shape->top_arity, sector_nodes(shape));
}
