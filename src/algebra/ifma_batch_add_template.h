/* Template of the batch additions of level ifma, over the names of group_g1.h or group_g2.h and of a "coordinate8": eight
 * coordinates of FIELDS elements of Fp each.
 *
 * Formulas and Montgomery's trick are those of batch_add_template.h, on eight additions at a time with one running product for
 * each lane. Coordinates enter and leave as they lie in memory, as x * R for R = 2^384, while a product here divides by
 * R' = 2^416 = 2^32 R. Let K stand for 2^-16. With D = (x2 - x1) R and "inverse" = K R'^2 / D,
 *   L = product((y2 - y1) R, inverse) = slope * K R' = slope * 2^16 R
 *   product(L, L) = slope^2 * 2^32 R^2 / R' = slope^2 R
 *   product(2^16 L, (x1 - x3) R) = slope (x1 - x3) R,
 * and the inverse's form carries over: if I = K R'^2 / product(P, D), then product(I, P) = K R'^2 / D and product(I, D)
 * = K R'^2 / P. So the factors cost one shift of L by 16 bits. */
#include <stddef.h>

#include "algebra/ifma_vector.h"
#include "algebra/kernels.h"

enum {
    PREFETCH_AHEAD = 4 * LANES, /* additions */
    CACHE_LINE = 64,
    COORDINATE8_WORDS = FIELDS * FP8_LIMBS * LANES,
    COORDINATE_WORDS = FIELDS * FP_WORDS
};

/* Eight additions, in the order of the lanes. */
typedef struct {
    uint64_t *sums[LANES];
    const uint64_t *addends[LANES];
    uint32_t numbers[LANES]; /* in the caller's list */
    vec_mask negate;
} lane_points;

/* What is kept of them between the two passes: the denominators, and each lane's product of all denominators before. */
typedef struct {
    _Alignas(CACHE_LINE) uint64_t denominators[COORDINATE8_WORDS];
    uint64_t products[COORDINATE8_WORDS];
    lane_points points;
} eight_additions;

static inline void prefetch_point(const void *point) {
    for (size_t offset = 0; offset + CACHE_LINE < sizeof(affine_point); offset += CACHE_LINE)
        __builtin_prefetch((const char *)point + offset);
    __builtin_prefetch((const char *)point + sizeof(affine_point) - 1);
}

/* The coordinate at `offset` words of each point; its lowest word goes to *lowest. */
VEC_INLINE coordinate8 load_coordinate(const uint64_t *const points[LANES], size_t offset, vec *lowest) {
    coordinate8 c;
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        load_two_words(word, points, offset + field * FP_WORDS);
        load_two_words(word + 2, points, offset + field * FP_WORDS + 2);
        load_two_words(word + 4, points, offset + field * FP_WORDS + 4);
        c.field[field] = fp8_from_words(word);
        if (field == 0)
            *lowest = word[0];
    }
    return c;
}

VEC_INLINE void store_coordinate(uint64_t *const points[LANES], size_t offset, const coordinate8 *c) {
    for (size_t field = 0; field < FIELDS; field++) {
        vec word[FP_WORDS];
        fp8_to_words(word, &c->field[field]);
        store_two_words(points, offset + field * FP_WORDS, word);
        store_two_words(points, offset + field * FP_WORDS + 2, word + 2);
        store_two_words(points, offset + field * FP_WORDS + 4, word + 4);
    }
}

VEC_INLINE coordinate8 coordinate8_load(const uint64_t *from) {
    coordinate8 c;
    for (size_t field = 0; field < FIELDS; field++)
        c.field[field] = fp8_load(from + field * FP8_LIMBS * LANES);
    return c;
}

VEC_INLINE void coordinate8_store(uint64_t *to, const coordinate8 *c) {
    for (size_t field = 0; field < FIELDS; field++)
        fp8_store(to + field * FP8_LIMBS * LANES, &c->field[field]);
}

VEC_INLINE coordinate8 coordinate8_difference(const coordinate8 *a, const coordinate8 *b, uint64_t multiples) {
    coordinate8 c;
    for (size_t field = 0; field < FIELDS; field++) {
        c.field[field] = fp8_difference(&a->field[field], &b->field[field], multiples);
        c.field[field] = fp8_normalise(&c.field[field]);
    }
    return c;
}

VEC_INLINE coordinate8 coordinate8_normalise(const coordinate8 *a) {
    coordinate8 c;
    for (size_t field = 0; field < FIELDS; field++)
        c.field[field] = fp8_normalise(&a->field[field]);
    return c;
}

