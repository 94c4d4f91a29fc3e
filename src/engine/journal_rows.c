/* The journal's tables: their columns, their digests, writing and reading a row. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "engine/journal_internal.h"

const char journal_job_columns[] =
    "job_id, digest, label, circuit, kind, priority, partitions, prepared_bytes, assignment_bytes, proving_bytes, request_bytes, "
    "submitted_ms, accepted_sum, state, ended_ms, status, message, proof, development, queue_wait_ms, srs_load_ms, synthesis_ms, "
    "compute_ms, total_ms, outcome_sum";

enum {
    COLUMN_JOB_ID, COLUMN_DIGEST, COLUMN_LABEL, COLUMN_CIRCUIT, COLUMN_KIND, COLUMN_PRIORITY, COLUMN_PARTITIONS, COLUMN_PREPARED,
    COLUMN_ASSIGNMENT, COLUMN_PROVING, COLUMN_REQUEST_BYTES, COLUMN_SUBMITTED, COLUMN_ACCEPTED_SUM, COLUMN_STATE, COLUMN_ENDED,
    COLUMN_STATUS, COLUMN_MESSAGE, COLUMN_PROOF, COLUMN_DEVELOPMENT, COLUMN_QUEUE_WAIT, COLUMN_SRS_LOAD, COLUMN_SYNTHESIS,
    COLUMN_COMPUTE, COLUMN_TOTAL, COLUMN_OUTCOME_SUM
};

/* ---- Digests ------------------------------------------------------------------------------------------------------- */

enum { SUM_INPUT_CAPACITY = 2048 };

/* Fields one after another, text with its NUL. */
typedef struct {
    uint8_t bytes[SUM_INPUT_CAPACITY];
    size_t length;
} sum_input;

static void add_bytes(sum_input *in, const void *bytes, size_t length) {
    if (length)
        memcpy(in->bytes + in->length, bytes, length);
    in->length += length;
}

static void add_text(sum_input *in, const char *text) { add_bytes(in, text, strlen(text) + 1); }

static void add_number(sum_input *in, uint64_t number) {
    store_u64_le(in->bytes + in->length, number);
    in->length += 8;
}

