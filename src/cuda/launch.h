/* Launches of kernels, for kernel sources: launch(stream, FLAT, kernel, grid, block, shared_bytes, error, arguments...) returns a
 * cuzk_status. FLAT says that the kernel has no barrier and no warp operation; it is there for the emulation. */
#ifndef CUDA_LAUNCH_H
#define CUDA_LAUNCH_H

#include "cuda/device.h"
#include "cuda/kernel.h"

enum launch_kind { FLAT, COOPERATIVE };

#ifdef __CUDACC__

cudaStream_t device_stream_handle(const device_stream *stream);
/* The error of the last launch. */
cuzk_status device_launch_status(const device_stream *stream, cuzk_error *error);

template <class... P, class... A>
cuzk_status launch(device_stream *stream, launch_kind, void (*kernel)(P...), unsigned grid, unsigned block, size_t shared_bytes,
                   cuzk_error *error, A... arguments) {
    /* More than 48 KiB must be asked for; done each time, as it costs less than to remember it for every device. */
    if (shared_bytes > 48 << 10)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    kernel<<<grid, block, shared_bytes, device_stream_handle(stream)>>>(static_cast<P>(arguments)...);
    return device_launch_status(stream, error);
}

#else

#include <functional>

/* Gives the stream something that runs with the device's memory open. */
cuzk_status emulated_enqueue(device_stream *stream, std::function<void()> work, cuzk_error *error);

template <class... P, class... A>
cuzk_status launch(device_stream *stream, launch_kind kind, void (*kernel)(P...), unsigned grid, unsigned block,
                   size_t shared_bytes, cuzk_error *error, A... arguments) {
    emulated_kind emulated = kind == FLAT ? EMULATED_FLAT : EMULATED_COOPERATIVE;
    return emulated_enqueue(
        stream,
        [=] {
            auto call = [=] { kernel(static_cast<P>(arguments)...); };
            emulated_grid(
                grid, block, shared_bytes, emulated, [](const void *c) { (*static_cast<const decltype(call) *>(c))(); }, &call);
        },
        error);
}

#endif

/* Blocks of `block` threads for count elements, at most `most`, at least one. */
inline unsigned blocks_for(size_t count, unsigned block, unsigned most) {
    size_t blocks = (count + block - 1) / block;
    return blocks == 0 ? 1 : blocks > most ? most : static_cast<unsigned>(blocks);
}

/* Grids of loops over any number of elements are no larger than this: some blocks for each multiprocessor of the largest
 * devices, each of which then does its part in a loop. */
enum { LOOP_BLOCK = 128, LOOP_GRID = 4096 };

#endif
