#include "base/progress.h"

#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, DRAW_INTERVAL_NS = 100000000 };
static const int64_t PLAIN_FIRST_NS = 2000000000, PLAIN_INTERVAL_NS = 10000000000;

int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double process_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_init(progress *job, FILE *stream) {
    *job = (progress){.stream = stream, .terminal = stream && isatty(fileno(stream))};
}

static void draw_bar(const progress *job, uint64_t done, double seconds) {
    char bar[BAR_WIDTH + 1];
    uint64_t shown = done < job->total ? done : job->total;
    int filled = (int)(shown * BAR_WIDTH / job->total);
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR_WIDTH] = 0;
    fprintf(job->stream, "\r  %-28s [%s] %3d %% %7.1f s", job->phase, bar, (int)(shown * 100 / job->total), seconds);
    fflush(job->stream);
}

void progress_begin(progress *job, const char *phase, uint64_t total) {
    if (!job)
        return;
    job->phase = phase;
    job->total = total;
    atomic_store(&job->done, 0);
    job->started_ns = monotonic_ns();
    job->started_cpu = process_cpu_seconds();
    atomic_store(&job->last_drawn_ns, job->terminal ? job->started_ns : job->started_ns - PLAIN_INTERVAL_NS + PLAIN_FIRST_NS);
    if (job->terminal && total) {
        draw_bar(job, 0, 0);
    } else if (job->terminal) {
        fprintf(job->stream, "\r  %-28s ...", phase);
        fflush(job->stream);
    }
}

void progress_advance(progress *job, uint64_t steps) {
    if (!job)
        return;
    uint64_t done = atomic_fetch_add(&job->done, steps) + steps;
    if (!job->stream || !job->total)
        return;
    int64_t now = monotonic_ns();
    int64_t last = atomic_load(&job->last_drawn_ns);
    int64_t interval = job->terminal ? DRAW_INTERVAL_NS : PLAIN_INTERVAL_NS;
    if (now - last < interval || !atomic_compare_exchange_strong(&job->last_drawn_ns, &last, now))
        return;
    double seconds = 1e-9 * (double)(now - job->started_ns);
    if (job->terminal) {
        draw_bar(job, done, seconds);
    } else {
        fprintf(job->stream, "  %-28s %3d %% after %.0f s\n", job->phase, (int)(100 * done / job->total), seconds);
        fflush(job->stream);
    }
}

double progress_end(progress *job) {
    if (!job || !job->phase)
        return 0;
    double seconds = 1e-9 * (double)(monotonic_ns() - job->started_ns);
    double cpu = process_cpu_seconds() - job->started_cpu;
    if (job->stream && (job->terminal || !job->only_long || seconds >= 1e-9 * (double)PLAIN_FIRST_NS)) {
        /* The spaces wipe the rest of a bar. */
        fprintf(job->stream, "%s  %-28s %8.3f s  (%.3f core-seconds)%s\n", job->terminal ? "\r" : "", job->phase, seconds, cpu,
                job->terminal ? "                    " : "");
        fflush(job->stream);
    }
    job->phase = NULL;
    return seconds;
}

void progress_cancel(progress *job) {
    if (job)
        atomic_store(&job->cancelled, true);
}

bool progress_cancelled(const progress *job) {
    return job && atomic_load(&job->cancelled);
}

cuzk_status progress_check(const progress *job, cuzk_error *error) {
    return progress_cancelled(job) ? failure(error, CUZK_CANCELLED, "stopped on request") : CUZK_OK;
}
