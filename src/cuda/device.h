/* A device with memory of its own: what the host's side of the prover needs of it. Two implementations: device_cuda.cpp over the
 * CUDA runtime, and device_emulated.cpp, in which a device is an ordinary thread and memory that only it can touch. A
 * program links one of them.
 *
 * Work is given to streams. What one stream is given runs in order; between streams only events give an order. Memory of
 * the host that a copy names must stay as it is until the copy is done. Errors may come late, from any later call on the device:
 * CUZK_UNAVAILABLE for everything that a device can fail with (then nothing it holds is worth anything), CUZK_NO_MEMORY if
 * its memory does not suffice. Functions on one device may be called from one thread at a time. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

typedef struct device device;
typedef struct device_stream device_stream;
typedef struct device_event device_event;

/* 0 where there is none, or no driver. */
unsigned device_count(void);
/* ordinal below device_count(). */
cuzk_status device_open(device **opened, unsigned ordinal, cuzk_error *error);
/* Frees what is left of its memory and streams. NULL is fine. */
void device_close(device *closed);
const char *device_name(const device *d);
/* Bytes that are free now; and all. */
uint64_t device_memory_free_bytes(device *d);
uint64_t device_memory_total_bytes(device *d);
/* The most that was allocated here at once since the last call, or since opening. */
uint64_t device_memory_peak_bytes(device *d);

/* bytes of the device's memory, 256-byte aligned and undefined; only kernels and copies of this device may touch it. `what`
 * is for the error. 0 bytes give NULL. */
cuzk_status device_allocate(device *d, void **memory, size_t bytes, const char *what, cuzk_error *error);
/* Nothing may be using it any more. NULL is fine. */
void device_free(device *d, void *memory);

/* The host's memory for copies: page-locked where that makes them faster. */
cuzk_status device_host_allocate(device *d, void **memory, size_t bytes, const char *what, cuzk_error *error);
void device_host_free(device *d, void *memory);
/* Locks pages that are there, read only, so that copies from them are fast; begin and bytes are multiples of the page size. A
 * system may refuse: CUZK_UNAVAILABLE or CUZK_NO_MEMORY, and the device still works. */
cuzk_status device_host_register(device *d, const void *begin, size_t bytes, cuzk_error *error);
void device_host_unregister(device *d, const void *begin);

cuzk_status device_stream_create(device *d, device_stream **stream, cuzk_error *error);
/* Waits for its work. NULL is fine. */
void device_stream_destroy(device_stream *stream);
device *device_of_stream(const device_stream *stream);

cuzk_status device_upload(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error);
cuzk_status device_download(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error);
cuzk_status device_fill(device_stream *stream, void *to, uint8_t byte, size_t bytes, cuzk_error *error);
/* Waits until all work of the stream is done. */
cuzk_status device_synchronize(device_stream *stream, cuzk_error *error);

cuzk_status device_event_create(device *d, device_event **event, cuzk_error *error);
void device_event_destroy(device_event *event);
/* The event is now the end of what the stream has been given so far. */
cuzk_status device_event_record(device_event *event, device_stream *stream, cuzk_error *error);
/* What the stream is given from here on waits for the event; at once if it was never recorded. */
cuzk_status device_stream_wait(device_stream *stream, device_event *event, cuzk_error *error);
/* The host waits for it. */
cuzk_status device_event_synchronize(device_event *event, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
