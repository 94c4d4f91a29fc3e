/* Survives files that shrink while they are mapped: reading past the new end raises SIGBUS, which would end the process. In
 * a guarded mapping such pages read as zeros instead, and the guard remembers. */
#ifndef ENGINE_MAPPING_GUARD_H
#define ENGINE_MAPPING_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mapping_guard mapping_guard;

/* Guards length bytes of a shared, read-only mapping until mapping_guard_release, which must come before it is unmapped. Puts
 * our handler of SIGBUS in place unless it is; faults elsewhere go to the one before it. At most 256 guards at a time: NULL
 * beyond, which the other functions take as a guard of nothing. */
mapping_guard *mapping_guard_create(const void *data, size_t length);
void mapping_guard_release(mapping_guard *guard);

/* True once a page of it was found missing. */
bool mapping_guard_damaged(const mapping_guard *guard);

#endif
