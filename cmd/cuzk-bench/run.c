#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <proving.pb-c.h>

#include "base/memory.h"
#include "base/progress.h"

static const char SUBMIT[] = "/cuzk.v1.ProvingEngine/SubmitProof", AWAIT[] = "/cuzk.v1.ProvingEngine/AwaitProof",
                  PROVE[] = "/cuzk.v1.ProvingEngine/Prove", CANCEL[] = "/cuzk.v1.ProvingEngine/CancelProof";

const char *run_outcome_name(run_outcome outcome) {
    static const char *const names[RUN_OUTCOME_COUNT] = {"proved", "failed", "refused", "cancelled", "lost"};
    return names[outcome];
}

typedef struct {
    const workload *w;
    int64_t start_ns;
    char id_prefix[64];
    pthread_mutex_t mutex; /* guards what follows */
    size_t next;
    run_record *records;
    size_t count, capacity;
} run_state;

typedef struct {
    run_state *state;
    rpc_client *client;
    pthread_t thread;
    unsigned number;
    uint64_t random;
} bench_client;

/* splitmix64: a run can be repeated by its seed. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- One proof ------------------------------------------------------------------------------------------------------ */

static void note_result(run_record *record, const Cuzk__V1__AwaitProofResponse *result, const rpc_call_outcome *outcome) {
    bool proved = result->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED;
    record->outcome = proved ? RUN_PROVED : RUN_FAILED;
    record->queue_wait_ms = result->queue_wait_ms;
    record->srs_load_ms = result->srs_load_ms;
    record->synthesis_ms = result->synthesis_ms;
    record->gpu_compute_ms = result->gpu_compute_ms;
    record->total_ms = result->total_ms;
    snprintf(record->job_id, sizeof record->job_id, "%s", result->job_id);
    snprintf(record->message, sizeof record->message, "%s", proved ? outcome->warning : result->error_message);
    record->proof_length = result->proof.len;
    record->proof = allocate(result->proof.len, 1);
    if (result->proof.len)
        memcpy(record->proof, result->proof.data, result->proof.len);
}

static void note_error(run_record *record, run_outcome outcome, const cuzk_error *error) {
    record->outcome = outcome;
    record->status = error->status;
    snprintf(record->message, sizeof record->message, "%s", error->message);
}

static void prove_in_one_call(bench_client *c, run_record *record, framed_request *framed) {
    ProtobufCMessage *reply;
    rpc_call_outcome outcome;
    cuzk_error error = {0};
    cuzk_status status = rpc_client_call(c->client, PROVE, framed->parts, 3, c->state->w->timeout_ms,
                                         &cuzk__v1__prove_response__descriptor, &reply, &outcome, &error);
    if (status != CUZK_OK) {
        note_error(record, RUN_REFUSED, &error);
        return;
    }
    const Cuzk__V1__AwaitProofResponse *result = ((const Cuzk__V1__ProveResponse *)reply)->result;
    if (result)
        note_result(record, result, &outcome);
    protobuf_c_message_free_unpacked(reply, NULL);
}

static bool submit_job(bench_client *c, run_record *record, framed_request *framed) {
    ProtobufCMessage *reply;
    cuzk_error error = {0};
    if (rpc_client_call(c->client, SUBMIT, framed->parts, 3, c->state->w->timeout_ms,
                        &cuzk__v1__submit_proof_response__descriptor, &reply, NULL, &error) != CUZK_OK) {
        note_error(record, RUN_REFUSED, &error);
        return false;
    }
    snprintf(record->job_id, sizeof record->job_id, "%s", ((const Cuzk__V1__SubmitProofResponse *)reply)->job_id);
    protobuf_c_message_free_unpacked(reply, NULL);
    return true;
}

static bool cancel_job(bench_client *c, run_record *record) {
    ProtobufCMessage *reply;
    cuzk_error error = {0};
    Cuzk__V1__CancelProofRequest request = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    request.job_id = record->job_id;
    if (rpc_client_call_message(c->client, CANCEL, &request.base, 0, &cuzk__v1__cancel_proof_response__descriptor, &reply, NULL,
                                &error) != CUZK_OK) {
        note_error(record, RUN_LOST, &error);
        return false;
    }
    protobuf_c_message_free_unpacked(reply, NULL);
    return true;
}

static void await_job(bench_client *c, run_record *record, bool cancelled) {
    ProtobufCMessage *reply;
    rpc_call_outcome outcome;
    cuzk_error error = {0};
    Cuzk__V1__AwaitProofRequest request = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    request.job_id = record->job_id;
    if (rpc_client_call_message(c->client, AWAIT, &request.base, c->state->w->timeout_ms,
                                &cuzk__v1__await_proof_response__descriptor, &reply, &outcome, &error) != CUZK_OK) {
        note_error(record, error.status == CUZK_NOT_FOUND ? RUN_LOST : RUN_REFUSED, &error);
        return;
    }
    const Cuzk__V1__AwaitProofResponse *result = (const Cuzk__V1__AwaitProofResponse *)reply;
    note_result(record, result, &outcome);
    if (cancelled && result->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED)
        record->outcome = RUN_CANCELLED;
    protobuf_c_message_free_unpacked(reply, NULL);
}

