/* The server's certificates, which may be renewed while it serves: connections made from then on get the new ones. */
#ifndef RPC_TLS_H
#define RPC_TLS_H

#include <grpc/grpc_security.h>

#include "rpc/server.h"

typedef struct tls_store tls_store;

/* What an address was last given. Zeroed before use; lives as long as the grpc_server. */
typedef struct {
    tls_store *store;
    uint64_t version;
} tls_view;

/* Copies the texts. */
tls_store *tls_store_create(const rpc_certificates *texts);
void tls_store_renew(tls_store *store, const rpc_certificates *texts);
/* NULL is fine. */
void tls_store_free(tls_store *store);

/* Credentials for one address. Clients need a certificate if there are authorities now. */
grpc_server_credentials *tls_store_credentials(tls_store *store, tls_view *view);

#endif
