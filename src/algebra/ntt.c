#include "algebra/ntt.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/ntt_kernel.h"
#include "base/memory.h"

/* A transform of size N = A * B * A is three passes over a matrix and one permutation (Bailey, "FFTs in external or
 * hierarchical memory", 1990). With input index i = (i1 * B + i2) * A + i3 and output index k = k1 + A * (k2 + B * k3):
 *
 *   columns: transform over i1 for each column j = i2 * A + i3, times root^(k1 * j)
 *   middle:  transform over i2 for each k1, i3, times (root^A)^(k2 * i3); nothing to do if B = 1
 *   rows:    transform over i3 for each k1, k2
 *
 * Every pass leaves its index bit-reversed, so that in the end the bit reversal of the whole index restores natural
 * order. Powers of the coset's shift and 1/N are folded into the factors between the passes as far as they go. */
enum {
    MAX_LOG_OUTER = 10,   /* A: a tile of 2^10 rows of 256 bytes stays in a L2 cache */
    MAX_LOG_SMALL = 10,   /* at most this: one pass on one thread */
    REVERSAL_TILE_LOG = 3 /* bit reversal moves squares of 2^3 * 2^3 elements, runs of 256 bytes */
};

/* What distinguishes the four transforms. */
typedef struct {
    fr root;          /* of order N, or its inverse */
    fr *roots;        /* for ntt_columns of up to max(A, B) rows */
    fr column_start;  /* factors of the first pass: column_start * shift_in^j * (root^j * shift_out)^k1 */
    fr shift_in;      /* the coset's shift g for the coset's forward transform, else 1 */
    fr shift_out;     /* 1/g for the coset's inverse transform, else 1 */
    fr *row_ratios;   /* [A]: root^k1 * shift_in, from one column to the next */
    fr *input_scale;  /* [A]: g^(B * A * i1), or NULL */
    fr *middle_scale; /* [B][A]: (root^A)^(k2 * i3) * shift_out^(A * k2), rows in bit-reversed order; NULL if B = 1 */
    fr *output_scale; /* [A]: shift_out^(A * B * k3) in bit-reversed order, or NULL */
} transform;

enum { FORWARD, INVERSE, COSET_FORWARD, COSET_INVERSE, TRANSFORMS };

struct ntt_domain {
    unsigned log_size, log_outer, log_middle; /* N, A, B; A = N and B = 1 up to MAX_LOG_SMALL */
    transform transforms[TRANSFORMS];
};

static size_t reverse_bits(size_t value, unsigned bits) {
    size_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (value >> i & 1) << (bits - 1 - i);
    return reversed;
}

static bool is_small(const ntt_domain *domain) { return domain->log_size <= MAX_LOG_SMALL; }

/* ratio^0 .. ratio^(count-1). */
static fr *powers(const fr *ratio, size_t count) {
    fr *table = allocate(count, sizeof *table);
    table[0] = FR_ONE;
    for (size_t i = 1; i < count; i++)
        fr_mul(&table[i], &table[i - 1], ratio);
    return table;
}

static fr *powers_bit_reversed(const fr *ratio, unsigned log_count) {
    size_t count = (size_t)1 << log_count;
    fr *table = allocate(count, sizeof *table);
    fr power = FR_ONE;
    for (size_t i = 0; i < count; i++) {
        table[reverse_bits(i, log_count)] = power;
        fr_mul(&power, &power, ratio);
    }
    return table;
}

static fr *middle_scale(const transform *t, unsigned log_outer, unsigned log_middle) {
    size_t outer = (size_t)1 << log_outer, middle = (size_t)1 << log_middle;
    fr *table = allocate(outer * middle, sizeof *table);
    fr root, shift, ratio = FR_ONE, first = FR_ONE;
    fr_power(&root, &t->root, outer);
    fr_power(&shift, &t->shift_out, outer);
    for (size_t k2 = 0; k2 < middle; k2++) {
        fr *row = table + outer * reverse_bits(k2, log_middle);
        row[0] = first;
        for (size_t i = 1; i < outer; i++)
            fr_mul(&row[i], &row[i - 1], &ratio);
        fr_mul(&first, &first, &shift);
        fr_mul(&ratio, &ratio, &root);
    }
    return table;
}

