/* The parts of CUDA's device language that our kernels use, on the host: every kernel source compiles against this as plain
 * C++. The threads of a block run one after another on one thread of the host, each on a stack of its own, and change
 * over only at barriers and warp operations, always in the same order, so that a run can be repeated exactly.
 *
 * A warp operation must be reached by all living threads of a warp, a barrier by all living threads of a block; a block in
 * which nothing can go on any more is reported and ends the program. */
#ifndef CUDA_EMULATION_H
#define CUDA_EMULATION_H

#include <stddef.h>
#include <stdint.h>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct emulated_index {
    unsigned x;
};

struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

/* Where the running thread is. */
struct emulated_place {
    emulated_index thread, block, block_size, grid_size;
};
extern thread_local emulated_place emulated_here;

#define threadIdx (emulated_here.thread)
#define blockIdx (emulated_here.block)
#define blockDim (emulated_here.block_size)
#define gridDim (emulated_here.grid_size)

enum { EMULATED_WARP = 32, EMULATED_BLOCK_MAX = 1024 };

/* How a kernel runs: FLAT kernels have no barrier and no warp operation (one that appears is reported), and their threads
 * are plain calls. */
enum emulated_kind { EMULATED_FLAT, EMULATED_COOPERATIVE };

/* Calls kernel(context) for each thread of each block. shared_bytes of shared memory are filled with 0xa5 for each block. */
void emulated_grid(unsigned grid, unsigned block, size_t shared_bytes, emulated_kind kind, void (*kernel)(const void *),
                   const void *context);

void *emulated_shared_memory();
void emulated_barrier();
/* Every lane of the warp gives a value; returns the value of lane `source` (this lane's own if that lane is not alive). */
uint32_t emulated_exchange(uint32_t value, unsigned source);
uint32_t emulated_ballot(bool predicate);

inline void __syncthreads() { emulated_barrier(); }
inline uint32_t __ballot_sync(uint32_t, bool predicate) { return emulated_ballot(predicate); }
inline uint32_t __shfl_sync(uint32_t, uint32_t value, unsigned lane) { return emulated_exchange(value, lane); }
/* As CUDA has it: a lane whose source is outside the warp keeps its own value. */
inline uint32_t __shfl_up_sync(uint32_t, uint32_t value, unsigned distance) {
    unsigned lane = emulated_here.thread.x % EMULATED_WARP;
    return emulated_exchange(value, lane >= distance ? lane - distance : lane);
}
inline uint32_t __shfl_down_sync(uint32_t, uint32_t value, unsigned distance) {
    unsigned lane = emulated_here.thread.x % EMULATED_WARP;
    return emulated_exchange(value, lane + distance < EMULATED_WARP ? lane + distance : lane);
}

inline uint32_t atomicAdd(uint32_t *address, uint32_t value) {
    uint32_t before = *address;
    *address = before + value;
    return before;
}
inline uint32_t atomicMin(uint32_t *address, uint32_t value) {
    uint32_t before = *address;
    *address = value < before ? value : before;
    return before;
}

inline int __popc(uint32_t bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
/* One more than the position of the lowest bit, 0 without one. */
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline uint32_t __brev(uint32_t bits) {
    uint32_t reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (bits >> i & 1) << (31 - i);
    return reversed;
}

#endif
