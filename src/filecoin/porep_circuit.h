/* Proof of replication: one partition of the stacked DRG (storage-proofs-porep, stacked/circuit/{proof,params}.rs).
 * Interactive, synthetic and non-interactive proofs and all API versions share one circuit for each sector size: they
 * differ in challenges, graph and number of partitions alone.
 *
 * Public inputs: replica id, comm_d, comm_r; then for each challenge the positions of the data leaf in tree D, of the 6
 * DRG and 8 expander parents in tree C, the challenge itself, and its positions in trees R and C. */
#ifndef FILECOIN_POREP_CIRCUIT_H
#define FILECOIN_POREP_CIRCUIT_H

#include "filecoin/vanilla_proof.h"
#include "r1cs/constraint_system.h"

typedef struct {
    circuit circuit; /* synthesize this */
    const sector_shape *shape;
    const porep_partition_proof *proof; /* NULL: blank */
    fr replica_id, comm_d, comm_r;
} porep_circuit;

/* The circuit of a sector size without a witness. */
porep_circuit porep_circuit_blank(const sector_shape *shape);

/* The circuit of one partition, which must outlive it. replica_id, comm_d and comm_r are Montgomery. CUZK_BAD_INPUT if
 * the challenges' paths do not all state the same roots of trees C and R: the circuit has one of each. */
cuzk_status porep_circuit_init(porep_circuit *result, const porep_partition_proof *proof, const fr *replica_id, const fr *comm_d,
                               const fr *comm_r, cuzk_error *error);

#endif
