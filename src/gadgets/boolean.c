#include "gadgets/boolean.h"

#include <assert.h>

_Static_assert(sizeof(boolean) == 8, "arrays of Booleans are copied a lot");

/* A variable that the caller constrains to the bit. */
static boolean new_bit(constraint_system *cs, bool value) {
    variable v = constraint_system_allocate_bit(cs, value);
    return (boolean){.variable = v, .kind = BOOLEAN_IS, .value = value};
}

static bool is_constant_of(boolean a, bool value) { return a.kind == BOOLEAN_CONSTANT && a.value == value; }

boolean boolean_allocate(constraint_system *cs, bool value) {
    boolean bit = new_bit(cs, value);
    linear_combination_add_one(&cs->a, VARIABLE_ONE);
    linear_combination_subtract_one(&cs->a, bit.variable);
    linear_combination_add_one(&cs->b, bit.variable);
    constraint_system_enforce(cs, "boolean constraint");
    return bit;
}

boolean boolean_allocate_conditionally(constraint_system *cs, bool value, boolean must_be_false) {
    assert(must_be_false.kind == BOOLEAN_IS);
    boolean bit = new_bit(cs, value);
    linear_combination_add_one(&cs->a, VARIABLE_ONE);
    linear_combination_subtract_one(&cs->a, must_be_false.variable);
    linear_combination_subtract_one(&cs->a, bit.variable);
    linear_combination_add_one(&cs->b, bit.variable);
    constraint_system_enforce(cs, "boolean constraint");
    return bit;
}

/* Names the bits 0, 1, ... of a sequence. */
static boolean allocate_numbered(constraint_system *cs, size_t number, bool value) {
    namespace_push_index(cs, "bit", number);
    boolean bit = boolean_allocate(cs, value);
    namespace_pop(cs);
    return bit;
}

void boolean_allocate_field_bits(constraint_system *cs, const fr *value, boolean bits[FR_BITS]) {
    uint8_t bytes[FR_BYTES] = {0};
    if (cs->has_witness)
        fr_to_bytes(bytes, value);
    for (size_t i = 0; i < FR_BITS; i++)
        bits[i] = allocate_numbered(cs, i, bytes[i / 8] >> (i % 8) & 1);
}

void boolean_allocate_bytes_le(constraint_system *cs, const uint8_t *bytes, size_t count, boolean *bits) {
    for (size_t i = 0; i < 8 * count; i++)
        bits[i] = allocate_numbered(cs, i, cs->has_witness && (bytes[i / 8] >> (i % 8) & 1));
}

void boolean_allocate_bytes_be(constraint_system *cs, const uint8_t *bytes, size_t count, boolean *bits) {
    for (size_t i = 0; i < 8 * count; i++)
        bits[i] = allocate_numbered(cs, i, cs->has_witness && (bytes[i / 8] >> (7 - i % 8) & 1));
}

/* 2a * b = a + b - result for the variables of a and b. value is that of the variables' xor. */
static boolean xor_variables(constraint_system *cs, variable a, variable b, bool value) {
    boolean result = new_bit(cs, value);
    linear_combination_add(&cs->a, a, &FR_TWO);
    linear_combination_add_one(&cs->b, b);
    linear_combination_add_one(&cs->c, a);
    linear_combination_add_one(&cs->c, b);
    linear_combination_subtract_one(&cs->c, result.variable);
    constraint_system_enforce(cs, "xor constraint");
    return result;
}

boolean boolean_xor(constraint_system *cs, boolean a, boolean b) {
    if (boolean_is_constant(a))
        return a.value ? boolean_not(b) : b;
    if (boolean_is_constant(b))
        return b.value ? boolean_not(a) : a;
    if (a.kind == b.kind)
        return xor_variables(cs, a.variable, b.variable, a.value != b.value);
    /* One is negated: so is the result, and the operand that is not comes first. */
    bool variables_differ = a.value == b.value;
    boolean result = a.kind == BOOLEAN_IS ? xor_variables(cs, a.variable, b.variable, variables_differ)
                                          : xor_variables(cs, b.variable, a.variable, variables_differ);
    return boolean_not(result);
}

