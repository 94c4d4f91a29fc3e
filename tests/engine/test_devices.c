/* Which device proves what, and what becomes of a partition whose device does wrong: over a driver that proves on the CPU and
 * fails as it is told. */
#include "engine/real_fixture.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device_set.h"
#include "support/scratch.h"

/* ---- The driver ---------------------------------------------------------------------------------------------------- */

enum { DEVICES = 3, KEPT_ON_HOST = 1 << 20 };

struct proving_device {
    char name[16];
    atomic_bool open, broken;
    atomic_uint proofs;                            /* begun */
    atomic_uint fail, no_memory, flip, break_down; /* how many of the next do what */
};

static proving_device devices[DEVICES];
static unsigned present = DEVICES;
static bool refuses_to_open[DEVICES], sums_on_host;

static unsigned scripted_count(void) { return present; }

static cuzk_status scripted_open(proving_device **opened, unsigned ordinal, const device_options *options, cuzk_error *error) {
    assert_non_null(options);
    sums_on_host = options->b_g2_on_host;
    assert_true(ordinal < present);
    proving_device *d = &devices[ordinal];
    assert_false(d->open);
    if (refuses_to_open[ordinal])
        return failure(error, CUZK_UNAVAILABLE, "scripted %u: it is broken", ordinal);
    snprintf(d->name, sizeof d->name, "scripted %u", ordinal);
    d->open = true;
    *opened = d;
    return CUZK_OK;
}

static void scripted_close(proving_device *d) {
    assert_true(d->open);
    d->open = false;
}

static const char *scripted_name(const proving_device *d) { return d->name; }
static uint64_t scripted_total(const proving_device *d) { return 1000 * (uint64_t)(d - devices + 1); }
static uint64_t scripted_free(const proving_device *d) { return 500 * (uint64_t)(d - devices + 1); }
static bool scripted_works(const proving_device *d) { return !d->broken; }
static uint64_t scripted_host_bytes(const circuit_shape *shape, size_t workers) { return shape->aux * workers; }

static uint64_t scripted_kept_host_bytes(const circuit_shape *shape) {
    (void)shape;
    return KEPT_ON_HOST;
}

static bool take(atomic_uint *left) {
    unsigned count = *left;
    while (count > 0 && !atomic_compare_exchange_weak(left, &count, count - 1)) {
    }
    return count > 0;
}

static cuzk_status scripted_prove(uint8_t proof[PROOF_BYTES], proving_device *d, compact_assignment *witness, const parameters *p,
                                  const prove_options *options, thread_pool *pool, progress *job, cuzk_error *error) {
    assert_true(d->open);
    atomic_fetch_add(&d->proofs, 1);
    cuzk_status status = CUZK_OK;
    bool was_broken = d->broken;
    if (!was_broken && take(&d->break_down))
        d->broken = true;
    if (was_broken)
        status = failure(error, CUZK_UNAVAILABLE, "%s has failed before", d->name);
    else if (d->broken)
        status = failure(error, CUZK_UNAVAILABLE, "%s: it broke down", d->name);
    else if (take(&d->fail))
        status = failure(error, CUZK_UNAVAILABLE, "%s: its proof does not verify", d->name);
    else if (take(&d->no_memory))
        status = failure(error, CUZK_NO_MEMORY, "%s: 8 bytes for rows: 0 are free", d->name);
    if (status != CUZK_OK) {
        compact_assignment_free(witness);
        return status;
    }
    TRY(groth16_prove_assignment(proof, witness, p, options, pool, job, NULL, error));
    if (take(&d->flip))
        proof[17] ^= 4;
    return CUZK_OK;
}

static const cuzk_device_driver DRIVER = {.kind = "scripted",
                                          .count = scripted_count,
                                          .open = scripted_open,
                                          .close = scripted_close,
                                          .name = scripted_name,
                                          .memory_total = scripted_total,
                                          .memory_free = scripted_free,
                                          .works = scripted_works,
                                          .host_bytes = scripted_host_bytes,
                                          .kept_host_bytes = scripted_kept_host_bytes,
                                          .prove = scripted_prove};

static int reset_devices(void **state) {
    (void)state;
    memset(devices, 0, sizeof devices);
    memset(refuses_to_open, 0, sizeof refuses_to_open);
    present = DEVICES;
    return 0;
}

/* ---- Engines over it ----------------------------------------------------------------------------------------------- */

static cuzk_engine_options options_with(const unsigned *ordinals, size_t count) {
    cuzk_engine_options options = fixture_options();
    options.device_driver = &DRIVER;
    options.devices = ordinals;
    options.device_count = count;
    return options;
}

