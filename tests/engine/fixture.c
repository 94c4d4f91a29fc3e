#include "engine/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "support/scratch.h"

cuzk_engine_options fixture_options(void) {
    cuzk_engine_options options;
    cuzk_engine_options_init(&options);
    options.total_budget = UINT64_C(1) << 30;
    if (!getenv("CUZK_LOG"))
        log_set_level(LOG_ERROR + 1);
    return options;
}

fixture fixture_start_devices(const cuzk_engine_options *options, size_t devices) {
    fixture f = {.fake = fake_backend_create(devices)};
    cuzk_error error = {0};
    ASSERT_OK(engine_start_with_backend(&f.engine, options, &f.fake->base, &error));
    return f;
}

fixture fixture_start(const cuzk_engine_options *options) { return fixture_start_devices(options, 1); }

void fixture_stop(fixture *f) {
    bool destroyed = false;
    f->fake->destroyed = &destroyed;
    cuzk_engine_stop(f->engine);
    assert_true(destroyed);
}

static cuzk_status submit_request(fixture *f, cuzk_proof_kind kind, const char *id, const char *script, cuzk_priority priority,
                                  cuzk_submission *submission, cuzk_error *error) {
    cuzk_bytes storage;
    cuzk_request request = fake_request(kind, id, script, &storage);
    request.priority = priority;
    return cuzk_engine_submit(f->engine, &request, 0, submission, error);
}

job_name submit_with_priority(fixture *f, cuzk_proof_kind kind, const char *id, const char *script, cuzk_priority priority) {
    cuzk_submission submission;
    cuzk_error error = {0};
    job_name name;
    ASSERT_OK(submit_request(f, kind, id, script, priority, &submission, &error));
    memcpy(name.text, submission.job_id, sizeof name.text);
    return name;
}

job_name submit(fixture *f, cuzk_proof_kind kind, const char *id, const char *script) {
    return submit_with_priority(f, kind, id, script, CUZK_PRIORITY_UNSPECIFIED);
}

cuzk_status try_submit(fixture *f, cuzk_proof_kind kind, const char *id, const char *script, cuzk_error *error) {
    cuzk_submission submission;
    return submit_request(f, kind, id, script, CUZK_PRIORITY_UNSPECIFIED, &submission, error);
}

cuzk_job_result await_job(fixture *f, job_name job) {
    cuzk_job_result result;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_await(f->engine, job.text, 60000, NULL, NULL, &result, &error));
    return result;
}

void expect_completed(fixture *f, job_name job, cuzk_proof_kind kind, const char *id, const char *script) {
    cuzk_bytes storage;
    cuzk_request request = fake_request(kind, id, script, &storage);
    cuzk_job_result result = await_job(f, job);
    if (result.state != CUZK_JOB_COMPLETED)
        fail_msg("job %s %s: %s", job.text, cuzk_job_state_name(result.state), result.failure.message);
    assert_string_equal(result.job_id, job.text);
    assert_int_equal(result.kind, kind);
    assert_true(result.proof_length > 0 && result.proof_length % PARTITION_PROOF_BYTES == 0);
    for (unsigned i = 0; i < result.proof_length / PARTITION_PROOF_BYTES; i++)
        assert_true(fake_proof_is_of(result.proof + (size_t)i * PARTITION_PROOF_BYTES, &request, i));
    cuzk_job_result_free(&result);
}

void expect_failed(fixture *f, job_name job, cuzk_status status, const char *text) {
    cuzk_job_result result = await_job(f, job);
    assert_int_equal(result.state, CUZK_JOB_FAILED);
    assert_null(result.proof);
    if (result.failure.status != status || !strstr(result.failure.message, text))
        fail_msg("found %s: %s; expected %s: ...%s...", cuzk_status_name(result.failure.status), result.failure.message,
                 cuzk_status_name(status), text);
}

job_name *order_of_stage(fixture *f, cuzk_stage stage, size_t *count) {
    size_t spans;
    cuzk_span *timeline = cuzk_engine_timeline(f->engine, 0, &spans);
    job_name *names = calloc(spans + 1, sizeof *names);
    assert_non_null(names);
    *count = 0;
    for (size_t i = 0; i < spans; i++)
        if (timeline[i].stage == stage)
            memcpy(names[(*count)++].text, timeline[i].job_id, sizeof names->text);
    free(timeline);
    return names;
}

void expect_budget_free(fixture *f) {
    uint64_t left = 1;
    for (int tries = 0; left != 0; tries++) { /* a job's memory goes shortly after its waiters are told */
        cuzk_engine_status status;
        cuzk_engine_status_get(f->engine, &status);
        left = status.memory.used_bytes - status.memory.used_by_owner[CUZK_MEMORY_PARAMETERS];
        cuzk_engine_status_free(&status);
        if (tries == 10000)
            fail_msg("%llu bytes of the budget are not given back", (unsigned long long)left);
        usleep(1000);
    }
}

unsigned soak_number(const char *variable, unsigned usually) {
    const char *value = getenv(variable);
    return value ? (unsigned)strtoul(value, NULL, 10) : usually;
}

void remove_tree(const char *path) {
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}
