/* What survives a crash: accepted requests, finished partitions and the outcome of ended jobs.
 *
 * In the state directory: `lock` (held by the running process), `journal.sqlite` (WAL, every commit synced), and
 * requests/JOB.request, one file for each unfinished job (request_codec.h). A file is complete, synced and named before its
 * row commits, and deleted only after a checkpoint has moved the row that ends the job from the WAL into the database: so
 * whatever becomes of the database, every unfinished request is there. Files without a row are handed out as orphans; the
 * engine takes them as submitted (a submission cut short by a crash, or rows lost with a damaged database).
 *
 * Every row carries a SHA-256 of its contents. A database that fails SQLite's own check, or has a row whose digest is
 * wrong, is moved aside to damaged-N/, and its good rows are taken over into a new one.
 *
 * All functions but open and close may be called from any thread. Failures of the disk and of locks (disk full, database
 * locked by another process) are CUZK_UNAVAILABLE: the same call may succeed later. */
#ifndef ENGINE_JOURNAL_H
#define ENGINE_JOURNAL_H

#include "base/memory.h"
#include "cuzk/engine.h"
#include "engine/proving_backend.h"
#include "engine/request_codec.h"

typedef struct journal journal;

/* A job as the journal knows it. */
typedef struct {
    char job_id[CUZK_JOB_ID_CAPACITY];
    uint8_t digest[REQUEST_DIGEST_BYTES];
    char label[CUZK_REQUEST_LABEL_CAPACITY];
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    cuzk_priority priority;
    request_description description; /* circuit is not kept: circuit_id is */
    uint64_t request_bytes;
    int64_t submitted_unix_ms;

    cuzk_job_state state; /* queued: unfinished; what follows is set for the others */
    int64_t ended_unix_ms;
    cuzk_error failure;
    const uint8_t *proof; /* borrowed */
    size_t proof_length;
    bool development;
    cuzk_job_times times;
} journal_record;

/* Takes the directory (made if absent) and opens what is in it. CUZK_UNAVAILABLE names the process that holds it, or says
 * that the database is locked; CUZK_BAD_INPUT: written by a newer cuzk. */
cuzk_status journal_open(journal **result, const char *directory, cuzk_error *error);
void journal_close(journal *j);

/* Writes the request's file and the job's row. On failure neither counts. */
cuzk_status journal_accept(journal *j, const journal_record *record, const cuzk_request *request, cuzk_error *error);
/* A partition's verified proof. */
cuzk_status journal_partition(journal *j, const char *job_id, unsigned partition, const uint8_t proof[PARTITION_PROOF_BYTES],
                              cuzk_error *error);
/* The outcome: state, ended_unix_ms, failure, proof, development, times. */
cuzk_status journal_end(journal *j, const journal_record *record, cuzk_error *error);
/* Deletes ended jobs' rows, all or none. */
cuzk_status journal_forget(journal *j, const char (*job_ids)[CUZK_JOB_ID_CAPACITY], size_t count, cuzk_error *error);
/* Moves the WAL into the database and deletes the files of ended jobs. Cheap when nothing has been committed since. */
cuzk_status journal_tidy(journal *j, cuzk_error *error);

/* Calls function for every job, in the order of submission. partition_proofs: description.partitions proofs of 192 bytes
 * and partition_done as many flags, of an unfinished job; NULL for others. Pointers are valid during the call only. */
typedef void (*journal_visitor)(void *context, const journal_record *record, const uint8_t *partition_proofs,
                                const bool *partition_done);
cuzk_status journal_each(journal *j, journal_visitor function, void *context, cuzk_error *error);

/* Calls function with the job id in the name of every request file that has no row. */
cuzk_status journal_orphans(journal *j, void (*function)(void *context, const char *job_id), void *context, cuzk_error *error);
/* Deletes a request file without a row. */
void journal_drop_orphan(journal *j, const char *job_id);

/* Reads a request's file; digest may be NULL, else the bytes must have it: CUZK_INPUT_OUTPUT names the file if not. */
cuzk_status journal_read_request(journal *j, const char *job_id, const uint8_t digest[REQUEST_DIGEST_BYTES], big_buffer *bytes,
                                 size_t *length, cuzk_error *error);

typedef struct {
    uint64_t commits, failures;
    double seconds; /* in commits */
} journal_statistics;
void journal_statistics_get(journal *j, journal_statistics *statistics);

/* Called at every step of a write with its name; NULL (always, outside of tests): not. */
extern void (*journal_fault_point)(const char *step);

#endif
