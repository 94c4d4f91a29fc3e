/* How many messages are received at once: each may grow to the size limit, and gRPC does not tell its size beforehand. */
#ifndef RPC_RECEIVE_GATE_H
#define RPC_RECEIVE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct receive_gate receive_gate;

/* places: at once (at least 1). timeout_ms: how long one may take while others wait. Never NULL. */
receive_gate *receive_gate_create(size_t places, uint64_t timeout_ms);
/* Nobody may be inside or waiting. NULL is fine. */
void receive_gate_destroy(receive_gate *gate);

/* Waits for a place; gone is asked every 100 ms, and when it says true the caller leaves without one (false). Places go by
 * turns to the one who waited longest and to the newest: so neither can a crowd of stalled clients hold up an urgent
 * request for long, nor can a stream of new ones starve an old one. *entered is for receive_gate_overdue. */
bool receive_gate_enter(receive_gate *gate, bool (*gone)(void *), void *context, int64_t *entered);
void receive_gate_leave(receive_gate *gate);

/* True when one who entered then should make room: others wait, and its time is over. The time shrinks as the queue grows,
 * down to two seconds. */
bool receive_gate_overdue(receive_gate *gate, int64_t entered);

size_t receive_gate_waiting(receive_gate *gate);

#endif
