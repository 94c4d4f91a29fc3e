/* How much memory and processor time this process may have: the machine's, and what its cgroups (v1 and v2, with all their
 * parents) allow. */
#ifndef ENGINE_SYSTEM_LIMITS_H
#define ENGINE_SYSTEM_LIMITS_H

#include <stdint.h>

typedef struct {
    uint64_t memory_bytes;   /* the least of RAM and the limits */
    char memory_source[160]; /* which of them it was: "RAM", "memory.max of /sys/fs/cgroup/a" */
    double processor_quota;  /* processors, the least of the cgroups' quotas; 0: none */
} system_limits;

/* root is put in front of every path that is read ("" for the running system). What cannot be read does not limit;
 * without /proc/meminfo memory_bytes is UINT64_MAX. */
void system_limits_read(system_limits *limits, const char *root);

/* What this process could occupy now beyond what it already does, plus that: memory available on the machine and below
 * each cgroup limit (page cache counts as available), plus our own anonymous memory. UINT64_MAX if nothing can be read. */
uint64_t system_memory_ceiling(const char *root);

/* Threads that make sense: processors that affinity allows, at most the quota rounded up; at least 1. */
unsigned system_processor_count(const char *root);

/* Resident bytes of this process, and the part of them that is anonymous (either may be NULL). 0 if unknown. */
void system_resident_bytes(uint64_t *resident, uint64_t *anonymous);

#endif
