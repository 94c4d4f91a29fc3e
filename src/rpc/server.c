#include "rpc/server.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <grpc/support/alloc.h>
#include <grpc/support/log.h>

#include "base/log.h"
#include "base/progress.h"
#include "rpc/server_internal.h"

/* ---- Library ------------------------------------------------------------------------------------------------------ */

static void grpc_log(gpr_log_func_args *line) { log_warn("grpc: %s", line->message); }

void rpc_library_init(void) {
    gpr_set_log_function(grpc_log);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
    grpc_init();
}

void rpc_library_shutdown(void) { grpc_shutdown(); }

void condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(milliseconds / 1000);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(condition, mutex, &until);
}

/* ---- Calls: birth and death ---------------------------------------------------------------------------------------- */

static size_t find_method(const rpc_server *server, grpc_slice path) {
    for (size_t i = 0; i < server->method_count; i++)
        if (grpc_slice_str_cmp(path, server->methods[i].path) == 0)
            return i;
    return server->method_count;
}

static rpc_call *call_create(rpc_server *server, const incoming_call *incoming) {
    rpc_call *call = allocate_zeroed(1, sizeof *call);
    call->server = server;
    call->call = incoming->call;
    call->method = find_method(server, incoming->details.method);
    call->deadline = incoming->details.deadline;
    call->peer = grpc_call_get_peer(incoming->call);
    call->references = 2;
    pthread_mutex_init(&call->mutex, NULL);
    condition_init(&call->changed);
    pthread_mutex_lock(&server->mutex);
    server->calls++;
    pthread_mutex_unlock(&server->mutex);
    atomic_store(&call->cancelled, false); /* publishes the call: call_event reads it first, maybe on the other poller */
    return call;
}

void rpc_call_release(rpc_call *call) {
    rpc_server *server = call->server;
    pthread_mutex_lock(&call->mutex);
    bool last = --call->references == 0;
    pthread_mutex_unlock(&call->mutex);
    if (!last)
        return;
    if (call->received)
        grpc_byte_buffer_destroy(call->received);
    gpr_free(call->peer);
    grpc_call_unref(call->call);
    pthread_cond_destroy(&call->changed);
    pthread_mutex_destroy(&call->mutex);
    free(call);
    pthread_mutex_lock(&server->mutex);
    server->calls--;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
}

void rpc_call_count(rpc_call *call, grpc_status_code status) {
    if (status != GRPC_STATUS_OK && rpc_call_cancelled(call))
        status = gpr_time_cmp(gpr_now(call->deadline.clock_type), call->deadline) >= 0 ? GRPC_STATUS_DEADLINE_EXCEEDED
                                                                                       : GRPC_STATUS_CANCELLED;
    rpc_counters *counters = &call->server->counters[call->method];
    atomic_fetch_add(&counters->ended[(unsigned)status < RPC_STATUS_COUNT ? (unsigned)status : GRPC_STATUS_UNKNOWN], 1);
}

/* Handlers at work at the same time, by duration: each has a thread. */
static const size_t RUNNING_MAXIMUM[RPC_DURATION_COUNT] = {[RPC_SHORT] = 128, [RPC_LONG] = 2048, [RPC_WATCH] = 64};

static atomic_size_t *running_calls(rpc_server *server, const rpc_call *call) {
    return &server->running[server->methods[call->method].duration];
}

static void run_handler(void *context) {
    rpc_call *call = context;
    rpc_server *server = call->server;
    const rpc_method *method = &server->methods[call->method];
    method->handle(call, method->context);
    atomic_fetch_sub(running_calls(server, call), 1);
    rpc_call_release(call);
}

/* Learns when the call is over or cancelled. */
static void watch_close(rpc_call *call) {
    grpc_op operation = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    operation.data.recv_close_on_server.cancelled = &call->was_cancelled;
    grpc_call_error problem = grpc_call_start_batch(call->call, &operation, 1, make_tag(call, TAG_CLOSED), NULL);
    GPR_ASSERT(problem == GRPC_CALL_OK);
}

