#include "rpc/request.h"

#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "base/memory.h"

/* Field numbers of proving.proto. */
enum { PROVE_SUBMIT = 1, SUBMIT_VANILLA_PROOF = 10, SUBMIT_VANILLA_PROOFS = 11 };
enum { LENGTH_DELIMITED = 2 };

/* A SubmitProofRequest in two parts. */
typedef struct {
    cuzk_bytes vanilla_proof;
    cuzk_bytes *vanilla_proofs;
    size_t vanilla_proof_count, capacity;
    uint8_t *rest; /* the other fields' bytes as they came; room for REQUEST_REST_MAXIMUM */
    size_t rest_length;
    bool found; /* at least one submit field, inside a ProveRequest */
} split_request;

static cuzk_status append_proof(split_request *split, const wire_field *field, cuzk_error *error) {
    if (split->vanilla_proof_count == CUZK_VANILLA_PROOFS_MAXIMUM)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proofs: found more than %d", CUZK_VANILLA_PROOFS_MAXIMUM);
    split->vanilla_proofs = grow_array(split->vanilla_proofs, split->vanilla_proof_count, &split->capacity, sizeof(cuzk_bytes));
    split->vanilla_proofs[split->vanilla_proof_count++] = (cuzk_bytes){.data = field->data, .length = field->length};
    return CUZK_OK;
}

static cuzk_status append_rest(split_request *split, const uint8_t *bytes, size_t length, cuzk_error *error) {
    if (length > REQUEST_REST_MAXIMUM - split->rest_length)
        return failure(error, CUZK_BAD_INPUT, "found more than %d bytes in fields other than the vanilla proofs",
                       REQUEST_REST_MAXIMUM);
    memcpy(split->rest + split->rest_length, bytes, length);
    split->rest_length += length;
    return CUZK_OK;
}

/* Sorts a SubmitProofRequest's fields. Called once for each submit field of a ProveRequest: protobuf merges them. */
static cuzk_status split_submit(split_request *split, const uint8_t *data, size_t length, cuzk_error *error) {
    wire_reader reader = wire_read(data, length);
    wire_field field;
    const uint8_t *start = reader.at;
    while (wire_next(&reader, &field)) {
        if (field.number == SUBMIT_VANILLA_PROOF && field.type == LENGTH_DELIMITED)
            split->vanilla_proof = (cuzk_bytes){.data = field.data, .length = field.length};
        else if (field.number == SUBMIT_VANILLA_PROOFS && field.type == LENGTH_DELIMITED)
            TRY(append_proof(split, &field, error));
        else
            TRY(append_rest(split, start, (size_t)(reader.at - start), error));
        start = reader.at;
    }
    if (reader.malformed)
        return failure(error, CUZK_BAD_INPUT, "found bytes that are not a SubmitProofRequest message");
    return CUZK_OK;
}

static cuzk_status split_prove(split_request *split, const uint8_t *data, size_t length, cuzk_error *error) {
    wire_reader reader = wire_read(data, length);
    wire_field field;
    while (wire_next(&reader, &field)) {
        if (field.number != PROVE_SUBMIT)
            continue;
        if (field.type != LENGTH_DELIMITED)
            return failure(error, CUZK_BAD_INPUT, "submit: found a number, expected a message");
        split->found = true;
        TRY(split_submit(split, field.data, field.length, error));
    }
    if (reader.malformed)
        return failure(error, CUZK_BAD_INPUT, "found bytes that are not a ProveRequest message");
    if (!split->found)
        return failure(error, CUZK_BAD_INPUT, "submit: found nothing, expected the request");
    return CUZK_OK;
}

static cuzk_bytes borrow(ProtobufCBinaryData bytes) { return (cuzk_bytes){.data = bytes.data, .length = bytes.len}; }

static void fill(cuzk_request *request, const split_request *split, const Cuzk__V1__SubmitProofRequest *m) {
    *request = (cuzk_request){
        .request_id = {.data = (const uint8_t *)m->request_id, .length = strlen(m->request_id)},
        .proof_kind = (uint32_t)m->proof_kind,
        .priority = (uint32_t)m->priority,
        .sector_size = m->sector_size,
        .registered_proof = m->registered_proof,
        .vanilla_proof = split->vanilla_proof,
        .vanilla_proofs = split->vanilla_proofs,
        .vanilla_proof_count = split->vanilla_proof_count,
        .sector_number = m->sector_number,
        .miner_id = m->miner_id,
        .randomness = borrow(m->randomness),
        .partition_index = m->partition_index,
        .comm_r_old = borrow(m->comm_r_old),
        .comm_r_new = borrow(m->comm_r_new),
        .comm_d_new = borrow(m->comm_d_new),
    };
}

cuzk_status request_unpack(unpacked_request *unpacked, const uint8_t *data, size_t length, bool inside_prove, cuzk_error *error) {
    split_request split = {.rest = allocate(REQUEST_REST_MAXIMUM, 1)};
    *unpacked = (unpacked_request){0};
    cuzk_status status = inside_prove ? split_prove(&split, data, length, error) : split_submit(&split, data, length, error);
    if (status == CUZK_OK)
        status = message_unpack(&unpacked->message, &unpacked->allocator, &cuzk__v1__submit_proof_request__descriptor, split.rest,
                                split.rest_length, error);
    free(split.rest);
    unpacked->vanilla_proofs = split.vanilla_proofs;
    if (status == CUZK_OK)
        fill(&unpacked->request, &split, (const Cuzk__V1__SubmitProofRequest *)unpacked->message);
    return status;
}

void unpacked_request_free(unpacked_request *unpacked) {
    message_free(unpacked->message, &unpacked->allocator);
    free(unpacked->vanilla_proofs);
    *unpacked = (unpacked_request){0};
}
