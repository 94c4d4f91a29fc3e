#include "rpc/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>

#include "base/memory.h"
#include "config/address.h"

struct rpc_client {
    grpc_channel *channel;
    char address[2 * ADDRESS_CAPACITY];
};

static grpc_channel_credentials *create_credentials(const rpc_client_options *options, bool tls) {
    if (!tls)
        return grpc_insecure_credentials_create();
    grpc_ssl_pem_key_cert_pair pair = {.private_key = options->key, .cert_chain = options->certificate};
    return grpc_ssl_credentials_create_ex(options->authorities, options->certificate ? &pair : NULL, NULL, NULL);
}

cuzk_status rpc_client_create(rpc_client **out, const rpc_client_options *options, cuzk_error *error) {
    socket_address address;
    *out = NULL;
    if (parse_client_address(&address, options->address, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "--addr: ");
    grpc_channel_credentials *credentials = create_credentials(options, address.is_tls);
    if (!credentials)
        return failure(error, CUZK_BAD_INPUT, "found no usable certificate and key in PEM");
    rpc_client *client = allocate(1, sizeof *client);
    format_address(client->address, &address);
    char target[2 * ADDRESS_CAPACITY];
    snprintf(target, sizeof target, address.is_unix ? "unix:%s" : "%s", address.is_unix ? address.path : client->address);
    grpc_arg arguments[] = {
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, .value.integer = -1},
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, .value.integer = -1},
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, .value.integer = 1},
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_ENABLE_RETRIES, .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, .value.integer = 200},
    };
    grpc_channel_args list = {.num_args = sizeof arguments / sizeof *arguments, .args = arguments};
    client->channel = grpc_channel_create(target, credentials, &list);
    grpc_channel_credentials_release(credentials);
    *out = client;
    return CUZK_OK;
}

void rpc_client_destroy(rpc_client *client) {
    if (!client)
        return;
    grpc_channel_destroy(client->channel);
    free(client);
}

static grpc_byte_buffer *wrap(const cuzk_bytes *parts, size_t count) {
    grpc_slice *slices = allocate(count, sizeof *slices);
    for (size_t i = 0; i < count; i++)
        slices[i] = parts[i].length <= RPC_COPIED_PART_MAXIMUM
                        ? grpc_slice_from_copied_buffer((const char *)parts[i].data, parts[i].length)
                        : grpc_slice_from_static_buffer(parts[i].data, parts[i].length);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(slices, count);
    for (size_t i = 0; i < count; i++)
        grpc_slice_unref(slices[i]);
    free(slices);
    return buffer;
}

/* What comes back from one call. */
typedef struct {
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer *message;
    grpc_status_code status;
    grpc_slice details;
    const char *core_error;
} answer;

static void answer_free(answer *a) {
    grpc_metadata_array_destroy(&a->initial);
    grpc_metadata_array_destroy(&a->trailing);
    if (a->message)
        grpc_byte_buffer_destroy(a->message);
    grpc_slice_unref(a->details);
    gpr_free((void *)(uintptr_t)a->core_error);
}

