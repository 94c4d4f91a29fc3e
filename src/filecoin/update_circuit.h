/* SnapDeals: one partition of an EmptySectorUpdate (storage-proofs-update, circuit.rs and gadgets.rs): the replica whose
 * tree R has root r_new encodes the new data over the old replica, at challenges that comm_r_new fixes.
 *
 * Public inputs: the partition's number k and the choice of high bits in one number, comm_r_old, comm_d_new, comm_r_new. */
#ifndef FILECOIN_UPDATE_CIRCUIT_H
#define FILECOIN_UPDATE_CIRCUIT_H

#include "filecoin/vanilla_proof.h"
#include "r1cs/constraint_system.h"

typedef struct {
    circuit circuit; /* synthesize this */
    const sector_shape *shape;
    const snap_partition_proof *proof; /* NULL: blank */
    uint64_t k_and_h_select;           /* k in the low bits, then a 1 at the choice among shape->snap_high_bits */
    fr comm_r_old, comm_d_new, comm_r_new;
} update_circuit;

/* The circuit of a sector size without a witness. */
update_circuit update_circuit_blank(const sector_shape *shape);

/* The circuit of partition number k, whose proof must outlive it. The commitments are Montgomery. CUZK_BAD_INPUT if the
 * sector has no partition k, or if the challenges' paths in tree D do not end alike from the partition's root up: the
 * circuit has that end once. */
cuzk_status update_circuit_init(update_circuit *result, const snap_partition_proof *proof, unsigned k, const fr *comm_r_old,
                                const fr *comm_d_new, const fr *comm_r_new, cuzk_error *error);

#endif
