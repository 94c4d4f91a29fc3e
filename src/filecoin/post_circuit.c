#include "filecoin/post_circuit.h"

#include "filecoin/circuit_parts.h"

/* A sector as the circuit sees it: `paths` are its challenges. */
static void enforce_sector(constraint_system *cs, const post_circuit *c, const merkle_shape *tree, const post_sector_proof *proof,
                           const merkle_path *paths) {
    number comm_r_last = number_allocate(cs, MEMBER(proof, comm_r_last));
    number comm_c = number_allocate(cs, MEMBER(proof, comm_c));
    number comm_r = circuit_allocate_public(cs, "comm_r", MEMBER(proof, comm_r));
    circuit_enforce_comm_r(cs, &comm_r, &comm_c, &comm_r_last);

    for (unsigned i = 0; i < post_circuit_challenges(c->kind); i++) {
        const merkle_path *path = paths ? &paths[i] : NULL;
        namespace_push_index(cs, "challenge", i);
        number leaf = number_allocate(cs, MEMBER(path, leaf));
        circuit_enforce_inclusion(cs, "inclusion in tree R", tree, path, &leaf, &comm_r_last);
        namespace_pop(cs);
    }
}

static void synthesize(const circuit *self, constraint_system *cs) {
    const post_circuit *c = (const post_circuit *)self;
    merkle_shape tree = replica_tree_shape(c->shape);
    unsigned count = post_circuit_sectors(c->kind, c->shape);
    for (unsigned i = 0; i < count; i++) {
        const post_sector_proof *proof = NULL;
        const merkle_path *paths = NULL;
        if (cs->has_witness && c->kind == PROOF_WINNING) {
            proof = c->sectors[0];
            paths = &proof->paths[i];
        } else if (cs->has_witness) {
            proof = c->sectors[i < c->sector_count ? i : c->sector_count - 1];
            paths = proof->paths;
        }
        namespace_push_index(cs, "sector", i);
        enforce_sector(cs, c, &tree, proof, paths);
        namespace_pop(cs);
    }
}

post_circuit post_circuit_blank(proof_kind kind, const sector_shape *shape) {
    return (post_circuit){.circuit = {synthesize}, .kind = kind, .shape = shape};
}

cuzk_status post_circuit_init(post_circuit *result, proof_kind kind, const post_sector_proof *const *sectors, size_t sector_count,
                              cuzk_error *error) {
    if (sector_count == 0)
        return failure(error, CUZK_BAD_INPUT, "vanilla proofs: found none, expected at least one sector");
    const sector_shape *shape = sectors[0]->shape;
    size_t most = kind == PROOF_WINNING ? 1 : shape->window_sectors;
    unsigned paths = kind == PROOF_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES;
    if (sector_count > most)
        return failure(error, CUZK_BAD_INPUT, "vanilla proofs: found %zu sectors, expected at most %zu", sector_count, most);
    for (size_t i = 0; i < sector_count; i++) {
        if (sectors[i]->shape != shape)
            return failure(error, CUZK_BAD_INPUT, "vanilla proof %zu: sector size is %s, that of the first %s", i,
                           sectors[i]->shape->name, shape->name);
        if (sectors[i]->path_count != paths)
            return failure(error, CUZK_BAD_INPUT, "vanilla proof %zu: found %u inclusion proofs, expected %u", i,
                           sectors[i]->path_count, paths);
    }
    *result = post_circuit_blank(kind, shape);
    result->sectors = sectors;
    result->sector_count = sector_count;
    return CUZK_OK;
}
