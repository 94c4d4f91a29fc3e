/* The gRPC server on gRPC's C core: a table of methods, each call on a thread of its own with blocking reads and writes.
 *
 * Two poller threads move bytes and complete operations; a handler thread waits for its call's operations. A message is
 * taken from the connection only when the handler asks for it: until then HTTP/2 flow control holds the client, and its
 * message costs nothing here. */
#ifndef RPC_SERVER_H
#define RPC_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/memory.h"
#include "rpc/status.h"
#include "rpc/wire.h"

typedef struct rpc_server rpc_server;
typedef struct rpc_call rpc_call;

/* Reads, answers and finishes the call, exactly once, before it returns. */
typedef void (*rpc_handler)(rpc_call *call, void *context);

typedef enum {
    RPC_SHORT, /* answers at once */
    RPC_LONG,  /* may wait for hours, and is worth waiting for when the server stops */
    RPC_WATCH  /* a stream that lasts as long as the client likes */
} rpc_duration;
enum { RPC_DURATION_COUNT = 3 };

typedef struct {
    const char *path; /* "/cuzk.v1.ProvingEngine/Prove"; static */
    rpc_handler handle;
    void *context;
    rpc_duration duration;
} rpc_method;

enum { RPC_SMALL_MESSAGE_MAXIMUM = 64 << 10 };

/* Calls ended, by status. */
typedef struct {
    atomic_uint_fast64_t ended[RPC_STATUS_COUNT];
} rpc_counters;

/* PEM texts for TLS on the TCP addresses, or NULL: plain. client_authorities: mutual TLS. */
typedef struct {
    const char *certificate, *key, *client_authorities;
} rpc_certificates;

/* Borrowed until rpc_server_start returns; methods until rpc_server_stop does. */
typedef struct {
    const char *const *addresses; /* as parse_listen_address reads them */
    size_t address_count;
    rpc_certificates certificates;
    uint64_t max_message_bytes; /* of a received message */
    const rpc_method *methods;
    size_t method_count;
} rpc_server_options;

/* grpc_init and grpc's own log lines through base/log.h. Call before any other function here; undo with
 * rpc_library_shutdown once everything is stopped. Signals should be blocked before: the library starts threads. */
void rpc_library_init(void);
void rpc_library_shutdown(void);

/* Binds every address and serves. CUZK_BAD_INPUT: an address or certificate that is none; CUZK_UNAVAILABLE: in use,
 * by another daemon or program. A Unix socket is guarded by a lock file beside it and gets mode 0660. */
cuzk_status rpc_server_start(rpc_server **server, const rpc_server_options *options, cuzk_error *error);

/* The addresses as bound (a port 0 replaced by the real one), one after another with ", " between. */
const char *rpc_server_addresses(const rpc_server *server);

/* Gives connections made from now on other certificates, of a server that was started with some and, if with authorities,
 * with authorities. Whether they are usable is for the caller to know. */
void rpc_server_renew_certificates(rpc_server *server, const rpc_certificates *certificates);

/* Refuses new calls, lets running ones end within grace_ms, cancels the rest, waits for their handlers and frees. */
void rpc_server_stop(rpc_server *server, uint64_t grace_ms);

/* Calls of RPC_LONG methods that are running. */
size_t rpc_server_long_calls(const rpc_server *server);

/* Calls ended of method i of the table; i = method_count: of unknown methods. */
const rpc_counters *rpc_server_counters(const rpc_server *server, size_t i);

/* ---- For handlers ------------------------------------------------------------------------------------------------ */

/* The client cancelled, its deadline passed or the connection is gone: nobody will read an answer. */
bool rpc_call_cancelled(const rpc_call *call);

/* Milliseconds to the client's deadline, at least 1; 0: it set none. */
uint64_t rpc_call_deadline_ms(const rpc_call *call);

/* Who calls: "ipv4:127.0.0.1:41234". For logs only; valid as long as the call. */
const char *rpc_call_peer(const rpc_call *call);

/* Waits until the call is cancelled (true) or the time is over (false). */
bool rpc_call_wait(rpc_call *call, uint64_t milliseconds);

typedef struct {
    uint8_t *data;
    size_t length;
    big_buffer memory; /* behind data when it is large */
} rpc_message;
void rpc_message_free(rpc_message *message);

typedef enum {
    RPC_READ_MESSAGE,
    RPC_READ_END,      /* the client sends no more, or its message was refused, or the call was cancelled */
    RPC_READ_ABANDONED /* give_up said so; the call must be finished next */
} rpc_read_result;

/* Receives one message without flattening it: *length is its bytes. give_up (may be NULL) is asked every 100 ms while
 * nothing has come. Take it with rpc_take, or finish the call. */
rpc_read_result rpc_receive(rpc_call *call, size_t *length, bool (*give_up)(void *), void *context);

/* The received message as one block. Its pieces are freed as they are copied: memory does not double, but grows by
 * RPC_TAKE_SLACK for a while. CUZK_NO_MEMORY. */
enum { RPC_TAKE_SLACK = 32 << 20 };
cuzk_status rpc_take(rpc_call *call, rpc_message *message, cuzk_error *error);

/* Receives a message of at most RPC_SMALL_MESSAGE_MAXIMUM bytes within a few seconds and unpacks it. False: the call has
 * been finished with the right status, or is gone. Free with message_free. */
bool rpc_receive_small(rpc_call *call, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **message,
                       bounded_allocator *allocator);

typedef enum {
    RPC_NEXT_MESSAGE,
    RPC_NEXT_END,     /* the client sends no more; the call is to be finished */
    RPC_NEXT_FINISHED /* as false of rpc_receive_small */
} rpc_next_result;

/* The next message of a client's stream, of at most RPC_SMALL_MESSAGE_MAXIMUM bytes, however long it takes to come. */
rpc_next_result rpc_receive_next(rpc_call *call, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **message,
                                 bounded_allocator *allocator);

/* Sends a message of a stream; false when the call is gone. */
bool rpc_send(rpc_call *call, const ProtobufCMessage *message);

/* Adds a line to the reply for eyes and logs: trailing metadata "cuzk-warning". text must be static. */
void rpc_call_warn(rpc_call *call, const char *text);

/* Ends the call: with a reply and OK; with OK alone; with an error, whose message should be one line. */
void rpc_reply(rpc_call *call, const ProtobufCMessage *message);
void rpc_finish(rpc_call *call, grpc_status_code status, const char *message);
/* rpc_finish with the error's status (rpc_status_of) and message. */
void rpc_fail(rpc_call *call, const cuzk_error *error);

#endif
