/* Phases of a long job, timed and shown. Also carries the request to stop. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* How a job shows itself. One phase at a time; advance may be called from any thread, the rest from the job's own. */
typedef struct {
    FILE *stream;           /* where lines go; NULL: silent (times are still taken) */
    bool terminal;          /* stream is a terminal: draw a bar that updates in place */
    bool only_long;         /* on other streams: leave out phases that end within two seconds */
    const char *phase;      /* running now, or NULL */
    uint64_t total;         /* steps of the running phase; 0: unknown */
    _Atomic uint64_t done;  /* steps done */
    _Atomic int64_t last_drawn_ns;
    int64_t started_ns;     /* of the phase, monotonic */
    double started_cpu;     /* process CPU seconds at the phase's start */
    atomic_bool cancelled;  /* set by a signal handler or another thread */
} progress;

/* stream NULL: silent. A bar is drawn when the stream is a terminal; else one line for each finished phase. */
void progress_init(progress *job, FILE *stream);

/* Starts a phase (its name must outlive it). Every function here accepts job == NULL and does nothing. */
void progress_begin(progress *job, const char *phase, uint64_t total);
/* Adds steps; redraws at most ten times a second. Plain streams get a line after 2 s and then every 10 s. */
void progress_advance(progress *job, uint64_t steps);
/* Ends the phase and prints its wall and CPU seconds. Returns the wall seconds (0 for NULL). */
double progress_end(progress *job);

/* Asks the job to stop: safe in a signal handler. */
void progress_cancel(progress *job);
/* True once cancelled; long loops ask between blocks. */
bool progress_cancelled(const progress *job);
/* CUZK_CANCELLED with a message if cancelled, else CUZK_OK. */
cuzk_status progress_check(const progress *job, cuzk_error *error);

/* Monotonic nanoseconds. */
int64_t monotonic_ns(void);

#endif
