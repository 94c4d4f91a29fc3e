#include "algebra/ntt_blocks.h"

#include <stdlib.h>

#include "algebra/cpu.h"
#include "algebra/fr_butterfly.h"
#include "algebra/ntt_kernel.h"
#include "base/memory.h"

enum {
    MAX_LOG_ROW = 12,     /* a block of this size, 128 KiB, is done at once: it stays in a L2 cache */
    MAX_LOG_COLUMN = 10,  /* layers of a pass down the columns of a matrix, eight by eight: 256 KiB */
    LOG_WIDTH = 3,        /* NTT_TILE_WIDTH */
    LOG_CACHED = 9,       /* blocks of this size, 16 KiB, are done layer by layer: they stay in the L1 cache */
    MAX_LOG_STORED = 17,  /* roots that are kept, 4 MiB; others are made for each block */
    PREFETCH_ROWS = 8
};

/* ---- Roots ---------------------------------------------------------------------------------------------------------- */

enum { FORWARD, INVERSE };

struct ntt_roots {
    unsigned log_size, log_stored;
    fr *stored[2]; /* root(0) .. root(2^log_stored - 1), and their inverses */
};

/* root(index) or its inverse: FR_ROOT_OF_UNITY, of order 2^32, to the power of the reversed index. */
static void root_at(fr *out, size_t index, int direction) {
    fr_power(out, &FR_ROOT_OF_UNITY, reverse_bits(index, FR_TWO_ADICITY - 1));
    if (direction == INVERSE)
        fr_invert(out, out);
}

/* root(first + j) for j < count: root(first) * root(j), for no bits meet. */
static void multiply_roots(fr *out, const fr *first, const fr *stored, size_t count) {
    for (size_t j = 0; j < count; j++)
        fr_mul(&out[j], &stored[j], first);
}

ntt_roots *ntt_roots_create(unsigned log_size) {
    ntt_roots *roots = allocate(1, sizeof *roots);
    *roots = (ntt_roots){.log_size = log_size, .log_stored = log_size < MAX_LOG_STORED ? log_size : MAX_LOG_STORED};
    for (int direction = FORWARD; direction <= INVERSE; direction++) {
        fr *stored = roots->stored[direction] = allocate((size_t)1 << roots->log_stored, sizeof(fr));
        stored[0] = FR_ONE;
        for (size_t count = 1; count < (size_t)1 << roots->log_stored; count *= 2) {
            fr first;
            root_at(&first, count, direction);
            multiply_roots(stored + count, &first, stored, count);
        }
    }
    return roots;
}

void ntt_roots_destroy(ntt_roots *roots) {
    if (!roots)
        return;
    free(roots->stored[FORWARD]);
    free(roots->stored[INVERSE]);
    free(roots);
}

/* The roots of a block's layers, and how its elements lie: rows of 2^log_width elements with the same roots. */
typedef struct {
    const fr *roots[NTT_MAX_LOG_SIZE]; /* roots[s][b]: of part b, from 0, in the block's own layer s */
    unsigned log_width;
    bool from_one; /* the root of part 0 is 1 in all layers */
} layers;

/* room: for 2^log_rows elements. */
static void make_layers(layers *l, const ntt_roots *roots, int direction, size_t block, unsigned log_rows, unsigned log_width,
                        fr *room) {
    const fr *stored = roots->stored[direction];
    fr first;
    bool known = false;
    *l = (layers){.log_width = log_width, .from_one = block == 0};
    for (unsigned s = log_rows; s-- > 0;) {
        size_t count = (size_t)1 << s;
        if ((block + 1) << s <= (size_t)1 << roots->log_stored) {
            l->roots[s] = stored + (block << s);
            continue;
        }
        if (known)
            fr_square(&first, &first); /* root(2 b)^2 = root(b) */
        else
            root_at(&first, block << s, direction);
        known = true;
        multiply_roots(room, &first, stored, count);
        l->roots[s] = room;
        room += count;
    }
}

