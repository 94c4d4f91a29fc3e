#include "engine/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mapped_file.h"
#include "engine/journal_internal.h"

void (*journal_fault_point)(const char *step);

static void reach(const char *step) {
    if (journal_fault_point)
        journal_fault_point(step);
}

void journal_path(const journal *j, char path[JOURNAL_PATH_CAPACITY], const char *format, ...) {
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    snprintf(path, JOURNAL_PATH_CAPACITY, "%s/%s", j->directory, name);
}

static void request_path(const journal *j, char path[JOURNAL_PATH_CAPACITY], const char *job_id) {
    journal_path(j, path, "requests/%s.request", job_id);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------- */

static cuzk_status make_directories(const char *path, cuzk_error *error) {
    char *copy = duplicate_string(path);
    cuzk_status status = CUZK_OK;
    for (char *at = copy + 1; status == CUZK_OK; at++) {
        char c = *at;
        if (c != '/' && c != 0)
            continue;
        *at = 0;
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            status = failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot make the state directory", copy);
        *at = c;
        if (c == 0)
            break;
    }
    free(copy);
    return status;
}

static cuzk_status take_lock(journal *j, cuzk_error *error) {
    char path[JOURNAL_PATH_CAPACITY], holder[32] = "";
    journal_path(j, path, "lock");
    j->lock_descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (j->lock_descriptor < 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot open", path);
    if (flock(j->lock_descriptor, LOCK_EX | LOCK_NB) != 0) {
        ssize_t length = pread(j->lock_descriptor, holder, sizeof holder - 1, 0);
        holder[length > 0 ? strcspn(holder, "\n") : 0] = 0;
        return failure(error, CUZK_UNAVAILABLE, "%s: the state directory is in use by process %s", j->directory,
                       *holder ? holder : "(unknown)");
    }
    int length = snprintf(holder, sizeof holder, "%ld\n", (long)getpid());
    if (ftruncate(j->lock_descriptor, 0) != 0 || pwrite(j->lock_descriptor, holder, (size_t)length, 0) != length)
        log_debug("%s: cannot note our process id", path); /* only messages of others want it */
    return CUZK_OK;
}

static cuzk_status open_database(journal *j, cuzk_error *error) {
    char path[JOURNAL_PATH_CAPACITY];
    cuzk_error why = {0};
    journal_path(j, path, "journal.sqlite");
    cuzk_status status = journal_database_open(&j->database, path, &why);
    if (status == CUZK_OK)
        status = journal_check(j->database, &why);
    if (status != CUZK_OK && status != CUZK_UNAVAILABLE && status != CUZK_BAD_INPUT) {
        sqlite3_close(j->database);
        j->database = NULL;
        return journal_replace(j, &why, error);
    }
    if (status != CUZK_OK && error)
        *error = why;
    return status;
}

/* A write that a crash cut short left its temporary file. */
static void remove_partial_files(const journal *j) {
    char directory[JOURNAL_PATH_CAPACITY], path[JOURNAL_PATH_CAPACITY + 300];
    journal_path(j, directory, "requests");
    DIR *stream = opendir(directory);
    if (!stream)
        return;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        if (strstr(entry->d_name, ".request.partial-")) {
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
            unlink(path);
        }
    closedir(stream);
}

/* Files of jobs whose end was recorded before a crash, but not yet tidied. */
static void collect_ended(void *context, const journal_record *record, const uint8_t *proofs, const bool *done) {
    (void)proofs, (void)done;
    journal *j = context;
    char path[JOURNAL_PATH_CAPACITY];
    request_path(j, path, record->job_id);
    if (record->state == CUZK_JOB_QUEUED || access(path, F_OK) != 0)
        return;
    j->ended = grow_array(j->ended, j->ended_count, &j->ended_capacity, sizeof *j->ended);
    memcpy(j->ended[j->ended_count++], record->job_id, CUZK_JOB_ID_CAPACITY);
}

static cuzk_status open_in_directory(journal *j, cuzk_error *error) {
    char requests[JOURNAL_PATH_CAPACITY];
    journal_path(j, requests, "requests");
    TRY(make_directories(requests, error));
    TRY(take_lock(j, error));
    TRY(open_database(j, error));
    remove_partial_files(j);
    TRY(journal_each(j, collect_ended, j, error));
    j->uncheckpointed = true;
    return journal_tidy(j, error);
}

cuzk_status journal_open(journal **result, const char *directory, cuzk_error *error) {
    journal *j = allocate_zeroed(1, sizeof *j);
    j->directory = duplicate_string(directory);
    j->lock_descriptor = -1;
    pthread_mutex_init(&j->mutex, NULL);
    cuzk_status status = open_in_directory(j, error);
    if (status != CUZK_OK) {
        journal_close(j);
        j = NULL;
    }
    *result = j;
    return status;
}

void journal_close(journal *j) {
    if (!j)
        return;
    if (j->database)
        journal_tidy(j, NULL); /* if that fails the next to open it does it */
    sqlite3_close(j->database);
    if (j->lock_descriptor >= 0)
        close(j->lock_descriptor); /* which lets go of the lock */
    pthread_mutex_destroy(&j->mutex);
    free(j->ended);
    free(j->directory);
    free(j);
}

/* ---- Transactions -------------------------------------------------------------------------------------------------- */

/* Writes rows within a transaction of its own. */
typedef cuzk_status (*row_writer)(sqlite3 *database, const void *context, cuzk_error *error);

static cuzk_status commit_rows(journal *j, row_writer write, const void *context, const char *doing, cuzk_error *error) {
    pthread_mutex_lock(&j->mutex);
    int64_t started = monotonic_ns();
    cuzk_status status = journal_execute(j->database, "BEGIN IMMEDIATE", doing, error);
    if (status == CUZK_OK) {
        status = write(j->database, context, error);
        if (status == CUZK_OK)
            status = journal_execute(j->database, "COMMIT", doing, error);
        if (status != CUZK_OK)
            sqlite3_exec(j->database, "ROLLBACK", NULL, NULL, NULL);
    }
    j->uncheckpointed |= status == CUZK_OK;
    j->statistics.commits += status == CUZK_OK;
    j->statistics.failures += status != CUZK_OK;
    j->statistics.seconds += 1e-9 * (double)(monotonic_ns() - started);
    pthread_mutex_unlock(&j->mutex);
    return status;
}

static bool write_sink(void *context, const void *bytes, size_t length) { return fwrite(bytes, 1, length, context) == length; }

static cuzk_status sync_directory(const char *path, cuzk_error *error) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = descriptor >= 0 && fsync(descriptor) == 0;
    cuzk_status status = good ? CUZK_OK : failure_errno(error, CUZK_UNAVAILABLE, "%s: cannot sync", path);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

/* A full disk is no reason to give up on a request for ever. */
static cuzk_status as_unavailable(cuzk_status status, cuzk_error *error) {
    if (status == CUZK_OK)
        return CUZK_OK;
    return error ? error->status = CUZK_UNAVAILABLE : CUZK_UNAVAILABLE;
}

static cuzk_status write_request(const journal *j, const char *job_id, const cuzk_request *request, cuzk_error *error) {
    char path[JOURNAL_PATH_CAPACITY], directory[JOURNAL_PATH_CAPACITY];
    output_file file;
    request_path(j, path, job_id);
    TRY(as_unavailable(output_file_create(&file, path, error), error));
    request_encode(request, write_sink, file.stream); /* a failure stays in the stream, where commit finds it */
    reach("accept: written");
    TRY(as_unavailable(output_file_commit(&file, error), error));
    reach("accept: named");
    journal_path(j, directory, "requests");
    return sync_directory(directory, error);
}

static cuzk_status write_job_row(sqlite3 *database, const void *context, cuzk_error *error) {
    return journal_insert_job(database, context, error);
}

/* An id may come back after its job was forgotten: its new file must not go with the old one's. */
static void forget_ended(journal *j, const char *job_id) {
    pthread_mutex_lock(&j->mutex);
    size_t kept = 0;
    for (size_t i = 0; i < j->ended_count; i++)
        if (strcmp(j->ended[i], job_id) != 0)
            memmove(j->ended[kept++], j->ended[i], CUZK_JOB_ID_CAPACITY);
    j->ended_count = kept;
    pthread_mutex_unlock(&j->mutex);
}

cuzk_status journal_accept(journal *j, const journal_record *record, const cuzk_request *request, cuzk_error *error) {
    forget_ended(j, record->job_id);
    cuzk_status status = write_request(j, record->job_id, request, error);
    if (status == CUZK_OK) {
        reach("accept: synced");
        status = commit_rows(j, write_job_row, record, "recording a job", error);
    }
    if (status != CUZK_OK) {
        journal_drop_orphan(j, record->job_id);
        pthread_mutex_lock(&j->mutex);
        j->statistics.failures++;
        pthread_mutex_unlock(&j->mutex);
        return status;
    }
    reach("accept: committed");
    return CUZK_OK;
}

typedef struct {
    const char *job_id;
    unsigned partition;
    const uint8_t *proof;
} partition_row;

static cuzk_status write_partition_row(sqlite3 *database, const void *context, cuzk_error *error) {
    const partition_row *row = context;
    return journal_insert_partition(database, row->job_id, row->partition, row->proof, error);
}

cuzk_status journal_partition(journal *j, const char *job_id, unsigned partition, const uint8_t proof[PARTITION_PROOF_BYTES],
                              cuzk_error *error) {
    partition_row row = {.job_id = job_id, .partition = partition, .proof = proof};
    reach("partition");
    TRY(commit_rows(j, write_partition_row, &row, "recording a partition", error));
    reach("partition: committed");
    return CUZK_OK;
}

/* Runs "... WHERE job_id = ?1". */
static cuzk_status execute_for_job(sqlite3 *database, const char *sql, const char *job_id, cuzk_error *error) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, job_id, -1, SQLITE_STATIC);
        code = sqlite3_step(statement);
    }
    cuzk_status status = code == SQLITE_DONE ? CUZK_OK : journal_sql_failure(database, code, "deleting rows", error);
    sqlite3_finalize(statement);
    return status;
}

