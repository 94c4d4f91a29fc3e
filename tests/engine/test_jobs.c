/* A job's life: idempotency, cancellation, failures and retries, deadlines, waiting, what status pages show. */
#include "engine/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cuzk_proof_kind all_kinds[] = {CUZK_POREP_SEAL_COMMIT, CUZK_SNAP_DEALS_UPDATE, CUZK_WINDOW_POST_PARTITION,
                                            CUZK_WINNING_POST};

static void all_kinds_complete(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    job_name jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] = submit(&f, all_kinds[i], "id", "partitions=3 synthesis_ms=1 prove_ms=1");
    for (int i = 0; i < 4; i++)
        expect_completed(&f, jobs[i], all_kinds[i], "id", "partitions=3 synthesis_ms=1 prove_ms=1");
    expect_budget_free(&f);
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.submitted, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m.completed[all_kinds[i]], 1);
        assert_int_equal(m.partitions_proved[all_kinds[i]], 3);
        assert_int_equal(m.latency[all_kinds[i]][CUZK_LATENCY_TOTAL].count, 1);
    }
    assert_int_equal(m.srs_loads, 4);
    assert_int_equal(f.fake->prepares, 8); /* once to accept, once to run */
    fixture_stop(&f);
}

/* ---- Idempotency --------------------------------------------------------------------------------------------------- */

static void same_request_is_one_job(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name a = submit(&f, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=1");
    job_name again = submit(&f, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=1");
    assert_string_equal(a.text, again.text);
    job_name other = submit(&f, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=2"); /* a re-seal */
    assert_string_not_equal(a.text, other.text);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, a, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=1");
    expect_completed(&f, other, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=2");
    /* After success too, and then with the same proof. */
    cuzk_job_result first = await_job(&f, a);
    again = submit(&f, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=1");
    assert_string_equal(a.text, again.text);
    cuzk_job_result second = await_job(&f, again);
    assert_memory_equal(first.proof, second.proof, first.proof_length);
    cuzk_job_result_free(&first);
    cuzk_job_result_free(&second);
    job_name third = submit(&f, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=3");
    expect_completed(&f, third, CUZK_POREP_SEAL_COMMIT, "porep-1000-7", "seed=3");
    assert_int_equal(f.fake->proofs, 3);
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.repeated, 2);
    fixture_stop(&f);
}

/* Every field counts. */
static void any_other_field_is_another_job(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    uint8_t hash[32] = {1};
    cuzk_bytes storage, bytes = {hash, 32};
    cuzk_request base = fake_request(CUZK_POREP_SEAL_COMMIT, "id", "seed=1", &storage), changed[10];
    for (int i = 0; i < 10; i++)
        changed[i] = base;
    changed[1].priority = CUZK_PRIORITY_HIGH;
    changed[2].registered_proof = 5;
    changed[3].sector_number = 1;
    changed[4].miner_id = 1;
    changed[5].partition_index = 1;
    changed[6].randomness = bytes;
    changed[7].comm_r_old = bytes;
    changed[8].comm_r_new = bytes;
    changed[9].comm_d_new = bytes;
    job_name names[10];
    cuzk_error error = {0};
    for (int i = 0; i < 10; i++) {
        cuzk_submission submission;
        ASSERT_OK(cuzk_engine_submit(f.engine, &changed[i], 0, &submission, &error));
        assert_false(submission.existing);
        memcpy(names[i].text, submission.job_id, sizeof names[i].text);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(names[i].text, names[k].text);
    }
    fake_gate_open(&f.fake->prove_gate);
    for (int i = 0; i < 10; i++)
        expect_completed(&f, names[i], CUZK_POREP_SEAL_COMMIT, "id", "seed=1");
    fixture_stop(&f);
}

static void failure_is_not_replayed(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    job_name a = submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "fail_prove=2");
    expect_failed(&f, a, CUZK_INTERNAL, "prove, attempt 2");
    job_name b = submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "fail_prove=2");
    assert_string_not_equal(a.text, b.text);
    expect_failed(&f, b, CUZK_INTERNAL, "prove, attempt 2");
    expect_failed(&f, a, CUZK_INTERNAL, "prove, attempt 2"); /* the old one still tells */
    /* Likewise after a cancellation. */
    fake_gate_close(&f.fake->prove_gate);
    job_name c = submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "seed=c");
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_cancel(f.engine, c.text, NULL, &error));
    job_name d = submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "seed=c");
    assert_string_not_equal(c.text, d.text);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, d, CUZK_SNAP_DEALS_UPDATE, "s", "seed=c");
    fixture_stop(&f);
}

