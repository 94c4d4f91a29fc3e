/* A folder of a test program's own, for the files it makes. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* Creates the folder, and removes it with all that is in it. For cmocka's group setup and teardown. */
int scratch_create(void **state);
int scratch_remove(void **state);

/* Path of a file in the folder (static buffer, valid until the eighth next call). */
const char *scratch_path(const char *name);

/* Writes a whole file. */
void scratch_write(const char *path, const uint8_t *bytes, size_t size);

/* How many entries the folder has. */
size_t scratch_count(void);

#endif
