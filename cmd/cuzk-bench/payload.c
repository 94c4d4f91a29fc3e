#include "payload.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <proving.pb-c.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json_reader.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "filecoin/c1.h"

enum { HASH_BYTES = 32, PATH_CAPACITY_MAXIMUM = 4096 };

/* A request being put together; owns what the message points to. */
typedef struct {
    Cuzk__V1__SubmitProofRequest message;
    uint8_t randomness[HASH_BYTES], comm_r_old[HASH_BYTES], comm_r_new[HASH_BYTES], comm_d_new[HASH_BYTES];
    mapped_file c1;
    size_t proof_capacity;
} draft;

static void draft_free(draft *d) {
    for (size_t i = 0; i < d->message.n_vanilla_proofs; i++)
        free(d->message.vanilla_proofs[i].data);
    free(d->message.vanilla_proofs);
    mapped_file_close(&d->c1);
}

/* ---- Vanilla proofs ------------------------------------------------------------------------------------------------- */

static cuzk_status append_base64(draft *d, json_reader *reader, cuzk_error *error) {
    const char *text;
    size_t length, bad, count;
    TRY(json_read_string(reader, &text, &length, error));
    uint8_t *bytes = allocate(base64_capacity(length), 1);
    if (!base64_decode(bytes, &count, text, length, &bad)) {
        free(bytes);
        return json_failure(reader, error, "found no base64 at character %zu", bad);
    }
    Cuzk__V1__SubmitProofRequest *m = &d->message;
    m->vanilla_proofs = grow_array(m->vanilla_proofs, m->n_vanilla_proofs, &d->proof_capacity, sizeof *m->vanilla_proofs);
    m->vanilla_proofs[m->n_vanilla_proofs++] = (ProtobufCBinaryData){.data = bytes, .len = count};
    return CUZK_OK;
}

static cuzk_status read_proof_array(draft *d, json_reader *reader, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (bool more;;) {
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return json_read_end(reader, error);
        TRY(append_base64(d, reader, error));
    }
}

static cuzk_status read_one_proof(draft *d, json_reader *reader, cuzk_error *error) {
    TRY(append_base64(d, reader, error));
    return json_read_end(reader, error);
}

/* A JSON array of base64 strings, or a single one. */
static cuzk_status read_vanilla(draft *d, const char *path, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    uint64_t blank = 0;
    while (blank < file.size && strchr(" \t\r\n", file.data[blank]))
        blank++;
    json_reader *reader = json_reader_create_memory(file.data, (size_t)file.size, NULL);
    bool single = blank < file.size && file.data[blank] == '"';
    cuzk_status status = single ? read_one_proof(d, reader, error) : read_proof_array(d, reader, error);
    json_reader_destroy(reader);
    mapped_file_close(&file);
    if (status != CUZK_OK)
        return failure_within(error, status, "%s: ", path);
    return CUZK_OK;
}

static cuzk_status read_c1(draft *d, const char *path, cuzk_error *error) {
    TRY(mapped_file_open(&d->c1, path, error));
    d->message.vanilla_proof = (ProtobufCBinaryData){.data = (uint8_t *)(uintptr_t)d->c1.data, .len = (size_t)d->c1.size};
    return CUZK_OK;
}

/* ---- From options --------------------------------------------------------------------------------------------------- */

