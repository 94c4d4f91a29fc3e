#include "algebra/ntt.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/kernels.h"
#include "algebra/ntt_blocks.h"
#include "base/memory.h"

/* On the portable level, and up to 2^MAX_LOG_SMALL on every one, transforms are those of ntt_blocks.h and a permutation.
 *
 * On level ifma a transform of size N = A * B * A is three passes over a matrix and one permutation (Bailey, "FFTs in external or
 * hierarchical memory", 1990). With input index i = (i1 * B + i2) * A + i3 and output index k = k1 + A * (k2 + B * k3):
 *
 *   columns: transform over i1 for each column j = i2 * A + i3, times root^(k1 * j)
 *   middle:  transform over i2 for each k1, i3, times (root^A)^(k2 * i3); nothing to do if B = 1
 *   rows:    transform over i3 for each k1, k2
 *
 * Every pass leaves its index bit-reversed, so that in the end the bit reversal of the whole index restores natural
 * order. Powers of the coset's shift and 1/N are folded into the factors between the passes as far as they go. */
enum {
    MAX_LOG_SMALL = 10,   /* at most this: no passes */
    REVERSAL_TILE_LOG = 3 /* bit reversal moves squares of 2^3 * 2^3 elements, runs of 256 bytes */
};

enum { FORWARD, INVERSE, COSET_FORWARD, COSET_INVERSE, INTERPOLATION, TO_COSET, FROM_COSET, TRANSFORMS };

/* What they do. */
static const struct {
    bool inverse, divides; /* by N */
    const fr *shift;       /* of the coset, or NULL */
    bool by_half_root;     /* of the coset: the square root of the domain's root */
} KINDS[TRANSFORMS] = {
    [FORWARD] = {0},
    [INVERSE] = {.inverse = true, .divides = true},
    [COSET_FORWARD] = {.shift = &FR_GENERATOR},
    [COSET_INVERSE] = {.inverse = true, .divides = true, .shift = &FR_GENERATOR},
    [INTERPOLATION] = {.inverse = true},
    [TO_COSET] = {.by_half_root = true},
    [FROM_COSET] = {.inverse = true, .by_half_root = true},
};

struct ntt_domain {
    unsigned log_size, log_outer, log_middle; /* N, A, B; A = N and B = 1 up to MAX_LOG_SMALL */
    ntt_roots *roots;
    bool by_passes; /* if the level in use then has them; decided when the domain is made */
    ntt_tables tables[TRANSFORMS]; /* unless by_passes only column_start, shift_in and shift_out */
};

fr *ntt_powers(const fr *ratio, size_t count) {
    fr *table = allocate(count, sizeof *table);
    table[0] = FR_ONE;
    for (size_t i = 1; i < count; i++)
        fr_mul(&table[i], &table[i - 1], ratio);
    return table;
}

fr *ntt_powers_bit_reversed(const fr *ratio, unsigned log_count) {
    size_t count = (size_t)1 << log_count;
    fr *table = allocate(count, sizeof *table);
    fr power = FR_ONE;
    for (size_t i = 0; i < count; i++) {
        table[reverse_bits(i, log_count)] = power;
        fr_mul(&power, &power, ratio);
    }
    return table;
}

static ntt_factor *factors_of(const fr *values, unsigned log_count) {
    size_t count = (size_t)1 << log_count;
    ntt_factor *factors = allocate(count, sizeof *factors);
    fr sixteen, f;
    fr_from_u64(&sixteen, 16);
    for (size_t i = 0; i < count; i++) {
        fr_mul(&f, &values[i], &sixteen); /* times 2^256 turns into times 2^260 */
        const uint64_t limbs[5] = {f.l[0], f.l[0] >> 52 | f.l[1] << 12, f.l[1] >> 40 | f.l[2] << 24, f.l[2] >> 28 | f.l[3] << 36,
                                   f.l[3] >> 16};
        for (size_t limb = 0; limb < 5; limb++)
            factors[i].limbs[limb] = limbs[limb] & ((UINT64_C(1) << 52) - 1);
    }
    return factors;
}

