/* A counting sort, twice: entries by bucket, then buckets by size. The order among equals is whatever the atomics make it. */
#include "cuda/digits.h"

#include "cuda/launch.h"
#include "cuda/prime_field.h"
#include "cuda/scan.h"

namespace {

enum { MAGNITUDE_BITS = 254 };

struct scalar_bits {
    uint32_t limb[DIGIT_LIMBS + 1]; /* with the bias; zero on top, where windows may read */
    uint32_t negative;
};

/* The scalar or its negative, whichever is at most r/2, with the bias. */
DEVICE scalar_bits load_scalar(const device_scalars &s, const device_windows &windows, size_t i) {
    device_fr value = static_cast<const device_fr *>(s.values)[s.numbers ? s.numbers[i] : i];
    if (s.montgomery)
        value = value.to_canonical();
    device_fr opposite;
    carry_chain c;
    opposite.limb[0] = c.sub_cc(fr_parameters::modulus(0), value.limb[0]);
    UNROLL
    for (int k = 1; k < device_fr::LIMBS; k++)
        opposite.limb[k] = c.subc_cc(fr_parameters::modulus(k), value.limb[k]);
    /* value > r - value, for value > 0; 0 stays 0 */
    carry_chain d;
    d.sub_cc(opposite.limb[0], value.limb[0]);
    UNROLL
    for (int k = 1; k < device_fr::LIMBS; k++)
        d.subc_cc(opposite.limb[k], value.limb[k]);
    scalar_bits bits;
    bits.negative = d.subc(0, 0) & 1;
    carry_chain e;
    bits.limb[0] = e.add_cc(bits.negative ? opposite.limb[0] : value.limb[0], windows.bias[0]);
    UNROLL
    for (int k = 1; k < device_fr::LIMBS; k++)
        bits.limb[k] = e.addc_cc(bits.negative ? opposite.limb[k] : value.limb[k], windows.bias[k]);
    bits.limb[DIGIT_LIMBS - 1] = e.addc(windows.bias[DIGIT_LIMBS - 1], 0);
    bits.limb[DIGIT_LIMBS] = 0;
    return bits;
}

/* Digit number w as magnitude << 1 | negative. */
DEVICE uint32_t digit_of(const scalar_bits &bits, const device_windows &windows, unsigned w) {
    unsigned at = windows.bits * w, limb = at / 32, shift = at % 32;
    uint64_t window = static_cast<uint64_t>(bits.limb[limb + 1]) << 32 | bits.limb[limb];
    uint32_t biased = static_cast<uint32_t>(window >> shift) & ((1u << windows.bits) - 1);
    uint32_t bias = windows.per_window - 1;
    uint32_t below = biased < bias ? 1u : 0u, magnitude = below ? bias - biased : biased - bias;
    return magnitude << 1 | (below ^ bits.negative);
}

DEVICE size_t scalar_count(const device_scalars &s) { return s.count ? *s.count : s.most; }

__global__ void count_digits(uint32_t *counts, device_windows windows, device_scalars s) {
    for (size_t i = global_thread(); i < scalar_count(s); i += global_threads()) {
        scalar_bits bits = load_scalar(s, windows, i);
        for (unsigned w = 0; w < windows.count; w++) {
            uint32_t magnitude = digit_of(bits, windows, w) >> 1;
            if (magnitude > 0)
                atomicAdd(&counts[w * windows.per_window + magnitude - 1], 1);
        }
    }
}

/* ends[b] is where bucket b's entries begin, and moves on to where they end. */
__global__ void place_digits(uint32_t *ends, uint32_t *entries, device_windows windows, device_scalars s) {
    for (size_t i = global_thread(); i < scalar_count(s); i += global_threads()) {
        scalar_bits bits = load_scalar(s, windows, i);
        uint32_t point = s.points ? s.points[i] : static_cast<uint32_t>(i);
        for (unsigned w = 0; w < windows.count; w++) {
            uint32_t digit = digit_of(bits, windows, w), magnitude = digit >> 1;
            if (magnitude > 0)
                entries[atomicAdd(&ends[w * windows.per_window + magnitude - 1], 1)] = point << 1 | (digit & 1);
        }
    }
}

/* From the counts: tasks of large buckets, and how many others there are of each size, sizes[0] for the largest. */
__global__ void count_sizes(uint32_t *tasks, uint32_t *sizes, const uint32_t *counts, uint32_t buckets, uint32_t limit) {
    for (size_t b = global_thread(); b < buckets; b += global_threads()) {
        uint32_t count = counts[b];
        tasks[b] = count > limit ? (count + limit - 1) / limit : 0;
        if (count > 0 && count <= limit)
            atomicAdd(&sizes[limit - count], 1);
    }
}

__global__ void place_buckets(uint32_t *order, uint32_t *sizes, const uint32_t *ends, uint32_t buckets, uint32_t limit) {
    for (size_t b = global_thread(); b < buckets; b += global_threads()) {
        uint32_t count = ends[b] - (b > 0 ? ends[b - 1] : 0);
        if (count > 0 && count <= limit)
            order[atomicAdd(&sizes[limit - count], 1)] = static_cast<uint32_t>(b);
    }
}

} // namespace

