/* Threads for work that blocks: one for each piece, kept a while for the next. */
#ifndef RPC_WORKERS_H
#define RPC_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct workers workers;

/* Never NULL; no thread is started yet. */
workers *workers_create(size_t maximum);

/* Runs function(argument) on a thread of its own, an idle one or a new one. False, with nothing done, when `maximum` are
 * at work or no thread can be had. */
bool workers_run(workers *pool, void (*function)(void *), void *argument);

/* Waits for what is running, ends the threads and frees. Nothing may be submitted any more. NULL is fine. */
void workers_destroy(workers *pool);

#endif