static fr *middle_scale(const ntt_tables *t, unsigned log_outer, unsigned log_middle) {
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

static void tables_init(ntt_tables *t, const ntt_domain *domain, int kind) {
    unsigned log_rows = domain->log_outer > domain->log_middle ? domain->log_outer : domain->log_middle;
    size_t outer = (size_t)1 << domain->log_outer;
    bool inverse = KINDS[kind].inverse;
    *t = (ntt_tables){.column_start = FR_ONE, .shift_in = FR_ONE, .shift_out = FR_ONE};
    fr_root_of_unity(&t->root, domain->log_size);
    if (inverse)
        fr_invert(&t->root, &t->root);
    if (KINDS[kind].divides) {
        fr_from_u64(&t->column_start, UINT64_C(1) << domain->log_size);
        fr_invert(&t->column_start, &t->column_start);
    }
    fr *shift = inverse ? &t->shift_out : &t->shift_in;
    if (KINDS[kind].shift)
        *shift = *KINDS[kind].shift;
    if (KINDS[kind].by_half_root)
        fr_root_of_unity(shift, domain->log_size + 1);
    if (inverse)
        fr_invert(shift, shift);
    if (!domain->by_passes)
        return;
    fr root_of_rows, ratio;
    fr_root_of_unity(&root_of_rows, log_rows);
    if (inverse)
        fr_invert(&root_of_rows, &root_of_rows);
    t->roots = ntt_powers_bit_reversed(&root_of_rows, log_rows ? log_rows - 1 : 0);
    t->root_factors = factors_of(t->roots, log_rows ? log_rows - 1 : 0);
    t->row_ratios = ntt_powers(&t->root, outer);
    if (!fr_is_one(&t->shift_in)) {
        for (size_t i = 0; i < outer; i++)
            fr_mul(&t->row_ratios[i], &t->row_ratios[i], &t->shift_in);
        fr_power(&ratio, &t->shift_in, UINT64_C(1) << (domain->log_size - domain->log_outer));
        t->input_scale = ntt_powers(&ratio, outer);
    }
    if (!fr_is_one(&t->shift_out)) {
        fr_power(&ratio, &t->shift_out, UINT64_C(1) << (domain->log_size - domain->log_outer));
        t->output_scale = ntt_powers_bit_reversed(&ratio, domain->log_outer);
    }
    if (domain->log_middle > 0)
        t->middle_scale = middle_scale(t, domain->log_outer, domain->log_middle);
}

ntt_domain *ntt_domain_split(unsigned log_size, unsigned log_outer) {
    ntt_domain *created = allocate_zeroed(1, sizeof *created);
    created->log_size = created->log_outer = log_size;
    if (log_size > MAX_LOG_SMALL) {
        created->log_outer = log_outer;
        created->log_middle = log_size - 2 * log_outer;
        created->by_passes = kernels_in_use()->ntt_first_pass != NULL;
    }
    created->roots = ntt_roots_create(log_size);
    for (int kind = 0; kind < TRANSFORMS; kind++)
        tables_init(&created->tables[kind], created, kind);
    return created;
}

cuzk_status ntt_domain_create(ntt_domain **domain, unsigned log_size, thread_pool *pool, cuzk_error *error) {
    (void)pool;
    if (log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "domain of 2^%u elements: at most 2^%d are supported", log_size, NTT_MAX_LOG_SIZE);
    *domain = ntt_domain_split(log_size, log_size / 2 < NTT_MAX_LOG_OUTER ? log_size / 2 : NTT_MAX_LOG_OUTER);
    return CUZK_OK;
}

void ntt_domain_destroy(ntt_domain *domain) {
    if (!domain)
        return;
    for (int kind = 0; kind < TRANSFORMS; kind++) {
        ntt_tables *t = &domain->tables[kind];
        free(t->roots);
        free(t->root_factors);
        free(t->row_ratios);
        free(t->input_scale);
        free(t->middle_scale);
        free(t->output_scale);
    }
    ntt_roots_destroy(domain->roots);
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
    ntt_pass pass;
    const algebra_kernels *kernels;
    size_t rows_at_once;
} run_of_passes;

static void *allocate_scratch(const run_of_passes *run) {
    void *scratch = NULL;
    size_t bytes = run->kernels->ntt_scratch_bytes(&run->pass);
    if (posix_memalign(&scratch, 64, bytes) != 0)
        scratch = allocate(bytes, 1); /* ends the process with a message */
    return scratch;
}

static void first_pass(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const run_of_passes *run = context;
    void *scratch = allocate_scratch(run);
    for (size_t tile = begin; tile < end; tile++)
        run->kernels->ntt_first_pass(&run->pass, tile * NTT_TILE_WIDTH, scratch);
    free(scratch);
}

static void other_passes(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const run_of_passes *run = context;
    void *scratch = allocate_scratch(run);
    for (size_t i = begin; i < end; i++)
        run->kernels->ntt_other_passes(&run->pass, i * run->rows_at_once, run->rows_at_once, scratch);
    free(scratch);
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

typedef struct {
    fr *values;
    unsigned log_size;
    fr first, ratio; /* to be scaled by */
} vector;

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
    const vector *v = context;
    unsigned log_size = v->log_size;
    size_t stride = (size_t)1 << (log_size - REVERSAL_TILE_LOG);
    square a, b;
    for (size_t m = begin; m < end; m++) {
        size_t partner = reverse_bits(m, log_size - 2 * REVERSAL_TILE_LOG);
        if (m > partner)
            continue;
        load_square(&a, v->values + m * SIDE, stride);
        load_square(&b, v->values + partner * SIDE, stride);
        store_square_reversed(v->values + partner * SIDE, &a, stride);
        store_square_reversed(v->values + m * SIDE, &b, stride);
    }
}

static void reverse_order(fr *values, unsigned log_size, thread_pool *pool) {
    if (log_size < 2 * REVERSAL_TILE_LOG) {
        for (size_t i = 0; i < (size_t)1 << log_size; i++) {
            size_t partner = reverse_bits(i, log_size);
            if (i < partner)
                swap_elements(&values[i], &values[partner]);
        }
        return;
    }
    size_t squares = (size_t)1 << (log_size - 2 * REVERSAL_TILE_LOG);
    vector v = {.values = values, .log_size = log_size};
    parallel_for(pool, squares, even_grain(pool, squares), reverse_squares, &v);
}

void ntt_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count) {
    fr power = *first;
    bool all_equal = fr_is_one(ratio);
    for (size_t i = 0; i < count; i++) {
        fr_mul(&values[i], &values[i], &power);
        if (!all_equal)
            fr_mul(&power, &power, ratio);
    }
}

