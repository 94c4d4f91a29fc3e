#include "base/threads.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

struct thread_pool {
    size_t size;
    pthread_t *threads; /* size - 1 of them */

    pthread_mutex_t turn; /* held by the thread whose loop runs */

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t work_ready, work_done;
    uint64_t loop_number; /* increases with each loop */
    size_t workers_busy;
    bool stopping;

    /* The loop that runs; written under lock before workers wake, constant until all are done. */
    range_function function;
    void *context;
    size_t count, grain;
    atomic_size_t next;
};

typedef struct {
    thread_pool *pool;
    size_t worker;
} worker_argument;

/* The pool and worker number of the loop that this thread is inside of, if any. */
static _Thread_local struct {
    thread_pool *pool;
    size_t worker;
} inside;

static void run_ranges(thread_pool *pool, size_t worker) {
    inside.pool = pool;
    inside.worker = worker;
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&pool->next, pool->grain, memory_order_relaxed);
        if (begin >= pool->count)
            break;
        size_t end = pool->count - begin < pool->grain ? pool->count : begin + pool->grain;
        pool->function(pool->context, begin, end, worker);
    }
    inside.pool = NULL;
}

static void *worker_main(void *pointer) {
    worker_argument argument = *(worker_argument *)pointer;
    free(pointer);
    thread_pool *pool = argument.pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->loop_number == seen && !pool->stopping)
            pthread_cond_wait(&pool->work_ready, &pool->lock);
        if (pool->stopping)
            break;
        seen = pool->loop_number;
        pthread_mutex_unlock(&pool->lock);
        run_ranges(pool, argument.worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->workers_busy == 0)
            pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static size_t usable_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (size_t)CPU_COUNT(&set);
    return 1;
}

thread_pool *thread_pool_create(size_t threads) {
    thread_pool *pool = allocate_zeroed(1, sizeof *pool);
    size_t wanted = threads ? threads : usable_processors();
    pool->threads = allocate(wanted, sizeof *pool->threads);
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    /* A thread that cannot be started only makes the pool smaller. */
    for (pool->size = 1; pool->size < wanted; pool->size++) {
        worker_argument *argument = allocate(1, sizeof *argument);
        *argument = (worker_argument){.pool = pool, .worker = pool->size};
        if (pthread_create(&pool->threads[pool->size - 1], NULL, worker_main, argument) != 0) {
            free(argument);
            break;
        }
    }
    return pool;
}

void thread_pool_destroy(thread_pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i + 1 < pool->size; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->turn);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->work_ready);
    pthread_cond_destroy(&pool->work_done);
    free(pool->threads);
    free(pool);
}

size_t thread_pool_size(const thread_pool *pool) {
    return pool ? pool->size : 1;
}

static void run_alone(size_t count, size_t grain, range_function function, void *context, size_t worker) {
    for (size_t begin = 0; begin < count; begin += grain)
        function(context, begin, count - begin < grain ? count : begin + grain, worker);
}

void parallel_for(thread_pool *pool, size_t count, size_t grain, range_function function, void *context) {
    if (grain == 0)
        grain = 1;
    if (count == 0)
        return;
    if (pool && inside.pool == pool) {
        run_alone(count, grain, function, context, inside.worker);
        return;
    }
    if (!pool || pool->size == 1) {
        if (pool)
            pthread_mutex_lock(&pool->turn);
        run_alone(count, grain, function, context, 0);
        if (pool)
            pthread_mutex_unlock(&pool->turn);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    pthread_mutex_lock(&pool->lock);
    pool->function = function;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->workers_busy = pool->size - 1;
    pool->loop_number++;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->lock);

    run_ranges(pool, 0);

    pthread_mutex_lock(&pool->lock);
    while (pool->workers_busy > 0)
        pthread_cond_wait(&pool->work_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}

size_t even_grain(const thread_pool *pool, size_t count) {
    size_t ranges = thread_pool_size(pool) * 4;
    return count <= ranges ? 1 : (count + ranges - 1) / ranges;
}
