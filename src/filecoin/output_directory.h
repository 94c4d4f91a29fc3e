/* Directories to write files into. */
#ifndef FILECOIN_OUTPUT_DIRECTORY_H
#define FILECOIN_OUTPUT_DIRECTORY_H

#include "base/error.h"
#include "filecoin/byte_buffer.h"

/* Creates a directory and those above it that are missing. CUZK_INPUT_OUTPUT names the one that failed. */
cuzk_status output_directory_create(const char *path, cuzk_error *error);

/* "directory/name", to be freed with free(). */
char *path_join(const char *directory, const char *name);

/* Writes a whole file, which appears complete or not at all. CUZK_INPUT_OUTPUT names it. */
cuzk_status write_whole_file(const char *directory, const char *name, const void *bytes, size_t count, cuzk_error *error);

#endif
