/* Questions to the daemon: status, preload, evict, metrics. */
#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "command.h"
#include "rpc/server.h"

enum { TIMEOUT_MS = 30000 };

/* One call of a command: parses, connects, asks; the reply is NULL when only help was wanted. Free it with NULL allocator. */
static cuzk_status ask(const command_line *line, int argc, char **argv, const connection_options *connection, const char *method,
                       const ProtobufCMessage *(*make_request)(void *), void *context, uint64_t timeout_ms,
                       const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **reply, cuzk_error *error) {
    parsed_command_line parsed = {0};
    bool done;
    *reply = NULL;
    TRY(parse_arguments(line, argc, argv, &parsed, &done, error));
    parsed_command_line_free(&parsed);
    if (done)
        return CUZK_OK;
    rpc_client *client;
    rpc_library_init();
    cuzk_status status = connect_daemon(&client, connection, error);
    if (status == CUZK_OK)
        status = rpc_client_call_message(client, method, make_request(context), timeout_ms, descriptor, reply, NULL, error);
    rpc_client_destroy(client);
    rpc_library_shutdown();
    return status;
}

static const ProtobufCMessage *as_is(void *message) { return message; }

/* ---- status --------------------------------------------------------------------------------------------------------- */

static const char *tier_name(Cuzk__V1__SRSStatus__Tier tier) {
    static const char *const names[] = {"hot", "warm", "cold"};
    return (unsigned)tier < 3 ? names[tier] : "unknown";
}

static void print_status(const Cuzk__V1__GetStatusResponse *s) {
    printf("up %llu s, %llu proofs completed, %llu failed, memory %s of %s\n", (unsigned long long)s->uptime_seconds,
           (unsigned long long)s->total_proofs_completed, (unsigned long long)s->total_proofs_failed,
           readable_bytes(s->pinned_memory_bytes), readable_bytes(s->pinned_memory_limit_bytes));
    for (size_t i = 0; i < s->n_gpus; i++)
        printf("device %u %s: %s free of %s%s%s\n", s->gpus[i]->ordinal, s->gpus[i]->name,
               readable_bytes(s->gpus[i]->vram_free_bytes), readable_bytes(s->gpus[i]->vram_total_bytes),
               *s->gpus[i]->current_job_id ? ", proves " : ", idle", s->gpus[i]->current_job_id);
    printf("\n%-14s %8s %12s\n", "queue", "waiting", "in progress");
    for (size_t i = 0; i < s->n_queues; i++)
        printf("%-14s %8u %12u\n", s->queues[i]->proof_kind, s->queues[i]->pending, s->queues[i]->in_progress);
    printf("\n%-14s %8s %12s %7s\n", "parameters", "tier", "size", "in use");
    for (size_t i = 0; i < s->n_loaded_srs; i++)
        printf("%-14s %8s %12s %7u\n", s->loaded_srs[i]->circuit_id, tier_name(s->loaded_srs[i]->tier),
               readable_bytes(s->loaded_srs[i]->size_bytes), s->loaded_srs[i]->ref_count);
}

