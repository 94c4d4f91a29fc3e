#include "rpc/interest.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "cuzk/engine.h"
#include "rpc/server_internal.h"

typedef struct entry entry;
struct entry {
    entry *next;
    char job_id[CUZK_JOB_ID_CAPACITY];
    size_t waiters;   /* calls that want the answer */
    size_t referring; /* those, and those that wait out their grace */
    bool owned;       /* made by a Prove call, and never submitted by itself */
};

struct interest {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    entry *first;
    bool stopping;
};

interest *interest_create(void) {
    interest *table = allocate_zeroed(1, sizeof *table);
    pthread_mutex_init(&table->mutex, NULL);
    condition_init(&table->changed);
    return table;
}

void interest_destroy(interest *table) {
    if (!table)
        return;
    pthread_cond_destroy(&table->changed);
    pthread_mutex_destroy(&table->mutex);
    free(table);
}

static entry **find(interest *table, const char *job_id) {
    entry **place = &table->first;
    while (*place && strcmp((*place)->job_id, job_id) != 0)
        place = &(*place)->next;
    return place;
}

static void release(entry **place) {
    entry *e = *place;
    assert(e);
    if (--e->referring > 0)
        return;
    *place = e->next;
    free(e);
}

void interest_enter(interest *table, const char *job_id, bool owner) {
    pthread_mutex_lock(&table->mutex);
    entry **place = find(table, job_id);
    if (!*place) {
        *place = allocate_zeroed(1, sizeof **place);
        memcpy((*place)->job_id, job_id, strlen(job_id) + 1);
    }
    (*place)->waiters++;
    (*place)->referring++;
    (*place)->owned |= owner;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->mutex);
}

void interest_keep(interest *table, const char *job_id) {
    pthread_mutex_lock(&table->mutex);
    entry *e = *find(table, job_id);
    if (e)
        e->owned = false;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->mutex);
}

void interest_leave(interest *table, const char *job_id) {
    pthread_mutex_lock(&table->mutex);
    entry **place = find(table, job_id);
    assert(*place);
    (*place)->waiters--;
    release(place);
    pthread_mutex_unlock(&table->mutex);
}

bool interest_abandon(interest *table, const char *job_id, uint64_t grace_ms) {
    int64_t end = monotonic_ns() + (int64_t)grace_ms * 1000000;
    pthread_mutex_lock(&table->mutex);
    entry *e = *find(table, job_id);
    assert(e);
    e->waiters--;
    while (e->owned && e->waiters == 0 && !table->stopping && monotonic_ns() < end)
        condition_wait(&table->changed, &table->mutex, 50);
    bool unwanted = e->owned && e->waiters == 0 && !table->stopping;
    release(find(table, job_id));
    pthread_mutex_unlock(&table->mutex);
    return unwanted;
}

void interest_stop(interest *table) {
    pthread_mutex_lock(&table->mutex);
    table->stopping = true;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->mutex);
}
