/* Running sums on the device: offsets from counts. For kernel sources. */
#ifndef CUDA_SCAN_H
#define CUDA_SCAN_H

#include "cuda/device.h"

/* Words of working memory that a scan of count values takes. */
size_t scan_scratch_words(size_t count);

/* values[i] becomes the sum of the values before it, values[count] the sum of all; there are count + 1 of them. The sum is below
 * 2^32. */
cuzk_status exclusive_scan(device_stream *stream, uint32_t *values, size_t count, uint32_t *scratch, cuzk_error *error);

#endif
