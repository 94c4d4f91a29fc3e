/* GetStatusResponse from a picture of the engine. */
#ifndef RPC_STATUS_REPLY_H
#define RPC_STATUS_REPLY_H

#include <proving.pb-c.h>

#include "cuzk/engine.h"

/* Borrows texts from status, which must outlive it. Free with status_reply_free. */
Cuzk__V1__GetStatusResponse *status_reply_create(const cuzk_engine_status *status);
void status_reply_free(Cuzk__V1__GetStatusResponse *reply);

#endif
