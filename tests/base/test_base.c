#include "support/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"

static void errors_are_one_printable_line(void **state) {
    (void)state;
    cuzk_error error = {0};
    assert_int_equal(failure(&error, CUZK_BAD_INPUT, "field %s: found \"%s\"", "x", "a\n\033[31m\xff"), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "field x: found \"a??[31m?\"");
    assert_int_equal(failure_within(&error, CUZK_INTERNAL, "c1.json: "), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "c1.json: field x: found \"a??[31m?\"");
    assert_int_equal(failure(NULL, CUZK_CANCELLED, "x"), CUZK_CANCELLED);
    char *large = malloc(5000);
    memset(large, 'y', 4999);
    large[4999] = 0;
    failure(&error, CUZK_BAD_INPUT, "%s", large);
    assert_int_equal(strlen(error.message), CUZK_ERROR_CAPACITY - 1);
    failure_within(&error, CUZK_BAD_INPUT, "prefix: ");
    assert_memory_equal(error.message, "prefix: yyy", 11);
    assert_int_equal(strlen(error.message), CUZK_ERROR_CAPACITY - 1);
    free(large);
}

static void hexadecimal_is_exact(void **state) {
    (void)state;
    uint8_t bytes[4];
    assert_true(hex_decode(bytes, 4, "00fFa9Bc"));
    assert_true(hex_decode(bytes, 4, "0x00ffa9bc"));
    char text[9];
    hex_encode(text, bytes, 4);
    assert_string_equal(text, "00ffa9bc");
    assert_false(hex_decode(bytes, 4, "00ffa9b"));
    assert_false(hex_decode(bytes, 4, "00ffa9bcd"));
    assert_false(hex_decode(bytes, 4, "00ffa9bg"));
    assert_false(hex_decode(bytes, 4, ""));
}

typedef struct {
    thread_pool *pool;
    atomic_uint *hits;
    atomic_int busy[16];
    atomic_bool collided;
    size_t nested;
} loop_context;

static void count_hits(void *pointer, size_t begin, size_t end, size_t worker) {
    loop_context *context = pointer;
    if (atomic_fetch_add(&context->busy[worker], 1) != 0)
        atomic_store(&context->collided, true);
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&context->hits[i], 1);
    atomic_fetch_sub(&context->busy[worker], 1);
}

static void nest(void *pointer, size_t begin, size_t end, size_t worker) {
    loop_context *context = pointer;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        parallel_for(context->pool, context->nested, 3, count_hits, context);
}

static void loops_visit_every_index_once(void **state) {
    (void)state;
    for (size_t threads = 1; threads <= 7; threads += 2) {
        thread_pool *pool = thread_pool_create(threads);
        assert_int_equal(thread_pool_size(pool), threads);
        for (size_t count = 0; count < 300; count += 37) {
            for (size_t grain = 0; grain < 40; grain += 13) {
                loop_context context = {.pool = pool, .hits = calloc(count + 1, sizeof(atomic_uint))};
                parallel_for(pool, count, grain, count_hits, &context);
                for (size_t i = 0; i < count; i++)
                    assert_int_equal(context.hits[i], 1);
                assert_int_equal(context.hits[count], 0);
                assert_false(context.collided);
                free(context.hits);
            }
        }
        thread_pool_destroy(pool);
    }
}

static void nested_loops_run_on_their_worker(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(4);
    loop_context context = {.pool = pool, .nested = 50, .hits = calloc(50, sizeof(atomic_uint))};
    parallel_for(pool, 20, 1, nest, &context);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(context.hits[i], 20);
    assert_false(context.collided);
    free(context.hits);
    thread_pool_destroy(pool);
}

static void big_buffers_grow_and_refuse(void **state) {
    (void)state;
    cuzk_error error = {0};
    big_buffer buffer = {0};
    ASSERT_OK(big_buffer_allocate(&buffer, 1000, 32, "test", &error));
    ((uint8_t *)buffer.data)[31999] = 7;
    ASSERT_OK(big_buffer_resize(&buffer, 1000000, 32, "test", &error));
    assert_int_equal(((uint8_t *)buffer.data)[31999], 7);
    assert_int_equal(((uint8_t *)buffer.data)[31999999], 0);
    big_buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(big_buffer_allocate(&buffer, SIZE_MAX / 2, 32, "test vector", &error), CUZK_NO_MEMORY);
    assert_non_null(strstr(error.message, "test vector"));
    big_buffer_free(&buffer);
}

static void only_regular_files_are_mapped(void **state) {
    (void)state;
    char folder[] = "/tmp/cuzk-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[200];
    mapped_file file;
    cuzk_error error = {0};
    assert_int_equal(mapped_file_open(&file, folder, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "found a directory, expected a regular file"));
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(mapped_file_open(&file, path, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "FIFO"));
    unlink(path);
    assert_int_equal(mapped_file_open(&file, path, &error), CUZK_NOT_FOUND);

    output_file output;
    ASSERT_OK(output_file_create(&output, path, &error));
    fputs("half", output.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    output_file_abandon(&output);
    assert_int_not_equal(access(path, F_OK), 0);
    ASSERT_OK(output_file_create(&output, path, &error));
    fputs("whole", output.stream);
    ASSERT_OK(output_file_commit(&output, &error));
    ASSERT_OK(mapped_file_open(&file, path, &error));
    assert_int_equal(file.size, 5);
    assert_memory_equal(file.data, "whole", 5);
    mapped_file_close(&file);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing temporary is left */
}

static void json_is_laid_out_and_escaped(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    json_writer writer;
    json_writer_init(&writer, stream, 0);
    json_begin_object(&writer);
    json_member_string(&writer, "a\"b", "line\n\\");
    json_key(&writer, "list");
    json_begin_array(&writer);
    json_unsigned(&writer, UINT64_MAX);
    json_null(&writer);
    json_bool(&writer, true);
    json_hex(&writer, "0x", (const uint8_t *)"\x01\xff", 2);
    json_begin_array(&writer);
    json_end_array(&writer);
    json_end_array(&writer);
    json_end_object(&writer);
    fclose(stream);
    assert_string_equal(text, "{\"a\\\"b\": \"line\\u000a\\\\\", \"list\": [18446744073709551615, null, true, \"0x01ff\", []]}\n");
    free(text);
}

static void progress_reports_phases_and_stops(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    progress job;
    progress_init(&job, NULL);
    job.stream = stream;
    progress_begin(&job, "first phase", 10);
    progress_advance(&job, 10);
    progress_end(&job);
    cuzk_error error = {0};
    ASSERT_OK(progress_check(&job, &error));
    progress_cancel(&job);
    assert_int_equal(progress_check(&job, &error), CUZK_CANCELLED);
    fclose(stream);
    assert_non_null(strstr(text, "first phase"));
    assert_non_null(strstr(text, "core-seconds"));
    free(text);
    progress_begin(NULL, "none", 1);
    progress_advance(NULL, 1);
    progress_end(NULL);
    ASSERT_OK(progress_check(NULL, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_one_printable_line),
        cmocka_unit_test(hexadecimal_is_exact),
        cmocka_unit_test(loops_visit_every_index_once),
        cmocka_unit_test(nested_loops_run_on_their_worker),
        cmocka_unit_test(big_buffers_grow_and_refuse),
        cmocka_unit_test(only_regular_files_are_mapped),
        cmocka_unit_test(json_is_laid_out_and_escaped),
        cmocka_unit_test(progress_reports_phases_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
