/* Template of what lanes_batch_add_template.h asks of level ifma, over the names of group_g1.h or group_g2.h and over
 * "coordinate_lanes": eight coordinates of FIELDS elements of Fp each, with coordinate_lanes_loose_product and _square.
 *
 * Coordinates enter and leave as they lie in memory, as x * R for R = 2^384, while a product here divides by R' = 2^416
 * = 2^32 R. Let K stand for 2^-16. With D = (x2 - x1) R and "inverse" = K R'^2 / D,
 *   L = product((y2 - y1) R, inverse) = slope * K R' = slope * 2^16 R
 *   product(L, L) = slope^2 * 2^32 R^2 / R' = slope^2 R
 *   product(2^16 L, (x1 - x3) R) = slope (x1 - x3) R,
 * and the inverse's form carries over: if I = K R'^2 / product(P, D), then product(I, P) = K R'^2 / D and product(I, D)
 * = K R'^2 / P. So the factors cost one shift of L by 16 bits. */
#include <stddef.h>

#include "algebra/ifma_vector.h"
#include "algebra/kernels.h"

#define LEVEL(name) IFMA(name)

enum { COORDINATE_WORDS = FIELDS * FP_WORDS, GROUPS_AT_ONCE = 1 };

typedef vec lowest_words; /* of eight coordinates */

/* The lanes where they are equal or one of them is zero. */
VEC_INLINE vec_mask equal_or_zero(const lowest_words *a, const lowest_words *b) {
    return vec_equal(*a, *b) | vec_equal(*a, vec_zero()) | vec_equal(*b, vec_zero());
}

/* The coordinates at `offset` words of the points. */
VEC_INLINE void coordinate_lanes_gather(coordinate_lanes *out, const uint64_t *const points[LANES], size_t offset,
                                        lowest_words *lowest) {
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        load_two_words(word, points, offset + field * FP_WORDS);
        load_two_words(word + 2, points, offset + field * FP_WORDS + 2);
        load_two_words(word + 4, points, offset + field * FP_WORDS + 4);
        out->field[field] = fp8_from_words(word);
        if (field == 0)
            *lowest = word[0];
    }
}

/* Stores the values below p that are congruent to a, and leaves them in a. */
VEC_INLINE void coordinate_lanes_store_reduced(uint64_t *const points[LANES], size_t offset, coordinate_lanes *a) {
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        a->field[field] = fp8_reduced(&a->field[field]);
        fp8_to_words(word, &a->field[field]);
        store_two_words(points, offset + field * FP_WORDS, word);
        store_two_words(points, offset + field * FP_WORDS + 2, word + 2);
        store_two_words(points, offset + field * FP_WORDS + 4, word + 4);
    }
}

static inline void coordinate_lanes_one(coordinate_lanes *out) {
    memset(out, 0, sizeof *out);
    out->field[0] = fp8_constant(FP8_ONE);
}

VEC_INLINE void coordinate_lanes_copy(coordinate_lanes *out, const coordinate_lanes *a) { *out = *a; }

VEC_INLINE void coordinate_lanes_subtract(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    for (size_t field = 0; field < FIELDS; field++)
        out->field[field] = fp8_subtract(&a->field[field], &b->field[field]);
}

VEC_INLINE void coordinate_lanes_difference(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    for (size_t field = 0; field < FIELDS; field++) {
        const fp8 difference = fp8_difference(&a->field[field], &b->field[field], 1);
        out->field[field] = fp8_normalise(&difference);
    }
}

VEC_INLINE coordinate_lanes coordinate_lanes_normalise(const coordinate_lanes *a) {
    coordinate_lanes c;
    for (size_t field = 0; field < FIELDS; field++)
        c.field[field] = fp8_normalise(&a->field[field]);
    return c;
}

VEC_INLINE void coordinate_lanes_product(coordinate_lanes *out, const coordinate_lanes *a, const coordinate_lanes *b) {
    const coordinate_lanes c = coordinate_lanes_loose_product(a, b);
    *out = coordinate_lanes_normalise(&c);
}

