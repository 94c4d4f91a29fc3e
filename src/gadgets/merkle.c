#include "gadgets/merkle.h"

#include <assert.h>
#include <openssl/sha.h>

#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"

/* log2 of an arity. */
static unsigned arity_bits(unsigned arity) {
    assert(arity == 2 || arity == 4 || arity == 8);
    return arity == 2 ? 1 : arity == 4 ? 2 : 3;
}

merkle_shape merkle_shape_of(merkle_hasher hasher, unsigned base_arity, unsigned sub_arity, unsigned top_arity, uint64_t leaves) {
    assert(leaves > 0 && (leaves & (leaves - 1)) == 0);
    assert(sub_arity > 0 || top_arity == 0);
    merkle_shape shape = {.hasher = hasher, .base_arity = base_arity, .sub_arity = sub_arity, .top_arity = top_arity};
    uint64_t nodes = leaves;
    if (sub_arity > 0)
        nodes >>= arity_bits(sub_arity);
    if (top_arity > 0)
        nodes >>= arity_bits(top_arity);
    for (; nodes > 1; nodes >>= arity_bits(base_arity))
        shape.base_levels++;
    assert(UINT64_C(1) << merkle_index_bits(&shape) == leaves);
    return shape;
}

unsigned merkle_levels(const merkle_shape *shape) {
    return shape->base_levels + (shape->sub_arity > 0) + (shape->top_arity > 0);
}

unsigned merkle_level_arity(const merkle_shape *shape, unsigned level) {
    assert(level < merkle_levels(shape));
    if (level < shape->base_levels)
        return shape->base_arity;
    return level == shape->base_levels ? shape->sub_arity : shape->top_arity;
}

size_t merkle_path_siblings(const merkle_shape *shape) {
    size_t siblings = 0;
    for (unsigned level = 0; level < merkle_levels(shape); level++)
        siblings += merkle_level_arity(shape, level) - 1;
    return siblings;
}

unsigned merkle_index_bits(const merkle_shape *shape) {
    unsigned bits = 0;
    for (unsigned level = 0; level < merkle_levels(shape); level++)
        bits += arity_bits(merkle_level_arity(shape, level));
    return bits;
}

void merkle_node(fr *out, merkle_hasher hasher, const fr *children, unsigned arity) {
    if (hasher == MERKLE_POSEIDON) {
        poseidon_hash(out, POSEIDON_MERKLE_TREE, children, arity);
        return;
    }
    assert(arity <= MERKLE_MAX_ARITY);
    uint8_t bytes[MERKLE_MAX_ARITY * FR_BYTES], digest[32];
    for (unsigned i = 0; i < arity; i++)
        fr_to_bytes(bytes + i * FR_BYTES, &children[i]);
    SHA256(bytes, arity * FR_BYTES, digest);
    fr_from_hash(out, digest);
}

void merkle_root(fr *out, const merkle_shape *shape, const merkle_opening *opening, const fr *leaf) {
    const fr *siblings = opening->siblings;
    uint64_t index = opening->index;
    fr current = *leaf;
    for (unsigned level = 0; level < merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level), position = (unsigned)(index & (arity - 1));
        fr children[MERKLE_MAX_ARITY];
        for (unsigned i = 0; i < arity; i++)
            children[i] = i == position ? current : *siblings++;
        merkle_node(&current, shape->hasher, children, arity);
        index >>= arity_bits(arity);
    }
    *out = current;
}

