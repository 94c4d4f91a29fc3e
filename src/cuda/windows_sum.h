/* The end of an msm, on the host. */
#ifndef CUDA_WINDOWS_SUM_H
#define CUDA_WINDOWS_SUM_H

#include "cuda/msm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sum = plain + the sum of 2^(bits * w) * windows[w] over w < count. Points in XYZZ coordinates as a device has them, 192 (G1) or
 * 384 (G2) bytes each: the windows one after another, then the plain one. sum is a g1 or g2, normalised. */
void windows_sum(device_group group, void *sum, const void *points, unsigned count, unsigned bits);

#ifdef __cplusplus
}
#endif

#endif
