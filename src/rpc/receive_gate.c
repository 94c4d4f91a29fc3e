#include "rpc/receive_gate.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"

enum { POLL_MS = 100, SHORTEST_MS = 2000 };

typedef struct waiter waiter;
struct waiter {
    waiter *older, *newer;
    bool granted;
    pthread_cond_t changed;
};

struct receive_gate {
    pthread_mutex_t mutex;
    size_t places, inside, waiting;
    uint64_t timeout_ms;
    waiter *oldest, *newest;
    bool newest_next; /* whose turn it is */
};

receive_gate *receive_gate_create(size_t places, uint64_t timeout_ms) {
    receive_gate *gate = allocate_zeroed(1, sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    gate->places = places ? places : 1;
    gate->timeout_ms = timeout_ms;
    return gate;
}

void receive_gate_destroy(receive_gate *gate) {
    if (!gate)
        return;
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
}

static void enqueue(receive_gate *gate, waiter *w) {
    w->older = gate->newest;
    if (gate->newest)
        gate->newest->newer = w;
    else
        gate->oldest = w;
    gate->newest = w;
    gate->waiting++;
}

static void dequeue(receive_gate *gate, waiter *w) {
    if (w->older)
        w->older->newer = w->newer;
    else
        gate->oldest = w->newer;
    if (w->newer)
        w->newer->older = w->older;
    else
        gate->newest = w->older;
    gate->waiting--;
}

/* Gives a free place to whose turn it is. */
static void grant(receive_gate *gate) {
    if (gate->inside >= gate->places || !gate->oldest)
        return;
    waiter *w = gate->newest_next ? gate->newest : gate->oldest;
    gate->newest_next = !gate->newest_next;
    dequeue(gate, w);
    w->granted = true;
    gate->inside++;
    pthread_cond_signal(&w->changed);
}

static void wait_a_little(receive_gate *gate, waiter *w) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&w->changed, &gate->mutex, &until);
}

/* Waits in the queue, the mutex held; true with a place. */
static bool wait_for_place(receive_gate *gate, waiter *w, bool (*gone)(void *), void *context) {
    enqueue(gate, w);
    grant(gate);
    while (!w->granted) {
        wait_a_little(gate, w);
        pthread_mutex_unlock(&gate->mutex);
        bool leave = gone(context);
        pthread_mutex_lock(&gate->mutex);
        if (leave && !w->granted) {
            dequeue(gate, w);
            return false;
        }
    }
    return true;
}

bool receive_gate_enter(receive_gate *gate, bool (*gone)(void *), void *context, int64_t *entered) {
    waiter w = {0};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_lock(&gate->mutex);
    bool granted = wait_for_place(gate, &w, gone, context);
    pthread_mutex_unlock(&gate->mutex);
    pthread_cond_destroy(&w.changed);
    *entered = monotonic_ns();
    return granted;
}

void receive_gate_leave(receive_gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    gate->inside--;
    grant(gate);
    pthread_mutex_unlock(&gate->mutex);
}

bool receive_gate_overdue(receive_gate *gate, int64_t entered) {
    pthread_mutex_lock(&gate->mutex);
    size_t waiting = gate->waiting;
    pthread_mutex_unlock(&gate->mutex);
    if (waiting == 0)
        return false;
    uint64_t allowed = gate->timeout_ms / (1 + waiting / gate->places);
    uint64_t shortest = gate->timeout_ms < SHORTEST_MS ? gate->timeout_ms : SHORTEST_MS;
    if (allowed < shortest)
        allowed = shortest;
    return (uint64_t)(monotonic_ns() - entered) / 1000000 >= allowed;
}

size_t receive_gate_waiting(receive_gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    size_t waiting = gate->waiting;
    pthread_mutex_unlock(&gate->mutex);
    return waiting;
}
