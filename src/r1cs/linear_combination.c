#include "r1cs/linear_combination.h"

#include <stdlib.h>

#include "base/memory.h"
#include "r1cs/term_storage.h"

void linear_combination_free(linear_combination *lc) {
    if (lc->storage)
        linear_combination_release(lc);
    else
        free(lc->terms);
    *lc = (linear_combination){0};
}

void linear_combination_release(linear_combination *lc) {
    term_storage_release(lc->storage, lc);
}

/* Index of the first term whose variable is not below v. */
static size_t lower_bound(const linear_combination *lc, variable v) {
    size_t low = 0, high = lc->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lc->terms[middle].variable < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void linear_combination_insert(linear_combination *lc, variable v, const fr *coefficient) {
    size_t at = lower_bound(lc, v);
    if (at < lc->count && lc->terms[at].variable == v) {
        fr_add(&lc->terms[at].coefficient, &lc->terms[at].coefficient, coefficient);
        return;
    }
    if (lc->count == lc->capacity && lc->storage)
        term_storage_grow(lc->storage, lc);
    else
        lc->terms = grow_array(lc->terms, lc->count, &lc->capacity, sizeof *lc->terms);
    memmove(&lc->terms[at + 1], &lc->terms[at], (lc->count - at) * sizeof *lc->terms);
    lc->terms[at] = (term){.coefficient = *coefficient, .variable = v};
    lc->count++;
}

void linear_combination_add_scaled(linear_combination *lc, const fr *k, const linear_combination *other) {
    bool scale = !fr_is_one(k);
    for (size_t i = 0; i < other->count; i++) {
        fr coefficient = other->terms[i].coefficient;
        if (scale)
            fr_mul(&coefficient, &coefficient, k);
        linear_combination_add(lc, other->terms[i].variable, &coefficient);
    }
}

void linear_combination_copy(linear_combination *lc, const linear_combination *other) {
    linear_combination_clear(lc);
    linear_combination_add_scaled(lc, &FR_ONE, other);
}

void linear_combination_evaluate(fr *out, const linear_combination *lc, const fr *inputs, const fr *aux) {
    fr sum = FR_ZERO;
    for (size_t i = 0; i < lc->count; i++) {
        variable v = lc->terms[i].variable;
        const fr *value = variable_is_aux(v) ? &aux[variable_index(v)] : &inputs[v];
        const fr *coefficient = &lc->terms[i].coefficient;
        if (fr_is_one(coefficient)) {
            fr_add(&sum, &sum, value);
        } else {
            fr product;
            fr_mul(&product, coefficient, value);
            fr_add(&sum, &sum, &product);
        }
    }
    *out = sum;
}
