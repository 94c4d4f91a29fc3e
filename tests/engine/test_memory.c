/* The budget: what waits, what is refused, what is evicted; parameters that come, go and change. */
#include "engine/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/system_limits.h"
#include "support/scratch.h"

enum { MIB = 1 << 20 };

static cuzk_srs_status srs_status(fixture *f, const char *circuit_id) {
    cuzk_engine_status status;
    cuzk_srs_status found = {.tier = CUZK_TIER_COLD};
    cuzk_engine_status_get(f->engine, &status);
    for (size_t i = 0; i < status.srs_count; i++)
        if (strcmp(status.srs[i].circuit_id, circuit_id) == 0)
            found = status.srs[i];
    cuzk_engine_status_free(&status);
    return found;
}

static void what_never_fits_is_refused(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 100 * MIB;
    fixture f = fixture_start(&options);
    cuzk_error error = {0};
    f.fake->parameters[0].file_bytes = 90 * MIB;
    f.fake->parameters[0].streaming_bytes = 30 * MIB;
    const char *script = "assignment=62914560 proving=20971520 prepared=1000"; /* 60 and 20 MiB */
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script, &error), CUZK_EXHAUSTED);
    assert_non_null(strstr(error.message, "porep-2k needs 110 MiB (assignment 60 MiB, proving 20 MiB, parameters 30 MiB"));
    assert_non_null(strstr(error.message, "the budget is 100 MiB"));
    f.fake->parameters[0].streaming_bytes = 15 * MIB; /* streamed it fits */
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", script);
    assert_int_equal(srs_status(&f, "porep-2k").budgeted_bytes, 15 * MIB);
    fixture_stop(&f);
}

/* Preloaded whole, the parameters leave too little for the job, which then streams them. */
static void whole_parameters_give_way_to_streaming(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    fixture f = fixture_start(&options);
    f.fake->parameters[0].file_bytes = 6000;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_preload(f.engine, "porep-2k", NULL, NULL, NULL, NULL, &error));
    ASSERT_OK(cuzk_engine_preload(f.engine, "snap-2k", NULL, NULL, NULL, NULL, &error));
    assert_int_equal(srs_status(&f, "porep-2k").budgeted_bytes, 6000);
    const char *script = "partitions=2 assignment=7000 proving=1000";
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script), CUZK_POREP_SEAL_COMMIT, "x", script);
    assert_int_equal(srs_status(&f, "porep-2k").budgeted_bytes, 500);
    fixture_stop(&f);
}

/* Prover held, 20 jobs queued, each with real memory: what is resident stays within the budget. */
static void resident_memory_stays_within_the_budget(void **state) {
    (void)state;
    uint64_t before, now;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 64 * MIB;
    options.synthesis_lookahead = 20;
    options.synthesis_concurrency = 3;
    fixture f = fixture_start(&options);
    system_resident_bytes(NULL, &before);
    fake_gate_close(&f.fake->prove_gate);
    job_name jobs[20];
    char scripts[20][96];
    for (int i = 0; i < 20; i++) {
        snprintf(scripts[i], sizeof scripts[i], "touch=1 assignment=%d proving=%d seed=%d", 10 * MIB, 8 * MIB, i);
        jobs[i] = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", scripts[i]);
    }
    fake_gate_await(&f.fake->prove_gate, 1);
    while (f.fake->assignments < 5)
        usleep(1000);
    usleep(50000);
    /* 64 = 5 * 10 + 8 for the prover at work, with 8 of it for the next; a sixth would leave too little. */
    assert_int_equal(f.fake->assignments, 5);
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_true(status.memory.used_bytes <= 64 * MIB);
    assert_non_null(strstr(status.jobs[5].waiting_for, "memory: needs"));
    cuzk_engine_status_free(&status);
    fake_gate_open(&f.fake->prove_gate);
    for (int i = 0; i < 20; i++) {
        system_resident_bytes(NULL, &now);
        assert_true(!RESIDENT_MEMORY_MEANS_SOMETHING || now <= before + 64 * MIB + 8 * MIB);
        expect_completed(&f, jobs[i], CUZK_POREP_SEAL_COMMIT, "x", scripts[i]);
    }
    expect_budget_free(&f);
    cuzk_engine_status_get(f.engine, &status);
    assert_true(status.memory.peak_used_bytes <= 64 * MIB);
    cuzk_engine_status_free(&status);
    fixture_stop(&f);
}

