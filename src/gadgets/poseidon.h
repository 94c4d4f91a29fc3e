/* Poseidon as neptune 11 computes it over BLS12-381's scalar field (standard strength, S-box x^5): natively, and its
 * circuit in the older form that Filecoin's parameters were made for (neptune, circuit.rs).
 *
 * All constants are derived from the arity at its first use (poseidon_constants.h): 9 ms for arity 8. Thread safe. */
#ifndef GADGETS_POSEIDON_H
#define GADGETS_POSEIDON_H

#include "gadgets/number.h"

enum { POSEIDON_MAX_ARITY = 16 };

/* What a hash is for, as the state's first element says it. */
typedef enum {
    POSEIDON_MERKLE_TREE, /* 2^arity - 1; also of columns and of comm_r */
    POSEIDON_RANDOMNESS   /* 2^40, neptune's custom type 1: SnapDeals' phi, rho and challenges */
} poseidon_domain;

/* Hash of `arity` elements (1 ... POSEIDON_MAX_ARITY). out may overlap preimage. */
void poseidon_hash(fr *out, poseidon_domain domain, const fr *preimage, unsigned arity);

/* The same in a circuit: 311, 377, 505 or 598 variables and as many constraints for arity 2, 4, 8 or 11. */
number poseidon_circuit(constraint_system *cs, poseidon_domain domain, const number *preimage, unsigned arity);

#endif
