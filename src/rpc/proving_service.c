#include "rpc/proving_service.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "base/log.h"
#include "rpc/interest.h"
#include "rpc/receive_gate.h"
#include "rpc/request.h"
#include "rpc/status_reply.h"

const char PROVING_SERVICE_NAME[] = "cuzk.v1.ProvingEngine";

enum { LARGE_BYTES = 1 << 20 };

struct proving_service {
    cuzk_engine *engine;
    proving_service_options options;
    receive_gate *gate;
    pthread_mutex_t taking; /* one large message is made one block at a time: that takes up to RPC_TAKE_SLACK more */
    interest *interest;
    atomic_bool untrimmed; /* a message was given up: the connection frees its pieces soon, in small blocks that malloc keeps */
};

proving_service *proving_service_create(cuzk_engine *engine, const proving_service_options *options) {
    proving_service *service = allocate_zeroed(1, sizeof *service);
    service->engine = engine;
    service->options = *options;
    service->gate = receive_gate_create(options->upload_places, options->upload_timeout_ms);
    service->interest = interest_create();
    pthread_mutex_init(&service->taking, NULL);
    return service;
}

void proving_service_destroy(proving_service *service) {
    if (!service)
        return;
    receive_gate_destroy(service->gate);
    interest_destroy(service->interest);
    pthread_mutex_destroy(&service->taking);
    free(service);
}

void proving_service_stopping(proving_service *service) { interest_stop(service->interest); }

size_t proving_service_uploads_waiting(proving_service *service) { return receive_gate_waiting(service->gate); }

const char *proof_kind_label(cuzk_proof_kind kind) {
    switch (kind) {
    case CUZK_POREP_SEAL_COMMIT: return "porep-c2";
    case CUZK_SNAP_DEALS_UPDATE: return "snap-update";
    case CUZK_WINDOW_POST_PARTITION: return "window-post";
    case CUZK_WINNING_POST: return "winning-post";
    case CUZK_KIND_UNSPECIFIED: break;
    }
    return "unspecified";
}

static bool call_gone(void *call) { return rpc_call_cancelled(call); }

/* ---- Requests: received, unpacked, submitted ------------------------------------------------------------------------ */

typedef struct {
    receive_gate *gate;
    int64_t entered;
} upload;

static bool upload_overdue(void *context) {
    const upload *u = context;
    return receive_gate_overdue(u->gate, u->entered);
}

/* Receives the call's request as one block; the caller is inside the gate. */
static cuzk_status receive_request(proving_service *service, rpc_call *call, int64_t entered, rpc_message *bytes,
                                   cuzk_error *error) {
    upload u = {.gate = service->gate, .entered = entered};
    size_t length;
    if (atomic_exchange(&service->untrimmed, false))
        malloc_trim(0);
    switch (rpc_receive(call, &length, upload_overdue, &u)) {
    case RPC_READ_MESSAGE: break;
    case RPC_READ_END: return failure(error, CUZK_BAD_INPUT, "found no message, expected a request");
    case RPC_READ_ABANDONED:
        return failure(error, CUZK_EXHAUSTED, "the request took too long to arrive while others wait; try again");
    }
    if (length < LARGE_BYTES)
        return rpc_take(call, bytes, error);
    pthread_mutex_lock(&service->taking);
    cuzk_status status = rpc_take(call, bytes, error);
    pthread_mutex_unlock(&service->taking);
    return status;
}

static cuzk_status unpack_and_submit(proving_service *service, rpc_call *call, const rpc_message *bytes, bool inside_prove,
                                     cuzk_submission *submission, cuzk_error *error) {
    unpacked_request unpacked;
    cuzk_status status = request_unpack(&unpacked, bytes->data, bytes->length, inside_prove, error);
    if (status == CUZK_OK) {
        uint64_t deadline_ms = inside_prove ? rpc_call_deadline_ms(call) : 0;
        status = cuzk_engine_submit(service->engine, &unpacked.request, deadline_ms, submission, error);
    }
    unpacked_request_free(&unpacked);
    return status;
}

/* From the wire to the journal, inside the gate. On failure the call is finished before the gate is left: what had come of
 * a message that was given up is freed by then. */
static bool submit_inside_gate(proving_service *service, rpc_call *call, int64_t entered, bool inside_prove,
                               cuzk_submission *submission) {
    const char *method = inside_prove ? "Prove" : "SubmitProof";
    cuzk_error error = {0};
    rpc_message bytes = {0};
    cuzk_status status = receive_request(service, call, entered, &bytes, &error);
    if (status == CUZK_OK)
        status = unpack_and_submit(service, call, &bytes, inside_prove, submission, &error);
    size_t length = bytes.length;
    rpc_message_free(&bytes);
    if (status == CUZK_OK) {
        log_debug("%s from %s: job %s%s, %zu bytes", method, rpc_call_peer(call), submission->job_id,
                  submission->existing ? " (existing)" : "", length);
        return true;
    }
    log_info("%s from %s refused: %s", method, rpc_call_peer(call), error.message);
    rpc_fail(call, &error);
    if (length == 0) {
        malloc_trim(0);
        atomic_store(&service->untrimmed, true);
    }
    return false;
}

