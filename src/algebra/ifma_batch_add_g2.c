#include "algebra/group_g2.h"

#include "algebra/ifma_fp.h"

/* The names that ifma_coordinate_template.h takes for G2: coordinates field[0] + field[1] * u in Fp2, u^2 = -1. */
enum { FIELDS = 2 };
typedef struct {
    fp8 field[FIELDS];
} coordinate_lanes;

/* For a below 2^18 p and b below 3p; each field below 1.26 p. Four products and two reductions: Karatsuba's three products
 * would need three reductions or sums of 16 limbs. */
VEC_INLINE coordinate_lanes coordinate_lanes_loose_product(const coordinate_lanes *a, const coordinate_lanes *b) {
    fp8 minus_b1 = fp8_negative(&b->field[1], 3);
    minus_b1 = fp8_normalise(&minus_b1);
    coordinate_lanes c;
    c.field[0] = fp8_sum_of_products(&a->field[0], &b->field[0], &a->field[1], &minus_b1);
    c.field[1] = fp8_sum_of_products(&a->field[0], &b->field[1], &a->field[1], &b->field[0]);
    return c;
}

/* (a0 + a1) (a0 - a1) + 2 a0 a1 u, for a below 2p; below 2.6 p. */
VEC_INLINE coordinate_lanes coordinate_lanes_loose_square(const coordinate_lanes *a) {
    fp8 sum = fp8_sum(&a->field[0], &a->field[1]), difference = fp8_difference(&a->field[0], &a->field[1], 2);
    sum = fp8_normalise(&sum);
    difference = fp8_normalise(&difference);
    coordinate_lanes c;
    c.field[0] = fp8_product(&sum, &difference);
    c.field[1] = fp8_product(&a->field[0], &a->field[1]);
    c.field[1] = fp8_sum(&c.field[1], &c.field[1]);
    return c;
}

static inline void coordinate_invert(fp fields[FIELDS]) {
    fp2 value = {{fields[0], fields[1]}};
    blst_fp2_eucl_inverse(&value, &value);
    fields[0] = value.fp[0];
    fields[1] = value.fp[1];
}

#include "algebra/ifma_coordinate_template.h"
#include "algebra/lanes_batch_add_template.h"
