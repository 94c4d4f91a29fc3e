#include "cuda/check.h"

#include "cuda/launch.h"
#include "cuda/quadratic_field.h"

namespace {

template <class F> DEVICE F common_operation(checked_operation operation, const F &a, const F &b) {
    switch (operation) {
    case CHECK_ADD:
        return a + b;
    case CHECK_SUBTRACT:
        return a - b;
    case CHECK_MULTIPLY:
        return a * b;
    case CHECK_SQUARE:
        return a.squared();
    default:
        return a.negate();
    }
}

template <class P> DEVICE prime_field<P> apply(checked_operation operation, const prime_field<P> &a, const prime_field<P> &b) {
    if (operation == CHECK_TO_CANONICAL)
        return a.to_canonical();
    if (operation == CHECK_FROM_CANONICAL)
        return a.from_canonical();
    return common_operation(operation, a, b);
}

DEVICE device_fp2 apply(checked_operation operation, const device_fp2 &a, const device_fp2 &b) {
    return common_operation(operation, a, b);
}

template <class F> __global__ void apply_to_all(checked_operation operation, F *out, const F *a, const F *b, size_t count) {
    for (size_t i = global_thread(); i < count; i += global_threads())
        out[i] = apply(operation, a[i], b[i]);
}

template <class F>
cuzk_status run(device_stream *stream, checked_operation operation, void *out, const void *a, const void *b, size_t count,
                cuzk_error *error) {
    return launch(stream, FLAT, apply_to_all<F>, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error, operation,
                  static_cast<F *>(out), static_cast<const F *>(a), static_cast<const F *>(b), count);
}

enum { CHECK_BLOCK = 64 };

__global__ void sum_before(uint32_t *out, const uint32_t *values) {
    uint32_t *warps = shared_memory<uint32_t>();
    size_t at = global_thread();
    uint32_t value = values[at], sum = value, lane = threadIdx.x % 32;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance)
            sum += other;
    }
    uint32_t last = __shfl_sync(0xffffffff, sum, 31);
    uint32_t odd = __ballot_sync(0xffffffff, value & 1);
    if (lane == 0)
        warps[threadIdx.x / 32] = last;
    __syncthreads();
    if (threadIdx.x >= 32)
        sum += warps[0];
    /* The parity of a warp's sum is that of the number of its odd values. */
    if ((__popc(odd) & 1) != static_cast<int>(last & 1))
        sum = 0xffffffff;
    out[at] = sum;
}

__global__ void read_byte(uint8_t *out, const uint8_t *from) { *out = *from; }

} // namespace

extern "C" {

cuzk_status device_check_field(device_stream *stream, checked_field field, checked_operation operation, void *out, const void *a,
                               const void *b, size_t count, cuzk_error *error) {
    switch (field) {
    case CHECK_FR:
        return run<device_fr>(stream, operation, out, a, b, count, error);
    case CHECK_FP:
        return run<device_fp>(stream, operation, out, a, b, count, error);
    default:
        return run<device_fp2>(stream, operation, out, a, b, count, error);
    }
}

cuzk_status device_check_block(device_stream *stream, uint32_t *out, const uint32_t *values, size_t count, cuzk_error *error) {
    return launch(stream, COOPERATIVE, sum_before, static_cast<unsigned>(count / CHECK_BLOCK), CHECK_BLOCK, CHECK_BLOCK, error,
                  out, values);
}

cuzk_status device_check_read(device_stream *stream, uint8_t *out, const void *from, cuzk_error *error) {
    return launch(stream, FLAT, read_byte, 1, 1, 0, error, out, static_cast<const uint8_t *>(from));
}

} // extern "C"