/* Submits the call's request. False: it was refused, and the call is finished. */
static bool submit_request(proving_service *service, rpc_call *call, bool inside_prove, cuzk_submission *submission) {
    int64_t entered;
    if (!receive_gate_enter(service->gate, call_gone, call, &entered)) {
        rpc_finish(call, GRPC_STATUS_CANCELLED, "the call is gone");
        return false;
    }
    bool submitted = submit_inside_gate(service, call, entered, inside_prove, submission);
    receive_gate_leave(service->gate);
    return submitted;
}

static void submit_proof(rpc_call *call, void *context) {
    proving_service *service = context;
    cuzk_submission submission;
    if (!submit_request(service, call, false, &submission))
        return;
    interest_keep(service->interest, submission.job_id);
    Cuzk__V1__SubmitProofResponse reply = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    reply.job_id = submission.job_id;
    reply.queue_position = submission.queue_position;
    rpc_reply(call, &reply.base);
}

/* ---- Results ------------------------------------------------------------------------------------------------------- */

static Cuzk__V1__AwaitProofResponse__Status reply_status(cuzk_job_state state) {
    switch (state) {
    case CUZK_JOB_COMPLETED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
    case CUZK_JOB_FAILED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED;
    case CUZK_JOB_CANCELLED: return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED;
    case CUZK_JOB_QUEUED:
    case CUZK_JOB_RUNNING: break;
    }
    return CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT; /* still at work */
}

/* Borrows from result. */
static void fill_result(Cuzk__V1__AwaitProofResponse *reply, cuzk_job_result *result) {
    reply->job_id = result->job_id;
    reply->status = reply_status(result->state);
    reply->proof = (ProtobufCBinaryData){.len = result->proof_length, .data = result->proof};
    if (result->state == CUZK_JOB_FAILED || result->state == CUZK_JOB_CANCELLED)
        reply->error_message = result->failure.message;
    reply->queue_wait_ms = result->times.queue_wait_ms;
    reply->srs_load_ms = result->times.srs_load_ms;
    reply->synthesis_ms = result->times.synthesis_ms;
    reply->gpu_compute_ms = result->times.compute_ms;
    reply->total_ms = result->times.total_ms;
}

static void warn_of_development(rpc_call *call, const cuzk_job_result *result) {
    if (result->development_parameters)
        rpc_call_warn(call, "made with development parameters: not a proof for any network");
}

static void reply_proved(rpc_call *call, cuzk_job_result *result) {
    Cuzk__V1__AwaitProofResponse inner = CUZK__V1__AWAIT_PROOF_RESPONSE__INIT;
    Cuzk__V1__ProveResponse reply = CUZK__V1__PROVE_RESPONSE__INIT;
    fill_result(&inner, result);
    reply.result = &inner;
    warn_of_development(call, result);
    rpc_reply(call, &reply.base);
}

/* The call's deadline is the job's: whichever is noticed first, it is the call that ran out of time. */
static bool ran_out_of_time(const cuzk_job_result *result) {
    return result->state == CUZK_JOB_FAILED && result->failure.status == CUZK_DEADLINE;
}

static void prove(rpc_call *call, void *context) {
    proving_service *service = context;
    cuzk_submission submission;
    cuzk_error error = {0};
    if (!submit_request(service, call, true, &submission))
        return;
    interest_enter(service->interest, submission.job_id, !submission.existing);
    cuzk_job_result result = {0};
    cuzk_status status = cuzk_engine_await(service->engine, submission.job_id, 0, call_gone, call, &result, &error);
    if (status == CUZK_OK && !ran_out_of_time(&result))
        reply_proved(call, &result);
    else
        rpc_fail(call, status == CUZK_OK ? &result.failure : &error);
    if (status == CUZK_OK)
        cuzk_job_result_free(&result);
    if (status != CUZK_CANCELLED) {
        interest_leave(service->interest, submission.job_id);
    } else if (interest_abandon(service->interest, submission.job_id, service->options.abandon_grace_ms)) {
        log_info("job %s: cancelled, its client is gone", submission.job_id);
        cuzk_engine_cancel(service->engine, submission.job_id, NULL, NULL);
    }
}

static void await_job(proving_service *service, rpc_call *call, const Cuzk__V1__AwaitProofRequest *request) {
    cuzk_error error = {0};
    cuzk_job_result result = {0};
    cuzk_status status =
        cuzk_engine_await(service->engine, request->job_id, request->timeout_ms, call_gone, call, &result, &error);
    if (status != CUZK_OK && status != CUZK_DEADLINE) {
        rpc_fail(call, &error);
        return;
    }
    Cuzk__V1__AwaitProofResponse reply = CUZK__V1__AWAIT_PROOF_RESPONSE__INIT;
    fill_result(&reply, &result);
    warn_of_development(call, &result);
    rpc_reply(call, &reply.base);
    cuzk_job_result_free(&result);
}