static void dispatch(rpc_call *call) {
    rpc_server *server = call->server;
    watch_close(call);
    if (call->method == server->method_count) {
        rpc_call_reject(call, GRPC_STATUS_UNIMPLEMENTED, "no such method; reflection lists them");
        return;
    }
    size_t maximum = RUNNING_MAXIMUM[server->methods[call->method].duration];
    atomic_size_t *running = running_calls(server, call);
    if (atomic_fetch_add(running, 1) < maximum && workers_run(server->workers, run_handler, call))
        return;
    atomic_fetch_sub(running, 1);
    char message[100];
    snprintf(message, sizeof message, "%zu calls of this kind are running already", maximum);
    rpc_call_reject(call, GRPC_STATUS_RESOURCE_EXHAUSTED, message);
}

/* ---- Pollers ------------------------------------------------------------------------------------------------------- */

static void request_next(rpc_server *server, incoming_call *incoming) {
    grpc_call_details_init(&incoming->details);
    grpc_metadata_array_init(&incoming->metadata);
    grpc_server_request_call(server->server, &incoming->call, &incoming->details, &incoming->metadata, server->queue,
                             server->queue, make_tag(incoming, TAG_INCOMING));
}

static void take_incoming(rpc_server *server, incoming_call *incoming, bool success) {
    rpc_call *call = success ? call_create(server, incoming) : NULL;
    grpc_call_details_destroy(&incoming->details);
    grpc_metadata_array_destroy(&incoming->metadata);
    if (!call)
        return; /* shutting down */
    request_next(server, incoming);
    dispatch(call);
}

static void set_shut_down(rpc_server *server) {
    pthread_mutex_lock(&server->mutex);
    server->shut_down = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
}

/* An operation of the call has ended. */
static void call_event(rpc_call *call, tag_kind kind) {
    (void)atomic_load(&call->cancelled);
    pthread_mutex_lock(&call->mutex);
    bool release = kind == TAG_CLOSED;
    if (kind == TAG_CLOSED && call->was_cancelled)
        atomic_store(&call->cancelled, true);
    if (kind == TAG_RECEIVED)
        call->receiving = false;
    if (kind == TAG_SENT) {
        call->sending = false;
        release = call->rejecting;
    }
    pthread_cond_broadcast(&call->changed);
    pthread_mutex_unlock(&call->mutex);
    if (release)
        rpc_call_release(call);
}

static void *poll_events(void *context) {
    rpc_server *server = context;
    for (;;) {
        grpc_event event = grpc_completion_queue_next(server->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        if (event.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (event.type != GRPC_OP_COMPLETE)
            continue;
        tag_kind kind = (tag_kind)((uintptr_t)event.tag & TAG_KIND_MASK);
        void *owner = (void *)((uintptr_t)event.tag - (uintptr_t)kind);
        switch (kind) {
        case TAG_INCOMING: take_incoming(server, owner, event.success); break;
        case TAG_SHUTDOWN: set_shut_down(server); break;
        case TAG_CLOSED:
        case TAG_RECEIVED:
        case TAG_SENT: call_event(owner, kind); break;
        }
    }
}

/* ---- Start and stop ------------------------------------------------------------------------------------------------ */

static grpc_arg integer_argument(const char *name, int value) {
    grpc_arg argument = {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)name};
    argument.value.integer = value;
    return argument;
}

static grpc_server *create_grpc_server(const rpc_server_options *options) {
    grpc_arg arguments[] = {
        integer_argument(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, (int)options->max_message_bytes),
        integer_argument(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
        /* A second daemon on the same port must fail rather than share it. */
        integer_argument(GRPC_ARG_ALLOW_REUSEPORT, 0),
        /* Clients may ping as often as they like: the default ends a Prove of minutes with "too many pings". */
        integer_argument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000),
        integer_argument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0),
        integer_argument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        /* And we ping them, to notice a client that is gone without a word. */
        integer_argument(GRPC_ARG_KEEPALIVE_TIME_MS, 60000),
        integer_argument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000),
        integer_argument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0),
        /* The size limit counts compressed bytes: a small message could unfold to any size. */
        integer_argument(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE),
        /* Without probing a stream that nobody reads holds 64 KiB; with it, megabytes. One that is read gets what it needs. */
        integer_argument(GRPC_ARG_HTTP2_BDP_PROBE, 0),
        integer_argument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 4096),
        integer_argument(GRPC_ARG_ENABLE_CHANNELZ, 0),
        integer_argument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20000),
    };
    grpc_channel_args list = {.num_args = sizeof arguments / sizeof *arguments, .args = arguments};
    return grpc_server_create(&list, NULL);
}