static cuzk_status write_outcome(sqlite3 *database, const void *context, cuzk_error *error) {
    const journal_record *record = context;
    TRY(journal_update_outcome(database, record, error));
    return execute_for_job(database, "DELETE FROM partitions WHERE job_id = ?1", record->job_id, error);
}

cuzk_status journal_end(journal *j, const journal_record *record, cuzk_error *error) {
    reach("end");
    TRY(commit_rows(j, write_outcome, record, "recording an outcome", error));
    reach("end: committed");
    pthread_mutex_lock(&j->mutex);
    j->ended = grow_array(j->ended, j->ended_count, &j->ended_capacity, sizeof *j->ended);
    memcpy(j->ended[j->ended_count++], record->job_id, CUZK_JOB_ID_CAPACITY);
    pthread_mutex_unlock(&j->mutex);
    return CUZK_OK;
}

typedef struct {
    const char (*ids)[CUZK_JOB_ID_CAPACITY];
    size_t count;
} job_list;

static cuzk_status delete_job_rows(sqlite3 *database, const void *context, cuzk_error *error) {
    const job_list *list = context;
    for (size_t i = 0; i < list->count; i++)
        TRY(execute_for_job(database, "DELETE FROM jobs WHERE job_id = ?1", list->ids[i], error));
    return CUZK_OK;
}