/* ---- Layers --------------------------------------------------------------------------------------------------------- */

/* log_rows layers of a block, to values and back; and into the range of reduced elements. */
typedef struct {
    void (*split)(const layers *l, fr *values, unsigned log_rows, unsigned layer, size_t block);
    void (*merge)(const layers *l, fr *values, unsigned log_rows, unsigned layer, size_t block);
    void (*reduce)(fr *values, size_t count);
} arithmetic;

static inline fr reduced_product(fr a, const fr *b) {
    fr_mul(&a, &a, b);
    return a;
}
static inline fr reduced_sum(fr a, fr b) {
    fr_add(&a, &a, &b);
    return a;
}
static inline fr reduced_difference(fr a, fr b) {
    fr_sub(&a, &a, &b);
    return a;
}

#define LAYERS(name) name##_reduced
#define PRODUCT reduced_product
#define SUM reduced_sum
#define DIFFERENCE reduced_difference
#define REDUCED(a) (a)
#include "algebra/ntt_layers_template.h"
static const arithmetic ON_REDUCED = {split_reduced, merge_reduced, reduce_reduced};

#ifdef FR_LOOSE
#define LAYERS(name) name##_loose
#define PRODUCT loose_product
#define SUM loose_sum
#define DIFFERENCE loose_difference
#define REDUCED loose_reduced
#include "algebra/ntt_layers_template.h"
static const arithmetic ON_LOOSE = {split_loose, merge_loose, reduce_loose};

static const arithmetic *arithmetic_of_cpu(void) { return cpu_has_mulx_and_adx() ? &ON_LOOSE : &ON_REDUCED; }
#else
static const arithmetic *arithmetic_of_cpu(void) { return &ON_REDUCED; }
#endif

/* ---- Passes --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const ntt_roots *roots;
    const arithmetic *arithmetic;
    int direction;
    size_t block; /* 0 or 1 */
    unsigned log_column; /* of the pass down the columns of the whole matrix */
    fr *values;
} transform;

/* Memory of one worker: a tile, and roots. */
typedef struct {
    fr tile[NTT_TILE_WIDTH << MAX_LOG_COLUMN], roots[1 << MAX_LOG_ROW];
} workspace;

static workspace *make_workspace(void) {
    void *memory = NULL;
    if (posix_memalign(&memory, 64, sizeof(workspace)) != 0)
        memory = allocate(1, sizeof(workspace)); /* ends the process with a message */
    return memory;
}

/* How many layers the first pass on a block takes; what is left has at most MAX_LOG_ROW or is halved again. */
static unsigned column_layers(unsigned log_size) {
    return log_size / 2 < MAX_LOG_COLUMN ? log_size / 2 : MAX_LOG_COLUMN;
}

static void load_tile(fr *tile, const fr *from, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++) {
        if (i + PREFETCH_ROWS < rows)
            for (size_t line = 0; line < NTT_TILE_WIDTH; line += 2)
                __builtin_prefetch(from + (i + PREFETCH_ROWS) * stride + line);
        memcpy(tile + i * NTT_TILE_WIDTH, from + i * stride, NTT_TILE_WIDTH * sizeof *tile);
    }
}

static void store_tile(fr *to, const fr *tile, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * stride, tile + i * NTT_TILE_WIDTH, NTT_TILE_WIDTH * sizeof *tile);
}

