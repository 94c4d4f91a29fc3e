#include "gadgets/multieq.h"

#include <assert.h>

enum { NEGATIVE = 1 << 8, EXPONENT_MASK = NEGATIVE - 1, VARIABLE_SHIFT = 32 };

void multieq_begin(multieq *m, constraint_system *cs) {
    m->cs = cs;
    m->bits_used = 0;
    m->left_count = m->right_count = 0;
    m->left_constant = FR_ZERO;
    m->powers[0] = FR_ONE;
    for (size_t i = 1; i < MULTIEQ_CAPACITY; i++)
        fr_double(&m->powers[i], &m->powers[i - 1]);
}

/* Sorts by variable: a radix sort by bytes, which leaves out bytes that are the same in all terms. */
static void sort_terms(multieq_term *terms, size_t count) {
    multieq_term scratch[MULTIEQ_MAX_TERMS];
    multieq_term *from = terms, *to = scratch;
    for (unsigned shift = VARIABLE_SHIFT; shift < VARIABLE_SHIFT + 32; shift += 8) {
        uint32_t starts[257] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(from[i] >> shift & 0xff) + 1]++;
        if (starts[(from[0] >> shift & 0xff) + 1] == count)
            continue;
        for (size_t i = 1; i < 256; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & 0xff]++] = from[i];
        multieq_term *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != terms)
        memcpy(terms, from, count * sizeof *terms);
}

static void coefficient_of(fr *out, const multieq *m, multieq_term t) {
    const fr *power = &m->powers[t & EXPONENT_MASK];
    if (t & NEGATIVE)
        fr_negate(out, power);
    else
        *out = *power;
}

static void emit(multieq *m) {
    constraint_system *cs = m->cs;
    if (!fr_is_zero(&m->left_constant))
        linear_combination_add(&cs->a, VARIABLE_ONE, &m->left_constant);
    if (m->left_count > 0)
        sort_terms(m->left, m->left_count);
    for (size_t i = 0; i < m->left_count;) {
        variable v = (variable)(m->left[i] >> VARIABLE_SHIFT);
        fr coefficient, further;
        coefficient_of(&coefficient, m, m->left[i]);
        for (i++; i < m->left_count && m->left[i] >> VARIABLE_SHIFT == v; i++) {
            coefficient_of(&further, m, m->left[i]);
            fr_add(&coefficient, &coefficient, &further);
        }
        linear_combination_add(&cs->a, v, &coefficient);
    }
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    for (size_t i = 0; i < m->right_count; i++)
        linear_combination_add(&cs->c, m->right[i], &m->powers[i]);
    constraint_system_enforce(cs, "multieq");

    m->bits_used = 0;
    m->left_count = m->right_count = 0;
    m->left_constant = FR_ZERO;
}

void multieq_open(multieq *m, unsigned width) {
    assert(width >= 33 && width < MULTIEQ_CAPACITY);
    if (m->bits_used + width >= MULTIEQ_CAPACITY)
        emit(m);
}

void multieq_add(multieq *m, unsigned exponent, boolean bit) {
    exponent += m->bits_used;
    if (bit.kind != BOOLEAN_IS && (bit.kind == BOOLEAN_NOT || bit.value))
        fr_add(&m->left_constant, &m->left_constant, &m->powers[exponent]);
    if (bit.kind != BOOLEAN_CONSTANT)
        m->left[m->left_count++] =
            (multieq_term)bit.variable << VARIABLE_SHIFT | (bit.kind == BOOLEAN_NOT ? NEGATIVE : 0) | exponent;
}

void multieq_close(multieq *m, const boolean *bits, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        m->right[m->right_count++] = bits[i].variable;
    m->bits_used += width;
}

void multieq_end(multieq *m) {
    if (m->bits_used > 0)
        emit(m);
}
