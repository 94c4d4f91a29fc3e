/* The engine over emulated devices, with real proofs: what a device does wrong never reaches the caller. */
#include "engine/real_fixture.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cuda/cuda_driver.h"
#include "cuda/device_emulated.h"
#include "support/scratch.h"

enum { CPU = 1024 };

static cuzk_engine *engine_with_devices(const cuzk_device_driver *driver, const unsigned *ordinals, size_t count) {
    cuzk_engine_options options = fixture_options();
    options.device_driver = driver;
    options.b_g2_on_cpu = true; /* the emulation takes a third of its time for this sum */
    options.devices = ordinals;
    options.device_count = count;
    return real_engine(options);
}

/* The device that had the last stretch of proving on the timeline, and how many such stretches failed. */
static const char *last_device(cuzk_engine *engine, unsigned *failed) {
    size_t count;
    const char *name = NULL;
    cuzk_span *spans = cuzk_engine_timeline(engine, 0, &count);
    *failed = 0;
    for (size_t i = 0; i < count; i++)
        if (spans[i].stage == CUZK_STAGE_PROVE) {
            name = spans[i].device;
            *failed += spans[i].failed;
        }
    free(spans);
    assert_non_null(name);
    return name;
}

static void status_names_devices(void **state) {
    (void)state;
    cuzk_engine *engine = engine_with_devices(&CUDA_DRIVER, NULL, 0);
    cuzk_engine_status status;
    cuzk_engine_status_get(engine, &status);
    assert_int_equal(status.device_count, 3);
    assert_int_equal(status.worker_count, 5); /* two for each device, one for the CPU */
    assert_string_equal(status.devices[1].name, "emulated device 1");
    assert_true(status.devices[1].is_gpu && status.devices[1].memory_total == UINT64_C(1) << 30);
    assert_int_equal(status.devices[1].memory_free, UINT64_C(1) << 30);
    assert_string_equal(status.devices[2].name, "CPU");
    assert_int_equal(status.devices[2].ordinal, CPU);
    cuzk_engine_status_free(&status);
    cuzk_engine_stop(engine);

    const unsigned only_second[] = {1};
    engine = engine_with_devices(&CUDA_DRIVER, only_second, 1);
    cuzk_engine_status_get(engine, &status);
    assert_int_equal(status.device_count, 2);
    assert_int_equal(status.devices[0].ordinal, 1);
    assert_null(emulated_device_opened(0));
    cuzk_engine_status_free(&status);
    cuzk_engine_stop(engine);
}

static _Atomic(device *) broken; /* NULL: none yet */

/* Breaks the device that is asked first, whichever that is: workers of all devices race for a job. */
static cuzk_status break_first_and_prove(uint8_t proof[PROOF_BYTES], proving_device *asked, compact_assignment *witness,
                                         const parameters *p, const prove_options *options, thread_pool *pool, progress *job,
                                         cuzk_error *error) {
    device *d = cuda_prover_device(cuda_driver_prover(asked)), *none = NULL;
    if (atomic_compare_exchange_strong(&broken, &none, d))
        emulated_device_fail_after(d, 40);
    return CUDA_DRIVER.prove(proof, asked, witness, p, options, pool, job, error);
}

/* One device breaks down: the other makes the proof. Then a bit of that one's results turns over (it seems to say that a point is
 * malformed, which costs less time here than a whole wrong proof): the CPU makes the next. tests/engine/test_devices.c has every
 * other case. */
static void wrong_devices_are_not_noticed_outside(void **state) {
    (void)state;
    job_request r;
    unsigned failed;
    cuzk_device_driver driver = CUDA_DRIVER;
    driver.prove = break_first_and_prove;
    load_window_job(&r);
    cuzk_engine *engine = engine_with_devices(&driver, NULL, 0);
    expect_window_proof(engine, &r.request);
    assert_non_null(broken);
    device *other = emulated_device_opened(broken == emulated_device_opened(0) ? 1 : 0);
    assert_true(emulated_device_operations(other) > 0);
    assert_string_equal(last_device(engine, &failed), device_name(other));
    assert_int_equal(failed, 1);

    emulated_device_flip_bit(other, 1, 3);
    r.request.request_id.length--;
    expect_window_proof(engine, &r.request);
    assert_string_equal(last_device(engine, &failed), "CPU");
    assert_int_equal(failed, 2);
    cuzk_engine_stop(engine);
    free_job_request(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_names_devices),
        cmocka_unit_test(wrong_devices_are_not_noticed_outside),
    };
    return cmocka_run_group_tests(tests, make_parameters, scratch_remove);
}
