/* The daemon's request parser: protobuf unpacking in bounded memory, strings, and the checks that need no proof format. The
 * first byte chooses the message; what follows are its bytes. A request that is taken must equal what protobuf-c makes of the
 * same bytes. */
#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "cuzk/engine.h"
#include "engine/request_codec.h"
#include "rpc/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static bool same_bytes(cuzk_bytes a, ProtobufCBinaryData b) {
    return a.length == b.len && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static void require_equal(const cuzk_request *r, const Cuzk__V1__SubmitProofRequest *m) {
    require(r->request_id.length == strlen(m->request_id) &&
            memcmp(r->request_id.data, m->request_id, r->request_id.length) == 0);
    require(r->proof_kind == (uint32_t)m->proof_kind && r->priority == (uint32_t)m->priority);
    require(r->sector_size == m->sector_size && r->registered_proof == m->registered_proof);
    require(r->sector_number == m->sector_number && r->miner_id == m->miner_id && r->partition_index == m->partition_index);
    require(same_bytes(r->vanilla_proof, m->vanilla_proof) && same_bytes(r->randomness, m->randomness));
    require(same_bytes(r->comm_r_old, m->comm_r_old) && same_bytes(r->comm_r_new, m->comm_r_new));
    require(same_bytes(r->comm_d_new, m->comm_d_new) && r->vanilla_proof_count == m->n_vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        require(same_bytes(r->vanilla_proofs[i], m->vanilla_proofs[i]));
}

static size_t count_fields(const uint8_t *data, size_t size, uint32_t number) {
    wire_reader reader = wire_read(data, size);
    wire_field field;
    size_t count = 0;
    while (wire_next(&reader, &field))
        count += field.number == number;
    return count;
}

static void compare(const cuzk_request *request, const uint8_t *data, size_t size, bool inside_prove) {
    if (inside_prove && count_fields(data, size, 1) > 1)
        return; /* protobuf-c 1.4 does not merge the numbers of two submit fields, as protobuf's rule is; request_unpack does */
    if (inside_prove) {
        Cuzk__V1__ProveRequest *prove = cuzk__v1__prove_request__unpack(NULL, size, data);
        require(prove && prove->submit);
        require_equal(request, prove->submit);
        cuzk__v1__prove_request__free_unpacked(prove, NULL);
    } else {
        Cuzk__V1__SubmitProofRequest *submit = cuzk__v1__submit_proof_request__unpack(NULL, size, data);
        require(submit);
        require_equal(request, submit);
        cuzk__v1__submit_proof_request__free_unpacked(submit, NULL);
    }
}

static void parse_request(const uint8_t *data, size_t size, bool inside_prove) {
    unpacked_request unpacked;
    cuzk_error error = {0};
    if (request_unpack(&unpacked, data, size, inside_prove, &error) == CUZK_OK) {
        char label[CUZK_REQUEST_LABEL_CAPACITY];
        uint8_t digest[REQUEST_DIGEST_BYTES];
        compare(&unpacked.request, data, size, inside_prove);
        request_label(label, sizeof label, unpacked.request.request_id);
        request_digest(digest, &unpacked.request);
        if (request_check(&unpacked.request, UINT64_C(1) << 28, &error) != CUZK_OK)
            require(error.message[0] != 0);
    } else {
        require(error.message[0] != 0);
    }
    unpacked_request_free(&unpacked);
}

static void parse_message(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t size) {
    ProtobufCMessage *message;
    bounded_allocator allocator;
    cuzk_error error = {0};
    if (message_unpack(&message, &allocator, descriptor, data, size, &error) == CUZK_OK)
        message_free(message, &allocator);
    else
        require(message == NULL && error.message[0] != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t nothing[1];
    if (size == 0)
        return 0;
    const uint8_t *bytes = size > 1 ? data + 1 : nothing;
    switch (data[0] % 6) {
    case 0: parse_request(bytes, size - 1, false); break;
    case 1: parse_request(bytes, size - 1, true); break;
    case 2: parse_message(&cuzk__v1__await_proof_request__descriptor, bytes, size - 1); break;
    case 3: parse_message(&cuzk__v1__cancel_proof_request__descriptor, bytes, size - 1); break;
    case 4: parse_message(&cuzk__v1__preload_srs_request__descriptor, bytes, size - 1); break;
    default: parse_message(&cuzk__v1__prove_request__descriptor, bytes, size - 1); break;
    }
    return 0;
}
