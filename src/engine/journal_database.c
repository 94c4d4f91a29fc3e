/* The journal's database as a file: opening, checking, and replacing a damaged one. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/journal_internal.h"

cuzk_status journal_sql_failure(sqlite3 *database, int code, const char *doing, cuzk_error *error) {
    int number = database ? sqlite3_system_errno(database) : 0;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return failure(error, CUZK_UNAVAILABLE, "journal: %s: the database is locked by another process", doing);
    case SQLITE_FULL:
        return failure(error, CUZK_UNAVAILABLE, "journal: %s: the disk is full", doing);
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return failure(error, CUZK_UNAVAILABLE, "journal: %s: %s: %s", doing, sqlite3_errstr(code), strerror(number));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return failure(error, CUZK_INPUT_OUTPUT, "journal: %s: the database is damaged (%s)", doing, sqlite3_errstr(code));
    default:
        return failure(error, CUZK_INTERNAL, "journal: %s: %s", doing, database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
    }
}

cuzk_status journal_execute(sqlite3 *database, const char *sql, const char *doing, cuzk_error *error) {
    int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? CUZK_OK : journal_sql_failure(database, code, doing, error);
}

static cuzk_status query_number(sqlite3 *database, const char *sql, int64_t *number, cuzk_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "opening it", error);
    code = sqlite3_step(statement);
    cuzk_status status = CUZK_OK;
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        status = journal_sql_failure(database, code, "opening it", error);
    sqlite3_finalize(statement);
    return status;
}

static cuzk_status make_tables(sqlite3 *database, cuzk_error *error) {
    static const char sql[] =
        "BEGIN IMMEDIATE;"
        "CREATE TABLE jobs (sequence INTEGER PRIMARY KEY, job_id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, label TEXT NOT NULL,"
        " circuit TEXT NOT NULL, kind INTEGER NOT NULL, priority INTEGER NOT NULL, partitions INTEGER NOT NULL,"
        " prepared_bytes INTEGER NOT NULL, assignment_bytes INTEGER NOT NULL, proving_bytes INTEGER NOT NULL,"
        " request_bytes INTEGER NOT NULL, submitted_ms INTEGER NOT NULL, accepted_sum BLOB NOT NULL, state INTEGER NOT NULL,"
        " ended_ms INTEGER NOT NULL, status INTEGER NOT NULL, message TEXT NOT NULL, proof BLOB NOT NULL,"
        " development INTEGER NOT NULL, queue_wait_ms INTEGER NOT NULL, srs_load_ms INTEGER NOT NULL,"
        " synthesis_ms INTEGER NOT NULL, compute_ms INTEGER NOT NULL, total_ms INTEGER NOT NULL, outcome_sum BLOB NOT NULL) STRICT;"
        "CREATE TABLE partitions (job_id TEXT NOT NULL, partition INTEGER NOT NULL, proof BLOB NOT NULL, sum BLOB NOT NULL,"
        " PRIMARY KEY (job_id, partition)) STRICT, WITHOUT ROWID;"
        "PRAGMA user_version = 1;"
        "COMMIT";
    return journal_execute(database, sql, "making its tables", error);
}

static cuzk_status set_up(sqlite3 *database, const char *path, cuzk_error *error) {
    int64_t version = 0;
    sqlite3_busy_timeout(database, JOURNAL_BUSY_MS);
    TRY(journal_execute(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -512", "opening it", error));
    TRY(query_number(database, "PRAGMA user_version", &version, error));
    if (version == 0)
        return make_tables(database, error);
    if (version != JOURNAL_VERSION)
        return failure(error, CUZK_BAD_INPUT, "%s: found journal version %lld, expected %d: it was written by another release", path,
                       (long long)version, JOURNAL_VERSION);
    return CUZK_OK;
}

cuzk_status journal_database_open(sqlite3 **database, const char *path, cuzk_error *error) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    int code = sqlite3_open_v2(path, database, flags, NULL);
    cuzk_status status =
        code == SQLITE_OK ? set_up(*database, path, error) : journal_sql_failure(*database, code, "opening it", error);
    if (status != CUZK_OK) {
        sqlite3_close(*database);
        *database = NULL;
    }
    return status;
}

static cuzk_status check_structure(sqlite3 *database, cuzk_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "checking it", error);
    code = sqlite3_step(statement);
    const char *verdict = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    cuzk_status status = CUZK_OK;
    if (!verdict)
        status = journal_sql_failure(database, code, "checking it", error);
    else if (strcmp(verdict, "ok") != 0)
        status = failure(error, CUZK_INPUT_OUTPUT, "journal: the database is damaged (%s)", verdict);
    sqlite3_finalize(statement);
    return status;
}

/* Goes through a table; take() returns false for a bad row, which ends the walk. */
static cuzk_status walk(sqlite3 *database, const char *sql, bool (*take)(sqlite3_stmt *row, void *context), void *context,
                        cuzk_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "reading it", error);
    cuzk_status status = CUZK_OK;
    while (status == CUZK_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        if (!take(statement, context))
            status = failure(error, CUZK_INPUT_OUTPUT, "journal: a row's contents differ from its digest: the database is damaged");
    if (status == CUZK_OK && code != SQLITE_DONE)
        status = journal_sql_failure(database, code, "reading it", error);
    sqlite3_finalize(statement);
    return status;
}

