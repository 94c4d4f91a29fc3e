/* A call as its handler sees it: blocking operations over the completion queue. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice_buffer.h>
#include <grpc/support/log.h>

#include "base/progress.h"
#include "rpc/server_internal.h"

enum { POLL_MS = 100, LARGE_BYTES = 1 << 20, FINISH_PATIENCE_MS = 1000 };

bool rpc_call_cancelled(const rpc_call *call) { return atomic_load(&call->cancelled); }

uint64_t rpc_call_deadline_ms(const rpc_call *call) {
    if (gpr_time_cmp(call->deadline, gpr_inf_future(call->deadline.clock_type)) == 0)
        return 0;
    gpr_timespec left = gpr_time_sub(call->deadline, gpr_now(call->deadline.clock_type));
    int64_t milliseconds = left.tv_sec * 1000 + left.tv_nsec / 1000000;
    return milliseconds > 0 ? (uint64_t)milliseconds : 1;
}

const char *rpc_call_peer(const rpc_call *call) { return call->peer; }

bool rpc_call_wait(rpc_call *call, uint64_t milliseconds) {
    int64_t end = monotonic_ns() + (int64_t)milliseconds * 1000000;
    pthread_mutex_lock(&call->mutex);
    while (!rpc_call_cancelled(call) && monotonic_ns() < end)
        condition_wait(&call->changed, &call->mutex, POLL_MS);
    pthread_mutex_unlock(&call->mutex);
    return rpc_call_cancelled(call);
}

/* ---- Receiving ----------------------------------------------------------------------------------------------------- */

static void set_flag(rpc_call *call, bool *flag, bool value) {
    pthread_mutex_lock(&call->mutex);
    *flag = value;
    pthread_mutex_unlock(&call->mutex);
}

static bool start_receiving(rpc_call *call) {
    grpc_op operation = {.op = GRPC_OP_RECV_MESSAGE};
    operation.data.recv_message.recv_message = &call->received;
    set_flag(call, &call->receiving, true);
    if (grpc_call_start_batch(call->call, &operation, 1, make_tag(call, TAG_RECEIVED), NULL) == GRPC_CALL_OK)
        return true;
    set_flag(call, &call->receiving, false);
    return false;
}

rpc_read_result rpc_receive(rpc_call *call, size_t *length, bool (*give_up)(void *), void *context) {
    *length = 0;
    if (!start_receiving(call))
        return RPC_READ_END;
    pthread_mutex_lock(&call->mutex);
    while (call->receiving) {
        condition_wait(&call->changed, &call->mutex, POLL_MS);
        if (!call->receiving || !give_up)
            continue;
        pthread_mutex_unlock(&call->mutex);
        if (give_up(context))
            return RPC_READ_ABANDONED;
        pthread_mutex_lock(&call->mutex);
    }
    pthread_mutex_unlock(&call->mutex);
    if (!call->received)
        return RPC_READ_END;
    *length = grpc_byte_buffer_length(call->received);
    return RPC_READ_MESSAGE;
}

static cuzk_status allocate_message(rpc_message *message, size_t length, cuzk_error *error) {
    *message = (rpc_message){.length = length};
    if (length < LARGE_BYTES) {
        message->data = allocate(length, 1);
        return CUZK_OK;
    }
    TRY(big_buffer_allocate(&message->memory, length, 1, "a request", error));
    message->data = message->memory.data;
    return CUZK_OK;
}

cuzk_status rpc_take(rpc_call *call, rpc_message *message, cuzk_error *error) {
    grpc_slice_buffer *pieces = &call->received->data.raw.slice_buffer;
    size_t copied = 0, since_trim = 0;
    cuzk_status status = allocate_message(message, pieces->length, error);
    while (status == CUZK_OK && pieces->count > 0) {
        grpc_slice piece = grpc_slice_buffer_take_first(pieces);
        size_t length = GRPC_SLICE_LENGTH(piece);
        memcpy(message->data + copied, GRPC_SLICE_START_PTR(piece), length);
        grpc_slice_unref(piece);
        copied += length;
        since_trim += length;
        if (since_trim >= RPC_TAKE_SLACK) { /* the pieces are small blocks, which malloc would keep */
            malloc_trim(0);
            since_trim = 0;
        }
    }
    grpc_byte_buffer_destroy(call->received);
    call->received = NULL;
    if (copied >= LARGE_BYTES)
        malloc_trim(0);
    return status;
}

