/* batch_add.h for G1 on level avx2: five additions at a time, four in vector registers and one in general registers. The
 * units of the two have little in common, so the fifth costs a processor next to nothing beside the four. */
#include "algebra/group_g1.h"

#include "algebra/avx2_fp.h"
#include "algebra/kernels.h"

/* A product is 1,200 instructions long, all that the processor can keep decoded: so it is called often in a row, and never
 * inlined. With 1, 4, 8, 16 and 32 groups an addition takes 187, 174, 162, 158 and 157 ns on Zen 2. */
enum { GROUPS_AT_ONCE = 16 };

enum { LANES = VECTOR_LANES + 1, COORDINATE_WORDS = FP_WORDS };

/* Five coordinates. In the sense of avx2_fp.h and fp_product.h, respectively, they are a factor and a difference. */
typedef struct {
    fp4 four;
    fp fifth;
} coordinate_lanes;

typedef struct {
    word_vec four;
    uint64_t fifth;
} lowest_words;

/* The lanes where they are equal or one of them is zero. */
VEC_INLINE vec_mask equal_or_zero(const lowest_words *a, const lowest_words *b) {
    const vec_mask four =
        (vec_mask)(word_equal(a->four, b->four) | word_equal(a->four, word_zero()) | word_equal(b->four, word_zero()));
    const bool fifth = a->fifth == b->fifth || a->fifth == 0 || b->fifth == 0;
    return (vec_mask)(four | fifth << VECTOR_LANES);
}

VEC_INLINE void coordinate_lanes_gather(coordinate_lanes *out, const uint64_t *const points[LANES], size_t offset,
                                        lowest_words *lowest) {
    out->four = fp4_gather(points, offset, &lowest->four);
    fp_copy(&out->fifth, points[VECTOR_LANES] + offset);
    lowest->fifth = points[VECTOR_LANES][offset];
}

/* Stores the values below p that are congruent to a, and leaves them in a. */
VEC_INLINE void coordinate_lanes_store_reduced(uint64_t *const points[LANES], size_t offset, coordinate_lanes *a) {
    a->four = fp4_store_reduced(points, offset, &a->four);
    fp_loose_reduced(&a->fifth, &a->fifth);
    fp_copy((fp *)(void *)(points[VECTOR_LANES] + offset), a->fifth.l);
}

VEC_INLINE void coordinate_lanes_copy(coordinate_lanes *out, const coordinate_lanes *a) {
    out->four = a->four;
    fp_copy(&out->fifth, a->fifth.l);
}

VEC_INLINE void coordinate_lanes_difference(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    out->four = fp4_subtract(&a->four, &b->four);
    fp_difference(&out->fifth, &a->fifth, &b->fifth);
}

VEC_INLINE void coordinate_lanes_normalise(coordinate_lanes *a) { a->four = fp4_normalise(&a->four); }

/* For a factor a and a normalised b; normalised, and loose in the fifth lane. */
static __attribute__((noinline)) void coordinate_lanes_product(coordinate_lanes *out, const coordinate_lanes *a,
                                                               const coordinate_lanes *b) {
    fp_product_state fifth = {.a = &a->fifth, .b = &b->fifth};
    fp4_product(&out->four, &a->four, &b->four, &fifth);
    fp_product_finish(&out->fifth, &fifth);
}

/* y2 - y1, or -y2 - y1 where negate says so. */
VEC_INLINE void slope_numerator(coordinate_lanes *out, const coordinate_lanes *y1, const coordinate_lanes *y2, vec_mask negate) {
    out->four = fp4_signed_difference(&y2->four, &y1->four, negate);
    fp_signed_difference(&out->fifth, &y2->fifth, &y1->fifth, negate >> VECTOR_LANES & 1);
    coordinate_lanes_normalise(out);
}

VEC_INLINE void coordinate_lanes_square(coordinate_lanes *out, const coordinate_lanes *a) { coordinate_lanes_product(out, a, a); }

VEC_INLINE void coordinate_lanes_slope_product(coordinate_lanes *out, const coordinate_lanes *slope,
                                               const coordinate_lanes *distance) {
    coordinate_lanes_product(out, distance, slope);
}

VEC_INLINE void coordinate_lanes_subtract(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    out->four = fp4_subtract(&a->four, &b->four);
    fp_subtract(&out->fifth, &a->fifth, &b->fifth);
}

#include "algebra/avx2_inverse_template.h"
#include "algebra/lanes_batch_add_template.h"

const algebra_kernels kernels_avx2 = {
    .level = CPU_AVX2,
    .g1_batch_add = g1_batch_add_avx2,
    .g2_batch_add = g2_batch_add_avx2,
    .g1_lane_products = g1_lane_products_avx2,
    .g2_lane_products = g2_lane_products_avx2,
    .ntt = &ntt_kernel_avx2,
};