static void start_serving(rpc_server *server) {
    grpc_server_start(server->server);
    for (size_t i = 0; i < POLLER_COUNT; i++)
        request_next(server, &server->incoming[i]);
    for (size_t i = 0; i < POLLER_COUNT; i++)
        if (pthread_create(&server->pollers[server->poller_count], NULL, poll_events, server) == 0)
            server->poller_count++;
}

cuzk_status rpc_server_start(rpc_server **out, const rpc_server_options *options, cuzk_error *error) {
    rpc_server *server = allocate_zeroed(1, sizeof *server);
    *out = NULL;
    server->methods = options->methods;
    server->method_count = options->method_count;
    server->counters = allocate_zeroed(options->method_count + 1, sizeof *server->counters);
    server->workers = workers_create(RUNNING_MAXIMUM[RPC_SHORT] + RUNNING_MAXIMUM[RPC_LONG] + RUNNING_MAXIMUM[RPC_WATCH]);
    server->small_gate = receive_gate_create(SMALL_RECEIVES, SMALL_RECEIVE_MS);
    pthread_mutex_init(&server->mutex, NULL);
    condition_init(&server->changed);
    server->server = create_grpc_server(options);
    server->queue = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(server->server, server->queue, NULL);
    cuzk_status status = rpc_listen(server, options, error);
    if (status == CUZK_OK) {
        start_serving(server);
        if (server->poller_count == 0)
            status = failure(error, CUZK_NO_MEMORY, "cannot start a thread for gRPC");
    }
    if (status != CUZK_OK) {
        rpc_server_stop(server, 0);
        return status;
    }
    *out = server;
    return CUZK_OK;
}

/* Waits until no call is left (and the shutdown is through, if asked) or the time is over; true if so. */
static bool wait_for_calls(rpc_server *server, bool shut_down_too, uint64_t milliseconds) {
    int64_t end = monotonic_ns() + (int64_t)milliseconds * 1000000;
    pthread_mutex_lock(&server->mutex);
    while ((server->calls > 0 || (shut_down_too && !server->shut_down)) && monotonic_ns() < end)
        condition_wait(&server->changed, &server->mutex, 100);
    bool done = server->calls == 0 && (!shut_down_too || server->shut_down);
    pthread_mutex_unlock(&server->mutex);
    return done;
}

void rpc_server_stop(rpc_server *server, uint64_t grace_ms) {
    if (!server)
        return;
    grpc_server_shutdown_and_notify(server->server, server->queue, make_tag(server, TAG_SHUTDOWN));
    if (server->poller_count > 0) {
        wait_for_calls(server, false, grace_ms);
        grpc_server_cancel_all_calls(server->server);
        /* The shutdown's tag may come before or after the last handler lets go of its call: the queue ends after both. */
        while (!wait_for_calls(server, true, 1000))
            log_debug("waiting for the last gRPC calls");
    }
    grpc_completion_queue_shutdown(server->queue);
    for (size_t i = 0; i < server->poller_count; i++)
        pthread_join(server->pollers[i], NULL);
    if (server->poller_count == 0)
        while (grpc_completion_queue_next(server->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN)
            ;
    grpc_server_destroy(server->server);
    grpc_completion_queue_destroy(server->queue);
    workers_destroy(server->workers);
    receive_gate_destroy(server->small_gate);
    rpc_listeners_free(server);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->mutex);
    free(server->counters);
    free(server->addresses);
    free(server);
}

void rpc_server_renew_certificates(rpc_server *server, const rpc_certificates *certificates) {
    tls_store_renew(server->tls, certificates);
}

const char *rpc_server_addresses(const rpc_server *server) { return server->addresses; }

size_t rpc_server_long_calls(const rpc_server *server) { return atomic_load(&server->running[RPC_LONG]); }

const rpc_counters *rpc_server_counters(const rpc_server *server, size_t i) { return &server->counters[i]; }