boolean boolean_and(constraint_system *cs, boolean a, boolean b) {
    if (is_constant_of(a, false) || is_constant_of(b, false))
        return boolean_constant(false);
    if (boolean_is_constant(a))
        return b;
    if (boolean_is_constant(b))
        return a;
    if (a.kind == BOOLEAN_NOT && b.kind == BOOLEAN_IS) {
        boolean swapped = a;
        a = b;
        b = swapped;
    }
    boolean result = new_bit(cs, a.value && b.value);
    boolean_add_to(&cs->a, &FR_ONE, a);
    boolean_add_to(&cs->b, &FR_ONE, b);
    linear_combination_add_one(&cs->c, result.variable);
    constraint_system_enforce(cs, "and constraint");
    return result;
}

boolean boolean_sha256_ch(constraint_system *cs, boolean a, boolean b, boolean c) {
    if (boolean_is_constant(a) && boolean_is_constant(b) && boolean_is_constant(c))
        return boolean_constant(a.value ? b.value : c.value);
    if (is_constant_of(a, false))
        return c;
    if (is_constant_of(b, false))
        return boolean_and(cs, boolean_not(a), c);
    if (is_constant_of(c, false))
        return boolean_and(cs, a, b);
    if (is_constant_of(c, true))
        return boolean_not(boolean_and(cs, a, boolean_not(b)));
    if (is_constant_of(b, true))
        return boolean_not(boolean_and(cs, boolean_not(a), boolean_not(c)));

    /* (b - c) * a = result - c; a may be constant true. */
    boolean result = new_bit(cs, a.value ? b.value : c.value);
    boolean_add_to(&cs->a, &FR_ONE, b);
    boolean_add_to(&cs->a, &FR_MINUS_ONE, c);
    boolean_add_to(&cs->b, &FR_ONE, a);
    boolean_add_to(&cs->c, &FR_MINUS_ONE, c);
    linear_combination_add_one(&cs->c, result.variable);
    constraint_system_enforce(cs, "ch computation");
    return result;
}

boolean boolean_sha256_maj(constraint_system *cs, boolean a, boolean b, boolean c) {
    bool value = (a.value && b.value) || (a.value && c.value) || (b.value && c.value);
    if (boolean_is_constant(a) && boolean_is_constant(b) && boolean_is_constant(c))
        return boolean_constant(value);
    if (is_constant_of(a, false))
        return boolean_and(cs, b, c);
    if (is_constant_of(b, false))
        return boolean_and(cs, a, c);
    if (is_constant_of(c, false))
        return boolean_and(cs, a, b);
    if (is_constant_of(c, true))
        return boolean_not(boolean_and(cs, boolean_not(a), boolean_not(b)));
    if (is_constant_of(b, true))
        return boolean_not(boolean_and(cs, boolean_not(a), boolean_not(c)));
    if (is_constant_of(a, true))
        return boolean_not(boolean_and(cs, boolean_not(b), boolean_not(c)));

    /* (2bc - b - c) * a = bc - result */
    boolean result = new_bit(cs, value);
    boolean bc = boolean_and(cs, b, c);
    boolean_add_to(&cs->a, &FR_MINUS_ONE, b);
    boolean_add_to(&cs->a, &FR_MINUS_ONE, c);
    linear_combination_add(&cs->a, bc.variable, &FR_TWO);
    boolean_add_to(&cs->b, &FR_ONE, a);
    linear_combination_subtract_one(&cs->c, result.variable);
    linear_combination_add_one(&cs->c, bc.variable);
    constraint_system_enforce(cs, "maj computation");
    return result;
}

void boolean_enforce_equal(constraint_system *cs, boolean a, boolean b) {
    if (boolean_is_constant(a) && boolean_is_constant(b)) {
        assert(a.value == b.value);
        return;
    }
    /* 0 * 0 = a - b, and 1 - the other if one is constant true. */
    if (is_constant_of(b, true)) {
        boolean swapped = a;
        a = b;
        b = swapped;
    } else if (is_constant_of(a, false)) {
        a = b;
        b = boolean_constant(false);
    }
    boolean_add_to(&cs->c, &FR_ONE, a);
    boolean_add_to(&cs->c, &FR_MINUS_ONE, b);
    constraint_system_enforce(cs, "enforce equal");
}

void boolean_add_to(linear_combination *lc, const fr *k, boolean a) {
    switch (a.kind) {
    case BOOLEAN_CONSTANT:
        if (a.value)
            linear_combination_add(lc, VARIABLE_ONE, k);
        break;
    case BOOLEAN_IS:
        linear_combination_add(lc, a.variable, k);
        break;
    default: {
        fr minus_k;
        fr_negate(&minus_k, k);
        linear_combination_add(lc, VARIABLE_ONE, k);
        linear_combination_add(lc, a.variable, &minus_k);
    }
    }
}
