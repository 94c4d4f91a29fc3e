#include "filecoin/porep_circuit.h"

#include "filecoin/circuit_label.h"
#include "filecoin/circuit_parts.h"
#include "gadgets/encode.h"
#include "gadgets/poseidon.h"

enum { PARENT_COUNT = DRG_DEGREE + EXPANDER_DEGREE };

typedef struct {
    number rows[MAX_LAYERS]; /* labels, from layer 1 on */
} column;

/* What all challenges of a partition share. */
typedef struct {
    const sector_shape *shape;
    merkle_shape data_tree, replica_tree;
    number comm_d, comm_c, comm_r_last;
    node_octets replica_id;
} partition;

/* The column of a parent: its labels, whose hash is in tree C. */
static void enforce_parent(constraint_system *cs, const partition *p, const char *name, size_t index, const column_proof *proof,
                           column *parent) {
    namespace_push_index(cs, name, index);
    for (unsigned i = 0; i < p->shape->layers; i++)
        parent->rows[i] = number_allocate(cs, proof ? &proof->rows[i] : NULL);
    namespace_push(cs, "column hash");
    number hash = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, parent->rows, p->shape->layers);
    namespace_pop(cs);
    circuit_enforce_inclusion(cs, "inclusion in tree C", &p->replica_tree, MEMBER(proof, path), &hash, &p->comm_c);
    namespace_pop(cs);
}

/* The challenged node's label in a layer, counted from 1. DRG parents are of the same layer, expander parents of the
 * layer below, which the first layer does not have. */
static number enforce_label(constraint_system *cs, const partition *p, unsigned layer, const uint64 *node,
                            const column parents[PARENT_COUNT]) {
    node_octets octets[PARENT_COUNT];
    size_t count = layer > 1 ? PARENT_COUNT : DRG_DEGREE;
    namespace_push_index(cs, "labeling", layer);
    for (size_t i = 0; i < count; i++) {
        namespace_push_index(cs, "parent bits", i);
        node_octets_of_number(cs, &parents[i].rows[i < DRG_DEGREE ? layer - 1 : layer - 2], &octets[i]);
        namespace_pop(cs);
    }
    namespace_push(cs, "label");
    number label = circuit_label(cs, &p->replica_id, layer, node, octets, count);
    namespace_pop(cs);
    namespace_pop(cs);
    return label;
}

static void enforce_challenge(constraint_system *cs, const partition *p, const porep_challenge_proof *proof) {
    number data_leaf = number_allocate(cs, MEMBER(proof, data_path.leaf));
    circuit_enforce_inclusion(cs, "inclusion in tree D", &p->data_tree, MEMBER(proof, data_path), &data_leaf, &p->comm_d);

    column parents[PARENT_COUNT];
    for (size_t i = 0; i < DRG_DEGREE; i++)
        enforce_parent(cs, p, "drg parent", i, MEMBER(proof, drg_parents[i]), &parents[i]);
    for (size_t i = 0; i < EXPANDER_DEGREE; i++)
        enforce_parent(cs, p, "expander parent", i, MEMBER(proof, expander_parents[i]), &parents[DRG_DEGREE + i]);

    namespace_push(cs, "challenged node");
    /* A proof states its node several times; the label proof's is what the reference circuit takes. */
    uint64 node = uint64_allocate(cs, proof ? proof->labels[0].node : 0);
    uint64_pack_into_input(cs, &node);
    namespace_pop(cs);

    number labels[MAX_LAYERS];
    for (unsigned layer = 1; layer <= p->shape->layers; layer++)
        labels[layer - 1] = enforce_label(cs, p, layer, &node, parents);

    namespace_push(cs, "encoding");
    number encoded = encode_circuit(cs, &labels[p->shape->layers - 1], &data_leaf);
    namespace_pop(cs);
    circuit_enforce_inclusion(cs, "inclusion in tree R", &p->replica_tree, MEMBER(proof, replica_path), &encoded,
                              &p->comm_r_last);

    namespace_push(cs, "column hash");
    number column_hash = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, labels, p->shape->layers);
    namespace_pop(cs);
    circuit_enforce_inclusion(cs, "inclusion in tree C", &p->replica_tree, MEMBER(proof, column.path), &column_hash, &p->comm_c);
}

static void synthesize(const circuit *self, constraint_system *cs) {
    const porep_circuit *c = (const porep_circuit *)self;
    const porep_challenge_proof *proofs = cs->has_witness ? c->proof->challenges : NULL;
    partition p = {
        .shape = c->shape, .data_tree = data_tree_shape(c->shape), .replica_tree = replica_tree_shape(c->shape)};

    number replica_id = circuit_allocate_public(cs, "replica_id", &c->replica_id);
    namespace_push(cs, "replica_id bits");
    node_octets_of_number(cs, &replica_id, &p.replica_id);
    namespace_pop(cs);

    p.comm_d = circuit_allocate_public(cs, "comm_d", &c->comm_d);
    number comm_r = circuit_allocate_public(cs, "comm_r", &c->comm_r);
    p.comm_r_last = number_allocate(cs, MEMBER(proofs, replica_path.root));
    p.comm_c = number_allocate(cs, MEMBER(proofs, column.path.root));
    circuit_enforce_comm_r(cs, &comm_r, &p.comm_c, &p.comm_r_last);

    for (unsigned i = 0; i < c->shape->porep_challenges; i++) {
        namespace_push_index(cs, "challenge", i);
        enforce_challenge(cs, &p, proofs ? &proofs[i] : NULL);
        namespace_pop(cs);
    }
}

porep_circuit porep_circuit_blank(const sector_shape *shape) {
    return (porep_circuit){.circuit = {synthesize}, .shape = shape};
}

cuzk_status porep_circuit_init(porep_circuit *result, const porep_partition_proof *proof, const fr *replica_id, const fr *comm_d,
                               const fr *comm_r, cuzk_error *error) {
    for (unsigned i = 1; i < proof->shape->porep_challenges; i++) {
        const porep_challenge_proof *first = &proof->challenges[0], *other = &proof->challenges[i];
        if (!fr_equal(&other->replica_path.root, &first->replica_path.root))
            return failure(error, CUZK_BAD_INPUT, "challenge %u: comm_r_last_proof's root differs from that of challenge 0", i);
        if (!fr_equal(&other->column.path.root, &first->column.path.root))
            return failure(error, CUZK_BAD_INPUT, "challenge %u: c_x.inclusion_proof's root differs from that of challenge 0", i);
    }
    *result = porep_circuit_blank(proof->shape);
    result->proof = proof;
    result->replica_id = *replica_id;
    result->comm_d = *comm_d;
    result->comm_r = *comm_r;
    return CUZK_OK;
}
