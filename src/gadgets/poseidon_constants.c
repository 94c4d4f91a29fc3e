#include "gadgets/poseidon_constants.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "algebra/fr_dot.h"
#include "base/memory.h"

/* The cheapest secure choice by the Poseidon paper's inequalities (eprint 2019/458, section 5.5) for security level 128
 * and, as neptune has it, a prime of 256 bits, plus a margin of two full and 7.5 % partial rounds. The inequalities are
 * rounded to integers: 0.43 * 128 + log2(width) is 55.04 + log2(width), which for widths up to 31 rounds up to 55 and the
 * bit length of the width; 0.21 * 256 to 54; 0.14 * 256 - 1 is 34.84. */
static bool round_numbers_are_secure(int width, int full, int partial) {
    int bit_length = 0;
    while (width >> bit_length)
        bit_length++;
    bool statistical = full >= 6;
    bool interpolation = full + partial >= 55 + bit_length;
    bool groebner_1 = full + partial >= 54;
    bool groebner_2 = 100 * (width - 1) * full >= 3484 - 100 * partial;
    return statistical && interpolation && groebner_1 && groebner_2;
}

void poseidon_round_numbers(unsigned width, unsigned *full_rounds, unsigned *partial_rounds) {
    unsigned least = UINT32_MAX;
    for (unsigned full = 2; full <= 100; full += 2)
        for (unsigned partial = 4; partial < 200; partial++) {
            if (!round_numbers_are_secure((int)width, (int)full, (int)partial))
                continue;
            unsigned safe_full = full + 2, safe_partial = (1075 * partial + 999) / 1000;
            unsigned s_boxes = width * safe_full + safe_partial;
            if (s_boxes < least || (s_boxes == least && safe_full < *full_rounds)) {
                *full_rounds = safe_full;
                *partial_rounds = safe_partial;
                least = s_boxes;
            }
        }
}

/* The Grain LFSR in self-shrinking mode (eprint 2019/458, appendix A). */
typedef struct {
    bool bits[80];
    unsigned first; /* where the oldest bit is: the register is a ring */
} grain;

static bool grain_step(grain *g) {
    static const unsigned taps[] = {62, 51, 38, 23, 13, 0};
    bool bit = false;
    for (size_t i = 0; i < sizeof taps / sizeof *taps; i++)
        bit ^= g->bits[(g->first + taps[i]) % 80];
    g->bits[g->first] = bit;
    g->first = (g->first + 1) % 80;
    return bit;
}

static void grain_append(grain *g, unsigned bit_count, unsigned value) {
    while (bit_count-- > 0) {
        g->bits[g->first] = value >> bit_count & 1;
        g->first = (g->first + 1) % 80;
    }
}

static void grain_init(grain *g, unsigned width, unsigned full_rounds, unsigned partial_rounds) {
    g->first = 0;
    grain_append(g, 2, 1); /* a prime field */
    grain_append(g, 4, 1); /* the S-box x^5, in neptune's numbering */
    grain_append(g, 12, FR_BITS);
    grain_append(g, 12, width);
    grain_append(g, 10, full_rounds);
    grain_append(g, 10, partial_rounds);
    grain_append(g, 30, 0x3fffffff);
    assert(g->first == 0);
    for (int i = 0; i < 160; i++)
        grain_step(g);
}

/* Of each two bits the second counts if the first is 1. */
static bool grain_next(grain *g) {
    while (!grain_step(g))
        grain_step(g);
    return grain_step(g);
}

void poseidon_round_constants(fr *out, unsigned width, unsigned full_rounds, unsigned partial_rounds) {
    grain g;
    grain_init(&g, width, full_rounds, partial_rounds);
    for (size_t i = 0; i < (size_t)(full_rounds + partial_rounds) * width;) {
        uint8_t bytes[FR_BYTES] = {0};
        for (unsigned bit = FR_BITS; bit-- > 0;)
            bytes[bit / 8] |= (uint8_t)(grain_next(&g) << (bit % 8));
        if (fr_from_bytes(&out[i], bytes))
            i++; /* integers that are not below r are dropped */
    }
}

void poseidon_mds_matrix(poseidon_matrix *out, unsigned width) {
    out->size = width;
    for (unsigned i = 0; i < width; i++)
        for (unsigned j = 0; j < width; j++) {
            fr_from_u64(&out->cells[i][j], i + j + width);
            fr_invert(&out->cells[i][j], &out->cells[i][j]);
        }
}

