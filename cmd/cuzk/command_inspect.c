/* cuzk inspect FILE: what is it, and what does it hold? */
#include <string.h>

#include "base/bytes.h"
#include "base/json_reader.h"
#include "command.h"
#include "filecoin/job.h"
#include "groth16/development.h"
#include "groth16/layout.h"

/* Facts about a file, printed as lines or as JSON members. */
typedef struct {
    json_writer writer;
    bool json;
} report;

static void report_begin(report *r, bool json, const char *kind) {
    r->json = json;
    json_writer_init(&r->writer, stdout, 2);
    if (json) {
        json_begin_object(&r->writer);
        json_member_string(&r->writer, "kind", kind);
    } else {
        printf("%s\n", kind);
    }
}

static void report_end(report *r) {
    if (r->json)
        json_end_object(&r->writer);
}

static void report_text(report *r, const char *name, const char *value) {
    if (r->json)
        json_member_string(&r->writer, name, value);
    else
        printf("  %-18s %s\n", name, value);
}

static void report_number(report *r, const char *name, uint64_t value) {
    if (r->json)
        json_member_unsigned(&r->writer, name, value);
    else
        printf("  %-18s %llu\n", name, (unsigned long long)value);
}

static void report_bytes32(report *r, const char *name, const uint8_t bytes[32]) {
    char text[65];
    hex_encode(text, bytes, 32);
    report_text(r, name, text);
}

static void report_element(report *r, const char *name, const fr *value) {
    uint8_t bytes[FR_BYTES];
    fr_to_bytes(bytes, value);
    report_bytes32(r, name, bytes);
}

static void report_proof_name(report *r, const registered_proof *proof) {
    report_text(r, "registered_proof", proof->name);
    report_number(r, "number", proof->number);
    report_text(r, "sector_size", proof->shape->name);
}

static void report_statement(report *r, const porep_statement *statement) {
    report_bytes32(r, "replica_id", statement->replica_id);
    report_bytes32(r, "comm_d", statement->comm_d);
    report_bytes32(r, "comm_r", statement->comm_r);
    report_bytes32(r, "seed", statement->seed);
}

static cuzk_status inspect_job(const char *path, bool json, cuzk_error *error) {
    proof_job job;
    TRY(job_load(&job, path, error));
    report r;
    report_begin(&r, json, "job");
    report_text(&r, "proof_kind", proof_kind_request_name(job.proof->kind));
    report_proof_name(&r, job.proof);
    report_number(&r, "partitions", job.partition_count);
    report_number(&r, "miner_id", job.miner_id);
    if (job.proof->kind == PROOF_POREP || job.proof->kind == PROOF_SNAP)
        report_number(&r, "sector_number", job.sector_number);
    if (job.proof->kind == PROOF_POREP) {
        report_statement(&r, &job.c1.statement);
    } else if (job.proof->kind == PROOF_SNAP) {
        report_element(&r, "comm_r_old", &job.comm_r_old);
        report_element(&r, "comm_r_new", &job.comm_r_new);
        report_element(&r, "comm_d_new", &job.comm_d_new);
    } else {
        report_bytes32(&r, "randomness", job.randomness);
        report_number(&r, "partition_index", job.partition_index);
        report_number(&r, "sectors", job.sector_count);
    }
    report_end(&r);
    job_free(&job);
    return CUZK_OK;
}

static cuzk_status inspect_c1(const char *path, bool json, cuzk_error *error) {
    c1_output c1;
    TRY(c1_load(&c1, path, error));
    report r;
    report_begin(&r, json, "C1 output");
    report_proof_name(&r, c1.proof);
    report_number(&r, "partitions", c1.partition_count);
    report_number(&r, "challenges", c1.proof->shape->porep_challenges);
    if (c1.has_sector_number)
        report_number(&r, "sector_number", c1.sector_number);
    report_statement(&r, &c1.statement);
    report_bytes32(&r, "ticket", c1.ticket);
    report_end(&r);
    c1_free(&c1);
    return CUZK_OK;
}

