/* Template of the batch additions of the levels with vectors: formulas and Montgomery's trick are those of
 * batch_add_template.h, on LANES additions at a time with one running product for each lane. Over the names of group_g1.h or
 * group_g2.h, and of a level's file of coordinates:
 *
 *   GROUPS_AT_ONCE                so often is a step done before the next one comes
 *   coordinate_lanes              LANES coordinates
 *   lowest_words, equal_or_zero   the lowest words of coordinates in memory, and a comparison
 *   coordinate_lanes_gather       from points; good for differences
 *   coordinate_lanes_difference, slope_numerator           first factors of a product
 *   coordinate_lanes_one, _inverse, _product               both factors of a product, and what _square takes
 *   coordinate_lanes_square, _slope_product, _subtract     loose: for _subtract and _store_reduced
 *   coordinate_lanes_store_reduced                         to points; what it leaves is as if gathered again
 *   LEVEL(name)                                            the name with the level's */

enum { PREFETCH_AHEAD = 4 * LANES, /* additions */ CACHE_LINE = 64 };

/* Additions side by side, in the order of the lanes. */
typedef struct {
    uint64_t *sums[LANES];
    const uint64_t *addends[LANES];
    uint32_t numbers[LANES]; /* in the caller's list */
    vec_mask negate;
} lane_points;

/* What is kept of them between the two passes: the denominators, and each lane's product of all denominators before. In the
 * second pass each makes room for what comes of it. */
typedef struct {
    union {
        _Alignas(CACHE_LINE) coordinate_lanes denominator;
        coordinate_lanes slope;
    };
    coordinate_lanes product;
    lane_points points;
} addition_group;

