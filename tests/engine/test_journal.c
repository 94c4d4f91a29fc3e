/* The journal over restarts, and when it is locked, full, cut, flipped or in use. */
#include "engine/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/journal.h"
#include "support/scratch.h"

static char directory[512];

/* A fresh state directory. */
static const char *new_state(const char *name) {
    snprintf(directory, sizeof directory, "%s", scratch_path(name));
    remove_tree(directory);
    return directory;
}

static cuzk_engine_options options_in(const char *state_directory) {
    cuzk_engine_options options = fixture_options();
    options.state_directory = state_directory;
    return options;
}

static bool exists(const char *format, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, format, directory, name);
    return access(path, F_OK) == 0;
}

static void await_gone(const char *job_id) {
    while (exists("%s/requests/%s.request", job_id))
        usleep(2000);
}

/* ---- Restarts ------------------------------------------------------------------------------------------------------ */

static void ended_jobs_are_answered_after_a_restart(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("ended"));
    fixture f = fixture_start(&options);
    job_name good = submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "partitions=3"), bad = submit(&f, CUZK_SNAP_DEALS_UPDATE, "b", "fail_prove=2");
    cuzk_job_result first = await_job(&f, good);
    expect_failed(&f, bad, CUZK_INTERNAL, "prove, attempt 2");
    await_gone(good.text); /* its request is no longer needed */
    fixture_stop(&f);
    f = fixture_start(&options);
    cuzk_job_result second = await_job(&f, good);
    assert_int_equal(second.state, CUZK_JOB_COMPLETED);
    assert_int_equal(second.proof_length, first.proof_length);
    assert_memory_equal(second.proof, first.proof, first.proof_length);
    assert_string_equal(second.circuit_id, "porep-2k");
    assert_int_equal(second.times.total_ms, first.times.total_ms);
    expect_failed(&f, bad, CUZK_INTERNAL, "prove, attempt 2");
    /* Idempotency survives, and so does that failure is not for ever. */
    assert_string_equal(submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "partitions=3").text, good.text);
    assert_string_not_equal(submit(&f, CUZK_SNAP_DEALS_UPDATE, "b", "fail_prove=2").text, bad.text);
    assert_string_not_equal(submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "partitions=3 seed=other").text, good.text);
    cuzk_job_result_free(&first);
    cuzk_job_result_free(&second);
    fixture_stop(&f);
}

static void unfinished_jobs_go_on_after_a_restart(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("unfinished"));
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name half = submit(&f, CUZK_POREP_SEAL_COMMIT, "half", "partitions=4"), queued = submit(&f, CUZK_SNAP_DEALS_UPDATE, "q", "x=1");
    job_name winning = submit(&f, CUZK_WINNING_POST, "w", "x=1");
    cuzk_error error = {0};
    job_name cancelled = submit(&f, CUZK_POREP_SEAL_COMMIT, "c", "seed=c");
    ASSERT_OK(cuzk_engine_cancel(f.engine, cancelled.text, NULL, &error));
    fake_gate_permit(&f.fake->prove_gate, 3);
    cuzk_engine_metrics m;
    do {
        usleep(1000);
        cuzk_engine_metrics_get(f.engine, &m);
    } while (m.partitions_proved[CUZK_POREP_SEAL_COMMIT] < 2 || m.completed[CUZK_WINNING_POST] < 1);
    fixture_stop(&f);
    f = fixture_start(&options);
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.resumed, 2);
    expect_completed(&f, half, CUZK_POREP_SEAL_COMMIT, "half", "partitions=4");
    expect_completed(&f, queued, CUZK_SNAP_DEALS_UPDATE, "q", "x=1");
    expect_completed(&f, winning, CUZK_WINNING_POST, "w", "x=1");
    cuzk_job_result result = await_job(&f, cancelled);
    assert_int_equal(result.state, CUZK_JOB_CANCELLED);
    assert_int_equal(f.fake->proofs, 3); /* what was done is not done again */
    fixture_stop(&f);
}

