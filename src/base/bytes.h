/* Integers in byte strings, and hexadecimal text. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t load_u32_be(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint32_t load_u32_le(const uint8_t *p) {
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}
static inline uint64_t load_u64_le(const uint8_t *p) {
    return (uint64_t)load_u32_le(p + 4) << 32 | load_u32_le(p);
}
static inline void store_u32_be(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}
static inline void store_u64_be(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}
static inline void store_u32_le(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}
static inline void store_u64_le(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* Writes 2 * length lower-case digits and a NUL to text. */
void hex_encode(char *text, const uint8_t *bytes, size_t length);

/* Reads exactly 2 * length digits (either case, an optional "0x" in front) and nothing more; false otherwise. */
bool hex_decode(uint8_t *bytes, size_t length, const char *text);

#endif