/* The whole call as one batch. */
static void run_call(rpc_client *client, const char *method, grpc_byte_buffer *request, uint64_t timeout_ms, answer *a) {
    gpr_timespec deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC);
    if (timeout_ms)
        deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis((int64_t)timeout_ms, GPR_TIMESPAN));
    grpc_completion_queue *queue = grpc_completion_queue_create_for_pluck(NULL);
    grpc_call *call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue,
                                               grpc_slice_from_static_string(method), NULL, deadline, NULL);
    grpc_op operations[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &a->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &a->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &a->trailing,
                                        .status = &a->status,
                                        .status_details = &a->details,
                                        .error_string = &a->core_error}},
    };
    if (grpc_call_start_batch(call, operations, sizeof operations / sizeof *operations, call, NULL) == GRPC_CALL_OK)
        grpc_completion_queue_pluck(queue, call, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    else
        a->status = GRPC_STATUS_INTERNAL;
    grpc_call_unref(call);
    grpc_completion_queue_shutdown(queue);
    while (grpc_completion_queue_pluck(queue, NULL, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN)
        ;
    grpc_completion_queue_destroy(queue);
}

static void note_outcome(rpc_call_outcome *outcome, const answer *a) {
    *outcome = (rpc_call_outcome){.status = a->status};
    for (size_t i = 0; i < a->trailing.count; i++) {
        const grpc_metadata *entry = &a->trailing.metadata[i];
        if (grpc_slice_str_cmp(entry->key, "cuzk-warning") == 0)
            snprintf(outcome->warning, sizeof outcome->warning, "%.*s", (int)GRPC_SLICE_LENGTH(entry->value),
                     (const char *)GRPC_SLICE_START_PTR(entry->value));
    }
}

static cuzk_status unpack_reply(const answer *a, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **reply,
                                const char *method, cuzk_error *error) {
    grpc_byte_buffer_reader reader;
    if (!a->message || !grpc_byte_buffer_reader_init(&reader, a->message))
        return failure(error, CUZK_INTERNAL, "%s: found no reply", method);
    grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
    grpc_byte_buffer_reader_destroy(&reader);
    *reply = protobuf_c_message_unpack(descriptor, NULL, GRPC_SLICE_LENGTH(bytes), GRPC_SLICE_START_PTR(bytes));
    grpc_slice_unref(bytes);
    return *reply ? CUZK_OK
                  : failure(error, CUZK_INTERNAL, "%s: found a reply that is not a %s message", method, descriptor->short_name);
}

/* One attempt; the caller frees the answer. */
static void attempt(rpc_client *client, const char *method, const cuzk_bytes *parts, size_t part_count, uint64_t timeout_ms,
                    answer *a) {
    *a = (answer){.status = GRPC_STATUS_UNKNOWN, .details = grpc_empty_slice()};
    grpc_metadata_array_init(&a->initial);
    grpc_metadata_array_init(&a->trailing);
    grpc_byte_buffer *request = wrap(parts, part_count);
    run_call(client, method, request, timeout_ms, a);
    grpc_byte_buffer_destroy(request);
}

/* True if the call failed because there is no connection, rather than by the daemon's word. Asking again is harmless: a
 * request that did arrive meets its own job. It is also needed: gRPC 1.51 now and then takes a first connection that is
 * still being made for a failed one (it looks at errno too late). */
static bool not_connected(rpc_client *client, const answer *a) {
    return a->status == GRPC_STATUS_UNAVAILABLE &&
           grpc_channel_check_connectivity_state(client->channel, 0) != GRPC_CHANNEL_READY;
}

static cuzk_status explain(const rpc_client *client, const answer *a, cuzk_error *error) {
    int length = (int)GRPC_SLICE_LENGTH(a->details);
    const char *details = (const char *)GRPC_SLICE_START_PTR(a->details);
    if (a->status == GRPC_STATUS_UNAVAILABLE)
        return failure(error, CUZK_UNAVAILABLE, "UNAVAILABLE: %.*s (%s; is cuzk-daemon running there?)", length, details,
                       client->address);
    return failure(error, rpc_status_meaning(a->status), "%s: %.*s", rpc_status_name(a->status), length, details);
}

cuzk_status rpc_client_call(rpc_client *client, const char *method, const cuzk_bytes *parts, size_t part_count,
                            uint64_t timeout_ms, const ProtobufCMessageDescriptor *reply_descriptor, ProtobufCMessage **reply,
                            rpc_call_outcome *outcome, cuzk_error *error) {
    enum { ATTEMPTS = 4 };
    const struct timespec pause = {.tv_nsec = 250000000};
    answer a;
    *reply = NULL;
    attempt(client, method, parts, part_count, timeout_ms, &a);
    for (int i = 1; i < ATTEMPTS && not_connected(client, &a); i++) {
        answer_free(&a);
        nanosleep(&pause, NULL);
        attempt(client, method, parts, part_count, timeout_ms, &a);
    }
    if (outcome)
        note_outcome(outcome, &a);
    cuzk_status status =
        a.status == GRPC_STATUS_OK ? unpack_reply(&a, reply_descriptor, reply, method, error) : explain(client, &a, error);
    answer_free(&a);
    return status;
}

cuzk_status rpc_client_call_message(rpc_client *client, const char *method, const ProtobufCMessage *request, uint64_t timeout_ms,
                                    const ProtobufCMessageDescriptor *reply_descriptor, ProtobufCMessage **reply,
                                    rpc_call_outcome *outcome, cuzk_error *error) {
    uint8_t bytes[RPC_COPIED_PART_MAXIMUM];
    cuzk_bytes part = {.data = bytes, .length = protobuf_c_message_get_packed_size(request)};
    if (part.length > sizeof bytes)
        return failure(error, CUZK_BAD_INPUT, "found a message of %zu bytes, expected at most %zu", part.length, sizeof bytes);
    protobuf_c_message_pack(request, bytes);
    return rpc_client_call(client, method, &part, 1, timeout_ms, reply_descriptor, reply, outcome, error);
}