static void retention_holds_in_the_journal(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("retention"));
    options.retention_jobs = 2;
    fixture f = fixture_start(&options);
    job_name jobs[4];
    for (int i = 0; i < 4; i++) {
        char script[32];
        snprintf(script, sizeof script, "seed=%d", i);
        jobs[i] = submit(&f, CUZK_WINNING_POST, "x", script);
        expect_completed(&f, jobs[i], CUZK_WINNING_POST, "x", script);
    }
    cuzk_job_result result;
    while (cuzk_engine_result(f.engine, jobs[1].text, &result, NULL) == CUZK_OK) {
        cuzk_job_result_free(&result);
        usleep(1000);
    }
    fixture_stop(&f);
    options.retention_jobs = 100;
    f = fixture_start(&options);
    assert_int_equal(cuzk_engine_result(f.engine, jobs[0].text, &result, NULL), CUZK_NOT_FOUND);
    expect_completed(&f, jobs[2], CUZK_WINNING_POST, "x", "seed=2");
    expect_completed(&f, jobs[3], CUZK_WINNING_POST, "x", "seed=3");
    fixture_stop(&f);
    options.retention_ms = 0;
    f = fixture_start(&options);
    while (cuzk_engine_result(f.engine, jobs[3].text, &result, NULL) == CUZK_OK) {
        cuzk_job_result_free(&result);
        usleep(1000);
    }
    fixture_stop(&f);
}

static void size_limit_of_inputs(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("size"));
    options.max_journal_bytes = 400;
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name a = submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "seed=1"), b = submit(&f, CUZK_POREP_SEAL_COMMIT, "b", "seed=2");
    cuzk_error error = {0};
    submit(&f, CUZK_POREP_SEAL_COMMIT, "c", "seed=3");
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "d", "seed=4", &error), CUZK_EXHAUSTED);
    assert_non_null(strstr(error.message, "the limit is 400 bytes"));
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, a, CUZK_POREP_SEAL_COMMIT, "a", "seed=1");
    expect_completed(&f, b, CUZK_POREP_SEAL_COMMIT, "b", "seed=2");
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "d", "seed=4"), CUZK_POREP_SEAL_COMMIT, "d", "seed=4");
    fixture_stop(&f);
}

/* ---- In use, locked, full ------------------------------------------------------------------------------------------ */

static void a_second_engine_is_refused(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("twice"));
    fixture f = fixture_start(&options);
    cuzk_engine *second;
    cuzk_error error = {0};
    char expected[64];
    assert_int_equal(engine_start_with_backend(&second, &options, &fake_backend_create(1)->base, &error), CUZK_UNAVAILABLE);
    snprintf(expected, sizeof expected, "is in use by process %ld", (long)getpid());
    assert_non_null(strstr(error.message, expected));
    fixture_stop(&f);
    f = fixture_start(&options); /* free again */
    fixture_stop(&f);
}

static void a_locked_journal_refuses_and_recovers(void **state) {
    (void)state;
    char path[1024];
    cuzk_engine_options options = options_in(new_state("locked"));
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name running = submit(&f, CUZK_POREP_SEAL_COMMIT, "r", "partitions=2");
    fake_gate_await(&f.fake->prove_gate, 1);
    sqlite3 *other;
    snprintf(path, sizeof path, "%s/journal.sqlite", directory);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 10000); /* the engine may be writing just now */
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "seed=x", &error), CUZK_UNAVAILABLE);
    assert_non_null(strstr(error.message, "locked by another process"));
    /* What was accepted ends all the same, and is recorded when the lock is gone. */
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, running, CUZK_POREP_SEAL_COMMIT, "r", "partitions=2");
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_true(status.journal);
    assert_non_null(strstr(status.journal_problem, "locked"));
    cuzk_engine_status_free(&status);
    cuzk_job_result first = await_job(&f, running);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    await_gone(running.text);
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "seed=x"), CUZK_POREP_SEAL_COMMIT, "x", "seed=x");
    fixture_stop(&f);
    f = fixture_start(&options);
    cuzk_job_result second = await_job(&f, running);
    assert_memory_equal(first.proof, second.proof, first.proof_length);
    cuzk_job_result_free(&first);
    cuzk_job_result_free(&second);
    assert_int_equal(f.fake->proofs, 0);
    fixture_stop(&f);
}

