/* Elements of Fp for tests of products. Include support/support.h first. */
#ifndef TESTS_FP_VALUES_H
#define TESTS_FP_VALUES_H

#include "algebra/field.h"

enum { FP_EDGES = 6 };

/* 0, 1, p - 1, small ones, those with limbs of only ones, and after these FP_EDGES count - FP_EDGES at random. */
static inline void make_fp_values(fp *values, int count, uint64_t seed) {
    static const uint64_t plain[FP_EDGES][6] = {{0}, {1}, {2}, {UINT64_MAX}, {0, 0, 0, 0, 0, 0x1a0111ea397fe699ULL},
                                                {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x1a0111ea397fe699ULL}};
    for (int i = 0; i < FP_EDGES; i++)
        memcpy(values[i].l, plain[i], sizeof plain[i]);
    blst_fp_cneg(&values[4], &values[1], true); /* the largest: p - 1 as it stands in memory */
    test_random random = {seed};
    for (int i = FP_EDGES; i < count; i++) {
        uint8_t bytes[48];
        test_random_bytes(&random, bytes, sizeof bytes);
        bytes[47] &= 0x0f;
        blst_fp_from_lendian(&values[i], bytes);
    }
}

#endif