/* Ids with any byte: job ids and labels stay harmless. */
static void ids_of_any_bytes(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    static const char *const ids[] = {"wdpost-1000-3-[1 2 3 4]", "", "'; DROP TABLE jobs; --", "<script>alert(1)</script>",
                                      "\x01\n\x1b[31m\xff\xfe", "a\"b\\c`d$(e)"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        job_name job = submit(&f, CUZK_WINDOW_POST_PARTITION, ids[i], "x=1");
        assert_int_equal(strspn(job.text, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(job.text));
        expect_completed(&f, job, CUZK_WINDOW_POST_PARTITION, ids[i], "x=1");
    }
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_int_equal(status.ended_count, 6);
    for (size_t i = 0; i < status.ended_count; i++)
        for (const char *c = status.ended[i].request_label; *c; c++)
            assert_true(*c >= 0x20 && *c < 0x7f && !strchr("<>&\"'\\`$", *c));
    assert_string_equal(status.ended[5].request_label, "wdpost-1000-3-[1 2 3 4]");
    cuzk_engine_status_free(&status);
    char *long_id = calloc(1, CUZK_REQUEST_ID_MAXIMUM + 2);
    assert_non_null(long_id);
    memset(long_id, 'x', CUZK_REQUEST_ID_MAXIMUM);
    submit(&f, CUZK_WINDOW_POST_PARTITION, long_id, "x=1");
    long_id[CUZK_REQUEST_ID_MAXIMUM] = 'x';
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_WINDOW_POST_PARTITION, long_id, "x=1", &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "request_id: found 4097 bytes"));
    free(long_id);
    fixture_stop(&f);
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------ */

static void bad_requests_are_refused(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.max_request_bytes = 2048;
    fixture f = fixture_start(&options);
    cuzk_submission submission;
    cuzk_bytes storage, short_hash = {(const uint8_t *)"abc", 3};
    cuzk_error error = {0};
    cuzk_request request = fake_request(CUZK_POREP_SEAL_COMMIT, "id", "seed=1", &storage);
    const struct {
        size_t offset;
        uint32_t value;
        const char *message;
    } enums[] = {{offsetof(cuzk_request, proof_kind), 0, "proof_kind: found 0"},
                 {offsetof(cuzk_request, proof_kind), 5, "proof_kind: found 5"},
                 {offsetof(cuzk_request, proof_kind), UINT32_MAX, "proof_kind: found 4294967295"},
                 {offsetof(cuzk_request, priority), 5, "priority: found 5"}};
    for (size_t i = 0; i < 4; i++) {
        cuzk_request bad = request;
        memcpy((char *)&bad + enums[i].offset, &enums[i].value, sizeof enums[i].value);
        assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, enums[i].message));
    }
    cuzk_request bad = request;
    bad.comm_r_new = short_hash;
    assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "comm_r_new: found 3 bytes, expected 32");
    bad = request;
    bad.vanilla_proof.length = 4096;
    assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "expected at most 2048"));
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "id", "bad=1", &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "vanilla_proof: found bad=1"));
    bad = request;
    bad.vanilla_proofs = &storage;
    bad.vanilla_proof_count = 1;
    assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "vanilla_proofs: found 1, expected none, as POREP_SEAL_COMMIT has its input in vanilla_proof");
    bad.proof_kind = CUZK_WINDOW_POST_PARTITION;
    assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message,
                        "vanilla_proof: found 6 bytes, expected none, as WINDOW_POST_PARTITION has its input in vanilla_proofs");
    bad = request;
    bad.sector_size = 12345;
    assert_int_equal(cuzk_engine_submit(f.engine, &bad, 0, &submission, &error), CUZK_BAD_INPUT);
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.refused[CUZK_BAD_INPUT], 10);
    assert_int_equal(m.submitted, 0);
    cuzk_job_result result;
    assert_int_equal(cuzk_engine_await(f.engine, "no-such-job\n", 0, NULL, NULL, &result, &error), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_engine_result(f.engine, "", &result, &error), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_engine_cancel(f.engine, "porep-0-1", NULL, &error), CUZK_NOT_FOUND);
    fixture_stop(&f);
}

