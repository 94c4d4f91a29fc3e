/* Memory in two families: small objects, whose failure ends the process with a message, and big buffers, whose
 * failure is an error that the caller reports. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* count * size bytes for small objects, never NULL (count or size 0 gives a unique pointer). A failed allocation or
 * an overflowing product prints one line and aborts. Free with free(). */
void *allocate(size_t count, size_t size);
void *allocate_zeroed(size_t count, size_t size);
void *reallocate(void *memory, size_t count, size_t size);
/* The same aligned to 64 bytes, a cache line and the widest vector. */
void *allocate_aligned(size_t count, size_t size);
char *duplicate_string(const char *text);

/* Grows an array for one more element: *capacity doubles (at least 8) when count == *capacity. */
void *grow_array(void *memory, size_t count, size_t *capacity, size_t size);

/* A big buffer straight from the kernel: page aligned, zero, in huge pages where the kernel gives them. */
typedef struct {
    void *data;   /* NULL when empty */
    size_t bytes; /* as mapped */
} big_buffer;

/* Maps count * size bytes; CUZK_NO_MEMORY names the size and `what` it was for. count 0 gives an empty buffer. */
cuzk_status big_buffer_allocate(big_buffer *buffer, size_t count, size_t size, const char *what, cuzk_error *error);

/* Changes a buffer to count * size bytes, keeping its contents and zeroing what is new; may move it. */
cuzk_status big_buffer_resize(big_buffer *buffer, size_t count, size_t size, const char *what, cuzk_error *error);

/* Unmaps; an empty buffer ({0}) is fine; leaves it empty. */
void big_buffer_free(big_buffer *buffer);

/* Highest resident set size of this process so far, in bytes (Linux getrusage). */
size_t peak_resident_bytes(void);

#endif
