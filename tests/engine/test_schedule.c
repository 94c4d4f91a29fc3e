/* What goes when: read from the timeline, with provers held at a gate so that nothing depends on speed. */
#include "engine/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_order(fixture *f, cuzk_stage stage, const job_name *expected, size_t count) {
    size_t found;
    job_name *order = order_of_stage(f, stage, &found);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(order[i].text, expected[i].text);
    free(order);
}

/* Waits until a partition of the job has been synthesized and waits for a prover. */
static void await_ready(fixture *f, job_name job) {
    for (bool ready = false; !ready; usleep(500)) {
        cuzk_engine_status status;
        cuzk_engine_status_get(f->engine, &status);
        for (size_t i = 0; i < status.job_count; i++)
            for (size_t k = 0; strcmp(status.jobs[i].job_id, job.text) == 0 && k < status.jobs[i].partition_count; k++)
                ready |= status.jobs[i].partitions[k].state == CUZK_PARTITION_SYNTH_DONE;
        cuzk_engine_status_free(&status);
    }
}

static void await_result(fixture *f, job_name job) {
    cuzk_job_result result = await_job(f, job);
    cuzk_job_result_free(&result);
}

/* With the provers' gate closed and the first partition behind it: lets one after the other through, each when the one that
 * should follow is ready, and compares the order in which they were proved. */
static void drive(fixture *f, const job_name *expected, size_t count) {
    for (size_t i = 1; i < count; i++) {
        await_ready(f, expected[i]);
        fake_gate_permit(&f->fake->prove_gate, 1);
        while (f->fake->proofs < i)
            usleep(200);
    }
    fake_gate_open(&f->fake->prove_gate);
    for (size_t i = 0; i < count; i++)
        await_result(f, expected[i]);
    expect_order(f, CUZK_STAGE_PROVE, expected, count);
}

static void by_priority_then_job_then_partition(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name first = submit(&f, CUZK_POREP_SEAL_COMMIT, "first", "seed=first");
    fake_gate_await(&f.fake->prove_gate, 1); /* the prover is taken; all that follows queues up */
    job_name low = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "low", "partitions=2 seed=a", CUZK_PRIORITY_LOW);
    job_name normal_1 = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "n1", "partitions=2 seed=b", CUZK_PRIORITY_NORMAL);
    job_name normal_2 = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "n2", "seed=c", CUZK_PRIORITY_NORMAL);
    job_name high = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "high", "seed=d", CUZK_PRIORITY_HIGH);
    job_name critical = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "crit", "seed=e", CUZK_PRIORITY_CRITICAL);
    job_name winning = submit(&f, CUZK_WINNING_POST, "winning", "seed=f");
    const job_name expected[] = {first, winning, critical, high, normal_1, normal_1, normal_2, low, low};
    drive(&f, expected, sizeof expected / sizeof *expected);
    fixture_stop(&f);
}

static void unspecified_takes_the_kinds_default(void **state) {
    (void)state;
    assert_int_equal(cuzk_default_priority(CUZK_WINNING_POST), CUZK_PRIORITY_CRITICAL);
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name first = submit(&f, CUZK_POREP_SEAL_COMMIT, "first", "seed=first");
    fake_gate_await(&f.fake->prove_gate, 1);
    job_name snap = submit(&f, CUZK_SNAP_DEALS_UPDATE, "s", "seed=s");
    job_name porep = submit(&f, CUZK_POREP_SEAL_COMMIT, "p", "seed=p");
    job_name window = submit(&f, CUZK_WINDOW_POST_PARTITION, "w", "seed=w");
    job_name winning = submit(&f, CUZK_WINNING_POST, "x", "seed=x");
    const job_name expected[] = {first, winning, window, porep, snap};
    drive(&f, expected, 5);
    fixture_stop(&f);
}