static cuzk_engine *engine_with(size_t count) {
    static const unsigned ordinals[] = {0, 1, 2};
    return real_engine(options_with(ordinals, count));
}

static void choose_number(job_request *r, size_t n) {
    static const char ids[] = "abcdefghijklmnop";
    r->request.request_id = (cuzk_bytes){(const uint8_t *)ids, n + 1};
}

/* Proves the job under the n-th of its ids. */
static cuzk_job_result prove_number(cuzk_engine *engine, job_request *r, size_t n) {
    choose_number(r, n);
    return real_prove(engine, &r->request);
}

static void expect_proof(cuzk_engine *engine, job_request *r, size_t n) {
    choose_number(r, n);
    expect_window_proof(engine, &r->request);
}

static uint64_t retries(cuzk_engine *engine) {
    cuzk_engine_metrics metrics;
    cuzk_engine_metrics_get(engine, &metrics);
    return metrics.partition_retries;
}

static void expect_refused(const cuzk_engine_options *options, cuzk_status status, const char *message) {
    cuzk_engine *engine;
    cuzk_error error = {0};
    assert_int_equal(cuzk_engine_start(&engine, options, &error), status);
    assert_string_equal(error.message, message);
    assert_null(engine);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

static void devices_are_chosen(void **state) {
    (void)state;
    cuzk_engine_status status;
    const unsigned chosen[] = {2, 0}, twice[] = {1, 1}, beyond[] = {3};
    cuzk_engine *engine = real_engine(options_with(chosen, 2));
    cuzk_engine_status_get(engine, &status);
    assert_int_equal(status.device_count, 3);
    assert_string_equal(status.devices[0].name, "scripted 2");
    assert_int_equal(status.devices[0].ordinal, 2);
    assert_int_equal(status.devices[0].memory_total, 3000);
    assert_int_equal(status.devices[0].memory_free, 1500);
    assert_string_equal(status.devices[2].name, "CPU");
    assert_int_equal(status.devices[2].ordinal, CPU_BESIDE_DEVICES);
    assert_int_equal(status.worker_count, 5);
    cuzk_engine_status_free(&status);
    assert_true(devices[0].open && !devices[1].open && devices[2].open);
    cuzk_engine_stop(engine);
    assert_false(devices[0].open || devices[2].open);

    cuzk_engine_options options = options_with(beyond, 1);
    expect_refused(&options, CUZK_BAD_INPUT, "gpus.devices: found 3, expected ordinals of the 3 scripted devices, 0 ... 2");
    options = options_with(twice, 2);
    expect_refused(&options, CUZK_BAD_INPUT, "gpus.devices: found 1 twice");
    refuses_to_open[0] = true;
    options = options_with(chosen, 2);
    expect_refused(&options, CUZK_UNAVAILABLE, "gpus.devices: device 0: scripted 0: it is broken");
    assert_false(devices[2].open);
    present = 0;
    expect_refused(
        &options, CUZK_BAD_INPUT,
        "gpus.devices: found 2, but no scripted device is there, or its driver is not loaded; leave the key out to prove on "
        "the CPU");
    options.device_driver = NULL;
    expect_refused(
        &options, CUZK_BAD_INPUT,
        "gpus.devices: found 2 and others, but this program was built without CUDA; build it with -DCUZK_CUDA=ON, or leave "
        "the key out to prove on the CPU");
}

/* None named: all that work; none there: the CPU, as one device with the ordinal 0. */
static void all_or_the_cpu(void **state) {
    (void)state;
    cuzk_engine_status status;
    refuses_to_open[1] = true;
    cuzk_engine *engine = real_engine(options_with(NULL, 0));
    assert_true(devices[0].open && !devices[1].open && devices[2].open);
    assert_false(sums_on_host);
    cuzk_engine_stop(engine);
    cuzk_engine_options options = options_with(NULL, 0);
    options.b_g2_on_cpu = true;
    engine = real_engine(options);
    assert_true(sums_on_host);
    cuzk_engine_stop(engine);
    present = 0;
    engine = real_engine(options_with(NULL, 0));
    cuzk_engine_status_get(engine, &status);
    assert_int_equal(status.device_count, 1);
    assert_int_equal(status.devices[0].ordinal, 0);
    assert_int_equal(status.worker_count, 1);
    cuzk_engine_status_free(&status);
    cuzk_engine_stop(engine);
}

/* While all is well the CPU stands by. */
static void work_goes_to_devices(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = engine_with(2);
    for (size_t i = 0; i < 2; i++)
        expect_proof(engine, &r, i);
    assert_int_equal(devices[0].proofs + devices[1].proofs, 2);
    assert_int_equal(retries(engine), 0);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* A wrong proof, one that the device owns up to or one that only the engine's verification finds, and a lack of memory: once
 * more, elsewhere. */
static void failures_are_tried_elsewhere(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    for (size_t kind = 0; kind < 3; kind++) {
        reset_devices(NULL);
        cuzk_engine *engine = engine_with(2);
        for (size_t i = 0; i < 2; i++) /* both, as it is not said which goes first */
            *(kind == 0 ? &devices[i].fail : kind == 1 ? &devices[i].flip : &devices[i].no_memory) = 1;
        cuzk_job_result result = prove_number(engine, &r, 2 * kind);
        assert_int_equal(result.state, CUZK_JOB_FAILED);
        assert_null(result.proof);
        assert_int_equal(devices[0].proofs, 1);
        assert_int_equal(devices[1].proofs, 1);
        assert_non_null(strstr(result.failure.message, kind == 1
                                                           ? "partition 0 of 1, verify, attempt 2: the proof does not verify"
                                                           : "partition 0 of 1, prove, attempt 2: scripted"));
        devices[0].fail = devices[1].fail = kind == 0;
        devices[0].fail = 0;
        expect_proof(engine, &r, 2 * kind + 1);
        cuzk_engine_stop(engine);
    }
    free_job_request(&r);
}

static void the_cpu_stands_in(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = engine_with(1);
    devices[0].flip = 1;
    expect_proof(engine, &r, 0);
    assert_int_equal(devices[0].proofs, 1); /* the second attempt was the CPU's */
    assert_int_equal(retries(engine), 1);
    expect_proof(engine, &r, 1);
    assert_int_equal(devices[0].proofs, 2); /* which does not take what the device can do */
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* A device that broke down gets no more work; when all have, the CPU does everything. */
static void broken_devices_are_left_alone(void **state) {
    (void)state;
    job_request r;
    load_window_job(&r);
    cuzk_engine *engine = engine_with(2);
    devices[0].break_down = devices[1].break_down = 1;
    size_t n = 0;
    for (; n < 8 && !(devices[0].broken && devices[1].broken); n++) {
        cuzk_job_result result = prove_number(engine, &r, n);
        bool both = devices[0].broken && devices[1].broken;
        assert_int_equal(result.state, both ? CUZK_JOB_FAILED : CUZK_JOB_COMPLETED); /* it met one after the other */
        cuzk_job_result_free(&result);
    }
    assert_true(devices[0].broken && devices[1].broken);
    unsigned proofs = devices[0].proofs + devices[1].proofs;
    cuzk_engine_status status;
    cuzk_engine_status_get(engine, &status);
    assert_false(status.devices[0].works || status.devices[1].works);
    assert_true(status.devices[2].works);
    cuzk_engine_status_free(&status);
    expect_proof(engine, &r, n);
    assert_int_equal(devices[0].proofs + devices[1].proofs, proofs);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

/* The budget counts what devices keep in the host's memory from when their circuit is asked for. */
static void memory_is_counted(void **state) {
    (void)state;
    job_request r;
    cuzk_engine_status before, after;
    load_window_job(&r);
    cuzk_engine *engine = engine_with(2);
    cuzk_engine_status_get(engine, &before);
    assert_int_equal(before.memory.used_by_owner[CUZK_MEMORY_BUFFERS], 0);
    expect_proof(engine, &r, 0);
    cuzk_engine_status_get(engine, &after);
    assert_true(after.memory.used_by_owner[CUZK_MEMORY_BUFFERS] >= 2 * KEPT_ON_HOST);
    cuzk_engine_status_free(&before);
    cuzk_engine_status_free(&after);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_are_chosen, reset_devices),
        cmocka_unit_test_setup(all_or_the_cpu, reset_devices),
        cmocka_unit_test_setup(work_goes_to_devices, reset_devices),
        cmocka_unit_test_setup(failures_are_tried_elsewhere, reset_devices),
        cmocka_unit_test_setup(the_cpu_stands_in, reset_devices),
        cmocka_unit_test_setup(broken_devices_are_left_alone, reset_devices),
        cmocka_unit_test_setup(memory_is_counted, reset_devices),
    };
    return cmocka_run_group_tests(tests, make_parameters, scratch_remove);
}
