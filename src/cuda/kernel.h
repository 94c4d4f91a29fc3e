/* What every kernel source is written in: CUDA C++ for nvcc, and the same text for the host's C++ compiler through
 * emulation.h. Shared memory is always dynamic and comes from shared_memory(). */
#ifndef CUDA_KERNEL_H
#define CUDA_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__

#define DEVICE __device__ __forceinline__
#define DEVICE_CALL __device__ __noinline__ /* large and rarely needed: one copy, called */
#define UNROLL _Pragma("unroll")

/* The block's dynamic shared memory. */
template <class T> __device__ __forceinline__ T *shared_memory() {
    extern __shared__ uint4 block_shared_memory[];
    return reinterpret_cast<T *>(block_shared_memory);
}

#else

#include "cuda/emulation.h"

#define DEVICE inline
#define DEVICE_CALL inline
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

template <class T> inline T *shared_memory() { return static_cast<T *>(emulated_shared_memory()); }

#endif

DEVICE uint32_t swap_bytes(uint32_t word) { return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24; }

/* This thread's number in a one-dimensional grid, and how many threads there are. */
DEVICE size_t global_thread() { return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
DEVICE size_t global_threads() { return static_cast<size_t>(gridDim.x) * blockDim.x; }

#endif