cuzk_status journal_forget(journal *j, const char (*job_ids)[CUZK_JOB_ID_CAPACITY], size_t count, cuzk_error *error) {
    job_list list = {.ids = job_ids, .count = count};
    /* The files first: without a row they would be taken up again. */
    for (size_t i = 0; i < count; i++) {
        forget_ended(j, job_ids[i]);
        journal_drop_orphan(j, job_ids[i]);
    }
    return commit_rows(j, delete_job_rows, &list, "forgetting jobs", error);
}

cuzk_status journal_tidy(journal *j, cuzk_error *error) {
    char path[JOURNAL_PATH_CAPACITY];
    pthread_mutex_lock(&j->mutex);
    /* A job's end may have been moved already and its file be noted only now. */
    if (!j->uncheckpointed && j->ended_count == 0) {
        pthread_mutex_unlock(&j->mutex);
        return CUZK_OK;
    }
    int code = sqlite3_wal_checkpoint_v2(j->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    cuzk_status status = code == SQLITE_OK ? CUZK_OK : journal_sql_failure(j->database, code, "moving the WAL into it", error);
    if (status == CUZK_OK) {
        reach("tidy: moved");
        for (size_t i = 0; i < j->ended_count; i++) {
            request_path(j, path, j->ended[i]);
            unlink(path);
            reach("tidy: deleted");
        }
        j->ended_count = 0;
        j->uncheckpointed = false;
    }
    pthread_mutex_unlock(&j->mutex);
    return status;
}

void journal_statistics_get(journal *j, journal_statistics *statistics) {
    pthread_mutex_lock(&j->mutex);
    *statistics = j->statistics;
    pthread_mutex_unlock(&j->mutex);
}

/* ---- Reading back -------------------------------------------------------------------------------------------------- */

/* The finished partitions of one job. */
static cuzk_status read_partitions(sqlite3 *database, const journal_record *record, uint8_t *proofs, bool *done, cuzk_error *error) {
    static const char sql[] = "SELECT job_id, partition, proof, sum FROM partitions WHERE job_id = ?1";
    sqlite3_stmt *row;
    int code = sqlite3_prepare_v2(database, sql, -1, &row, NULL);
    if (code != SQLITE_OK)
        return journal_sql_failure(database, code, "reading it", error);
    sqlite3_bind_text(row, 1, record->job_id, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *job_id;
        const uint8_t *proof;
        unsigned partition;
        if (!journal_row_partition(row, &job_id, &partition, &proof) || partition >= record->description.partitions)
            continue; /* proved once more then */
        memcpy(proofs + (size_t)partition * PARTITION_PROOF_BYTES, proof, PARTITION_PROOF_BYTES);
        done[partition] = true;
    }
    cuzk_status status = code == SQLITE_DONE ? CUZK_OK : journal_sql_failure(database, code, "reading it", error);
    sqlite3_finalize(row);
    return status;
}

static cuzk_status visit(journal *j, const journal_record *record, journal_visitor function, void *context, cuzk_error *error) {
    if (record->state != CUZK_JOB_QUEUED) {
        function(context, record, NULL, NULL);
        return CUZK_OK;
    }
    uint8_t *proofs = allocate_zeroed(record->description.partitions, PARTITION_PROOF_BYTES);
    bool *done = allocate_zeroed(record->description.partitions, sizeof *done);
    cuzk_status status = read_partitions(j->database, record, proofs, done, error);
    if (status == CUZK_OK)
        function(context, record, proofs, done);
    free(proofs);
    free(done);
    return status;
}

cuzk_status journal_each(journal *j, journal_visitor function, void *context, cuzk_error *error) {
    char sql[1024];
    snprintf(sql, sizeof sql, "SELECT %s FROM jobs ORDER BY sequence", journal_job_columns);
    sqlite3_stmt *row;
    pthread_mutex_lock(&j->mutex);
    int code = sqlite3_prepare_v2(j->database, sql, -1, &row, NULL);
    cuzk_status status = CUZK_OK;
    while (code == SQLITE_OK && status == CUZK_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        journal_record record;
        if (journal_row_job(row, &record))
            status = visit(j, &record, function, context, error);
        code = SQLITE_OK;
    }
    if (status == CUZK_OK && code != SQLITE_DONE)
        status = journal_sql_failure(j->database, code, "reading it", error);
    sqlite3_finalize(row);
    pthread_mutex_unlock(&j->mutex);
    return status;
}

static bool has_row(journal *j, const char *job_id) {
    sqlite3_stmt *row;
    bool found = false;
    pthread_mutex_lock(&j->mutex);
    if (sqlite3_prepare_v2(j->database, "SELECT 1 FROM jobs WHERE job_id = ?1", -1, &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, job_id, -1, SQLITE_STATIC);
        found = sqlite3_step(row) == SQLITE_ROW;
    }
    sqlite3_finalize(row);
    pthread_mutex_unlock(&j->mutex);
    return found;
}

cuzk_status journal_orphans(journal *j, void (*function)(void *context, const char *job_id), void *context, cuzk_error *error) {
    static const char suffix[] = ".request";
    char directory[JOURNAL_PATH_CAPACITY];
    journal_path(j, directory, "requests");
    DIR *stream = opendir(directory);
    if (!stream)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot read", directory);
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        char job_id[CUZK_JOB_ID_CAPACITY];
        size_t length = strlen(entry->d_name), tail = sizeof suffix - 1;
        if (length <= tail || length - tail >= sizeof job_id || strcmp(entry->d_name + length - tail, suffix) != 0)
            continue;
        memcpy(job_id, entry->d_name, length - tail);
        job_id[length - tail] = 0;
        if (!has_row(j, job_id))
            function(context, job_id);
    }
    closedir(stream);
    return CUZK_OK;
}

