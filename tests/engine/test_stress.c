/* Many at once: submitting, cancelling, preloading and evicting at random, and a thousand short jobs of two hundred clients.
 * CUZK_SOAK_SECONDS and CUZK_SOAK_JOBS make the runs longer. */
#include "engine/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "engine/system_limits.h"
#include "support/scratch.h"

static const cuzk_proof_kind kinds[] = {CUZK_POREP_SEAL_COMMIT, CUZK_SNAP_DEALS_UPDATE, CUZK_WINDOW_POST_PARTITION, CUZK_WINNING_POST};

/* Assertions of cmocka are for its own thread; others count what is wrong. */
typedef struct {
    fixture *f;
    unsigned number, jobs;
    int64_t until_ns;
    atomic_uint *wrong, *done;
    pthread_barrier_t *end; /* of short_jobs: all end together */
} client;

/* ---- Random calls -------------------------------------------------------------------------------------------------- */

static cuzk_status submit_random(client *c, test_random *random, char id[CUZK_JOB_ID_CAPACITY]) {
    char script[160];
    static const char *const faults[] = {"", "", "", "fail_prove=1", "flip_proof=1", "fail_synthesis=2", "fail_verify=1"};
    uint64_t r = test_random_u64(random);
    snprintf(script, sizeof script, "partitions=%u assignment=%u proving=%u prove_ms=%u synthesis_ms=%u %s seed=%u-%llu",
             (unsigned)(1 + r % 4), (unsigned)(r >> 8 & 2047), (unsigned)(r >> 20 & 1023), (unsigned)(r >> 32 & 1), (unsigned)(r >> 33 & 1),
             faults[r >> 40 & 7 ? (r >> 40 & 7) - 1 : 0], c->number, (unsigned long long)(r >> 44 & 255));
    cuzk_bytes storage;
    cuzk_submission submission;
    cuzk_request request = fake_request(kinds[r >> 6 & 3], "random", script, &storage);
    request.priority = (uint32_t)(r >> 52) % CUZK_PRIORITY_COUNT;
    cuzk_status status = cuzk_engine_submit(c->f->engine, &request, r >> 60 ? 0 : 5, &submission, NULL);
    memcpy(id, submission.job_id, CUZK_JOB_ID_CAPACITY);
    return status;
}

/* A busy worker is never shown idle while it has a job, nor the other way round. */
static void check_status(client *c) {
    cuzk_engine_status status;
    cuzk_engine_status_get(c->f->engine, &status);
    for (size_t i = 0; i < status.worker_count; i++)
        if (status.workers[i].busy != (status.workers[i].job_id[0] != 0))
            atomic_fetch_add(c->wrong, 1);
    /* Besides what waits, four submissions may be parsed. */
    if (status.memory.used_bytes > status.memory.total_bytes + 4 * 512)
        atomic_fetch_add(c->wrong, 1);
    cuzk_engine_status_free(&status);
}

static void *random_calls(void *context) {
    client *c = context;
    test_random random = {.state = c->number};
    cuzk_engine *engine = c->f->engine;
    static const char *const circuits[] = {"porep-2k", "snap-2k", "wpost-2k", "winning-2k"};
    char id[CUZK_JOB_ID_CAPACITY] = "none";
    while (monotonic_ns() < c->until_ns) {
        uint64_t r = test_random_u64(&random);
        cuzk_job_result result;
        cuzk_engine_metrics metrics;
        size_t count;
        switch (r % 16) {
        case 0: cuzk_engine_evict(engine, circuits[r >> 8 & 3], NULL, NULL, NULL); break;
        case 1: cuzk_engine_preload(engine, circuits[r >> 8 & 3], NULL, NULL, NULL, NULL, NULL); break;
        case 2: case 3: cuzk_engine_cancel(engine, id, NULL, NULL); break;
        case 4: check_status(c); break;
        case 5: free(cuzk_engine_timeline(engine, 0, &count)); break;
        case 6: cuzk_engine_metrics_get(engine, &metrics); break;
        case 7: atomic_fetch_add(&c->f->fake->parameters[r >> 8 & 3].version, r >> 10 & 1 ? 1 : 0); break;
        case 8:
            if (cuzk_engine_reserve(engine, r >> 8 & 2047, 3, NULL, NULL, NULL) == CUZK_OK)
                cuzk_engine_release(engine, r >> 8 & 2047);
            break;
        case 9: case 10: {
            cuzk_status status = cuzk_engine_await(engine, id, 50, NULL, NULL, &result, NULL);
            if (status == CUZK_OK)
                cuzk_job_result_free(&result);
            break;
        }
        default: submit_random(c, &random, id); break;
        }
    }
    return NULL;
}