/* Ten mixed jobs; WinningPoSt comes last and goes right after the running partition. */
static void winning_overtakes_between_partitions(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    job_name jobs[10];
    const cuzk_proof_kind kinds[] = {CUZK_POREP_SEAL_COMMIT, CUZK_SNAP_DEALS_UPDATE, CUZK_WINDOW_POST_PARTITION};
    fake_gate_close(&f.fake->prove_gate);
    for (int i = 0; i < 9; i++) {
        char script[64];
        snprintf(script, sizeof script, "partitions=4 seed=%d", i);
        jobs[i] = submit(&f, kinds[i % 3], "mixed", script);
    }
    fake_gate_await(&f.fake->prove_gate, 1);
    fake_gate_permit(&f.fake->prove_gate, 1);
    while (f.fake->proofs < 1)
        usleep(500);
    fake_gate_await(&f.fake->prove_gate, 1); /* the second partition is being proved */
    jobs[9] = submit(&f, CUZK_WINNING_POST, "winning", "seed=winning");
    await_ready(&f, jobs[9]);
    fake_gate_open(&f.fake->prove_gate);
    for (int i = 0; i < 10; i++)
        await_result(&f, jobs[i]);
    size_t count;
    job_name *order = order_of_stage(&f, CUZK_STAGE_PROVE, &count);
    assert_int_equal(count, 37);
    assert_string_equal(order[2].text, jobs[9].text);
    free(order);
    fixture_stop(&f);
}

/* The classic synthesis is long: WinningPoSt does not wait for it, nor for the hand-over to have room. */
static void winning_does_not_wait_for_a_synthesis(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->synthesis_gate);
    job_name slow = submit(&f, CUZK_POREP_SEAL_COMMIT, "slow", "partitions=3 seed=slow");
    fake_gate_await(&f.fake->synthesis_gate, 1);
    job_name winning = submit(&f, CUZK_WINNING_POST, "w", "seed=w");
    fake_gate_await(&f.fake->synthesis_gate, 2);
    fake_gate_open(&f.fake->synthesis_gate);
    expect_completed(&f, winning, CUZK_WINNING_POST, "w", "seed=w");
    expect_completed(&f, slow, CUZK_POREP_SEAL_COMMIT, "slow", "partitions=3 seed=slow");
    fixture_stop(&f);
}

/* Prover held, 20 jobs queued: only the look-ahead is synthesized. */
static void hand_over_is_bounded(void **state) {
    (void)state;
    for (unsigned lookahead = 1; lookahead <= 3; lookahead++) {
        cuzk_engine_options options = fixture_options();
        options.synthesis_lookahead = lookahead;
        fixture f = fixture_start(&options);
        fake_gate_close(&f.fake->prove_gate);
        job_name jobs[20];
        for (int i = 0; i < 20; i++) {
            char script[64];
            snprintf(script, sizeof script, "partitions=2 seed=%d", i);
            jobs[i] = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script);
        }
        fake_gate_await(&f.fake->prove_gate, 1);
        while (f.fake->assignments < 1 + lookahead)
            usleep(500);
        usleep(100000);
        assert_int_equal(f.fake->syntheses, 1 + lookahead);
        fake_gate_open(&f.fake->prove_gate);
        for (int i = 0; i < 20; i++)
            await_result(&f, jobs[i]);
        assert_true(f.fake->most_assignments <= lookahead + 2);
        fixture_stop(&f);
    }
}

static void without_pipeline_stages_alternate(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.pipeline_enabled = false;
    fixture f = fixture_start(&options);
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", "partitions=6 synthesis_ms=2 prove_ms=2");
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", "partitions=6 synthesis_ms=2 prove_ms=2");
    assert_int_equal(f.fake->most_assignments, 1);
    size_t count;
    cuzk_span *spans = cuzk_engine_timeline(f.engine, 0, &count);
    uint64_t prover_free = 0;
    for (size_t i = 0; i < count; i++) {
        if (spans[i].stage == CUZK_STAGE_PROVE)
            prover_free = spans[i].end_ns;
        if (spans[i].stage == CUZK_STAGE_SYNTHESIS)
            assert_true(spans[i].start_ns >= prover_free);
    }
    free(spans);
    fixture_stop(&f);
}

