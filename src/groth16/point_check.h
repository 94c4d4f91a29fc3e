/* Checks many encoded points in parallel and finds the first bad one. */
#ifndef GROTH16_POINT_CHECK_H
#define GROTH16_POINT_CHECK_H

#include "algebra/curve.h"
#include "base/progress.h"
#include "base/threads.h"

typedef struct {
    uint64_t index; /* of the first bad point; count if all are good */
    point_error why;
} point_check_result;

/* Decodes count uncompressed points of point_bytes (96: G1, 192: G2) each and checks that every one is on the curve, in
 * the subgroup and not at infinity. job, if not NULL, is advanced by one for each point; when it is cancelled, checking
 * stops and the caller finds that with progress_check. */
point_check_result points_check(const uint8_t *points, uint64_t count, size_t point_bytes, thread_pool *pool, progress *job);

#endif