device_windows device_windows_of(unsigned bits) {
    device_windows windows = {bits, (MAGNITUDE_BITS + 1 + bits - 1) / bits, 1u << (bits - 1), {0}};
    for (unsigned w = 0; w < windows.count; w++) {
        /* Windows do not overlap, so their biases combine without carries. */
        uint64_t bias = static_cast<uint64_t>(windows.per_window - 1) << (bits * w % 32);
        unsigned limb = bits * w / 32;
        windows.bias[limb] |= static_cast<uint32_t>(bias);
        if (limb + 1 < DIGIT_LIMBS)
            windows.bias[limb + 1] |= static_cast<uint32_t>(bias >> 32);
    }
    return windows;
}

size_t digit_scratch_words(const device_windows *windows, uint32_t limit) {
    size_t buckets = scan_scratch_words(static_cast<size_t>(windows->count) * windows->per_window),
           sizes = scan_scratch_words(limit);
    return buckets > sizes ? buckets : sizes;
}

cuzk_status sort_digits(device_stream *stream, const digit_sorter *sorter, const device_scalars *scalars, cuzk_error *error) {
    uint32_t buckets = sorter->windows.count * sorter->windows.per_window;
    unsigned scalar_grid = blocks_for(scalars->most, LOOP_BLOCK, 4 * LOOP_GRID),
             bucket_grid = blocks_for(buckets, LOOP_BLOCK, LOOP_GRID);
    TRY(device_fill(stream, sorter->ends, 0, (static_cast<size_t>(buckets) + 1) * sizeof(uint32_t), error));
    TRY(device_fill(stream, sorter->sizes, 0, (static_cast<size_t>(sorter->limit) + 2) * sizeof(uint32_t), error));
    TRY(launch(stream, FLAT, count_digits, scalar_grid, LOOP_BLOCK, 0, error, sorter->ends, sorter->windows, *scalars));
    TRY(launch(stream, FLAT, count_sizes, bucket_grid, LOOP_BLOCK, 0, error, sorter->tasks, sorter->sizes,
               static_cast<const uint32_t *>(sorter->ends), buckets, sorter->limit));
    TRY(exclusive_scan(stream, sorter->ends, buckets, sorter->scratch, error));
    TRY(exclusive_scan(stream, sorter->tasks, buckets, sorter->scratch, error));
    TRY(exclusive_scan(stream, sorter->sizes, sorter->limit, sorter->scratch, error));
    TRY(launch(stream, FLAT, place_digits, scalar_grid, LOOP_BLOCK, 0, error, sorter->ends, sorter->entries, sorter->windows,
               *scalars));
    return launch(stream, FLAT, place_buckets, bucket_grid, LOOP_BLOCK, 0, error, sorter->order, sorter->sizes,
                  static_cast<const uint32_t *>(sorter->ends), buckets, sorter->limit);
}