void rpc_message_free(rpc_message *message) {
    if (message->memory.data)
        big_buffer_free(&message->memory);
    else
        free(message->data);
    *message = (rpc_message){0};
}

static bool call_gone(void *context) { return rpc_call_cancelled(context); }

static bool small_receive_overdue(void *context) {
    const int64_t *entered = context;
    return monotonic_ns() - *entered > SMALL_RECEIVE_MS * 1000000ll;
}

/* Few at a time and not for long: a hostile message grows to the size limit before its length is known. False when the
 * call has been finished. */
static bool receive_through_gate(rpc_call *call, size_t *length) {
    int64_t entered;
    receive_gate *gate = call->server->small_gate;
    if (!receive_gate_enter(gate, call_gone, call, &entered)) {
        rpc_finish(call, GRPC_STATUS_CANCELLED, "the call is gone");
        return false;
    }
    rpc_read_result result = rpc_receive(call, length, small_receive_overdue, &entered);
    if (result == RPC_READ_ABANDONED)
        rpc_finish(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "found no whole message within 5 seconds");
    else if (result == RPC_READ_END)
        rpc_finish(call, GRPC_STATUS_INVALID_ARGUMENT, "found no message, expected one");
    receive_gate_leave(gate);
    return result == RPC_READ_MESSAGE;
}

/* Unpacks what was received; false when the call has been finished. */
static bool unpack_small(rpc_call *call, size_t length, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **message,
                         bounded_allocator *allocator) {
    cuzk_error error = {0};
    if (length > RPC_SMALL_MESSAGE_MAXIMUM) {
        failure(&error, CUZK_BAD_INPUT, "found a message of %zu bytes, expected at most %d", length, RPC_SMALL_MESSAGE_MAXIMUM);
        rpc_fail(call, &error);
        return false;
    }
    rpc_message bytes;
    cuzk_status status = rpc_take(call, &bytes, &error);
    if (status == CUZK_OK)
        status = message_unpack(message, allocator, descriptor, bytes.data, bytes.length, &error);
    rpc_message_free(&bytes);
    if (status != CUZK_OK)
        rpc_fail(call, &error);
    return status == CUZK_OK;
}

bool rpc_receive_small(rpc_call *call, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **message,
                       bounded_allocator *allocator) {
    size_t length;
    return receive_through_gate(call, &length) && unpack_small(call, length, descriptor, message, allocator);
}

rpc_next_result rpc_receive_next(rpc_call *call, const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **message,
                                 bounded_allocator *allocator) {
    size_t length;
    if (rpc_receive(call, &length, NULL, NULL) != RPC_READ_MESSAGE)
        return RPC_NEXT_END;
    return unpack_small(call, length, descriptor, message, allocator) ? RPC_NEXT_MESSAGE : RPC_NEXT_FINISHED;
}

/* ---- Sending ------------------------------------------------------------------------------------------------------- */