VEC_INLINE coordinate8 coordinate8_product(const coordinate8 *a, const coordinate8 *b) {
    const coordinate8 c = coordinate8_loose_product(a, b);
    return coordinate8_normalise(&c);
}

/* Lane i of the result is lane i ^ distance of a. */
VEC_INLINE coordinate8 coordinate8_exchange(const coordinate8 *a, unsigned distance) {
    uint64_t from[LANES];
    for (unsigned i = 0; i < LANES; i++)
        from[i] = i ^ distance;
    const vec index = vec_load(from);
    coordinate8 c;
    for (size_t field = 0; field < FIELDS; field++)
        for (size_t i = 0; i < FP8_LIMBS; i++)
            c.field[field].limb[i] = vec_lookup(a->field[field].limb[i], index);
    return c;
}

/* 2^48 R: as blst's inverse of P is R^2 / P, its product with that is K R'^2 / P. */
static const fp INVERSE_FACTOR = {
    {0x48aca8e9fde36676, 0x7f3e81ec2e0c7cea, 0x6547e4c7fba1f6b3, 0xd4221fc8e41ccfd2, 0x0a003db64c9a1624, 0x07173ac25996deeb}};

/* K R'^2 / a in all lanes, for an a that is the same in all lanes and not zero. */
static coordinate8 invert_one(const coordinate8 *a) {
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
    coordinate8 inverse;
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
static coordinate8 invert_lanes(const coordinate8 *a) {
    coordinate8 products[4], others[3];
    products[0] = *a;
    for (unsigned level = 0; level < 3; level++) {
        others[level] = coordinate8_exchange(&products[level], 4u >> level);
        products[level + 1] = coordinate8_product(&products[level], &others[level]);
    }
    coordinate8 inverse = invert_one(&products[3]);
    for (unsigned level = 3; level-- > 0;)
        inverse = coordinate8_product(&inverse, &others[level]);
    return inverse;
}

/* The additions of one call on their way through the lanes. */
typedef struct {
    const GROUP(addition) * additions;
    size_t count, next; /* those from next on are not begun */
    const affine_point *addends;
    GROUP(addition) * irregular; /* left to the portable kernel */
    size_t irregulars;
    affine_point unused[2]; /* fills lanes in the end: of different coordinates x, and no infinity */
} batch;

/* Puts the next addition into a lane. */
static inline void fill_lane(batch *b, lane_points *points, unsigned lane) {
    if (b->next == b->count) {
        points->sums[lane] = (uint64_t *)&b->unused[0];
        points->addends[lane] = (const uint64_t *)&b->unused[1];
        return;
    }
    const GROUP(addition) *addition = &b->additions[b->next];
    if (b->count - b->next > PREFETCH_AHEAD) {
        prefetch_point(addition[PREFETCH_AHEAD].sum);
        prefetch_point(&b->addends[addition[PREFETCH_AHEAD].addend]);
    }
    points->sums[lane] = (uint64_t *)addition->sum;
    points->addends[lane] = (const uint64_t *)&b->addends[addition->addend];
    points->numbers[lane] = (uint32_t)b->next++;
    points->negate = (vec_mask)((points->negate & ~(1u << lane)) | addition->negate << lane);
}

/* Fills the lanes with additions whose formula is the ordinary one, and gives their denominators. Where the lowest words of
 * two coordinates x are equal or one of them is zero, the points may be equal or opposite or infinity: such additions go to
 * the portable kernel, which looks closer. */
static inline coordinate8 regular_denominators(batch *b, lane_points *points) {
    coordinate8 x1, x2;
    for (unsigned wanted = 0xff; wanted;) {
        for (unsigned lane = 0; lane < LANES; lane++)
            if (wanted >> lane & 1)
                fill_lane(b, points, lane);
        vec lowest1, lowest2;
        x1 = load_coordinate((const uint64_t *const *)points->sums, 0, &lowest1);
        x2 = load_coordinate(points->addends, 0, &lowest2);
        wanted = vec_equal(lowest1, lowest2) | vec_equal(lowest1, vec_zero()) | vec_equal(lowest2, vec_zero());
        for (unsigned lane = 0; __builtin_expect(wanted, 0) && lane < LANES; lane++)
            if (wanted >> lane & 1)
                b->irregular[b->irregulars++] = b->additions[points->numbers[lane]];
    }
    return coordinate8_difference(&x2, &x1, 1);
}

static inline bool is_unused(const batch *b, const lane_points *points) {
    bool unused = true;
    for (unsigned lane = 0; lane < LANES; lane++)
        unused &= points->sums[lane] == (const uint64_t *)&b->unused[0];
    return unused;
}

/* sums += addends, with the inverses of the denominators. */
static inline void finish_additions(const lane_points *points, const coordinate8 *inverse) {
    vec ignored;
    const uint64_t *const *sums = (const uint64_t *const *)points->sums;
    const coordinate8 y1 = load_coordinate(sums, COORDINATE_WORDS, &ignored);
    const coordinate8 y2 = load_coordinate(points->addends, COORDINATE_WORDS, &ignored);
    coordinate8 slope, x3, y3;
    for (size_t field = 0; field < FIELDS; field++) {
        const fp8 two_p_minus_y1 = fp8_negative(&y1.field[field], 2);
        slope.field[field] = fp8_sum_or_difference(&two_p_minus_y1, &y2.field[field], points->negate);
    }
    slope = coordinate8_normalise(&slope); /* below 3p, and congruent to the difference */
    slope = coordinate8_product(&slope, inverse);
    const coordinate8 x1 = load_coordinate(sums, 0, &ignored), x2 = load_coordinate(points->addends, 0, &ignored);
    x3 = coordinate8_loose_square(&slope); /* below 2.6 p */
    for (size_t field = 0; field < FIELDS; field++) {
        x3.field[field] = fp8_subtract(&x3.field[field], &x1.field[field]);
        x3.field[field] = fp8_subtract(&x3.field[field], &x2.field[field]);
        x3.field[field] = fp8_reduced(&x3.field[field]);
        slope.field[field] = fp8_shift_left_16(&slope.field[field]);
    }
    store_coordinate(points->sums, 0, &x3);
    const coordinate8 distance = coordinate8_difference(&x1, &x3, 1);
    y3 = coordinate8_loose_product(&slope, &distance);
    for (size_t field = 0; field < FIELDS; field++) {
        y3.field[field] = fp8_subtract(&y3.field[field], &y1.field[field]);
        y3.field[field] = fp8_reduced(&y3.field[field]);
    }
    store_coordinate(points->sums, COORDINATE_WORDS, &y3);
}

/* Takes the denominators of all regular additions; returns how many eights there are, and the product of each lane. */
static size_t multiply_denominators(batch *b, eight_additions *eights, coordinate8 *product) {
    size_t count = 0;
    memset(product, 0, sizeof *product);
    product->field[0] = fp8_constant(FP8_ONE);
    while (b->next < b->count) {
        eight_additions *e = &eights[count];
        e->points.negate = 0;
        const coordinate8 denominators = regular_denominators(b, &e->points);
        if (is_unused(b, &e->points))
            break;
        coordinate8_store(e->denominators, &denominators);
        coordinate8_store(e->products, product);
        *product = coordinate8_product(product, &denominators);
        count++;
    }
    return count;
}

static void add_eights(const eight_additions *eights, size_t count, coordinate8 inverse) {
    while (count-- > 0) {
        const eight_additions *e = &eights[count];
        for (unsigned lane = 0; count > 0 && lane < LANES; lane++) { /* they have gone from the L1 cache meanwhile */
            prefetch_point(e[-1].points.sums[lane]);
            prefetch_point(e[-1].points.addends[lane]);
        }
        const coordinate8 denominators = coordinate8_load(e->denominators), products = coordinate8_load(e->products);
        const coordinate8 inverses = coordinate8_product(&inverse, &products);
        inverse = coordinate8_product(&inverse, &denominators);
        finish_additions(&e->points, &inverses);
    }
}

void IFMA(GROUP(batch_add))(const GROUP(addition) * additions, size_t count, const affine_point *addends,
                            GROUP(batch_scratch) * scratch) {
    _Static_assert(sizeof(eight_additions) * (BATCH_ADDITIONS / LANES) + CACHE_LINE <= sizeof scratch->level.vectors, "scratch");
    unsigned char *memory = scratch->level.vectors;
    eight_additions *eights = (eight_additions *)(void *)(memory + (-(uintptr_t)memory & (CACHE_LINE - 1)));
    batch b = {.additions = additions, .count = count, .addends = addends, .irregular = scratch->irregular};
    *(uint64_t *)(void *)&b.unused[0] = 1;
    *(uint64_t *)(void *)&b.unused[1] = 2;
    coordinate8 product;
    size_t used = multiply_denominators(&b, eights, &product);
    if (used > 0)
        add_eights(eights, used, invert_lanes(&product));
    if (b.irregulars > 0)
        GROUP(batch_add_portable)(scratch->irregular, b.irregulars, addends, scratch);
}
