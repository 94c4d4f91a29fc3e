/* gRPC's status codes and ours. */
#ifndef RPC_STATUS_H
#define RPC_STATUS_H

#include <grpc/status.h>

#include "cuzk/error.h"

enum { RPC_STATUS_COUNT = 17 };

/* "OK", "CANCELLED", ...; "UNKNOWN" for a number that is none. */
const char *rpc_status_name(grpc_status_code status);

/* The status that a cuzk_status corresponds to: include/cuzk/engine.h has the table. */
grpc_status_code rpc_status_of(cuzk_status status);

/* What a status means to a client. */
cuzk_status rpc_status_meaning(grpc_status_code status);

#endif
