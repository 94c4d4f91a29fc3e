/* cuzk.v1.ProvingEngine: the eight methods of proto/proving.proto over an engine. */
#ifndef RPC_PROVING_SERVICE_H
#define RPC_PROVING_SERVICE_H

#include "cuzk/engine.h"
#include "rpc/server.h"

typedef struct proving_service proving_service;

enum { PROVING_METHOD_COUNT = 8 };
extern const char PROVING_SERVICE_NAME[]; /* "cuzk.v1.ProvingEngine" */

typedef struct {
    size_t upload_places;       /* requests received at once */
    uint64_t upload_timeout_ms; /* see receive_gate.h */
    uint64_t abandon_grace_ms;  /* see interest.h */
    /* The text of GetMetrics, owned by the caller of this function. */
    char *(*metrics_text)(void *context);
    void *metrics_context;
} proving_service_options;

/* The engine outlives the service. */
proving_service *proving_service_create(cuzk_engine *engine, const proving_service_options *options);
/* After rpc_server_stop. NULL is fine. */
void proving_service_destroy(proving_service *service);

/* Writes the service's methods to methods[0 .. PROVING_METHOD_COUNT-1]. */
void proving_service_methods(proving_service *service, rpc_method *methods);

/* The daemon ends: calls that are cut off from here on do not cancel their jobs, which stay in the journal. */
void proving_service_stopping(proving_service *service);

/* Clients that wait until their request is received. */
size_t proving_service_uploads_waiting(proving_service *service);

/* "porep-c2", "snap-update", "window-post", "winning-post": names that existing clients know from status pages. */
const char *proof_kind_label(cuzk_proof_kind kind);

#endif
