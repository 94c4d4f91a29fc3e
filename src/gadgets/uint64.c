#include "gadgets/uint64.h"

#include "gadgets/multipack.h"

uint64 uint64_constant(uint64_t value) {
    uint64 result = {.value = value};
    for (unsigned i = 0; i < 64; i++)
        result.bits[i] = boolean_constant(value >> i & 1);
    return result;
}

uint64 uint64_allocate(constraint_system *cs, uint64_t value) {
    uint64 result = {.value = value};
    for (unsigned i = 0; i < 64; i++) {
        namespace_push_index(cs, "allocated bit", i);
        result.bits[i] = boolean_allocate(cs, value >> i & 1);
        namespace_pop(cs);
    }
    return result;
}

void uint64_pack_into_input(constraint_system *cs, const uint64 *a) { pack_into_inputs(cs, a->bits, 64); }

void uint64_to_bits_be(const uint64 *a, boolean bits[64]) {
    for (unsigned i = 0; i < 64; i++)
        bits[i] = a->bits[63 - i];
}
