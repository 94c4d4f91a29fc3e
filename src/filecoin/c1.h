/* A C1 output: what a miner sends to have a PoRep proved. Either the envelope {"SectorNum", "Phase1Out" (base64),
 * "SectorSize"} or the JSON inside it (filecoin-proofs-api, SealCommitPhase1Output) by itself. */
#ifndef FILECOIN_C1_H
#define FILECOIN_C1_H

#include "filecoin/porep_public_inputs.h"
#include "filecoin/vanilla_proof.h"

typedef struct {
    const registered_proof *proof;
    porep_statement statement;
    uint8_t ticket[32];
    bool has_sector_number; /* an envelope gives it */
    uint64_t sector_number;
    fr comm_c, comm_r_last; /* roots of trees C and R: the same in all paths */
    unsigned partition_count;
    porep_partition_proof **partitions;
} c1_output;

/* Reads a C1 output. Numbers of partitions, challenges, layers and path elements must be those of registered_proof, all
 * values canonical, the proofs' roots one another's and comm_d's, and the challenges and parents those that the statement
 * gives. On failure nothing is kept. */
cuzk_status c1_parse(c1_output *c1, const uint8_t *text, size_t size, cuzk_error *error);

/* The same from a file; errors begin with its path. */
cuzk_status c1_load(c1_output *c1, const char *path, cuzk_error *error);

void c1_free(c1_output *c1);

#endif
