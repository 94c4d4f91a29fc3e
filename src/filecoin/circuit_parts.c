#include "filecoin/circuit_parts.h"

#include "gadgets/poseidon.h"

number circuit_allocate_public(constraint_system *cs, const char *name, const fr *value) {
    namespace_push(cs, name);
    number n = number_allocate(cs, value);
    number_inputize(cs, &n);
    namespace_pop(cs);
    return n;
}

void circuit_enforce_inclusion(constraint_system *cs, const char *name, const merkle_shape *tree, const merkle_path *path,
                               const number *leaf, const number *root) {
    merkle_opening opening = {0};
    if (cs->has_witness)
        opening = merkle_path_opening(path);
    namespace_push(cs, name);
    merkle_enforce_inclusion(cs, tree, cs->has_witness ? &opening : NULL, leaf, root);
    namespace_pop(cs);
}

void circuit_enforce_comm_r(constraint_system *cs, const number *comm_r, const number *comm_c, const number *comm_r_last) {
    namespace_push(cs, "H(comm_c, comm_r_last)");
    number hash = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, (const number[]){*comm_c, *comm_r_last}, 2);
    namespace_pop(cs);
    number_enforce_equal(cs, "comm_r = H(comm_c, comm_r_last)", comm_r, &hash);
}