static void transform_init(transform *t, const ntt_domain *domain, int kind) {
    unsigned log_rows = domain->log_outer > domain->log_middle ? domain->log_outer : domain->log_middle;
    size_t outer = (size_t)1 << domain->log_outer;
    bool inverse = kind == INVERSE || kind == COSET_INVERSE;
    *t = (transform){.column_start = FR_ONE, .shift_in = FR_ONE, .shift_out = FR_ONE};
    fr_root_of_unity(&t->root, domain->log_size);
    if (inverse) {
        fr_invert(&t->root, &t->root);
        fr_from_u64(&t->column_start, UINT64_C(1) << domain->log_size);
        fr_invert(&t->column_start, &t->column_start);
    }
    if (kind == COSET_FORWARD)
        t->shift_in = FR_GENERATOR;
    if (kind == COSET_INVERSE)
        fr_invert(&t->shift_out, &FR_GENERATOR);
    fr root_of_rows;
    fr_root_of_unity(&root_of_rows, log_rows);
    if (inverse)
        fr_invert(&root_of_rows, &root_of_rows);
    t->roots = powers_bit_reversed(&root_of_rows, log_rows ? log_rows - 1 : 0);
    if (is_small(domain))
        return;
    fr ratio;
    t->row_ratios = powers(&t->root, outer);
    if (kind == COSET_FORWARD) {
        for (size_t i = 0; i < outer; i++)
            fr_mul(&t->row_ratios[i], &t->row_ratios[i], &t->shift_in);
        fr_power(&ratio, &t->shift_in, UINT64_C(1) << (domain->log_size - domain->log_outer));
        t->input_scale = powers(&ratio, outer);
    }
    if (kind == COSET_INVERSE) {
        fr_power(&ratio, &t->shift_out, UINT64_C(1) << (domain->log_size - domain->log_outer));
        t->output_scale = powers_bit_reversed(&ratio, domain->log_outer);
    }
    if (domain->log_middle > 0)
        t->middle_scale = middle_scale(t, domain->log_outer, domain->log_middle);
}

cuzk_status ntt_domain_create(ntt_domain **domain, unsigned log_size, thread_pool *pool, cuzk_error *error) {
    (void)pool;
    if (log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "domain of 2^%u elements: at most 2^%d are supported", log_size, NTT_MAX_LOG_SIZE);
    ntt_domain *created = allocate_zeroed(1, sizeof *created);
    created->log_size = created->log_outer = log_size;
    if (log_size > MAX_LOG_SMALL) {
        created->log_outer = log_size / 2 < MAX_LOG_OUTER ? log_size / 2 : MAX_LOG_OUTER;
        created->log_middle = log_size - 2 * created->log_outer;
    }
    for (int kind = 0; kind < TRANSFORMS; kind++)
        transform_init(&created->transforms[kind], created, kind);
    *domain = created;
    return CUZK_OK;
}

void ntt_domain_destroy(ntt_domain *domain) {
    if (!domain)
        return;
    for (int kind = 0; kind < TRANSFORMS; kind++) {
        transform *t = &domain->transforms[kind];
        free(t->roots);
        free(t->row_ratios);
        free(t->input_scale);
        free(t->middle_scale);
        free(t->output_scale);
    }
    free(domain);
}

unsigned ntt_domain_log_size(const ntt_domain *domain) { return domain->log_size; }

unsigned ntt_log_size_for(uint64_t count) {
    unsigned log_size = 0;
    while (log_size < 63 && UINT64_C(1) << log_size < count)
        log_size++;
    return log_size;
}

