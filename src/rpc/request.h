/* SubmitProofRequest and ProveRequest as a cuzk_request. */
#ifndef RPC_REQUEST_H
#define RPC_REQUEST_H

#include "cuzk/request.h"
#include "rpc/wire.h"

/* What the fields of a request may take besides its vanilla proofs. */
enum { REQUEST_REST_MAXIMUM = 64 << 10 };

/* Must not be moved once unpacked: the allocator points into itself. */
typedef struct {
    cuzk_request request; /* its vanilla proofs borrow from the message's bytes, the rest from message */
    ProtobufCMessage *message;
    bounded_allocator allocator;
    cuzk_bytes *vanilla_proofs;
} unpacked_request;

/* Unpacks the bytes of a SubmitProofRequest, or of a ProveRequest when inside_prove (a missing submit field is
 * CUZK_BAD_INPUT). The vanilla proofs, nearly all of it, stay where they are: data must outlive unpacked. Everything else is
 * unpacked by protobuf-c. Checks the message, its strings and the number of vanilla_proofs; what the fields mean is
 * cuzk_engine_submit's to check. Free with unpacked_request_free, also after a failure. */
cuzk_status request_unpack(unpacked_request *unpacked, const uint8_t *data, size_t length, bool inside_prove, cuzk_error *error);
void unpacked_request_free(unpacked_request *unpacked);

#endif
