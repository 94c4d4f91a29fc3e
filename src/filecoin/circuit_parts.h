/* What the circuits share: public values, inclusion proofs of vanilla paths, and the replica commitment. */
#ifndef FILECOIN_CIRCUIT_PARTS_H
#define FILECOIN_CIRCUIT_PARTS_H

#include "filecoin/merkle_path.h"

/* The address of a member of a vanilla proof, or NULL where there is no proof. */
#define MEMBER(structure, member) ((structure) ? &(structure)->member : NULL)

/* A private number and the public input that equals it, in a namespace `name` (static text). value may be NULL without a
 * witness. */
number circuit_allocate_public(constraint_system *cs, const char *name, const fr *value);

/* No path in a tree of any sector has more siblings: 7 for each 3 bits of the leaf's index. */
enum { MAX_PATH_SIBLINGS = 7 * (MAX_NODE_BITS + 2) / 3 };

/* In a namespace `name` (static text): the leaf is in the tree with the given root, at the position that becomes a
 * public input. Of path, which has the tree's shape, index and siblings are taken; without a witness it may be NULL. */
void circuit_enforce_inclusion(constraint_system *cs, const char *name, const merkle_shape *tree, const merkle_path *path,
                               const number *leaf, const number *root);

/* comm_r = H(comm_c, comm_r_last), with Poseidon. */
void circuit_enforce_comm_r(constraint_system *cs, const number *comm_r, const number *comm_c, const number *comm_r_last);

#endif
