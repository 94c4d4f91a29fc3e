/* Job directories: job.json, which has the fields of a proof request, and the vanilla proofs beside it. */
#ifndef FILECOIN_JOB_WRITE_H
#define FILECOIN_JOB_WRITE_H

#include "filecoin/c1_encode.h"

/* Writes c1.json and job.json into a directory, which is created. sparse: the sector behind it is no whole one. */
cuzk_status job_write_porep(const char *directory, const c1_contents *contents, uint64_t miner_id, bool sparse,
                            cuzk_error *error);

typedef struct {
    uint64_t sector_number;
    uint8_t comm_r[32];
    uint64_t challenges[WINNING_CHALLENGES]; /* post_sector_challenge_count of them */
} post_job_sector;

typedef struct {
    const registered_proof *proof;
    uint64_t miner_id;
    uint8_t randomness[32];
    unsigned partition_index;
    const post_job_sector *sectors;
    size_t sector_count;
    const byte_buffer *vanilla_proofs; /* the JSON list (end_proof_list) */
} post_job;

/* Writes vanilla.json and job.json. */
cuzk_status job_write_post(const char *directory, const post_job *job, cuzk_error *error);

typedef struct {
    const registered_proof *proof;
    uint64_t miner_id, sector_number;
    const uint8_t *comm_r_old, *comm_r_new, *comm_d_new; /* 32 bytes */
    const byte_buffer *vanilla_proofs;
} update_job;

cuzk_status job_write_update(const char *directory, const update_job *job, cuzk_error *error);

#endif