static cuzk_status parse_kind(Cuzk__V1__ProofKind *kind, const char *text, cuzk_error *error) {
    static const struct {
        const char *name;
        cuzk_proof_kind kind;
    } names[] = {
        {"porep", CUZK_POREP_SEAL_COMMIT},
        {"porep-c2", CUZK_POREP_SEAL_COMMIT},
        {"seal-commit", CUZK_POREP_SEAL_COMMIT},
        {"snap", CUZK_SNAP_DEALS_UPDATE},
        {"snap-deals", CUZK_SNAP_DEALS_UPDATE},
        {"update", CUZK_SNAP_DEALS_UPDATE},
        {"wpost", CUZK_WINDOW_POST_PARTITION},
        {"window-post", CUZK_WINDOW_POST_PARTITION},
        {"windowpost", CUZK_WINDOW_POST_PARTITION},
        {"winning", CUZK_WINNING_POST},
        {"winning-post", CUZK_WINNING_POST},
        {"winningpost", CUZK_WINNING_POST},
        {"POREP_SEAL_COMMIT", CUZK_POREP_SEAL_COMMIT},
        {"SNAP_DEALS_UPDATE", CUZK_SNAP_DEALS_UPDATE},
        {"WINDOW_POST_PARTITION", CUZK_WINDOW_POST_PARTITION},
        {"WINNING_POST", CUZK_WINNING_POST},
    };
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i].name) == 0) {
            *kind = (Cuzk__V1__ProofKind)names[i].kind;
            return CUZK_OK;
        }
    return failure(error, CUZK_BAD_INPUT, "--type: found %s, expected porep, snap, wpost or winning", text ? text : "nothing");
}

static cuzk_status parse_priority(Cuzk__V1__Priority *priority, const char *text, cuzk_error *error) {
    static const char *const names[] = {"", "low", "normal", "high", "critical"};
    if (!text)
        return CUZK_OK;
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i]) == 0) {
            *priority = (Cuzk__V1__Priority)i;
            return CUZK_OK;
        }
    return failure(error, CUZK_BAD_INPUT, "--priority: found %s, expected low, normal, high or critical", text);
}

static cuzk_status set_hash(ProtobufCBinaryData *field, uint8_t bytes[HASH_BYTES], const char *option_name, const char *text,
                            cuzk_error *error) {
    if (!text)
        return CUZK_OK;
    if (!hex_decode(bytes, HASH_BYTES, text))
        return failure(error, CUZK_BAD_INPUT, "--%s: found %zu characters, expected 64 hexadecimal digits", option_name,
                       strlen(text));
    *field = (ProtobufCBinaryData){.data = bytes, .len = HASH_BYTES};
    return CUZK_OK;
}

static cuzk_status set_hashes(draft *d, const job_options *o, cuzk_error *error) {
    TRY(set_hash(&d->message.randomness, d->randomness, "randomness", o->randomness, error));
    TRY(set_hash(&d->message.comm_r_old, d->comm_r_old, "comm-r-old", o->comm_r_old, error));
    TRY(set_hash(&d->message.comm_r_new, d->comm_r_new, "comm-r-new", o->comm_r_new, error));
    return set_hash(&d->message.comm_d_new, d->comm_d_new, "comm-d-new", o->comm_d_new, error);
}

