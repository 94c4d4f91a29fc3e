/* Bits in a circuit: constants, allocated bits and their negations, and the Boolean operations of SHA-256.
 *
 * The order of allocations and constraints is that of bellpepper-core (gadgets/boolean.rs). An operation whose result is
 * a constant or a view of an operand allocates and enforces nothing. */
#ifndef GADGETS_BOOLEAN_H
#define GADGETS_BOOLEAN_H

#include "r1cs/constraint_system.h"

typedef enum {
    BOOLEAN_CONSTANT,
    BOOLEAN_IS, /* the value of a variable that is constrained to 0 or 1 */
    BOOLEAN_NOT /* its negation */
} boolean_kind;

/* 8 bytes; copy freely. */
typedef struct {
    variable variable; /* not for a constant */
    uint8_t kind;      /* boolean_kind */
    bool value;        /* of this Boolean, not of the variable; of allocated bits meaningful only with a witness */
} boolean;

static inline boolean boolean_constant(bool value) { return (boolean){.kind = BOOLEAN_CONSTANT, .value = value}; }
static inline bool boolean_is_constant(boolean a) { return a.kind == BOOLEAN_CONSTANT; }
/* A negated view of a; nothing is allocated. */
static inline boolean boolean_not(boolean a) {
    static const uint8_t negated[] = {BOOLEAN_CONSTANT, BOOLEAN_NOT, BOOLEAN_IS};
    return (boolean){.variable = a.variable, .kind = negated[a.kind], .value = !a.value};
}

/* A new bit: (1 - bit) * bit = 0. value is ignored without a witness. */
boolean boolean_allocate(constraint_system *cs, bool value);
/* A new bit that is false if must_be_false (an allocated bit, not negated) is true: (1 - must_be_false - bit) * bit = 0. */
boolean boolean_allocate_conditionally(constraint_system *cs, bool value, boolean must_be_false);
/* FR_BITS new bits with the value of a field element, least significant first; nothing ties them together yet.
 * value may be NULL without a witness. */
void boolean_allocate_field_bits(constraint_system *cs, const fr *value, boolean bits[FR_BITS]);
/* 8 * count new bits with the bits of bytes, in their order, each byte from its least (le) or most (be) significant bit
 * on. bytes may be NULL without a witness. */
void boolean_allocate_bytes_le(constraint_system *cs, const uint8_t *bytes, size_t count, boolean *bits);
void boolean_allocate_bytes_be(constraint_system *cs, const uint8_t *bytes, size_t count, boolean *bits);

/* One constraint and one bit each, unless an operand is constant. */
boolean boolean_xor(constraint_system *cs, boolean a, boolean b);
boolean boolean_and(constraint_system *cs, boolean a, boolean b);
static inline boolean boolean_and_not(constraint_system *cs, boolean a, boolean b) { return boolean_and(cs, a, boolean_not(b)); }
static inline boolean boolean_nor(constraint_system *cs, boolean a, boolean b) {
    return boolean_and(cs, boolean_not(a), boolean_not(b));
}
/* a ? b : c */
boolean boolean_sha256_ch(constraint_system *cs, boolean a, boolean b, boolean c);
/* What at least two of a, b, c are. Allocates the result before b and c. */
boolean boolean_sha256_maj(constraint_system *cs, boolean a, boolean b, boolean c);

/* Enforces a = b. Two constants must be equal: nothing could enforce it otherwise. */
void boolean_enforce_equal(constraint_system *cs, boolean a, boolean b);

/* lc += k * a. */
void boolean_add_to(linear_combination *lc, const fr *k, boolean a);

#endif