static void print_devices_json(json_writer *w, const Cuzk__V1__GetStatusResponse *s) {
    json_key(w, "gpus");
    json_begin_array(w);
    for (size_t i = 0; i < s->n_gpus; i++) {
        json_begin_object(w);
        json_member_unsigned(w, "ordinal", s->gpus[i]->ordinal);
        json_member_string(w, "name", s->gpus[i]->name);
        json_member_unsigned(w, "vram_total_bytes", s->gpus[i]->vram_total_bytes);
        json_member_unsigned(w, "vram_free_bytes", s->gpus[i]->vram_free_bytes);
        json_member_string(w, "current_job_id", s->gpus[i]->current_job_id);
        json_member_string(w, "current_proof_kind", s->gpus[i]->current_proof_kind);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_status_json(const Cuzk__V1__GetStatusResponse *s) {
    json_writer writer, *w = &writer;
    json_writer_init(w, stdout, 2);
    json_begin_object(w);
    print_devices_json(w, s);
    json_key(w, "loaded_srs");
    json_begin_array(w);
    for (size_t i = 0; i < s->n_loaded_srs; i++) {
        json_begin_object(w);
        json_member_string(w, "circuit_id", s->loaded_srs[i]->circuit_id);
        json_member_string(w, "tier", tier_name(s->loaded_srs[i]->tier));
        json_member_unsigned(w, "size_bytes", s->loaded_srs[i]->size_bytes);
        json_member_unsigned(w, "ref_count", s->loaded_srs[i]->ref_count);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "queues");
    json_begin_array(w);
    for (size_t i = 0; i < s->n_queues; i++) {
        json_begin_object(w);
        json_member_string(w, "proof_kind", s->queues[i]->proof_kind);
        json_member_unsigned(w, "pending", s->queues[i]->pending);
        json_member_unsigned(w, "in_progress", s->queues[i]->in_progress);
        json_end_object(w);
    }
    json_end_array(w);
    json_member_unsigned(w, "total_proofs_completed", s->total_proofs_completed);
    json_member_unsigned(w, "total_proofs_failed", s->total_proofs_failed);
    json_member_unsigned(w, "uptime_seconds", s->uptime_seconds);
    json_member_unsigned(w, "pinned_memory_bytes", s->pinned_memory_bytes);
    json_member_unsigned(w, "pinned_memory_limit_bytes", s->pinned_memory_limit_bytes);
    json_end_object(w);
}

cuzk_status command_status(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    connection_options connection = CONNECTION_DEFAULTS;
    bool json = false;
    const option options[] = {CONNECTION_OPTIONS(&connection), {"json", 0, OPTION_FLAG, &json, NULL, "print it as JSON", 0, 0}};
    const command_line line = {.usage = "cuzk-bench status",
                               .summary = "What the daemon is doing.",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    ProtobufCMessage *reply;
    TRY(ask(&line, argc, argv, &connection, "/cuzk.v1.ProvingEngine/GetStatus", as_is, &request, TIMEOUT_MS,
            &cuzk__v1__get_status_response__descriptor, &reply, error));
    if (reply && json)
        print_status_json((const Cuzk__V1__GetStatusResponse *)reply);
    else if (reply)
        print_status((const Cuzk__V1__GetStatusResponse *)reply);
    protobuf_c_message_free_unpacked(reply, NULL);
    return CUZK_OK;
}

/* ---- metrics -------------------------------------------------------------------------------------------------------- */

cuzk_status command_metrics(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    connection_options connection = CONNECTION_DEFAULTS;
    const option options[] = {CONNECTION_OPTIONS(&connection)};
    const command_line line = {.usage = "cuzk-bench metrics",
                               .summary = "The daemon's metrics, as Prometheus reads them.",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
    Cuzk__V1__GetMetricsRequest request = CUZK__V1__GET_METRICS_REQUEST__INIT;
    ProtobufCMessage *reply;
    TRY(ask(&line, argc, argv, &connection, "/cuzk.v1.ProvingEngine/GetMetrics", as_is, &request, TIMEOUT_MS,
            &cuzk__v1__get_metrics_response__descriptor, &reply, error));
    if (reply)
        fputs(((const Cuzk__V1__GetMetricsResponse *)reply)->prometheus_text, stdout);
    protobuf_c_message_free_unpacked(reply, NULL);
    return CUZK_OK;
}

/* ---- preload, evict ------------------------------------------------------------------------------------------------- */

/* A circuit's name is an option (--circuit, and --circuit-id as the Rust tool had it) or stands by itself. */
typedef struct {
    const char *circuit, *circuit_id;
    Cuzk__V1__PreloadSrsRequest preload;
    Cuzk__V1__EvictSrsRequest evict;
} circuit_request;

#define CIRCUIT_OPTIONS(r)                                                                                                       \
    {"circuit", 'c', OPTION_TEXT, &(r)->circuit, "ID", "porep-32g, snap-32g, wpost-32g, winning-32g, ...", 0, 0}, {              \
        "circuit-id", 0, OPTION_TEXT, &(r)->circuit_id, "ID", "the same", 0, 0                                                   \
    }

static char *circuit_of(const circuit_request *r) {
    const char *text = r->circuit ? r->circuit : r->circuit_id ? r->circuit_id : "";
    return (char *)(uintptr_t)text;
}

static const ProtobufCMessage *preload_request(void *context) {
    circuit_request *r = context;
    r->preload = (Cuzk__V1__PreloadSrsRequest)CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    r->preload.circuit_id = circuit_of(r);
    return &r->preload.base;
}

static const ProtobufCMessage *evict_request(void *context) {
    circuit_request *r = context;
    r->evict = (Cuzk__V1__EvictSrsRequest)CUZK__V1__EVICT_SRS_REQUEST__INIT;
    r->evict.circuit_id = circuit_of(r);
    return &r->evict.base;
}

cuzk_status command_preload(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    connection_options connection = CONNECTION_DEFAULTS;
    circuit_request request = {0};
    const option options[] = {CONNECTION_OPTIONS(&connection), CIRCUIT_OPTIONS(&request)};
    const command_line line = {
        .usage = "cuzk-bench preload --circuit ID",
        .summary = "Reads a circuit's parameters into the daemon's memory, so that its first proof is as fast as the next.",
        .options = options,
        .option_count = sizeof options / sizeof *options};
    ProtobufCMessage *reply;
    TRY(ask(&line, argc, argv, &connection, "/cuzk.v1.ProvingEngine/PreloadSRS", preload_request, &request, 0,
            &cuzk__v1__preload_srs_response__descriptor, &reply, error));
    const Cuzk__V1__PreloadSrsResponse *r = (const Cuzk__V1__PreloadSrsResponse *)reply;
    if (r)
        printf("%s: %s %llu ms\n", circuit_of(&request), r->already_loaded ? "loaded already;" : "loaded in",
               (unsigned long long)r->load_time_ms);
    protobuf_c_message_free_unpacked(reply, NULL);
    return CUZK_OK;
}

cuzk_status command_evict(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    connection_options connection = CONNECTION_DEFAULTS;
    circuit_request request = {0};
    const option options[] = {CONNECTION_OPTIONS(&connection), CIRCUIT_OPTIONS(&request)};
    const command_line line = {.usage = "cuzk-bench evict --circuit ID",
                               .summary = "Drops a circuit's parameters from the daemon's memory, if nothing uses them.",
                               .options = options,
                               .option_count = sizeof options / sizeof *options};
    ProtobufCMessage *reply;
    TRY(ask(&line, argc, argv, &connection, "/cuzk.v1.ProvingEngine/EvictSRS", evict_request, &request, TIMEOUT_MS,
            &cuzk__v1__evict_srs_response__descriptor, &reply, error));
    const Cuzk__V1__EvictSrsResponse *r = (const Cuzk__V1__EvictSrsResponse *)reply;
    if (r && r->was_loaded)
        printf("%s: dropped, %s freed\n", circuit_of(&request), readable_bytes(r->freed_bytes));
    else if (r)
        printf("%s: was not loaded\n", circuit_of(&request));
    protobuf_c_message_free_unpacked(reply, NULL);
    return CUZK_OK;
}