static void limit_file_size(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The kernel refuses to let files grow, as on a full disk. */
static void a_full_disk_refuses_and_recovers(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("full"));
    fixture f = fixture_start(&options);
    signal(SIGXFSZ, SIG_IGN);
    fake_gate_close(&f.fake->prove_gate);
    job_name running = submit(&f, CUZK_POREP_SEAL_COMMIT, "r", "partitions=2");
    fake_gate_await(&f.fake->prove_gate, 1);
    char *large = calloc(1, 300001);
    assert_non_null(large);
    memset(large, 'x', 300000);
    cuzk_error error = {0};
    limit_file_size(100000);
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "large", large, &error), CUZK_UNAVAILABLE);
    assert_non_null(strstr(error.message, "cannot write"));
    limit_file_size(1); /* now neither files nor the database */
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "small", "seed=s", &error), CUZK_UNAVAILABLE);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, running, CUZK_POREP_SEAL_COMMIT, "r", "partitions=2");
    limit_file_size(RLIM_INFINITY);
    signal(SIGXFSZ, SIG_DFL);
    await_gone(running.text);
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "large", large), CUZK_POREP_SEAL_COMMIT, "large", large);
    fixture_stop(&f);
    f = fixture_start(&options);
    expect_completed(&f, running, CUZK_POREP_SEAL_COMMIT, "r", "partitions=2");
    assert_int_equal(f.fake->proofs, 0);
    fixture_stop(&f);
    free(large);
}

/* ---- Damage -------------------------------------------------------------------------------------------------------- */

enum { ENDED = 12, OPEN = 5 };

/* A journal with ended and unfinished jobs, copied while the engine runs, WAL and all, and again when it has stopped. */
typedef struct {
    char live_path[512], stopped_path[512];
    job_name ended[ENDED], open[OPEN];
    uint8_t proofs[ENDED][PARTITION_PROOF_BYTES];
} sample;

static void script_of(char script[64], const char *what, int i) { snprintf(script, 64, "seed=%s%d", what, i); }