typedef struct {
    const ntt_domain *domain;
    const transform *transform;
    fr *values;
} pass;

static fr *allocate_tile(size_t rows) {
    void *tile = NULL;
    if (posix_memalign(&tile, 64, rows * NTT_TILE_WIDTH * sizeof(fr)) != 0)
        return allocate(rows * NTT_TILE_WIDTH, sizeof(fr));
    return tile;
}

static void load_tile(fr *tile, const fr *from, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        memcpy(tile + i * NTT_TILE_WIDTH, from + i * stride, NTT_TILE_WIDTH * sizeof *tile);
}

static void store_tile(fr *to, const fr *tile, size_t rows, size_t stride) {
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * stride, tile + i * NTT_TILE_WIDTH, NTT_TILE_WIDTH * sizeof *tile);
}

/* The factors between first and second pass, for the columns from `column` on. */
static void scale_columns(const pass *p, fr *tile, size_t column) {
    const transform *t = p->transform;
    unsigned log_outer = p->domain->log_outer;
    fr first, ratio;
    fr_power(&first, &t->shift_in, column);
    fr_mul(&first, &first, &t->column_start);
    fr_power(&ratio, &t->root, column);
    fr_mul(&ratio, &ratio, &t->shift_out);
    for (size_t k1 = 0; k1 < (size_t)1 << log_outer; k1++) {
        fr *row = tile + reverse_bits(k1, log_outer) * NTT_TILE_WIDTH;
        ntt_scale_by_powers(row, &first, &t->row_ratios[k1], NTT_TILE_WIDTH);
        fr_mul(&first, &first, &ratio);
    }
}

static void column_pass(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const pass *p = context;
    const transform *t = p->transform;
    unsigned log_outer = p->domain->log_outer;
    size_t rows = (size_t)1 << log_outer, stride = (size_t)1 << (p->domain->log_size - log_outer);
    fr *tile = allocate_tile(rows);
    for (size_t i = begin; i < end; i++) {
        size_t column = i * NTT_TILE_WIDTH;
        load_tile(tile, p->values + column, rows, stride);
        if (t->input_scale)
            for (size_t row = 1; row < rows; row++)
                for (size_t j = 0; j < NTT_TILE_WIDTH; j++)
                    fr_mul(&tile[row * NTT_TILE_WIDTH + j], &tile[row * NTT_TILE_WIDTH + j], &t->input_scale[row]);
        ntt_columns(tile, log_outer, NTT_TILE_WIDTH, t->roots);
        scale_columns(p, tile, column);
        store_tile(p->values + column, tile, rows, stride);
    }
    free(tile);
}

/* Second pass on the B * A elements that share k1. */
static void transform_middle(const pass *p, fr *values, fr *tile) {
    size_t middle = (size_t)1 << p->domain->log_middle, outer = (size_t)1 << p->domain->log_outer;
    for (size_t column = 0; column < outer; column += NTT_TILE_WIDTH) {
        load_tile(tile, values + column, middle, outer);
        ntt_columns(tile, p->domain->log_middle, NTT_TILE_WIDTH, p->transform->roots);
        store_tile(values + column, tile, middle, outer);
    }
    ntt_scale(values, p->transform->middle_scale, middle * outer);
}

static void row_passes(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const pass *p = context;
    size_t middle = (size_t)1 << p->domain->log_middle, outer = (size_t)1 << p->domain->log_outer;
    fr *tile = allocate_tile(middle);
    for (size_t k1 = begin; k1 < end; k1++) {
        fr *values = p->values + k1 * middle * outer;
        if (middle > 1)
            transform_middle(p, values, tile);
        for (size_t k2 = 0; k2 < middle; k2++) {
            ntt_columns(values + k2 * outer, p->domain->log_outer, 1, p->transform->roots);
            if (p->transform->output_scale)
                ntt_scale(values + k2 * outer, p->transform->output_scale, outer);
        }
    }
    free(tile);
}

