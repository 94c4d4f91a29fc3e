/* One thread pool for all tests of a program: make_pool and drop_pool are cmocka's group setup and teardown. */
#ifndef TESTS_POOL_FIXTURE_H
#define TESTS_POOL_FIXTURE_H

#include "base/threads.h"

static thread_pool *pool;

static inline int make_pool(void **state) {
    (void)state;
    pool = thread_pool_create(0);
    return 0;
}

static inline int drop_pool(void **state) {
    (void)state;
    thread_pool_destroy(pool);
    return 0;
}

#endif