static void copy_tree(const char *from, const char *to) {
    char command[1200];
    snprintf(command, sizeof command, "cp -r '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void make_sample(sample *s) {
    char script[64];
    cuzk_engine_options options = options_in(new_state("sample-live"));
    fixture f = fixture_start(&options);
    for (int i = 0; i < ENDED; i++) {
        script_of(script, "ended", i);
        s->ended[i] = submit(&f, CUZK_WINNING_POST, "e", script);
        cuzk_job_result result = await_job(&f, s->ended[i]);
        memcpy(s->proofs[i], result.proof, PARTITION_PROOF_BYTES);
        cuzk_job_result_free(&result);
        if (i == ENDED / 2)
            await_gone(s->ended[i].text); /* half of them are in the database, half may be in the WAL */
    }
    fake_gate_close(&f.fake->prove_gate);
    for (int i = 0; i < OPEN; i++) {
        script_of(script, "open", i);
        s->open[i] = submit(&f, CUZK_POREP_SEAL_COMMIT, "o", script);
    }
    snprintf(s->live_path, sizeof s->live_path, "%s", scratch_path("sample"));
    snprintf(s->stopped_path, sizeof s->stopped_path, "%s", directory);
    remove_tree(s->live_path);
    copy_tree(directory, s->live_path);
    fixture_stop(&f);
}

/* A copy of it to be damaged. */
static const char *copy_sample(const char *path) {
    copy_tree(path, new_state("damaged"));
    return directory;
}

/* Whatever became of the database: unfinished jobs end well, ended ones have their own proof or are not known. */
static unsigned expect_unharmed(const sample *s, bool *refused) {
    char script[64];
    unsigned known = 0;
    cuzk_engine_options options = options_in(directory);
    fixture f = {.fake = fake_backend_create(1)};
    cuzk_error error = {0};
    cuzk_status status = engine_start_with_backend(&f.engine, &options, &f.fake->base, &error);
    *refused = status != CUZK_OK;
    if (*refused) {
        assert_true(error.message[0] != 0);
        return 0;
    }
    for (int i = 0; i < OPEN; i++) {
        script_of(script, "open", i);
        expect_completed(&f, s->open[i], CUZK_POREP_SEAL_COMMIT, "o", script);
    }
    for (int i = 0; i < ENDED; i++) {
        cuzk_job_result result;
        if (cuzk_engine_await(f.engine, s->ended[i].text, 60000, NULL, NULL, &result, &error) != CUZK_OK)
            continue;
        /* One whose end was lost with the WAL has been proved once more. */
        cuzk_bytes storage;
        script_of(script, "ended", i);
        cuzk_request request = fake_request(CUZK_WINNING_POST, "e", script, &storage);
        assert_int_equal(result.state, CUZK_JOB_COMPLETED);
        assert_true(fake_proof_is_of(result.proof, &request, 0));
        known++;
        cuzk_job_result_free(&result);
    }
    fixture_stop(&f);
    return known;
}

static long file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static void flip_bit(const char *path, long at, unsigned bit) {
    int file = open(path, O_RDWR);
    uint8_t byte = 0;
    assert_true(file >= 0 && pread(file, &byte, 1, at) == 1);
    byte ^= (uint8_t)(1u << bit);
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

static void bit_flips_do_no_harm(void **state) {
    (void)state;
    sample s;
    bool refused;
    test_random random = {.state = 7};
    make_sample(&s);
    copy_sample(s.live_path);
    assert_int_equal(expect_unharmed(&s, &refused), ENDED);
    assert_false(refused);
    const struct {
        const char *from, *file;
    } places[] = {{s.stopped_path, "journal.sqlite"}, {s.live_path, "journal.sqlite"}, {s.live_path, "journal.sqlite-wal"}};
    unsigned rounds = soak_number("CUZK_SOAK_FLIPS", 36), moved = 0;
    for (unsigned i = 0; i < rounds; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", copy_sample(places[i % 3].from), places[i % 3].file);
        long size = file_size(path);
        assert_true(size > 0);
        /* Half of them in the first hundred bytes, where the headers are. */
        long at = (long)(test_random_u64(&random) % (uint64_t)(i % 6 < 3 ? size : 100));
        flip_bit(path, at, (unsigned)(test_random_u64(&random) % 8));
        expect_unharmed(&s, &refused);
        moved += exists("%s/damaged-%s", "1");
    }
    assert_true(moved > 0);
}

/* SQLite does not mind what a proof holds: the row's digest does. */
static void a_flipped_proof_never_comes_out(void **state) {
    (void)state;
    sample s;
    make_sample(&s);
    char path[1024];
    snprintf(path, sizeof path, "%s/journal.sqlite", copy_sample(s.stopped_path));
    size_t size;
    uint8_t *bytes = read_test_file(path, &size);
    const uint8_t *at = memmem(bytes, size, s.proofs[3], PARTITION_PROOF_BYTES);
    assert_non_null(at);
    flip_bit(path, at - bytes + 77, 5);
    free(bytes);
    cuzk_engine_options options = options_in(directory);
    fixture f = fixture_start(&options);
    cuzk_job_result result;
    for (int i = 0; i < ENDED; i++) {
        cuzk_status status = cuzk_engine_result(f.engine, s.ended[i].text, &result, NULL);
        assert_int_equal(status, i == 3 ? CUZK_NOT_FOUND : CUZK_OK);
        if (status != CUZK_OK)
            continue;
        assert_memory_equal(result.proof, s.proofs[i], PARTITION_PROOF_BYTES);
        cuzk_job_result_free(&result);
    }
    assert_true(exists("%s/damaged-1/%s", "journal.sqlite"));
    fixture_stop(&f);
}

static void cut_journals_do_no_harm(void **state) {
    (void)state;
    sample s;
    bool refused;
    make_sample(&s);
    static const char *const files[] = {"journal.sqlite", "journal.sqlite-wal"};
    for (unsigned i = 0; i < 16; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", copy_sample(s.live_path), files[i % 2]);
        long size = file_size(path);
        static const long parts[] = {0, 1, 99, 100, 4096, 5000, 8192, 1 << 30};
        long length = parts[i / 2] < size ? parts[i / 2] : size - 1;
        assert_int_equal(truncate(path, length), 0);
        expect_unharmed(&s, &refused);
        assert_false(refused);
    }
    copy_sample(s.stopped_path);
    remove_tree(scratch_path("damaged/journal.sqlite"));
    expect_unharmed(&s, &refused);
    assert_false(refused);
}

/* A page of garbage in the middle: its rows are lost, the others are taken over. */
static void good_rows_are_taken_over(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("salvage"));
    fixture f = fixture_start(&options);
    job_name jobs[60];
    for (int i = 0; i < 60; i++) {
        char script[64];
        script_of(script, "s", i);
        jobs[i] = submit(&f, CUZK_WINNING_POST, "x", script);
    }
    assert_true(cuzk_engine_drain(f.engine, 60000));
    fixture_stop(&f);
    char path[1024];
    snprintf(path, sizeof path, "%s/journal.sqlite", directory);
    long pages = file_size(path) / 4096;
    int file = open(path, O_RDWR);
    uint8_t garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    assert_int_equal(pwrite(file, garbage, sizeof garbage, pages / 2 * 4096), sizeof garbage);
    close(file);
    f = fixture_start(&options);
    unsigned known = 0;
    for (int i = 0; i < 60; i++) {
        cuzk_job_result result;
        if (cuzk_engine_result(f.engine, jobs[i].text, &result, NULL) == CUZK_OK) {
            assert_int_equal(result.state, CUZK_JOB_COMPLETED);
            cuzk_job_result_free(&result);
            known++;
        }
    }
    assert_true(known >= 20 && known < 60);
    assert_true(exists("%s/damaged-1/%s", "journal.sqlite"));
    fixture_stop(&f);
    f = fixture_start(&options); /* the new one is sound */
    assert_false(exists("%s/damaged-2%s", ""));
    fixture_stop(&f);
}

static void a_newer_journal_is_refused(void **state) {
    (void)state;
    cuzk_engine_options options = options_in(new_state("newer"));
    fixture f = fixture_start(&options);
    fixture_stop(&f);
    sqlite3 *database;
    char path[1024];
    snprintf(path, sizeof path, "%s/journal.sqlite", directory);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 2", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    cuzk_engine *engine;
    cuzk_error error = {0};
    assert_int_equal(engine_start_with_backend(&engine, &options, &fake_backend_create(1)->base, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "found journal version 2, expected 1"));
}

/* Stops an engine with one job unfinished, whose request's file path it returns. */
static job_name leave_unfinished(const cuzk_engine_options *options, char path[1024]) {
    fixture f = fixture_start(options);
    fake_gate_close(&f.fake->prove_gate);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "u", "seed=u");
    fake_gate_await(&f.fake->prove_gate, 1);
    fixture_stop(&f);
    snprintf(path, 1024, "%s/requests/%s.request", directory, job.text);
    return job;
}