void journal_accepted_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const journal_record *record) {
    sum_input in = {.length = 0};
    add_text(&in, record->job_id);
    add_bytes(&in, record->digest, sizeof record->digest);
    add_text(&in, record->label);
    add_text(&in, record->circuit_id);
    const uint64_t numbers[] = {record->kind,
                                record->priority,
                                record->description.partitions,
                                record->description.prepared_bytes,
                                record->description.assignment_bytes,
                                record->description.proving_bytes,
                                record->request_bytes,
                                (uint64_t)record->submitted_unix_ms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(&in, numbers[i]);
    bytes_digest(sum, in.bytes, in.length);
}

void journal_outcome_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const journal_record *record) {
    sum_input in = {.length = 0};
    uint8_t proof_digest[REQUEST_DIGEST_BYTES];
    add_text(&in, record->job_id);
    add_text(&in, record->failure.message);
    bytes_digest(proof_digest, record->proof, record->proof_length);
    add_bytes(&in, proof_digest, sizeof proof_digest);
    const uint64_t numbers[] = {record->state,
                                (uint64_t)record->ended_unix_ms,
                                record->failure.status,
                                record->proof_length,
                                record->development,
                                record->times.queue_wait_ms,
                                record->times.srs_load_ms,
                                record->times.synthesis_ms,
                                record->times.compute_ms,
                                record->times.total_ms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(&in, numbers[i]);
    bytes_digest(sum, in.bytes, in.length);
}

void journal_partition_sum(uint8_t sum[REQUEST_DIGEST_BYTES], const char *job_id, unsigned partition, const uint8_t *proof) {
    sum_input in = {.length = 0};
    add_text(&in, job_id);
    add_number(&in, partition);
    add_bytes(&in, proof, PARTITION_PROOF_BYTES);
    bytes_digest(sum, in.bytes, in.length);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------- */

static void bind_number(sqlite3_stmt *statement, int column, uint64_t number) {
    sqlite3_bind_int64(statement, column + 1, (sqlite3_int64)number);
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text) {
    sqlite3_bind_text(statement, column + 1, text, -1, SQLITE_STATIC);
}

static void bind_bytes(sqlite3_stmt *statement, int column, const void *bytes, size_t length) {
    sqlite3_bind_blob64(statement, column + 1, length ? bytes : "", length, SQLITE_STATIC);
}

/* Runs a prepared statement that returns no rows, and finishes it. */
static cuzk_status run(sqlite3 *database, sqlite3_stmt *statement, const char *doing, cuzk_error *error) {
    int code = sqlite3_step(statement);
    cuzk_status status = code == SQLITE_DONE ? CUZK_OK : journal_sql_failure(database, code, doing, error);
    sqlite3_finalize(statement);
    return status;
}

static void bind_accepted(sqlite3_stmt *statement, const journal_record *record, const uint8_t sum[REQUEST_DIGEST_BYTES]) {
    bind_text(statement, COLUMN_JOB_ID, record->job_id);
    bind_bytes(statement, COLUMN_DIGEST, record->digest, sizeof record->digest);
    bind_text(statement, COLUMN_LABEL, record->label);
    bind_text(statement, COLUMN_CIRCUIT, record->circuit_id);
    bind_number(statement, COLUMN_KIND, record->kind);
    bind_number(statement, COLUMN_PRIORITY, record->priority);
    bind_number(statement, COLUMN_PARTITIONS, record->description.partitions);
    bind_number(statement, COLUMN_PREPARED, record->description.prepared_bytes);
    bind_number(statement, COLUMN_ASSIGNMENT, record->description.assignment_bytes);
    bind_number(statement, COLUMN_PROVING, record->description.proving_bytes);
    bind_number(statement, COLUMN_REQUEST_BYTES, record->request_bytes);
    bind_number(statement, COLUMN_SUBMITTED, (uint64_t)record->submitted_unix_ms);
    bind_bytes(statement, COLUMN_ACCEPTED_SUM, sum, REQUEST_DIGEST_BYTES);
}

/* The same columns for an insertion and for an update, whose parameters are numbered likewise. */
static void bind_outcome(sqlite3_stmt *statement, const journal_record *record, const uint8_t sum[REQUEST_DIGEST_BYTES]) {
    bind_number(statement, COLUMN_STATE, record->state);
    bind_number(statement, COLUMN_ENDED, (uint64_t)record->ended_unix_ms);
    bind_number(statement, COLUMN_STATUS, record->failure.status);
    bind_text(statement, COLUMN_MESSAGE, record->failure.message);
    bind_bytes(statement, COLUMN_PROOF, record->proof, record->proof_length);
    bind_number(statement, COLUMN_DEVELOPMENT, record->development);
    bind_number(statement, COLUMN_QUEUE_WAIT, record->times.queue_wait_ms);
    bind_number(statement, COLUMN_SRS_LOAD, record->times.srs_load_ms);
    bind_number(statement, COLUMN_SYNTHESIS, record->times.synthesis_ms);
    bind_number(statement, COLUMN_COMPUTE, record->times.compute_ms);
    bind_number(statement, COLUMN_TOTAL, record->times.total_ms);
    bind_bytes(statement, COLUMN_OUTCOME_SUM, sum, REQUEST_DIGEST_BYTES);
}

cuzk_status journal_insert_job(sqlite3 *database, const journal_record *record, cuzk_error *error) {
    char sql[1024];
    snprintf(sql, sizeof sql,
             "INSERT INTO jobs (%s) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25)",
             journal_job_columns);
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "recording a job", error);
    uint8_t accepted[REQUEST_DIGEST_BYTES], outcome[REQUEST_DIGEST_BYTES];
    journal_accepted_sum(accepted, record);
    journal_outcome_sum(outcome, record);
    bind_accepted(statement, record, accepted);
    bind_outcome(statement, record, outcome);
    return run(database, statement, "recording a job", error);
}

cuzk_status journal_update_outcome(sqlite3 *database, const journal_record *record, cuzk_error *error) {
    static const char sql[] =
        "UPDATE jobs SET state=?14, ended_ms=?15, status=?16, message=?17, proof=?18, development=?19, queue_wait_ms=?20, "
        "srs_load_ms=?21, synthesis_ms=?22, compute_ms=?23, total_ms=?24, outcome_sum=?25 WHERE job_id=?1";
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "recording an outcome", error);
    uint8_t outcome[REQUEST_DIGEST_BYTES];
    journal_outcome_sum(outcome, record);
    bind_text(statement, COLUMN_JOB_ID, record->job_id);
    bind_outcome(statement, record, outcome);
    TRY(run(database, statement, "recording an outcome", error));
    if (sqlite3_changes(database) != 1)
        return failure(error, CUZK_INTERNAL, "journal: job %s has no row to record its outcome in", record->job_id);
    return CUZK_OK;
}

cuzk_status journal_insert_partition(sqlite3 *database, const char *job_id, unsigned partition, const uint8_t *proof, cuzk_error *error) {
    static const char sql[] = "INSERT OR REPLACE INTO partitions (job_id, partition, proof, sum) VALUES (?1,?2,?3,?4)";
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "recording a partition", error);
    uint8_t sum[REQUEST_DIGEST_BYTES];
    journal_partition_sum(sum, job_id, partition, proof);
    bind_text(statement, 0, job_id);
    bind_number(statement, 1, partition);
    bind_bytes(statement, 2, proof, PARTITION_PROOF_BYTES);
    bind_bytes(statement, 3, sum, sizeof sum);
    return run(database, statement, "recording a partition", error);
}

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static uint64_t column_number(sqlite3_stmt *row, int column) { return (uint64_t)sqlite3_column_int64(row, column); }

