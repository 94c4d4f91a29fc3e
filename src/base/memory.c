#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static _Noreturn void out_of_memory(size_t count, size_t size) {
    fprintf(stderr, "cuzk: out of memory: %zu objects of %zu bytes\n", count, size);
    abort();
}

static void *checked(void *memory, size_t count, size_t size) {
    if (!memory)
        out_of_memory(count, size);
    return memory;
}

void *allocate(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(count, size);
    return checked(malloc(bytes ? bytes : 1), count, size);
}

void *allocate_zeroed(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size ? size : 1), count, size);
}

void *reallocate(void *memory, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(count, size);
    return checked(realloc(memory, bytes ? bytes : 1), count, size);
}

void *allocate_aligned(size_t count, size_t size) {
    enum { ALIGNMENT = 64 };
    size_t bytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count, size, &bytes) || posix_memalign(&memory, ALIGNMENT, bytes ? bytes : 1) != 0)
        out_of_memory(count, size);
    return memory;
}

char *duplicate_string(const char *text) {
    return checked(strdup(text), strlen(text) + 1, 1);
}

void *grow_array(void *memory, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return memory;
    *capacity = *capacity < 4 ? 8 : *capacity * 2;
    return reallocate(memory, *capacity, size);
}

cuzk_status big_buffer_allocate(big_buffer *buffer, size_t count, size_t size, const char *what, cuzk_error *error) {
    *buffer = (big_buffer){0};
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return failure(error, CUZK_NO_MEMORY, "%s: %zu elements of %zu bytes exceed the address space", what, count, size);
    if (bytes == 0)
        return CUZK_OK;
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return failure_errno(error, CUZK_NO_MEMORY, "%s: cannot map %zu bytes", what, bytes);
    madvise(data, bytes, MADV_HUGEPAGE); /* a hint: refused on kernels without huge pages */
    *buffer = (big_buffer){.data = data, .bytes = bytes};
    return CUZK_OK;
}

cuzk_status big_buffer_resize(big_buffer *buffer, size_t count, size_t size, const char *what, cuzk_error *error) {
    if (!buffer->data)
        return big_buffer_allocate(buffer, count, size, what, error);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return failure(error, CUZK_NO_MEMORY, "%s: %zu elements of %zu bytes exceed the address space", what, count, size);
    if (bytes == 0) {
        big_buffer_free(buffer);
        return CUZK_OK;
    }
    void *data = mremap(buffer->data, buffer->bytes, bytes, MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        return failure_errno(error, CUZK_NO_MEMORY, "%s: cannot map %zu bytes", what, bytes);
    *buffer = (big_buffer){.data = data, .bytes = bytes};
    return CUZK_OK;
}

void big_buffer_free(big_buffer *buffer) {
    if (buffer->data)
        munmap(buffer->data, buffer->bytes);
    *buffer = (big_buffer){0};
}

size_t peak_resident_bytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}