void poseidon_matrix_apply(fr *state, const poseidon_matrix *matrix) {
    fr result[POSEIDON_MAX_WIDTH];
    for (unsigned j = 0; j < matrix->size; j++)
        fr_dot(&result[j], state, &matrix->cells[0][j], POSEIDON_MAX_WIDTH, matrix->size);
    memcpy(state, result, matrix->size * sizeof *state);
}

/* a = a - k * b for rows of `size` cells. */
static void subtract_row(fr *a, const fr *k, const fr *b, unsigned size) {
    for (unsigned j = 0; j < size; j++) {
        fr product;
        fr_mul(&product, k, &b[j]);
        fr_sub(&a[j], &a[j], &product);
    }
}

/* Gauss-Jordan without a search for pivots: those of the few matrices that an arity gives are not zero. */
static void matrix_invert(poseidon_matrix *out, const poseidon_matrix *m) {
    poseidon_matrix rest = *m;
    *out = (poseidon_matrix){.size = m->size};
    for (unsigned i = 0; i < m->size; i++)
        out->cells[i][i] = FR_ONE;
    for (unsigned i = 0; i < m->size; i++) {
        assert(!fr_is_zero(&rest.cells[i][i]));
        fr inverse;
        fr_invert(&inverse, &rest.cells[i][i]);
        for (unsigned j = 0; j < m->size; j++) {
            fr_mul(&rest.cells[i][j], &rest.cells[i][j], &inverse);
            fr_mul(&out->cells[i][j], &out->cells[i][j], &inverse);
        }
        for (unsigned k = 0; k < m->size; k++) {
            if (k == i)
                continue;
            fr factor = rest.cells[k][i];
            subtract_row(rest.cells[k], &factor, rest.cells[i], m->size);
            subtract_row(out->cells[k], &factor, out->cells[i], m->size);
        }
    }
}

/* Keys move back through the rounds' matrices, and in partial rounds, where only the first element's S-box is in the way,
 * all but the first go on to the round before. */
static void compress_round_constants(poseidon_constants *c) {
    unsigned width = c->width, half = c->full_rounds / 2, first_final = half + c->partial_rounds;
    fr *plain = allocate((size_t)(c->full_rounds + c->partial_rounds) * width, sizeof *plain);
    poseidon_round_constants(plain, width, c->full_rounds, c->partial_rounds);
    poseidon_matrix inverse;
    matrix_invert(&inverse, &c->mds);

    for (unsigned round = 0; round < c->full_rounds + c->partial_rounds; round++)
        if (round > 0 && (round < half || round > first_final))
            poseidon_matrix_apply(plain + round * width, &inverse);
    for (unsigned round = first_final; round > half; round--) {
        fr *keys = plain + round * width, *before = keys - width;
        poseidon_matrix_apply(keys, &inverse);
        for (unsigned j = 1; j < width; j++)
            fr_add(&before[j], &before[j], &keys[j]);
    }
    poseidon_matrix_apply(plain + half * width, &inverse);

    c->round_keys = allocate(c->full_rounds * width + c->partial_rounds, sizeof *c->round_keys);
    fr *key = c->round_keys;
    for (unsigned round = 0; round < c->full_rounds + c->partial_rounds; round++) {
        bool partial = round > half && round <= first_final;
        for (unsigned j = 0; j < (partial ? 1 : width); j++)
            *key++ = plain[round * width + j];
    }
    free(plain);
}

/* The matrix M of the last partial round is M' * M'', M'' sparse, and M' is the identity for the first element, so that it
 * can be applied before the round's S-box: with the matrix of the round before. That product is factored in turn. */
static void factor_into_sparse_matrices(poseidon_constants *c) {
    unsigned size = c->width - 1;
    c->sparse = allocate_zeroed(c->partial_rounds, sizeof *c->sparse);
    poseidon_matrix current = c->mds;
    for (unsigned round = c->partial_rounds; round-- > 0;) {
        poseidon_matrix minor = {.size = size}, minor_inverse;
        fr column[POSEIDON_MAX_WIDTH];
        for (unsigned i = 0; i < size; i++) {
            memcpy(minor.cells[i], &current.cells[i + 1][1], size * sizeof(fr));
            column[i] = current.cells[i + 1][0];
        }
        matrix_invert(&minor_inverse, &minor);

        /* M'': the first row as it is, and below the corner minor^-1 * column. */
        poseidon_sparse_matrix *sparse = &c->sparse[round];
        memcpy(sparse->row, current.cells[0], c->width * sizeof(fr));
        sparse->column[0] = current.cells[0][0];
        for (unsigned i = 0; i < size; i++)
            for (unsigned j = 0; j < size; j++) {
                fr product;
                fr_mul(&product, &minor_inverse.cells[i][j], &column[j]);
                fr_add(&sparse->column[i + 1], &sparse->column[i + 1], &product);
            }

        /* mds * M', M' = 1 and the minor. */
        for (unsigned i = 0; i < c->width; i++) {
            current.cells[i][0] = c->mds.cells[i][0];
            memcpy(&current.cells[i][1], &c->mds.cells[i][1], size * sizeof(fr));
            poseidon_matrix_apply(&current.cells[i][1], &minor);
        }
    }
    c->pre_sparse = current;
}

