#include "engine/request_codec.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

static const char magic[8] = {'c', 'u', 'z', 'k', 'r', 'e', 'q', '1'};

enum { HEAD_BYTES = 8 + 2 * 4 + 4 * 8 + 4 };

static void encode_head(uint8_t head[HEAD_BYTES], const cuzk_request *request) {
    memcpy(head, magic, sizeof magic);
    store_u32_le(head + 8, request->proof_kind);
    store_u32_le(head + 12, request->priority);
    store_u64_le(head + 16, request->sector_size);
    store_u64_le(head + 24, request->registered_proof);
    store_u64_le(head + 32, request->sector_number);
    store_u64_le(head + 40, request->miner_id);
    store_u32_le(head + 48, request->partition_index);
}

static bool encode_length(uint64_t length, byte_sink sink, void *context) {
    uint8_t bytes[8];
    store_u64_le(bytes, length);
    return sink(context, bytes, sizeof bytes);
}

static bool encode_bytes(cuzk_bytes bytes, byte_sink sink, void *context) {
    return encode_length(bytes.length, sink, context) && (bytes.length == 0 || sink(context, bytes.data, bytes.length));
}

bool request_encode(const cuzk_request *request, byte_sink sink, void *context) {
    uint8_t head[HEAD_BYTES];
    encode_head(head, request);
    const cuzk_bytes strings[] = {request->request_id, request->randomness, request->comm_r_old,
                                  request->comm_r_new, request->comm_d_new, request->vanilla_proof};
    if (!sink(context, head, sizeof head))
        return false;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (!encode_bytes(strings[i], sink, context))
            return false;
    if (!encode_length(request->vanilla_proof_count, sink, context))
        return false;
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        if (!encode_bytes(request->vanilla_proofs[i], sink, context))
            return false;
    return true;
}

static bool count_sink(void *context, const void *bytes, size_t length) {
    (void)bytes;
    *(uint64_t *)context += length;
    return true;
}

uint64_t request_encoded_bytes(const cuzk_request *request) {
    uint64_t count = 0;
    request_encode(request, count_sink, &count);
    return count;
}

static bool digest_sink(void *context, const void *bytes, size_t length) { return EVP_DigestUpdate(context, bytes, length) == 1; }

/* libcrypto fails here only when memory is out, which allocate() treats alike. */
static EVP_MD_CTX *begin_digest(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        fputs("cuzk: out of memory: SHA-256\n", stderr);
        abort();
    }
    return context;
}

void request_digest(uint8_t digest[REQUEST_DIGEST_BYTES], const cuzk_request *request) {
    EVP_MD_CTX *context = begin_digest();
    request_encode(request, digest_sink, context);
    EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
}

void bytes_digest(uint8_t digest[REQUEST_DIGEST_BYTES], const void *bytes, size_t length) {
    EVP_MD_CTX *context = begin_digest();
    EVP_DigestUpdate(context, bytes, length);
    EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
}

/* What is left to read. */
typedef struct {
    const uint8_t *at;
    size_t left;
} reader;

static bool read_u64(reader *in, uint64_t *value) {
    if (in->left < 8)
        return false;
    *value = load_u64_le(in->at);
    in->at += 8;
    in->left -= 8;
    return true;
}

static bool read_bytes(reader *in, cuzk_bytes *bytes) {
    uint64_t length;
    if (!read_u64(in, &length) || length > in->left)
        return false;
    *bytes = (cuzk_bytes){.data = in->at, .length = (size_t)length};
    in->at += length;
    in->left -= (size_t)length;
    return true;
}

static bool read_proofs(reader *in, cuzk_request *request) {
    uint64_t count;
    if (!read_u64(in, &count) || count > in->left / 8)
        return false;
    cuzk_bytes *proofs = allocate((size_t)count, sizeof *proofs);
    request->vanilla_proofs = proofs;
    request->vanilla_proof_count = (size_t)count;
    for (size_t i = 0; i < count; i++)
        if (!read_bytes(in, &proofs[i]))
            return false;
    return true;
}

