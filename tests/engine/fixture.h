/* What the engine's test programs share: an engine over the fake backend, and short ways to use it. */
#ifndef TESTS_ENGINE_FIXTURE_H
#define TESTS_ENGINE_FIXTURE_H

#include "support/support.h"

#include "cuzk/engine.h"
#include "support/fake_backend.h"

typedef struct {
    cuzk_engine *engine;
    fake_backend *fake; /* the engine's */
} fixture;

typedef struct {
    char text[CUZK_JOB_ID_CAPACITY];
} job_name;

/* Defaults with a budget of 1 GiB and no journal. */
cuzk_engine_options fixture_options(void);

fixture fixture_start(const cuzk_engine_options *options);
fixture fixture_start_devices(const cuzk_engine_options *options, size_t devices);
void fixture_stop(fixture *f);

/* Submits and asserts that it was accepted. priority may be CUZK_PRIORITY_UNSPECIFIED. */
job_name submit_with_priority(fixture *f, cuzk_proof_kind kind, const char *id, const char *script, cuzk_priority priority);
job_name submit(fixture *f, cuzk_proof_kind kind, const char *id, const char *script);
/* Submits and returns what came of it. */
cuzk_status try_submit(fixture *f, cuzk_proof_kind kind, const char *id, const char *script, cuzk_error *error);

/* Waits (a minute at most) and returns the result, which is completed with proofs of that request, all partitions; frees it. */
void expect_completed(fixture *f, job_name job, cuzk_proof_kind kind, const char *id, const char *script);
/* Waits until it failed with that status; its message must contain the text. */
void expect_failed(fixture *f, job_name job, cuzk_status status, const char *text);
cuzk_job_result await_job(fixture *f, job_name job);

/* The job ids, in order of their start, of all stretches of a stage; *count of them. Free it. */
job_name *order_of_stage(fixture *f, cuzk_stage stage, size_t *count);

/* Asserts that nothing of the budget is used by anything but parameters. */
void expect_budget_free(fixture *f);

/* Number in an environment variable, for longer runs; otherwise `usually`. */
unsigned soak_number(const char *variable, unsigned usually);

/* Sanitizers keep memory of their own: what is resident says nothing then. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define RESIDENT_MEMORY_MEANS_SOMETHING 0
#else
#define RESIDENT_MEMORY_MEANS_SOMETHING 1
#endif

/* Removes a directory with all that is in it, if it is there. */
void remove_tree(const char *path);

#endif
