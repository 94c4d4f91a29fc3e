#include "groth16/development.h"

#include <stdlib.h>
#include <time.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/memory.h"

static const char DIGEST_MEMBER[] = "verifying_key_sha256";

static char *note_path(const char *path) {
    static const char suffix[] = ".development";
    size_t length = strlen(path);
    char *out = allocate(length + sizeof suffix, 1);
    memcpy(out, path, length);
    memcpy(out + length, suffix, sizeof suffix);
    return out;
}

static void write_note(FILE *stream, const verifying_key *vk, const setup_description *description) {
    char when[32];
    time_t now = time(NULL);
    struct tm broken_down;
    gmtime_r(&now, &broken_down);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &broken_down);
    uint8_t digest[VERIFYING_KEY_DIGEST_BYTES];
    verifying_key_digest(digest, vk);

    json_writer writer;
    json_writer_init(&writer, stream, 2);
    json_begin_object(&writer);
    json_member_string(&writer, "warning",
                       "Development parameters, not from a trusted setup: whoever made them can prove anything.");
    json_member_string(&writer, "made_by", "cuzk setup");
    json_member_string(&writer, "version", description->version);
    json_member_string(&writer, "when", when);
    json_member_string(&writer, "circuit", description->circuit);
    json_member_unsigned(&writer, "sector_size", description->sector_size);
    json_member_bool(&writer, "trusted_setup", false);
    json_member_bool(&writer, "seeded", description->seeded);
    json_key(&writer, DIGEST_MEMBER);
    json_hex(&writer, "", digest, sizeof digest);
    json_end_object(&writer);
}

cuzk_status development_note_write(const char *path, const verifying_key *vk, const setup_description *description,
                                   cuzk_error *error) {
    char *beside = note_path(path);
    output_file file;
    cuzk_status status = output_file_create(&file, beside, error);
    if (status == CUZK_OK) {
        write_note(file.stream, vk, description);
        status = output_file_commit(&file, error);
    }
    free(beside);
    return status;
}

static cuzk_status read_digest(const mapped_file *file, uint8_t digest[VERIFYING_KEY_DIGEST_BYTES]) {
    static const char *const names[] = {DIGEST_MEMBER};
    json_members members = {.names = names, .count = 1, .skip_unknown = true};
    json_reader *reader = json_reader_create_memory(file->data, (size_t)file->size, NULL);
    int member = 0;
    cuzk_status status = json_enter_object(reader, NULL);
    while (status == CUZK_OK && member >= 0) {
        status = json_next_member(reader, &members, &member, NULL);
        if (status == CUZK_OK && member == 0)
            status = json_read_hex(reader, digest, VERIFYING_KEY_DIGEST_BYTES, NULL);
    }
    json_reader_destroy(reader);
    return status;
}

bool parameters_are_development(const char *path, const verifying_key *vk) {
    char *beside = note_path(path);
    mapped_file file;
    cuzk_status status = mapped_file_open(&file, beside, NULL);
    free(beside);
    if (status == CUZK_NOT_FOUND)
        return false;
    uint8_t noted[VERIFYING_KEY_DIGEST_BYTES], own[VERIFYING_KEY_DIGEST_BYTES];
    bool readable = status == CUZK_OK && read_digest(&file, noted) == CUZK_OK;
    mapped_file_close(&file);
    verifying_key_digest(own, vk);
    return !readable || memcmp(noted, own, sizeof own) == 0;
}
