#include "gadgets/multipack.h"

#include <assert.h>

/* The value of count bits, at most MULTIPACK_CAPACITY, so that it is below r. */
static void packed_value(fr *out, const boolean *bits, size_t count) {
    uint8_t bytes[FR_BYTES] = {0};
    for (size_t i = 0; i < count; i++)
        bytes[i / 8] |= (uint8_t)(bits[i].value << (i % 8));
    bool canonical = fr_from_bytes(out, bytes);
    assert(canonical);
    (void)canonical;
}

/* sum 2^i bits[i] * 1 = packed. */
static void enforce_packing(constraint_system *cs, const boolean *bits, size_t count, const number *packed) {
    fr power = FR_ONE;
    for (size_t i = 0; i < count; i++) {
        boolean_add_to(&cs->a, &power, bits[i]);
        fr_double(&power, &power);
    }
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, packed->variable);
    constraint_system_enforce(cs, "packing constraint");
}

number pack_bits(constraint_system *cs, const boolean *bits, size_t count) {
    assert(count <= MULTIPACK_CAPACITY);
    fr value = FR_ZERO;
    if (cs->has_witness)
        packed_value(&value, bits, count);
    number packed = number_allocate(cs, &value);
    enforce_packing(cs, bits, count, &packed);
    return packed;
}

void pack_into_inputs(constraint_system *cs, const boolean *bits, size_t count) {
    for (size_t begin = 0; begin < count; begin += MULTIPACK_CAPACITY) {
        size_t length = count - begin < MULTIPACK_CAPACITY ? count - begin : MULTIPACK_CAPACITY;
        fr value = FR_ZERO;
        if (cs->has_witness)
            packed_value(&value, bits + begin, length);
        number input = number_allocate_input(cs, &value);
        enforce_packing(cs, bits + begin, length, &input);
    }
}

void reverse_bit_numbering(boolean *out, const boolean *bits, size_t count) {
    for (size_t byte = 0; byte < (count + 7) / 8; byte++)
        for (size_t i = 0; i < 8; i++) {
            size_t from = 8 * byte + 7 - i;
            out[8 * byte + i] = from < count ? bits[from] : boolean_constant(false);
        }
}