/* A job id that could be one of ours; others are not looked up, and not repeated in messages. */
static bool plausible_id(rpc_call *call, const char *field, const char *id, size_t capacity) {
    size_t length = strlen(id);
    if (length > 0 && length < capacity &&
        strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == length)
        return true;
    cuzk_error error = {0};
    failure(&error, CUZK_NOT_FOUND, "%s: found %zu characters that are no %s of this daemon", field, length, field);
    rpc_fail(call, &error);
    return false;
}

static void await_proof(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__await_proof_request__descriptor, &message, &allocator))
        return;
    const Cuzk__V1__AwaitProofRequest *request = (const Cuzk__V1__AwaitProofRequest *)message;
    if (plausible_id(call, "job_id", request->job_id, CUZK_JOB_ID_CAPACITY)) {
        interest_enter(service->interest, request->job_id, false);
        await_job(service, call, request);
        interest_leave(service->interest, request->job_id);
    }
    message_free(message, &allocator);
}

static void cancel_proof(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__cancel_proof_request__descriptor, &message, &allocator))
        return;
    const char *job_id = ((const Cuzk__V1__CancelProofRequest *)message)->job_id;
    if (plausible_id(call, "job_id", job_id, CUZK_JOB_ID_CAPACITY)) {
        bool was_running = false;
        cuzk_error error = {0};
        if (cuzk_engine_cancel(service->engine, job_id, &was_running, &error) == CUZK_OK) {
            Cuzk__V1__CancelProofResponse reply = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
            reply.was_running = was_running;
            rpc_reply(call, &reply.base);
        } else {
            rpc_fail(call, &error);
        }
    }
    message_free(message, &allocator);
}

/* ---- Status, metrics, parameters ----------------------------------------------------------------------------------- */

static void get_status(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__get_status_request__descriptor, &message, &allocator))
        return;
    message_free(message, &allocator);
    cuzk_engine_status status;
    cuzk_engine_status_get(service->engine, &status);
    Cuzk__V1__GetStatusResponse *reply = status_reply_create(&status);
    rpc_reply(call, &reply->base);
    status_reply_free(reply);
    cuzk_engine_status_free(&status);
}

static void get_metrics(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__get_metrics_request__descriptor, &message, &allocator))
        return;
    message_free(message, &allocator);
    Cuzk__V1__GetMetricsResponse reply = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    reply.prometheus_text = service->options.metrics_text(service->options.metrics_context);
    rpc_reply(call, &reply.base);
    free(reply.prometheus_text);
}

static void preload_srs(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__preload_srs_request__descriptor, &message, &allocator))
        return;
    const char *circuit_id = ((const Cuzk__V1__PreloadSrsRequest *)message)->circuit_id;
    if (plausible_id(call, "circuit_id", circuit_id, CUZK_CIRCUIT_ID_CAPACITY)) {
        Cuzk__V1__PreloadSrsResponse reply = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
        bool already = false;
        cuzk_error error = {0};
        if (cuzk_engine_preload(service->engine, circuit_id, call_gone, call, &already, &reply.load_time_ms, &error) == CUZK_OK) {
            reply.already_loaded = already;
            rpc_reply(call, &reply.base);
        } else {
            rpc_fail(call, &error);
        }
    }
    message_free(message, &allocator);
}

static void evict_srs(rpc_call *call, void *context) {
    proving_service *service = context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &cuzk__v1__evict_srs_request__descriptor, &message, &allocator))
        return;
    const char *circuit_id = ((const Cuzk__V1__EvictSrsRequest *)message)->circuit_id;
    if (plausible_id(call, "circuit_id", circuit_id, CUZK_CIRCUIT_ID_CAPACITY)) {
        Cuzk__V1__EvictSrsResponse reply = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
        bool was_loaded = false;
        cuzk_error error = {0};
        if (cuzk_engine_evict(service->engine, circuit_id, &was_loaded, &reply.freed_bytes, &error) == CUZK_OK) {
            reply.was_loaded = was_loaded;
            rpc_reply(call, &reply.base);
        } else {
            rpc_fail(call, &error);
        }
    }
    message_free(message, &allocator);
}

void proving_service_methods(proving_service *service, rpc_method *methods) {
    const rpc_method table[PROVING_METHOD_COUNT] = {
        {"/cuzk.v1.ProvingEngine/SubmitProof", submit_proof, service, RPC_LONG},
        {"/cuzk.v1.ProvingEngine/AwaitProof", await_proof, service, RPC_LONG},
        {"/cuzk.v1.ProvingEngine/Prove", prove, service, RPC_LONG},
        {"/cuzk.v1.ProvingEngine/CancelProof", cancel_proof, service, RPC_SHORT},
        {"/cuzk.v1.ProvingEngine/GetStatus", get_status, service, RPC_SHORT},
        {"/cuzk.v1.ProvingEngine/GetMetrics", get_metrics, service, RPC_SHORT},
        {"/cuzk.v1.ProvingEngine/PreloadSRS", preload_srs, service, RPC_LONG},
        {"/cuzk.v1.ProvingEngine/EvictSRS", evict_srs, service, RPC_SHORT},
    };
    memcpy(methods, table, sizeof table);
}
