/* Shared by the journal's files. */
#ifndef ENGINE_JOURNAL_INTERNAL_H
#define ENGINE_JOURNAL_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>

#include "engine/journal.h"

enum { JOURNAL_VERSION = 1, JOURNAL_BUSY_MS = 500, JOURNAL_PATH_CAPACITY = 4096 };

struct journal {
    char *directory;
    int lock_descriptor;
    pthread_mutex_t mutex; /* guards all below */
    sqlite3 *database;
    journal_statistics statistics;
    bool uncheckpointed; /* something was committed since the last checkpoint */
    char (*ended)[CUZK_JOB_ID_CAPACITY]; /* jobs whose request files go at the next checkpoint */
    size_t ended_count, ended_capacity;
};

/* Path of a file in the state directory. */
void journal_path(const journal *j, char path[JOURNAL_PATH_CAPACITY], const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The error of the last call on a database, as ours; "while" says what was being done. */
cuzk_status journal_sql_failure(sqlite3 *database, int code, const char *doing, cuzk_error *error);

/* Runs statements without results. */
cuzk_status journal_execute(sqlite3 *database, const char *sql, const char *doing, cuzk_error *error);

/* Opens a database file and sets it up; makes tables in an empty one. */
cuzk_status journal_database_open(sqlite3 **database, const char *path, cuzk_error *error);

/* SHA-256 over a job's accepted part, or over its outcome, or over a partition's row. */
void journal_accepted_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const journal_record *record);
void journal_outcome_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const journal_record *record);
void journal_partition_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const char *job_id, unsigned partition, const uint8_t *proof);

/* Rows, written within the caller's transaction. */
cuzk_status journal_insert_job(sqlite3 *database, const journal_record *record, cuzk_error *error);
cuzk_status journal_insert_partition(sqlite3 *database, const char *job_id, unsigned partition, const uint8_t *proof, cuzk_error *error);
cuzk_status journal_update_outcome(sqlite3 *database, const journal_record *record, cuzk_error *error);

/* The columns of jobs in the order in which journal_row_job wants them. */
extern const char journal_job_columns[];
/* Reads a row; false if its contents contradict its digests or themselves. Pointers are into the row. */
bool journal_row_job(sqlite3_stmt *row, journal_record *record);
/* Columns job_id, partition, proof, sum. */
bool journal_row_partition(sqlite3_stmt *row, const char **job_id, unsigned *partition, const uint8_t **proof);

/* Checks the whole database: SQLite's structure and every row's digest. CUZK_INPUT_OUTPUT says what is wrong. */
cuzk_status journal_check(sqlite3 *database, cuzk_error *error);
/* Moves a damaged database aside and makes a new one with what can be read of it. */
cuzk_status journal_replace(journal *j, const cuzk_error *why, cuzk_error *error);

#endif
