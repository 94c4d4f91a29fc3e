#include "gadgets/uint32.h"

#include <assert.h>

uint32 uint32_constant(uint32_t value) {
    uint32 result = {.value = value};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = boolean_constant(value >> i & 1);
    return result;
}

uint32 uint32_allocate(constraint_system *cs, uint32_t value) {
    uint32 result = {.value = value};
    for (unsigned i = 0; i < 32; i++) {
        namespace_push_index(cs, "allocated bit", i);
        result.bits[i] = boolean_allocate(cs, value >> i & 1);
        namespace_pop(cs);
    }
    return result;
}

uint32 uint32_from_bits_be(const boolean bits[32]) {
    uint32 result = {.value = 0};
    for (unsigned i = 0; i < 32; i++) {
        result.bits[i] = bits[31 - i];
        result.value |= (uint32_t)bits[31 - i].value << i;
    }
    return result;
}

void uint32_to_bits_be(const uint32 *a, boolean bits[32]) {
    for (unsigned i = 0; i < 32; i++)
        bits[i] = a->bits[31 - i];
}

uint32 uint32_rotate_right(const uint32 *a, unsigned by) {
    assert(by < 32);
    uint32 result = {.value = a->value >> by | a->value << (-by & 31)};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = a->bits[(i + by) % 32];
    return result;
}

uint32 uint32_shift_right(const uint32 *a, unsigned by) {
    assert(by < 32);
    uint32 result = {.value = a->value >> by};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = i + by < 32 ? a->bits[i + by] : boolean_constant(false);
    return result;
}

uint32 uint32_xor(constraint_system *cs, const uint32 *a, const uint32 *b) {
    uint32 result = {.value = a->value ^ b->value};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = boolean_xor(cs, a->bits[i], b->bits[i]);
    return result;
}

uint32 uint32_sha256_ch(constraint_system *cs, const uint32 *a, const uint32 *b, const uint32 *c) {
    uint32 result = {.value = (a->value & b->value) ^ (~a->value & c->value)};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = boolean_sha256_ch(cs, a->bits[i], b->bits[i], c->bits[i]);
    return result;
}

uint32 uint32_sha256_maj(constraint_system *cs, const uint32 *a, const uint32 *b, const uint32 *c) {
    uint32 result = {.value = (a->value & b->value) ^ (a->value & c->value) ^ (b->value & c->value)};
    for (unsigned i = 0; i < 32; i++)
        result.bits[i] = boolean_sha256_maj(cs, a->bits[i], b->bits[i], c->bits[i]);
    return result;
}

uint32 uint32_add_many(multieq *equations, const uint32 *const *operands, size_t count) {
    assert(count >= 2 && count <= MULTIEQ_MAX_OPERANDS);
    uint64_t sum = 0;
    bool all_constant = true;
    for (size_t k = 0; k < count; k++) {
        sum += operands[k]->value;
        for (unsigned i = 0; i < 32; i++)
            all_constant &= boolean_is_constant(operands[k]->bits[i]);
    }
    if (all_constant)
        return uint32_constant((uint32_t)sum);

    unsigned width = 0;
    boolean bits[36]; /* 10 * (2^32 - 1) < 2^36 */
    for (uint64_t greatest = count * UINT64_C(0xffffffff); greatest; greatest >>= 1) {
        bits[width] = boolean_allocate(equations->cs, sum >> width & 1);
        width++;
    }

    /* Only now: the constraint of the earlier equations follows the new bits. */
    multieq_open(equations, width);
    for (size_t k = 0; k < count; k++)
        for (unsigned i = 0; i < 32; i++)
            multieq_add(equations, i, operands[k]->bits[i]);
    multieq_close(equations, bits, width);

    uint32 result = {.value = (uint32_t)sum};
    memcpy(result.bits, bits, sizeof result.bits);
    return result;
}
