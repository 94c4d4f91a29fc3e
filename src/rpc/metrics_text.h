/* GET /metrics and GetMetrics: Prometheus' text exposition format, version 0.0.4. */
#ifndef RPC_METRICS_TEXT_H
#define RPC_METRICS_TEXT_H

#include <stdio.h>

#include "cuzk/engine.h"
#include "rpc/proving_service.h"

/* What is counted outside the engine. */
typedef struct {
    _Atomic(rpc_server *) server; /* NULL until it has started */
    const rpc_method *methods;    /* of the server */
    size_t method_count;
    proving_service *service;
} metrics_sources;

/* Metrics of the engine, and of the server if sources is not NULL and its server has been started. */
void metrics_write(FILE *stream, cuzk_engine *engine, metrics_sources *sources);

#endif