static void prove_in_two_calls(bench_client *c, run_record *record, framed_request *framed, bool cancel) {
    if (!submit_job(c, record, framed))
        return;
    if (cancel) {
        struct timespec pause = {.tv_nsec = (long)(next_random(&c->random) % 20000000)};
        nanosleep(&pause, NULL);
        if (!cancel_job(c, record))
            return;
    }
    await_job(c, record, cancel);
}

static void prove_one(bench_client *c, run_record *record, size_t number) {
    run_state *s = c->state;
    char id[128];
    framed_request framed;
    *record = (run_record){.client = c->number, .outcome = RUN_LOST, .start_ns = monotonic_ns() - s->start_ns};
    bool two_calls = false, cancel = false;
    if (s->w->mixed) {
        record->payload = next_random(&c->random) % s->w->payload_count;
        record->priority = (cuzk_priority)(next_random(&c->random) % CUZK_PRIORITY_COUNT);
        two_calls = next_random(&c->random) % 2;
        cancel = two_calls && next_random(&c->random) % 5 == 0;
    } else {
        record->payload = number % s->w->payload_count;
    }
    snprintf(id, sizeof id, "%s-%zu", s->id_prefix, number);
    payload_frame(&framed, &s->w->payloads[record->payload], id, record->priority, !two_calls);
    if (two_calls)
        prove_in_two_calls(c, record, &framed, cancel);
    else
        prove_in_one_call(c, record, &framed);
    record->end_ns = monotonic_ns() - s->start_ns;
}

/* ---- All of them ---------------------------------------------------------------------------------------------------- */

/* Claims the next number; false when the workload is done. */
static bool claim(run_state *s, size_t *number) {
    pthread_mutex_lock(&s->mutex);
    bool more = s->w->count == 0 || s->next < s->w->count;
    if (s->w->seconds && (uint64_t)(monotonic_ns() - s->start_ns) / 1000000000u >= s->w->seconds)
        more = false;
    *number = s->next;
    if (more)
        s->next++;
    pthread_mutex_unlock(&s->mutex);
    return more;
}

static void keep(run_state *s, const run_record *record) {
    pthread_mutex_lock(&s->mutex);
    s->records = grow_array(s->records, s->count, &s->capacity, sizeof *s->records);
    s->records[s->count++] = *record;
    if (s->w->finished)
        s->w->finished(s->w->context, record);
    pthread_mutex_unlock(&s->mutex);
}

static void *run_client(void *context) {
    bench_client *c = context;
    size_t number;
    while (claim(c->state, &number)) {
        run_record record;
        prove_one(c, &record, number);
        keep(c->state, &record);
    }
    return NULL;
}

static int by_start(const void *a, const void *b) {
    const run_record *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static cuzk_status run_clients(run_state *s, bench_client *clients, const connection_options *connection, cuzk_error *error) {
    cuzk_status status = CUZK_OK;
    unsigned count = 0, started = 0;
    for (; count < s->w->clients && status == CUZK_OK; count++) {
        clients[count] = (bench_client){.state = s, .number = count, .random = s->w->seed + ((uint64_t)count << 32)};
        status = connect_daemon(&clients[count].client, connection, error);
    }
    s->start_ns = monotonic_ns();
    for (; started < count && status == CUZK_OK; started++)
        if (pthread_create(&clients[started].thread, NULL, run_client, &clients[started]) != 0)
            status = failure(error, CUZK_NO_MEMORY, "cannot start thread %u of %u", started + 1, count);
    if (status != CUZK_OK && started > 0)
        started--; /* the one that could not be started */
    for (unsigned i = 0; i < started; i++)
        pthread_join(clients[i].thread, NULL);
    for (unsigned i = 0; i < count; i++)
        rpc_client_destroy(clients[i].client);
    return status;
}

cuzk_status run_workload(run_result *result, const workload *w, const connection_options *connection, cuzk_error *error) {
    struct timespec now;
    run_state s = {.w = w};
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(s.id_prefix, sizeof s.id_prefix, "bench-%lld-%d", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
             (int)getpid());
    pthread_mutex_init(&s.mutex, NULL);
    bench_client *clients = allocate_zeroed(w->clients, sizeof *clients);
    cuzk_status status = run_clients(&s, clients, connection, error);
    free(clients);
    pthread_mutex_destroy(&s.mutex);
    *result = (run_result){.records = s.records, .count = s.count};
    if (s.count)
        qsort(s.records, s.count, sizeof *s.records, by_start);
    for (size_t i = 0; i < s.count; i++)
        if (s.records[i].end_ns > result->duration_ns)
            result->duration_ns = s.records[i].end_ns;
    return status;
}

void run_result_free(run_result *result) {
    for (size_t i = 0; i < result->count; i++)
        free(result->records[i].proof);
    free(result->records);
    *result = (run_result){0};
}
