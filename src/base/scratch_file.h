/* Files for what does not fit in memory: without a name, so that nothing is left behind however the process ends. */
#ifndef BASE_SCRATCH_FILE_H
#define BASE_SCRATCH_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct {
    char *directory; /* where it is, for messages; NULL: there is no file ({0}) */
    int descriptor;
    uint64_t bytes;
    atomic_uint_fast64_t bytes_read, bytes_written; /* by the functions below, so far */
} scratch_file;

/* Makes a file of so many bytes in the directory and takes its name away at once. The room for it is reserved, where the file
 * system can do that, so that a full disk is found now. CUZK_NOT_FOUND if there is no such directory, CUZK_INPUT_OUTPUT for
 * any other reason; messages begin with the directory. */
cuzk_status scratch_file_create(scratch_file *file, const char *directory, uint64_t bytes, cuzk_error *error);
/* Gives the room back; {0} is fine. */
void scratch_file_close(scratch_file *file);

/* Reads or writes bytes offset .. offset + bytes - 1, all of them. Any number of threads may do so at once. CUZK_INPUT_OUTPUT. */
cuzk_status scratch_file_read(scratch_file *file, uint64_t offset, void *data, size_t bytes, cuzk_error *error);
cuzk_status scratch_file_write(scratch_file *file, uint64_t offset, const void *data, size_t bytes, cuzk_error *error);

/* Tells the kernel that these bytes will be read soon. Does not wait for them. */
void scratch_file_expect(const scratch_file *file, uint64_t offset, size_t bytes);

#endif
