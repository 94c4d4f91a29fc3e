#include "filecoin/parallel_try.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    try_function function;
    void *context;
    atomic_bool failed;
    pthread_mutex_t mutex; /* guards what follows */
    size_t failed_index;
    cuzk_status status;
    cuzk_error *error;
} try_loop;

static void record_failure(try_loop *loop, size_t index, cuzk_status status, const cuzk_error *error) {
    pthread_mutex_lock(&loop->mutex);
    if (loop->status == CUZK_OK || index < loop->failed_index) {
        loop->status = status;
        loop->failed_index = index;
        if (loop->error)
            *loop->error = *error;
    }
    atomic_store(&loop->failed, true);
    pthread_mutex_unlock(&loop->mutex);
}

static void try_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    try_loop *loop = context;
    for (size_t i = begin; i < end && !atomic_load(&loop->failed); i++) {
        cuzk_error error = {0};
        cuzk_status status = loop->function(loop->context, i, &error);
        if (status != CUZK_OK)
            record_failure(loop, i, status, &error);
    }
}

cuzk_status parallel_try(thread_pool *pool, size_t count, try_function function, void *context, cuzk_error *error) {
    try_loop loop = {.function = function, .context = context, .error = error};
    pthread_mutex_init(&loop.mutex, NULL);
    parallel_for(pool, count, 1, try_range, &loop);
    pthread_mutex_destroy(&loop.mutex);
    return loop.status;
}
