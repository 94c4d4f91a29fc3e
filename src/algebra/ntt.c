#include "algebra/ntt.h"

#include <stdlib.h>

#include "algebra/ntt_blocks.h"
#include "algebra/ntt_kernel.h"
#include "base/memory.h"

/* Transforms are those of ntt_blocks.h, a permutation, and where there is something to scale by, a pass that does. */
enum { REVERSAL_TILE_LOG = 3 /* bit reversal moves squares of 2^3 * 2^3 elements, runs of 256 bytes */ };

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
    unsigned log_size;
    ntt_roots *roots;
    struct {
        fr first, ratio; /* element i is scaled by first * ratio^i, before a transform to values or after one to coefficients */
    } scales[TRANSFORMS];
};

static void make_scale(ntt_domain *domain, int kind) {
    fr *first = &domain->scales[kind].first, *ratio = &domain->scales[kind].ratio;
    *first = *ratio = FR_ONE;
    if (KINDS[kind].divides) {
        fr_from_u64(first, UINT64_C(1) << domain->log_size);
        fr_invert(first, first);
    }
    if (KINDS[kind].shift)
        *ratio = *KINDS[kind].shift;
    if (KINDS[kind].inverse)
        fr_invert(ratio, ratio);
}

cuzk_status ntt_domain_create(ntt_domain **domain, unsigned log_size, cuzk_error *error) {
    if (log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "domain of 2^%u elements: at most 2^%d are supported", log_size, NTT_MAX_LOG_SIZE);
    *domain = allocate(1, sizeof **domain);
    (*domain)->log_size = log_size;
    (*domain)->roots = ntt_roots_create(log_size);
    for (int kind = 0; kind < TRANSFORMS; kind++)
        make_scale(*domain, kind);
    return CUZK_OK;
}

void ntt_domain_destroy(ntt_domain *domain) {
    if (!domain)
        return;
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

static void scale_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const vector *v = context;
    fr first;
    fr_power(&first, &v->ratio, begin);
    fr_mul(&first, &first, &v->first);
    fr_scale_by_powers(v->values + begin, &first, &v->ratio, end - begin);
}

/* values[i] *= first * ratio^i */
static void scale(fr *values, unsigned log_size, const fr *first, const fr *ratio, thread_pool *pool) {
    vector v = {.values = values, .log_size = log_size, .first = *first, .ratio = *ratio};
    size_t count = (size_t)1 << log_size;
    if (!fr_is_one(first) || !fr_is_one(ratio))
        parallel_for(pool, count, even_grain(pool, count), scale_range, &v);
}

/* In natural order, but for the values of the coset by the half root, which stay in bit-reversed order. */
static void run(const ntt_domain *domain, int kind, fr *values, thread_pool *pool) {
    const fr *first = &domain->scales[kind].first, *ratio = &domain->scales[kind].ratio;
    bool half_root = KINDS[kind].by_half_root;
    if (!KINDS[kind].inverse) {
        scale(values, domain->log_size, first, ratio, pool);
        ntt_split(domain->roots, values, half_root, pool);
    } else if (half_root) {
        ntt_merge(domain->roots, values, true, pool);
    } else {
        ntt_split_inverse(domain->roots, values, pool);
    }
    if (!half_root)
        reverse_order(values, domain->log_size, pool);
    if (KINDS[kind].inverse)
        scale(values, domain->log_size, first, ratio, pool);
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