/* There is always a small job under way, beside which the large one does not fit: it gets its turn all the same. */
static void large_job_gets_its_turn(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    options.starvation_limit_ms = 20;
    fixture f = fixture_start(&options);
    cuzk_error error = {0};
    fake_gate_close(&f.fake->prove_gate);
    submit(&f, CUZK_POREP_SEAL_COMMIT, "s", "assignment=1000 seed=first");
    fake_gate_await(&f.fake->prove_gate, 1);
    const char *script = "assignment=8200 proving=100 seed=large";
    job_name large = submit(&f, CUZK_POREP_SEAL_COMMIT, "l", script);
    cuzk_job_result result = {.state = CUZK_JOB_QUEUED};
    for (unsigned i = 1; result.state == CUZK_JOB_QUEUED || result.state == CUZK_JOB_RUNNING; i++) {
        char text[64];
        snprintf(text, sizeof text, "assignment=1000 seed=%u", i);
        submit(&f, CUZK_POREP_SEAL_COMMIT, "s", text);
        for (int waited = 0; f.fake->assignments < 2 && waited < 100; waited++) /* until the next is ready, or held back */
            usleep(500);
        fake_gate_permit(&f.fake->prove_gate, 1);
        while (f.fake->proofs < i)
            usleep(200);
        ASSERT_OK(cuzk_engine_result(f.engine, large.text, &result, &error));
        cuzk_job_result_free(&result);
        assert_true(i < 3000);
    }
    expect_completed(&f, large, CUZK_POREP_SEAL_COMMIT, "l", script);
    fake_gate_open(&f.fake->prove_gate);
    assert_true(cuzk_engine_drain(f.engine, 60000));
    fixture_stop(&f);
}

static void idle_parameters_make_room(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    options.eviction_min_idle_ms = 600000;
    fixture f = fixture_start(&options);
    for (int i = 0; i < 4; i++)
        f.fake->parameters[i].file_bytes = f.fake->parameters[i].streaming_bytes = 4000;
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "1", "x=1"), CUZK_POREP_SEAL_COMMIT, "1", "x=1");
    expect_completed(&f, submit(&f, CUZK_SNAP_DEALS_UPDATE, "2", "x=1"), CUZK_SNAP_DEALS_UPDATE, "2", "x=1");
    assert_int_equal(srs_status(&f, "porep-2k").tier, CUZK_TIER_HOT);
    assert_int_equal(srs_status(&f, "snap-2k").tier, CUZK_TIER_HOT);
    /* Nothing runs that could free memory, so even the recently used make room, the longest idle first. */
    expect_completed(&f, submit(&f, CUZK_WINDOW_POST_PARTITION, "3", "x=1"), CUZK_WINDOW_POST_PARTITION, "3", "x=1");
    assert_int_equal(srs_status(&f, "porep-2k").tier, CUZK_TIER_COLD);
    assert_int_equal(srs_status(&f, "snap-2k").tier, CUZK_TIER_HOT);
    /* While something runs, the recently used stay: the job waits. */
    fake_gate_close(&f.fake->prove_gate);
    job_name running = submit(&f, CUZK_WINDOW_POST_PARTITION, "4", "x=2");
    fake_gate_await(&f.fake->prove_gate, 1);
    job_name waiting = submit(&f, CUZK_POREP_SEAL_COMMIT, "5", "x=2");
    usleep(50000);
    assert_int_equal(srs_status(&f, "snap-2k").tier, CUZK_TIER_HOT);
    /* But a CRITICAL one does not wait. */
    job_name winning = submit(&f, CUZK_WINNING_POST, "6", "x=2");
    while (srs_status(&f, "winning-2k").tier != CUZK_TIER_HOT)
        usleep(1000);
    assert_int_equal(srs_status(&f, "snap-2k").tier, CUZK_TIER_COLD);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, running, CUZK_WINDOW_POST_PARTITION, "4", "x=2");
    expect_completed(&f, winning, CUZK_WINNING_POST, "6", "x=2");
    expect_completed(&f, waiting, CUZK_POREP_SEAL_COMMIT, "5", "x=2");
    fixture_stop(&f);
}

