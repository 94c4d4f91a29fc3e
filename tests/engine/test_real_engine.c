/* What the real backend takes and keeps: strategies of synthesis, sizes as the budget counts them, parameters that stay warm,
 * and the fields of requests. */
#include "engine/real_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/circuit_shapes.h"
#include "engine/classic_synthesis.h"
#include "engine/groth16_backend.h"
#include "filecoin/job.h"
#include "groth16/prover.h"
#include "support/scratch.h"

static void expect_proof(cuzk_engine *engine, const cuzk_request *request) {
    cuzk_job_result result = real_prove(engine, request);
    if (result.state != CUZK_JOB_COMPLETED)
        fail_msg("%s", result.failure.message);
    expect_valid_window_proof(result.proof);
    cuzk_job_result_free(&result);
}

static uint64_t used_by(cuzk_engine *engine, cuzk_memory_owner owner) {
    cuzk_engine_status status;
    cuzk_engine_status_get(engine, &status);
    uint64_t used = status.memory.used_by_owner[owner];
    cuzk_engine_status_free(&status);
    return used;
}

static unsigned spans_of(cuzk_engine *engine, cuzk_stage stage) {
    size_t count;
    unsigned found = 0;
    cuzk_span *spans = cuzk_engine_timeline(engine, 0, &count);
    for (size_t i = 0; i < count; i++)
        found += spans[i].stage == stage;
    free(spans);
    return found;
}

/* ---- Strategies ---------------------------------------------------------------------------------------------------- */

static void every_strategy_and_a_single_thread(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    for (cuzk_synthesis_strategy s = CUZK_SYNTHESIS_COMPACT; s <= CUZK_SYNTHESIS_CLASSIC; s++) {
        cuzk_engine_options options = fixture_options();
        options.synthesis_strategy = s;
        options.synthesis_threads = options.prover_threads = 1;
        cuzk_engine *engine = real_engine(options);
        expect_proof(engine, &r.request);
        cuzk_engine_stop(engine);
    }
    free_job_request(&r);
}

/* Jobs of one circuit that are there at once are proved in one pass over its parameters, each with a proof of its own. */
static void batches_are_one_pass(void **state) {
    (void)state;
    enum { JOBS = 3 };
    job_request r;
    load_window_job(&r);
    cuzk_engine_options options = fixture_options();
    options.max_batch_size = JOBS;
    options.max_batch_wait_ms = 600000;
    cuzk_engine *engine = real_engine(options);
    cuzk_submission submissions[JOBS];
    cuzk_job_result results[JOBS];
    cuzk_engine_metrics metrics;
    cuzk_error error = {0};
    r.request.priority = CUZK_PRIORITY_NORMAL;
    for (size_t i = 0; i < JOBS; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "batch %zu", i);
        r.request.request_id = (cuzk_bytes){(const uint8_t *)name, (size_t)length};
        ASSERT_OK(cuzk_engine_submit(engine, &r.request, 0, &submissions[i], &error));
    }
    for (size_t i = 0; i < JOBS; i++) {
        ASSERT_OK(cuzk_engine_await(engine, submissions[i].job_id, 120000, NULL, NULL, &results[i], &error));
        assert_int_equal(results[i].state, CUZK_JOB_COMPLETED);
        expect_valid_window_proof(results[i].proof);
    }
    assert_memory_not_equal(results[0].proof, results[1].proof, PROOF_BYTES);
    cuzk_engine_metrics_get(engine, &metrics);
    assert_int_equal(metrics.passes, 1);
    assert_int_equal(metrics.pass_partitions, JOBS);
    for (size_t i = 0; i < JOBS; i++)
        cuzk_job_result_free(&results[i]);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* The compact assignment of a job's first partition, and its circuit. */
typedef struct {
    proof_job job;
    filecoin_circuit circuit;
    circuit_shapes *shapes;
    compact_assignment compact;
} synthesized;

static void synthesize(synthesized *s) {
    cuzk_error error = {0};
    ASSERT_OK(job_load(&s->job, data_path("jobs/window-post-v1_2/job.json"), &error));
    ASSERT_OK(job_circuit(&s->circuit, &s->job, 0, &error));
    s->shapes = circuit_shapes_create();
    const circuit_shape *shape = circuit_shapes_get(s->shapes, s->job.proof->kind, s->job.proof->shape);
    ASSERT_OK(compact_assignment_create(&s->compact, shape, &s->circuit.circuit, &error));
}

static void release(synthesized *s) {
    compact_assignment_free(&s->compact);
    circuit_shapes_destroy(s->shapes);
    job_free(&s->job);
}