static void swap_elements(fr *a, fr *b) {
    fr t = *a;
    *a = *b;
    *b = t;
}

enum { SIDE = 1 << REVERSAL_TILE_LOG };
typedef struct {
    fr elements[SIDE][SIDE];
} square;

static void load_square(square *out, const fr *from, size_t stride) {
    for (size_t i = 0; i < SIDE; i++)
        memcpy(out->elements[i], from + i * stride, sizeof out->elements[i]);
}

static void store_square_reversed(fr *to, const square *in, size_t stride) {
    static const uint8_t reversed[SIDE] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++)
            to[i * stride + j] = in->elements[reversed[j]][reversed[i]];
}

/* Index = high bits | middle bits | low bits, REVERSAL_TILE_LOG high and low ones: the square of all high and low bits
 * under one middle part changes places, transposed and reversed, with that under the reversed middle part. */
static void reverse_squares(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const pass *p = context;
    unsigned log_size = p->domain->log_size;
    size_t stride = (size_t)1 << (log_size - REVERSAL_TILE_LOG);
    square a, b;
    for (size_t m = begin; m < end; m++) {
        size_t partner = reverse_bits(m, log_size - 2 * REVERSAL_TILE_LOG);
        if (m > partner)
            continue;
        load_square(&a, p->values + m * SIDE, stride);
        load_square(&b, p->values + partner * SIDE, stride);
        store_square_reversed(p->values + partner * SIDE, &a, stride);
        store_square_reversed(p->values + m * SIDE, &b, stride);
    }
}

static void reverse_order(const pass *p, thread_pool *pool) {
    unsigned log_size = p->domain->log_size;
    if (log_size < 2 * REVERSAL_TILE_LOG) {
        for (size_t i = 0; i < (size_t)1 << log_size; i++) {
            size_t partner = reverse_bits(i, log_size);
            if (i < partner)
                swap_elements(&p->values[i], &p->values[partner]);
        }
        return;
    }
    size_t squares = (size_t)1 << (log_size - 2 * REVERSAL_TILE_LOG);
    parallel_for(pool, squares, even_grain(pool, squares), reverse_squares, (void *)(uintptr_t)p);
}

static void transform_small(const pass *p) {
    const transform *t = p->transform;
    size_t size = (size_t)1 << p->domain->log_size;
    if (!fr_is_one(&t->shift_in))
        ntt_scale_by_powers(p->values, &FR_ONE, &t->shift_in, size);
    ntt_columns(p->values, p->domain->log_size, 1, t->roots);
    reverse_order(p, NULL);
    if (!fr_is_one(&t->column_start) || !fr_is_one(&t->shift_out))
        ntt_scale_by_powers(p->values, &t->column_start, &t->shift_out, size);
}

static void run(const ntt_domain *domain, int kind, fr *values, thread_pool *pool) {
    pass p = {.domain = domain, .transform = &domain->transforms[kind], .values = values};
    if (is_small(domain)) {
        transform_small(&p);
        return;
    }
    size_t tiles = ((size_t)1 << (domain->log_size - domain->log_outer)) / NTT_TILE_WIDTH, rows = (size_t)1 << domain->log_outer;
    parallel_for(pool, tiles, even_grain(pool, tiles), column_pass, &p);
    parallel_for(pool, rows, even_grain(pool, rows), row_passes, &p);
    reverse_order(&p, pool);
}

void ntt_forward(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, FORWARD, values, pool); }
void ntt_inverse(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, INVERSE, values, pool); }
void ntt_coset_forward(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, COSET_FORWARD, values, pool); }
void ntt_coset_inverse(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, COSET_INVERSE, values, pool); }

void ntt_vanishing_at(fr *out, unsigned log_size, const fr *x) {
    fr power = *x;
    for (unsigned i = 0; i < log_size; i++)
        fr_square(&power, &power);
    fr_sub(out, &power, &FR_ONE);
}