/* How the elements of the state depend on the S-boxes' outputs. */
typedef struct {
    unsigned width, source_count;
    fr *coefficients; /* of element j: source_count from j * capacity on */
    unsigned capacity;
    fr *next_row;
} dependence;

static void emit_row(dependence *d, unsigned j) {
    memcpy(d->next_row, d->coefficients + j * d->capacity, d->source_count * sizeof(fr));
    d->next_row += d->source_count;
}

/* After the S-boxes of a full round every element is a source of its own; then they are mixed. */
static void mix_sources(dependence *d, const poseidon_matrix *matrix) {
    d->source_count = d->width;
    for (unsigned j = 0; j < d->width; j++)
        for (unsigned i = 0; i < d->width; i++)
            d->coefficients[j * d->capacity + i] = matrix->cells[i][j];
}

/* After the S-box of a partial round the first element is a new source; then they are mixed. */
static void mix_sparsely(dependence *d, const poseidon_sparse_matrix *sparse) {
    fr *first = d->coefficients;
    for (unsigned s = 0; s < d->source_count; s++) {
        first[s] = FR_ZERO;
        for (unsigned i = 1; i < d->width; i++) {
            fr product;
            fr_mul(&product, &sparse->column[i], &d->coefficients[i * d->capacity + s]);
            fr_add(&first[s], &first[s], &product);
        }
    }
    first[d->source_count] = sparse->column[0];
    for (unsigned j = 1; j < d->width; j++)
        d->coefficients[j * d->capacity + d->source_count] = sparse->row[j];
    d->source_count++;
}

static void make_input_rows(poseidon_constants *c) {
    unsigned half = c->full_rounds / 2, all_sources = c->width + c->partial_rounds;
    dependence d = {.width = c->width, .capacity = all_sources};
    d.coefficients = allocate((size_t)c->width * d.capacity, sizeof(fr));
    size_t full_rows = (size_t)(c->full_rounds - 2) * c->width + 1;
    size_t terms = full_rows * c->width + (size_t)c->width * all_sources;
    for (unsigned round = 0; round < c->partial_rounds; round++)
        terms += c->width + round;
    c->input_rows = d.next_row = allocate(terms, sizeof(fr));

    for (unsigned round = 1; round < half; round++) {
        mix_sources(&d, &c->mds);
        for (unsigned j = 0; j < c->width; j++)
            emit_row(&d, j);
    }
    mix_sources(&d, &c->pre_sparse);
    for (unsigned round = 0; round < c->partial_rounds; round++) {
        emit_row(&d, 0);
        mix_sparsely(&d, &c->sparse[round]);
    }
    for (unsigned round = 0; round < half; round++) {
        for (unsigned j = 0; j < c->width; j++)
            emit_row(&d, j);
        mix_sources(&d, &c->mds);
    }
    emit_row(&d, 1); /* the hash */
    assert(d.next_row == c->input_rows + terms);
    free(d.coefficients);
}

static poseidon_constants *derive(unsigned arity) {
    poseidon_constants *c = allocate_zeroed(1, sizeof *c);
    c->width = arity + 1;
    poseidon_round_numbers(c->width, &c->full_rounds, &c->partial_rounds);
    assert(c->partial_rounds <= POSEIDON_MAX_PARTIAL_ROUNDS);
    poseidon_mds_matrix(&c->mds, c->width);
    compress_round_constants(c);
    factor_into_sparse_matrices(c);
    make_input_rows(c);
    return c;
}

const poseidon_constants *poseidon_constants_of(unsigned arity) {
    static _Atomic(poseidon_constants *) derived[POSEIDON_MAX_ARITY + 1];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    assert(arity >= 1 && arity <= POSEIDON_MAX_ARITY);
    poseidon_constants *c = atomic_load_explicit(&derived[arity], memory_order_acquire);
    if (c)
        return c;
    pthread_mutex_lock(&lock);
    c = atomic_load_explicit(&derived[arity], memory_order_relaxed);
    if (!c) {
        c = derive(arity);
        atomic_store_explicit(&derived[arity], c, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return c;
}
