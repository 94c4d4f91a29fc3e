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

/* Terms in ascending order of their variable, each variable once. {0} is the empty combination. */
typedef struct {
    term *terms;
    size_t count, capacity;
} linear_combination;

/* Forgets the terms but keeps the memory. */
static inline void linear_combination_clear(linear_combination *lc) { lc->count = 0; }
void linear_combination_free(linear_combination *lc);

/* lc += coefficient * v. A variable already there gets the sum of its coefficients, even if that is zero. */
void linear_combination_add(linear_combination *lc, variable v, const fr *coefficient);
static inline void linear_combination_add_one(linear_combination *lc, variable v) { linear_combination_add(lc, v, &FR_ONE); }
static inline void linear_combination_subtract_one(linear_combination *lc, variable v) { linear_combination_add(lc, v, &FR_MINUS_ONE); }
/* lc += k * other. */
void linear_combination_add_scaled(linear_combination *lc, const fr *k, const linear_combination *other);
/* Replaces the terms of lc by those of other. */
void linear_combination_copy(linear_combination *lc, const linear_combination *other);

/* Sum of coefficient * value over the terms. */
void linear_combination_evaluate(fr *out, const linear_combination *lc, const fr *inputs, const fr *aux);

#endif
