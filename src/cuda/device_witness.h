/* The auxiliary variables of an assignment in a device's memory, with what selects those of a query. */
#ifndef CUDA_DEVICE_WITNESS_H
#define CUDA_DEVICE_WITNESS_H

#include "cuda/aux_encoder.h"
#include "cuda/kept_points.h"
#include "cuda/selection.h"

/* Variables that have points in a query. */
typedef struct {
    uint64_t *dense;     /* the device's; NULL: all */
    uint32_t *rank;      /* the device's; NULL with dense */
    uint32_t *host_rank; /* words + 1 */
    bool kept;           /* dense and rank stay on the device */
} device_density;

typedef struct {
    device *device;
    size_t words;
    uint64_t *ones, *wide;
    uint32_t *wide_rank;
    void *values;
    size_t value_count;
    device_density densities[DENSITIES], all;
    uint64_t *host_dense[DENSITIES];
} device_witness;

/* Uploads. encoding must stay until the stream has been waited for. kept may be NULL; if not, it keeps the densities' bitmaps
 * where it has room, and those that it has do not go up again. On failure, too, free with device_witness_free. */
cuzk_status device_witness_create(device_witness *w, device_stream *stream, const aux_encoding *encoding,
                                  const circuit_shape *shape, kept_circuit *kept, cuzk_error *error);
void device_witness_free(device_witness *w);

#endif