static void full_queue_refuses(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.max_queued_jobs = 2;
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name a = submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "seed=1"), b = submit(&f, CUZK_POREP_SEAL_COMMIT, "b", "seed=2");
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "c", "seed=3", &error), CUZK_EXHAUSTED);
    assert_non_null(strstr(error.message, "holds 2 jobs, the limit is 2"));
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "seed=1", &error), CUZK_OK); /* it is there already */
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, a, CUZK_POREP_SEAL_COMMIT, "a", "seed=1");
    expect_completed(&f, b, CUZK_POREP_SEAL_COMMIT, "b", "seed=2");
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "c", "seed=3", &error), CUZK_OK);
    fixture_stop(&f);
}

/* ---- Failures ------------------------------------------------------------------------------------------------------ */

static void each_stage_retries_once_then_fails(void **state) {
    (void)state;
    static const struct {
        const char *key, *message;
        cuzk_status status;
        cuzk_stage stage;
    } stages[] = {{"fail_synthesis", "synthesis, attempt 2: constraint 17 broken", CUZK_UNSATISFIED, CUZK_STAGE_SYNTHESIS},
                  {"fail_prove", "prove, attempt 2: proving failed", CUZK_INTERNAL, CUZK_STAGE_PROVE},
                  {"fail_verify", "verify, attempt 2: verification failed", CUZK_INTERNAL, CUZK_STAGE_VERIFY},
                  {"flip_assignment", "verify, attempt 2: the proof does not verify", CUZK_INTERNAL, CUZK_STAGE_VERIFY},
                  {"flip_proof", "verify, attempt 2: the proof does not verify", CUZK_INTERNAL, CUZK_STAGE_VERIFY}};
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        for (size_t k = 0; k < 4; k++) {
            char once[64], twice[64];
            snprintf(once, sizeof once, "partitions=2 %s=1", stages[i].key);
            snprintf(twice, sizeof twice, "partitions=2 %s=2", stages[i].key);
            job_name good = submit(&f, all_kinds[k], "once", once), bad = submit(&f, all_kinds[k], "twice", twice);
            expect_completed(&f, good, all_kinds[k], "once", once);
            expect_failed(&f, bad, stages[i].status, stages[i].message);
            expect_completed(&f, submit(&f, all_kinds[k], "good", once), all_kinds[k], "good", once);
        }
        cuzk_engine_metrics m;
        cuzk_engine_metrics_get(f.engine, &m);
        assert_true(m.partition_failures[stages[i].stage] >= 16);
    }
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.partition_retries, 5 * 4 * 3);
    expect_budget_free(&f);
    fixture_stop(&f);
}

static void preparing_fails(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->synthesis_gate);
    job_name blocker = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "seed=x");
    fake_gate_await(&f.fake->synthesis_gate, 1);
    job_name once = submit(&f, CUZK_POREP_SEAL_COMMIT, "1", "seed=1");
    f.fake->fail_prepare = 1;
    fake_gate_open(&f.fake->synthesis_gate);
    expect_completed(&f, once, CUZK_POREP_SEAL_COMMIT, "1", "seed=1");
    expect_completed(&f, blocker, CUZK_POREP_SEAL_COMMIT, "x", "seed=x");
    fake_gate_close(&f.fake->synthesis_gate);
    blocker = submit(&f, CUZK_POREP_SEAL_COMMIT, "y", "seed=y");
    fake_gate_await(&f.fake->synthesis_gate, 1);
    job_name twice = submit(&f, CUZK_POREP_SEAL_COMMIT, "2", "partitions=3 seed=2");
    f.fake->fail_prepare = 2;
    fake_gate_open(&f.fake->synthesis_gate);
    expect_failed(&f, twice, CUZK_INTERNAL, "prepare, attempt 2");
    expect_completed(&f, blocker, CUZK_POREP_SEAL_COMMIT, "y", "seed=y");
    expect_budget_free(&f);
    fixture_stop(&f);
}

