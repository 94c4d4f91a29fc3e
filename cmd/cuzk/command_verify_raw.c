/* cuzk verify-raw VK INPUTS.json FILE: no job, no circuit, only a key, lists of inputs and as many proofs. */
#include <stdlib.h>

#include "base/json_reader.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "command.h"
#include "groth16/verifier.h"

/* INPUTS.json: for each proof a list of the public inputs without ONE, each "0x" and 64 big-endian digits. */
typedef struct {
    fr *values; /* proofs * width */
    size_t count, capacity;
    size_t proofs, width;
} input_lists;

static cuzk_status read_input(json_reader *reader, input_lists *lists, cuzk_error *error) {
    uint8_t big[FR_BYTES], little[FR_BYTES];
    TRY(json_read_hex(reader, big, FR_BYTES, error));
    for (int i = 0; i < FR_BYTES; i++)
        little[i] = big[FR_BYTES - 1 - i];
    lists->values = grow_array(lists->values, lists->count, &lists->capacity, sizeof(fr));
    if (!fr_from_bytes(&lists->values[lists->count], little))
        return json_failure(reader, error, "found a number not below the order of the field, expected a canonical scalar");
    lists->count++;
    return CUZK_OK;
}

static cuzk_status read_lists(json_reader *reader, input_lists *lists, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (;;) {
        bool more;
        TRY(json_next_element(reader, &more, error));
        if (!more)
            break;
        size_t before = lists->count;
        TRY(json_enter_array(reader, error));
        for (;;) {
            TRY(json_next_element(reader, &more, error));
            if (!more)
                break;
            TRY(read_input(reader, lists, error));
        }
        size_t width = lists->count - before;
        if (lists->proofs++ > 0 && width != lists->width)
            return json_failure(reader, error, "list %zu: found %zu inputs, expected %zu as in the first list", lists->proofs - 1, width,
                                lists->width);
        lists->width = width;
    }
    return json_read_end(reader, error);
}

static cuzk_status load_lists(const char *path, input_lists *lists, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    json_reader *reader = json_reader_create_memory(file.data, file.size, NULL);
    cuzk_status status = read_lists(reader, lists, error);
    json_reader_destroy(reader);
    mapped_file_close(&file);
    return status == CUZK_OK ? status : failure_within(error, status, "%s: ", path);
}

static cuzk_status verify_files(const char *key_path, const char *inputs_path, const char *proof_path, thread_pool *pool,
                                verification *result, cuzk_error *error) {
    verifying_key vk;
    TRY(verifying_key_read(&vk, key_path, pool, error));
    input_lists lists = {0};
    mapped_file proofs = {0};
    cuzk_status status = load_lists(inputs_path, &lists, error);
    if (status == CUZK_OK && lists.width + 1 != vk.ic_count)
        status = failure(error, CUZK_BAD_INPUT, "%s: found lists of %zu inputs, expected %u as the key %s takes", inputs_path, lists.width,
                         vk.ic_count - 1, key_path);
    if (status == CUZK_OK)
        status = mapped_file_open(&proofs, proof_path, error);
    if (status == CUZK_OK) {
        status = groth16_verify_batch(result, &vk, proofs.data, proofs.size, lists.values, lists.width, lists.proofs, pool, error);
        if (status != CUZK_OK)
            failure_within(error, status, "%s: ", proof_path);
    }
    mapped_file_close(&proofs);
    free(lists.values);
    verifying_key_free(&vk);
    return status;
}

cuzk_status command_verify_raw(int argc, char **argv, int *exit_code, cuzk_error *error) {
    bool json = false;
    uint64_t threads = 0;
    const option options[] = {OPTION_JSON(&json), OPTION_THREADS(&threads)};
    const command_line line = {
        .usage = "cuzk verify-raw VK INPUTS.json FILE",
        .summary = "Verifies proofs of 192 bytes, one after another in FILE, under the key VK. INPUTS.json holds a list of public\n"
                   "inputs for each (\"0x\" and 64 digits, most significant first). Prints valid or INVALID; exit code 0 or 1.",
        .example = "cuzk verify-raw tests/data/params/*0170db*.vk tests/data/jobs/window-post-v1/inputs.json "
                   "tests/data/jobs/window-post-v1/proof.bin",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 3,
        .positional_maximum = 3,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = CUZK_OK;
    if (!done) {
        verification result = {0};
        thread_pool *pool = thread_pool_create(threads);
        status = verify_files(parsed.positional[0], parsed.positional[1], parsed.positional[2], pool, &result, error);
        thread_pool_destroy(pool);
        if (status == CUZK_OK)
            *exit_code = print_verdict(&result, json, false);
    }
    parsed_command_line_free(&parsed);
    return status;
}
