#include "filecoin/update_circuit.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "filecoin/circuit_parts.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"

enum { HIGH_BITS_CHOICES = 6, MAX_PARTITION_BITS = 4, MAX_APEX_LEAVES = 128 };

/* A challenge is a leaf's index: bits below the apex leaf, then the apex leaf's, then the partition's. */
typedef struct {
    unsigned all, partition, apex_leaf, below_apex;
} challenge_bits;

/* What all challenges of a partition share. */
typedef struct {
    const sector_shape *shape;
    challenge_bits bits;
    merkle_shape replica_tree;
    boolean partition_bits[MAX_PARTITION_BITS], high_bits_choice[HIGH_BITS_CHOICES];
    number partition; /* its bits as a number */
    number comm_r_old, comm_d_new, comm_r_new;
    number root_r_old, root_r_new;
    number phi;
    number apex_leaves[MAX_APEX_LEAVES];
} update;

static unsigned log2_of(unsigned power_of_two) {
    return (unsigned)__builtin_ctz(power_of_two);
}

static challenge_bits challenge_bits_of(const sector_shape *shape) {
    challenge_bits bits = {.all = shape->node_bits,
                           .partition = log2_of(shape->snap_partitions),
                           .apex_leaf = log2_of(shape->snap_apex_leaves)};
    bits.below_apex = bits.all - bits.partition - bits.apex_leaf;
    return bits;
}

static merkle_shape data_subtree(unsigned levels) {
    return (merkle_shape){.hasher = MERKLE_SHA256, .base_arity = 2, .base_levels = levels};
}

/* (sum of 2^i bits[i]) * 1 = packed, of allocated bits. */
static void enforce_bits(constraint_system *cs, const char *name, const boolean *bits, size_t count, const number *packed) {
    fr power = FR_ONE;
    for (size_t i = 0; i < count; i++, fr_double(&power, &power))
        boolean_add_to(&cs->a, &power, bits[i]);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, packed->variable);
    constraint_system_enforce(cs, name);
}

/* Splits the first public input into the partition's bits and the choice of high bits. */
static void allocate_partition(constraint_system *cs, update *u, uint64_t k_and_h_select) {
    boolean bits[MAX_PARTITION_BITS + HIGH_BITS_CHOICES];
    size_t count = u->bits.partition + HIGH_BITS_CHOICES;
    fr value;
    fr_from_u64(&value, k_and_h_select);
    number packed = circuit_allocate_public(cs, "k_and_h_select", &value);
    for (size_t i = 0; i < count; i++) {
        namespace_push_index(cs, "k_and_h_select bit", i);
        bits[i] = boolean_allocate(cs, k_and_h_select >> i & 1);
        namespace_pop(cs);
    }
    enforce_bits(cs, "k_and_h_select bits", bits, count, &packed);
    memcpy(u->partition_bits, bits, u->bits.partition * sizeof *bits);
    memcpy(u->high_bits_choice, bits + u->bits.partition, sizeof u->high_bits_choice);
    namespace_push(cs, "partition");
    u->partition = pack_bits(cs, u->partition_bits, u->bits.partition);
    namespace_pop(cs);
}

static number hash_randomness(constraint_system *cs, const number *a, const number *b) {
    return poseidon_circuit(cs, POSEIDON_RANDOMNESS, (const number[]){*a, *b}, 2);
}

/* comm_r is H(comm_c, root). */
static void enforce_replica_root(constraint_system *cs, const char *name, const number *comm_c, const number *root,
                                 const number *comm_r) {
    namespace_push(cs, name);
    number hash = poseidon_circuit(cs, POSEIDON_MERKLE_TREE, (const number[]){*comm_c, *root}, 2);
    number_enforce_equal(cs, "H(comm_c, root) = comm_r", &hash, comm_r);
    namespace_pop(cs);
}

/* The root over the apex leaves, joined to comm_d_new by the end that all challenges' paths have in common (apex_por). */
static void enforce_apex_tree(constraint_system *cs, const update *u, const number *partition_path) {
    number row[MAX_APEX_LEAVES];
    memcpy(row, u->apex_leaves, u->shape->snap_apex_leaves * sizeof *row);
    namespace_push(cs, "apex tree");
    for (unsigned level = 0; level < u->bits.apex_leaf; level++) {
        namespace_push_index(cs, "level", level);
        for (unsigned i = 0; i < u->shape->snap_apex_leaves >> (level + 1); i++) {
            namespace_push_index(cs, "node", i);
            row[i] = merkle_node_circuit(cs, MERKLE_SHA256, &row[2 * i], 2);
            namespace_pop(cs);
        }
        namespace_pop(cs);
    }
    merkle_shape above = data_subtree(u->bits.partition);
    namespace_push(cs, "path to comm_d_new");
    merkle_enforce_path(cs, &above, u->partition_bits, partition_path, &row[0], &u->comm_d_new);
    namespace_pop(cs);
    namespace_pop(cs);
}