/* ---- Cancellation -------------------------------------------------------------------------------------------------- */

typedef enum { AT_QUEUED, AT_PREPARE, AT_OPEN, AT_SYNTHESIS, AT_READY, AT_PROVE, AT_VERIFY, AT_MOMENTS } moment;

static fake_gate *gate_of(fixture *f, moment m) {
    switch (m) {
    case AT_PREPARE: return &f->fake->prepare_gate;
    case AT_OPEN: return &f->fake->open_gate;
    case AT_SYNTHESIS: return &f->fake->synthesis_gate;
    case AT_VERIFY: return &f->fake->verify_gate;
    default: return &f->fake->prove_gate;
    }
}

/* Work that is held leaves although the gate stays closed. */
static void expect_interrupted(fake_gate *gate) {
    unsigned waiting = 1;
    for (int tries = 0; waiting > 0; tries++) {
        pthread_mutex_lock(&gate->mutex);
        waiting = gate->waiting;
        pthread_mutex_unlock(&gate->mutex);
        assert_true(tries < 20000);
        usleep(500);
    }
}

/* Another job holds the prover, so that the one to be cancelled waits behind it. */
static void cancel_at(moment m) {
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate *gate = gate_of(&f, m);
    job_name blocker = {""};
    cuzk_error error = {0};
    bool behind = m == AT_QUEUED || m == AT_READY, was_running = false;
    if (m == AT_PREPARE) { /* the submission itself prepares once */
        fake_gate_close(&f.fake->open_gate);
    } else {
        fake_gate_close(gate);
    }
    if (behind) {
        blocker = submit(&f, CUZK_POREP_SEAL_COMMIT, "blocker", m == AT_QUEUED ? "partitions=2 seed=b" : "seed=b");
        fake_gate_await(gate, 1);
        while (m == AT_QUEUED && f.fake->assignments < 2)
            usleep(500);
    }
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "victim", "partitions=3 seed=v");
    if (m == AT_PREPARE) {
        fake_gate_await(&f.fake->open_gate, 1);
        fake_gate_close(gate);
        fake_gate_open(&f.fake->open_gate);
    }
    if (m == AT_READY)
        while (f.fake->assignments < 2)
            usleep(500);
    if (!behind)
        fake_gate_await(gate, 1);
    ASSERT_OK(cuzk_engine_cancel(f.engine, job.text, &was_running, &error));
    assert_true(was_running);
    cuzk_job_result result = await_job(&f, job); /* its waiters are told at once */
    assert_int_equal(result.state, CUZK_JOB_CANCELLED);
    assert_int_equal(result.failure.status, CUZK_CANCELLED);
    ASSERT_OK(cuzk_engine_cancel(f.engine, job.text, &was_running, &error));
    assert_false(was_running);
    if (m == AT_SYNTHESIS || m == AT_PROVE)
        expect_interrupted(gate);
    fake_gate_open(gate);
    if (behind)
        expect_completed(&f, blocker, CUZK_POREP_SEAL_COMMIT, "blocker", m == AT_QUEUED ? "partitions=2 seed=b" : "seed=b");
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "next", "seed=n"), CUZK_POREP_SEAL_COMMIT, "next", "seed=n");
    assert_true(cuzk_engine_drain(f.engine, 30000));
    cuzk_engine_metrics metrics;
    cuzk_engine_metrics_get(f.engine, &metrics);
    assert_int_equal(metrics.cancelled[CUZK_POREP_SEAL_COMMIT], 1);
    assert_int_equal(metrics.failed[CUZK_POREP_SEAL_COMMIT], 0);
    fixture_stop(&f);
}

static void cancel_at_every_stage(void **state) {
    (void)state;
    for (moment m = AT_QUEUED; m < AT_MOMENTS; m++)
        cancel_at(m);
}