static cuzk_status compare(const synthesized *s, cuzk_error *error) {
    progress job;
    progress_init(&job, NULL);
    return classic_synthesis_agrees(&s->compact, &s->circuit.circuit, &job, error);
}

/* One wrong bit anywhere in the compact assignment is found. */
static void classic_finds_what_differs(void **state) {
    (void)state;
    synthesized s;
    cuzk_error error = {0};
    synthesize(&s);
    ASSERT_OK(compare(&s, &error));
    const circuit_shape *shape = s.compact.shape;
    const uint32_t words[] = {0, shape->stored_words / 2, shape->stored_words - 1},
                   elements[] = {0, shape->stored_elements / 2, shape->stored_elements - 1};
    for (size_t i = 0; i < 3; i++) {
        s.compact.bits[words[i]] ^= 1;
        assert_int_equal(compare(&s, &error), CUZK_INTERNAL);
        assert_non_null(strstr(error.message, "is not the classic one: auxiliary variable"));
        s.compact.bits[words[i]] ^= 1;
        fr saved = s.compact.elements[elements[i]];
        fr_add(&s.compact.elements[elements[i]], &saved, &FR_ONE);
        assert_int_equal(compare(&s, &error), CUZK_INTERNAL);
        s.compact.elements[elements[i]] = saved;
    }
    fr_add(&s.compact.inputs[1], &s.compact.inputs[1], &FR_ONE);
    assert_int_equal(compare(&s, &error), CUZK_INTERNAL);
    assert_non_null(strstr(error.message, "input 1 differs"));
    release(&s);
}

static void classic_stops_when_cancelled(void **state) {
    (void)state;
    synthesized s;
    progress job;
    cuzk_error error = {0};
    synthesize(&s);
    progress_init(&job, NULL);
    progress_cancel(&job);
    assert_int_equal(classic_synthesis_agrees(&s.compact, &s.circuit.circuit, &job, &error), CUZK_CANCELLED);
    release(&s);
}

/* ---- Sizes --------------------------------------------------------------------------------------------------------- */

static void sizes_are_those_of_the_shape(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    synthesized s;
    synthesize(&s);
    const circuit_shape *shape = s.compact.shape;
    for (cuzk_synthesis_strategy strategy = CUZK_SYNTHESIS_COMPACT; strategy <= CUZK_SYNTHESIS_CLASSIC; strategy++) {
        cuzk_engine_options options = fixture_options();
        options.parameter_directory = scratch_path(".");
        options.synthesis_strategy = strategy;
        proving_backend *backend;
        request_description d;
        void *prepared, *made;
        uint64_t bytes;
        progress job;
        cuzk_error error = {0};
        progress_init(&job, NULL);
        ASSERT_OK(groth16_backend_create(&backend, &options, &error));
        assert_int_equal(backend->kept_bytes(backend), 0);
        ASSERT_OK(backend->prepare(backend, &r.request, &prepared, &d, &error));
        assert_int_equal(backend->kept_bytes(backend), circuit_shape_bytes(shape));
        uint64_t classic = strategy == CUZK_SYNTHESIS_CLASSIC ? classic_synthesis_bytes(shape) : 0;
        assert_int_equal(d.assignment_bytes, compact_assignment_bytes(shape) + classic);
        assert_true(d.proving_bytes >= (UINT64_C(2) << shape->domain_log_size) * sizeof(fr));
        ASSERT_OK(backend->synthesize(backend, prepared, 0, &job, &made, &bytes, &error));
        const compact_assignment *a = made;
        assert_int_equal(bytes, compact_assignment_bytes(shape));
        assert_true(a->bits_memory.bytes + a->elements_memory.bytes + a->inputs_memory.bytes <= bytes + 3 * 4096);
        backend->destroy_assignment(backend, made);
        backend->destroy_prepared(backend, prepared);
        backend->destroy(backend);
    }
    release(&s);
    free_job_request(&r);
}

/* The circuit's shape stays in memory and in the budget, once however many jobs there are; all else is given back. */
static void shapes_count_in_the_budget(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    synthesized s;
    synthesize(&s);
    cuzk_engine *engine = real_engine(fixture_options());
    assert_int_equal(used_by(engine, CUZK_MEMORY_BUFFERS), 0);
    for (int i = 0; i < 2; i++) {
        r.request.partition_index = 0;
        r.request.request_id.length = 1 + (size_t)i;
        expect_proof(engine, &r.request);
        /* A job's memory goes shortly after its waiters are told. */
        uint64_t kept = circuit_shapes_bytes(s.shapes);
        while (used_by(engine, CUZK_MEMORY_ASSIGNMENTS) > 0 || used_by(engine, CUZK_MEMORY_BUFFERS) > kept)
            usleep(1000);
        assert_int_equal(used_by(engine, CUZK_MEMORY_BUFFERS), kept);
    }
    cuzk_engine_stop(engine);
    release(&s);
    free_job_request(&r);
}

