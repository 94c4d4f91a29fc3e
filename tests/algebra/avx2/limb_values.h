/* Limbs at the ends of their ranges, and what else tests of level avx2 share. After a probe_*.h. */
#ifndef TESTS_AVX2_LIMB_VALUES_H
#define TESTS_AVX2_LIMB_VALUES_H

#include <math.h>

#include "algebra/cpu.h"
#include "support/support.h"

/* An integer from -limit to limit, often at an end, next to one, next to 0, or at `inner`, where carries begin. */
static inline double make_limb(test_random *random, double limit, double inner) {
    uint64_t choice = test_random_u64(random);
    double sign = choice & 1 ? -1 : 1;
    switch (choice >> 1 & 7) {
    case 0:
    case 1:
        return sign * limit;
    case 2:
        return sign * (limit - 1);
    case 3:
        return sign * (double)(choice >> 4 & 3);
    case 4:
        return sign * (limit < inner ? limit : inner);
    default:
        return sign * (double)(test_random_u64(random) % ((uint64_t)limit + 1));
    }
}

static inline void make_element(test_random *random, probe_element *a, double limit, double top_limit, double inner) {
    for (int lane = 0; lane < PROBE_LANES; lane++) {
        bool uniform = test_random_u64(random) % 8 == 0; /* all carries the same way */
        double all = test_random_u64(random) & 1 ? 1 : -1;
        for (int i = 0; i < PROBE_LIMBS; i++) {
            double most = i == PROBE_LIMBS - 1 ? top_limit : limit;
            a->limb[i][lane] = uniform ? all * most : make_limb(random, most, inner);
        }
    }
}

static inline void assert_limbs_below(const probe_element *a, double limit, double top_limit) {
    for (int i = 0; i < PROBE_LIMBS; i++)
        for (int lane = 0; lane < PROBE_LANES; lane++)
            assert_true(fabs(a->limb[i][lane]) <= (i == PROBE_LIMBS - 1 ? top_limit : limit));
}

/* Runs an array of tests that is in scope, if the CPU has the level; 0 or the number of those that failed. */
#define RUN_WHERE_THERE_IS_AVX2(tests)                                                                                           \
    (cpu_level_available() >= CPU_AVX2 ? cmocka_run_group_tests(tests, NULL, NULL)                                               \
                                       : (print_message("no AVX2, FMA and ADX: skipped\n"), 0))

#endif