static void cancelling_an_ended_job_changes_nothing(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    job_name job = submit(&f, CUZK_WINNING_POST, "w", "seed=w");
    expect_completed(&f, job, CUZK_WINNING_POST, "w", "seed=w");
    bool was_running = true;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_cancel(f.engine, job.text, &was_running, &error));
    assert_false(was_running);
    expect_completed(&f, job, CUZK_WINNING_POST, "w", "seed=w");
    fixture_stop(&f);
}

/* ---- Deadlines and waiting ----------------------------------------------------------------------------------------- */

static cuzk_submission submit_until(fixture *f, const char *script, uint64_t deadline_ms) {
    cuzk_bytes storage;
    cuzk_request request = fake_request(CUZK_POREP_SEAL_COMMIT, "d", script, &storage);
    cuzk_submission submission;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_submit(f->engine, &request, deadline_ms, &submission, &error));
    return submission;
}

static void deadlines_end_jobs(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    cuzk_submission running = submit_until(&f, "partitions=2 seed=1", 50);
    fake_gate_await(&f.fake->prove_gate, 1);
    while (f.fake->assignments < 2)
        usleep(500);
    cuzk_submission queued = submit_until(&f, "seed=2", 60), patient = submit_until(&f, "seed=3", 0);
    submit_until(&f, "seed=4", 50);
    cuzk_submission extended = submit_until(&f, "seed=4", 0); /* somebody else wants it whenever it comes */
    assert_true(extended.existing);
    job_name name;
    memcpy(name.text, running.job_id, sizeof name.text);
    expect_failed(&f, name, CUZK_DEADLINE, "deadline passed while it ran");
    memcpy(name.text, queued.job_id, sizeof name.text);
    expect_failed(&f, name, CUZK_DEADLINE, "deadline passed");
    fake_gate_open(&f.fake->prove_gate);
    memcpy(name.text, patient.job_id, sizeof name.text);
    expect_completed(&f, name, CUZK_POREP_SEAL_COMMIT, "d", "seed=3");
    memcpy(name.text, extended.job_id, sizeof name.text);
    expect_completed(&f, name, CUZK_POREP_SEAL_COMMIT, "d", "seed=4");
    fixture_stop(&f);
}

static bool says_stop(void *context) { return ++*(int *)context > 1; }

static void waiting_ends_when_told(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "seed=x");
    fake_gate_await(&f.fake->prove_gate, 1);
    cuzk_job_result result;
    cuzk_error error = {0};
    assert_int_equal(cuzk_engine_await(f.engine, job.text, 20, NULL, NULL, &result, &error), CUZK_DEADLINE);
    assert_int_equal(result.state, CUZK_JOB_RUNNING);
    assert_null(result.proof);
    int asked = 0;
    assert_int_equal(cuzk_engine_await(f.engine, job.text, 0, says_stop, &asked, &result, &error), CUZK_CANCELLED);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", "seed=x"); /* the job went on */
    fixture_stop(&f);
}

static void *await_in_thread(void *context) {
    fixture *f = context;
    cuzk_job_result result;
    cuzk_engine_status status;
    cuzk_engine_status_get(f->engine, &status);
    char id[CUZK_JOB_ID_CAPACITY];
    memcpy(id, status.jobs[0].job_id, sizeof id);
    cuzk_engine_status_free(&status);
    return (void *)(uintptr_t)cuzk_engine_await(f->engine, id, 0, NULL, NULL, &result, NULL);
}

static void interrupting_wakes_those_who_wait(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "seed=x");
    fake_gate_await(&f.fake->prove_gate, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, await_in_thread, &f), 0);
    usleep(20000);
    cuzk_engine_interrupt(f.engine);
    void *status;
    pthread_join(thread, &status);
    assert_int_equal((uintptr_t)status, CUZK_UNAVAILABLE);
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "y", "seed=y", &error), CUZK_UNAVAILABLE);
    fixture_stop(&f);
}

/* ---- Status -------------------------------------------------------------------------------------------------------- */

