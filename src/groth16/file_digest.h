/* BLAKE2b-512 of whole files, and the list of published parameters, parameters.json, that names their digests. */
#ifndef GROTH16_FILE_DIGEST_H
#define GROTH16_FILE_DIGEST_H

#include "base/mapped_file.h"
#include "base/progress.h"

enum { FILE_DIGEST_BYTES = 64, PUBLISHED_DIGEST_BYTES = 16 };

/* BLAKE2b-512 of a mapped file, in a phase "digest" of its own that counts bytes; pages that were read are released.
 * CUZK_CANCELLED. */
cuzk_status file_digest(uint8_t digest[FILE_DIGEST_BYTES], const mapped_file *file, progress *job, cuzk_error *error);

/* An entry of parameters.json. */
typedef struct {
    bool found;
    uint8_t digest[PUBLISHED_DIGEST_BYTES]; /* the first bytes of the file's BLAKE2b-512 */
    uint64_t sector_size;                   /* bytes */
} published_file;

/* Looks for the entry called name (a file name without directory) in the list at list_path: an object of objects, of
 * which the named one must have a digest of 32 hexadecimal digits and a sector_size. A name that is not in the list gives
 * found = false; a malformed list is CUZK_BAD_INPUT, naming the place. */
cuzk_status published_file_find(published_file *entry, const char *list_path, const char *name, cuzk_error *error);

/* Compares a file's digest with the entry: CUZK_BAD_INPUT names the path and both. */
cuzk_status published_file_compare(const published_file *entry, const uint8_t digest[FILE_DIGEST_BYTES], const char *path,
                                   cuzk_error *error);

#endif
