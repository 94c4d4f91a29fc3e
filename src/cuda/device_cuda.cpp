/* Devices over the CUDA runtime. Compiled by nvcc, as the kernels are. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>

#include "cuda/launch.h"

extern "C" {
#include "base/memory.h"
}

struct device {
    int ordinal = 0;
    char name[256] = {0};
    std::map<void *, size_t> allocations;
    uint64_t used = 0, peak = 0; /* bytes, as the runtime rounds them up */
};

struct device_stream {
    device *owner;
    cudaStream_t handle;
};

struct device_event {
    device *owner;
    cudaEvent_t handle;
};

namespace {

/* Large allocations take whole pages of the device. */
size_t occupied(size_t bytes) {
    const size_t page = static_cast<size_t>(2) << 20, small = 512, unit = bytes > page / 2 ? page : small;
    return (bytes + unit - 1) / unit * unit;
}

/* The calling thread works with the device from here on. */
void select(const device *d) { (void)cudaSetDevice(d->ordinal); }

cuzk_status status_of(const device *d, cudaError_t code, const char *what, cuzk_error *error) {
    if (code == cudaSuccess)
        return CUZK_OK;
    cuzk_status status = code == cudaErrorMemoryAllocation ? CUZK_NO_MEMORY : CUZK_UNAVAILABLE;
    (void)cudaGetLastError(); /* it has been seen */
    return failure(error, status, "%s: %s: %s", d->name, what, cudaGetErrorString(code));
}

} // namespace

cudaStream_t device_stream_handle(const device_stream *stream) {
    select(stream->owner);
    return stream->handle;
}

cuzk_status device_launch_status(const device_stream *stream, cuzk_error *error) {
    return status_of(stream->owner, cudaGetLastError(), "launch", error);
}

extern "C" {

unsigned device_count(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? static_cast<unsigned>(count) : 0;
}

cuzk_status device_open(device **opened, unsigned ordinal, cuzk_error *error) {
    cudaDeviceProp properties;
    *opened = nullptr;
    if (ordinal >= device_count() || cudaGetDeviceProperties(&properties, static_cast<int>(ordinal)) != cudaSuccess)
        return failure(error, CUZK_NOT_FOUND, "device %u: there are %u devices", ordinal, device_count());
    device *d = new device();
    d->ordinal = static_cast<int>(ordinal);
    snprintf(d->name, sizeof d->name, "%.200s (device %u)", properties.name, ordinal); /* several may be alike */
    cuzk_status status = status_of(d, cudaSetDevice(d->ordinal), "opening", error);
    if (status == CUZK_OK)
        *opened = d;
    else
        delete d;
    return status;
}

void device_close(device *closed) {
    if (!closed)
        return;
    while (!closed->allocations.empty())
        device_free(closed, closed->allocations.begin()->first);
    delete closed;
}

const char *device_name(const device *d) { return d->name; }

uint64_t device_memory_free_bytes(device *d) {
    size_t free_bytes = 0, total = 0;
    select(d);
    (void)cudaMemGetInfo(&free_bytes, &total);
    return free_bytes;
}

uint64_t device_memory_total_bytes(device *d) {
    size_t free_bytes = 0, total = 0;
    select(d);
    (void)cudaMemGetInfo(&free_bytes, &total);
    return total;
}

uint64_t device_memory_peak_bytes(device *d) {
    uint64_t peak = d->peak;
    d->peak = d->used;
    return peak;
}

cuzk_status device_allocate(device *d, void **memory, size_t bytes, const char *what, cuzk_error *error) {
    *memory = nullptr;
    select(d);
    if (bytes == 0)
        return CUZK_OK;
    TRY(status_of(d, cudaMalloc(memory, bytes), what, error));
    d->allocations[*memory] = occupied(bytes);
    d->used += occupied(bytes);
    d->peak = d->used > d->peak ? d->used : d->peak;
    return CUZK_OK;
}

void device_free(device *d, void *memory) {
    if (!memory)
        return;
    select(d);
    (void)cudaFree(memory);
    d->used -= d->allocations[memory];
    d->allocations.erase(memory);
}

cuzk_status device_host_allocate(device *d, void **memory, size_t bytes, const char *what, cuzk_error *error) {
    *memory = nullptr;
    select(d);
    return bytes > 0 ? status_of(d, cudaHostAlloc(memory, bytes, cudaHostAllocPortable), what, error) : CUZK_OK;
}

void device_host_free(device *d, void *memory) {
    select(d);
    if (memory)
        (void)cudaFreeHost(memory);
}

cuzk_status device_host_register(device *d, const void *begin, size_t bytes, cuzk_error *error) {
    select(d);
    return status_of(d, cudaHostRegister(const_cast<void *>(begin), bytes, cudaHostRegisterReadOnly), "locking pages", error);
}

void device_host_unregister(device *d, const void *begin) {
    select(d);
    (void)cudaHostUnregister(const_cast<void *>(begin));
}

cuzk_status device_stream_create(device *d, device_stream **stream, cuzk_error *error) {
    device_stream *made = static_cast<device_stream *>(allocate_zeroed(1, sizeof *made));
    made->owner = d;
    select(d);
    cuzk_status status = status_of(d, cudaStreamCreateWithFlags(&made->handle, cudaStreamNonBlocking), "stream", error);
    if (status != CUZK_OK) {
        free(made);
        made = nullptr;
    }
    *stream = made;
    return status;
}

void device_stream_destroy(device_stream *stream) {
    if (!stream)
        return;
    select(stream->owner);
    (void)cudaStreamSynchronize(stream->handle);
    (void)cudaStreamDestroy(stream->handle);
    free(stream);
}

device *device_of_stream(const device_stream *stream) { return stream->owner; }

cuzk_status device_upload(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error) {
    cudaStream_t handle = device_stream_handle(stream);
    if (bytes == 0)
        return CUZK_OK;
    return status_of(stream->owner, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, handle), "upload", error);
}

