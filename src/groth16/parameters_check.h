/* The full check of parameters: every point of every query, once, with the result kept beside the file. */
#ifndef GROTH16_PARAMETERS_CHECK_H
#define GROTH16_PARAMETERS_CHECK_H

#include "base/progress.h"
#include "groth16/file_digest.h"
#include "groth16/parameters.h"

/* How the check came to its result. */
typedef enum {
    CHECK_REMEMBERED,     /* the record is of this very file, unchanged since: nothing was read */
    CHECK_SAME_CONTENT,   /* touched or copied, but its digest is the recorded one: points were not checked again */
    CHECK_DONE            /* every point was checked now */
} check_outcome;

typedef struct {
    check_outcome outcome;
    bool recorded; /* the record beside the file is up to date; false where the folder cannot be written */
    uint8_t digest[FILE_DIGEST_BYTES]; /* BLAKE2b-512; of the recorded file where nothing was read */
} check_result;

/* Checks that every point of the parameters is on its curve, in its subgroup and not at infinity. The record,
 * FILE.checked, is JSON: the file's BLAKE2b-512, size and times of modification and of change of its inode. While size and both
 * times are as recorded the file is taken as checked; otherwise its digest is computed, and if that is not the recorded
 * one either, the points are checked. force: check in any case. Fails with
 *   CUZK_BAD_INPUT  the first bad point: path, section, index, what was found and what was expected; an old record is removed
 *   CUZK_CANCELLED  nothing is recorded
 *   CUZK_INPUT_OUTPUT. */
cuzk_status parameters_check(check_result *result, const parameters *p, bool force, thread_pool *pool, progress *job,
                             cuzk_error *error);

#endif
