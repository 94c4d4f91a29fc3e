/* Proof requests, from any client, and what they ask for once they are understood: vanilla proofs, circuits and public
 * inputs. */
#ifndef FILECOIN_JOB_H
#define FILECOIN_JOB_H

#include "filecoin/c1.h"
#include "filecoin/circuits.h"
#include "filecoin/post_public_inputs.h"

typedef struct {
    bool given;
    uint64_t value;
} optional_u64;

typedef struct {
    bool given;
    uint8_t bytes[32];
} optional_bytes32;

typedef struct {
    const uint8_t *bytes;
    size_t size;
} byte_view;

/* A sector of a PoSt as a job file states it. */
typedef struct {
    uint64_t number;
    uint8_t comm_r[32];
    uint64_t challenges[WINNING_CHALLENGES]; /* leaves of tree R */
    unsigned challenge_count;                /* 0: not stated */
} stated_sector;

/* The fields of SubmitProofRequest by name; nothing is checked yet. Owns nothing. */
typedef struct {
    proof_kind kind;
    uint64_t registered_proof;
    uint64_t sector_size; /* bytes; 0: not given */
    optional_u64 sector_number, miner_id;
    optional_bytes32 randomness; /* PoSt */
    uint64_t partition_index;    /* WindowPoSt */
    optional_bytes32 comm_r_old, comm_r_new, comm_d_new; /* SnapDeals */
    byte_view vanilla_proof;         /* PoRep: a C1 output */
    const byte_view *vanilla_proofs; /* the others: bincode, one for each sector or partition */
    size_t vanilla_proof_count;

    /* What a job file may say besides. It must agree with the vanilla proofs, and is not needed. */
    optional_bytes32 comm_r, comm_d, replica_id, seed, ticket, porep_id, prover_id;
    const stated_sector *sectors;
    size_t sector_count;

    /* Where fields and vanilla proofs come from, for messages; NULL: the fields' names stand for themselves. */
    const char *name, *vanilla_name;
} proof_request;

/* A request that has been understood: its vanilla proofs decoded and found to be of the right sector, challenges and
 * commitments. That their hashes agree is for the circuit to find. */
typedef struct {
    const registered_proof *proof;
    uint64_t sector_number, miner_id; /* 0 where not given */
    unsigned partition_count;         /* circuits to be proved, 192 bytes of proof each */

    c1_output c1; /* PoRep */

    uint8_t randomness[32]; /* PoSt */
    uint64_t partition_index;
    size_t sector_count;
    post_sector_proof **sectors;
    post_public_sector *public_sectors;

    fr comm_r_old, comm_r_new, comm_d_new; /* SnapDeals */
    snap_partition_proof **partitions;     /* partition_count */
} proof_job;

/* Decodes and checks. CUZK_BAD_INPUT names the field, what was found and what was expected; then nothing is kept. The
 * request's bytes are no longer needed afterwards. */
cuzk_status job_from_request(proof_job *result, const proof_request *request, cuzk_error *error);

/* Reads a job.json and the files that it names, which lie beside it. Errors begin with the file's path. */
cuzk_status job_load(proof_job *result, const char *path, cuzk_error *error);

void job_free(proof_job *job);

/* The circuit of a partition (below partition_count), with its witness. The job must outlive it. */
cuzk_status job_circuit(filecoin_circuit *result, const proof_job *job, unsigned partition, cuzk_error *error);

/* The public inputs of a partition, without ONE, from what the job states alone: none of the witness goes in. */
unsigned job_public_input_count(const proof_job *job);
void job_public_inputs(fr *inputs, const proof_job *job, unsigned partition);

#endif
