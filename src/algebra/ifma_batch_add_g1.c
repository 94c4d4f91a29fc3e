#include "algebra/group_g1.h"

#include "algebra/ifma_fp.h"

/* The names that ifma_batch_add_template.h takes for G1: coordinates in Fp. */
enum { FIELDS = 1 };
typedef struct {
    fp8 field[FIELDS];
} coordinate8;

VEC_INLINE coordinate8 coordinate8_loose_product(const coordinate8 *a, const coordinate8 *b) {
    return (coordinate8){{fp8_product(&a->field[0], &b->field[0])}};
}

VEC_INLINE coordinate8 coordinate8_loose_square(const coordinate8 *a) { return (coordinate8){{fp8_square(&a->field[0])}}; }

static inline void coordinate_invert(fp fields[FIELDS]) { blst_fp_eucl_inverse(&fields[0], &fields[0]); }

#include "algebra/ifma_batch_add_template.h"
