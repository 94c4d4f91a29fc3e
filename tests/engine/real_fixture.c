#include "engine/real_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "filecoin/job.h"
#include "groth16/setup.h"
#include "groth16/verifier.h"
#include "support/scratch.h"

/* ---- The request of a job directory -------------------------------------------------------------------------------- */

/* The strings of vanilla.json, decoded. */
static void read_vanilla(job_request *r, const char *path) {
    char *text = (char *)read_test_file(path, NULL);
    for (char *at = strchr(text, '"'), *end; at; at = strchr(end + 1, '"')) {
        end = strchr(at + 1, '"');
        size_t count, bad, length = (size_t)(end - at - 1);
        uint8_t *bytes = malloc(base64_capacity(length));
        assert_non_null(bytes);
        assert_true(base64_decode(bytes, &count, at + 1, length, &bad));
        r->proofs[r->request.vanilla_proof_count++] = (cuzk_bytes){bytes, count};
    }
    free(text);
}

void load_window_job(job_request *r) {
    *r = (job_request){.request = {.proof_kind = CUZK_WINDOW_POST_PARTITION, .registered_proof = 10, .miner_id = 1002}};
    read_vanilla(r, data_path("jobs/window-post-v1_2/vanilla.json"));
    char *json = (char *)read_test_file(data_path("jobs/window-post-v1_2/job.json"), NULL), digits[65] = "";
    memcpy(digits, strstr(json, "\"randomness\": \"") + strlen("\"randomness\": \""), 64);
    assert_true(hex_decode(r->randomness, 32, digits));
    free(json);
    r->request.vanilla_proofs = r->proofs;
    r->request.randomness = (cuzk_bytes){r->randomness, 32};
    r->request.request_id = (cuzk_bytes){(const uint8_t *)"wdpost-1002-0-[21 22]", 21};
}

void free_job_request(job_request *r) {
    for (size_t i = 0; i < r->request.vanilla_proof_count; i++)
        free((void *)(uintptr_t)r->proofs[i].data);
}

/* ---- The parameters ------------------------------------------------------------------------------------------------ */

char parameters_path[600], key_path[600];

int make_parameters(void **state) {
    if (scratch_create(state) != 0)
        return -1;
    char id[CACHE_ID_CAPACITY];
    const sector_shape *shape = sector_shape_parse("2KiB");
    circuit_cache_id(id, PROOF_WINDOW, shape);
    snprintf(parameters_path, sizeof parameters_path, "%s/v%d-%s.params", scratch_path("."), PARAMETER_VERSION, id);
    snprintf(key_path, sizeof key_path, "%s/v%d-%s.vk", scratch_path("."), PARAMETER_VERSION, id);
    filecoin_circuit c = filecoin_circuit_blank(PROOF_WINDOW, shape);
    toxic_waste waste;
    toxic_waste_from_seed(&waste, (const uint8_t[32]){1});
    setup_description description = {.version = "test", .circuit = "window", .sector_size = 2048, .seeded = true};
    cuzk_error error = {0};
    thread_pool *pool = thread_pool_create(0);
    cuzk_status status = groth16_setup(&c.circuit, &waste, parameters_path, key_path, &description, pool, NULL, &error);
    thread_pool_destroy(pool);
    return status == CUZK_OK ? 0 : -1;
}

cuzk_engine *real_engine(cuzk_engine_options options) {
    cuzk_engine *engine;
    cuzk_error error = {0};
    options.parameter_directory = scratch_path(".");
    options.parameter_directory_origin = "srs.param_cache";
    ASSERT_OK(cuzk_engine_start(&engine, &options, &error));
    return engine;
}

cuzk_job_result real_prove(cuzk_engine *engine, const cuzk_request *request) {
    cuzk_submission submission;
    cuzk_job_result result;
    cuzk_error error = {0};
    ASSERT_OK(cuzk_engine_submit(engine, request, 0, &submission, &error));
    ASSERT_OK(cuzk_engine_await(engine, submission.job_id, 600000, NULL, NULL, &result, &error));
    return result;
}

/* The verifier here takes key and public inputs from elsewhere than the engine. */
void expect_valid_window_proof(const uint8_t *proof) {
    proof_job job;
    verifying_key vk;
    verification verdict;
    cuzk_error error = {0};
    ASSERT_OK(job_load(&job, data_path("jobs/window-post-v1_2/job.json"), &error));
    ASSERT_OK(verifying_key_read(&vk, key_path, NULL, &error));
    unsigned count = job_public_input_count(&job);
    fr *inputs = malloc(count * sizeof *inputs);
    assert_non_null(inputs);
    job_public_inputs(inputs, &job, 0);
    ASSERT_OK(groth16_verify(&verdict, &vk, proof, inputs, count, NULL, &error));
    assert_true(verdict.valid);
    free(inputs);
    verifying_key_free(&vk);
    job_free(&job);
}

void expect_window_proof(cuzk_engine *engine, const cuzk_request *request) {
    cuzk_job_result result = real_prove(engine, request);
    if (result.state != CUZK_JOB_COMPLETED)
        fail_msg("%s", result.failure.message);
    expect_valid_window_proof(result.proof);
    cuzk_job_result_free(&result);
}
