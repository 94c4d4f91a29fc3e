/* Selections in kernels. */
#ifndef CUDA_SELECTION_DEVICE_H
#define CUDA_SELECTION_DEVICE_H

#include "cuda/kernel.h"
#include "cuda/selection.h"

DEVICE uint32_t count_bits(uint64_t bits) { return static_cast<uint32_t>(__popcll(bits)); }
DEVICE unsigned lowest_bit(uint64_t bits) { return static_cast<unsigned>(__ffsll(static_cast<long long>(bits))) - 1; }
DEVICE uint64_t bits_below(unsigned bit) { return (static_cast<uint64_t>(1) << bit) - 1; }

/* The number of the point that belongs to a bit of word w. */
DEVICE uint32_t point_of_bit(const device_selection &s, size_t w, uint64_t dense, unsigned bit) {
    uint32_t before = s.dense ? s.rank[w] + count_bits(dense & bits_below(bit)) : static_cast<uint32_t>(64 * w + bit);
    return before - s.first_point;
}

DEVICE uint64_t dense_word(const device_selection &s, size_t w) { return s.dense ? s.dense[w] : ~static_cast<uint64_t>(0); }

#endif