/* Lane i of the result is lane i ^ distance of a. */
VEC_INLINE coordinate_lanes coordinate_lanes_exchange(const coordinate_lanes *a, unsigned distance) {
    uint64_t from[LANES];
    for (unsigned i = 0; i < LANES; i++)
        from[i] = i ^ distance;
    const vec index = vec_load(from);
    coordinate_lanes c;
    for (size_t field = 0; field < FIELDS; field++)
        for (size_t i = 0; i < FP8_LIMBS; i++)
            c.field[field].limb[i] = vec_lookup(a->field[field].limb[i], index);
    return c;
}

/* 2^48 R: as blst's inverse of P is R^2 / P, its product with that is K R'^2 / P. */
static const fp INVERSE_FACTOR = {
    {0x48aca8e9fde36676, 0x7f3e81ec2e0c7cea, 0x6547e4c7fba1f6b3, 0xd4221fc8e41ccfd2, 0x0a003db64c9a1624, 0x07173ac25996deeb}};

/* K R'^2 / a in all lanes, for an a that is the same in all lanes and not zero. */
static coordinate_lanes invert_one(const coordinate_lanes *a) {
    uint64_t words[FIELDS][FP_WORDS][LANES];
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        const fp8 reduced = fp8_reduced(&a->field[field]);
        fp8_to_words(word, &reduced);
        for (size_t i = 0; i < FP_WORDS; i++)
            vec_store(words[field][i], word[i]);
    }
    fp values[FIELDS];
    for (size_t field = 0; field < FIELDS; field++)
        for (size_t i = 0; i < FP_WORDS; i++)
            values[field].l[i] = words[field][i][0];
    coordinate_invert(values);
    coordinate_lanes inverse;
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        blst_fp_mul(&values[field], &values[field], &INVERSE_FACTOR);
        for (size_t i = 0; i < FP_WORDS; i++)
            word[i] = vec_broadcast(values[field].l[i]);
        inverse.field[field] = fp8_from_words(word);
    }
    return inverse;
}

/* K R'^2 / a for each lane, none of them zero: the lanes' products are joined in a tree of three levels. */
static void coordinate_lanes_inverse(coordinate_lanes *out, const coordinate_lanes *a) {
    coordinate_lanes products[4], others[3];
    products[0] = *a;
    for (unsigned level = 0; level < 3; level++) {
        others[level] = coordinate_lanes_exchange(&products[level], 4u >> level);
        coordinate_lanes_product(&products[level + 1], &products[level], &others[level]);
    }
    *out = invert_one(&products[3]);
    for (unsigned level = 3; level-- > 0;)
        coordinate_lanes_product(out, out, &others[level]);
}

/* y2 - y1, or -y2 - y1 where negate says so: below 3p. */
VEC_INLINE void slope_numerator(coordinate_lanes *out, const coordinate_lanes *y1, const coordinate_lanes *y2, vec_mask negate) {
    for (size_t field = 0; field < FIELDS; field++) {
        const fp8 two_p_minus_y1 = fp8_negative(&y1->field[field], 2);
        const fp8 numerator = fp8_sum_or_difference(&two_p_minus_y1, &y2->field[field], negate);
        out->field[field] = fp8_normalise(&numerator);
    }
}

/* Below 2.6 p. */
VEC_INLINE void coordinate_lanes_square(coordinate_lanes *out, const coordinate_lanes *a) {
    *out = coordinate_lanes_loose_square(a);
}

VEC_INLINE void coordinate_lanes_slope_product(coordinate_lanes *out, const coordinate_lanes *slope,
                                               const coordinate_lanes *distance) {
    coordinate_lanes factor;
    for (size_t field = 0; field < FIELDS; field++)
        factor.field[field] = fp8_shift_left_16(&slope->field[field]);
    *out = coordinate_lanes_loose_product(&factor, distance);
}
