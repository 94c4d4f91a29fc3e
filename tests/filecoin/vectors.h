/* Reading the JSON vectors of tests/data: every mismatch with the expected form fails the test. */
#ifndef TESTS_FILECOIN_VECTORS_H
#define TESTS_FILECOIN_VECTORS_H

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/field.h"
#include "base/json_reader.h"

typedef struct {
    uint8_t *text;
    json_reader *reader;
} vector_file;

static inline vector_file vectors_open(const char *path) {
    vector_file file;
    size_t size;
    file.text = read_test_file(path, &size);
    file.reader = json_reader_create_memory(file.text, size, NULL);
    return file;
}

static inline void vectors_close(vector_file *file) {
    json_reader_destroy(file->reader);
    free(file->text);
}

static inline void vectors_array(json_reader *reader) {
    cuzk_error error = {0};
    ASSERT_OK(json_enter_array(reader, &error));
}

/* False at the end of the array. */
static inline bool vectors_more(json_reader *reader) {
    cuzk_error error = {0};
    bool more;
    ASSERT_OK(json_next_element(reader, &more, &error));
    return more;
}

/* The next key of the object that was entered; NULL at its end. */
static inline const char *vectors_key(json_reader *reader) {
    cuzk_error error = {0};
    const char *key;
    ASSERT_OK(json_next_key(reader, &key, &error));
    return key;
}

static inline void vectors_object(json_reader *reader) {
    cuzk_error error = {0};
    ASSERT_OK(json_enter_object(reader, &error));
}

static inline uint64_t vectors_unsigned(json_reader *reader) {
    cuzk_error error = {0};
    uint64_t value;
    ASSERT_OK(json_read_unsigned(reader, UINT64_MAX, &value, &error));
    return value;
}

/* An array of at most capacity integers; how many there are. */
static inline size_t vectors_integers(json_reader *reader, uint64_t *values, size_t capacity) {
    size_t count = 0;
    vectors_array(reader);
    while (vectors_more(reader)) {
        assert_true(count < capacity);
        values[count++] = vectors_unsigned(reader);
    }
    return count;
}

static inline void vectors_hex(json_reader *reader, uint8_t bytes[32]) {
    cuzk_error error = {0};
    ASSERT_OK(json_read_hex(reader, bytes, 32, &error));
}

static inline void vectors_fr(json_reader *reader, fr *value) {
    uint8_t bytes[32];
    vectors_hex(reader, bytes);
    assert_true(fr_from_bytes(value, bytes));
}

static inline void vectors_text(json_reader *reader, char *text, size_t capacity) {
    cuzk_error error = {0};
    ASSERT_OK(json_read_text(reader, text, capacity, &error));
}

static inline void vectors_skip(json_reader *reader) {
    cuzk_error error = {0};
    ASSERT_OK(json_skip(reader, &error));
}

/* "0x" and 64 big-endian digits, as digests write field elements. */
static inline void vectors_big_endian_fr(json_reader *reader, fr *value) {
    uint8_t bytes[32], reversed[32];
    vectors_hex(reader, bytes);
    for (unsigned i = 0; i < 32; i++)
        reversed[i] = bytes[31 - i];
    assert_true(fr_from_bytes(value, reversed));
}

#endif
