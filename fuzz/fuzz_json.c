/* The JSON reader under a consumer that takes every value as what it is not, and skips: both must agree on what is JSON. */
#include "base/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static cuzk_status skip_all(const uint8_t *data, size_t size, cuzk_error *error) {
    json_reader *reader = json_reader_create_memory(data, size, NULL);
    cuzk_status status = json_skip(reader, error);
    if (status == CUZK_OK)
        status = json_read_end(reader, error);
    json_reader_destroy(reader);
    return status;
}

static cuzk_status walk_array(const uint8_t *data, size_t size, cuzk_error *error) {
    json_reader *reader = json_reader_create_memory(data, size, NULL);
    cuzk_status status = json_enter_array(reader, error);
    for (bool more = true; status == CUZK_OK && more;) {
        status = json_next_element(reader, &more, error);
        if (status == CUZK_OK && more)
            status = json_skip(reader, error);
    }
    if (status == CUZK_OK)
        status = json_read_end(reader, error);
    json_reader_destroy(reader);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cuzk_error error = {0};
    cuzk_status whole = skip_all(data, size, &error);
    cuzk_status walked = walk_array(data, size, &error);
    if (walked == CUZK_OK && whole != CUZK_OK)
        __builtin_trap();
    uint8_t bytes[32];
    uint64_t number;
    json_reader *reader = json_reader_create_memory(data, size, NULL);
    if (json_enter_array(reader, &error) == CUZK_OK) {
        bool more;
        if (json_next_element(reader, &more, &error) == CUZK_OK && more && json_read_bytes(reader, bytes, 32, &error) == CUZK_OK &&
            json_next_element(reader, &more, &error) == CUZK_OK && more && json_read_hex(reader, bytes, 32, &error) == CUZK_OK &&
            json_next_element(reader, &more, &error) == CUZK_OK && more)
            json_read_unsigned(reader, 1000, &number, &error);
    }
    json_reader_destroy(reader);
    return 0;
}
