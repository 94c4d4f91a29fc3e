#include "filecoin/xorshift.h"

#include <string.h>

#include "base/bytes.h"

/* One step of PCG32 (XSH RR), which rand_core expands a 64-bit seed with. */
static uint32_t next_seed_word(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(11634580027462260723);
    uint32_t mixed = (uint32_t)(((*state >> 18) ^ *state) >> 27);
    unsigned turn = (unsigned)(*state >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

xorshift xorshift_seeded(uint64_t seed) {
    xorshift generator;
    generator.x = next_seed_word(&seed);
    generator.y = next_seed_word(&seed);
    generator.z = next_seed_word(&seed);
    generator.w = next_seed_word(&seed);
    if ((generator.x | generator.y | generator.z | generator.w) == 0) /* the one state that never changes */
        generator.x = generator.y = generator.z = generator.w = 0x0BAD5EED;
    return generator;
}

static uint32_t next_word(xorshift *generator) {
    uint32_t t = generator->x ^ generator->x << 11;
    generator->x = generator->y;
    generator->y = generator->z;
    generator->z = generator->w;
    generator->w ^= generator->w >> 19 ^ t ^ t >> 8;
    return generator->w;
}

void xorshift_bytes(xorshift *generator, void *bytes, size_t count) {
    uint8_t *next = bytes;
    while (count > 0) {
        uint8_t words[8];
        size_t drawn = count > 4 ? 8 : 4;
        for (size_t i = 0; i < drawn; i += 4)
            store_u32_le(words + i, next_word(generator));
        size_t taken = count < drawn ? count : drawn;
        memcpy(next, words, taken);
        next += taken;
        count -= taken;
    }
}

void xorshift_element(xorshift *generator, uint8_t element[32]) {
    xorshift_bytes(generator, element, 32);
    element[31] &= 0x3f;
}
