#include "rpc/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

enum { IDLE_SECONDS = 5, STACK_BYTES = 1 << 20 };

typedef struct task task;
struct task {
    void (*function)(void *);
    void *argument;
    task *next;
};

struct workers {
    pthread_mutex_t mutex;
    pthread_cond_t work, gone;
    task *first, **last; /* waiting for a thread */
    size_t maximum, threads, idle, queued;
    bool ending;
    pthread_t ended; /* the thread that ended last: the next to end joins it, and so on to workers_destroy */
    bool has_ended;
};

workers *workers_create(size_t maximum) {
    workers *pool = allocate_zeroed(1, sizeof *pool);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, &attributes);
    pthread_cond_init(&pool->gone, &attributes);
    pthread_condattr_destroy(&attributes);
    pool->last = &pool->first;
    pool->maximum = maximum;
    return pool;
}

/* Waits for work with the mutex held; false when the thread should end. */
static bool wait_for_work(workers *pool) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += IDLE_SECONDS;
    int waited = 0;
    pool->idle++;
    while (!pool->first && !pool->ending && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&pool->work, &pool->mutex, &until);
    pool->idle--;
    return pool->first != NULL;
}

static void *work(void *context) {
    workers *pool = context;
    pthread_mutex_lock(&pool->mutex);
    while (wait_for_work(pool)) {
        task *mine = pool->first;
        pool->first = mine->next;
        if (!pool->first)
            pool->last = &pool->first;
        pool->queued--;
        pthread_mutex_unlock(&pool->mutex);
        mine->function(mine->argument);
        free(mine);
        pthread_mutex_lock(&pool->mutex);
    }
    pthread_t earlier = pool->ended;
    bool join_earlier = pool->has_ended;
    pool->ended = pthread_self();
    pool->has_ended = true;
    pool->threads--;
    pthread_cond_signal(&pool->gone);
    pthread_mutex_unlock(&pool->mutex);
    if (join_earlier)
        pthread_join(earlier, NULL);
    return NULL;
}

static bool start_thread(workers *pool) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool started = pthread_create(&thread, &attributes, work, pool) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pool->threads++;
    return started;
}

bool workers_run(workers *pool, void (*function)(void *), void *argument) {
    task *mine = allocate(1, sizeof *mine);
    *mine = (task){.function = function, .argument = argument};
    pthread_mutex_lock(&pool->mutex);
    /* Every queued piece has its own idle or starting thread, so none waits for another's end. */
    bool accepted = pool->queued < pool->idle || (pool->threads < pool->maximum && start_thread(pool));
    if (accepted) {
        *pool->last = mine;
        pool->last = &mine->next;
        pool->queued++;
        pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->mutex);
    if (!accepted)
        free(mine);
    return accepted;
}

void workers_destroy(workers *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    while (pool->threads > 0)
        pthread_cond_wait(&pool->gone, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    if (pool->has_ended)
        pthread_join(pool->ended, NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->gone);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}
