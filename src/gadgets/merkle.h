/* Merkle trees with Filecoin's shapes: their node hashes, natively and in a circuit (filecoin-hashers), and inclusion
 * proofs in a circuit (storage-proofs-core, gadgets/por.rs). */
#ifndef GADGETS_MERKLE_H
#define GADGETS_MERKLE_H

#include "gadgets/number.h"

enum { MERKLE_MAX_ARITY = 8, MERKLE_MAX_LEVELS = 64 };

typedef enum {
    MERKLE_POSEIDON,
    MERKLE_SHA256 /* the digest as a little-endian integer without its two top bits */
} merkle_hasher;

/* Levels from the leaves up: base_levels of base_arity, then one of sub_arity and one of top_arity unless these are 0.
 * Arities are 2, 4 or 8; a top needs a sub. */
typedef struct {
    merkle_hasher hasher;
    unsigned base_arity, sub_arity, top_arity;
    unsigned base_levels;
} merkle_shape;

/* The shape of a tree with the given number of leaves (a power of two that the arities divide evenly: asserted). */
merkle_shape merkle_shape_of(merkle_hasher hasher, unsigned base_arity, unsigned sub_arity, unsigned top_arity, uint64_t leaves);
unsigned merkle_levels(const merkle_shape *shape);
/* Arity of the nodes that are hashed at a level, 0 ... merkle_levels - 1 from the leaves up. */
unsigned merkle_level_arity(const merkle_shape *shape, unsigned level);
/* Siblings in a whole path: the sum over the levels of arity - 1. */
size_t merkle_path_siblings(const merkle_shape *shape);
/* Bits of a leaf's index: the sum over the levels of log2(arity). */
unsigned merkle_index_bits(const merkle_shape *shape);

/* Where a leaf is and what is beside its way to the root. Owns nothing. */
typedef struct {
    uint64_t index;     /* of the leaf. Its bits from the least significant on are the positions at the levels */
    const fr *siblings; /* merkle_path_siblings, Montgomery, level by level from the leaf up, each in the node's order */
} merkle_opening;

/* Hash of a node's arity children. Montgomery. out may overlap children. */
void merkle_node(fr *out, merkle_hasher hasher, const fr *children, unsigned arity);
/* The root that a leaf and its path give. */
void merkle_root(fr *out, const merkle_shape *shape, const merkle_opening *opening, const fr *leaf);

/* merkle_node in a circuit (hash2_circuit, hash_leaf_circuit and hash_multi_leaf_circuit of the Rust hashers). SHA-256
 * first decomposes the children into bits. */
number merkle_node_circuit(constraint_system *cs, merkle_hasher hasher, const number *children, unsigned arity);

/* A private inclusion proof as PoRep and PoSt use it: allocates index bits and siblings level by level, hashes up,
 * exposes the leaf's index as a public input, and enforces that the outcome is root. The PoSt circuit allocates the leaf
 * right before. opening may be NULL without a witness. */
void merkle_enforce_inclusion(constraint_system *cs, const merkle_shape *shape, const merkle_opening *opening,
                              const number *leaf, const number *root);

/* The same over existing variables and without a public input, as SnapDeals uses it (por_no_challenge_input).
 * index_bits: merkle_index_bits allocated bits, not negated, least significant first; siblings: merkle_path_siblings. */
void merkle_enforce_path(constraint_system *cs, const merkle_shape *shape, const boolean *index_bits, const number *siblings,
                         const number *leaf, const number *root);

#endif