static void status_tells_what_happens(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    f.fake->parameters[0].development = true;
    fake_gate_close(&f.fake->prove_gate);
    job_name a = submit(&f, CUZK_POREP_SEAL_COMMIT, "id-a", "partitions=3 seed=a");
    fake_gate_await(&f.fake->prove_gate, 1);
    while (f.fake->assignments < 2)
        usleep(500);
    job_name b = submit(&f, CUZK_SNAP_DEALS_UPDATE, "id-b", "partitions=2 seed=b");
    cuzk_engine_status s;
    cuzk_engine_status_get(f.engine, &s);
    assert_int_equal(s.job_count, 2);
    assert_string_equal(s.jobs[0].job_id, a.text);
    assert_string_equal(s.jobs[1].job_id, b.text);
    assert_string_equal(s.jobs[0].request_label, "id-a");
    assert_string_equal(s.jobs[0].circuit_id, "porep-2k");
    assert_int_equal(s.jobs[0].state, CUZK_JOB_RUNNING);
    assert_int_equal(s.jobs[0].partition_count, 3);
    assert_int_equal(s.jobs[0].partitions[0].state, CUZK_PARTITION_PROVING);
    assert_int_equal(s.jobs[0].partitions[1].state, CUZK_PARTITION_SYNTH_DONE);
    assert_int_equal(s.jobs[0].partitions[2].state, CUZK_PARTITION_PENDING);
    assert_int_equal(s.worker_count, 1);
    assert_true(s.workers[0].busy);
    assert_string_equal(s.workers[0].job_id, a.text);
    assert_int_equal(s.in_progress[CUZK_POREP_SEAL_COMMIT], 1);
    assert_int_equal(s.pending[CUZK_SNAP_DEALS_UPDATE], 1);
    assert_int_equal(s.queue_depth, 1);
    assert_int_equal(s.jobs[1].partitions[0].state, CUZK_PARTITION_PENDING);
    bool found = false;
    for (size_t i = 0; i < s.srs_count; i++)
        if (strcmp(s.srs[i].circuit_id, "porep-2k") == 0) {
            assert_int_equal(s.srs[i].tier, CUZK_TIER_HOT);
            assert_int_equal(s.srs[i].references, 2);
            assert_true(s.srs[i].development);
            found = true;
        }
    assert_true(found);
    assert_false(s.journal);
    cuzk_engine_status_free(&s);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, a, CUZK_POREP_SEAL_COMMIT, "id-a", "partitions=3 seed=a");
    expect_completed(&f, b, CUZK_SNAP_DEALS_UPDATE, "id-b", "partitions=2 seed=b");
    cuzk_job_result result = await_job(&f, a);
    assert_true(result.development_parameters);
    cuzk_job_result_free(&result);
    cuzk_engine_status_get(f.engine, &s);
    assert_int_equal(s.job_count, 0);
    assert_int_equal(s.ended_count, 2);
    assert_int_equal(s.total_completed, 2);
    assert_false(s.workers[0].busy);
    cuzk_engine_status_free(&s);
    fixture_stop(&f);
}

/* Every stretch of the timeline has begun and ended, in order, with each stage of each partition. */
static void timeline_is_whole(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    expect_completed(&f, submit(&f, CUZK_SNAP_DEALS_UPDATE, "x", "partitions=4"), CUZK_SNAP_DEALS_UPDATE, "x", "partitions=4");
    size_t count, by_stage[CUZK_STAGE_COUNT] = {0};
    cuzk_span *spans = cuzk_engine_timeline(f.engine, 0, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(spans[i].sequence, i + 1);
        assert_true(spans[i].end_ns >= spans[i].start_ns);
        assert_true(i == 0 || spans[i].start_ns >= spans[i - 1].start_ns);
        by_stage[spans[i].stage]++;
    }
    assert_int_equal(by_stage[CUZK_STAGE_PREPARE], 1);
    assert_int_equal(by_stage[CUZK_STAGE_SRS_LOAD], 1);
    assert_int_equal(by_stage[CUZK_STAGE_SYNTHESIS], 4);
    assert_int_equal(by_stage[CUZK_STAGE_PROVE], 4);
    assert_int_equal(by_stage[CUZK_STAGE_VERIFY], 4);
    free(spans);
    spans = cuzk_engine_timeline(f.engine, count - 2, &count);
    assert_int_equal(count, 2);
    free(spans);
    fixture_stop(&f);
}

