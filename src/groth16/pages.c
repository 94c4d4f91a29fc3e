#include "groth16/pages.h"

#include <sys/mman.h>
#include <unistd.h>

void pages_release(const uint8_t *begin, uint64_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)begin + page - 1) / page * page;
    uintptr_t last = ((uintptr_t)begin + bytes) / page * page;
    if (first < last)
        madvise((void *)first, last - first, MADV_DONTNEED);
}
