/* The engine with real proofs: WindowPoSt of 2 KiB sectors with development parameters made here. */
#include "engine/real_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/groth16_backend.h"
#include "engine/mapping_guard.h"
#include "support/scratch.h"

/* ---- The parameter file -------------------------------------------------------------------------------------------- */

static char *copy_of_parameters(const char *name) {
    char command[1500];
    snprintf(command, sizeof command, "cp '%s' '%s'", parameters_path, scratch_path(name));
    assert_int_equal(system(command), 0);
    return strdup(scratch_path(name));
}

static void put_back(char *copy) {
    assert_int_equal(rename(copy, parameters_path), 0);
    free(copy);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

static void circuits_have_their_names(void **state) {
    (void)state;
    cuzk_engine *engine = real_engine(fixture_options());
    static const char *const expected[] = {"porep-2k", "porep-4k", "porep-16k", "porep-512m", "porep-32g", "porep-64g", "snap-32g",
                                           "snap-8m", "wpost-2k", "wpost-64g", "winning-512m", "winning-32k"};
    size_t count, provable = 0;
    cuzk_circuit *circuits = cuzk_engine_circuits(engine, &count);
    assert_int_equal(count, 40);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++)
            found |= strcmp(circuits[k].circuit_id, expected[i]) == 0;
        assert_true(found);
    }
    for (size_t k = 0; k < count; k++) {
        provable += circuits[k].provable;
        if (circuits[k].provable) {
            assert_string_equal(circuits[k].circuit_id, "wpost-2k");
            assert_int_equal(circuits[k].kind, CUZK_WINDOW_POST_PARTITION);
            assert_true(circuits[k].development);
        } else {
            assert_non_null(strstr(circuits[k].reason, "directory from srs.param_cache"));
            assert_non_null(strstr(circuits[k].reason, ".params: cannot open: No such file"));
        }
    }
    assert_int_equal(provable, 1);
    free(circuits);
    cuzk_engine_stop(engine);
}

static void proves_a_window_post(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine_options options = fixture_options();
    options.state_directory = scratch_path("state");
    cuzk_engine *engine = real_engine(options);
    bool already;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_preload(engine, "wpost-2k", NULL, NULL, &already, NULL, &error));
    assert_false(already);
    cuzk_job_result result = real_prove(engine, &r.request);
    if (result.state != CUZK_JOB_COMPLETED)
        fail_msg("%s", result.failure.message);
    assert_int_equal(result.proof_length, 192);
    assert_string_equal(result.circuit_id, "wpost-2k");
    assert_true(result.development_parameters);
    expect_valid_window_proof(result.proof);
    /* The sector size as a client that leaves it out, and as one that gives it. */
    r.request.sector_size = 2048;
    cuzk_job_result other = real_prove(engine, &r.request);
    assert_int_equal(other.state, CUZK_JOB_COMPLETED);
    expect_valid_window_proof(other.proof);
    cuzk_job_result_free(&other);
    cuzk_engine_stop(engine);
    engine = real_engine(options);
    r.request.sector_size = 0;
    cuzk_job_result again = real_prove(engine, &r.request);
    assert_memory_equal(again.proof, result.proof, 192);
    cuzk_job_result_free(&again);
    cuzk_job_result_free(&result);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

