/* grpc.reflection: the services of this server for tools such as grpcurl. Source: grpc-proto's reflection.proto; its v1 and
 * v1alpha messages are equal on the wire, so one handler serves both names. */
#ifndef RPC_REFLECTION_H
#define RPC_REFLECTION_H

#include "rpc/server.h"

enum { REFLECTION_METHOD_COUNT = 2 };

void reflection_methods(rpc_method *methods);

#endif
