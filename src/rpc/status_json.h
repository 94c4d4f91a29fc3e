/* The documents of the status page: GET /status and GET /timeline. */
#ifndef RPC_STATUS_JSON_H
#define RPC_STATUS_JSON_H

#include <stdio.h>

#include "cuzk/engine.h"

/* The members that existing scripts read (uptime_secs, memory, synthesis, pipelines, gpu_workers, allocations, counters) and
 * ours (version, draining, devices, queue, history, parameters, circuits, memory by owner). docs/daemon.md lists them. */
void status_json_write(FILE *stream, cuzk_engine *engine);

/* {"now_ns", "started_unix_ms", "spans": [...]}: the stretches with sequence > after. One that is running ends now. */
void timeline_json_write(FILE *stream, cuzk_engine *engine, uint64_t after);

#endif
