/* Variables, and sums of variables with coefficients. */
#ifndef R1CS_LINEAR_COMBINATION_H
#define R1CS_LINEAR_COMBINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algebra/field.h"

/* A column of the constraint matrices: bit 31 is set for an auxiliary variable and clear for an input, the rest is its
 * index. Ordered as numbers, inputs come before auxiliary variables, each kind by index: the order of the digests. */
typedef uint32_t variable;

#define VARIABLE_AUX_BIT UINT32_C(0x80000000)
#define VARIABLE_ONE ((variable)0) /* input 0, always 1 */

static inline bool variable_is_aux(variable v) { return (v & VARIABLE_AUX_BIT) != 0; }
static inline uint32_t variable_index(variable v) { return v & ~VARIABLE_AUX_BIT; }

typedef struct {
    fr coefficient; /* Montgomery; may be zero after additions that cancel */
    variable variable;
} term;

enum { INLINE_TERMS_MAX = 4 };

/* Terms in ascending order of their variable, each variable once. {0} is the empty combination. */
typedef struct {
    term *terms;
    size_t count, capacity;
    struct term_storage *storage; /* where the terms' memory comes from (term_storage.h); NULL: malloc, kept when cleared */
    term inline_terms[INLINE_TERMS_MAX]; /* for storages that use it; so one with a storage must not be moved */
} linear_combination;

/* Gives the memory back to lc->storage, which is not NULL. */
void linear_combination_release(linear_combination *lc);
/* Forgets the terms; without a storage the memory is kept. */
static inline void linear_combination_clear(linear_combination *lc) {
    lc->count = 0;
    if (lc->storage)
        linear_combination_release(lc);
}
void linear_combination_free(linear_combination *lc);

/* linear_combination_add where the term does not simply go behind the others. */
void linear_combination_insert(linear_combination *lc, variable v, const fr *coefficient);

/* lc += coefficient * v. A variable already there gets the sum of its coefficients, even if that is zero. */
static inline void linear_combination_add(linear_combination *lc, variable v, const fr *coefficient) {
    size_t count = lc->count;
    /* Gadgets mostly add variables in ascending order. */
    if (count < lc->capacity && (count == 0 || lc->terms[count - 1].variable < v)) {
        lc->terms[count].coefficient = *coefficient;
        lc->terms[count].variable = v;
        lc->count = count + 1;
        return;
    }
    linear_combination_insert(lc, v, coefficient);
}
static inline void linear_combination_add_one(linear_combination *lc, variable v) { linear_combination_add(lc, v, &FR_ONE); }
static inline void linear_combination_subtract_one(linear_combination *lc, variable v) { linear_combination_add(lc, v, &FR_MINUS_ONE); }
/* lc += k * other. */
void linear_combination_add_scaled(linear_combination *lc, const fr *k, const linear_combination *other);
/* Replaces the terms of lc by those of other. */
void linear_combination_copy(linear_combination *lc, const linear_combination *other);

/* Sum of coefficient * value over the terms. */
void linear_combination_evaluate(fr *out, const linear_combination *lc, const fr *inputs, const fr *aux);

#endif
