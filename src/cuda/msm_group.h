/* What of an msm depends on the group: launches of the kernels of msm_kernels.h, compiled by msm_g1.cu and msm_g2.cu. For kernel
 * sources. */
#ifndef CUDA_MSM_GROUP_H
#define CUDA_MSM_GROUP_H

#include "cuda/selection.h"

/* The digits of a part, sorted: bucket b has entries[b > 0 ? ends[b - 1] : 0] .. entries[ends[b] - 1], each point << 1 |
 * negative. */
struct sorted_digits {
    const uint32_t *ends, *entries;
    uint32_t buckets, limit; /* buckets of more than `limit` entries are summed by tasks */
};

struct msm_group {
    size_t encoded_bytes, affine_bytes, sum_bytes; /* of a point in a file, a decoded one, one in XYZZ coordinates */

    /* Decodes; *bad becomes the number of the first malformed point, counted from first_number, if it is less. */
    cuzk_status (*decode)(device_stream *stream, void *points, const void *encoded, size_t count, uint32_t first_number,
                          uint32_t *bad, cuzk_error *error);
    /* sums[t] += a share of the selected points, t < threads (a multiple of 64). */
    cuzk_status (*sum_ones)(device_stream *stream, void *sums, unsigned threads, const void *points,
                            const device_selection *selection, const uint64_t *ones, cuzk_error *error);
    /* buckets[order[i]] += its points, for i < *order_count. */
    cuzk_status (*sum_buckets)(device_stream *stream, void *buckets, const sorted_digits *digits, const void *points,
                               const uint32_t *order, const uint32_t *order_count, cuzk_error *error);
    /* Large buckets: task t is the part number t - tasks[b] of the bucket b with tasks[b] <= t < tasks[b + 1]. */
    cuzk_status (*sum_tasks)(device_stream *stream, void *partials, const sorted_digits *digits, const void *points,
                             const uint32_t *tasks, cuzk_error *error);
    cuzk_status (*add_partials)(device_stream *stream, void *buckets, const void *partials, uint32_t bucket_count,
                                const uint32_t *tasks, cuzk_error *error);
    /* sums[w * segments + s] = sum of (m + 1) * buckets[w * per_window + m] over the m of segment s. */
    cuzk_status (*weigh_segments)(device_stream *stream, void *sums, const void *buckets, unsigned windows, unsigned per_window,
                                  unsigned segments, cuzk_error *error);
    /* out[g] = sum of in[g * length] .. in[(g + 1) * length - 1], g < groups. */
    cuzk_status (*sum_groups)(device_stream *stream, void *out, const void *in, unsigned groups, unsigned length,
                              cuzk_error *error);
};

extern const msm_group MSM_G1, MSM_G2;

#endif
