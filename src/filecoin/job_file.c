/* job.json: a proof request as a file. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "filecoin/job.h"
#include "filecoin/output_directory.h"

enum { MAX_VANILLA_PROOFS = 2349, NAME_CAPACITY = 256 };

/* A job file being read, and what its request points to. */
typedef struct {
    proof_request request;
    char vanilla_proof[NAME_CAPACITY], vanilla_proofs[NAME_CAPACITY]; /* file names; "" where not given */
    stated_sector *sectors;
    size_t sectors_capacity;
    mapped_file file; /* of the vanilla proof or proofs */
    byte_view *proofs;
    size_t proofs_capacity;
} job_file;

/* --- job.json --- */

static cuzk_status read_bytes32(json_reader *reader, optional_bytes32 *bytes, cuzk_error *error) {
    bytes->given = true;
    return json_read_hex(reader, bytes->bytes, 32, error);
}

static cuzk_status read_optional_u64(json_reader *reader, optional_u64 *value, cuzk_error *error) {
    value->given = true;
    return json_read_unsigned(reader, UINT64_MAX, &value->value, error);
}

static cuzk_status read_kind(json_reader *reader, proof_kind *kind, cuzk_error *error) {
    char name[64];
    TRY(json_read_text(reader, name, sizeof name, error));
    if (!proof_kind_from_request_name(kind, name))
        return json_failure(reader, error, "found \"%s\", expected %s, %s, %s or %s", name, proof_kind_request_name(PROOF_POREP),
                            proof_kind_request_name(PROOF_WINNING), proof_kind_request_name(PROOF_WINDOW),
                            proof_kind_request_name(PROOF_SNAP));
    return CUZK_OK;
}

static cuzk_status read_file_name(json_reader *reader, char name[NAME_CAPACITY], cuzk_error *error) {
    TRY(json_read_text(reader, name, NAME_CAPACITY, error));
    if (name[0] == '\0' || strchr(name, '/') != NULL)
        return json_failure(reader, error, "found \"%.80s\", expected the name of a file beside the job", name);
    return CUZK_OK;
}

static cuzk_status read_challenges(json_reader *reader, stated_sector *sector, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (;;) {
        bool more;
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return CUZK_OK;
        if (sector->challenge_count == WINNING_CHALLENGES)
            return json_failure(reader, error, "found another challenge, expected at most %d", WINNING_CHALLENGES);
        TRY(json_read_unsigned(reader, UINT64_MAX, &sector->challenges[sector->challenge_count++], error));
    }
}

static cuzk_status read_sector(json_reader *reader, stated_sector *sector, cuzk_error *error) {
    static const char *const names[] = {"sector_number", "comm_r", "challenges"};
    json_members members = json_members_of(names, 3);
    members.optional = 1u << 2;
    *sector = (stated_sector){0};
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(json_read_unsigned(reader, UINT64_MAX, &sector->number, error)); break;
        case 1: TRY(json_read_hex(reader, sector->comm_r, 32, error)); break;
        case 2: TRY(read_challenges(reader, sector, error)); break;
        default: return CUZK_OK;
        }
    }
}

static cuzk_status read_sectors(json_reader *reader, job_file *file, cuzk_error *error) {
    size_t *count = &file->request.sector_count;
    TRY(json_enter_array(reader, error));
    for (;;) {
        bool more;
        TRY(json_next_element(reader, &more, error));
        if (!more)
            break;
        if (*count == MAX_VANILLA_PROOFS)
            return json_failure(reader, error, "found another sector, expected at most %d", MAX_VANILLA_PROOFS);
        file->sectors = grow_array(file->sectors, *count, &file->sectors_capacity, sizeof *file->sectors);
        TRY(read_sector(reader, &file->sectors[(*count)++], error));
    }
    file->request.sectors = file->sectors;
    return CUZK_OK;
}

enum {
    PROOF_KIND, REGISTERED_PROOF, /* those required come first */
    SECTOR_SIZE, SECTOR_NUMBER, MINER_ID, RANDOMNESS, PARTITION_INDEX, COMM_R_OLD, COMM_R_NEW, COMM_D_NEW, VANILLA_PROOF,
    VANILLA_PROOFS, COMM_R, COMM_D, REPLICA_ID, SEED, TICKET, POREP_ID, PROVER_ID, SECTORS, SPARSE, REQUEST_ID, PRIORITY,
    MEMBER_COUNT
};