static void refuse(cuzk_engine *engine, const cuzk_request *request, cuzk_status status, const char *text) {
    cuzk_submission submission;
    cuzk_error error = {0};
    cuzk_status found = cuzk_engine_submit(engine, request, 0, &submission, &error);
    if (found != status || !strstr(error.message, text))
        fail_msg("found %s: %s; expected %s: ...%s...", cuzk_status_name(found), error.message, cuzk_status_name(status), text);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = real_engine(fixture_options());
    cuzk_request bad = r.request;
    bad.sector_size = 8388608;
    refuse(engine, &bad, CUZK_BAD_INPUT, "sector_size: found 8388608, expected 2048");
    bad = r.request;
    bad.registered_proof = 3;
    refuse(engine, &bad, CUZK_BAD_INPUT, "registered_proof: found 3");
    bad = r.request;
    bad.registered_proof = UINT64_MAX;
    refuse(engine, &bad, CUZK_BAD_INPUT, "registered_proof: found 18446744073709551615");
    bad = r.request;
    bad.randomness.length = 0;
    refuse(engine, &bad, CUZK_BAD_INPUT, "randomness: found nothing");
    bad = r.request;
    bad.vanilla_proof_count = 0;
    refuse(engine, &bad, CUZK_BAD_INPUT, "vanilla_proofs: found 0 proofs");
    bad = r.request;
    bad.proof_kind = CUZK_POREP_SEAL_COMMIT;
    bad.registered_proof = 0;
    refuse(engine, &bad, CUZK_BAD_INPUT, "vanilla_proof");
    bad = r.request;
    bad.proof_kind = CUZK_WINNING_POST;
    bad.registered_proof = 0;
    refuse(engine, &bad, CUZK_BAD_INPUT, "vanilla_proofs");
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* Sizes that the budget counts with are those of the real assignment. */
static void sizes_are_foreseen(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine_options options = fixture_options();
    options.parameter_directory = scratch_path(".");
    proving_backend *backend;
    request_description description;
    void *prepared, *assignment;
    uint64_t bytes;
    progress job;
    cuzk_error error = {0};
    progress_init(&job, NULL);
    ASSERT_OK(groth16_backend_create(&backend, &options, &error));
    ASSERT_OK(backend->prepare(backend, &r.request, &prepared, &description, &error));
    ASSERT_OK(backend->synthesize(backend, prepared, 0, &job, &assignment, &bytes, &error));
    assert_true(bytes <= description.assignment_bytes + 65536);
    assert_true(bytes >= description.assignment_bytes / 2);
    progress_cancel(&job);
    void *second;
    assert_int_equal(backend->synthesize(backend, prepared, 0, &job, &second, &bytes, &error), CUZK_CANCELLED);
    backend->destroy_assignment(backend, assignment);
    backend->destroy_prepared(backend, prepared);
    backend->destroy(backend);
    free_job_request(&r);
}

/* A wrong hash in a path: the broken constraint is named. */
static void unsatisfied_witness_fails_by_name(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = real_engine(fixture_options());
    uint8_t *bytes = (uint8_t *)(uintptr_t)r.proofs[0].data;
    bytes[r.proofs[0].length / 2] ^= 1;
    cuzk_submission submission;
    cuzk_error error = {0};
    cuzk_status status = cuzk_engine_submit(engine, &r.request, 0, &submission, &error);
    if (status == CUZK_OK) { /* the byte was one of a hash */
        cuzk_job_result result;
        ASSERT_OK(cuzk_engine_await(engine, submission.job_id, 60000, NULL, NULL, &result, &error));
        assert_int_equal(result.state, CUZK_JOB_FAILED);
        assert_int_equal(result.failure.status, CUZK_UNSATISFIED);
        assert_non_null(strstr(result.failure.message, "synthesis, attempt 2"));
    } else {
        assert_int_equal(status, CUZK_BAD_INPUT);
    }
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

static void missing_file_is_named_and_cured(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = real_engine(fixture_options());
    char *copy = copy_of_parameters("hidden");
    unlink(parameters_path);
    refuse(engine, &r.request, CUZK_FAILED_PRECONDITION, "no parameters for wpost-2k (directory from srs.param_cache)");
    assert_int_equal(truncate(copy, 1000), 0);
    assert_int_equal(rename(copy, parameters_path), 0);
    free(copy);
    refuse(engine, &r.request, CUZK_FAILED_PRECONDITION, parameters_path);
    cuzk_engine_stop(engine);
    unlink(parameters_path);
    scratch_remove(NULL);
    assert_int_equal(make_parameters(NULL), 0);
    engine = real_engine(fixture_options());
    cuzk_job_result result = real_prove(engine, &r.request);
    assert_int_equal(result.state, CUZK_JOB_COMPLETED);
    cuzk_job_result_free(&result);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* Removed while mapped: what is open goes on. */
static void removed_file_goes_on_while_mapped(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = real_engine(fixture_options());
    cuzk_submission submission;
    cuzk_job_result result;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_preload(engine, "wpost-2k", NULL, NULL, NULL, NULL, &error));
    ASSERT_OK(cuzk_engine_submit(engine, &r.request, 0, &submission, &error));
    char *copy = copy_of_parameters("removed");
    ASSERT_OK(cuzk_engine_result(engine, submission.job_id, &result, &error));
    cuzk_job_result_free(&result);
    unlink(parameters_path);
    ASSERT_OK(cuzk_engine_await(engine, submission.job_id, 60000, NULL, NULL, &result, &error));
    /* Proved with the old file, or refused because it was looked at before it was taken into use: never something else. */
    if (result.state == CUZK_JOB_COMPLETED)
        expect_valid_window_proof(result.proof);
    else
        assert_int_equal(result.failure.status, CUZK_FAILED_PRECONDITION);
    cuzk_job_result_free(&result);
    put_back(copy);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* Truncated while it is read: no signal ends the process, no proof comes of it, and the file is seen to have changed. */
static void truncated_while_mapped(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine_options options = fixture_options();
    options.parameter_directory = scratch_path(".");
    proving_backend *backend;
    request_description description;
    parameters_info info;
    void *prepared, *opened;
    uint64_t bytes;
    progress job;
    cuzk_error error = {0};
    progress_init(&job, NULL);
    char *copy = copy_of_parameters("whole");
    ASSERT_OK(groth16_backend_create(&backend, &options, &error));
    ASSERT_OK(backend->prepare(backend, &r.request, &prepared, &description, &error));
    ASSERT_OK(backend->open_parameters(backend, description.circuit, &opened, &info, &error));
    assert_true(backend->parameters_current(backend, opened));
    proving_item item = {.job = &job};
    ASSERT_OK(backend->synthesize(backend, prepared, 0, &job, &item.assignment, &bytes, &error));
    assert_int_equal(truncate(parameters_path, (off_t)info.file_bytes / 3), 0);
    backend->prove(backend, &item, 1, opened, 0);
    if (item.status == CUZK_OK)
        item.status = backend->verify(backend, prepared, 0, item.proof, opened, &error);
    assert_int_not_equal(item.status, CUZK_OK);
    assert_false(backend->parameters_current(backend, opened));
    backend->close_parameters(backend, opened);
    assert_int_equal(backend->open_parameters(backend, description.circuit, &opened, &info, &error), CUZK_BAD_INPUT);
    backend->destroy_prepared(backend, prepared);
    backend->destroy(backend);
    put_back(copy);
    free_job_request(&r);
}

/* One changed byte of a point, whatever comes of it, never comes out as a proof; the sound file then does. */
static void changed_points_never_come_out(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    char *copy = copy_of_parameters("sound");
    int file = open(parameters_path, O_RDWR);
    uint8_t byte;
    off_t at = lseek(file, 0, SEEK_END) / 2;
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
    cuzk_engine *engine = real_engine(fixture_options());
    cuzk_job_result result = real_prove(engine, &r.request);
    assert_int_equal(result.state, CUZK_JOB_FAILED);
    assert_non_null(strstr(result.failure.message, "attempt 2"));
    put_back(copy);
    result = real_prove(engine, &r.request);
    if (result.state != CUZK_JOB_COMPLETED)
        fail_msg("%s", result.failure.message);
    expect_valid_window_proof(result.proof);
    cuzk_job_result_free(&result);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

static void guard_reads_zeros_past_the_end(void **state) {
    (void)state;
    enum { PAGES = 4, PAGE = 4096 };
    const char *path = scratch_path("guarded");
    uint8_t bytes[PAGES * PAGE];
    memset(bytes, 7, sizeof bytes);
    scratch_write(path, bytes, sizeof bytes);
    int file = open(path, O_RDONLY);
    const volatile uint8_t *data = mmap(NULL, sizeof bytes, PROT_READ, MAP_SHARED, file, 0);
    assert_true(data != MAP_FAILED);
    close(file);
    mapping_guard *guard = mapping_guard_create((const void *)(uintptr_t)data, sizeof bytes);
    assert_int_equal(data[3 * PAGE], 7);
    assert_false(mapping_guard_damaged(guard));
    assert_int_equal(truncate(path, PAGE), 0);
    assert_int_equal(data[0], 7);
    assert_false(mapping_guard_damaged(guard));
    assert_int_equal(data[3 * PAGE + 5], 0);
    assert_int_equal(data[PAGE], 0);
    assert_true(mapping_guard_damaged(guard));
    mapping_guard_release(guard);
    munmap((void *)(uintptr_t)data, sizeof bytes);
    mapping_guard *guards[300];
    for (int i = 0; i < 300; i++)
        guards[i] = mapping_guard_create(bytes, 16);
    assert_non_null(guards[255]);
    assert_null(guards[256]);
    assert_false(mapping_guard_damaged(NULL));
    for (int i = 0; i < 300; i++)
        mapping_guard_release(guards[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_have_their_names),
        cmocka_unit_test(proves_a_window_post),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(sizes_are_foreseen),
        cmocka_unit_test(unsatisfied_witness_fails_by_name),
        cmocka_unit_test(missing_file_is_named_and_cured),
        cmocka_unit_test(removed_file_goes_on_while_mapped),
        cmocka_unit_test(truncated_while_mapped),
        cmocka_unit_test(changed_points_never_come_out),
        cmocka_unit_test(guard_reads_zeros_past_the_end),
    };
    return cmocka_run_group_tests(tests, make_parameters, scratch_remove);
}
