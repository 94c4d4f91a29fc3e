/* grpc.health.v1.Health: Check and Watch. Source: grpc-proto's health.proto. */
#ifndef RPC_HEALTH_H
#define RPC_HEALTH_H

#include "rpc/server.h"

typedef struct health health;

enum { HEALTH_METHOD_COUNT = 2 };

/* Answers for the services "" (the server) and service_name (static), serving from the start; others are NOT_FOUND. */
health *health_create(const char *service_name);
/* After rpc_server_stop. NULL is fine. */
void health_destroy(health *h);
void health_methods(health *h, rpc_method *methods);

/* NOT_SERVING from now on; watchers are told. */
void health_stop(health *h);

#endif