cuzk_status request_decode(cuzk_request *request, const uint8_t *bytes, size_t length, cuzk_error *error) {
    *request = (cuzk_request){0};
    if (length < HEAD_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
        return failure(error, CUZK_BAD_INPUT, "not a stored request: found %zu bytes, expected at least %d beginning with cuzkreq1", length,
                       HEAD_BYTES);
    request->proof_kind = load_u32_le(bytes + 8);
    request->priority = load_u32_le(bytes + 12);
    request->sector_size = load_u64_le(bytes + 16);
    request->registered_proof = load_u64_le(bytes + 24);
    request->sector_number = load_u64_le(bytes + 32);
    request->miner_id = load_u64_le(bytes + 40);
    request->partition_index = load_u32_le(bytes + 48);
    reader in = {.at = bytes + HEAD_BYTES, .left = length - HEAD_BYTES};
    cuzk_bytes *const strings[] = {&request->request_id, &request->randomness, &request->comm_r_old,
                                   &request->comm_r_new, &request->comm_d_new, &request->vanilla_proof};
    bool whole = true;
    for (size_t i = 0; whole && i < sizeof strings / sizeof *strings; i++)
        whole = read_bytes(&in, strings[i]);
    if (!whole || !read_proofs(&in, request) || in.left != 0) {
        request_decoded_free(request);
        return failure(error, CUZK_BAD_INPUT, "damaged stored request: its lengths do not add up to its %zu bytes", length);
    }
    return CUZK_OK;
}

void request_decoded_free(cuzk_request *request) {
    free((void *)(uintptr_t)request->vanilla_proofs);
    *request = (cuzk_request){0};
}

static cuzk_status check_hash(const char *field, cuzk_bytes bytes, cuzk_error *error) {
    if (bytes.length != 0 && bytes.length != 32)
        return failure(error, CUZK_BAD_INPUT, "%s: found %zu bytes, expected 32", field, bytes.length);
    return CUZK_OK;
}

/* What is to be proved stands in one of two fields, by kind; both would leave open which of them counts. */
static cuzk_status check_inputs(const cuzk_request *request, cuzk_error *error) {
    const char *kind = cuzk_proof_kind_name(request->proof_kind);
    if (request->proof_kind == CUZK_POREP_SEAL_COMMIT && request->vanilla_proof_count > 0)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proofs: found %zu, expected none, as %s has its input in vanilla_proof",
                       request->vanilla_proof_count, kind);
    if (request->proof_kind != CUZK_POREP_SEAL_COMMIT && request->vanilla_proof.length > 0)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proof: found %zu bytes, expected none, as %s has its input in vanilla_proofs",
                       request->vanilla_proof.length, kind);
    return CUZK_OK;
}

cuzk_status request_check(const cuzk_request *request, uint64_t maximum_bytes, cuzk_error *error) {
    if (request->proof_kind == CUZK_KIND_UNSPECIFIED || request->proof_kind >= CUZK_PROOF_KIND_COUNT)
        return failure(error, CUZK_BAD_INPUT, "proof_kind: found %u, expected 1 (POREP_SEAL_COMMIT) to 4 (WINNING_POST)",
                       request->proof_kind);
    if (request->priority >= CUZK_PRIORITY_COUNT)
        return failure(error, CUZK_BAD_INPUT, "priority: found %u, expected 0 (unspecified) to 4 (CRITICAL)", request->priority);
    if (request->request_id.length > CUZK_REQUEST_ID_MAXIMUM)
        return failure(error, CUZK_BAD_INPUT, "request_id: found %zu bytes, expected at most %d", request->request_id.length,
                       CUZK_REQUEST_ID_MAXIMUM);
    if (request->vanilla_proof_count > CUZK_VANILLA_PROOFS_MAXIMUM)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proofs: found %zu, expected at most %d", request->vanilla_proof_count,
                       CUZK_VANILLA_PROOFS_MAXIMUM);
    TRY(check_inputs(request, error));
    TRY(check_hash("randomness", request->randomness, error));
    TRY(check_hash("comm_r_old", request->comm_r_old, error));
    TRY(check_hash("comm_r_new", request->comm_r_new, error));
    TRY(check_hash("comm_d_new", request->comm_d_new, error));
    uint64_t bytes = request_encoded_bytes(request);
    if (bytes > maximum_bytes)
        return failure(error, CUZK_BAD_INPUT, "request: found %llu bytes, expected at most %llu", (unsigned long long)bytes,
                       (unsigned long long)maximum_bytes);
    return CUZK_OK;
}

void request_label(char *label, size_t capacity, cuzk_bytes request_id) {
    size_t length = request_id.length < capacity - 1 ? request_id.length : capacity - 1;
    for (size_t i = 0; i < length; i++) {
        uint8_t c = request_id.data[i];
        label[i] = c >= 0x20 && c < 0x7f && !strchr("<>&\"'\\`$%", c) ? (char)c : '?';
    }
    label[length] = 0;
    if (length < request_id.length && length >= 3)
        memcpy(label + length - 3, "...", 3);
}
