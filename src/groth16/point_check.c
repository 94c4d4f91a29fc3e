#include "groth16/point_check.h"

#include <assert.h>
#include <stdatomic.h>

/* Points between two looks at the progress: some tens of milliseconds. */
enum { CHECK_GRAIN = 512 };

typedef struct {
    const uint8_t *points;
    size_t point_bytes;
    progress *job;
    _Atomic uint64_t first_bad;
} check_loop;

static point_error check_point(const uint8_t *point, size_t point_bytes) {
    if (point_bytes == G2_BYTES) {
        g2_affine ignored;
        return g2_decode(&ignored, point, POINT_IN_SUBGROUP, false);
    }
    g1_affine ignored;
    return g1_decode(&ignored, point, POINT_IN_SUBGROUP, false);
}

static void lower(_Atomic uint64_t *minimum, uint64_t value) {
    uint64_t seen = atomic_load(minimum);
    while (value < seen && !atomic_compare_exchange_weak(minimum, &seen, value))
        continue;
}

static void check_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    check_loop *loop = context;
    if (progress_cancelled(loop->job) || begin > atomic_load(&loop->first_bad))
        return;
    for (size_t i = begin; i < end; i++)
        if (check_point(loop->points + i * loop->point_bytes, loop->point_bytes) != POINT_OK) {
            lower(&loop->first_bad, i);
            break;
        }
    progress_advance(loop->job, end - begin);
}

point_check_result points_check(const uint8_t *points, uint64_t count, size_t point_bytes, thread_pool *pool, progress *job) {
    assert(point_bytes == G1_BYTES || point_bytes == G2_BYTES);
    check_loop loop = {.points = points, .point_bytes = point_bytes, .job = job, .first_bad = count};
    parallel_for(pool, count, CHECK_GRAIN, check_range, &loop);
    point_check_result result = {.index = atomic_load(&loop.first_bad)};
    if (result.index < count)
        result.why = check_point(points + result.index * point_bytes, point_bytes);
    return result;
}
