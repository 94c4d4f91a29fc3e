#include "gadgets/number.h"

#include <assert.h>

#include "gadgets/number_block.h"

number number_allocate(constraint_system *cs, const fr *value) {
    variable v = constraint_system_allocate(cs, value);
    return (number){.variable = v, .value = cs->has_witness ? *value : FR_ZERO};
}

number number_allocate_input(constraint_system *cs, const fr *value) {
    variable v = constraint_system_allocate_input(cs, value);
    return (number){.variable = v, .value = cs->has_witness ? *value : FR_ZERO};
}

void number_inputize(constraint_system *cs, const number *a) {
    number input = number_allocate_input(cs, &a->value);
    number_enforce_equal(cs, "enforce input is correct", &input, a);
}

number number_multiply(constraint_system *cs, const number *a, const number *b) {
    fr value = FR_ZERO;
    if (cs->has_witness)
        fr_mul(&value, &a->value, &b->value);
    number product = number_allocate(cs, &value);
    linear_combination_add_one(&cs->a, a->variable);
    linear_combination_add_one(&cs->b, b->variable);
    linear_combination_add_one(&cs->c, product.variable);
    constraint_system_enforce(cs, "multiplication constraint");
    return product;
}

number number_square(constraint_system *cs, const number *a) {
    fr value = FR_ZERO;
    if (cs->has_witness)
        fr_square(&value, &a->value);
    number square = number_allocate(cs, &value);
    linear_combination_add_one(&cs->a, a->variable);
    linear_combination_add_one(&cs->b, a->variable);
    linear_combination_add_one(&cs->c, square.variable);
    constraint_system_enforce(cs, "squaring constraint");
    return square;
}

number number_add(constraint_system *cs, const number *a, const number *b) {
    fr value = FR_ZERO;
    if (cs->has_witness)
        fr_add(&value, &a->value, &b->value);
    number sum = number_allocate(cs, &value);
    number_enforce_sum(cs, "sum constraint", a, b, &sum);
    return sum;
}

number number_subtract(constraint_system *cs, const number *a, const number *b) {
    fr value = FR_ZERO;
    if (cs->has_witness)
        fr_sub(&value, &a->value, &b->value);
    number difference = number_allocate(cs, &value);
    number_enforce_difference(cs, "subtraction constraint", a, b, &difference);
    return difference;
}

void number_enforce_equal(constraint_system *cs, const char *name, const number *a, const number *b) {
    linear_combination_add_one(&cs->a, a->variable);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, b->variable);
    constraint_system_enforce(cs, name);
}

void number_enforce_sum(constraint_system *cs, const char *name, const number *a, const number *b, const number *sum) {
    linear_combination_add_one(&cs->a, a->variable);
    linear_combination_add_one(&cs->a, b->variable);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, sum->variable);
    constraint_system_enforce(cs, name);
}

void number_enforce_difference(constraint_system *cs, const char *name, const number *a, const number *b,
                               const number *difference) {
    number_enforce_sum(cs, name, difference, b, a);
}

/* 0 * 0 = sum 2^i bits[i] - a. */
static void enforce_unpacking(constraint_system *cs, const number *a, const boolean bits[FR_BITS]) {
    fr power = FR_ONE;
    linear_combination_subtract_one(&cs->c, a->variable);
    for (size_t i = 0; i < FR_BITS; i++) {
        linear_combination_add(&cs->c, bits[i].variable, &power);
        fr_double(&power, &power);
    }
    constraint_system_enforce(cs, "unpacking constraint");
}

void number_to_bits_le(constraint_system *cs, const number *a, boolean bits[FR_BITS]) {
    if (number_bits_block(cs, a, bits))
        return;
    boolean_allocate_field_bits(cs, &a->value, bits);
    enforce_unpacking(cs, a, bits);
}

/* The conjunction of count bits, from the first on. */
static boolean and_all(constraint_system *cs, const boolean *bits, size_t count) {
    boolean all = bits[0];
    for (size_t i = 1; i < count; i++) {
        namespace_push_index(cs, "and", i);
        all = boolean_and(cs, all, bits[i]);
        namespace_pop(cs);
    }
    return all;
}

/* Compared with r - 1 from the most significant bit on: as long as a's bits equal those of r - 1 at all of its ones so
 * far, a's bit must be 0 where r - 1 has a 0. The ones come in runs; the conjunction over a run and those before it says
 * whether a still equals. */
void number_to_bits_le_strict(constraint_system *cs, const number *a, boolean bits[FR_BITS]) {
    uint8_t value[FR_BYTES] = {0}, greatest[FR_BYTES];
    fr_to_bytes(greatest, &FR_MINUS_ONE);
    if (cs->has_witness)
        fr_to_bytes(value, &a->value);

    boolean run[FR_BITS + 1], equal_so_far = boolean_constant(true);
    size_t run_length = 0;
    for (size_t i = 0; i < FR_BITS; i++) {
        size_t position = FR_BITS - 1 - i;
        bool bit = value[position / 8] >> (position % 8) & 1;
        if (greatest[position / 8] >> (position % 8) & 1) {
            namespace_push_index(cs, "bit", i);
            bits[position] = run[run_length++] = boolean_allocate(cs, bit);
            namespace_pop(cs);
            continue;
        }
        if (run_length > 0) {
            if (!boolean_is_constant(equal_so_far))
                run[run_length++] = equal_so_far;
            namespace_push_index(cs, "run ending at", i);
            equal_so_far = and_all(cs, run, run_length);
            namespace_pop(cs);
            run_length = 0;
        }
        namespace_push_index(cs, "bit", i);
        bits[position] = boolean_allocate_conditionally(cs, bit, equal_so_far);
        namespace_pop(cs);
    }
    assert(run_length == 0); /* r - 1 is even */
    enforce_unpacking(cs, a, bits);
}