/* ---- Parameters ---------------------------------------------------------------------------------------------------- */

static uint64_t locked_bytes(void) {
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    assert_non_null(status);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmLck: %llu kB", &kibibytes) == 1)
            break;
    fclose(status);
    return kibibytes * 1024;
}

/* Without it the first job opens the parameters, which is told apart from proving; after it no job does, and small files are
 * locked in memory, so that large ones that stream past do not push them out. */
static void preloaded_parameters_stay(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = real_engine(fixture_options());
    expect_proof(engine, &r.request);
    assert_int_equal(spans_of(engine, CUZK_STAGE_SRS_LOAD), 1);
    cuzk_engine_stop(engine);
    engine = real_engine(fixture_options());
    cuzk_error error = {0};
    uint64_t before = locked_bytes();
    ASSERT_OK(cuzk_engine_preload(engine, "wpost-2k", NULL, NULL, NULL, NULL, &error));
    size_t file_bytes;
    free(read_test_file(parameters_path, &file_bytes));
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
    if (limit.rlim_cur >= before + file_bytes)
        assert_true(locked_bytes() >= before + file_bytes);
    expect_proof(engine, &r.request);
    assert_int_equal(spans_of(engine, CUZK_STAGE_SRS_LOAD), 0);
    if (limit.rlim_cur >= before + file_bytes)
        assert_true(locked_bytes() >= before + file_bytes); /* the proof gives no page of it back */
    cuzk_engine_stop(engine);
    assert_int_equal(locked_bytes(), before);
    free_job_request(&r);
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static void expect_prepared(proving_backend *backend, const cuzk_request *request, const char *refusal) {
    void *prepared;
    request_description description;
    cuzk_error error = {0};
    cuzk_status status = backend->prepare(backend, request, &prepared, &description, &error);
    if (status == CUZK_OK)
        backend->destroy_prepared(backend, prepared);
    if (refusal ? status != CUZK_BAD_INPUT || !strstr(error.message, refusal) : status != CUZK_OK)
        fail_msg("found %s: %s; expected %s", cuzk_status_name(status), error.message, refusal ? refusal : "acceptance");
}

/* Protobuf does not tell 0 from nothing: a miner 0 is not looked at, nor a sector 0 unless a miner comes with it. */
static void ids_count_where_they_are_given(void **state) {
    (void)state;
    cuzk_engine_options options = fixture_options();
    options.parameter_directory = scratch_path(".");
    proving_backend *backend;
    size_t length;
    cuzk_error error = {0};
    ASSERT_OK(groth16_backend_create(&backend, &options, &error));
    uint8_t *c1 = read_test_file(data_path("jobs/porep-StackedDrg2KiBV1_1/c1.json"), &length);
    const cuzk_request base = {.proof_kind = CUZK_POREP_SEAL_COMMIT, .registered_proof = 5, .vanilla_proof = {c1, length}};
    static const struct {
        uint64_t sector, miner;
        const char *refusal;
    } cases[] = {{0, 0, NULL},
                 {16, 1001, NULL},
                 {16, 0, NULL},
                 {16, 1002, "miner_id: found 1002"},
                 {0, 1001, "found 0"},
                 {17, 1001, "found 17"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cuzk_request request = base;
        request.sector_number = cases[i].sector;
        request.miner_id = cases[i].miner;
        expect_prepared(backend, &request, cases[i].refusal);
        request.sector_size = 2048;
        expect_prepared(backend, &request, cases[i].refusal);
    }
    free(c1);
    backend->destroy(backend);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_and_a_single_thread),
        cmocka_unit_test(batches_are_one_pass), cmocka_unit_test(classic_finds_what_differs),
        cmocka_unit_test(classic_stops_when_cancelled),       cmocka_unit_test(sizes_are_those_of_the_shape),
        cmocka_unit_test(shapes_count_in_the_budget),         cmocka_unit_test(preloaded_parameters_stay),
        cmocka_unit_test(ids_count_where_they_are_given),
    };
    return cmocka_run_group_tests(tests, make_parameters, scratch_remove);
}
