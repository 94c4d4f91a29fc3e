/* Template of ntt_kernel.h over one level's arithmetic. The includer defines
 *
 *   LANES, LOG_LANES              elements of a vector
 *   LOG_TILE_COLUMNS              columns of a tile, at least LANES
 *   LOG_STORED                    roots that are kept; others are made for each block
 *   LOG_CACHED                    so many vectors are done layer by layer: they stay in the L1 cache
 *   LOG_SCALED                    so many layers of a block have its elements scaled rather than roots made, at most LOG_CACHED;
 *                                 0 where a vector of roots is made at once
 *   AT_ONCE                       so many products are done side by side, where the compiler can put them so
 *   MOST_LAYERS                   after so many layers of a split, elements are to be settled
 *   lanes                         a vector of elements: "settled" is a range of the level's own
 *   lanes_load, lanes_store       from and to memory, one element at a multiple of a stride; reduced, or below 2^256 at least
 *   lanes_load_row, _store_row    neighbours, in any order of lanes
 *   lanes_product                 of any elements and roots: settled but for lanes_normalise
 *   lanes_sum, lanes_difference   of any elements and one that is settled; a sum also in place of its first term
 *   lanes_settle, lanes_transpose
 *   roots                         a vector of roots, prepared to be factors
 *   roots_of_values, roots_product
 *   roots_broadcast               one root of an array in all lanes
 *
 * Where a block is done at once, it is a matrix of rows of LANES elements, and layers down its columns have one root for all
 * lanes. The layers across a row come after a transposition, LANES rows at a time: then lanes are rows: their roots differ. */
#include <stdlib.h>

#include "algebra/ntt_kernel.h"
#include "base/memory.h"

enum {
    LOG_TILE_WIDTH = LOG_TILE_COLUMNS - LOG_LANES,
    MAX_LOG_BLOCK_ROWS = NTT_MAX_LOG_BLOCK - LOG_LANES,
    MAX_LOG_LAYERS = MAX_LOG_BLOCK_ROWS > NTT_MAX_LOG_ROWS ? MAX_LOG_BLOCK_ROWS : NTT_MAX_LOG_ROWS,
    LOG_TILE = NTT_MAX_LOG_ROWS + LOG_TILE_WIDTH > MAX_LOG_BLOCK_ROWS ? NTT_MAX_LOG_ROWS + LOG_TILE_WIDTH : MAX_LOG_BLOCK_ROWS,
    PREFETCH_ROWS = 8
};

/* ---- Roots ---------------------------------------------------------------------------------------------------------- */

enum { FORWARD, INVERSE };

typedef struct {
    unsigned log_stored;
    fr base[2];                      /* FR_ROOT_OF_UNITY, of order 2^32, and its inverse */
    roots *stored[2];                /* root(0) .. root(2^log_stored - 1), and their inverses, LANES in each */
    roots *sparse[2][LOG_LANES + 1]; /* sparse[j]: every (LANES << j)-th of them, for j < LOG_LANES */
    roots across[2][LANES];          /* across[2^j + p]: root((lane << j) + p), for j < LOG_LANES and p < 2^j */
} level_tables;

/* root(index) or its inverse: base to the power of the reversed index. */
static void root_at(fr *out, const level_tables *t, size_t index, int direction) {
    fr_power(out, &t->base[direction], reverse_bits(index, FR_TWO_ADICITY - 1));
}