static void ended_jobs_are_forgotten(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.retention_jobs = 3;
    fixture f = fixture_start(&options);
    job_name jobs[6];
    for (int i = 0; i < 6; i++) {
        char script[32];
        snprintf(script, sizeof script, "seed=%d", i);
        jobs[i] = submit(&f, CUZK_WINNING_POST, "x", script);
        expect_completed(&f, jobs[i], CUZK_WINNING_POST, "x", script);
    }
    cuzk_job_result result;
    while (cuzk_engine_result(f.engine, jobs[2].text, &result, NULL) == CUZK_OK) {
        cuzk_job_result_free(&result);
        usleep(1000);
    }
    assert_int_equal(cuzk_engine_result(f.engine, jobs[0].text, &result, NULL), CUZK_NOT_FOUND);
    expect_completed(&f, jobs[3], CUZK_WINNING_POST, "x", "seed=3");
    fixture_stop(&f);
}

/* A cancelled job stays as long as a partition of it is in somebody's hands. */
static void jobs_at_work_are_not_forgotten(void **state) {
    (void)state;
    enum { JOBS = 4, TICKS_US = 600000 /* two of the housekeeper's and more */ };
    cuzk_engine_options options = fixture_options();
    options.retention_jobs = 1;
    fixture f = fixture_start(&options);
    job_name jobs[JOBS];
    cuzk_error error = {0};
    fake_gate_close(&f.fake->verify_gate);
    for (int i = 0; i < JOBS; i++) {
        char script[32];
        snprintf(script, sizeof script, "seed=%d", i);
        jobs[i] = submit(&f, CUZK_WINNING_POST, "x", script);
    }
    fake_gate_await(&f.fake->verify_gate, 1); /* one is verified, the others wait for that */
    while (atomic_load(&f.fake->proofs) < JOBS)
        usleep(1000);
    for (int i = 0; i < JOBS; i++)
        ASSERT_OK(cuzk_engine_cancel(f.engine, jobs[i].text, NULL, &error));
    usleep(TICKS_US);
    fake_gate_open(&f.fake->verify_gate);
    cuzk_job_result result;
    while (cuzk_engine_result(f.engine, jobs[JOBS - 2].text, &result, NULL) == CUZK_OK) {
        cuzk_job_result_free(&result);
        usleep(1000);
    }
    assert_int_equal(cuzk_engine_result(f.engine, jobs[0].text, &result, NULL), CUZK_NOT_FOUND);
    expect_budget_free(&f);
    fixture_stop(&f);
}

static void options_are_checked(void **state) {
    (void)state;
    cuzk_engine *engine;
    cuzk_error error = {0};
    cuzk_engine_options options = fixture_options();
    options.synthesis_lookahead = 0;
    assert_int_equal(engine_start_with_backend(&engine, &options, &fake_backend_create(1)->base, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "synthesis_lookahead: found 0, expected 1 to 1024");
    assert_null(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_complete),
        cmocka_unit_test(same_request_is_one_job),
        cmocka_unit_test(any_other_field_is_another_job),
        cmocka_unit_test(failure_is_not_replayed),
        cmocka_unit_test(ids_of_any_bytes),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(full_queue_refuses),
        cmocka_unit_test(each_stage_retries_once_then_fails),
        cmocka_unit_test(preparing_fails),
        cmocka_unit_test(cancel_at_every_stage),
        cmocka_unit_test(cancelling_an_ended_job_changes_nothing),
        cmocka_unit_test(deadlines_end_jobs),
        cmocka_unit_test(waiting_ends_when_told),
        cmocka_unit_test(interrupting_wakes_those_who_wait),
        cmocka_unit_test(status_tells_what_happens),
        cmocka_unit_test(timeline_is_whole),
        cmocka_unit_test(ended_jobs_are_forgotten),
        cmocka_unit_test(jobs_at_work_are_not_forgotten),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
