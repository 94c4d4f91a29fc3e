/* The kernels of an msm over the coordinates' field F, and their launches as an msm_group. */
#ifndef CUDA_MSM_KERNELS_H
#define CUDA_MSM_KERNELS_H

#include "cuda/launch.h"
#include "cuda/msm_group.h"
#include "cuda/selection_device.h"
#include "cuda/xyzz_point.h"

namespace {

enum { SUM_BLOCK = 64, FLAG_COMPRESSED = 0x80, FLAG_INFINITY = 0x40, FLAG_SIGN = 0x20 };

/* ---- Decoding ------------------------------------------------------------------------------------------------------- */

/* A coordinate from big-endian bytes without flags; false unless it is below the modulus. */
DEVICE bool decode_coordinate(device_fp *out, const uint32_t *words) {
    device_fp plain;
    UNROLL
    for (int i = 0; i < device_fp::LIMBS; i++)
        plain.limb[i] = swap_bytes(words[device_fp::LIMBS - 1 - i]);
    *out = plain.from_canonical();
    return plain.is_reduced();
}

/* The imaginary part comes first. */
DEVICE bool decode_coordinate(device_fp2 *out, const uint32_t *words) {
    bool imaginary = decode_coordinate(&out->imaginary, words), real = decode_coordinate(&out->real, words + device_fp::LIMBS);
    return imaginary && real;
}

/* False if it is malformed. */
template <class F> DEVICE bool decode_point(affine_point<F> *out, const uint32_t *words) {
    const unsigned coordinate_words = sizeof(F) / sizeof(uint32_t);
    uint32_t flags = words[0] & (FLAG_COMPRESSED | FLAG_INFINITY | FLAG_SIGN);
    if (flags == 0) {
        bool x = decode_coordinate(&out->x, words), y = decode_coordinate(&out->y, words + coordinate_words);
        /* (0, 0) is our infinity, which has its own encoding. */
        return x && y && !out->is_infinity();
    }
    uint32_t payload = words[0] ^ FLAG_INFINITY;
    for (unsigned i = 1; i < 2 * coordinate_words; i++)
        payload |= words[i];
    *out = {F::zero(), F::zero()};
    return payload == 0;
}

template <class F>
__global__ void decode_points(affine_point<F> *points, const uint32_t *encoded, size_t count, uint32_t first_number,
                              uint32_t *bad) {
    for (size_t i = global_thread(); i < count; i += global_threads()) {
        affine_point<F> point;
        if (!decode_point(&point, encoded + i * (sizeof point / sizeof(uint32_t))))
            atomicMin(bad, first_number + static_cast<uint32_t>(i));
        points[i] = point;
    }
}

/* ---- Sums ----------------------------------------------------------------------------------------------------------- */

template <class F>
__global__ void __launch_bounds__(SUM_BLOCK)
    sum_selected(xyzz_point<F> *sums, const affine_point<F> *points, device_selection s, const uint64_t *ones) {
    xyzz_point<F> sum = sums[global_thread()];
    for (size_t w = s.first_word + global_thread(); w < s.end_word; w += global_threads()) {
        uint64_t dense = dense_word(s, w);
        for (uint64_t left = ones[w] & dense; left; left &= left - 1)
            sum.add_affine(points[point_of_bit(s, w, dense, lowest_bit(left))], false);
    }
    sums[global_thread()] = sum;
}

DEVICE uint32_t bucket_begin(const sorted_digits &d, uint32_t bucket) { return bucket > 0 ? d.ends[bucket - 1] : 0; }

template <class F>
DEVICE void add_entries(xyzz_point<F> *sum, const sorted_digits &d, const affine_point<F> *points, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t entry = d.entries[i];
        sum->add_affine(points[entry >> 1], entry & 1);
    }
}

template <class F>
__global__ void __launch_bounds__(SUM_BLOCK) sum_ordered(xyzz_point<F> *buckets, sorted_digits d, const affine_point<F> *points,
                                                         const uint32_t *order, const uint32_t *count) {
    for (size_t i = global_thread(); i < *count; i += global_threads()) {
        uint32_t bucket = order[i];
        xyzz_point<F> sum = buckets[bucket];
        add_entries(&sum, d, points, bucket_begin(d, bucket), d.ends[bucket]);
        buckets[bucket] = sum;
    }
}

template <class F>
__global__ void __launch_bounds__(SUM_BLOCK)
    sum_parts_of_large(xyzz_point<F> *partials, sorted_digits d, const affine_point<F> *points, const uint32_t *tasks) {
    for (size_t t = global_thread(); t < tasks[d.buckets]; t += global_threads()) {
        uint32_t low = 0, high = d.buckets; /* tasks[low] <= t < tasks[high] */
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            if (tasks[middle] <= t)
                low = middle;
            else
                high = middle;
        }
        uint32_t begin = bucket_begin(d, low) + (static_cast<uint32_t>(t) - tasks[low]) * d.limit, end = d.ends[low];
        xyzz_point<F> sum = xyzz_point<F>::infinity();
        add_entries(&sum, d, points, begin, begin + d.limit < end ? begin + d.limit : end);
        partials[t] = sum;
    }
}

template <class F>
__global__ void __launch_bounds__(SUM_BLOCK)
    add_parts_of_large(xyzz_point<F> *buckets, const xyzz_point<F> *partials, uint32_t count, const uint32_t *tasks) {
    for (size_t b = global_thread(); b < count; b += global_threads()) {
        if (tasks[b] == tasks[b + 1])
            continue;
        xyzz_point<F> sum = buckets[b];
        for (uint32_t t = tasks[b]; t < tasks[b + 1]; t++)
            sum.add(partials[t]);
        buckets[b] = sum;
    }
}