void journal_drop_orphan(journal *j, const char *job_id) {
    char path[JOURNAL_PATH_CAPACITY];
    request_path(j, path, job_id);
    unlink(path);
}

static cuzk_status read_whole(big_buffer *bytes, size_t *length, FILE *stream, const char *path, cuzk_error *error) {
    struct stat status;
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode))
        return failure(error, CUZK_INPUT_OUTPUT, "%s: not a regular file", path);
    *length = (size_t)status.st_size;
    TRY(big_buffer_allocate(bytes, *length, 1, "stored request", error));
    if (*length && fread(bytes->data, 1, *length, stream) != *length) {
        big_buffer_free(bytes);
        return failure(error, CUZK_INPUT_OUTPUT, "%s: cannot read its %zu bytes", path, *length);
    }
    return CUZK_OK;
}

cuzk_status journal_read_request(journal *j, const char *job_id, const uint8_t digest[REQUEST_DIGEST_BYTES], big_buffer *bytes,
                                 size_t *length, cuzk_error *error) {
    char path[JOURNAL_PATH_CAPACITY];
    uint8_t found[REQUEST_DIGEST_BYTES];
    *bytes = (big_buffer){0};
    request_path(j, path, job_id);
    FILE *stream = fopen(path, "rbe");
    if (!stream)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot open the stored request", path);
    cuzk_status status = read_whole(bytes, length, stream, path, error);
    fclose(stream);
    TRY(status);
    bytes_digest(found, bytes->data, *length);
    if (digest && memcmp(found, digest, sizeof found) != 0) {
        big_buffer_free(bytes);
        return failure(error, CUZK_INPUT_OUTPUT, "%s: the stored request is damaged: its digest differs from the one accepted", path);
    }
    return CUZK_OK;
}