static void roots_of_one(roots *out, const fr *value) {
    fr values[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        values[lane] = *value;
    roots_of_values(out, values);
}

/* Every stride-th of count values. */
static roots *arrange(const fr *values, size_t count, size_t stride) {
    size_t groups = (count / stride + LANES - 1) / LANES;
    roots *arranged = allocate_aligned(groups, sizeof *arranged);
    for (size_t g = 0; g < groups; g++) {
        fr group[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t index = (g * LANES + lane) * stride;
            group[lane] = index < count ? values[index] : FR_ONE;
        }
        roots_of_values(&arranged[g], group);
    }
    return arranged;
}

static void *tables_create(unsigned log_size) {
    level_tables *t = allocate_aligned(1, sizeof *t);
    t->log_stored = log_size < LOG_STORED ? log_size : LOG_STORED;
    t->base[FORWARD] = FR_ROOT_OF_UNITY;
    fr_invert(&t->base[INVERSE], &FR_ROOT_OF_UNITY);
    size_t count = (size_t)1 << t->log_stored;
    fr *values = allocate(count, sizeof *values), first;
    for (int direction = FORWARD; direction <= INVERSE; direction++) {
        values[0] = FR_ONE;
        for (size_t known = 1; known < count; known *= 2) {
            root_at(&first, t, known, direction);
            for (size_t i = 0; i < known; i++)
                fr_mul(&values[known + i], &values[i], &first); /* for no bits meet */
        }
        t->stored[direction] = arrange(values, count, 1);
        for (int j = 0; j < LOG_LANES; j++) {
            t->sparse[direction][j] = arrange(values, count, (size_t)LANES << j);
            for (size_t p = 0; p < (size_t)1 << j; p++) {
                fr of_lanes[LANES];
                for (size_t lane = 0; lane < LANES; lane++)
                    of_lanes[lane] = values[(lane << j) + p];
                roots_of_values(&t->across[direction][((size_t)1 << j) + p], of_lanes);
            }
        }
    }
    free(values);
    return t;
}

static void tables_destroy(void *tables) {
    level_tables *t = tables;
    for (int direction = FORWARD; direction <= INVERSE; direction++) {
        free(t->stored[direction]);
        for (int j = 0; j < LOG_LANES; j++)
            free(t->sparse[direction][j]);
    }
    free(t);
}

/* The roots of a block's layers, and how its elements lie. */
typedef struct {
    const roots *roots[MAX_LOG_LAYERS]; /* that of part b, from 0, in the block's own layer s is roots[s] at from[s] + b */
    size_t from[MAX_LOG_LAYERS];
    unsigned log_width; /* vectors of a row */
    bool from_one;      /* the root of part 0 is 1 in all layers */
    unsigned scaled;    /* at this layer row j of each part is multiplied by scale[j], from j = 1; log_rows: nowhere */
    roots scale[1 << LOG_SCALED];
    const level_tables *tables;
    int direction;
    roots first_across[LOG_LANES + 1]; /* of the first row, in the j-th layer across */
} layers;

/* Memory of one worker. */
typedef struct {
    lanes tile[1 << LOG_TILE];
    roots made[((size_t)1 << MAX_LOG_LAYERS) / LANES + LOG_LANES + 1];
} level_workspace;

/* The powers of a block's root in its last layer of rows. A part of 2^log rows that is scaled by them has the roots of the same
 * part of block 0 in the layers that are left: where one polynomial takes c * y the other, of scaled coefficients, takes y. */
static void make_scale(layers *l, const fr *root, unsigned log) {
    fr powers[1 << LOG_SCALED];
    powers[0] = FR_ONE;
    for (size_t i = 1; i < (size_t)1 << log; i++) {
        fr_mul(&powers[i], &powers[i - 1], root);
        roots_of_one(&l->scale[i], &powers[i]);
    }
}

/* log_rows layers, and if `across` those across a row of LANES. Such a block has its roots for itself: in the last layers of rows
 * one root does few products, or a single one, and to scale elements takes less than to make it. */
static void make_layers(layers *l, const level_tables *t, ntt_way way, size_t block, unsigned log_rows, unsigned log_width,
                        bool across, level_workspace *w) {
    roots *room = w->made, first;
    fr value;
    l->log_width = log_width;
    l->from_one = block == 0;
    l->tables = t;
    l->direction = way == NTT_SPLIT ? FORWARD : INVERSE;
    unsigned s = log_rows + (across ? LOG_LANES : 0);
    l->scaled = log_rows;
    if (LOG_SCALED > 0 && across && block > 0 && log_rows > 0 && (block + 1) << (log_rows - 1) > (size_t)1 << t->log_stored)
        l->scaled = log_rows > LOG_SCALED ? log_rows - LOG_SCALED : 0;
    if (s > 0)
        root_at(&value, t, block << (s - 1), l->direction);
    while (s-- > 0) {
        if (s >= log_rows) {
            roots_of_one(&l->first_across[s - log_rows], &value);
        } else if (LOG_SCALED > 0 && s >= l->scaled) {
            if (s == log_rows - 1)
                make_scale(l, &value, log_rows - l->scaled);
            l->roots[s] = t->stored[l->direction];
            l->from[s] = 0;
        } else if ((block + 1) << s <= (size_t)1 << t->log_stored) {
            l->roots[s] = t->stored[l->direction];
            l->from[s] = block << s;
        } else {
            size_t groups = (((size_t)1 << s) + LANES - 1) / LANES;
            roots_of_one(&first, &value);
            for (size_t g = 0; g < groups; g++)
                roots_product(&room[g], &t->stored[l->direction][g], &first);
            l->roots[s] = room;
            l->from[s] = 0;
            room += groups;
        }
        fr_square(&value, &value); /* root(2 b)^2 = root(b) */
    }
}

/* The roots of LANES rows from `row` on, as those of level_tables.across; w: those of the first of LANES such groups, kept by the
 * caller from one to the next. */
static void make_across(roots out[LANES], roots w[LOG_LANES + 1], const layers *l, size_t row) {
    const level_tables *t = l->tables;
    size_t group = row / LANES;
    for (int j = 0; j < LOG_LANES; j++) {
        roots room;
        if (group % LANES == 0)
            roots_product(&w[j], &t->sparse[l->direction][j][group / LANES], &l->first_across[j]);
        const roots *of_group = roots_broadcast(&room, &w[j], group % LANES);
        for (size_t i = (size_t)1 << j; i < (size_t)2 << j; i++)
            roots_product(&out[i], of_group, &t->across[l->direction][i]);
    }
}

/* ---- Layers --------------------------------------------------------------------------------------------------------- */

/* low, high = low + root * high, low - root * high, for at most AT_ONCE vectors. */
__attribute__((always_inline)) static inline void join_some(lanes *low, lanes *high, size_t count, const roots *root) {
    lanes t[AT_ONCE];
    for (size_t i = 0; i < count; i++)
        lanes_product(&t[i], &high[i], root);
    for (size_t i = 0; i < count; i++) {
        lanes difference;
        lanes_difference(&difference, &low[i], &t[i]);
        lanes_sum(&low[i], &low[i], &t[i]);
        high[i] = difference;
    }
}

/* The same for any number; without a root it is 1. */
static void join(lanes *low, lanes *high, size_t count, const roots *root) {
    size_t i = 0;
    for (; root && i + AT_ONCE <= count; i += AT_ONCE)
        join_some(low + i, high + i, AT_ONCE, root);
    for (; root && i < count; i++)
        join_some(low + i, high + i, 1, root);
    for (; i < count; i++) {
        lanes t = high[i];
        lanes_settle(&t);
        lanes difference;
        lanes_difference(&difference, &low[i], &t);
        lanes_sum(&low[i], &low[i], &t);
        high[i] = difference;
    }
}

/* low, high = low + high, (low - high) * root, for at most AT_ONCE vectors; all settled. Differences of single elements, which do
 * not stay in registers, wait where the products go: one address less to be kept in a register. */
__attribute__((always_inline)) static inline void part_some(lanes *low, lanes *high, size_t count, const roots *root) {
    lanes room[AT_ONCE], *differences = LANES > 1 ? room : high;
    for (size_t i = 0; i < count; i++) {
        lanes difference;
        lanes_difference(&difference, &low[i], &high[i]);
        lanes_sum(&low[i], &low[i], &high[i]);
        differences[i] = difference;
    }
    for (size_t i = 0; i < count; i++) {
        lanes_settle(&low[i]);
        lanes_product(&high[i], &differences[i], root);
        lanes_normalise(&high[i]);
    }
}

static void part(lanes *low, lanes *high, size_t count, const roots *root) {
    size_t i = 0;
    for (; root && i + AT_ONCE <= count; i += AT_ONCE)
        part_some(low + i, high + i, AT_ONCE, root);
    for (; root && i < count; i++)
        part_some(low + i, high + i, 1, root);
    for (; i < count; i++) {
        const lanes a = low[i], b = high[i];
        lanes_sum(&low[i], &a, &b);
        lanes_settle(&low[i]);
        lanes_difference(&high[i], &a, &b);
        lanes_settle(&high[i]);
    }
}

typedef void layer_step(lanes *low, lanes *high, size_t count, const roots *root);

/* One layer of parts begin .. begin + count - 1 of a block. */
static inline void one_layer(layer_step *step, const layers *l, lanes *values, unsigned layer, size_t begin, size_t count,
                             size_t half) {
    roots room;
    for (size_t b = 0; b < count; b++) {
        const roots *root =
            l->from_one && begin + b == 0 ? NULL : roots_broadcast(&room, l->roots[layer], l->from[layer] + begin + b);
        step(values + 2 * half * b, values + 2 * half * b + half, half, root);
    }
}

/* Before layer `scaled` of a split, or after that of a merge: so many rows, of one vector each, in parts of 2^log_part. */
static void scale(const layers *l, lanes *values, size_t rows, unsigned log_part) {
    for (size_t row = 0; row < rows; row++) {
        size_t power = row & (((size_t)1 << log_part) - 1);
        if (power == 0)
            continue;
        lanes_product(&values[row], &values[row], &l->scale[power]);
        lanes_normalise(&values[row]);
    }
}

/* The layers from `layer` on of part `b` of the block in that layer, which has 2^log_rows rows: from coefficients to values. */
static void split(const layers *l, lanes *values, unsigned log_rows, unsigned layer, size_t b) {
    size_t half = ((size_t)1 << (log_rows + l->log_width)) / 2;
    if (log_rows + l->log_width > LOG_CACHED) {
        one_layer(join, l, values, layer, b, 1, half);
        split(l, values, log_rows - 1, layer + 1, 2 * b);
        split(l, values + half, log_rows - 1, layer + 1, 2 * b + 1);
        return;
    }
    for (unsigned step = 0; step < log_rows; step++, half /= 2) {
        if (layer + step == l->scaled)
            scale(l, values, (size_t)1 << log_rows, log_rows - step);
        one_layer(join, l, values, layer + step, b << step, (size_t)1 << step, half);
    }
}

/* Back, times 2^log_rows. */
static void merge(const layers *l, lanes *values, unsigned log_rows, unsigned layer, size_t b) {
    if (log_rows + l->log_width > LOG_CACHED) {
        size_t half = ((size_t)1 << (log_rows + l->log_width)) / 2;
        merge(l, values, log_rows - 1, layer + 1, 2 * b);
        merge(l, values + half, log_rows - 1, layer + 1, 2 * b + 1);
        one_layer(part, l, values, layer, b, 1, half);
        return;
    }
    size_t half = (size_t)1 << l->log_width;
    for (unsigned step = log_rows; step-- > 0; half *= 2) {
        one_layer(part, l, values, layer + step, b << step, (size_t)1 << step, half);
        if (layer + step == l->scaled)
            scale(l, values, (size_t)1 << log_rows, log_rows - step);
    }
}

/* ---- Passes --------------------------------------------------------------------------------------------------------- */

static void column_tiles(const void *tables, ntt_way way, fr *values, unsigned log_size, unsigned log_rows, size_t block,
                         size_t first, size_t last, bool reduce, void *workspace) {
    enum { WIDTH = 1 << LOG_TILE_WIDTH, COLUMNS_OF_TILE = 1 << LOG_TILE_COLUMNS, ELEMENTS_OF_LINE = 2 };
    level_workspace *w = workspace;
    size_t rows = (size_t)1 << log_rows, stride = (size_t)1 << (log_size - log_rows);
    layers l;
    make_layers(&l, tables, way, block, log_rows, LOG_TILE_WIDTH, false, w);
    for (size_t i = first; i < last; i++) {
        fr *at = values + i * COLUMNS_OF_TILE;
        for (size_t row = 0; row < rows; row++) {
            if (row + PREFETCH_ROWS < rows)
                for (size_t line = 0; line < COLUMNS_OF_TILE; line += ELEMENTS_OF_LINE)
                    __builtin_prefetch(at + (row + PREFETCH_ROWS) * stride + line);
            for (size_t v = 0; v < WIDTH; v++)
                lanes_load_row(&w->tile[row * WIDTH + v], at + row * stride + v * LANES);
        }
        (way == NTT_MERGE ? merge : split)(&l, w->tile, log_rows, 0, 0);
        for (size_t row = 0; row < rows; row++)
            for (size_t v = 0; v < WIDTH; v++)
                lanes_store_row(at + row * stride + v * LANES, &w->tile[row * WIDTH + v], reduce);
    }
}

static void split_block(const layers *l, fr *values, unsigned log_rows, bool reduce, lanes *tile) {
    size_t rows = (size_t)1 << log_rows;
    roots across[LANES], of_groups[LOG_LANES + 1];
    for (size_t row = 0; row < rows; row++)
        lanes_load(&tile[row], values + row * LANES, 1);
    split(l, tile, log_rows, 0, 0);
    for (size_t row = 0; row < rows; row += LANES) {
        lanes *v = tile + row;
        make_across(across, of_groups, l, row);
        for (size_t i = 0; i < LANES && log_rows + LOG_LANES > MOST_LAYERS; i++)
            lanes_settle(&v[i]);
        lanes_transpose(v);
        for (size_t parts = 1, half = LANES / 2; half > 0; parts *= 2, half /= 2)
            for (size_t p = 0; p < parts; p++)
                join(v + 2 * half * p, v + 2 * half * p + half, half, &across[parts + p]);
        for (size_t i = 0; i < LANES; i++)
            lanes_store(values + row * LANES + i, LANES, &v[i], reduce);
    }
}

static void merge_block(const layers *l, fr *values, unsigned log_rows, bool reduce, lanes *tile) {
    size_t rows = (size_t)1 << log_rows;
    roots across[LANES], of_groups[LOG_LANES + 1];
    for (size_t row = 0; row < rows; row += LANES) {
        lanes *v = tile + row;
        make_across(across, of_groups, l, row);
        for (size_t i = 0; i < LANES; i++)
            lanes_load(&v[i], values + row * LANES + i, LANES);
        for (size_t parts = LANES / 2, half = 1; parts > 0; parts /= 2, half *= 2)
            for (size_t p = 0; p < parts; p++)
                part(v + 2 * half * p, v + 2 * half * p + half, half, &across[parts + p]);
        lanes_transpose(v);
    }
    merge(l, tile, log_rows, 0, 0);
    for (size_t row = 0; row < rows; row++)
        lanes_store(values + row * LANES, 1, &tile[row], reduce);
}

static void whole_block(const void *tables, ntt_way way, fr *values, unsigned log_size, size_t block, bool reduce,
                        void *workspace) {
    level_workspace *w = workspace;
    unsigned log_rows = log_size - LOG_LANES;
    layers l;
    make_layers(&l, tables, way, block, log_rows, 0, true, w);
    (way == NTT_MERGE ? merge_block : split_block)(&l, values, log_rows, reduce, w->tile);
}

static size_t products(size_t times) {
    enum { SIDE_BY_SIDE = 16 };
    const fr one = FR_ONE;
    fr ones[LANES];
    roots root;
    lanes values[SIDE_BY_SIDE];
    roots_of_one(&root, &one);
    for (size_t i = 0; i < LANES; i++)
        ones[i] = one;
    for (size_t i = 0; i < SIDE_BY_SIDE; i++)
        lanes_load(&values[i], ones, 1);
    for (size_t i = 0; i < times; i++) {
        lanes *a = &values[i % SIDE_BY_SIDE];
        lanes_product(a, a, &root);
        lanes_normalise(a);
    }
    volatile unsigned char used = *(unsigned char *)values; /* so that nothing is left out */
    (void)used;
    return times * LANES;
}

#define NTT_KERNEL                                                                                                               \
    {                                                                                                                            \
        .min_log_size = 2 * LOG_LANES, .log_tile_columns = LOG_TILE_COLUMNS, .workspace_bytes = sizeof(level_workspace),         \
        .tables_create = tables_create, .tables_destroy = tables_destroy, .columns = column_tiles, .block = whole_block,         \
        .products = products                                                                                                     \
    }
