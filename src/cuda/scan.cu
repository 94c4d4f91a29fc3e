/* Three steps: each block sums its part, one block scans these sums, each block scans its part from there. */
#include "cuda/scan.h"

#include "cuda/launch.h"

namespace {

enum { SCAN_BLOCK = 256, SCAN_ITEMS = 8, SCAN_PART = SCAN_BLOCK * SCAN_ITEMS };

/* The sum over the threads of the block before this one; *total: over all. Every thread takes part. */
DEVICE uint32_t block_exclusive_sum(uint32_t value, uint32_t *total) {
    uint32_t *warps = shared_memory<uint32_t>();
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = value;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance)
            sum += other;
    }
    __syncthreads(); /* the last call's sums have been read */
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    uint32_t before = 0;
    *total = 0;
    for (unsigned i = 0; i < SCAN_BLOCK / 32; i++) {
        if (i == warp)
            before = *total;
        *total += warps[i];
    }
    return before + sum - value;
}

__global__ void __launch_bounds__(SCAN_BLOCK) sum_parts(const uint32_t *values, size_t count, uint32_t *sums) {
    size_t first = static_cast<size_t>(blockIdx.x) * SCAN_PART;
    uint32_t sum = 0, total;
    for (unsigned i = 0; i < SCAN_ITEMS; i++) {
        size_t at = first + i * SCAN_BLOCK + threadIdx.x;
        sum += at < count ? values[at] : 0;
    }
    block_exclusive_sum(sum, &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

__global__ void __launch_bounds__(SCAN_BLOCK) scan_sums(uint32_t *sums, size_t count, uint32_t *total_out) {
    uint32_t before = 0, total;
    for (size_t first = 0; first < count; first += SCAN_BLOCK) {
        size_t at = first + threadIdx.x;
        uint32_t value = at < count ? sums[at] : 0, offset = block_exclusive_sum(value, &total);
        if (at < count)
            sums[at] = before + offset;
        before += total;
    }
    if (threadIdx.x == 0)
        *total_out = before;
}

__global__ void __launch_bounds__(SCAN_BLOCK) scan_parts(uint32_t *values, size_t count, const uint32_t *sums) {
    size_t first = static_cast<size_t>(blockIdx.x) * SCAN_PART + static_cast<size_t>(threadIdx.x) * SCAN_ITEMS;
    uint32_t own[SCAN_ITEMS], sum = 0, total;
    UNROLL
    for (unsigned i = 0; i < SCAN_ITEMS; i++) {
        own[i] = first + i < count ? values[first + i] : 0;
        sum += own[i];
    }
    uint32_t before = sums[blockIdx.x] + block_exclusive_sum(sum, &total);
    UNROLL
    for (unsigned i = 0; i < SCAN_ITEMS; i++) {
        if (first + i < count)
            values[first + i] = before;
        before += own[i];
    }
}

} // namespace

size_t scan_scratch_words(size_t count) { return (count + SCAN_PART - 1) / SCAN_PART + 1; }

cuzk_status exclusive_scan(device_stream *stream, uint32_t *values, size_t count, uint32_t *scratch, cuzk_error *error) {
    size_t parts = scan_scratch_words(count) - 1, shared = SCAN_BLOCK / 32 * sizeof(uint32_t);
    if (parts > 0)
        TRY(launch(stream, COOPERATIVE, sum_parts, static_cast<unsigned>(parts), SCAN_BLOCK, shared, error, values, count,
                   scratch));
    TRY(launch(stream, COOPERATIVE, scan_sums, 1, SCAN_BLOCK, shared, error, scratch, parts, values + count));
    if (parts > 0)
        TRY(launch(stream, COOPERATIVE, scan_parts, static_cast<unsigned>(parts), SCAN_BLOCK, shared, error, values, count,
                   scratch));
    return CUZK_OK;
}