/* The bits of all challenges but for the partition's, shape->snap_challenges times `bits` of them: cut from digests of
 * comm_r_new and a running number (gen_challenge_bits). */
static void generate_challenges(constraint_system *cs, const update *u, size_t bits, boolean *out) {
    size_t challenges = u->shape->snap_challenges, per_digest = MULTIPACK_CAPACITY / bits;
    size_t digests = (challenges + per_digest - 1) / per_digest;
    fr scale;
    fr_from_u64(&scale, digests);
    namespace_push(cs, "challenges");
    for (size_t j = 0; j < digests; j++) {
        namespace_push_index(cs, "digest", j);
        fr offset, value;
        fr_from_u64(&offset, j);
        fr_mul(&value, &u->partition.value, &scale);
        fr_add(&value, &value, &offset);
        number index = number_allocate(cs, &value);
        linear_combination_add(&cs->a, u->partition.variable, &scale);
        linear_combination_add(&cs->a, VARIABLE_ONE, &offset);
        linear_combination_add_one(&cs->b, VARIABLE_ONE);
        linear_combination_add_one(&cs->c, index.variable);
        constraint_system_enforce(cs, "index = partition * digests + j");

        number digest = hash_randomness(cs, &u->comm_r_new, &index);
        boolean digest_bits[FR_BITS];
        boolean_allocate_field_bits(cs, &digest.value, digest_bits);
        enforce_bits(cs, "digest bits", digest_bits, FR_BITS, &digest);
        size_t taken = challenges - j * per_digest < per_digest ? challenges - j * per_digest : per_digest;
        memcpy(out + j * per_digest * bits, digest_bits, taken * bits * sizeof *out);
        namespace_pop(cs);
    }
    namespace_pop(cs);
}

/* As many high bits of a challenge as the choice says, as a number (get_challenge_high_bits). */
static number choose_high_bits(constraint_system *cs, const update *u, const boolean *challenge) {
    number chosen[HIGH_BITS_CHOICES];
    fr sum = FR_ZERO;
    namespace_push(cs, "high bits");
    for (size_t i = 0; i < HIGH_BITS_CHOICES; i++) {
        boolean choice = u->high_bits_choice[i];
        namespace_push_index(cs, "choice", i);
        size_t count = u->shape->snap_high_bits[i];
        number high = pack_bits(cs, challenge + u->bits.all - count, count);
        chosen[i] = number_allocate(cs, choice.value ? &high.value : &FR_ZERO);
        fr_add(&sum, &sum, &chosen[i].value);
        linear_combination_add_one(&cs->a, high.variable);
        linear_combination_add_one(&cs->b, choice.variable);
        linear_combination_add_one(&cs->c, chosen[i].variable);
        constraint_system_enforce(cs, "high bits or zero");
        namespace_pop(cs);
    }
    number result = number_allocate(cs, &sum);
    for (size_t i = 0; i < HIGH_BITS_CHOICES; i++)
        linear_combination_add_one(&cs->a, chosen[i].variable);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, result.variable);
    constraint_system_enforce(cs, "sum of choices");
    namespace_pop(cs);
    return result;
}

/* A path of private siblings in `tree`, which may be the lower levels of the path's own. */
static void enforce_path(constraint_system *cs, const char *name, const merkle_shape *tree, const boolean *index_bits,
                         const merkle_path *path, const number *leaf, const number *root) {
    number siblings[MAX_PATH_SIBLINGS];
    size_t count = merkle_path_siblings(tree);
    assert(count <= MAX_PATH_SIBLINGS);
    namespace_push(cs, name);
    for (size_t i = 0; i < count; i++)
        siblings[i] = number_allocate(cs, path ? &path->siblings[i] : NULL);
    merkle_enforce_path(cs, tree, index_bits, siblings, leaf, root);
    namespace_pop(cs);
}

static void enforce_challenge(constraint_system *cs, const update *u, const boolean *challenge,
                              const snap_challenge_proof *proof) {
    number high = choose_high_bits(cs, u, challenge);
    namespace_push(cs, "rho");
    number rho = hash_randomness(cs, &u->phi, &high);
    namespace_pop(cs);

    number leaf_r_old = number_allocate(cs, MEMBER(proof, replica_old_path.leaf));
    number leaf_d_new = number_allocate(cs, MEMBER(proof, data_new_path.leaf));
    namespace_push(cs, "new replica leaf");
    number leaf_d_new_rho = number_multiply(cs, &leaf_d_new, &rho);
    number leaf_r_new = number_add(cs, &leaf_r_old, &leaf_d_new_rho);
    namespace_pop(cs);

    enforce_path(cs, "old tree R", &u->replica_tree, challenge, MEMBER(proof, replica_old_path), &leaf_r_old, &u->root_r_old);
    enforce_path(cs, "new tree R", &u->replica_tree, challenge, MEMBER(proof, replica_new_path), &leaf_r_new, &u->root_r_new);

    namespace_push(cs, "apex leaf");
    number apex_leaf = number_select(cs, u->apex_leaves, u->shape->snap_apex_leaves, challenge + u->bits.below_apex);
    namespace_pop(cs);
    merkle_shape below = data_subtree(u->bits.below_apex);
    enforce_path(cs, "new tree D to apex leaf", &below, challenge, MEMBER(proof, data_new_path), &leaf_d_new, &apex_leaf);
}