/* While one partition is proved the next is synthesized: no times are compared, only that the stretches overlap. */
static void stages_overlap(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start(&options);
    const char *script = "partitions=10 synthesis_ms=5 prove_ms=20";
    expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script), CUZK_POREP_SEAL_COMMIT, "x", script);
    size_t count, overlapping = 0;
    cuzk_span *spans = cuzk_engine_timeline(f.engine, 0, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; spans[i].stage == CUZK_STAGE_PROVE && k < count; k++)
            overlapping += spans[k].stage == CUZK_STAGE_SYNTHESIS && spans[k].start_ns < spans[i].end_ns && spans[k].end_ns > spans[i].start_ns;
    assert_true(overlapping >= 8);
    free(spans);
    fixture_stop(&f);
}

/* A CRITICAL job's partition waits for a prover, or another job has been put in front of all CRITICAL ones. */
static void await_ready_critical(fixture *f) {
    for (bool ready = false; !ready; usleep(200)) {
        cuzk_engine_status status;
        cuzk_engine_status_get(f->engine, &status);
        ready = status.job_count > 0 && status.jobs[0].priority != CUZK_PRIORITY_CRITICAL;
        for (size_t i = 0; i < status.job_count; i++)
            ready |= status.jobs[i].priority == CUZK_PRIORITY_CRITICAL && status.jobs[i].partitions[0].state == CUZK_PARTITION_SYNTH_DONE;
        cuzk_engine_status_free(&status);
    }
}

/* There is always a CRITICAL job to go next, and yet a LOW one ends, with none of its partitions proved twice. */
static void starve(cuzk_proof_kind kind, size_t least_between) {
    cuzk_engine_options options = fixture_options();
    options.starvation_limit_ms = 20;
    fixture f = fixture_start(&options);
    cuzk_error error = {0};
    const char *script = "partitions=3 seed=low";
    fake_gate_close(&f.fake->prove_gate);
    submit_with_priority(&f, kind, "c", "seed=first", CUZK_PRIORITY_CRITICAL);
    fake_gate_await(&f.fake->prove_gate, 1);
    job_name low = submit_with_priority(&f, CUZK_SNAP_DEALS_UPDATE, "low", script, CUZK_PRIORITY_LOW);
    cuzk_job_result result = {.state = CUZK_JOB_QUEUED};
    for (unsigned i = 1; result.state == CUZK_JOB_QUEUED || result.state == CUZK_JOB_RUNNING; i++) {
        char text[64];
        snprintf(text, sizeof text, "seed=critical%u", i);
        submit_with_priority(&f, kind, "c", text, CUZK_PRIORITY_CRITICAL);
        await_ready_critical(&f);
        fake_gate_permit(&f.fake->prove_gate, 1);
        while (f.fake->proofs < i)
            usleep(200);
        ASSERT_OK(cuzk_engine_result(f.engine, low.text, &result, &error));
        cuzk_job_result_free(&result);
        assert_true(i < 5000);
    }
    expect_completed(&f, low, CUZK_SNAP_DEALS_UPDATE, "low", script);
    fake_gate_open(&f.fake->prove_gate);
    assert_true(cuzk_engine_drain(f.engine, 60000));
    size_t count, turns = 0, others = 0;
    job_name *order = order_of_stage(&f, CUZK_STAGE_PROVE, &count);
    for (size_t i = 0; i < count; i++) {
        bool is_low = strcmp(order[i].text, low.text) == 0;
        assert_true(!is_low || others >= least_between);
        others = is_low ? 0 : others + 1;
        turns += is_low;
    }
    assert_int_equal(turns, 3);
    free(order);
    fixture_stop(&f);
}