static void tiers_and_min_idle(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.eviction_min_idle_ms = 30;
    fixture f = fixture_start(&options);
    assert_int_equal(srs_status(&f, "porep-2k").tier, CUZK_TIER_COLD);
    bool already = true;
    uint64_t ms, freed;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_preload(f.engine, "porep-2k", NULL, NULL, &already, &ms, &error));
    assert_false(already);
    while (srs_status(&f, "porep-2k").tier != CUZK_TIER_WARM)
        usleep(1000);
    assert_true(srs_status(&f, "porep-2k").evictable);
    ASSERT_OK(cuzk_engine_preload(f.engine, "porep-2k", NULL, NULL, &already, &ms, &error));
    assert_true(already);
    assert_int_equal(f.fake->opened, 1);
    bool was_loaded = false;
    ASSERT_OK(cuzk_engine_evict(f.engine, "porep-2k", &was_loaded, &freed, &error));
    assert_true(was_loaded);
    assert_int_equal(freed, 1000);
    assert_int_equal(f.fake->opened, 0);
    ASSERT_OK(cuzk_engine_evict(f.engine, "porep-2k", &was_loaded, &freed, &error));
    assert_false(was_loaded);
    assert_int_equal(cuzk_engine_evict(f.engine, "porep-3k", NULL, NULL, &error), CUZK_NOT_FOUND);
    assert_int_equal(cuzk_engine_preload(f.engine, "x\n", NULL, NULL, NULL, NULL, &error), CUZK_NOT_FOUND);
    fake_gate_close(&f.fake->prove_gate);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "x=1");
    fake_gate_await(&f.fake->prove_gate, 1);
    assert_int_equal(cuzk_engine_evict(f.engine, "porep-2k", NULL, NULL, &error), CUZK_FAILED_PRECONDITION);
    assert_string_equal(error.message, "the parameters of porep-2k are in use by 1 partitions");
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", "x=1");
    fixture_stop(&f);
}

static bool says_stop(void *context) { return ++*(int *)context > 1; }

static void preload_waits_for_room(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    fixture f = fixture_start(&options);
    f.fake->parameters[1].file_bytes = f.fake->parameters[1].streaming_bytes = 5000;
    f.fake->parameters[2].file_bytes = f.fake->parameters[2].streaming_bytes = 50000;
    cuzk_error error = {0};
    assert_int_equal(cuzk_engine_preload(f.engine, "wpost-2k", NULL, NULL, NULL, NULL, &error), CUZK_EXHAUSTED);
    fake_gate_close(&f.fake->prove_gate);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "assignment=6000");
    fake_gate_await(&f.fake->prove_gate, 1);
    int asked = 0;
    assert_int_equal(cuzk_engine_preload(f.engine, "snap-2k", says_stop, &asked, NULL, NULL, &error), CUZK_CANCELLED);
    fake_gate_open(&f.fake->prove_gate);
    ASSERT_OK(cuzk_engine_preload(f.engine, "snap-2k", NULL, NULL, NULL, NULL, &error));
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", "assignment=6000");
    fixture_stop(&f);
}

static void missing_parameters_are_cured_by_adding_them(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    f.fake->parameters[1].present = false;
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "x=1", &error), CUZK_FAILED_PRECONDITION);
    assert_non_null(strstr(error.message, "/fake/snap-2k.params"));
    assert_int_equal(f.fake->syntheses, 0);
    size_t count;
    cuzk_circuit *circuits = cuzk_engine_circuits(f.engine, &count);
    assert_int_equal(count, FAKE_CIRCUITS);
    assert_true(circuits[0].provable);
    assert_false(circuits[1].provable);
    assert_non_null(strstr(circuits[1].reason, "not there"));
    free(circuits);
    f.fake->parameters[1].present = true;
    expect_completed(&f, submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "x=1"), CUZK_SNAP_DEALS_UPDATE, "s", "x=1");
    fixture_stop(&f);
}