static void scale_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const vector *v = context;
    fr first;
    fr_power(&first, &v->ratio, begin);
    fr_mul(&first, &first, &v->first);
    ntt_scale_by_powers(v->values + begin, &first, &v->ratio, end - begin);
}

/* values[i] *= first * ratio^i */
static void scale(fr *values, unsigned log_size, const fr *first, const fr *ratio, thread_pool *pool) {
    vector v = {.values = values, .log_size = log_size, .first = *first, .ratio = *ratio};
    size_t count = (size_t)1 << log_size;
    if (!fr_is_one(first) || !fr_is_one(ratio))
        parallel_for(pool, count, even_grain(pool, count), scale_range, &v);
}

/* In natural order, but for the values of the coset by the half root, which stay in bit-reversed order. */
static void run_blocks(const ntt_domain *domain, int kind, fr *values, thread_pool *pool) {
    const ntt_tables *t = &domain->tables[kind];
    bool coset = KINDS[kind].by_half_root;
    if (KINDS[kind].inverse) {
        if (!coset)
            reverse_order(values, domain->log_size, pool);
        ntt_merge(domain->roots, values, coset, pool);
        scale(values, domain->log_size, &t->column_start, coset ? &FR_ONE : &t->shift_out, pool);
    } else {
        scale(values, domain->log_size, &FR_ONE, coset ? &FR_ONE : &t->shift_in, pool);
        ntt_split(domain->roots, values, coset, pool);
        if (!coset)
            reverse_order(values, domain->log_size, pool);
    }
}

static void run(const ntt_domain *domain, int kind, fr *values, thread_pool *pool) {
    run_of_passes r = {.pass = {.log_size = domain->log_size,
                                  .log_outer = domain->log_outer,
                                  .log_middle = domain->log_middle,
                                  .tables = &domain->tables[kind],
                                  .values = values},
                         .kernels = kernels_in_use()};
    if (!domain->by_passes || !r.kernels->ntt_first_pass) {
        run_blocks(domain, kind, values, pool);
        return;
    }
    size_t outer = (size_t)1 << domain->log_outer, middle = (size_t)1 << domain->log_middle;
    size_t tiles = outer * middle / NTT_TILE_WIDTH;
    parallel_for(pool, tiles, even_grain(pool, tiles), first_pass, &r);
    r.rows_at_once = middle < NTT_TILE_WIDTH ? NTT_TILE_WIDTH : 1; /* eight rows of the last pass, or more */
    size_t units = outer / r.rows_at_once;
    parallel_for(pool, units, even_grain(pool, units), other_passes, &r);
    reverse_order(values, domain->log_size, pool);
}

void ntt_forward(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, FORWARD, values, pool); }
void ntt_inverse(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, INVERSE, values, pool); }
void ntt_coset_forward(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, COSET_FORWARD, values, pool); }
void ntt_coset_inverse(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, COSET_INVERSE, values, pool); }
void ntt_interpolate(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, INTERPOLATION, values, pool); }
void ntt_to_coset(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, TO_COSET, values, pool); }
void ntt_from_coset(const ntt_domain *domain, fr *values, thread_pool *pool) { run(domain, FROM_COSET, values, pool); }

void ntt_vanishing_at(fr *out, unsigned log_size, const fr *x) {
    fr power = *x;
    for (unsigned i = 0; i < log_size; i++)
        fr_square(&power, &power);
    fr_sub(out, &power, &FR_ONE);
}
