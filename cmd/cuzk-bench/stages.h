/* The daemon's own timeline, from its status page. */
#ifndef CUZK_BENCH_STAGES_H
#define CUZK_BENCH_STAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    char stage[16]; /* "synthesis", "prove", ... */
    char circuit_id[24];
    char job_id[64];
    uint64_t partition, worker;
    int64_t start_ns, end_ns; /* since the moment of stages_mark */
} stage_span;

typedef struct {
    stage_span *spans;
    size_t count;
    double prover_busy; /* share of the time from the first stretch to the last in which some prover proved */
} stage_list;

/* Where the daemon's timeline stands now. */
typedef struct {
    uint64_t sequence, now_ns;
} stage_mark;

/* address: "HOST:PORT" or "http://HOST:PORT" of daemon.status_listen. CUZK_UNAVAILABLE, CUZK_BAD_INPUT name it. */
cuzk_status stages_mark(stage_mark *mark, const char *address, cuzk_error *error);
/* What has ended since. Free with stages_free. */
cuzk_status stages_since(stage_list *list, const char *address, const stage_mark *mark, cuzk_error *error);
void stages_free(stage_list *list);

#endif
