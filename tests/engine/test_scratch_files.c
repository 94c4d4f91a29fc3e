/* Partitions whose vectors do not fit the budget are proved by way of files, where options name a place for them. */
#include "engine/real_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "filecoin/circuits.h"
#include "groth16/proving_memory.h"
#include "support/scratch.h"

/* What one partition of wpost-2k takes with everything in memory. */
static uint64_t bytes_in_memory(void) {
    const sector_shape *sector = NULL;
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++)
        if (SECTOR_SHAPES[i].bytes == 2048)
            sector = &SECTOR_SHAPES[i];
    assert_non_null(sector);
    filecoin_circuit blank = filecoin_circuit_blank(PROOF_WINDOW, sector);
    circuit_shape shape;
    circuit_shape_create(&shape, &blank.circuit);
    proving_memory memory = proving_memory_of(&shape, 2);
    circuit_shape_free(&shape);
    return proving_memory_total(&memory);
}

static cuzk_job_result prove_within(uint64_t budget, const char *scratch_directory, const cuzk_request *request) {
    cuzk_engine_options options = fixture_options();
    options.total_budget = budget;
    options.prover_threads = 2;
    options.scratch_directory = scratch_directory;
    options.scratch_memory = UINT64_C(3) << 20;
    cuzk_engine *engine = real_engine(options);
    cuzk_job_result result = real_prove(engine, request);
    cuzk_engine_stop(engine);
    return result;
}

static void assert_proved(cuzk_job_result *result) {
    if (result->state != CUZK_JOB_COMPLETED)
        fail_msg("%s", result->failure.message);
    expect_valid_window_proof(result->proof);
    cuzk_job_result_free(result);
}

static void files_are_used_where_memory_is_short(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    char folder[600];
    snprintf(folder, sizeof folder, "%s", scratch_path("vectors"));
    assert_int_equal(mkdir(folder, 0700), 0);
    uint64_t needed = bytes_in_memory();
    uint64_t scarce = needed + needed / 10, ample = 2 * needed; /* seven eighths of the first are less than is needed */

    cuzk_job_result result = prove_within(scarce, folder, &r.request);
    assert_proved(&result);
    result = prove_within(scarce, "/nonexistent", &r.request);
    assert_int_equal(result.state, CUZK_JOB_FAILED);
    assert_non_null(strstr(result.failure.message, "/nonexistent: cannot make a scratch file there"));
    cuzk_job_result_free(&result);

    /* In memory, as it fits, or as there is no place for files. */
    result = prove_within(ample, "/nonexistent", &r.request);
    assert_proved(&result);
    result = prove_within(scarce, NULL, &r.request);
    assert_proved(&result);
    free_job_request(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_used_where_memory_is_short)};
    return cmocka_run_group_tests(tests, make_parameters, scratch_remove);
}
