/* Marsaglia's xorshift with 128 bits of state, seeded and drawn from as the Rust crates rand_xorshift 0.3 and rand_core 0.6
 * do (XorShiftRng::seed_from_u64, fill_bytes): the same seed gives test sectors of equal content here and there. Fast and
 * reproducible; never for secrets. */
#ifndef FILECOIN_XORSHIFT_H
#define FILECOIN_XORSHIFT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t x, y, z, w;
} xorshift;

xorshift xorshift_seeded(uint64_t seed);

/* Fills count bytes. Two calls give the bytes of one only if the first asks for a multiple of 8. */
void xorshift_bytes(xorshift *generator, void *bytes, size_t count);

/* 32 bytes below 2^254: a canonical field element, little-endian. */
void xorshift_element(xorshift *generator, uint8_t element[32]);

#endif