/* Running sums from the top give sum of (j + 1) * bucket[j]; the segment's own offset is a multiple of its plain sum. */
template <class F>
__global__ void __launch_bounds__(SUM_BLOCK)
    weigh(xyzz_point<F> *sums, const xyzz_point<F> *buckets, unsigned count, unsigned segments, unsigned length) {
    for (size_t i = global_thread(); i < count; i += global_threads()) {
        const xyzz_point<F> *own = buckets + i * length;
        xyzz_point<F> plain = xyzz_point<F>::infinity(), weighted = plain;
        for (unsigned j = length; j-- > 0;) {
            plain.add(own[j]);
            weighted.add(plain);
        }
        weighted.add(plain.multiplied(static_cast<uint32_t>(i % segments) * length));
        sums[i] = weighted;
    }
}

template <class F>
__global__ void __launch_bounds__(SUM_BLOCK) sum_of_group(xyzz_point<F> *out, const xyzz_point<F> *in, unsigned length) {
    xyzz_point<F> *shared = shared_memory<xyzz_point<F>>();
    const xyzz_point<F> *own = in + static_cast<size_t>(blockIdx.x) * length;
    xyzz_point<F> sum = xyzz_point<F>::infinity();
    for (unsigned i = threadIdx.x; i < length; i += SUM_BLOCK)
        sum.add(own[i]);
    shared[threadIdx.x] = sum;
    for (unsigned half = SUM_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sum.add(shared[threadIdx.x + half]);
            shared[threadIdx.x] = sum;
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* ---- Launches -------------------------------------------------------------------------------------------------------- */

/* A loop's grid: enough blocks for any device when there is enough to do. */
inline unsigned sum_grid(size_t count) { return blocks_for(count, SUM_BLOCK, 2 * LOOP_GRID); }

template <class F> struct group_launches {
    typedef affine_point<F> point;
    typedef xyzz_point<F> sum;

    static cuzk_status decode(device_stream *stream, void *points, const void *encoded, size_t count, uint32_t first_number,
                              uint32_t *bad, cuzk_error *error) {
        return launch(stream, FLAT, decode_points<F>, sum_grid(count), SUM_BLOCK, 0, error, static_cast<point *>(points),
                      static_cast<const uint32_t *>(encoded), count, first_number, bad);
    }
    static cuzk_status sum_ones(device_stream *stream, void *sums, unsigned threads, const void *points,
                                const device_selection *selection, const uint64_t *ones, cuzk_error *error) {
        return launch(stream, FLAT, sum_selected<F>, threads / SUM_BLOCK, SUM_BLOCK, 0, error, static_cast<sum *>(sums),
                      static_cast<const point *>(points), *selection, ones);
    }
    static cuzk_status sum_buckets(device_stream *stream, void *buckets, const sorted_digits *digits, const void *points,
                                   const uint32_t *order, const uint32_t *order_count, cuzk_error *error) {
        return launch(stream, FLAT, sum_ordered<F>, sum_grid(digits->buckets), SUM_BLOCK, 0, error, static_cast<sum *>(buckets),
                      *digits, static_cast<const point *>(points), order, order_count);
    }
    static cuzk_status sum_tasks(device_stream *stream, void *partials, const sorted_digits *digits, const void *points,
                                 const uint32_t *tasks, cuzk_error *error) {
        return launch(stream, FLAT, sum_parts_of_large<F>, sum_grid(digits->buckets), SUM_BLOCK, 0, error,
                      static_cast<sum *>(partials), *digits, static_cast<const point *>(points), tasks);
    }
    static cuzk_status add_partials(device_stream *stream, void *buckets, const void *partials, uint32_t bucket_count,
                                    const uint32_t *tasks, cuzk_error *error) {
        return launch(stream, FLAT, add_parts_of_large<F>, sum_grid(bucket_count), SUM_BLOCK, 0, error,
                      static_cast<sum *>(buckets), static_cast<const sum *>(partials), bucket_count, tasks);
    }
    static cuzk_status weigh_segments(device_stream *stream, void *sums, const void *buckets, unsigned windows,
                                      unsigned per_window, unsigned segments, cuzk_error *error) {
        return launch(stream, FLAT, weigh<F>, sum_grid(static_cast<size_t>(windows) * segments), SUM_BLOCK, 0, error,
                      static_cast<sum *>(sums), static_cast<const sum *>(buckets), windows * segments, segments,
                      per_window / segments);
    }
    static cuzk_status sum_groups(device_stream *stream, void *out, const void *in, unsigned groups, unsigned length,
                                  cuzk_error *error) {
        return launch(stream, COOPERATIVE, sum_of_group<F>, groups, SUM_BLOCK, SUM_BLOCK * sizeof(sum), error,
                      static_cast<sum *>(out), static_cast<const sum *>(in), length);
    }
};

} // namespace

#define MSM_GROUP_OF(F)                                                                                                          \
    {                                                                                                                            \
        sizeof(affine_point<F>), sizeof(affine_point<F>), sizeof(xyzz_point<F>), group_launches<F>::decode,                      \
            group_launches<F>::sum_ones, group_launches<F>::sum_buckets, group_launches<F>::sum_tasks,                           \
            group_launches<F>::add_partials, group_launches<F>::weigh_segments, group_launches<F>::sum_groups                    \
    }

#endif
