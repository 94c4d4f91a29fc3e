/* Making proof jobs to prove: seals test sectors, or builds sparse ones, and writes a job directory with job.json and its
 * vanilla proofs. The entry for the command line.
 *
 * Everything follows from the seed and the numbers in the options. Drawn from an xorshift seeded with it, in this order:
 * PoRep: ticket, seed, data. PoSt: for each sector ticket, seed, data; then the randomness. SnapDeals: ticket, seed, data,
 * new data. Sparse sectors draw ticket and seed, the randomness, or what sparse_update_build draws. */
#ifndef FILECOIN_GENERATE_H
#define FILECOIN_GENERATE_H

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "filecoin/registered_proof.h"

typedef struct {
    const registered_proof *proof;
    bool sparse; /* no sector is sealed: any size, in seconds. Not for synthetic and non-interactive PoRep */
    uint64_t seed;
    uint64_t miner_id;
    uint64_t sector_number;   /* of the first sector; others follow it */
    uint64_t sector_count;    /* WindowPoSt: 1 ... as many as its circuit holds, or 0 for these. Others have one */
    uint64_t partition_index; /* WindowPoSt: which partition of the miner's sectors they are, at most 2^32 - 1 */
    bool keep_sectors;        /* sealed sectors are also written, into DIRECTORY/sector-NUMBER */
    const char *directory;    /* of the job; created */
} generate_options;

/* The proof of a kind and size that is made unless another is asked for: interactive PoRep 1.1, WinningPoSt, WindowPoSt 1.2
 * (FIP-0061), SnapDeals. NULL if the size has no registered proof. */
const registered_proof *default_registered_proof(proof_kind kind, const sector_shape *shape);

/* Writes the job. CUZK_BAD_INPUT if the options do not go together (a size beyond sealing, a sparse sector for a proof that
 * can have none, too many sectors); CUZK_INPUT_OUTPUT; CUZK_NO_MEMORY; CUZK_CANCELLED. A failed run may leave files. */
cuzk_status generate_job(const generate_options *options, thread_pool *pool, progress *job, cuzk_error *error);

#endif