static void enforce_challenges(constraint_system *cs, const update *u, const snap_challenge_proof *proofs) {
    size_t generated = u->bits.all - u->bits.partition;
    boolean *bits = allocate(u->shape->snap_challenges * generated, sizeof *bits);
    generate_challenges(cs, u, generated, bits);
    for (size_t i = 0; i < u->shape->snap_challenges; i++) {
        boolean challenge[MAX_NODE_BITS];
        memcpy(challenge, bits + i * generated, generated * sizeof *bits);
        memcpy(challenge + generated, u->partition_bits, u->bits.partition * sizeof *bits);
        namespace_push_index(cs, "challenge", i);
        enforce_challenge(cs, u, challenge, proofs ? &proofs[i] : NULL);
        namespace_pop(cs);
    }
    free(bits);
}

static void synthesize(const circuit *self, constraint_system *cs) {
    const update_circuit *c = (const update_circuit *)self;
    const snap_partition_proof *proof = cs->has_witness ? c->proof : NULL;
    const snap_challenge_proof *proofs = proof ? proof->challenges : NULL;
    update u = {.shape = c->shape, .bits = challenge_bits_of(c->shape), .replica_tree = replica_tree_shape(c->shape)};
    assert(u.bits.partition <= MAX_PARTITION_BITS && c->shape->snap_apex_leaves <= MAX_APEX_LEAVES);

    allocate_partition(cs, &u, c->k_and_h_select);
    u.comm_r_old = circuit_allocate_public(cs, "comm_r_old", &c->comm_r_old);
    u.comm_d_new = circuit_allocate_public(cs, "comm_d_new", &c->comm_d_new);
    u.comm_r_new = circuit_allocate_public(cs, "comm_r_new", &c->comm_r_new);
    namespace_push(cs, "phi");
    u.phi = hash_randomness(cs, &u.comm_d_new, &u.comm_r_old);
    namespace_pop(cs);

    number comm_c = number_allocate(cs, MEMBER(proof, comm_c));
    u.root_r_old = number_allocate(cs, MEMBER(proofs, replica_old_path.root));
    u.root_r_new = number_allocate(cs, MEMBER(proofs, replica_new_path.root));
    for (size_t i = 0; i < c->shape->snap_apex_leaves; i++)
        u.apex_leaves[i] = number_allocate(cs, proof ? &proof->apex_leaves[i] : NULL);
    number partition_path[MAX_PARTITION_BITS];
    for (unsigned i = 0; i < u.bits.partition; i++)
        partition_path[i] =
            number_allocate(cs, proofs ? &proofs->data_new_path.siblings[u.bits.all - u.bits.partition + i] : NULL);

    enforce_replica_root(cs, "old replica", &comm_c, &u.root_r_old, &u.comm_r_old);
    enforce_replica_root(cs, "new replica", &comm_c, &u.root_r_new, &u.comm_r_new);
    enforce_apex_tree(cs, &u, partition_path);
    enforce_challenges(cs, &u, proofs);
}

update_circuit update_circuit_blank(const sector_shape *shape) {
    return (update_circuit){.circuit = {synthesize}, .shape = shape};
}

cuzk_status update_circuit_init(update_circuit *result, const snap_partition_proof *proof, unsigned k, const fr *comm_r_old,
                                const fr *comm_d_new, const fr *comm_r_new, cuzk_error *error) {
    const sector_shape *shape = proof->shape;
    challenge_bits bits = challenge_bits_of(shape);
    if (k >= shape->snap_partitions)
        return failure(error, CUZK_BAD_INPUT, "partition: found %u, expected less than %u", k, shape->snap_partitions);
    const merkle_path *first = &proof->challenges[0].data_new_path;
    for (unsigned i = 1; i < shape->snap_challenges; i++) {
        const merkle_path *path = &proof->challenges[i].data_new_path;
        for (unsigned level = bits.all - bits.partition; level < bits.all; level++) {
            if (!fr_equal(&path->siblings[level], &first->siblings[level]))
                return failure(error, CUZK_BAD_INPUT, "challenge %u: proof_d_new differs from that of challenge 0 in level %u, "
                               "which a partition's challenges share", i, level);
        }
    }
    *result = update_circuit_blank(shape);
    result->proof = proof;
    result->k_and_h_select = snap_partition_selector(shape, k);
    result->comm_r_old = *comm_r_old;
    result->comm_d_new = *comm_d_new;
    result->comm_r_new = *comm_r_new;
    return CUZK_OK;
}
