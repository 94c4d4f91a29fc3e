/* Measures the algebra on one thread, beside blst where blst has the same: medians of interleaved runs, in CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "algebra/fixed_base.h"
#include "algebra/msm.h"
#include "algebra/ntt.h"
#include "base/memory.h"

enum { ROUNDS = 5, PRODUCTS = 1 << 20, LARGEST_LOG_SUM = 18, FIXED_BASE_SCALARS = 1 << 16 };

typedef struct {
    const char *name, *unit;
    void (*run)(void *context);
    void *context;
    double divisor; /* of the nanoseconds of a run */
    double times[ROUNDS];
} measurement;

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(measurement *list, size_t count) {
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            double start = cpu_ns();
            list[i].run(list[i].context);
            list[i].times[round] = (cpu_ns() - start) / list[i].divisor;
        }
    for (size_t i = 0; i < count; i++) {
        qsort(list[i].times, ROUNDS, sizeof(double), compare_doubles);
        printf("%-44s %10.3f %s\n", list[i].name, list[i].times[ROUNDS / 2], list[i].unit);
    }
    fflush(stdout);
}

static void must(cuzk_status status, const cuzk_error *error) {
    if (status == CUZK_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->message);
    exit(1);
}

static void fr_products(void *context) {
    fr *values = context;
    for (size_t i = 0; i < PRODUCTS; i++)
        fr_mul(&values[i % 64], &values[i % 64], &values[64]);
}

static void fp_products(void *context) {
    fp *values = context;
    for (size_t i = 0; i < PRODUCTS; i++)
        blst_fp_mul(&values[i % 64], &values[i % 64], &values[64]);
}

typedef struct {
    ntt_domain *domain;
    fr *values;
} transform_run;

static void transform(void *context) {
    transform_run *run = context;
    ntt_forward(run->domain, run->values, NULL);
}

static void coset_transform(void *context) {
    transform_run *run = context;
    ntt_coset_forward(run->domain, run->values, NULL);
}

typedef struct {
    size_t count;
    const g1_affine *points;
    const uint8_t *encoded;
    const fr_canonical *scalars;
    g1 sum;
} sum_run;

static void our_sum(void *context) {
    sum_run *run = context;
    cuzk_error error = {0};
    must(msm_g1_with_window(&run->sum, run->encoded, run->count, run->scalars, 0, NULL, NULL, &error), &error);
}

static void blst_sum(void *context) {
    sum_run *run = context;
    limb_t *scratch = allocate(blst_p1s_mult_pippenger_scratch_sizeof(run->count), 1);
    const g1_affine *points[2] = {run->points, NULL};
    const uint8_t *scalars[2] = {run->scalars[0].bytes, NULL};
    blst_p1s_mult_pippenger(&run->sum, points, run->count, scalars, FR_BITS, scratch);
    free(scratch);
}

static void blst_plain_sum(void *context) {
    sum_run *run = context;
    const g1_affine *points[2] = {run->points, NULL};
    blst_p1s_add(&run->sum, points, run->count);
}

typedef struct {
    size_t count;
    fr *scalars;
    fixed_base_g1 *table1;
    fixed_base_g2 *table2;
    g1_affine *points1;
    g2_affine *points2;
} fixed_base_run;

static void fixed_base_in_g1(void *context) {
    fixed_base_run *run = context;
    fixed_base_g1_multiply(run->table1, run->points1, run->scalars, run->count, NULL);
}

static void fixed_base_in_g2(void *context) {
    fixed_base_run *run = context;
    fixed_base_g2_multiply(run->table2, run->points2, run->scalars, run->count, NULL);
}

static void measure_transforms(const fr *values) {
    transform_run run20, run22;
    cuzk_error error = {0};
    must(ntt_domain_create(&run20.domain, 20, &error), &error);
    must(ntt_domain_create(&run22.domain, 22, &error), &error);
    run20.values = allocate((size_t)1 << 20, sizeof(fr));
    run22.values = allocate((size_t)1 << 22, sizeof(fr));
    for (size_t i = 0; i < (size_t)1 << 22; i++)
        run22.values[i] = values[i % FIXED_BASE_SCALARS];
    memcpy(run20.values, run22.values, sizeof(fr) << 20);
    measurement list[] = {
        {"NTT of 2^20", "ms", transform, &run20, 1e6, {0}},
        {"NTT of 2^20 to the coset", "ms", coset_transform, &run20, 1e6, {0}},
        {"NTT of 2^22", "ms", transform, &run22, 1e6, {0}},
    };
    measure(list, sizeof list / sizeof *list);
    free(run20.values);
    free(run22.values);
    ntt_domain_destroy(run20.domain);
    ntt_domain_destroy(run22.domain);
}

