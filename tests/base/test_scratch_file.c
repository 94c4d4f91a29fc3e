#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch_file.h"
#include "support/scratch.h"

static void keeps_what_is_written_and_leaves_nothing(void **state) {
    (void)state;
    cuzk_error error = {0};
    scratch_file file;
    enum { SIZE = 300000 };
    ASSERT_OK(scratch_file_create(&file, scratch_path(""), SIZE, &error));
    assert_int_equal(scratch_count(), 0); /* no name from the start */
    struct stat status;
    assert_int_equal(fstat(file.descriptor, &status), 0);
    assert_int_equal(status.st_size, SIZE);
    assert_int_equal(status.st_nlink, 0);
    assert_int_equal(status.st_mode & 0777, 0600); /* a witness can be computed from it */

    uint8_t *written = malloc(SIZE), *found = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        written[i] = (uint8_t)(i * 7 + i / 256);
    ASSERT_OK(scratch_file_write(&file, 200000, written + 200000, 100000, &error));
    ASSERT_OK(scratch_file_write(&file, 0, written, 200000, &error));
    scratch_file_expect(&file, 1, SIZE - 1);
    ASSERT_OK(scratch_file_read(&file, 0, found, SIZE, &error));
    assert_memory_equal(found, written, SIZE);
    ASSERT_OK(scratch_file_read(&file, 199999, found, 2, &error));
    assert_memory_equal(found, written + 199999, 2);
    assert_int_equal(file.bytes_written, SIZE);
    assert_int_equal(file.bytes_read, SIZE + 2);

    /* Somebody has made it shorter. */
    assert_int_equal(ftruncate(file.descriptor, 1000), 0);
    assert_int_equal(scratch_file_read(&file, 990, found, 20, &error), CUZK_INPUT_OUTPUT);
    assert_non_null(strstr(error.message, ": the scratch file ends at byte 1000, expected 300000 bytes"));
    assert_int_equal(file.bytes_read, SIZE + 2);
    free(written);
    free(found);
    scratch_file_close(&file);
    assert_null(file.directory);
    scratch_file_close(&file);
    assert_int_equal(scratch_count(), 0);
}

static void an_empty_file_is_fine(void **state) {
    (void)state;
    cuzk_error error = {0};
    scratch_file file;
    ASSERT_OK(scratch_file_create(&file, scratch_path(""), 0, &error));
    ASSERT_OK(scratch_file_read(&file, 0, NULL, 0, &error));
    scratch_file_close(&file);
}

static void says_why_there_is_none(void **state) {
    (void)state;
    cuzk_error error = {0};
    scratch_file file;
    assert_int_equal(scratch_file_create(&file, "/nonexistent", 10, &error), CUZK_NOT_FOUND);
    assert_string_equal(error.message, "/nonexistent: cannot make a scratch file there: No such file or directory");
    assert_null(file.directory);
    /* More than any disk has: without room, or too large for a file system. */
    assert_int_equal(scratch_file_create(&file, scratch_path(""), UINT64_C(1) << 62, &error), CUZK_INPUT_OUTPUT);
    assert_int_equal(scratch_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_is_written_and_leaves_nothing),
        cmocka_unit_test(an_empty_file_is_fine),
        cmocka_unit_test(says_why_there_is_none),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
