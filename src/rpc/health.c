#include "rpc/health.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <grpc/health/v1/health.pb-c.h>

struct health {
    const char *service_name;
    atomic_bool stopped;
};

health *health_create(const char *service_name) {
    health *h = allocate_zeroed(1, sizeof *h);
    h->service_name = service_name;
    return h;
}

void health_destroy(health *h) { free(h); }

void health_stop(health *h) { atomic_store(&h->stopped, true); }

static bool receive(rpc_call *call, const health *h, bool *known) {
    ProtobufCMessage *message;
    bounded_allocator allocator;
    if (!rpc_receive_small(call, &grpc__health__v1__health_check_request__descriptor, &message, &allocator))
        return false;
    const char *service = ((const Grpc__Health__V1__HealthCheckRequest *)message)->service;
    *known = !*service || strcmp(service, h->service_name) == 0;
    message_free(message, &allocator);
    return true;
}

static Grpc__Health__V1__HealthCheckResponse current(health *h, bool known) {
    Grpc__Health__V1__HealthCheckResponse reply = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    if (!known)
        reply.status = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN;
    else if (atomic_load(&h->stopped))
        reply.status = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
    else
        reply.status = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING;
    return reply;
}

static void check(rpc_call *call, void *context) {
    health *h = context;
    bool known;
    if (!receive(call, h, &known))
        return;
    if (!known) {
        rpc_finish(call, GRPC_STATUS_NOT_FOUND, "service: found a name that this server does not have");
        return;
    }
    Grpc__Health__V1__HealthCheckResponse reply = current(h, true);
    rpc_reply(call, &reply.base);
}

/* One message now, and one for each change, until the client leaves. */
static void watch(rpc_call *call, void *context) {
    enum { POLL_MS = 200 };
    health *h = context;
    bool known;
    if (!receive(call, h, &known))
        return;
    Grpc__Health__V1__HealthCheckResponse reply = current(h, known);
    bool sent = rpc_send(call, &reply.base);
    while (sent && !rpc_call_wait(call, POLL_MS)) {
        Grpc__Health__V1__HealthCheckResponse now = current(h, known);
        if (now.status == reply.status)
            continue;
        reply = now;
        sent = rpc_send(call, &reply.base);
    }
    rpc_finish(call, GRPC_STATUS_CANCELLED, "the watch has ended");
}

void health_methods(health *h, rpc_method *methods) {
    methods[0] = (rpc_method){"/grpc.health.v1.Health/Check", check, h, RPC_SHORT};
    methods[1] = (rpc_method){"/grpc.health.v1.Health/Watch", watch, h, RPC_WATCH};
}