static cuzk_status read_members(json_reader *reader, job_file *file, cuzk_error *error) {
    static const char *const names[MEMBER_COUNT] = {
        "proof_kind", "registered_proof", "sector_size", "sector_number", "miner_id", "randomness", "partition_index",
        "comm_r_old", "comm_r_new", "comm_d_new", "vanilla_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed",
        "ticket", "porep_id", "prover_id", "sectors", "sparse", "request_id", "priority"};
    json_members members = json_members_of(names, MEMBER_COUNT);
    members.optional = ~(1u << PROOF_KIND | 1u << REGISTERED_PROOF);
    proof_request *request = &file->request;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case PROOF_KIND: TRY(read_kind(reader, &request->kind, error)); break;
        case REGISTERED_PROOF: TRY(json_read_unsigned(reader, UINT64_MAX, &request->registered_proof, error)); break;
        case SECTOR_SIZE: TRY(json_read_unsigned(reader, UINT64_MAX, &request->sector_size, error)); break;
        case SECTOR_NUMBER: TRY(read_optional_u64(reader, &request->sector_number, error)); break;
        case MINER_ID: TRY(read_optional_u64(reader, &request->miner_id, error)); break;
        case RANDOMNESS: TRY(read_bytes32(reader, &request->randomness, error)); break;
        case PARTITION_INDEX: TRY(json_read_unsigned(reader, UINT32_MAX, &request->partition_index, error)); break;
        case COMM_R_OLD: TRY(read_bytes32(reader, &request->comm_r_old, error)); break;
        case COMM_R_NEW: TRY(read_bytes32(reader, &request->comm_r_new, error)); break;
        case COMM_D_NEW: TRY(read_bytes32(reader, &request->comm_d_new, error)); break;
        case VANILLA_PROOF: TRY(read_file_name(reader, file->vanilla_proof, error)); break;
        case VANILLA_PROOFS: TRY(read_file_name(reader, file->vanilla_proofs, error)); break;
        case COMM_R: TRY(read_bytes32(reader, &request->comm_r, error)); break;
        case COMM_D: TRY(read_bytes32(reader, &request->comm_d, error)); break;
        case REPLICA_ID: TRY(read_bytes32(reader, &request->replica_id, error)); break;
        case SEED: TRY(read_bytes32(reader, &request->seed, error)); break;
        case TICKET: TRY(read_bytes32(reader, &request->ticket, error)); break;
        case POREP_ID: TRY(read_bytes32(reader, &request->porep_id, error)); break;
        case PROVER_ID: TRY(read_bytes32(reader, &request->prover_id, error)); break;
        case SECTORS: TRY(read_sectors(reader, file, error)); break;
        case SPARSE:
        case REQUEST_ID:
        case PRIORITY: TRY(json_skip(reader, error)); break;
        default: return json_read_end(reader, error);
        }
    }
}

static cuzk_status read_job_json(job_file *file, const char *path, cuzk_error *error) {
    mapped_file text;
    TRY(mapped_file_open(&text, path, error));
    json_reader *reader = json_reader_create_memory(text.data, text.size, NULL);
    cuzk_status status = read_members(reader, file, error);
    json_reader_destroy(reader);
    mapped_file_close(&text);
    return status == CUZK_OK ? CUZK_OK : failure_within(error, status, "%s: ", path);
}

/* --- The vanilla proofs beside it --- */

static cuzk_status read_proof(json_reader *reader, byte_view *proof, cuzk_error *error) {
    const char *text;
    size_t length, bad;
    TRY(json_read_string(reader, &text, &length, error));
    uint8_t *bytes = allocate(base64_capacity(length), 1);
    proof->bytes = bytes;
    if (base64_decode(bytes, &proof->size, text, length, &bad))
        return CUZK_OK;
    if (bad == length)
        return json_failure(reader, error, "found %zu characters of base64, expected a multiple of 4", length);
    return json_failure(reader, error, "found character 0x%02x at position %zu, expected base64", (unsigned char)text[bad], bad);
}

/* A JSON array of base64 strings. */
static cuzk_status read_proof_list(json_reader *reader, job_file *file, cuzk_error *error) {
    size_t *count = &file->request.vanilla_proof_count;
    TRY(json_enter_array(reader, error));
    for (;;) {
        bool more;
        TRY(json_next_element(reader, &more, error));
        if (!more)
            break;
        if (*count == MAX_VANILLA_PROOFS)
            return json_failure(reader, error, "found another proof, expected at most %d", MAX_VANILLA_PROOFS);
        file->proofs = grow_array(file->proofs, *count, &file->proofs_capacity, sizeof *file->proofs);
        file->proofs[*count] = (byte_view){0};
        TRY(read_proof(reader, &file->proofs[(*count)++], error));
    }
    file->request.vanilla_proofs = file->proofs;
    return json_read_end(reader, error);
}

static cuzk_status read_vanilla_file(job_file *file, const char *path, cuzk_error *error) {
    TRY(mapped_file_open(&file->file, path, error));
    if (file->request.kind == PROOF_POREP) {
        file->request.vanilla_proof = (byte_view){file->file.data, file->file.size};
        return CUZK_OK;
    }
    json_reader *reader = json_reader_create_memory(file->file.data, file->file.size, NULL);
    cuzk_status status = read_proof_list(reader, file, error);
    json_reader_destroy(reader);
    return status == CUZK_OK ? CUZK_OK : failure_within(error, status, "%s: ", path);
}

/* "directory/name" of a file beside another. */
static char *path_beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return duplicate_string(name);
    char *directory = duplicate_string(path);
    directory[slash - path] = '\0';
    char *result = path_join(directory, name);
    free(directory);
    return result;
}

static cuzk_status load(proof_job *result, job_file *file, const char *path, cuzk_error *error) {
    TRY(read_job_json(file, path, error));
    bool porep = file->request.kind == PROOF_POREP;
    const char *name = porep ? file->vanilla_proof : file->vanilla_proofs;
    if (name[0] == '\0')
        return failure(error, CUZK_BAD_INPUT, "%s: found no \"%s\", expected the name of a file beside the job", path,
                       porep ? "vanilla_proof" : "vanilla_proofs");
    char *vanilla_path = path_beside(path, name);
    file->request.name = path;
    file->request.vanilla_name = vanilla_path;
    cuzk_status status = read_vanilla_file(file, vanilla_path, error);
    if (status == CUZK_OK)
        status = job_from_request(result, &file->request, error);
    free(vanilla_path);
    return status;
}

cuzk_status job_load(proof_job *result, const char *path, cuzk_error *error) {
    job_file file = {0};
    *result = (proof_job){0};
    cuzk_status status = load(result, &file, path, error);
    for (size_t i = 0; i < file.request.vanilla_proof_count; i++)
        free((void *)(uintptr_t)file.proofs[i].bytes);
    free(file.proofs);
    free(file.sectors);
    mapped_file_close(&file.file);
    return status;
}