/* The C1 output itself says which proof and sector it is for. */
static cuzk_status take_from_c1(draft *d, const char *path, cuzk_error *error) {
    c1_output c1;
    if (c1_parse(&c1, d->c1.data, (size_t)d->c1.size, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "%s: ", path);
    d->message.registered_proof = c1.proof->number;
    if (c1.has_sector_number)
        d->message.sector_number = c1.sector_number;
    c1_free(&c1);
    return CUZK_OK;
}

static cuzk_status fill_from_options(draft *d, const job_options *o, cuzk_error *error) {
    TRY(parse_kind(&d->message.proof_kind, o->type, error));
    bool porep = d->message.proof_kind == CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    const char *file = porep ? o->c1 : o->vanilla;
    if (!file)
        return failure(error, CUZK_BAD_INPUT,
                       "--%s: found nothing, expected the %s; 'cuzk-bench gen-vanilla' makes one from a sealed sector",
                       porep ? "c1" : "vanilla", porep ? "C1 output (JSON)" : "vanilla proofs (JSON)");
    d->message.sector_number = o->sector_number;
    d->message.miner_id = o->miner_id;
    d->message.partition_index = (uint32_t)o->partition;
    d->message.registered_proof = o->registered_proof == JOB_UNSET ? 0 : o->registered_proof;
    TRY(set_hashes(d, o, error));
    if (!porep)
        return read_vanilla(d, file, error);
    TRY(read_c1(d, file, error));
    return o->registered_proof == JOB_UNSET ? take_from_c1(d, file, error) : CUZK_OK;
}

/* ---- From a job file ------------------------------------------------------------------------------------------------ */

/* The path of a file that a job names: beside the job. */
static void path_beside(char path[PATH_CAPACITY_MAXIMUM], const char *job_path, const char *name) {
    const char *slash = strrchr(job_path, '/');
    snprintf(path, PATH_CAPACITY_MAXIMUM, "%.*s%s", slash ? (int)(slash + 1 - job_path) : 0, job_path, name);
}

static cuzk_status read_hash(ProtobufCBinaryData *field, uint8_t bytes[HASH_BYTES], json_reader *reader, cuzk_error *error) {
    TRY(json_read_hex(reader, bytes, HASH_BYTES, error));
    *field = (ProtobufCBinaryData){.data = bytes, .len = HASH_BYTES};
    return CUZK_OK;
}

enum {
    MEMBER_KIND,
    MEMBER_REGISTERED_PROOF,
    MEMBER_SECTOR_SIZE,
    MEMBER_SECTOR_NUMBER,
    MEMBER_MINER_ID,
    MEMBER_PARTITION_INDEX,
    MEMBER_RANDOMNESS,
    MEMBER_COMM_R_OLD,
    MEMBER_COMM_R_NEW,
    MEMBER_COMM_D_NEW,
    MEMBER_VANILLA_PROOF,
    MEMBER_VANILLA_PROOFS,
    MEMBER_COUNT
};

/* Reads one member of a job.json; file receives the name of the vanilla proofs' file. */
static cuzk_status read_member(draft *d, int member, json_reader *reader, char file[256], cuzk_error *error) {
    Cuzk__V1__SubmitProofRequest *m = &d->message;
    char text[64];
    uint64_t index = 0;
    switch (member) {
    case MEMBER_KIND: TRY(json_read_text(reader, text, sizeof text, error)); return parse_kind(&m->proof_kind, text, error);
    case MEMBER_REGISTERED_PROOF: return json_read_unsigned(reader, UINT64_MAX, &m->registered_proof, error);
    case MEMBER_SECTOR_SIZE: return json_read_unsigned(reader, UINT64_MAX, &m->sector_size, error);
    case MEMBER_SECTOR_NUMBER: return json_read_unsigned(reader, UINT64_MAX, &m->sector_number, error);
    case MEMBER_MINER_ID: return json_read_unsigned(reader, UINT64_MAX, &m->miner_id, error);
    case MEMBER_PARTITION_INDEX:
        TRY(json_read_unsigned(reader, UINT32_MAX, &index, error));
        m->partition_index = (uint32_t)index;
        return CUZK_OK;
    case MEMBER_RANDOMNESS: return read_hash(&m->randomness, d->randomness, reader, error);
    case MEMBER_COMM_R_OLD: return read_hash(&m->comm_r_old, d->comm_r_old, reader, error);
    case MEMBER_COMM_R_NEW: return read_hash(&m->comm_r_new, d->comm_r_new, reader, error);
    case MEMBER_COMM_D_NEW: return read_hash(&m->comm_d_new, d->comm_d_new, reader, error);
    default: return json_read_text(reader, file, 256, error); /* vanilla_proof, vanilla_proofs */
    }
}

static cuzk_status read_members(draft *d, json_reader *reader, char file[256], cuzk_error *error) {
    static const char *const names[MEMBER_COUNT] = {"proof_kind", "registered_proof", "sector_size",   "sector_number",
                                                    "miner_id",   "partition_index",  "randomness",    "comm_r_old",
                                                    "comm_r_new", "comm_d_new",       "vanilla_proof", "vanilla_proofs"};
    json_members members = json_members_of(names, MEMBER_COUNT);
    members.optional = ((uint32_t)1 << MEMBER_COUNT) - 1;
    members.optional &= ~((uint32_t)1 << MEMBER_KIND);
    members.skip_unknown = true;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            return json_read_end(reader, error);
        TRY(read_member(d, member, reader, file, error));
    }
}