/* Accepted while the file was there, which is bad when it is opened. */
static void bad_parameters_fail_the_job_before_synthesis(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    f.fake->parameters[0].fail_open = 1;
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "partitions=3");
    expect_failed(&f, job, CUZK_FAILED_PRECONDITION, "srs_load, attempt 1: /fake/porep-2k.params: found 12 bytes");
    assert_int_equal(f.fake->syntheses, 0);
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "partitions=3"), CUZK_POREP_SEAL_COMMIT, "x", "partitions=3");
    expect_budget_free(&f);
    fixture_stop(&f);
}

/* Changed files are opened anew, once those who use the old one are done. */
static void changed_files_are_opened_again(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "1", "x=1"), CUZK_POREP_SEAL_COMMIT, "1", "x=1");
    f.fake->parameters[0].version++;
    while (srs_status(&f, "porep-2k").tier != CUZK_TIER_COLD) /* the housekeeper finds it */
        usleep(1000);
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "2", "x=2"), CUZK_POREP_SEAL_COMMIT, "2", "x=2");
    /* A failing proof finds it at once, and its second attempt has the new file. */
    fake_gate_close(&f.fake->prove_gate);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "3", "fail_prove=1");
    fake_gate_await(&f.fake->prove_gate, 1);
    f.fake->parameters[0].version++;
    cuzk_engine_metrics before, after;
    cuzk_engine_metrics_get(f.engine, &before);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "3", "fail_prove=1");
    cuzk_engine_metrics_get(f.engine, &after);
    assert_int_equal(after.srs_loads, before.srs_loads + 1);
    fixture_stop(&f);
}

/* Another process takes the machine's memory: nothing new starts until it is there again. */
static void others_memory_is_respected(void **state) {
    (void)state;
    const char *root = scratch_path("host");
    char path[600];
    snprintf(path, sizeof path, "mkdir -p %s/proc", root);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    static const char plenty[] = "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n", none[] = "MemTotal: 16777216 kB\nMemAvailable: 0 kB\n";
    scratch_write(path, (const uint8_t *)none, sizeof none - 1);
    cuzk_engine_options options = fixture_options();
    options.limits_root = root;
    options.total_budget = UINT64_C(8) << 30;
    fixture f = fixture_start(&options);
    const char *script = "assignment=4294967296";
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script);
    usleep(100000);
    assert_int_equal(f.fake->syntheses, 0);
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_non_null(strstr(status.jobs[0].waiting_for, "memory: needs 4 GiB"));
    cuzk_engine_status_free(&status);
    scratch_write(path, (const uint8_t *)plenty, sizeof plenty - 1);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", script);
    fixture_stop(&f);
}

/* What the backend keeps for good counts, from when it has it, and is named when a job does not fit beside it. */
static void kept_memory_counts(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    fixture f = fixture_start(&options);
    f.fake->kept_bytes = 4096;
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "x=1"), CUZK_POREP_SEAL_COMMIT, "x", "x=1");
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_true(status.memory.used_by_owner[CUZK_MEMORY_BUFFERS] >= 4096);
    cuzk_engine_status_free(&status);
    cuzk_error error = {0};
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "assignment=6000", &error), CUZK_EXHAUSTED);
    assert_non_null(strstr(error.message, "beside 4 KiB for uploads and circuits"));
    f.fake->kept_bytes = 0;
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "assignment=6000"), CUZK_POREP_SEAL_COMMIT, "x", "assignment=6000");
    expect_budget_free(&f);
    fixture_stop(&f);
}

static void callers_reserve_memory(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    fixture f = fixture_start(&options);
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_reserve(f.engine, 7000, 0, NULL, NULL, &error));
    assert_int_equal(cuzk_engine_reserve(f.engine, 4000, 20, NULL, NULL, &error), CUZK_DEADLINE);
    assert_int_equal(cuzk_engine_reserve(f.engine, 40000, 20, NULL, NULL, &error), CUZK_EXHAUSTED);
    int asked = 0;
    assert_int_equal(cuzk_engine_reserve(f.engine, 4000, 0, says_stop, &asked, &error), CUZK_CANCELLED);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "assignment=5000"); /* waits for it */
    usleep(50000);
    assert_int_equal(f.fake->syntheses, 0);
    cuzk_engine_release(f.engine, 7000);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", "assignment=5000");
    ASSERT_OK(cuzk_engine_reserve(f.engine, 9500, 10000, NULL, NULL, &error)); /* idle parameters make room */
    cuzk_engine_release(f.engine, 9500);
    expect_budget_free(&f);
    fixture_stop(&f);
}

