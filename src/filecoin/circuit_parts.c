#include "filecoin/circuit_parts.h"

#include <assert.h>

#include "gadgets/poseidon.h"

number circuit_allocate(constraint_system *cs, const char *name, const fr *value) {
    namespace_push(cs, name);
    number n = number_allocate(cs, value);
    namespace_pop(cs);
    return n;
}

number circuit_allocate_public(constraint_system *cs, const char *name, const fr *value) {
    namespace_push(cs, name);
    number n = number_allocate(cs, value);
    number_inputize(cs, &n);
    namespace_pop(cs);
    return n;
}

merkle_shape circuit_data_tree(const sector_shape *shape) {
    return merkle_shape_of(MERKLE_SHA256, 2, 0, 0, sector_nodes(shape));
}

merkle_shape circuit_replica_tree(const sector_shape *shape) {
    return merkle_shape_of(MERKLE_POSEIDON, shape->base_arity, shape->sub_arity, shape->top_arity, sector_nodes(shape));
}

size_t circuit_path_siblings(fr siblings[MAX_PATH_SIBLINGS], const merkle_path *path) {
    size_t count = 0;
    for (unsigned i = 0; i < path->length; i++) {
        const merkle_path_element *element = &path->elements[i];
        assert(count + element->arity - 1 <= MAX_PATH_SIBLINGS);
        memcpy(siblings + count, element->siblings, (element->arity - 1) * sizeof *siblings);
        count += element->arity - 1;
    }
    return count;
}

void circuit_enforce_inclusion(constraint_system *cs, const char *name, const merkle_shape *tree, const merkle_path *path,
                               const number *leaf, const number *root) {
    namespace_push(cs, name);
    if (cs->has_witness) {
        fr siblings[MAX_PATH_SIBLINGS];
        size_t count = circuit_path_siblings(siblings, path);
        assert(count == merkle_path_siblings(tree));
        (void)count;
        merkle_opening opening = {.index = merkle_path_leaf_index(path), .siblings = siblings};
        merkle_enforce_inclusion(cs, tree, &opening, leaf, root);
    } else {
        merkle_enforce_inclusion(cs, tree, NULL, leaf, root);
    }
    namespace_pop(cs);
}

void circuit_enforce_comm_r(constraint_system *cs, const number *comm_r, const number *comm_c, const number *comm_r_last) {
    namespace_push(cs, "H(comm_c, comm_r_last)");
    number hash = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, (const number[]){*comm_c, *comm_r_last}, 2);
    namespace_pop(cs);
    number_enforce_equal(cs, "comm_r = H(comm_c, comm_r_last)", comm_r, &hash);
}
