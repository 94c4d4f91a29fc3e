/* Vanilla proofs in memory: what circuits take their witness from. Field elements are fr (Montgomery); decoders have
 * checked every length, index and the range of every element, but not that hashes agree: the circuit does that.
 *
 * Every *_create function allocates the whole structure at once, with all pointers and lengths as the sector's shape
 * demands and all values zero; free it with free(). */
#ifndef FILECOIN_VANILLA_PROOF_H
#define FILECOIN_VANILLA_PROOF_H

#include "filecoin/merkle_path.h"
#include "filecoin/registered_proof.h"

/* A node's labels, one of each layer from the first, and its column's path in tree C (leaf: the column's hash). */
typedef struct {
    uint64_t node;
    fr *rows; /* shape->layers */
    merkle_path path;
} column_proof;

/* What a label hashes: parents in the order and repetition of the hash (storage-proofs-porep labeling_proof.rs). The
 * first layer has the 6 DRG parents, six times and one more; the others 6 DRG and 8 expander parents, cycled. */
typedef struct {
    unsigned layer; /* from 1 */
    uint64_t node;
    fr *parents; /* LABEL_PARENTS */
} labeling_proof;

/* One challenge of a PoRep (storage-proofs-porep stacked/vanilla/params.rs, Proof). */
typedef struct {
    uint64_t challenge;     /* the challenged node */
    merkle_path data_path;    /* comm_d_proofs: of the data node in tree D */
    merkle_path replica_path; /* comm_r_last_proof: of the encoded node in tree R */
    column_proof column;      /* c_x: of the challenged node */
    column_proof drg_parents[DRG_DEGREE];
    column_proof expander_parents[EXPANDER_DEGREE];
    labeling_proof *labels; /* shape->layers */
    labeling_proof encoding; /* its key: equal to the last label's; not used by the circuit */
} porep_challenge_proof;

typedef struct {
    const sector_shape *shape;
    porep_challenge_proof *challenges; /* shape->porep_challenges */
} porep_partition_proof;

porep_partition_proof *porep_partition_proof_create(const sector_shape *shape);

/* One sector of a PoSt (filecoin-proofs FallbackPoStSectorProof, with its one SectorProof). WinningPoSt has 66 paths,
 * WindowPoSt 10. All paths are in tree R. */
typedef struct {
    const sector_shape *shape;
    uint64_t sector_number;
    fr comm_r, comm_c, comm_r_last;
    unsigned path_count;
    merkle_path *paths;
} post_sector_proof;

post_sector_proof *post_sector_proof_create(const sector_shape *shape, unsigned path_count);

/* One partition of a SnapDeals update (storage-proofs-update vanilla.rs, PartitionProof). */
typedef struct {
    merkle_path replica_old_path; /* proof_r_old: tree R before */
    merkle_path data_new_path;    /* proof_d_new: tree D of the new data */
    merkle_path replica_new_path; /* proof_r_new: tree R after */
} snap_challenge_proof;

typedef struct {
    const sector_shape *shape;
    fr comm_c;
    fr *apex_leaves;                  /* shape->snap_apex_leaves */
    snap_challenge_proof *challenges; /* shape->snap_challenges */
} snap_partition_proof;

snap_partition_proof *snap_partition_proof_create(const sector_shape *shape);

#endif
