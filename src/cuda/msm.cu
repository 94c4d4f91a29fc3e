#include "cuda/msm.h"

#include <stdlib.h>

#include "cuda/digits.h"
#include "cuda/launch.h"
#include "cuda/msm_group.h"
#include "cuda/windows_sum.h"

extern "C" {
#include "base/memory.h"
}

namespace {

enum {
    ONES_THREADS_MAX = 1 << 16, /* threads that sum the points of ones, each with a sum of its own */
    ONES_GROUPS = 64,           /* these sums are added in so many groups, then the groups' */
    SEGMENTS_MAX = 1 << 10,     /* of a window, when its buckets are weighed */
    SEGMENT_LENGTH = 16,
    BUCKET_LIMIT_MIN = 256
};

const uint32_t NONE_BAD = 0xffffffff;

} // namespace

struct device_msm {
    device *owner;
    device_msm_options options;
    const msm_group *group;
    digit_sorter sorter;
    unsigned segments, ones_threads;
    uint32_t points_given;
    size_t bytes;
    /* All in the device's memory. */
    void *points, *buckets, *partials, *ones, *ones_groups, *segment_sums, *results;
    uint32_t *bad;
};

namespace {

uint32_t bucket_count(const device_windows &windows) { return windows.count * windows.per_window; }

uint32_t limit_for(const device_msm_options &options, const device_windows &windows) {
    if (options.bucket_limit > 0)
        return options.bucket_limit;
    size_t average = options.part_scalars * windows.count / bucket_count(windows);
    return 4 * average > BUCKET_LIMIT_MIN ? static_cast<uint32_t>(4 * average) : static_cast<uint32_t>(BUCKET_LIMIT_MIN);
}

void choose_sizes(device_msm *msm, const device_msm_options *options) {
    msm->options = *options;
    msm->group = options->group == DEVICE_G1 ? &MSM_G1 : &MSM_G2;
    msm->sorter.windows = device_windows_of(options->window_bits);
    msm->sorter.limit = limit_for(*options, msm->sorter.windows);
    unsigned per_window = msm->sorter.windows.per_window;
    msm->segments = per_window / SEGMENT_LENGTH < 1 ? 1 : per_window / SEGMENT_LENGTH;
    if (msm->segments > SEGMENTS_MAX)
        msm->segments = SEGMENTS_MAX;
    size_t words = (options->part_points + 63) / 64, threads = (words + ONES_GROUPS - 1) / ONES_GROUPS * ONES_GROUPS;
    msm->ones_threads = threads > ONES_THREADS_MAX ? static_cast<unsigned>(ONES_THREADS_MAX)
                        : threads == 0             ? static_cast<unsigned>(ONES_GROUPS)
                                                   : static_cast<unsigned>(threads);
}

struct memory_part {
    void **memory;
    size_t bytes;
};

enum { PARTS = 14 };

template <class T> void **slot(T **memory) { return reinterpret_cast<void **>(memory); }

void list_parts(device_msm *msm, memory_part parts[PARTS]) {
    const device_windows &windows = msm->sorter.windows;
    size_t buckets = bucket_count(windows), entries = msm->options.part_scalars * windows.count, sum = msm->group->sum_bytes;
    const memory_part all[PARTS] = {
        {&msm->points, msm->options.part_points * msm->group->affine_bytes},
        {&msm->buckets, buckets * sum},
        {&msm->partials, (2 * entries / msm->sorter.limit + 1) * sum}, /* ceil(n / limit) < 2 n / limit for n > limit */
        {&msm->ones, msm->ones_threads * sum},
        {&msm->ones_groups, ONES_GROUPS * sum},
        {&msm->segment_sums, static_cast<size_t>(windows.count) * msm->segments * sum},
        {&msm->results, (windows.count + 1) * sum},
        {slot(&msm->bad), sizeof(uint32_t)},
        {slot(&msm->sorter.ends), (buckets + 1) * sizeof(uint32_t)},
        {slot(&msm->sorter.entries), entries * sizeof(uint32_t)},
        {slot(&msm->sorter.tasks), (buckets + 1) * sizeof(uint32_t)},
        {slot(&msm->sorter.sizes), (static_cast<size_t>(msm->sorter.limit) + 2) * sizeof(uint32_t)},
        {slot(&msm->sorter.order), buckets * sizeof(uint32_t)},
        {slot(&msm->sorter.scratch), digit_scratch_words(&windows, msm->sorter.limit) * sizeof(uint32_t)},
    };
    for (int i = 0; i < PARTS; i++)
        parts[i] = all[i];
}

cuzk_status start(device_msm *msm, device_stream *stream, cuzk_error *error) {
    msm->points_given = 0;
    TRY(device_fill(stream, msm->buckets, 0, bucket_count(msm->sorter.windows) * msm->group->sum_bytes, error));
    TRY(device_fill(stream, msm->ones, 0, msm->ones_threads * msm->group->sum_bytes, error));
    return device_fill(stream, msm->bad, 0xff, sizeof(uint32_t), error);
}

cuzk_status allocate_parts(device_msm *msm, cuzk_error *error) {
    memory_part parts[PARTS];
    list_parts(msm, parts);
    for (const memory_part &part : parts)
        TRY(device_allocate(msm->owner, part.memory, part.bytes, "a sum of points", error));
    return CUZK_OK;
}

cuzk_status reduce(device_msm *msm, device_stream *stream, cuzk_error *error) {
    const device_windows &windows = msm->sorter.windows;
    const msm_group *group = msm->group;
    void *last = static_cast<uint8_t *>(msm->results) + windows.count * group->sum_bytes;
    TRY(group->weigh_segments(stream, msm->segment_sums, msm->buckets, windows.count, windows.per_window, msm->segments, error));
    TRY(group->sum_groups(stream, msm->results, msm->segment_sums, windows.count, msm->segments, error));
    TRY(group->sum_groups(stream, msm->ones_groups, msm->ones, ONES_GROUPS, msm->ones_threads / ONES_GROUPS, error));
    return group->sum_groups(stream, last, msm->ones_groups, 1, ONES_GROUPS, error);
}

} // namespace

