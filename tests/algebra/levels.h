/* Running a group of tests on every level of arithmetic: those that this CPU has, and the model of ifma. */
#ifndef TESTS_LEVELS_H
#define TESTS_LEVELS_H

#include "algebra/kernels.h"

/* The levels that this CPU has, portable first; their number is returned. */
static inline size_t levels_of_the_cpu(const algebra_kernels *levels[3]) {
    size_t count = 0;
    levels[count++] = &kernels_portable;
#ifdef __x86_64__
    if (cpu_level_available() >= CPU_AVX2)
        levels[count++] = &kernels_avx2;
    if (cpu_level_available() >= CPU_IFMA)
        levels[count++] = &kernels_ifma;
#endif
    return count;
}

/* Run an array of tests that is in scope, and add the number of those that failed. */
#define RUN_ON_EVERY_LEVEL_OF_THE_CPU(failed, tests, setup)                                                                      \
    do {                                                                                                                         \
        const algebra_kernels *levels_[3];                                                                                       \
        for (size_t i_ = 0, count_ = levels_of_the_cpu(levels_); i_ < count_; i_++) {                                            \
            kernels_use(levels_[i_]);                                                                                            \
            (failed) += cmocka_run_group_tests_name(cpu_level_name(levels_[i_]->level), tests, setup, NULL);                     \
        }                                                                                                                        \
    } while (0)

#define RUN_ON_EVERY_LEVEL(failed, tests, setup)                                                                                 \
    do {                                                                                                                         \
        RUN_ON_EVERY_LEVEL_OF_THE_CPU(failed, tests, setup);                                                                     \
        kernels_use(&kernels_ifma_model);                                                                                        \
        (failed) += cmocka_run_group_tests_name("model of ifma", tests, setup, NULL);                                            \
    } while (0)

#endif
