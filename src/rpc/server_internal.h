/* What server.c, call.c and listen.c share. */
#ifndef RPC_SERVER_INTERNAL_H
#define RPC_SERVER_INTERNAL_H

#include <pthread.h>

#include <grpc/grpc.h>

#include "config/address.h"
#include "rpc/receive_gate.h"
#include "rpc/server.h"
#include "rpc/tls.h"
#include "rpc/workers.h"

enum { POLLER_COUNT = 2, SMALL_RECEIVES = 8, SMALL_RECEIVE_MS = 5000 };

/* The tag of an operation on the completion queue: its owner, an incoming_call or rpc_call, with the kind in the low bits,
 * so that a poller knows it without reading memory that another poller wrote. */
typedef enum { TAG_INCOMING, TAG_CLOSED, TAG_RECEIVED, TAG_SENT, TAG_SHUTDOWN } tag_kind;
enum { TAG_KIND_MASK = 7 };
static inline void *make_tag(void *owner, tag_kind kind) { return (void *)((uintptr_t)owner | (uintptr_t)kind); }

/* A place for the next call; each poller keeps one open. */
typedef struct {
    _Alignas(TAG_KIND_MASK + 1) grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
} incoming_call;

typedef struct {
    socket_address address;
    int lock; /* of a unix socket; -1: none */
    tls_view tls;
} listener;

struct rpc_server {
    grpc_server *server;
    grpc_completion_queue *queue;
    pthread_t pollers[POLLER_COUNT];
    size_t poller_count;
    incoming_call incoming[POLLER_COUNT];
    workers *workers;
    receive_gate *small_gate;

    const rpc_method *methods;
    size_t method_count;
    rpc_counters *counters;                    /* method_count + 1 */
    atomic_size_t running[RPC_DURATION_COUNT]; /* handlers */

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t calls; /* that exist */
    bool shut_down;

    tls_store *tls; /* NULL: none */
    listener *listeners;
    size_t listener_count;
    char *addresses;
};

struct rpc_call {
    rpc_server *server;
    grpc_call *call;
    size_t method; /* index, or method_count */
    gpr_timespec deadline;
    char *peer;
    int was_cancelled; /* written by the core */
    atomic_bool cancelled;

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int references; /* the close operation's, and the handler's or the rejection's */
    grpc_byte_buffer *received;
    bool receiving, sending, rejecting;
    bool metadata_sent, finished; /* the handler's own */
    const char *warning;
};

/* server.c */
void rpc_call_release(rpc_call *call);
void rpc_call_count(rpc_call *call, grpc_status_code status);

/* call.c: ends a call that gets no handler; takes over the handler's reference. */
void rpc_call_reject(rpc_call *call, grpc_status_code status, const char *message);

/* listen.c */
cuzk_status rpc_listen(rpc_server *server, const rpc_server_options *options, cuzk_error *error);
void rpc_listeners_free(rpc_server *server);

/* A condition variable on the monotonic clock, and a wait of at most milliseconds on it. */
void condition_init(pthread_cond_t *condition);
void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t milliseconds);

#endif
