#include "algebra/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "algebra/kernels.h"

static void g1_batch_add_of_cpu(const g1_addition *additions, size_t count, const g1_affine *addends, g1_batch_scratch *scratch) {
#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
    if (cpu_has_mulx_and_adx()) {
        g1_batch_add_mulx(additions, count, addends, scratch);
        return;
    }
#endif
    g1_batch_add_portable(additions, count, addends, scratch);
}

static size_t g1_lane_products_of_cpu(size_t times, bool squares) {
#if defined(__x86_64__) && !defined(CUZK_NO_ASSEMBLY)
    if (cpu_has_mulx_and_adx())
        return g1_lane_products_mulx(times, squares);
#endif
    fp factors[2] = {blst_p1_generator()->z, blst_p1_generator()->x};
    for (size_t i = 0; i < times; i++) {
        if (squares)
            blst_fp_sqr(&factors[0], &factors[0]);
        else
            blst_fp_mul(&factors[0], &factors[0], &factors[1]);
    }
    return times;
}

const algebra_kernels kernels_portable = {
    .level = CPU_PORTABLE,
    .g1_batch_add = g1_batch_add_of_cpu,
    .g2_batch_add = g2_batch_add_portable,
    .g1_lane_products = g1_lane_products_of_cpu,
    .ntt = &ntt_kernel_portable,
};

static _Atomic(const algebra_kernels *) in_use;

static const struct {
    const char *name, *needs;
    const algebra_kernels *kernels;
} LEVELS[] = {
    [CPU_PORTABLE] = {"portable", "nothing", &kernels_portable},
#if defined(__x86_64__)
    [CPU_AVX2] = {"avx2", "AVX2, FMA, BMI2 and ADX", &kernels_avx2},
    [CPU_IFMA] = {"ifma", "AVX-512 F, DQ, IFMA and VBMI2", &kernels_ifma},
#else
    [CPU_AVX2] = {"avx2", "an x86-64", NULL},
    [CPU_IFMA] = {"ifma", "an x86-64", NULL},
#endif
};
enum { LEVEL_COUNT = sizeof LEVELS / sizeof *LEVELS };

const char *cpu_level_name(cpu_level level) { return LEVELS[level].name; }

#if defined(__x86_64__)

static atomic_int mulx_and_adx; /* 0: not yet known; 1: no; 2: yes */

bool cpu_has_mulx_and_adx(void) {
    enum { BMI1 = 1 << 3, BMI2 = 1 << 8, ADX = 1 << 19 };
    int state = atomic_load_explicit(&mulx_and_adx, memory_order_relaxed);
    if (__builtin_expect(state == 0, 0)) {
        /* By its number: not every compiler knows a name for ADX. */
        unsigned a, b, c, d;
        state = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & BMI1) && (b & BMI2) && (b & ADX) ? 2 : 1;
        atomic_store_explicit(&mulx_and_adx, state, memory_order_relaxed);
    }
    return state == 2;
}

void cpu_forgo_mulx_and_adx(bool forgo) { atomic_store_explicit(&mulx_and_adx, forgo ? 1 : 0, memory_order_relaxed); }

cpu_level cpu_level_available(void) {
    /* The compiler's own test asks XGETBV too, whether the operating system saves the wide registers. */
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512ifma") &&
        __builtin_cpu_supports("avx512vbmi2"))
        return CPU_IFMA;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_mulx_and_adx() ? CPU_AVX2 : CPU_PORTABLE;
}

cpu_level cpu_level_preferred(void) {
    cpu_level highest = cpu_level_available();
    bool fast_doubles = __builtin_cpu_is("amd") && !__builtin_cpu_is("znver1");
    return highest == CPU_AVX2 && !fast_doubles ? CPU_PORTABLE : highest;
}

#else

bool cpu_has_mulx_and_adx(void) { return false; }

void cpu_forgo_mulx_and_adx(bool forgo) { (void)forgo; }

cpu_level cpu_level_available(void) { return CPU_PORTABLE; }

cpu_level cpu_level_preferred(void) { return CPU_PORTABLE; }

#endif

static cuzk_status wanted_level(cpu_level *level, cuzk_error *error) {
    const char *wanted = getenv("CUZK_CPU");
    *level = cpu_level_preferred();
    if (!wanted || !*wanted)
        return CUZK_OK;
    size_t named = 0;
    while (named < LEVEL_COUNT && strcmp(wanted, LEVELS[named].name) != 0)
        named++;
    if (named == LEVEL_COUNT)
        return failure(error, CUZK_BAD_INPUT, "CUZK_CPU: found %s, expected portable, avx2 or ifma", wanted);
    cpu_level highest = cpu_level_available();
    if (named > highest)
        return failure(error, CUZK_BAD_INPUT, "CUZK_CPU: found %s, which needs %s; this CPU's highest level is %s", wanted,
                       LEVELS[named].needs, cpu_level_name(highest));
    *level = (cpu_level)named;
    return CUZK_OK;
}

cuzk_status cpu_level_choose(cuzk_error *error) {
    cpu_level level;
    TRY(wanted_level(&level, error));
    kernels_use(LEVELS[level].kernels);
    return CUZK_OK;
}

const algebra_kernels *kernels_in_use(void) {
    const algebra_kernels *kernels = atomic_load_explicit(&in_use, memory_order_acquire);
    if (kernels)
        return kernels;
    cpu_level level;
    wanted_level(&level, NULL); /* the preferred one if the name is wrong */
    kernels = LEVELS[level].kernels;
    kernels_use(kernels);
    return kernels;
}

void kernels_use(const algebra_kernels *kernels) { atomic_store_explicit(&in_use, kernels, memory_order_release); }

cpu_level cpu_level_in_use(void) { return kernels_in_use()->level; }
