/* Template of batch_add.h on the portable level, over the names of group_g1.h or group_g2.h. The includer defines BATCH_ADD, the
 * function's name, and for coordinates below what the arithmetic calls reduced or loose:
 *
 *   PRODUCT(out, difference, factor)  loose, for a difference or a loose value and a loose one
 *   REDUCED(out, a)                   reduced, for a loose one
 *
 * and, if more than one product at a time pays, with reduced x1, x2 and y1:
 *
 *   SLOPE_AND_X(slope, x, x_difference, difference, factor, x1, x2)
 *                                     slope: their product, loose; x: slope^2 - x1 - x2, reduced; x_difference: x1 - x
 *   PRODUCT_LESS(out, factor, difference, y1)
 *                                     their product less y1, reduced
 *
 * where x may be x1 and out y1. Where loose is reduced, REDUCED has nothing to do. */
#include "algebra/kernels.h"

/* Loads are announced this many additions ahead; the step that waits for them takes about 50 ns. */
enum { PREFETCH_DISTANCE = 16, PREFETCH_DISTANCE_BACK = 4, PAGES_DISTANCE = 24, PAGES_AT_ONCE = 8, CACHE_LINE = 64 };

/* In scratch's active, beside an index below BATCH_ADDITIONS: this addition is a doubling. */
static const uint32_t DOUBLING = UINT32_C(1) << 31;

static inline void prefetch_point(const affine_point *p) {
    for (size_t offset = 0; offset + CACHE_LINE < sizeof *p; offset += CACHE_LINE)
        __builtin_prefetch((const char *)p + offset);
    __builtin_prefetch((const char *)(p + 1) - 1);
}

/* Addends are anywhere in memory, and what comes behind a prefetch waits while its page is looked up. Of several together the
 * first line of each, so that they wait at the same time; not more, or the misses that can be outstanding run out. */
static inline void prefetch_addends(const GROUP(addition) *additions, size_t begin, size_t count, const affine_point *addends) {
    for (size_t i = begin; i < begin + PAGES_AT_ONCE && i < count; i++)
        __builtin_prefetch(&addends[additions[i].addend]);
}

static inline void prefetch_operands(const GROUP(addition) *addition, const affine_point *addends) {
    prefetch_point(addition->sum);
    prefetch_point(&addends[addition->addend]);
}

/* Infinity is (0, 0); the first limb decides nearly always. */
static inline bool is_infinity(const affine_point *p) {
    return *(const uint64_t *)&p->x == 0 && coordinate_is_zero(&p->x) && coordinate_is_zero(&p->y);
}

/* The denominator of the slope through sum and the addend q, as a factor. Returns true if the addition remains to be
 * done (then *doubling tells which formula), false if it was trivial and is done. */
static inline bool slope_denominator(coordinate *denominator, affine_point *sum, const affine_point *q, uint32_t negate,
                                     bool *doubling) {
    *doubling = false;
    if (__builtin_expect(is_infinity(q), 0))
        return false;
    if (is_infinity(sum)) {
        GROUP(copy_with_sign)(sum, q, negate);
        return false;
    }
    coordinate_difference(denominator, &q->x, &sum->x);
    if (__builtin_expect(!difference_is_zero(denominator), 1))
        return true;
    coordinate y;
    coordinate_signed_difference(&y, &q->y, &sum->y, negate);
    if (!difference_is_zero(&y)) {
        memset(sum, 0, sizeof *sum); /* opposite points */
        return false;
    }
    FIELD(add)(denominator, &sum->y, &sum->y); /* not zero: no point has order 2 */
    *doubling = true;
    return true;
}

#ifndef SLOPE_AND_X
static inline void slope_and_x(coordinate *slope, coordinate *x, coordinate *x_difference, const coordinate *difference,
                               const coordinate *factor, const coordinate *x1, const coordinate *x2) {
    PRODUCT(slope, difference, factor);
    coordinate square;
    FIELD(sqr)(&square, slope);
    coordinate_subtract(&square, &square, x1);
    coordinate_subtract(&square, &square, x2);
    coordinate_difference(x_difference, x1, &square);
    *x = square;
}
#define SLOPE_AND_X slope_and_x

static inline void product_less(coordinate *out, const coordinate *factor, const coordinate *difference, const coordinate *y1) {
    coordinate product;
    PRODUCT(&product, difference, factor);
    coordinate_subtract(out, &product, y1);
}
#define PRODUCT_LESS product_less
#endif

/* sum += q by the slope with the given inverse of its denominator. */
static inline void finish_addition(affine_point *sum, const affine_point *q, uint32_t negate, bool doubling,
                                   const coordinate *inverse) {
    coordinate slope, x_difference;
    if (__builtin_expect(doubling, 0)) {
        FIELD(sqr)(&slope, &sum->x);
        FIELD(mul_by_3)(&slope, &slope);
    } else {
        coordinate_signed_difference(&slope, &q->y, &sum->y, negate);
    }
    SLOPE_AND_X(&slope, &sum->x, &x_difference, &slope, inverse, &sum->x, &q->x);
    PRODUCT_LESS(&sum->y, &slope, &x_difference, &sum->y);
}

void BATCH_ADD(const GROUP(addition) *additions, size_t count, const affine_point *addends, GROUP(batch_scratch) *scratch) {
    coordinate *denominators = scratch->level.portable.denominators, *products = scratch->level.portable.products;
    uint32_t *actives = scratch->level.portable.active;
    uint32_t active = 0;
    products[0] = BLST_POINT(generator)()->z; /* 1; products[i] is that of all denominators before number i */
    for (size_t i = 0; i < count; i++) {
        if (i % PAGES_AT_ONCE == 0)
            prefetch_addends(additions, i + PAGES_DISTANCE, count, addends);
        if (i + PREFETCH_DISTANCE < count)
            prefetch_operands(&additions[i + PREFETCH_DISTANCE], addends);
        bool doubling;
        coordinate *denominator = &denominators[active];
        if (!slope_denominator(denominator, additions[i].sum, &addends[additions[i].addend], additions[i].negate, &doubling))
            continue;
        actives[active] = (uint32_t)i | (doubling ? DOUBLING : 0);
        PRODUCT(&products[active + 1], denominator, &products[active]);
        active++;
    }
    if (active == 0)
        return;
    coordinate product;
    REDUCED(&product, &products[active]);
    FIELD(eucl_inverse)(&product, &product);
    while (active-- > 0) {
        const GROUP(addition) *addition = &additions[actives[active] & ~DOUBLING];
        if (active >= PREFETCH_DISTANCE_BACK) /* they have gone from the L1 cache meanwhile */
            prefetch_operands(&additions[actives[active - PREFETCH_DISTANCE_BACK] & ~DOUBLING], addends);
        coordinate inverse;
        PRODUCT(&inverse, &product, &products[active]);
        PRODUCT(&product, &denominators[active], &product);
        bool doubling = actives[active] & DOUBLING;
        finish_addition(addition->sum, &addends[addition->addend], addition->negate, doubling, &inverse);
    }
}