static cuzk_status fill_from_job(draft *d, const char *job_path, cuzk_error *error) {
    mapped_file job;
    char file[256] = "", path[PATH_CAPACITY_MAXIMUM];
    TRY(mapped_file_open(&job, job_path, error));
    json_reader *reader = json_reader_create_memory(job.data, (size_t)job.size, NULL);
    cuzk_status status = read_members(d, reader, file, error);
    json_reader_destroy(reader);
    mapped_file_close(&job);
    if (status != CUZK_OK)
        return failure_within(error, status, "%s: ", job_path);
    if (!*file)
        return failure(error, CUZK_BAD_INPUT, "%s: vanilla_proof, vanilla_proofs: found neither, expected the name of a file",
                       job_path);
    path_beside(path, job_path, file);
    return d->message.proof_kind == CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT ? read_c1(d, path, error)
                                                                            : read_vanilla(d, path, error);
}

/* ---- Packing -------------------------------------------------------------------------------------------------------- */

static void name_payload(payload *p, const job_options *options, const char *job_path) {
    if (!job_path) {
        snprintf(p->name, sizeof p->name, "%s", options->type);
        return;
    }
    char copy[PATH_CAPACITY_MAXIMUM]; /* the job's folder names it: .../winning-post/job.json */
    snprintf(copy, sizeof copy, "%s", job_path);
    char *slash = strrchr(copy, '/');
    if (slash)
        *slash = 0;
    const char *folder = strrchr(copy, '/');
    snprintf(p->name, sizeof p->name, "%.60s", folder ? folder + 1 : copy);
}

cuzk_status payload_create(payload *p, const job_options *options, const char *job_path, cuzk_error *error) {
    draft d = {.message = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT};
    *p = (payload){0};
    cuzk_status status = job_path ? fill_from_job(&d, job_path, error) : fill_from_options(&d, options, error);
    if (status == CUZK_OK)
        status = parse_priority(&d.message.priority, options->priority, error);
    if (status == CUZK_OK) {
        name_payload(p, options, job_path);
        p->body_length = cuzk__v1__submit_proof_request__get_packed_size(&d.message);
        p->body = allocate(p->body_length, 1);
        cuzk__v1__submit_proof_request__pack(&d.message, p->body);
    }
    draft_free(&d);
    return status;
}

void payload_free(payload *p) {
    free(p->body);
    *p = (payload){0};
}

static size_t put_varint(uint8_t *to, uint64_t value) {
    size_t length = 0;
    for (; value >= 0x80; value >>= 7)
        to[length++] = (uint8_t)(value | 0x80);
    to[length++] = (uint8_t)value;
    return length;
}

/* Field numbers of proving.proto, with the wire type. */
enum { TAG_SUBMIT = 1 << 3 | 2, TAG_REQUEST_ID = 1 << 3 | 2, TAG_PRIORITY = 5 << 3 | 0 };

void payload_frame(framed_request *framed, const payload *p, const char *request_id, cuzk_priority priority, bool inside_prove) {
    uint8_t fields[400];
    size_t id_length = strnlen(request_id, 256), length = 0, at = 0;
    fields[length++] = TAG_REQUEST_ID;
    length += put_varint(fields + length, id_length);
    memcpy(fields + length, request_id, id_length);
    length += id_length;
    size_t behind = 0; /* the priority stands behind the payload's own, as the last one counts */
    uint8_t last[2] = {TAG_PRIORITY, (uint8_t)priority};
    if (priority != CUZK_PRIORITY_UNSPECIFIED)
        behind = sizeof last;
    if (inside_prove) {
        framed->head[at++] = TAG_SUBMIT;
        at += put_varint(framed->head + at, length + p->body_length + behind);
    }
    memcpy(framed->head + at, fields, length);
    framed->parts[0] = (cuzk_bytes){.data = framed->head, .length = at + length};
    framed->parts[1] = (cuzk_bytes){.data = p->body, .length = p->body_length};
    memcpy(framed->tail, last, sizeof last);
    framed->parts[2] = (cuzk_bytes){.data = framed->tail, .length = behind};
}