extern "C" {

size_t device_msm_bytes(const device_msm_options *options) {
    device_msm msm = {};
    memory_part parts[PARTS];
    size_t bytes = 0;
    choose_sizes(&msm, options);
    list_parts(&msm, parts);
    for (const memory_part &part : parts)
        bytes += part.bytes;
    return bytes;
}

cuzk_status device_msm_create(device_msm **msm, device_stream *stream, const device_msm_options *options, cuzk_error *error) {
    device_msm *made = static_cast<device_msm *>(allocate_zeroed(1, sizeof *made));
    made->owner = device_of_stream(stream);
    choose_sizes(made, options);
    cuzk_status status = allocate_parts(made, error);
    if (status == CUZK_OK)
        status = start(made, stream, error);
    if (status != CUZK_OK) {
        device_msm_destroy(made);
        made = nullptr;
    }
    *msm = made;
    return status;
}

void device_msm_destroy(device_msm *msm) {
    if (!msm)
        return;
    memory_part parts[PARTS];
    list_parts(msm, parts);
    for (const memory_part &part : parts)
        device_free(msm->owner, *part.memory);
    free(msm);
}

cuzk_status device_msm_points(device_msm *msm, device_stream *stream, const void *encoded, size_t count, cuzk_error *error) {
    uint32_t first = msm->points_given;
    msm->points_given += static_cast<uint32_t>(count);
    return msm->group->decode(stream, msm->points, encoded, count, first, msm->bad, error);
}

cuzk_status device_msm_add_ones(device_msm *msm, device_stream *stream, const device_selection *selection, const uint64_t *ones,
                                cuzk_error *error) {
    return msm->group->sum_ones(stream, msm->ones, msm->ones_threads, msm->points, selection, ones, error);
}

cuzk_status device_msm_add_scalars(device_msm *msm, device_stream *stream, const device_scalars *scalars, cuzk_error *error) {
    const digit_sorter &sorter = msm->sorter;
    if (scalars->most == 0)
        return CUZK_OK;
    sorted_digits digits = {sorter.ends, sorter.entries, bucket_count(sorter.windows), sorter.limit};
    TRY(sort_digits(stream, &sorter, scalars, error));
    TRY(msm->group->sum_tasks(stream, msm->partials, &digits, msm->points, sorter.tasks, error));
    TRY(msm->group->add_partials(stream, msm->buckets, msm->partials, digits.buckets, sorter.tasks, error));
    return msm->group->sum_buckets(stream, msm->buckets, &digits, msm->points, sorter.order, sorter.sizes + sorter.limit, error);
}

cuzk_status device_msm_finish(device_msm *msm, device_stream *stream, void *sum, size_t *bad_point, cuzk_error *error) {
    const device_windows &windows = msm->sorter.windows;
    size_t bytes = (windows.count + 1) * msm->group->sum_bytes;
    uint32_t bad = NONE_BAD;
    void *points = allocate(1, bytes);
    cuzk_status status = reduce(msm, stream, error);
    if (status == CUZK_OK)
        status = device_download(stream, points, msm->results, bytes, error);
    if (status == CUZK_OK)
        status = device_download(stream, &bad, msm->bad, sizeof bad, error);
    if (status == CUZK_OK)
        status = start(msm, stream, error);
    if (status == CUZK_OK)
        status = device_synchronize(stream, error);
    *bad_point = status == CUZK_OK && bad != NONE_BAD ? bad : SIZE_MAX;
    if (status == CUZK_OK && bad != NONE_BAD)
        status = failure(error, CUZK_BAD_INPUT, "point %u: malformed, expected an uncompressed point", bad);
    if (status == CUZK_OK)
        windows_sum(msm->options.group, sum, points, windows.count, windows.bits);
    free(points);
    return status;
}

} // extern "C"