cuzk_status device_download(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error) {
    cudaStream_t handle = device_stream_handle(stream);
    if (bytes == 0)
        return CUZK_OK;
    return status_of(stream->owner, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle), "download", error);
}

cuzk_status device_fill(device_stream *stream, void *to, uint8_t byte, size_t bytes, cuzk_error *error) {
    cudaStream_t handle = device_stream_handle(stream);
    return bytes > 0 ? status_of(stream->owner, cudaMemsetAsync(to, byte, bytes, handle), "fill", error) : CUZK_OK;
}

cuzk_status device_synchronize(device_stream *stream, cuzk_error *error) {
    return status_of(stream->owner, cudaStreamSynchronize(device_stream_handle(stream)), "waiting", error);
}

cuzk_status device_event_create(device *d, device_event **event, cuzk_error *error) {
    device_event *made = static_cast<device_event *>(allocate_zeroed(1, sizeof *made));
    made->owner = d;
    select(d);
    cuzk_status status = status_of(d, cudaEventCreateWithFlags(&made->handle, cudaEventDisableTiming), "event", error);
    if (status != CUZK_OK) {
        free(made);
        made = nullptr;
    }
    *event = made;
    return status;
}

void device_event_destroy(device_event *event) {
    if (!event)
        return;
    select(event->owner);
    (void)cudaEventDestroy(event->handle);
    free(event);
}

cuzk_status device_event_record(device_event *event, device_stream *stream, cuzk_error *error) {
    return status_of(stream->owner, cudaEventRecord(event->handle, device_stream_handle(stream)), "event", error);
}

cuzk_status device_stream_wait(device_stream *stream, device_event *event, cuzk_error *error) {
    return status_of(stream->owner, cudaStreamWaitEvent(device_stream_handle(stream), event->handle, 0), "event", error);
}

cuzk_status device_event_synchronize(device_event *event, cuzk_error *error) {
    select(event->owner);
    return status_of(event->owner, cudaEventSynchronize(event->handle), "event", error);
}

} // extern "C"
