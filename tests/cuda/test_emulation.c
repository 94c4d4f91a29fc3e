/* The emulated devices themselves: blocks, warps, the order of streams, and memory that only its own device can touch. */
#include "cuda_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/check.h"
#include "cuda/device_emulated.h"

static void blocks_and_warps(void **state) {
    (void)state;
    enum { COUNT = 256 };
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    uint32_t values[COUNT], sums[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i * i + 1;
    void *in = device_copy_of(&f, values, sizeof values), *out = device_room(&f, sizeof sums);
    ASSERT_OK(device_check_block(f.stream, out, in, COUNT, &error));
    bring_back(&f, sums, out, sizeof sums);
    for (uint32_t i = 0, sum = 0; i < COUNT; i++) {
        sum = i % 64 ? sum + values[i] : values[i];
        assert_int_equal(sums[i], sum);
    }
    cuda_fixture_close(&f);
}

static cuda_fixture first, second;
static void *of_first, *of_second;

static void read_own(void) {
    cuzk_error error = {0};
    (void)device_check_read(first.stream, of_first, of_first, &error);
    (void)device_synchronize(first.stream, &error);
}

static void read_of_another_device(void) {
    cuzk_error error = {0};
    (void)device_check_read(first.stream, of_first, of_second, &error);
    (void)device_synchronize(first.stream, &error);
}

static void copy_of_another_device(void) {
    cuzk_error error = {0};
    uint8_t byte;
    (void)device_download(first.stream, &byte, of_second, 1, &error);
    (void)device_synchronize(first.stream, &error);
}

static void read_by_the_host(void) {
    volatile uint8_t *memory = of_first;
    (void)*memory;
}

static void read_behind_the_end(void) {
    cuzk_error error = {0};
    (void)device_check_read(first.stream, of_first, (uint8_t *)of_first + 128, &error);
    (void)device_synchronize(first.stream, &error);
}

/* Runs in a process of its own. True if it came to its end. */
static bool survives(void (*action)(void)) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        /* Whatever reports the fault need not do so here. */
        if (!freopen("/dev/null", "w", stderr) || signal(SIGSEGV, SIG_DFL) == SIG_ERR)
            _exit(0);
        action();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void foreign_pointers_trap(void **state) {
    (void)state;
    first = cuda_fixture_open(0);
    second = cuda_fixture_open(1);
    of_first = device_room(&first, 128);
    of_second = device_room(&second, 128);
    assert_true(survives(read_own));
    assert_false(survives(read_of_another_device));
    assert_false(survives(copy_of_another_device));
    assert_false(survives(read_by_the_host));
    assert_false(survives(read_behind_the_end));
    cuda_fixture_close(&first);
    cuda_fixture_close(&second);
}

/* A stream's work is put off until somebody waits, unless an event says otherwise. */
static void only_events_order_streams(void **state) {
    (void)state;
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    device_stream *other;
    device_event *event;
    ASSERT_OK(device_stream_create(f.device, &other, &error));
    ASSERT_OK(device_event_create(f.device, &event, &error));
    void *memory = device_room(&f, 1);
    uint8_t byte = 1;
    ASSERT_OK(device_fill(f.stream, memory, 1, 1, &error));
    ASSERT_OK(device_synchronize(f.stream, &error));

    ASSERT_OK(device_fill(other, memory, 2, 1, &error));
    bring_back(&f, &byte, memory, 1);
    assert_int_equal(byte, 1);
    ASSERT_OK(device_event_record(event, other, &error));
    ASSERT_OK(device_stream_wait(f.stream, event, &error));
    bring_back(&f, &byte, memory, 1);
    assert_int_equal(byte, 2);
    device_event_destroy(event);
    device_stream_destroy(other);
    cuda_fixture_close(&f);
}

static void failures_and_flips(void **state) {
    (void)state;
    cuzk_error error = {0};
    cuda_fixture f = cuda_fixture_open(0);
    uint8_t bytes[4] = {0}, back[4];
    void *memory = device_copy_of(&f, bytes, sizeof bytes);
    emulated_device_flip_bit(f.device, 1, 9);
    bring_back(&f, back, memory, sizeof back);
    assert_int_equal(back[1], 0);
    bring_back(&f, back, memory, sizeof back);
    assert_int_equal(back[1], 2);
    bring_back(&f, back, memory, sizeof back);
    assert_int_equal(back[1], 0);

    emulated_device_fail_after(f.device, 1);
    bring_back(&f, back, memory, sizeof back);
    assert_int_equal(device_fill(f.stream, memory, 0, 1, &error), CUZK_UNAVAILABLE);
    assert_non_null(strstr(error.message, "emulated device 0"));
    assert_int_equal(device_synchronize(f.stream, &error), CUZK_UNAVAILABLE);
    cuda_fixture_close(&f);
}

static void memory_has_an_end(void **state) {
    (void)state;
    cuzk_error error = {0};
    emulated_devices_set(1, 1 << 20);
    cuda_fixture f = cuda_fixture_open(0);
    void *half = device_room(&f, 1 << 19), *more;
    assert_int_equal(device_memory_free_bytes(f.device), 1 << 19);
    assert_int_equal(device_allocate(f.device, &more, (1 << 19) + 1, "the rest", &error), CUZK_NO_MEMORY);
    assert_non_null(strstr(error.message, "the rest"));
    device_free(f.device, half);
    assert_int_equal(device_memory_free_bytes(f.device), device_memory_total_bytes(f.device));
    cuda_fixture_close(&f);
    device *none;
    assert_int_equal(device_open(&none, 1, &error), CUZK_NOT_FOUND);
    emulated_devices_set(2, 1 << 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_warps),          cmocka_unit_test(foreign_pointers_trap),
        cmocka_unit_test(only_events_order_streams), cmocka_unit_test(failures_and_flips),
        cmocka_unit_test(memory_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
