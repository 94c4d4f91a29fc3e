#include "algebra/group_g1.h"

#include "algebra/ifma_fp.h"

/* The names that ifma_coordinate_template.h takes for G1: coordinates in Fp. */
enum { FIELDS = 1 };
typedef struct {
    fp8 field[FIELDS];
} coordinate_lanes;

VEC_INLINE coordinate_lanes coordinate_lanes_loose_product(const coordinate_lanes *a, const coordinate_lanes *b) {
    return (coordinate_lanes){{fp8_product(&a->field[0], &b->field[0])}};
}

VEC_INLINE coordinate_lanes coordinate_lanes_loose_square(const coordinate_lanes *a) { return (coordinate_lanes){{fp8_square(&a->field[0])}}; }

static inline void coordinate_invert(fp fields[FIELDS]) { blst_fp_eucl_inverse(&fields[0], &fields[0]); }

#include "algebra/ifma_coordinate_template.h"
#include "algebra/lanes_batch_add_template.h"
