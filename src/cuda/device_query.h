/* One query's sum on a device: its points stream from the host through two buffers, each part's copy running while the part
 * before is summed. */
#ifndef CUDA_DEVICE_QUERY_H
#define CUDA_DEVICE_QUERY_H

#include "base/progress.h"
#include "cuda/device_witness.h"
#include "cuda/msm.h"
#include "groth16/device_driver.h"

/* Page-locked memory of the host that points go through, in two halves. */
typedef struct {
    void *slots[2];
    size_t bytes; /* of each */
} host_staging;

/* At least that many bytes in each half; what is there and suffices stays. CUZK_NO_MEMORY, CUZK_UNAVAILABLE: it is then empty. */
cuzk_status host_staging_reserve(host_staging *staging, device *d, size_t bytes, cuzk_error *error);
void host_staging_free(host_staging *staging, device *d);

/* Streams and events of one device, for queries one after another. */
typedef struct {
    device *device;
    device_stream *compute, *copy;
    device_event *copied[2], *used[2];
    device_pinning pinning;
    host_staging *staging; /* for DEVICE_POINTS_STAGED; NULL: each query allocates its own */
} query_streams;

cuzk_status query_streams_create(query_streams *streams, device *d, cuzk_error *error);
/* Waits for what the streams have been given. {0} is fine. */
void query_streams_destroy(query_streams *streams);

typedef struct {
    device_group group;
    const uint8_t *points; /* encoded, in the host's memory */
    size_t count;
    unsigned window_bits;
    size_t part_points; /* at least 64 */
    void *kept;         /* room for all points in the device's memory: they are there, or will be afterwards. NULL: they stream */
    bool kept_filled;   /* they are there */
    /* The scalars: either one for each point, Montgomery, in the device's memory, or those of a witness. */
    const void *scalars;
    const device_witness *witness;
    const device_density *density;
    prove_profile *profile; /* NULL, or where the times go */
    prove_phase phase;
} device_query;

/* The sum, a g1 or g2, normalised. CUZK_BAD_INPUT with *bad_point (else SIZE_MAX) for a malformed point, CUZK_CANCELLED; the
 * device's errors. Advances job by count. */
cuzk_status device_query_sum(void *sum, query_streams *streams, const device_query *query, thread_pool *pool, progress *job,
                             size_t *bad_point, cuzk_error *error);

#endif