static void low_is_not_starved(void **state) {
    (void)state;
    starve(CUZK_POREP_SEAL_COMMIT, 1);
    starve(CUZK_WINNING_POST, 8);
}

/* A proof that takes longer than all limits: jobs behind it have been overtaken for long, and a WinningPoSt still goes first. */
static void winning_goes_before_those_who_waited(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.starvation_limit_ms = 20;
    fixture f = fixture_start(&options);
    fake_gate_close(&f.fake->prove_gate);
    job_name running = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "r", "seed=r", CUZK_PRIORITY_NORMAL);
    fake_gate_await(&f.fake->prove_gate, 1);
    submit_with_priority(&f, CUZK_SNAP_DEALS_UPDATE, "a", "seed=a", CUZK_PRIORITY_NORMAL);
    submit_with_priority(&f, CUZK_SNAP_DEALS_UPDATE, "b", "seed=b", CUZK_PRIORITY_NORMAL);
    job_name high = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "h", "seed=h", CUZK_PRIORITY_HIGH);
    await_ready(&f, high);
    usleep(200000);
    job_name winning = submit(&f, CUZK_WINNING_POST, "w", "seed=w");
    await_ready(&f, winning);
    usleep(200000);
    fake_gate_open(&f.fake->prove_gate);
    assert_true(cuzk_engine_drain(f.engine, 60000));
    size_t count;
    job_name *order = order_of_stage(&f, CUZK_STAGE_PROVE, &count);
    assert_int_equal(count, 5);
    assert_string_equal(order[0].text, running.text);
    assert_string_equal(order[1].text, winning.text);
    free(order);
    fixture_stop(&f);
}

static void batches_share_a_pass(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.max_batch_size = 4;
    options.max_batch_wait_ms = 600000;
    fixture f = fixture_start(&options);
    job_name jobs[8];
    for (int i = 0; i < 8; i++) {
        char script[64];
        snprintf(script, sizeof script, "seed=batch%d", i);
        jobs[i] = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script);
    }
    for (int i = 0; i < 8; i++) {
        char script[64];
        snprintf(script, sizeof script, "seed=batch%d", i);
        expect_completed(&f, jobs[i], CUZK_POREP_SEAL_COMMIT, "x", script);
    }
    assert_int_equal(f.fake->passes, 2);
    assert_int_equal(f.fake->most_in_pass, 4);
    fixture_stop(&f);
}

/* Unequal circuits are never in one pass (the fake counts misuse), a lone partition goes when its time is up, and urgent
 * ones do not wait. */
static void batches_wait_no_longer_than_told(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.max_batch_size = 4;
    options.max_batch_wait_ms = 20;
    fixture f = fixture_start(&options);
    job_name a = submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "seed=a"), b = submit(&f, CUZK_SNAP_DEALS_UPDATE, "b", "seed=b");
    expect_completed(&f, a, CUZK_POREP_SEAL_COMMIT, "a", "seed=a");
    expect_completed(&f, b, CUZK_SNAP_DEALS_UPDATE, "b", "seed=b");
    assert_int_equal(f.fake->passes, 2);
    fixture_stop(&f);
    options.max_batch_wait_ms = 600000;
    f = fixture_start(&options);
    expect_completed(&f, submit(&f, CUZK_WINNING_POST, "w", "seed=w"), CUZK_WINNING_POST, "w", "seed=w");
    a = submit(&f, CUZK_POREP_SEAL_COMMIT, "a", "seed=a");
    assert_false(cuzk_engine_drain(f.engine, 0));
    assert_true(cuzk_engine_drain(f.engine, 30000)); /* draining does not wait for a batch to fill */
    fixture_stop(&f);
}