/* A pass down the columns first .. last-1 of eight of a block of 2^log_size values: the first log_column layers. */
static void pass_down(const transform *t, fr *values, unsigned log_size, unsigned log_column, size_t block, size_t first,
                      size_t last, bool reduce, workspace *w) {
    size_t rows = (size_t)1 << log_column, stride = (size_t)1 << (log_size - log_column);
    layers l;
    make_layers(&l, t->roots, t->direction, block, log_column, LOG_WIDTH, w->roots);
    for (size_t i = first; i < last; i++) {
        fr *columns = values + i * NTT_TILE_WIDTH;
        load_tile(w->tile, columns, rows, stride);
        if (t->direction == FORWARD)
            t->arithmetic->split(&l, w->tile, log_column, 0, 0);
        else
            t->arithmetic->merge(&l, w->tile, log_column, 0, 0);
        if (reduce)
            t->arithmetic->reduce(w->tile, rows * NTT_TILE_WIDTH);
        store_tile(columns, w->tile, rows, stride);
    }
}

/* The whole of a block. Back to coefficients its elements are reduced only if it is the last thing that is done to them. */
static void transform_block(const transform *t, fr *values, unsigned log_size, size_t block, bool last, workspace *w) {
    bool forward = t->direction == FORWARD;
    if (log_size <= MAX_LOG_ROW) {
        layers l;
        make_layers(&l, t->roots, t->direction, block, log_size, 0, w->roots);
        if (forward)
            t->arithmetic->split(&l, values, log_size, 0, 0);
        else
            t->arithmetic->merge(&l, values, log_size, 0, 0);
        if (forward || last)
            t->arithmetic->reduce(values, (size_t)1 << log_size);
        return;
    }
    unsigned log_column = column_layers(log_size);
    size_t parts = (size_t)1 << log_column, part_size = (size_t)1 << (log_size - log_column), tiles = part_size / NTT_TILE_WIDTH;
    if (forward)
        pass_down(t, values, log_size, log_column, block, 0, tiles, false, w);
    for (size_t i = 0; i < parts; i++)
        transform_block(t, values + i * part_size, log_size - log_column, (block << log_column) + i, false, w);
    if (!forward)
        pass_down(t, values, log_size, log_column, block, 0, tiles, last, w);
}

static void columns_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const transform *t = context;
    workspace *w = make_workspace();
    pass_down(t, t->values, t->roots->log_size, t->log_column, t->block, begin, end, t->direction == INVERSE, w);
    free(w);
}

static void blocks_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const transform *t = context;
    unsigned log_part = t->roots->log_size - t->log_column;
    workspace *w = make_workspace();
    for (size_t i = begin; i < end; i++)
        transform_block(t, t->values + (i << log_part), log_part, (t->block << t->log_column) + i, false, w);
    free(w);
}

static void run(const ntt_roots *roots, fr *values, int direction, bool coset, thread_pool *pool) {
    unsigned log_size = roots->log_size;
    transform t = {.roots = roots, .arithmetic = arithmetic_of_cpu(), .direction = direction, .block = coset, .values = values};
    if (log_size <= MAX_LOG_ROW) {
        workspace *w = make_workspace();
        transform_block(&t, values, log_size, t.block, true, w);
        free(w);
        return;
    }
    t.log_column = column_layers(log_size);
    size_t parts = (size_t)1 << t.log_column, tiles = (size_t)1 << (log_size - t.log_column - LOG_WIDTH);
    if (direction == FORWARD)
        parallel_for(pool, tiles, even_grain(pool, tiles), columns_range, &t);
    parallel_for(pool, parts, even_grain(pool, parts), blocks_range, &t);
    if (direction == INVERSE)
        parallel_for(pool, tiles, even_grain(pool, tiles), columns_range, &t);
}

void ntt_split(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool) { run(roots, values, FORWARD, coset, pool); }
void ntt_merge(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool) { run(roots, values, INVERSE, coset, pool); }

void ntt_one_column(fr *values, unsigned log_rows, const fr *roots) {
    const arithmetic *a = arithmetic_of_cpu();
    layers l = {.from_one = true};
    for (unsigned s = 0; s < log_rows; s++)
        l.roots[s] = roots;
    a->split(&l, values, log_rows, 0, 0);
    a->reduce(values, (size_t)1 << log_rows);
}
