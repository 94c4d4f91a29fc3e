/* The digits of scalars, sorted by bucket. For kernel sources. */
#ifndef CUDA_DIGITS_H
#define CUDA_DIGITS_H

#include "cuda/msm.h"

enum { DIGIT_LIMBS = 9 };

/* Windows of `bits` over scalars whose magnitude is below 2^254, as in algebra/digits.h: digits are -(2^(bits-1) - 1) ..
 * 2^(bits-1), and adding the bias to a scalar makes them independent of each other. */
struct device_windows {
    unsigned bits, count, per_window; /* 2^(bits-1) buckets each */
    uint32_t bias[DIGIT_LIMBS];
};

device_windows device_windows_of(unsigned bits);

/* Memory of the device for one part. */
struct digit_sorter {
    device_windows windows;
    uint32_t *ends;    /* a word for each bucket, and one more: where each bucket's entries end */
    uint32_t *entries; /* part_scalars * windows.count */
    uint32_t *tasks;   /* a word for each bucket, and one more: the tasks of large buckets before it */
    uint32_t *sizes;   /* of buckets: limit + 2 words */
    uint32_t *order;   /* the buckets with 1 .. limit entries, those with most first */
    uint32_t *scratch; /* of scans over all buckets, and over sizes */
    uint32_t limit;
};

/* Words of scratch. */
size_t digit_scratch_words(const device_windows *windows, uint32_t limit);

/* Sorts; sizes[limit] is then the number of buckets in `order`. */
cuzk_status sort_digits(device_stream *stream, const digit_sorter *sorter, const device_scalars *scalars, cuzk_error *error);

#endif
