/* What the sums of both groups share: kinds of scalars, and windows by their number. Internal to this room. */
#ifndef ALGEBRA_MSM_WINDOWS_H
#define ALGEBRA_MSM_WINDOWS_H

#include "algebra/digits.h"

typedef enum { SCALAR_ZERO, SCALAR_ONE, SCALAR_MINUS_ONE, SCALAR_WIDE } scalar_kind;

scalar_kind kind_of_scalar(const fr_canonical *scalar);

/* Bits of a window for a sum over `count` wide scalars, for points of 96 (G1) or 192 (G2) bytes. */
unsigned g1_window_bits(size_t count);
unsigned g2_window_bits(size_t count);

#endif
