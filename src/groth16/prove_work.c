#include "groth16/prove_work.h"

#include "algebra/endomorphism.h"

enum {
    PRODUCTS_PER_ADDITION = 5, /* and a square */
    TRANSFORM_PASSES = 3,      /* through memory, reading and writing */
    ONE_PASS_LOG_SIZE = 10,    /* up to here a transform stays in a cache */
    DIGIT_BYTES = 3 * (int)sizeof(uint32_t), /* of each digit: written once and read twice */
    SLACK_BYTES = 512 << 20
};

uint64_t transform_products(unsigned log_size) {
    uint64_t size = UINT64_C(1) << log_size;
    return size / 2 * log_size - (size - 1) + size;
}

static work_amounts transform_work(const prove_sizes *sizes) {
    uint64_t bytes = 2 * sizeof(fr) << sizes->domain_log_size;
    work_amounts work = {{0}};
    work.of[WORK_FR_PRODUCT] = transform_products(sizes->domain_log_size);
    work.of[WORK_BYTES] = sizes->domain_log_size <= ONE_PASS_LOG_SIZE ? bytes : TRANSFORM_PASSES * bytes;
    return work;
}

static work_amounts sum_work(size_t query, const prove_sizes *sizes, const msm_counts *counts) {
    bool second_group = query + PHASE_MSM_H == PHASE_MSM_B_G2;
    uint64_t point_bytes = second_group ? sizeof(g2_affine) : sizeof(g1_affine);
    unsigned windows = counts->window_bits ? (HALF_SCALAR_BITS + counts->window_bits) / counts->window_bits : 0;
    work_amounts work = {{0}};
    /* The endomorphism of G2 multiplies by an element of Fp, twice. */
    work.of[WORK_FP_PRODUCT] = second_group ? 2 * counts->wide : counts->wide + PRODUCTS_PER_ADDITION * counts->additions;
    work.of[second_group ? WORK_FP2_SQUARE : WORK_FP_SQUARE] = counts->additions;
    if (second_group)
        work.of[WORK_FP2_PRODUCT] = PRODUCTS_PER_ADDITION * counts->additions;
    work.of[WORK_FR_PRODUCT] = counts->wide; /* to canonical form */
    work.of[WORK_BYTES] = point_bytes * (sizes->points[query] + 2 * counts->wide + 3 * counts->additions) +
                                     2 * counts->wide * windows * DIGIT_BYTES;
    return work;
}

work_amounts phase_work(prove_phase phase, const prove_sizes *sizes, const prove_profile *profile) {
    uint64_t elements = UINT64_C(1) << sizes->domain_log_size;
    work_amounts work = {{0}};
    if (prove_phase_is_transform(phase))
        return transform_work(sizes);
    if (phase >= PHASE_MSM_H && phase <= PHASE_MSM_B_G2)
        return sum_work(phase - PHASE_MSM_H, sizes, &profile->sums[phase - PHASE_MSM_H]);
    switch (phase) {
    case PHASE_EVALUATE_A:
    case PHASE_EVALUATE_B:
    case PHASE_EVALUATE_C:
        work.of[WORK_BYTES] = sizes->assignment_bytes + elements * sizeof(fr);
        break;
    case PHASE_MULTIPLY:
        work.of[WORK_FR_PRODUCT] = elements;
        work.of[WORK_BYTES] = 3 * elements * sizeof(fr);
        break;
    case PHASE_DIVIDE: /* by powers of two */
        work.of[WORK_BYTES] = 3 * elements * sizeof(fr);
        break;
    default:
        break;
    }
    return work;
}

uint64_t peak_limit_bytes(unsigned domain_log_size) { return (2 * sizeof(fr) << domain_log_size) + SLACK_BYTES; }
