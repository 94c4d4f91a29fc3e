/* The engine over its real backend: a 2 KiB WindowPoSt, development parameters for it, and short ways to use both. */
#ifndef TESTS_ENGINE_REAL_FIXTURE_H
#define TESTS_ENGINE_REAL_FIXTURE_H

#include "engine/fixture.h"

enum { PROOFS_MAXIMUM = 8 };

typedef struct {
    cuzk_request request;
    cuzk_bytes proofs[PROOFS_MAXIMUM];
    uint8_t randomness[32];
} job_request;

/* tests/data/jobs/window-post-v1_2, without a sector size and with an id as Curio makes them. Free with free_job_request. */
void load_window_job(job_request *r);
void free_job_request(job_request *r);

/* A group set-up: a scratch directory with the parameters of wpost-2k. */
int make_parameters(void **state);
extern char parameters_path[600], key_path[600];

/* An engine whose parameter directory is the scratch directory. */
cuzk_engine *real_engine(cuzk_engine_options options);
/* Submits and waits. */
cuzk_job_result real_prove(cuzk_engine *engine, const cuzk_request *request);
/* Asserts that 192 bytes are a proof of that job, by key and public inputs from elsewhere than the engine. */
void expect_valid_window_proof(const uint8_t *proof);
/* Submits that job and asserts that it completes with a valid proof. */
void expect_window_proof(cuzk_engine *engine, const cuzk_request *request);

#endif