static void measure_sums(const g1_affine *points, const fr_canonical *wide, const fr_canonical *bits, size_t bits_set) {
    size_t largest = (size_t)1 << LARGEST_LOG_SUM;
    uint8_t *encoded = allocate(largest, G1_BYTES);
    for (size_t i = 0; i < largest; i++)
        g1_encode(encoded + i * G1_BYTES, &points[i]);
    sum_run run12 = {.count = 1 << 12, .points = points, .encoded = encoded, .scalars = wide};
    sum_run run16 = run12, run18 = run12, boolean = run12;
    run16.count = 1 << 16;
    run18.count = boolean.count = largest;
    boolean.scalars = bits;
    const double us12 = 1e3 * (1 << 12), us16 = 1e3 * (1 << 16), us18 = 1e3 * (1 << 18);
    measurement list[] = {
        {"G1 MSM of 2^12", "us a point", our_sum, &run12, us12, {0}},
        {"G1 MSM of 2^12, blst", "us a point", blst_sum, &run12, us12, {0}},
        {"G1 MSM of 2^16", "us a point", our_sum, &run16, us16, {0}},
        {"G1 MSM of 2^16, blst", "us a point", blst_sum, &run16, us16, {0}},
        {"G1 MSM of 2^18", "us a point", our_sum, &run18, us18, {0}},
        {"G1 MSM of 2^18, blst", "us a point", blst_sum, &run18, us18, {0}},
        {"G1 sum by bits", "ns a set bit", our_sum, &boolean, (double)bits_set, {0}},
        {"G1 sum of all, blst", "ns a point", blst_plain_sum, &boolean, (double)largest, {0}},
    };
    measure(list, sizeof list / sizeof *list);
    free(encoded);
}

int main(void) {
    uint8_t seed[32] = {0};
    size_t largest = (size_t)1 << LARGEST_LOG_SUM, bits_set = 0;
    fr *scalars = allocate(largest, sizeof *scalars);
    fr_canonical *wide = allocate(largest, sizeof *wide), *bits = allocate_zeroed(largest, sizeof *bits);
    for (size_t i = 0; i < largest; i++) {
        fr_from_seed(&scalars[i], seed, i);
        fr_to_canonical(&wide[i], &scalars[i]);
        bits[i].bytes[0] = wide[i].bytes[0] & 1;
        bits_set += bits[i].bytes[0];
    }
    fp coordinates[65];
    for (size_t i = 0; i < 65; i++)
        blst_fp_from_le_bytes(&coordinates[i], wide[i].bytes, FR_BYTES);
    measurement products[] = {
        {"Fr product", "ns", fr_products, scalars, PRODUCTS, {0}},
        {"Fp product", "ns", fp_products, coordinates, PRODUCTS, {0}},
    };
    measure(products, sizeof products / sizeof *products);
    measure_transforms(scalars);

    fixed_base_run run = {.count = FIXED_BASE_SCALARS, .scalars = scalars};
    cuzk_error error;
    if (fixed_base_g1_create(&run.table1, G1_GENERATOR, largest, NULL, &error) != CUZK_OK ||
        fixed_base_g2_create(&run.table2, G2_GENERATOR, largest, NULL, &error) != CUZK_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    run.points1 = allocate(largest, sizeof *run.points1);
    run.points2 = allocate(FIXED_BASE_SCALARS, sizeof *run.points2);
    measurement multiplications[] = {
        {"G1 fixed base, window for 2^18", "us a scalar", fixed_base_in_g1, &run, 1e3 * FIXED_BASE_SCALARS, {0}},
        {"G2 fixed base, window for 2^18", "us a scalar", fixed_base_in_g2, &run, 1e3 * FIXED_BASE_SCALARS, {0}},
    };
    measure(multiplications, sizeof multiplications / sizeof *multiplications);
    fixed_base_g1_multiply(run.table1, run.points1, scalars, largest, NULL);
    measure_sums(run.points1, wide, bits, bits_set);
    fixed_base_g1_destroy(run.table1);
    fixed_base_g2_destroy(run.table2);
    free(run.points1);
    free(run.points2);
    free(scalars);
    free(wide);
    free(bits);
    return 0;
}
