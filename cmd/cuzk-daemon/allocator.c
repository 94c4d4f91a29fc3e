#include "allocator.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

void allocator_without_thread_caches(char **argv) {
    static const char settings[] = "GLIBC_TUNABLES";
    char path[PATH_MAX];
    if (getenv(settings))
        return;
    /* By its path rather than /proc/self/exe, from which the process would take its name. */
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    if (setenv(settings, "glibc.malloc.tcache_count=0", 1) == 0)
        execv(path, argv);
}