static void partition_retried_on_another_device(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start_devices(&options, 2);
    uint64_t seen = 0;
    for (int job = 0; job < 10; job++) {
        char script[64];
        snprintf(script, sizeof script, "flip_proof=1 seed=dev%d", job);
        expect_completed(&f, submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script), CUZK_POREP_SEAL_COMMIT, "x", script);
        size_t count;
        cuzk_span *spans = cuzk_engine_timeline(f.engine, seen, &count);
        unsigned workers[2] = {9, 9}, proofs = 0;
        for (size_t i = 0; i < count; i++)
            if (spans[i].stage == CUZK_STAGE_PROVE)
                workers[proofs++] = spans[i].worker;
        assert_int_equal(proofs, 2);
        assert_int_not_equal(workers[0], workers[1]);
        seen += count;
        free(spans);
    }
    fixture_stop(&f);
}

/* Both devices work at the same time, and each proves what the timeline says of its worker. */
static void devices_do_their_own_work(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    fixture f = fixture_start_devices(&options, 2);
    fake_gate_close(&f.fake->prove_gate);
    const char *script = "partitions=12 seed=devices";
    job_name job = submit(&f, CUZK_POREP_SEAL_COMMIT, "x", script);
    fake_gate_await(&f.fake->prove_gate, 2);
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_int_equal(status.worker_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(status.workers[i].device, i);
        assert_true(status.workers[i].busy);
    }
    assert_int_not_equal(status.workers[0].partition, status.workers[1].partition);
    cuzk_engine_status_free(&status);
    fake_gate_open(&f.fake->prove_gate);
    expect_completed(&f, job, CUZK_POREP_SEAL_COMMIT, "x", script);
    size_t count;
    cuzk_span *spans = cuzk_engine_timeline(f.engine, 0, &count);
    unsigned proofs[2] = {0};
    for (size_t i = 0; i < count; i++)
        if (spans[i].stage == CUZK_STAGE_PROVE)
            proofs[spans[i].worker]++;
    free(spans);
    assert_int_equal(proofs[0] + proofs[1], 12);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(proofs[i] > 0);
        assert_int_equal(f.fake->proofs_on[i], proofs[i]);
    }
    fixture_stop(&f);
}

/* Among equals the circuit that ran last goes on; without the option order of submission alone counts. */
static void sorts_by_type(void **state) {
    (void)state;
    for (int sorted = 0; sorted < 2; sorted++) {
        cuzk_engine_options options = fixture_options();
        options.sort_by_type = sorted;
        fixture f = fixture_start(&options);
        fake_gate_close(&f.fake->prove_gate);
        job_name a = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "a", "partitions=2 seed=a", CUZK_PRIORITY_NORMAL);
        fake_gate_await(&f.fake->prove_gate, 1);
        await_ready(&f, a); /* its second partition, which fills the hand-over */
        job_name b = submit_with_priority(&f, CUZK_SNAP_DEALS_UPDATE, "b", "seed=b", CUZK_PRIORITY_NORMAL);
        job_name c = submit_with_priority(&f, CUZK_POREP_SEAL_COMMIT, "c", "seed=c", CUZK_PRIORITY_NORMAL);
        const job_name by_type[] = {a, a, c, b}, by_order[] = {a, a, b, c};
        drive(&f, sorted ? by_type : by_order, 4);
        fixture_stop(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_priority_then_job_then_partition),
        cmocka_unit_test(unspecified_takes_the_kinds_default),
        cmocka_unit_test(winning_overtakes_between_partitions),
        cmocka_unit_test(winning_does_not_wait_for_a_synthesis),
        cmocka_unit_test(hand_over_is_bounded),
        cmocka_unit_test(without_pipeline_stages_alternate),
        cmocka_unit_test(stages_overlap),
        cmocka_unit_test(low_is_not_starved),
        cmocka_unit_test(winning_goes_before_those_who_waited),
        cmocka_unit_test(batches_share_a_pass),
        cmocka_unit_test(batches_wait_no_longer_than_told),
        cmocka_unit_test(partition_retried_on_another_device),
        cmocka_unit_test(devices_do_their_own_work),
        cmocka_unit_test(sorts_by_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
