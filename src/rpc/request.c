#include "rpc/request.h"

#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "base/memory.h"

static cuzk_bytes borrow(ProtobufCBinaryData bytes) { return (cuzk_bytes){.data = bytes.data, .length = bytes.len}; }

static void fill(unpacked_request *unpacked, const Cuzk__V1__SubmitProofRequest *m) {
    unpacked->vanilla_proofs = allocate(m->n_vanilla_proofs, sizeof *unpacked->vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        unpacked->vanilla_proofs[i] = borrow(m->vanilla_proofs[i]);
    unpacked->request = (cuzk_request){
        .request_id = {.data = (const uint8_t *)m->request_id, .length = strlen(m->request_id)},
        .proof_kind = (uint32_t)m->proof_kind,
        .priority = (uint32_t)m->priority,
        .sector_size = m->sector_size,
        .registered_proof = m->registered_proof,
        .vanilla_proof = borrow(m->vanilla_proof),
        .vanilla_proofs = unpacked->vanilla_proofs,
        .vanilla_proof_count = m->n_vanilla_proofs,
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
    *unpacked = (unpacked_request){0};
    const ProtobufCMessageDescriptor *descriptor =
        inside_prove ? &cuzk__v1__prove_request__descriptor : &cuzk__v1__submit_proof_request__descriptor;
    TRY(message_unpack(&unpacked->message, &unpacked->allocator, descriptor, data, length, error));
    const Cuzk__V1__SubmitProofRequest *submit = (const Cuzk__V1__SubmitProofRequest *)unpacked->message;
    if (inside_prove)
        submit = ((const Cuzk__V1__ProveRequest *)unpacked->message)->submit;
    if (!submit)
        return failure(error, CUZK_BAD_INPUT, "submit: found nothing, expected the request");
    if (submit->n_vanilla_proofs > CUZK_VANILLA_PROOFS_MAXIMUM)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proofs: found %zu, expected at most %d", submit->n_vanilla_proofs,
                       CUZK_VANILLA_PROOFS_MAXIMUM);
    fill(unpacked, submit);
    return CUZK_OK;
}

void unpacked_request_free(unpacked_request *unpacked) {
    message_free(unpacked->message, &unpacked->allocator);
    free(unpacked->vanilla_proofs);
    *unpacked = (unpacked_request){0};
}
