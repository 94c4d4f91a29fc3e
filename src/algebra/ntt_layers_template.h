/* Template: layers of ntt_blocks.c over one kind of arithmetic. The includer defines LAYERS(name), a suffix for the names here,
 * and PRODUCT, SUM, DIFFERENCE and REDUCED on elements of the arithmetic's range. */

/* low, high = low + root * high, low - root * high; without a root it is 1. */
static inline void LAYERS(join)(fr *low, fr *high, size_t count, const fr *root) {
    for (size_t i = 0; i < count; i++) {
        fr a = low[i], b = root ? PRODUCT(high[i], root) : high[i];
        low[i] = SUM(a, b);
        high[i] = DIFFERENCE(a, b);
    }
}

/* low, high = low + high, (low - high) * root. */
static inline void LAYERS(part)(fr *low, fr *high, size_t count, const fr *root) {
    for (size_t i = 0; i < count; i++) {
        fr a = low[i], b = high[i], d = DIFFERENCE(a, b);
        low[i] = SUM(a, b);
        high[i] = root ? PRODUCT(d, root) : d;
    }
}

/* All layers of block `block` of its layer, of `count` elements (of which those that are 2^log_rows-th parts go together),
 * from coefficients to values. */
static void LAYERS(split)(const layers *l, fr *values, unsigned log_rows, unsigned layer, size_t block) {
    size_t half = ((size_t)1 << (log_rows + l->log_width)) / 2;
    bool first = l->from_one && block == 0;
    if (log_rows + l->log_width > LOG_CACHED) {
        LAYERS(join)(values, values + half, half, first ? NULL : &l->roots[layer][block]);
        LAYERS(split)(l, values, log_rows - 1, layer + 1, 2 * block);
        LAYERS(split)(l, values + half, log_rows - 1, layer + 1, 2 * block + 1);
        return;
    }
    for (size_t blocks = 1; blocks < (size_t)1 << log_rows; blocks *= 2, half /= 2, layer++, block *= 2) {
        const fr *roots = l->roots[layer] + block;
        if (first)
            LAYERS(join)(values, values + half, half, NULL);
        for (size_t b = first; b < blocks; b++)
            LAYERS(join)(values + 2 * half * b, values + 2 * half * b + half, half, &roots[b]);
    }
}

/* Back, times 2^log_rows. */
static void LAYERS(merge)(const layers *l, fr *values, unsigned log_rows, unsigned layer, size_t block) {
    bool first = l->from_one && block == 0;
    if (log_rows + l->log_width > LOG_CACHED) {
        size_t half = ((size_t)1 << (log_rows + l->log_width)) / 2;
        LAYERS(merge)(l, values, log_rows - 1, layer + 1, 2 * block);
        LAYERS(merge)(l, values + half, log_rows - 1, layer + 1, 2 * block + 1);
        LAYERS(part)(values, values + half, half, first ? NULL : &l->roots[layer][block]);
        return;
    }
    size_t half = (size_t)1 << l->log_width;
    for (unsigned step = log_rows; step-- > 0; half *= 2) {
        size_t blocks = (size_t)1 << step;
        const fr *roots = l->roots[layer + step] + (block << step);
        if (first)
            LAYERS(part)(values, values + half, half, NULL);
        for (size_t b = first; b < blocks; b++)
            LAYERS(part)(values + 2 * half * b, values + 2 * half * b + half, half, &roots[b]);
    }
}

static void LAYERS(reduce)(fr *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = REDUCED(values[i]);
}

#undef LAYERS
#undef PRODUCT
#undef SUM
#undef DIFFERENCE
#undef REDUCED
