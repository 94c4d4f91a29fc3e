/* Sums of scalar * point on a device, for points that come in parts: give the msm some points, then the scalars of these, as
 * often as it takes, and finish. Scalars are signed digits in windows; the digits of a part are sorted by bucket, and each bucket
 * is summed in XYZZ coordinates by a thread of its own, the largest first, very large ones by several. Variables that are 1 are
 * summed without buckets. All sums are right for every input: repeated and opposite points, infinity, any scalar.
 *
 * Sums do not depend on the order in which the device happens to do things: a result is a point, normalised. */
#ifndef CUDA_MSM_H
#define CUDA_MSM_H

#include "cuda/selection.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { DEVICE_G1, DEVICE_G2 } device_group;

enum { DEVICE_WINDOW_BITS_MAX = 22 };

typedef struct {
    device_group group;
    unsigned window_bits;  /* 1 .. DEVICE_WINDOW_BITS_MAX */
    size_t part_points;    /* the most that are given at once; below 2^31 */
    size_t part_scalars;   /* the most that device_msm_add_scalars is given at once, at most part_points */
    unsigned bucket_limit; /* entries of a bucket that one thread sums, per part; 0: chosen */
} device_msm_options;

typedef struct device_msm device_msm;

/* Bytes of the device's memory that an msm takes. */
size_t device_msm_bytes(const device_msm_options *options);
cuzk_status device_msm_create(device_msm **msm, device_stream *stream, const device_msm_options *options, cuzk_error *error);
void device_msm_destroy(device_msm *msm);

/* Takes the next points: uncompressed encodings (algebra/curve.h), in the device's memory, which may be reused once the stream
 * has got so far. They replace those before. */
cuzk_status device_msm_points(device_msm *msm, device_stream *stream, const void *encoded, size_t count, cuzk_error *error);

/* Adds the points of the selected variables that are in the bitmap `ones`. */
cuzk_status device_msm_add_ones(device_msm *msm, device_stream *stream, const device_selection *selection, const uint64_t *ones,
                                cuzk_error *error);

/* Scalars in the device's memory. */
typedef struct {
    const void *values; /* 32 bytes each: canonical, or elements of Fr in Montgomery form */
    int montgomery;
    const uint32_t *points;  /* scalar i belongs to points[i]; NULL: to point i */
    const uint32_t *numbers; /* and is values[numbers[i]]; NULL: values[i] */
    const uint32_t *count;   /* how many there are; NULL: `most` */
    size_t most;
} device_scalars;

/* Adds scalar * point for each. */
cuzk_status device_msm_add_scalars(device_msm *msm, device_stream *stream, const device_scalars *scalars, cuzk_error *error);

/* Waits, and writes the sum: a g1 or g2 (algebra/curve.h), z = 1, or 0 for infinity. CUZK_BAD_INPUT if a point's encoding was
 * malformed; *bad_point is then its number among all that were given (SIZE_MAX otherwise). The msm is as at the beginning. */
cuzk_status device_msm_finish(device_msm *msm, device_stream *stream, void *sum, size_t *bad_point, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
