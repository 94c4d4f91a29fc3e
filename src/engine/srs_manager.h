/* The parameters of the circuits: cold on disk, opened when a partition needs them, kept while in use and for
 * eviction_min_idle after, given up when memory is wanted. Opened parameters draw on the budget with the whole size of their
 * file where that fits, else with what a pass over them keeps resident at once. The mutex is held. */
#ifndef ENGINE_SRS_MANAGER_H
#define ENGINE_SRS_MANAGER_H

#include "engine/engine_internal.h"

/* The entry of a circuit id, or NULL. */
srs_entry *srs_find(cuzk_engine *engine, const char *circuit_id);

/* Bytes that opening a cold entry takes: the file, if it fits into `room`, else its streaming size. */
uint64_t srs_opening_bytes(const srs_entry *entry, uint64_t room);

/* Opens an entry that the caller has set to SRS_LOADING with `reserved` taken from the budget. Lets go of the mutex. On
 * failure the entry is cold again, and a bad file is CUZK_FAILED_PRECONDITION. */
cuzk_status srs_open(cuzk_engine *engine, srs_entry *entry, cuzk_error *error);

/* Closes an entry without references, waiting for looks at it; returns the bytes given back. Lets go of the mutex. */
uint64_t srs_close(cuzk_engine *engine, srs_entry *entry);

/* Gives a reference back. */
void srs_release(cuzk_engine *engine, srs_entry *entry);

/* Tries to make `bytes` fit under the limit by closing idle parameters other than `except`, the longest idle first; those
 * idle for less than eviction_min_idle only if urgent. True if one was closed (the mutex was let go of: look anew). Closes
 * nothing if all together would not do. *again_ns: lowered to when the next becomes evictable. */
bool srs_make_room(cuzk_engine *engine, uint64_t bytes, const srs_entry *except, bool urgent, int64_t *again_ns);

/* Closes stale entries without references, and marks those as stale whose file has changed. Lets go of the mutex. */
void srs_look_at_files(cuzk_engine *engine);

/* After a failure, which may be the file's (truncated under us, swapped): marks the entry as stale if it has changed. The caller
 * holds a reference. Lets go of the mutex. */
void srs_suspect(cuzk_engine *engine, srs_entry *entry);

cuzk_tier srs_tier(const cuzk_engine *engine, const srs_entry *entry);

#endif
