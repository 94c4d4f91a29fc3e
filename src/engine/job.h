/* Jobs: making them, finding them, and keeping the ended ones. The engine's mutex is held. */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "engine/engine_internal.h"

/* A new job in phase JOB_ACCEPTING, in no table. Its id is KIND-DIGEST-ATTEMPT: of the request only by way of its digest. */
job *job_create(cuzk_engine *engine, const uint8_t digest[REQUEST_DIGEST_BYTES], cuzk_proof_kind kind, unsigned attempt);
/* Gives it its partitions, all pending. */
void job_set_partitions(job *j, unsigned count);
/* Frees a job that is in no table and has no references. What it holds of the budget must have been given back. */
void job_destroy(job *j);

void job_table_add(cuzk_engine *engine, job *j);
void job_table_remove(cuzk_engine *engine, job *j);
/* NULL if there is none; phase JOB_ACCEPTING is not found by id. */
job *job_find(cuzk_engine *engine, const char *id);
/* Of several attempts the last. */
job *job_find_digest(cuzk_engine *engine, const uint8_t digest[REQUEST_DIGEST_BYTES]);

void job_activate(cuzk_engine *engine, job *j);
/* Moves a job from the active ones to the ended ones. */
void job_retire(cuzk_engine *engine, job *j);
/* Adds an ended job of the journal, by time of its end. */
void job_add_ended(cuzk_engine *engine, job *j);
/* Takes an ended job out of the tables; it is freed now, or with its last reference. */
void job_forget(cuzk_engine *engine, job *j);
void job_release(job *j);

/* Times so far, or at the end. */
cuzk_job_times job_times(const cuzk_engine *engine, const job *j);
/* What its state looks like from outside. */
cuzk_job_state job_public_state(const job *j);
/* Fills a journal record; outcome fields once it is ending. */
void job_record(const cuzk_engine *engine, const job *j, journal_record *record);

const char *job_circuit_id(const cuzk_engine *engine, const job *j);

#endif