/* Text that fits, without NULs inside. */
static bool column_text(sqlite3_stmt *row, int column, char *text, size_t capacity) {
    const unsigned char *value = sqlite3_column_text(row, column);
    size_t length = (size_t)sqlite3_column_bytes(row, column);
    if (!value || length >= capacity || strlen((const char *)value) != length)
        return false;
    memcpy(text, value, length + 1);
    return true;
}

static const uint8_t *column_bytes(sqlite3_stmt *row, int column, size_t length) {
    return (size_t)sqlite3_column_bytes(row, column) == length ? sqlite3_column_blob(row, column) : NULL;
}

static bool read_accepted(sqlite3_stmt *row, journal_record *record) {
    const uint8_t *digest = column_bytes(row, COLUMN_DIGEST, REQUEST_DIGEST_BYTES);
    const uint8_t *sum = column_bytes(row, COLUMN_ACCEPTED_SUM, REQUEST_DIGEST_BYTES);
    if (!digest || !sum || !column_text(row, COLUMN_JOB_ID, record->job_id, sizeof record->job_id) ||
        !column_text(row, COLUMN_LABEL, record->label, sizeof record->label) ||
        !column_text(row, COLUMN_CIRCUIT, record->circuit_id, sizeof record->circuit_id))
        return false;
    memcpy(record->digest, digest, REQUEST_DIGEST_BYTES);
    record->kind = (cuzk_proof_kind)column_number(row, COLUMN_KIND);
    record->priority = (cuzk_priority)column_number(row, COLUMN_PRIORITY);
    record->description.partitions = (unsigned)column_number(row, COLUMN_PARTITIONS);
    record->description.prepared_bytes = column_number(row, COLUMN_PREPARED);
    record->description.assignment_bytes = column_number(row, COLUMN_ASSIGNMENT);
    record->description.proving_bytes = column_number(row, COLUMN_PROVING);
    record->request_bytes = column_number(row, COLUMN_REQUEST_BYTES);
    record->submitted_unix_ms = (int64_t)column_number(row, COLUMN_SUBMITTED);
    uint8_t expected[REQUEST_DIGEST_BYTES];
    journal_accepted_sum(expected, record);
    return memcmp(sum, expected, sizeof expected) == 0;
}

static bool read_outcome(sqlite3_stmt *row, journal_record *record) {
    const uint8_t *sum = column_bytes(row, COLUMN_OUTCOME_SUM, REQUEST_DIGEST_BYTES);
    if (!sum || !column_text(row, COLUMN_MESSAGE, record->failure.message, sizeof record->failure.message))
        return false;
    record->state = (cuzk_job_state)column_number(row, COLUMN_STATE);
    record->ended_unix_ms = (int64_t)column_number(row, COLUMN_ENDED);
    record->failure.status = (cuzk_status)column_number(row, COLUMN_STATUS);
    record->proof = sqlite3_column_blob(row, COLUMN_PROOF);
    record->proof_length = (size_t)sqlite3_column_bytes(row, COLUMN_PROOF);
    record->development = column_number(row, COLUMN_DEVELOPMENT) != 0;
    record->times.queue_wait_ms = column_number(row, COLUMN_QUEUE_WAIT);
    record->times.srs_load_ms = column_number(row, COLUMN_SRS_LOAD);
    record->times.synthesis_ms = column_number(row, COLUMN_SYNTHESIS);
    record->times.compute_ms = column_number(row, COLUMN_COMPUTE);
    record->times.total_ms = column_number(row, COLUMN_TOTAL);
    uint8_t expected[REQUEST_DIGEST_BYTES];
    journal_outcome_sum(expected, record);
    return memcmp(sum, expected, sizeof expected) == 0;
}

bool journal_row_job(sqlite3_stmt *row, journal_record *record) {
    *record = (journal_record){0};
    return read_accepted(row, record) && read_outcome(row, record);
}

bool journal_row_partition(sqlite3_stmt *row, const char **job_id, unsigned *partition, const uint8_t **proof) {
    *job_id = (const char *)sqlite3_column_text(row, 0);
    *partition = (unsigned)column_number(row, 1);
    *proof = column_bytes(row, 2, PARTITION_PROOF_BYTES);
    const uint8_t *sum = column_bytes(row, 3, REQUEST_DIGEST_BYTES);
    if (!*job_id || strlen(*job_id) >= CUZK_JOB_ID_CAPACITY || !*proof || !sum)
        return false;
    uint8_t expected[REQUEST_DIGEST_BYTES];
    journal_partition_sum(expected, *job_id, *partition, *proof);
    return memcmp(sum, expected, sizeof expected) == 0;
}
