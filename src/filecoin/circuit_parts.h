/* What the circuits share: named allocations, the sector's trees as the gadgets see them, inclusion proofs of vanilla
 * paths, and the replica commitment. */
#ifndef FILECOIN_CIRCUIT_PARTS_H
#define FILECOIN_CIRCUIT_PARTS_H

#include "filecoin/merkle_path.h"
#include "gadgets/merkle.h"

/* The address of a member of a vanilla proof, or NULL where there is no proof. */
#define MEMBER(structure, member) ((structure) ? &(structure)->member : NULL)

/* A private number, in a namespace `name` (static text). value may be NULL without a witness. */
number circuit_allocate(constraint_system *cs, const char *name, const fr *value);
/* The same, and a public input that equals it. */
number circuit_allocate_public(constraint_system *cs, const char *name, const fr *value);

/* No tree has more siblings on a path than one of arity 8 throughout: 7 for each 3 bits of the leaf's index. */
enum { MAX_PATH_SIBLINGS = 7 * (MAX_NODE_BITS + 2) / 3 };

/* Tree D: binary, SHA-256. */
merkle_shape circuit_data_tree(const sector_shape *shape);
/* Trees C and R: Poseidon, of the shape's arities. */
merkle_shape circuit_replica_tree(const sector_shape *shape);

/* Copies the siblings of all levels, from the leaf up. Returns their number: merkle_path_siblings of the tree. */
size_t circuit_path_siblings(fr siblings[MAX_PATH_SIBLINGS], const merkle_path *path);

/* In a namespace `name` (static text): the leaf is in the tree with the given root, at the position that becomes a
 * public input. path has the tree's shape; its own leaf and root are not looked at. It is not looked at without a
 * witness and may be NULL then. */
void circuit_enforce_inclusion(constraint_system *cs, const char *name, const merkle_shape *tree, const merkle_path *path,
                               const number *leaf, const number *root);

/* comm_r = H(comm_c, comm_r_last), with Poseidon. */
void circuit_enforce_comm_r(constraint_system *cs, const number *comm_r, const number *comm_c, const number *comm_r_last);

#endif
