/* batch_add.h for G2 on level avx2: four additions at a time, of coordinates field[0] + field[1] * u in Fp2, u^2 = -1. */
#include "algebra/group_g2.h"

#include "algebra/avx2_fp.h"
#include "algebra/kernels.h"

enum { LANES = VECTOR_LANES, FIELDS = 2, COORDINATE_WORDS = FIELDS * FP_WORDS };

/* As in G1. */
enum { GROUPS_AT_ONCE = 16 };

/* Four coordinates, normalised where they are factors of products. */
typedef struct {
    fp4 field[FIELDS];
} coordinate_lanes;

typedef word_vec lowest_words; /* of field[0] */

/* The lanes where they are equal or one of them is zero. */
VEC_INLINE vec_mask equal_or_zero(const lowest_words *a, const lowest_words *b) {
    return (vec_mask)(word_equal(*a, *b) | word_equal(*a, word_zero()) | word_equal(*b, word_zero()));
}

VEC_INLINE void coordinate_lanes_gather(coordinate_lanes *out, const uint64_t *const points[LANES], size_t offset,
                                        lowest_words *lowest) {
    word_vec ignored;
    out->field[0] = fp4_gather(points, offset, lowest);
    out->field[1] = fp4_gather(points, offset + FP_WORDS, &ignored);
}

/* Stores the values below p that are congruent to a, and leaves them in a. */
VEC_INLINE void coordinate_lanes_store_reduced(uint64_t *const points[LANES], size_t offset, coordinate_lanes *a) {
    for (size_t i = 0; i < FIELDS; i++)
        a->field[i] = fp4_store_reduced(points, offset + i * FP_WORDS, &a->field[i]);
}

VEC_INLINE void coordinate_lanes_copy(coordinate_lanes *out, const coordinate_lanes *a) { *out = *a; }

VEC_INLINE void coordinate_lanes_subtract(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    for (size_t i = 0; i < FIELDS; i++)
        out->field[i] = fp4_subtract(&a->field[i], &b->field[i]);
}

VEC_INLINE void coordinate_lanes_normalise(coordinate_lanes *a) {
    for (size_t i = 0; i < FIELDS; i++)
        a->field[i] = fp4_normalise(&a->field[i]);
}

VEC_INLINE void coordinate_lanes_difference(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    coordinate_lanes_subtract(out, a, b);
    coordinate_lanes_normalise(out);
}

/* a * b + c * d. */
static __attribute__((noinline)) void add_two_products(fp4 *out, const fp4 *a, const fp4 *b, const fp4 *c, const fp4 *d) {
    const fp4 *const factors[] = {a, b, c, d};
    fp4_sum_of_products(out, factors, 2, NULL);
}

/* Each field normalised and below 0.204 a b / p + 2p. */
static void coordinate_lanes_product(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    coordinate_lanes product;
    const fp4 zero = {{vec_zero()}}, minus_b1 = fp4_subtract(&zero, &b->field[1]);
    add_two_products(&product.field[0], &a->field[0], &b->field[0], &a->field[1], &minus_b1);
    add_two_products(&product.field[1], &a->field[0], &b->field[1], &a->field[1], &b->field[0]);
    *out = product;
}

VEC_INLINE void coordinate_lanes_square(coordinate_lanes *out, const coordinate_lanes *a) { coordinate_lanes_product(out, a, a); }

VEC_INLINE void coordinate_lanes_slope_product(coordinate_lanes *out, const coordinate_lanes *slope,
                                               const coordinate_lanes *distance) {
    coordinate_lanes_product(out, distance, slope);
}

/* y2 - y1, or -y2 - y1 where negate says so. */
VEC_INLINE void slope_numerator(coordinate_lanes *out, const coordinate_lanes *y1, const coordinate_lanes *y2, vec_mask negate) {
    for (size_t i = 0; i < FIELDS; i++)
        out->field[i] = fp4_signed_difference(&y2->field[i], &y1->field[i], negate);
    coordinate_lanes_normalise(out);
}

#include "algebra/avx2_inverse_template.h"
#include "algebra/lanes_batch_add_template.h"
