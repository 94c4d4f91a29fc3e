#include "groth16/file_digest.h"

#include <openssl/evp.h>

#include "base/bytes.h"
#include "base/json_reader.h"
#include "groth16/pages.h"

enum { DIGEST_BLOCK = 1 << 22 };

static cuzk_status digest_blocks(EVP_MD_CTX *context, const mapped_file *file, progress *job, cuzk_error *error) {
    for (uint64_t at = 0; at < file->size; at += DIGEST_BLOCK) {
        TRY(progress_check(job, error));
        size_t block = file->size - at < DIGEST_BLOCK ? (size_t)(file->size - at) : DIGEST_BLOCK;
        if (EVP_DigestUpdate(context, file->data + at, block) != 1)
            return failure(error, CUZK_INTERNAL, "BLAKE2b-512: update failed");
        pages_release(file->data + at, block);
        progress_advance(job, block);
    }
    return CUZK_OK;
}

cuzk_status file_digest(uint8_t digest[FILE_DIGEST_BYTES], const mapped_file *file, progress *job, cuzk_error *error) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    cuzk_status status = CUZK_OK;
    if (!context || EVP_DigestInit_ex(context, EVP_blake2b512(), NULL) != 1)
        status = failure(error, CUZK_INTERNAL, "BLAKE2b-512: not available in OpenSSL");
    if (status == CUZK_OK) {
        progress_begin(job, "digest", file->size);
        status = digest_blocks(context, file, job, error);
        progress_end(job);
    }
    if (status == CUZK_OK && EVP_DigestFinal_ex(context, digest, NULL) != 1)
        status = failure(error, CUZK_INTERNAL, "BLAKE2b-512: final failed");
    EVP_MD_CTX_free(context);
    return status;
}

static cuzk_status read_entry(json_reader *reader, published_file *entry, cuzk_error *error) {
    static const char *const names[] = {"digest", "sector_size"};
    json_members members = {.names = names, .count = 2, .skip_unknown = true};
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0:
            TRY(json_read_hex(reader, entry->digest, PUBLISHED_DIGEST_BYTES, error));
            break;
        case 1:
            TRY(json_read_unsigned(reader, UINT64_MAX, &entry->sector_size, error));
            break;
        default:
            return CUZK_OK;
        }
    }
}

static cuzk_status find_in(json_reader *reader, published_file *entry, const char *name, cuzk_error *error) {
    TRY(json_enter_object(reader, error));
    for (;;) {
        const char *key;
        TRY(json_next_key(reader, &key, error));
        if (!key)
            return json_read_end(reader, error);
        if (strcmp(key, name) != 0) {
            TRY(json_skip(reader, error));
            continue;
        }
        if (entry->found)
            return json_failure(reader, error, "found twice, expected once");
        entry->found = true;
        TRY(read_entry(reader, entry, error));
    }
}

cuzk_status published_file_find(published_file *entry, const char *list_path, const char *name, cuzk_error *error) {
    *entry = (published_file){0};
    mapped_file file;
    TRY(mapped_file_open(&file, list_path, error));
    json_reader *reader = json_reader_create_memory(file.data, (size_t)file.size, NULL);
    cuzk_status status = find_in(reader, entry, name, error);
    if (status != CUZK_OK)
        failure_within(error, status, "%s: ", list_path);
    json_reader_destroy(reader);
    mapped_file_close(&file);
    return status;
}

cuzk_status published_file_compare(const published_file *entry, const uint8_t digest[FILE_DIGEST_BYTES], const char *path,
                                   cuzk_error *error) {
    if (memcmp(digest, entry->digest, PUBLISHED_DIGEST_BYTES) == 0)
        return CUZK_OK;
    char found[2 * PUBLISHED_DIGEST_BYTES + 1], expected[2 * PUBLISHED_DIGEST_BYTES + 1];
    hex_encode(found, digest, PUBLISHED_DIGEST_BYTES);
    hex_encode(expected, entry->digest, PUBLISHED_DIGEST_BYTES);
    return failure(error, CUZK_BAD_INPUT, "%s: BLAKE2b digest: found %s, expected %s as published under this name", path, found,
                   expected);
}
