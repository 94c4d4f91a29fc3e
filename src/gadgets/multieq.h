/* Several equalities between sums of bits in one constraint (bellpepper, gadgets/multieq.rs): equation i, of numbers
 * below 2^width_i, is multiplied by 2^(width_0 + ... + width_(i-1)), so that they cannot mix. A constraint takes
 * equations as long as their widths stay below 254 bits. */
#ifndef GADGETS_MULTIEQ_H
#define GADGETS_MULTIEQ_H

#include "gadgets/boolean.h"

enum {
    MULTIEQ_CAPACITY = FR_BITS - 1,
    MULTIEQ_MAX_OPERANDS = 10, /* of 32 bits each, in an equation */
    /* Equations are at least 33 bits wide, so at most 7 share a constraint. */
    MULTIEQ_MAX_TERMS = 7 * MULTIEQ_MAX_OPERANDS * 32
};

/* A term of the left side, still to be sorted and added to those of the same variable, packed into a number so that
 * sorting is cheap: variable << 32 | negative << 8 | exponent of its coefficient, a power of two. */
typedef uint64_t multieq_term;

/* 27 KiB; lives on the stack of the gadget that adds. No memory of its own. */
typedef struct {
    constraint_system *cs;
    unsigned bits_used;
    size_t left_count, right_count;
    fr left_constant;
    fr powers[MULTIEQ_CAPACITY]; /* of two */
    multieq_term left[MULTIEQ_MAX_TERMS];
    variable right[MULTIEQ_CAPACITY]; /* with coefficients 2^0, 2^1, ... */
} multieq;

void multieq_begin(multieq *m, constraint_system *cs);

/* Opens an equation of the given width, which is at least 33; emits the constraint of those before it if it does not
 * fit any more. */
void multieq_open(multieq *m, unsigned width);
/* Adds 2^exponent * bit to the left side of the open equation. exponent is below its width. */
void multieq_add(multieq *m, unsigned exponent, boolean bit);
/* Closes the open equation: its right side is the number of `width` allocated bits, least significant first. */
void multieq_close(multieq *m, const boolean *bits, unsigned width);

/* Emits the constraint of what is left. */
void multieq_end(multieq *m);

#endif
