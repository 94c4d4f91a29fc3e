/* The engine over emulated devices, with real proofs: what a device does wrong never reaches the caller. */
#include "engine/real_fixture.h"

#include <stdlib.h>

#include "cuda/cuda_driver.h"
#include "cuda/device_emulated.h"
#include "support/scratch.h"

enum { CPU = 1024 };

static cuzk_engine *engine_with_devices(const unsigned *ordinals, size_t count) {
    cuzk_engine_options options = fixture_options();
    options.device_driver = &CUDA_DRIVER;
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
    cuzk_engine *engine = engine_with_devices(NULL, 0);
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
    engine = engine_with_devices(only_second, 1);
    cuzk_engine_status_get(engine, &status);
    assert_int_equal(status.device_count, 2);
    assert_int_equal(status.devices[0].ordinal, 1);
    assert_null(emulated_device_opened(0));
    cuzk_engine_status_free(&status);
    cuzk_engine_stop(engine);
}

/* One device breaks down: the other makes the proof. Then a bit of that one's results turns over (it seems to say that a point is
 * malformed, which costs less time here than a whole wrong proof): the CPU makes the next. tests/engine/test_devices.c has every
 * other case. */
static void wrong_devices_are_not_noticed_outside(void **state) {
    (void)state;
    job_request r;
    unsigned failed;
    load_window_job(&r);
    cuzk_engine *engine = engine_with_devices(NULL, 0);
    emulated_device_fail_after(emulated_device_opened(0), 40);
    uint64_t before = emulated_device_operations(emulated_device_opened(1));
    cuzk_job_result result = real_prove(engine, &r.request);
    if (emulated_device_operations(emulated_device_opened(0)) == 0) { /* the other one was first: then it does it again */
        cuzk_job_result_free(&result);
        r.request.sector_size = 2048;
        result = real_prove(engine, &r.request);
    }
    assert_int_equal(result.state, CUZK_JOB_COMPLETED);
    expect_valid_window_proof(result.proof);
    cuzk_job_result_free(&result);
    assert_true(emulated_device_operations(emulated_device_opened(1)) > before);
    assert_string_equal(last_device(engine, &failed), "emulated device 1");

    emulated_device_flip_bit(emulated_device_opened(1), 1, 3);
    r.request.request_id.length--;
    result = real_prove(engine, &r.request);
    assert_int_equal(result.state, CUZK_JOB_COMPLETED);
    expect_valid_window_proof(result.proof);
    cuzk_job_result_free(&result);
    assert_string_equal(last_device(engine, &failed), "CPU");
    assert_in_range(failed, 1, 2);
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