static void damaged_requests_fail_by_name(void **state) {
    (void)state;
    char path[1024];
    for (int how = 0; how < 3; how++) {
        cuzk_engine_options options = options_in(new_state("request"));
        job_name job = leave_unfinished(&options, path);
        if (how == 0)
            flip_bit(path, file_size(path) - 1, 3);
        else if (how == 1)
            assert_int_equal(truncate(path, 20), 0);
        else
            unlink(path);
        fixture f = fixture_start(&options);
        expect_failed(&f, job, CUZK_INPUT_OUTPUT, job.text);
        expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "u", "seed=u"), CUZK_POREP_SEAL_COMMIT, "u", "seed=u");
        fixture_stop(&f);
    }
}

/* Requests whose rows are gone, and files that are no requests. */
static void orphans_are_taken_up(void **state) {
    (void)state;
    char path[1024];
    cuzk_engine_options options = options_in(new_state("orphan"));
    job_name job = leave_unfinished(&options, path);
    remove_tree(scratch_path("orphan/journal.sqlite"));
    scratch_write(scratch_path("orphan/requests/porep-garbage-1.request"), (const uint8_t *)"garbage", 7);
    scratch_write(scratch_path("orphan/requests/x.request.partial-17"), (const uint8_t *)"garbage", 7);
    scratch_write(scratch_path("orphan/requests/unrelated"), (const uint8_t *)"garbage", 7);
    fixture f = fixture_start(&options);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "u", "seed=u");
    await_gone(job.text);
    assert_false(exists("%s/requests/%s", "x.request.partial-17"));
    assert_true(exists("%s/requests/%s", "unrelated"));
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ended_jobs_are_answered_after_a_restart),
        cmocka_unit_test(unfinished_jobs_go_on_after_a_restart),
        cmocka_unit_test(retention_holds_in_the_journal),
        cmocka_unit_test(size_limit_of_inputs),
        cmocka_unit_test(a_second_engine_is_refused),
        cmocka_unit_test(a_locked_journal_refuses_and_recovers),
        cmocka_unit_test(a_full_disk_refuses_and_recovers),
        cmocka_unit_test(bit_flips_do_no_harm),
        cmocka_unit_test(a_flipped_proof_never_comes_out),
        cmocka_unit_test(cut_journals_do_no_harm),
        cmocka_unit_test(good_rows_are_taken_over),
        cmocka_unit_test(a_newer_journal_is_refused),
        cmocka_unit_test(damaged_requests_fail_by_name),
        cmocka_unit_test(orphans_are_taken_up),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
