/* The full check of parameters: every point of every query, once, with the result kept beside the file. */
#ifndef GROTH16_PARAMETERS_CHECK_H
#define GROTH16_PARAMETERS_CHECK_H

#include "base/progress.h"
#include "groth16/file_digest.h"
#include "groth16/parameters.h"

/* How the check came to its result. */
typedef enum {
    CHECK_REMEMBERED,   /* the record is of this very file, unchanged since: nothing was read */
    CHECK_SAME_CONTENT, /* touched or copied, but its digest is the recorded one: points were not checked again */
    CHECK_PUBLISHED,    /* its digest is the published one: its points were checked by many before */
    CHECK_DONE          /* every point was checked now */
} check_outcome;

typedef struct {
    check_outcome outcome;
    bool recorded;                     /* the record beside the file is up to date; false where it cannot be written */
    uint8_t digest[FILE_DIGEST_BYTES]; /* the file's BLAKE2b-512, as recorded or computed */
} check_result;

/* Checks that every point of the parameters is on its curve, in its subgroup and not at infinity. The record,
 * FILE.checked, is JSON: the file's BLAKE2b-512, its size, and the times of its modification and of its inode's change.
 * While size and both times are as recorded the file is taken as checked; otherwise its digest is computed, and if that is
 * neither the recorded nor the published one, the points are checked. published: the entry of the list of published files
 * under this file's name, or NULL: a file with another digest is refused. force: check the points in any case. Fails with
 *   CUZK_BAD_INPUT  the published digest or the first bad point: path, section, index, what was found and what was
 *                   expected; the record of an earlier check is removed
 *   CUZK_CANCELLED  nothing is recorded
 *   CUZK_INPUT_OUTPUT. */
cuzk_status parameters_check(check_result *result, const parameters *p, const published_file *published, bool force,
                             thread_pool *pool, progress *job, cuzk_error *error);

/* Records parameters that this process has just made as checked, reading them once for their digest. Returns false where
 * that fails: then they are checked like any others. */
bool parameters_record_made(const char *path, progress *job);

#endif
