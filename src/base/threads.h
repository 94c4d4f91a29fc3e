/* The one thread pool: parallel loops over index ranges. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <stddef.h>

typedef struct thread_pool thread_pool;

/* A pool of `threads` workers in all, the calling thread of a loop being one of them (0: one for each CPU that this
 * process may run on). Never NULL. */
thread_pool *thread_pool_create(size_t threads);

/* Waits for the workers and frees the pool. No loop may be running. NULL is fine. */
void thread_pool_destroy(thread_pool *pool);

/* Number of workers, the caller included; 1 for a NULL pool. */
size_t thread_pool_size(const thread_pool *pool);

/* Works on the indices begin .. end-1. `worker` is below thread_pool_size and no two calls that run at the same time
 * share it, so it may select scratch memory. */
typedef void (*range_function)(void *context, size_t begin, size_t end, size_t worker);

/* Calls function for consecutive ranges of at most `grain` indices (at least 1) that cover 0 .. count-1, on all
 * workers, and returns when all are done; what they wrote is visible to the caller. Ranges are handed out in order.
 * A NULL pool runs everything on the caller. Loops may be started from several threads (they take turns) and from
 * inside a loop's function (then they run on that worker alone). */
void parallel_for(thread_pool *pool, size_t count, size_t grain, range_function function, void *context);

/* A grain that gives each worker about four ranges of a loop of count equal steps. */
size_t even_grain(const thread_pool *pool, size_t count);

#endif
