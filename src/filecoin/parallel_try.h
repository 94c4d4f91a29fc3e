/* A parallel loop whose steps can fail. */
#ifndef FILECOIN_PARALLEL_TRY_H
#define FILECOIN_PARALLEL_TRY_H

#include "base/error.h"
#include "base/threads.h"

typedef cuzk_status (*try_function)(void *context, size_t index, cuzk_error *error);

/* Calls function for the indices 0 .. count-1 on all workers. CUZK_OK if all succeed; else the failure of the lowest index
 * that was seen to fail. After a failure the steps not yet begun are skipped. */
cuzk_status parallel_try(thread_pool *pool, size_t count, try_function function, void *context, cuzk_error *error);

#endif
