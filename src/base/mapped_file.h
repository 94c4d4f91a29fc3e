/* Read-only files in memory, and files that appear whole or not at all. */
#ifndef BASE_MAPPED_FILE_H
#define BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    const uint8_t *data; /* NULL for an empty file */
    uint64_t size;       /* bytes */
    int64_t modified_ns; /* modification time, nanoseconds since 1970 */
} mapped_file;

/* Maps a regular file (a directory, FIFO, socket or device is CUZK_BAD_INPUT, at once; a missing one CUZK_NOT_FOUND).
 * Errors begin with the path. The mapping stays valid until mapped_file_close. */
cuzk_status mapped_file_open(mapped_file *file, const char *path, cuzk_error *error);
void mapped_file_close(mapped_file *file);

/* A file under construction: written beside its final path and renamed on commit, after an fsync. */
typedef struct {
    FILE *stream; /* write here */
    char *path, *temporary_path;
} output_file;

/* Opens for writing (and reading back); CUZK_INPUT_OUTPUT names the path. */
cuzk_status output_file_create(output_file *file, const char *path, cuzk_error *error);
/* Flushes, checks for write errors, syncs and renames. On failure the temporary file is removed. Frees either way. */
cuzk_status output_file_commit(output_file *file, cuzk_error *error);
/* Drops a file that was not committed; a no-op after commit. */
void output_file_abandon(output_file *file);

#endif
