/* The circuits of all kinds under one type. */
#ifndef FILECOIN_CIRCUITS_H
#define FILECOIN_CIRCUITS_H

#include "filecoin/porep_circuit.h"
#include "filecoin/post_circuit.h"
#include "filecoin/registered_proof.h"
#include "filecoin/update_circuit.h"

/* Each member begins with its struct circuit: &any.circuit is what synthesizes, whichever kind it is. */
typedef union {
    circuit circuit;
    porep_circuit porep;
    post_circuit post;
    update_circuit update;
} filecoin_circuit;

/* The circuit of a kind and sector size without a witness: for counts, digests and setup. */
filecoin_circuit filecoin_circuit_blank(proof_kind kind, const sector_shape *shape);

#endif
