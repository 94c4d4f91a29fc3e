/* The status page over HTTP: GET / (dashboard), /status, /timeline, /metrics, /healthz. Read-only. */
#ifndef RPC_HTTP_SERVER_H
#define RPC_HTTP_SERVER_H

#include <stddef.h>

#include "base/error.h"

typedef struct http_server http_server;

/* What a path answers with: text of *length bytes, malloc'd (the server frees it), or NULL for a path that is not served.
 * after is the query string's value of that name, or NULL. Called on the server's threads. */
typedef struct {
    char *(*document)(void *context, const char *path, const char *after, size_t *length, const char **content_type);
    void *context;
} http_documents;

/* Serves on an address as parse_listen_address reads it. CUZK_BAD_INPUT, CUZK_UNAVAILABLE: in use. */
cuzk_status http_server_start(http_server **server, const char *address, const http_documents *documents, cuzk_error *error);

/* The address as bound. */
const char *http_server_address(const http_server *server);

/* NULL is fine. */
void http_server_stop(http_server *server);

#endif
