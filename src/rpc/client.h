/* A gRPC client on the C core, for cuzk-bench: unary calls that block. */
#ifndef RPC_CLIENT_H
#define RPC_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/error.h"
#include "cuzk/request.h"
#include "rpc/status.h"

typedef struct rpc_client rpc_client;

typedef struct {
    const char *address; /* "http://127.0.0.1:9820", "https://host:9820", "unix:///path" */
    /* PEM texts for https, or NULL: authorities the server's certificate is checked against (NULL: the system's), and our
     * own certificate and key for mutual TLS. */
    const char *authorities, *certificate, *key;
} rpc_client_options;

/* rpc_library_init comes first. Does not connect yet; each client has a connection of its own. CUZK_BAD_INPUT: --addr is no
 * address. */
cuzk_status rpc_client_create(rpc_client **client, const rpc_client_options *options, cuzk_error *error);
/* NULL is fine. */
void rpc_client_destroy(rpc_client *client);

/* What a call came to. */
typedef struct {
    grpc_status_code status;
    char warning[256]; /* trailing metadata "cuzk-warning", or empty */
} rpc_call_outcome;

/* Parts up to this are copied, larger ones are not. */
enum { RPC_COPIED_PART_MAXIMUM = 4096 };

/* Calls a method with a message given in parts, which follow each other; any thread may call. The bytes of large parts must
 * stay until rpc_library_shutdown: the connection may still hold them after a call that was cut short. timeout_ms
 * 0: waits for ever. On CUZK_OK *reply is the unpacked reply (protobuf_c_message_free_unpacked with a NULL allocator);
 * otherwise the error's message begins with the gRPC status ("NOT_FOUND: job_id ..."). outcome may be NULL. */
cuzk_status rpc_client_call(rpc_client *client, const char *method, const cuzk_bytes *parts, size_t part_count,
                            uint64_t timeout_ms, const ProtobufCMessageDescriptor *reply_descriptor, ProtobufCMessage **reply,
                            rpc_call_outcome *outcome, cuzk_error *error);

/* The same with a message of at most RPC_COPIED_PART_MAXIMUM bytes. */
cuzk_status rpc_client_call_message(rpc_client *client, const char *method, const ProtobufCMessage *request, uint64_t timeout_ms,
                                    const ProtobufCMessageDescriptor *reply_descriptor, ProtobufCMessage **reply,
                                    rpc_call_outcome *outcome, cuzk_error *error);

#endif