static grpc_byte_buffer *pack(const ProtobufCMessage *message) {
    grpc_slice slice = grpc_slice_malloc(protobuf_c_message_get_packed_size(message));
    protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

/* What is to be sent in one batch; returns how many of the three operations it takes. */
static size_t fill_batch(grpc_op operations[3], bool with_metadata, grpc_byte_buffer *message, bool with_status,
                         grpc_status_code code, grpc_slice *details, grpc_metadata *warning) {
    size_t count = 0;
    memset(operations, 0, 3 * sizeof *operations);
    if (with_metadata)
        operations[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
    if (message) {
        operations[count].op = GRPC_OP_SEND_MESSAGE;
        operations[count++].data.send_message.send_message = message;
    }
    if (with_status) {
        operations[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
        operations[count].data.send_status_from_server.status = code;
        operations[count].data.send_status_from_server.trailing_metadata_count = warning ? 1 : 0;
        operations[count].data.send_status_from_server.trailing_metadata = warning;
        operations[count++].data.send_status_from_server.status_details = details;
    }
    return count;
}

/* Sends and waits until it is sent; takes the message over. False when the call is gone. */
static bool send_batch(rpc_call *call, grpc_byte_buffer *message, bool with_status, grpc_status_code code, const char *text) {
    grpc_op operations[3];
    grpc_slice details = grpc_slice_from_copied_string(text);
    grpc_metadata warning = {.key = grpc_slice_from_static_string("cuzk-warning"),
                             .value = grpc_slice_from_static_string(call->warning ? call->warning : "")};
    size_t count =
        fill_batch(operations, !call->metadata_sent, message, with_status, code, &details, call->warning ? &warning : NULL);
    call->metadata_sent = true;
    set_flag(call, &call->sending, true);
    bool started = grpc_call_start_batch(call->call, operations, count, make_tag(call, TAG_SENT), NULL) == GRPC_CALL_OK;
    pthread_mutex_lock(&call->mutex);
    while (started && call->sending)
        pthread_cond_wait(&call->changed, &call->mutex);
    pthread_mutex_unlock(&call->mutex);
    grpc_slice_unref(details);
    if (message)
        grpc_byte_buffer_destroy(message);
    return started && !rpc_call_cancelled(call);
}

/* A receive that was abandoned ends once the call does; until then its memory is in use. */
static void end_receiving(rpc_call *call) {
    int64_t patience = monotonic_ns() + FINISH_PATIENCE_MS * 1000000ll;
    bool cancelled = false;
    pthread_mutex_lock(&call->mutex);
    while (call->receiving) {
        condition_wait(&call->changed, &call->mutex, POLL_MS);
        if (call->receiving && !cancelled && monotonic_ns() > patience) {
            grpc_call_cancel(call->call, NULL);
            cancelled = true;
        }
    }
    pthread_mutex_unlock(&call->mutex);
    if (call->received)
        grpc_byte_buffer_destroy(call->received);
    call->received = NULL;
}

bool rpc_send(rpc_call *call, const ProtobufCMessage *message) {
    return send_batch(call, pack(message), false, GRPC_STATUS_OK, "");
}

void rpc_call_warn(rpc_call *call, const char *text) { call->warning = text; }

static void finish(rpc_call *call, grpc_byte_buffer *message, grpc_status_code status, const char *text) {
    GPR_ASSERT(!call->finished);
    call->finished = true;
    rpc_call_count(call, status);
    send_batch(call, message, true, status, text);
    end_receiving(call);
}

void rpc_reply(rpc_call *call, const ProtobufCMessage *message) { finish(call, pack(message), GRPC_STATUS_OK, ""); }

void rpc_finish(rpc_call *call, grpc_status_code status, const char *message) { finish(call, NULL, status, message); }

void rpc_call_reject(rpc_call *call, grpc_status_code status, const char *message) {
    grpc_op operations[3];
    grpc_slice details = grpc_slice_from_copied_string(message);
    rpc_call_count(call, status);
    set_flag(call, &call->rejecting, true);
    size_t count = fill_batch(operations, true, NULL, true, status, &details, NULL);
    /* From here on the call may be freed at any moment, unless the batch could not start. */
    if (grpc_call_start_batch(call->call, operations, count, make_tag(call, TAG_SENT), NULL) != GRPC_CALL_OK)
        rpc_call_release(call);
    grpc_slice_unref(details);
}

void rpc_fail(rpc_call *call, const cuzk_error *error) { rpc_finish(call, rpc_status_of(error->status), error->message); }