/* What is set aside is out of the jobs' reach: what would need it is refused rather than left to wait for ever. */
static void what_is_set_aside_stays_so(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    fixture f = fixture_start(&options);
    cuzk_error error = {0};
    const char *script = "assignment=7000";
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script), CUZK_POREP_SEAL_COMMIT, "x", script);
    assert_int_equal(cuzk_engine_set_aside(f.engine, 20000, NULL, NULL, &error), CUZK_EXHAUSTED);
    ASSERT_OK(cuzk_engine_set_aside(f.engine, 4000, NULL, NULL, &error));
    assert_int_equal(try_submit(&f, CUZK_POREP_SEAL_COMMIT, "y", script, &error), CUZK_EXHAUSTED);
    assert_non_null(strstr(error.message, "beside 3.906 KiB for uploads and circuits, the budget is 9.766 KiB"));
    f.fake->parameters[1].file_bytes = f.fake->parameters[1].streaming_bytes = 7000;
    assert_int_equal(cuzk_engine_preload(f.engine, "snap-2k", NULL, NULL, NULL, NULL, &error), CUZK_EXHAUSTED);
    script = "assignment=4000";
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "y", script), CUZK_POREP_SEAL_COMMIT, "y", script);
    fixture_stop(&f);
}

/* Accepted when the budget was larger: it fails with the sizes once nothing else runs, rather than wait for ever. */
static void what_no_longer_fits_fails(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 10000;
    options.state_directory = scratch_path("no-longer");
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name running = submit(&f, CUZK_POREP_SEAL_COMMIT, "r", "assignment=3000 seed=r");
    fake_gate_await(&f.fake->prove_gate, 1);
    job_name large = submit(&f, CUZK_POREP_SEAL_COMMIT, "l", "assignment=8000 seed=l");
    f.fake->kept_bytes = 4096;
    job_name small = submit(&f, CUZK_POREP_SEAL_COMMIT, "s", "seed=s");
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, running, CUZK_POREP_SEAL_COMMIT, "r", "assignment=3000 seed=r");
    expect_completed(&f, small, CUZK_POREP_SEAL_COMMIT, "s", "seed=s");
    expect_failed(&f, large, CUZK_EXHAUSTED, "beside 4 KiB for uploads and circuits");
    assert_true(cuzk_engine_drain(f.engine, 30000));
    fixture_stop(&f);
}

/* Without a journal queued requests stay in memory, and must leave enough to prove them. */
static void queued_requests_are_budgeted(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.total_budget = 4000;
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    char script[256];
    cuzk_error error = {0};
    unsigned accepted = 0;
    cuzk_status status = CUZK_OK;
    for (; status == CUZK_OK; accepted += status == CUZK_OK) {
        snprintf(script, sizeof script, "assignment=1000 seed=%0200u", accepted);
        status = try_submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script, &error);
        assert_true(accepted < 20);
    }
    assert_int_equal(status, CUZK_EXHAUSTED);
    assert_true(accepted >= 3);
    assert_non_null(strstr(error.message, "too little of the budget"));
    fake_gate_open(&f.fake->prove_gate);
    assert_true(cuzk_engine_drain(f.engine, 30000));
    expect_budget_free(&f);
    fixture_stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_never_fits_is_refused),
        cmocka_unit_test(whole_parameters_give_way_to_streaming),
        cmocka_unit_test(resident_memory_stays_within_the_budget),
        cmocka_unit_test(large_job_gets_its_turn),
        cmocka_unit_test(idle_parameters_make_room),
        cmocka_unit_test(tiers_and_min_idle),
        cmocka_unit_test(preload_waits_for_room),
        cmocka_unit_test(missing_parameters_are_cured_by_adding_them),
        cmocka_unit_test(bad_parameters_fail_the_job_before_synthesis),
        cmocka_unit_test(changed_files_are_opened_again),
        cmocka_unit_test(others_memory_is_respected),
        cmocka_unit_test(kept_memory_counts),
        cmocka_unit_test(callers_reserve_memory),
        cmocka_unit_test(what_is_set_aside_stays_so),
        cmocka_unit_test(what_no_longer_fits_fails),
        cmocka_unit_test(queued_requests_are_budgeted),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