static void call_at_random(const char *state_directory) {
    cuzk_engine_options options = fixture_options();
    options.state_directory = state_directory;
    options.total_budget = 12000;
    options.eviction_min_idle_ms = 1;
    options.synthesis_concurrency = 2;
    options.prover_workers_per_device = 2;
    options.max_batch_size = 2;
    options.max_batch_wait_ms = 2;
    options.starvation_limit_ms = 20;
    options.retention_jobs = 50;
    fixture f = fixture_start_devices(&options, 2);
    atomic_uint wrong = 0;
    client clients[6];
    pthread_t threads[6];
    int64_t until = monotonic_ns() + (int64_t)soak_number("CUZK_SOAK_SECONDS", 2) * 1000000000;
    for (unsigned i = 0; i < 6; i++) {
        clients[i] = (client){.f = &f, .number = i + 1, .until_ns = until, .wrong = &wrong};
        assert_int_equal(pthread_create(&threads[i], NULL, random_calls, &clients[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    assert_true(cuzk_engine_drain(f.engine, 120000));
    expect_budget_free(&f);
    assert_int_equal(wrong, 0);
    assert_int_equal(f.fake->misuses, 0);
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    uint64_t ended = 0;
    for (size_t i = 0; i < CUZK_PROOF_KIND_COUNT; i++)
        ended += m.completed[i] + m.failed[i] + m.cancelled[i];
    assert_int_equal(ended, m.submitted);
    assert_true(m.submitted > 20);
    fixture_stop(&f);
}

static void evict_preload_cancel_submit_at_random(void **state) {
    (void)state;
    call_at_random(NULL);
}

static void the_same_with_a_journal(void **state) {
    (void)state;
    call_at_random(scratch_path("random"));
}

/* ---- Many short jobs ----------------------------------------------------------------------------------------------- */

/* Ended jobs are forgotten 256 at a time, of a kilobyte or so each, and the journal's cache fills up. */
enum { CLIENTS = 200, STACK_BYTES = 64 << 10, FORGOTTEN_LATER = 384 << 10, JOURNAL_CACHE = 512 << 10 };

/* A client's stack is as deep from the start as it will ever be: what grows later is the engine's. */
static void touch_stack(void) {
    volatile uint8_t deep[STACK_BYTES];
    for (size_t i = 0; i < sizeof deep; i += 1024)
        deep[i] = 1;
    (void)deep[0];
}

static void *short_jobs(void *context) {
    client *c = context;
    touch_stack();
    for (unsigned i = 0; i < c->jobs; i++) {
        char script[64];
        cuzk_bytes storage;
        cuzk_submission submission;
        cuzk_job_result result;
        snprintf(script, sizeof script, "seed=%u-%u", c->number, i);
        cuzk_request request = fake_request(kinds[i % 4], "client", script, &storage);
        if (cuzk_engine_submit(c->f->engine, &request, 0, &submission, NULL) != CUZK_OK || submission.existing ||
            cuzk_engine_await(c->f->engine, submission.job_id, 0, NULL, NULL, &result, NULL) != CUZK_OK) {
            atomic_fetch_add(c->wrong, 1);
            continue;
        }
        if (result.state != CUZK_JOB_COMPLETED || !fake_proof_is_of(result.proof, &request, 0))
            atomic_fetch_add(c->wrong, 1);
        cuzk_job_result_free(&result);
        atomic_fetch_add(c->done, 1);
    }
    pthread_barrier_wait(c->end);
    return NULL;
}

static uint64_t resident_now(void) {
    uint64_t anonymous;
    system_resident_bytes(NULL, &anonymous);
    return anonymous;
}

static void a_thousand_jobs_of_two_hundred_clients(bool journal) {
    unsigned total = soak_number("CUZK_SOAK_JOBS", 1000), each = total / CLIENTS ? total / CLIENTS : 1;
    cuzk_engine_options options = fixture_options();
    options.retention_jobs = 100;
    if (journal)
        options.state_directory = scratch_path("many");
    fixture f = fixture_start(&options);
    atomic_uint wrong = 0, done = 0;
    client *clients = calloc(CLIENTS, sizeof *clients);
    pthread_t *threads = calloc(CLIENTS, sizeof *threads);
    assert_non_null(clients);
    assert_non_null(threads);
    pthread_barrier_t end;
    assert_int_equal(pthread_barrier_init(&end, NULL, CLIENTS + 1), 0);
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.f = &f, .number = i, .jobs = each, .wrong = &wrong, .done = &done, .end = &end};
        assert_int_equal(pthread_create(&threads[i], NULL, short_jobs, &clients[i]), 0);
    }
    /* Flat over the last 80 %. */
    uint64_t early = 0, late;
    while (done + wrong < CLIENTS * each) {
        if (!early && done >= CLIENTS * each / 5)
            early = resident_now();
        usleep(1000);
    }
    late = resident_now();
    pthread_barrier_wait(&end);
    for (unsigned i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&end);
    assert_int_equal(wrong, 0);
    assert_int_equal(f.fake->proofs, CLIENTS * each); /* none twice */
    cuzk_engine_metrics m;
    cuzk_engine_metrics_get(f.engine, &m);
    assert_int_equal(m.submitted, CLIENTS * each);
    print_message("%u jobs: %llu KiB of memory after a fifth, %llu KiB at the end\n", CLIENTS * each, (unsigned long long)(early >> 10),
                  (unsigned long long)(late >> 10));
    if (RESIDENT_MEMORY_MEANS_SOMETHING && early)
        assert_true(late <= early + (early - CLIENTS * STACK_BYTES) / 100 + FORGOTTEN_LATER + (journal ? JOURNAL_CACHE : 0));
    expect_budget_free(&f);
    fixture_stop(&f);
    free(clients);
    free(threads);
}

static void many_without_a_journal(void **state) {
    (void)state;
    a_thousand_jobs_of_two_hundred_clients(false);
}

static void many_with_a_journal(void **state) {
    (void)state;
    a_thousand_jobs_of_two_hundred_clients(true);
}

/* Two hundred who submit the very same request at once: one job. */
static void *same_job(void *context) {
    client *c = context;
    cuzk_bytes storage;
    cuzk_submission submission;
    cuzk_job_result result;
    cuzk_request request = fake_request(CUZK_POREP_SEAL_COMMIT, "same", "seed=same", &storage);
    if (cuzk_engine_submit(c->f->engine, &request, 0, &submission, NULL) != CUZK_OK ||
        cuzk_engine_await(c->f->engine, submission.job_id, 0, NULL, NULL, &result, NULL) != CUZK_OK) {
        atomic_fetch_add(c->wrong, 1);
        return NULL;
    }
    if (result.state != CUZK_JOB_COMPLETED)
        atomic_fetch_add(c->wrong, 1);
    cuzk_job_result_free(&result);
    return NULL;
}

static void the_same_request_from_all_at_once(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.state_directory = scratch_path("same");
    fixture f = fixture_start(&options);
    atomic_uint wrong = 0;
    client c = {.f = &f, .wrong = &wrong};
    pthread_t threads[50];
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, same_job, &c), 0);
    for (unsigned i = 0; i < 50; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(f.fake->proofs, 1);
    fixture_stop(&f);
}

/* glibc keeps a cache of free memory for each thread, which grows for long with two hundred of them: without it, what is
 * measured is the engine's memory. Settings of glibc are read when a program starts. */
static void start_without_thread_caches(char **arguments) {
    if (getenv("GLIBC_TUNABLES"))
        return;
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 1);
    execv("/proc/self/exe", arguments);
}

int main(int argc, char **argv) {
    (void)argc;
    start_without_thread_caches(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evict_preload_cancel_submit_at_random),
        cmocka_unit_test(the_same_with_a_journal),
        cmocka_unit_test(many_without_a_journal),
        cmocka_unit_test(many_with_a_journal),
        cmocka_unit_test(the_same_request_from_all_at_once),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
