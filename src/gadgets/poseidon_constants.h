/* Everything that Poseidon with a given arity needs, derived as neptune 11 does (round_numbers.rs, round_constants.rs,
 * mds.rs, preprocessing.rs), in the optimised form: after every S-box one key is added, and a partial round multiplies by
 * a sparse matrix. */
#ifndef GADGETS_POSEIDON_CONSTANTS_H
#define GADGETS_POSEIDON_CONSTANTS_H

#include "gadgets/poseidon.h"

enum { POSEIDON_MAX_WIDTH = POSEIDON_MAX_ARITY + 1, POSEIDON_MAX_PARTIAL_ROUNDS = 64 };

/* A matrix; the state, a row vector, is multiplied from the left: out[j] = sum over i of state[i] * cells[i][j]. */
typedef struct {
    unsigned size;
    fr cells[POSEIDON_MAX_WIDTH][POSEIDON_MAX_WIDTH];
} poseidon_matrix;

/* The identity but for its first column and first row. */
typedef struct {
    fr column[POSEIDON_MAX_WIDTH];
    fr row[POSEIDON_MAX_WIDTH]; /* row[0] is unused: it is column[0] */
} poseidon_sparse_matrix;

typedef struct {
    unsigned width; /* arity + 1 */
    unsigned full_rounds, partial_rounds; /* half of the full rounds come first */

    /* In the order of their use: `width` to add before the first round, then one for each S-box, but none in the last
     * full round: full_rounds * width + partial_rounds. */
    fr *round_keys;
    /* The matrices of the rounds: mds in full rounds, but pre_sparse in the last one before the partial rounds. */
    poseidon_matrix mds, pre_sparse;
    poseidon_sparse_matrix *sparse; /* partial_rounds */

    /* For the circuit: what goes into each S-box from the second round on, in their order, and finally the hash, as
     * coefficients of the outputs of the S-boxes that it still depends on: those of the last full round, in the order of
     * their positions, and those of the partial rounds since. */
    fr *input_rows;
} poseidon_constants;

/* The constants of an arity, 1 ... POSEIDON_MAX_ARITY, derived at first use and kept for good. Thread safe. */
const poseidon_constants *poseidon_constants_of(unsigned arity);

/* The numbers of rounds for a state of the given width. */
void poseidon_round_numbers(unsigned width, unsigned *full_rounds, unsigned *partial_rounds);

/* The (full_rounds + partial_rounds) * width constants of the textbook form, one for each element and round. */
void poseidon_round_constants(fr *out, unsigned width, unsigned full_rounds, unsigned partial_rounds);

/* The Cauchy matrix 1 / (i + j + width). */
void poseidon_mds_matrix(poseidon_matrix *out, unsigned width);

/* state = state * matrix. */
void poseidon_matrix_apply(fr *state, const poseidon_matrix *matrix);
void poseidon_sparse_apply(fr *state, const poseidon_sparse_matrix *sparse, unsigned width);

/* x = x^5 + key, without the addition if key is NULL. */
void poseidon_s_box(fr *x, const fr *key);

/* The first element of the state. */
void poseidon_domain_tag(fr *out, poseidon_domain domain, unsigned arity);

#endif
