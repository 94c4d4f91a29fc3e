#include "r1cs/counting.h"

#include <stdlib.h>

#include "base/memory.h"

static void grow(density *d, size_t capacity) {
    d->words = reallocate(d->words, capacity, sizeof *d->words);
    memset(d->words + d->capacity, 0, (capacity - d->capacity) * sizeof *d->words);
    d->capacity = capacity;
}

void density_reserve(density *d, size_t count) {
    if ((count + 63) / 64 > d->capacity)
        grow(d, (count + 63) / 64);
}

void density_set(density *d, uint32_t index) {
    size_t word = index / 64;
    if (word >= d->capacity) {
        size_t capacity = d->capacity ? d->capacity * 2 : 64;
        while (capacity <= word)
            capacity *= 2;
        grow(d, capacity);
    }
    uint64_t bit = UINT64_C(1) << (index % 64);
    d->ones += (d->words[word] & bit) == 0;
    d->words[word] |= bit;
}

void density_free(density *d) {
    free(d->words);
    *d = (density){0};
}

void circuit_counts_free(circuit_counts *counts) {
    density_free(&counts->a_aux);
    density_free(&counts->b_aux);
    density_free(&counts->b_input);
    *counts = (circuit_counts){0};
}

void circuit_counts_track(circuit_counts *counts, const constraint_system *cs) {
    for (size_t i = 0; i < cs->a.count; i++) {
        if (fr_is_zero(&cs->a.terms[i].coefficient))
            continue;
        counts->nonzeros[0]++;
        if (variable_is_aux(cs->a.terms[i].variable))
            density_set(&counts->a_aux, variable_index(cs->a.terms[i].variable));
    }
    for (size_t i = 0; i < cs->b.count; i++) {
        if (fr_is_zero(&cs->b.terms[i].coefficient))
            continue;
        counts->nonzeros[1]++;
        variable v = cs->b.terms[i].variable;
        density_set(variable_is_aux(v) ? &counts->b_aux : &counts->b_input, variable_index(v));
    }
    for (size_t i = 0; i < cs->c.count; i++)
        counts->nonzeros[2] += !fr_is_zero(&cs->c.terms[i].coefficient);
}

typedef struct {
    constraint_system head;
    circuit_counts *counts;
} counting_system;

static void ignore_allocation(constraint_system *cs, variable v, const fr *value) {
    (void)cs, (void)v, (void)value;
}

static void count_constraint(constraint_system *cs, const char *name) {
    (void)name;
    circuit_counts_track(((counting_system *)cs)->counts, cs);
}

void circuit_count(circuit_counts *counts, const circuit *c) {
    static const constraint_system_class class = {.allocated = ignore_allocation, .enforced = count_constraint};
    counting_system system = {.counts = counts};
    *counts = (circuit_counts){0};
    constraint_system_init(&system.head, &class, false);
    c->synthesize(c, &system.head);
    counts->inputs = system.head.input_count;
    counts->aux = system.head.aux_count;
    counts->constraints = system.head.constraint_count;
    constraint_system_free(&system.head);
}

unsigned circuit_domain_log_size(const circuit_counts *counts) {
    uint64_t rows = counts->constraints + counts->inputs;
    unsigned log_size = 0;
    while ((UINT64_C(1) << log_size) < rows)
        log_size++;
    return log_size;
}