static number sha256_node_circuit(constraint_system *cs, const number *children, unsigned arity) {
    boolean preimage[MERKLE_MAX_ARITY * 8 * FR_BYTES], digest[SHA256_DIGEST_BITS], reversed[SHA256_DIGEST_BITS];
    for (unsigned i = 0; i < arity; i++) {
        boolean bits[FR_BITS];
        namespace_push_index(cs, "num_into_bits", i);
        number_to_bits_le(cs, &children[i], bits);
        namespace_pop(cs);
        reverse_bit_numbering(preimage + i * 8 * FR_BYTES, bits, FR_BITS);
    }
    namespace_push(cs, "hash");
    sha256_circuit(cs, preimage, arity * 8 * FR_BYTES, digest);
    namespace_pop(cs);
    reverse_bit_numbering(reversed, digest, SHA256_DIGEST_BITS);
    namespace_push(cs, "pack_le");
    number node = pack_bits(cs, reversed, MULTIPACK_CAPACITY);
    namespace_pop(cs);
    return node;
}

number merkle_node_circuit(constraint_system *cs, merkle_hasher hasher, const number *children, unsigned arity) {
    assert(arity <= MERKLE_MAX_ARITY);
    return hasher == MERKLE_POSEIDON ? poseidon_circuit(cs, POSEIDON_MERKLE_TREE, children, arity)
                                     : sha256_node_circuit(cs, children, arity);
}

/* The parent of a node that has a position among siblings. */
static number hash_up(constraint_system *cs, merkle_hasher hasher, const number *current, const boolean *position,
                      const number *siblings, unsigned arity) {
    number children[MERKLE_MAX_ARITY];
    namespace_push(cs, "insert");
    number_insert(cs, current, position, siblings, arity, children);
    namespace_pop(cs);
    namespace_push(cs, "computation of commitment hash");
    number parent = merkle_node_circuit(cs, hasher, children, arity);
    namespace_pop(cs);
    return parent;
}

/* "base", "sub" or "top", and the level's number among those of the same name. */
static void push_level(constraint_system *cs, const merkle_shape *shape, unsigned level) {
    bool base = level < shape->base_levels;
    namespace_push(cs, base ? "base" : level == shape->base_levels ? "sub" : "top");
    namespace_push_index(cs, "merkle tree hash", base ? level : 0);
}

static void pop_level(constraint_system *cs) {
    namespace_pop(cs);
    namespace_pop(cs);
}

void merkle_enforce_inclusion(constraint_system *cs, const merkle_shape *shape, const merkle_opening *opening,
                              const number *leaf, const number *root) {
    boolean index_bits[3 * MERKLE_MAX_LEVELS];
    unsigned bit_count = 0;
    size_t sibling_count = 0;
    number current = *leaf;
    assert(merkle_levels(shape) <= MERKLE_MAX_LEVELS);
    for (unsigned level = 0; level < merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level);
        boolean *position = index_bits + bit_count;
        number siblings[MERKLE_MAX_ARITY - 1];
        push_level(cs, shape, level);
        for (unsigned i = 0; i < arity_bits(arity); i++, bit_count++) {
            namespace_push_index(cs, "index bit", i);
            position[i] = boolean_allocate(cs, cs->has_witness && (opening->index >> bit_count & 1));
            namespace_pop(cs);
        }
        for (unsigned i = 0; i < arity - 1; i++, sibling_count++)
            siblings[i] = number_allocate(cs, cs->has_witness ? &opening->siblings[sibling_count] : NULL);
        current = hash_up(cs, shape->hasher, &current, position, siblings, arity);
        pop_level(cs);
    }
    namespace_push(cs, "path");
    pack_into_inputs(cs, index_bits, bit_count);
    namespace_pop(cs);
    number_enforce_equal(cs, "enforce root is correct", &current, root);
}

void merkle_enforce_path(constraint_system *cs, const merkle_shape *shape, const boolean *index_bits, const number *siblings,
                         const number *leaf, const number *root) {
    number current = *leaf;
    for (unsigned level = 0; level < merkle_levels(shape); level++) {
        unsigned arity = merkle_level_arity(shape, level);
        push_level(cs, shape, level);
        current = hash_up(cs, shape->hasher, &current, index_bits, siblings, arity);
        pop_level(cs);
        index_bits += arity_bits(arity);
        siblings += arity - 1;
    }
    number_enforce_equal(cs, "calculated root == provided root", &current, root);
}
