/* Template: the coordinates of level avx2 that begin and end the running products of lanes_batch_add_template.h. Over the names
 * of group_g1.h or group_g2.h, and of the file that includes it. */

static void coordinate_lanes_from(coordinate_lanes *out, const coordinate values[LANES]) {
    const uint64_t *points[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        points[lane] = (const uint64_t *)&values[lane];
    lowest_words ignored;
    coordinate_lanes_gather(out, points, 0, &ignored);
    coordinate_lanes_normalise(out);
}

static void coordinate_lanes_one(coordinate_lanes *out) {
    coordinate values[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        values[lane] = BLST_POINT(generator)()->z;
    coordinate_lanes_from(out, values);
}

/* 1 / a for each lane, none of them zero; a is reduced on the way. */
static void coordinate_lanes_inverse(coordinate_lanes *out, coordinate_lanes *a) {
    coordinate values[LANES], before[LANES];
    uint64_t *points[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        points[lane] = (uint64_t *)&values[lane];
    coordinate_lanes_store_reduced(points, 0, a);
    coordinate product = values[0];
    for (size_t lane = 1; lane < LANES; lane++) {
        before[lane] = product;
        FIELD(mul)(&product, &product, &values[lane]);
    }
    FIELD(eucl_inverse)(&product, &product);
    for (size_t lane = LANES; lane-- > 1;) {
        const coordinate value = values[lane];
        FIELD(mul)(&values[lane], &product, &before[lane]);
        FIELD(mul)(&product, &product, &value);
    }
    values[0] = product;
    coordinate_lanes_from(out, values);
}