static bool job_is_good(sqlite3_stmt *row, void *context) {
    (void)context;
    journal_record record;
    return journal_row_job(row, &record);
}

static bool partition_is_good(sqlite3_stmt *row, void *context) {
    (void)context;
    const char *job_id;
    unsigned partition;
    const uint8_t *proof;
    return journal_row_partition(row, &job_id, &partition, &proof);
}

static void jobs_query(char sql[1024], const char *tail) {
    snprintf(sql, 1024, "SELECT %s FROM jobs ORDER BY sequence%s", journal_job_columns, tail);
}

cuzk_status journal_check(sqlite3 *database, cuzk_error *error) {
    char sql[1024];
    TRY(check_structure(database, error));
    jobs_query(sql, "");
    TRY(walk(database, sql, job_is_good, NULL, error));
    return walk(database, "SELECT job_id, partition, proof, sum FROM partitions", partition_is_good, NULL, error);
}

/* ---- Replacing a damaged database ---------------------------------------------------------------------------------- */

typedef struct {
    sqlite3 *into;
    uint64_t taken, left;
} salvage;

/* A row that is there already was met from the table's other end. */
static bool salvage_job(sqlite3_stmt *row, void *context) {
    salvage *s = context;
    journal_record record;
    if (!journal_row_job(row, &record))
        s->left++;
    else if (journal_insert_job(s->into, &record, NULL) == CUZK_OK)
        s->taken++;
    return true;
}

static bool salvage_partition(sqlite3_stmt *row, void *context) {
    salvage *s = context;
    const char *job_id;
    unsigned partition;
    const uint8_t *proof;
    if (journal_row_partition(row, &job_id, &partition, &proof))
        journal_insert_partition(s->into, job_id, partition, proof, NULL);
    return true;
}

/* Reads from both ends, as damage in the middle ends a walk. */
static void salvage_rows(sqlite3 *damaged, salvage *s) {
    char sql[1024];
    sqlite3_busy_timeout(damaged, JOURNAL_BUSY_MS);
    jobs_query(sql, "");
    if (walk(damaged, sql, salvage_job, s, NULL) != CUZK_OK) {
        jobs_query(sql, " DESC");
        walk(damaged, sql, salvage_job, s, NULL);
    }
    walk(damaged, "SELECT job_id, partition, proof, sum FROM partitions", salvage_partition, s, NULL);
}

static cuzk_status move_aside(const journal *j, char directory[JOURNAL_PATH_CAPACITY], cuzk_error *error) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    unsigned number = 1;
    do
        journal_path(j, directory, "damaged-%u", number++);
    while (mkdir(directory, 0700) != 0 && errno == EEXIST && number < 10000);
    for (size_t i = 0; i < 3; i++) {
        char from[JOURNAL_PATH_CAPACITY], to[JOURNAL_PATH_CAPACITY + 32];
        journal_path(j, from, "journal.sqlite%s", suffixes[i]);
        snprintf(to, sizeof to, "%s/journal.sqlite%s", directory, suffixes[i]);
        if (rename(from, to) != 0 && errno != ENOENT)
            return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot move the damaged journal to %s", from, directory);
    }
    return CUZK_OK;
}

cuzk_status journal_replace(journal *j, const cuzk_error *why, cuzk_error *error) {
    char directory[JOURNAL_PATH_CAPACITY], path[JOURNAL_PATH_CAPACITY], damaged_path[JOURNAL_PATH_CAPACITY + 32];
    TRY(move_aside(j, directory, error));
    journal_path(j, path, "journal.sqlite");
    TRY(journal_database_open(&j->database, path, error));
    snprintf(damaged_path, sizeof damaged_path, "%s/journal.sqlite", directory);
    salvage s = {.into = j->database};
    sqlite3 *damaged;
    if (sqlite3_open_v2(damaged_path, &damaged, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        journal_execute(j->database, "BEGIN IMMEDIATE", "taking rows over", error) == CUZK_OK) {
        salvage_rows(damaged, &s);
        journal_execute(j->database, "COMMIT", "taking rows over", NULL);
    }
    sqlite3_close(damaged);
    log_warn("%s; it was moved to %s, %llu jobs were taken over from it, %llu rows were unreadable", why->message, directory,
             (unsigned long long)s.taken, (unsigned long long)s.left);
    return CUZK_OK;
}
