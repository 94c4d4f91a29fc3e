/* A device with one stream for a test, and arrays that go to it and back. The test fails where a call does, and is skipped where
 * there is no device. */
#ifndef TESTS_CUDA_FIXTURE_H
#define TESTS_CUDA_FIXTURE_H

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/field.h"
#include "cuda/device.h"

typedef struct {
    device *device;
    device_stream *stream;
} cuda_fixture;

static inline cuda_fixture cuda_fixture_open(unsigned ordinal) {
    cuzk_error error = {0};
    cuda_fixture f;
    if (device_count() == 0)
        skip();
    ASSERT_OK(device_open(&f.device, ordinal, &error));
    ASSERT_OK(device_stream_create(f.device, &f.stream, &error));
    return f;
}

static inline void cuda_fixture_close(cuda_fixture *f) {
    device_stream_destroy(f->stream);
    device_close(f->device);
}

static inline void *device_room(const cuda_fixture *f, size_t bytes) {
    cuzk_error error = {0};
    void *memory;
    ASSERT_OK(device_allocate(f->device, &memory, bytes, "a test", &error));
    return memory;
}

static inline void *device_copy_of(const cuda_fixture *f, const void *from, size_t bytes) {
    cuzk_error error = {0};
    void *memory = device_room(f, bytes);
    ASSERT_OK(device_upload(f->stream, memory, from, bytes, &error));
    ASSERT_OK(device_synchronize(f->stream, &error));
    return memory;
}

static inline void bring_back(const cuda_fixture *f, void *to, const void *from, size_t bytes) {
    cuzk_error error = {0};
    ASSERT_OK(device_download(f->stream, to, from, bytes, &error));
    ASSERT_OK(device_synchronize(f->stream, &error));
}

/* An element of Fr from random bits, in runs of zeros and ones now and then. */
static inline void random_fr(test_random *random, fr *out) {
    uint8_t bytes[FR_BYTES];
    test_random_bytes(random, bytes, sizeof bytes);
    fr_from_hash(out, bytes);
    if (bytes[31] & 0x80)
        fr_negate(out, out);
}

#endif