/* A job has a member proof_kind, a C1 output has none. */
static cuzk_status is_job(const mapped_file *file, bool *job, cuzk_error *error) {
    json_reader *reader = json_reader_create_memory(file->data, file->size, NULL);
    const char *key = "";
    *job = false;
    cuzk_status status = json_enter_object(reader, error);
    while (status == CUZK_OK && !*job) {
        status = json_next_key(reader, &key, error);
        if (status != CUZK_OK || !key)
            break;
        *job = strcmp(key, "proof_kind") == 0;
        if (!*job)
            status = json_skip(reader, error);
    }
    json_reader_destroy(reader);
    return status;
}

static cuzk_status inspect_vanilla(const mapped_file *file, bool json, cuzk_error *error) {
    json_reader *reader = json_reader_create_memory(file->data, file->size, NULL);
    uint64_t count = 0, bytes = 0;
    cuzk_status status = json_enter_array(reader, error);
    for (bool more = true; status == CUZK_OK && more;) {
        status = json_next_element(reader, &more, error);
        if (status != CUZK_OK || !more)
            break;
        const char *text;
        size_t length;
        status = json_read_string(reader, &text, &length, error);
        count++;
        bytes += length / 4 * 3;
    }
    if (status == CUZK_OK)
        status = json_read_end(reader, error);
    json_reader_destroy(reader);
    TRY(status);
    report r;
    report_begin(&r, json, "vanilla proofs (PoSt or SnapDeals)");
    report_number(&r, "proofs", count);
    report_number(&r, "bytes_about", bytes);
    report_end(&r);
    return CUZK_OK;
}

static void report_development(report *r, const char *path, const verifying_key *vk) {
    if (parameters_are_development(path, vk))
        report_text(r, "origin", "development: made by cuzk setup, not from a trusted setup");
    else
        report_text(r, "origin", "not marked as development parameters");
}

static cuzk_status inspect_binary(const char *path, const mapped_file *file, bool json, cuzk_error *error) {
    file_description description;
    file_describe(&description, file, path);
    report r;
    if (description.kind == FILE_UNKNOWN)
        return failure(error, CUZK_BAD_INPUT, "%s", description.reason.message);
    if (description.kind == FILE_PROOFS) {
        report_begin(&r, json, "Groth16 proof");
        report_number(&r, "proofs", description.proofs);
        report_end(&r);
        return CUZK_OK;
    }
    verifying_key vk;
    TRY(verifying_key_decode(&vk, file->data, &description.layout, path, NULL, error));
    bool is_key = description.kind == FILE_VERIFYING_KEY;
    report_begin(&r, json, is_key ? "verifying key" : "parameters");
    for (section s = 0; s < (is_key ? SECTION_H : SECTION_COUNT); s++)
        report_number(&r, section_name(s), description.layout.sections[s].count);
    uint8_t digest[VERIFYING_KEY_DIGEST_BYTES];
    verifying_key_digest(digest, &vk);
    report_bytes32(&r, "key_sha256", digest);
    report_development(&r, path, &vk);
    report_end(&r);
    verifying_key_free(&vk);
    return CUZK_OK;
}

static cuzk_status inspect_file(const char *path, bool json, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    uint64_t at = 0;
    while (at < file.size && strchr(" \t\r\n", file.data[at]))
        at++;
    char first = at < file.size ? (char)file.data[at] : 0;
    cuzk_status status;
    if (first == '{') {
        bool job;
        status = is_job(&file, &job, error);
        if (status != CUZK_OK)
            failure_within(error, status, "%s: ", path);
        else
            status = job ? inspect_job(path, json, error) : inspect_c1(path, json, error);
    } else if (first == '[') {
        status = inspect_vanilla(&file, json, error);
        if (status != CUZK_OK)
            failure_within(error, status, "%s: ", path);
    } else {
        status = inspect_binary(path, &file, json, error);
    }
    mapped_file_close(&file);
    return status;
}

cuzk_status command_inspect(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    bool json = false;
    const option options[] = {OPTION_JSON(&json)};
    const command_line line = {
        .usage = "cuzk inspect FILE",
        .summary = "Says what a .params, .vk, proof, job, C1 or vanilla proof file holds.",
        .example = "cuzk inspect tests/data/jobs/window-post-v1/job.json",
        .options = options,
        .option_count = 1,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : inspect_file(parsed.positional[0], json, error);
    parsed_command_line_free(&parsed);
    return status;
}