static inline void prefetch_point(const void *point) {
    for (size_t offset = 0; offset + CACHE_LINE < sizeof(affine_point); offset += CACHE_LINE)
        __builtin_prefetch((const char *)point + offset);
    __builtin_prefetch((const char *)point + sizeof(affine_point) - 1);
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
static inline void regular_denominators(coordinate_lanes *denominator, batch *b, lane_points *points) {
    coordinate_lanes x1, x2;
    for (unsigned wanted = (1u << LANES) - 1; wanted;) {
        for (unsigned lane = 0; lane < LANES; lane++)
            if (wanted >> lane & 1)
                fill_lane(b, points, lane);
        lowest_words lowest1, lowest2;
        coordinate_lanes_gather(&x1, (const uint64_t *const *)points->sums, 0, &lowest1);
        coordinate_lanes_gather(&x2, points->addends, 0, &lowest2);
        wanted = equal_or_zero(&lowest1, &lowest2);
        for (unsigned lane = 0; __builtin_expect(wanted, 0) && lane < LANES; lane++)
            if (wanted >> lane & 1)
                b->irregular[b->irregulars++] = b->additions[points->numbers[lane]];
    }
    coordinate_lanes_difference(denominator, &x2, &x1);
}

static inline bool is_unused(const batch *b, const lane_points *points) {
    bool unused = true;
    for (unsigned lane = 0; lane < LANES; lane++)
        unused &= points->sums[lane] == (const uint64_t *)&b->unused[0];
    return unused;
}

/* Begins the next group of regular additions; false if there are none left. */
static inline bool begin_group(batch *b, addition_group *group) {
    if (b->next == b->count)
        return false;
    group->points.negate = 0;
    regular_denominators(&group->denominator, b, &group->points);
    return !is_unused(b, &group->points);
}

/* Takes the denominators of all regular additions; returns how many groups there are, and the product of each lane. */
static size_t multiply_denominators(batch *b, addition_group *groups, coordinate_lanes *product) {
    size_t begin, count = 0;
    coordinate_lanes_one(product);
    do {
        begin = count;
        while (count < begin + GROUPS_AT_ONCE && begin_group(b, &groups[count]))
            count++;
        for (size_t i = begin; i < count; i++) {
            coordinate_lanes_copy(&groups[i].product, product);
            coordinate_lanes_product(product, &groups[i].denominator, product);
        }
    } while (count == begin + GROUPS_AT_ONCE);
    return count;
}

/* sums += addends for a few groups; products are the inverses of the denominators. */
static void finish_additions(addition_group *groups, size_t count) {
    lowest_words ignored;
    coordinate_lanes y1[GROUPS_AT_ONCE], x1, x2, x3, y2;
    for (size_t i = 0; i < count; i++) {
        const lane_points *points = &groups[i].points;
        coordinate_lanes_gather(&y1[i], (const uint64_t *const *)points->sums, COORDINATE_WORDS, &ignored);
        coordinate_lanes_gather(&y2, points->addends, COORDINATE_WORDS, &ignored);
        slope_numerator(&groups[i].slope, &y1[i], &y2, points->negate);
    }
    for (size_t i = 0; i < count; i++)
        coordinate_lanes_product(&groups[i].slope, &groups[i].slope, &groups[i].product);
    for (size_t i = 0; i < count; i++)
        coordinate_lanes_square(&groups[i].product, &groups[i].slope);
    for (size_t i = 0; i < count; i++) {
        const lane_points *points = &groups[i].points;
        coordinate_lanes_gather(&x1, (const uint64_t *const *)points->sums, 0, &ignored);
        coordinate_lanes_gather(&x2, points->addends, 0, &ignored);
        coordinate_lanes_subtract(&x3, &groups[i].product, &x1);
        coordinate_lanes_subtract(&x3, &x3, &x2);
        coordinate_lanes_store_reduced(points->sums, 0, &x3);
        coordinate_lanes_difference(&groups[i].product, &x1, &x3);
    }
    for (size_t i = 0; i < count; i++)
        coordinate_lanes_slope_product(&groups[i].product, &groups[i].slope, &groups[i].product);
    for (size_t i = 0; i < count; i++) {
        coordinate_lanes_subtract(&groups[i].product, &groups[i].product, &y1[i]);
        coordinate_lanes_store_reduced(groups[i].points.sums, COORDINATE_WORDS, &groups[i].product);
    }
}

/* inverse: of the product of all denominators of a lane. */
static void add_groups(addition_group *groups, size_t count, coordinate_lanes *inverse) {
    while (count > 0) {
        size_t begin = count > GROUPS_AT_ONCE ? count - GROUPS_AT_ONCE : 0;
        for (size_t i = begin > GROUPS_AT_ONCE ? begin - GROUPS_AT_ONCE : 0; i < begin; i++)
            for (unsigned lane = 0; lane < LANES; lane++) { /* they have gone from the L1 cache meanwhile */
                prefetch_point(groups[i].points.sums[lane]);
                prefetch_point(groups[i].points.addends[lane]);
            }
        for (size_t i = count; i-- > begin;) {
            coordinate_lanes_product(&groups[i].product, inverse, &groups[i].product);
            coordinate_lanes_product(inverse, &groups[i].denominator, inverse);
        }
        finish_additions(groups + begin, count - begin);
        count = begin;
    }
}

void LEVEL(GROUP(batch_add))(const GROUP(addition) * additions, size_t count, const affine_point *addends,
                             GROUP(batch_scratch) * scratch) {
    _Static_assert(sizeof(addition_group) * ((BATCH_ADDITIONS + LANES - 1) / LANES) + CACHE_LINE <= sizeof scratch->level.vectors,
                   "scratch");
    unsigned char *memory = scratch->level.vectors;
    addition_group *groups = (addition_group *)(void *)(memory + (-(uintptr_t)memory & (CACHE_LINE - 1)));
    batch b = {.additions = additions, .count = count, .addends = addends, .irregular = scratch->irregular};
    *(uint64_t *)(void *)&b.unused[0] = 1;
    *(uint64_t *)(void *)&b.unused[1] = 2;
    coordinate_lanes product;
    size_t used = multiply_denominators(&b, groups, &product);
    if (used > 0) {
        coordinate_lanes_inverse(&product, &product);
        add_groups(groups, used, &product);
    }
    if (b.irregulars > 0)
        GROUP(batch_add_portable)(scratch->irregular, b.irregulars, addends, scratch);
}

size_t LEVEL(GROUP(lane_products))(size_t times, bool squares) {
    coordinate_lanes factors[GROUPS_AT_ONCE + 1];
    for (size_t i = 0; i <= GROUPS_AT_ONCE; i++)
        coordinate_lanes_one(&factors[i]);
    for (size_t i = 0; i < times; i++) {
        coordinate_lanes *a = &factors[i % GROUPS_AT_ONCE];
        if (squares)
            coordinate_lanes_square(a, &factors[GROUPS_AT_ONCE]);
        else
            coordinate_lanes_product(a, &factors[GROUPS_AT_ONCE], a);
    }
    volatile unsigned char used = *(unsigned char *)factors; /* so that nothing is left out */
    (void)used;
    return times * LANES;
}
