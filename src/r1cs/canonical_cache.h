/* Canonical bytes of field elements, remembered: coefficients and most values of a circuit are a few small numbers. */
#ifndef R1CS_CANONICAL_CACHE_H
#define R1CS_CANONICAL_CACHE_H

#include "algebra/field.h"

enum { CANONICAL_CACHE_SLOTS = 1024 };

/* {0} is an empty cache. Direct mapped by the value's limbs. */
typedef struct {
    struct {
        fr value;
        uint8_t bytes[FR_BYTES];
    } slots[CANONICAL_CACHE_SLOTS];
} canonical_cache;

/* 32 bytes little-endian; valid until the next call. */
static inline const uint8_t *canonical_bytes(canonical_cache *cache, const fr *value) {
    /* Zero maps to slot 0, whose empty entry says what is right: zero is all zero bytes in both forms. No other value
     * equals an empty entry. */
    uint64_t mixed = (value->l[0] ^ value->l[1] ^ value->l[3]) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = mixed >> 54;
    if (!fr_equal(&cache->slots[slot].value, value)) {
        cache->slots[slot].value = *value;
        fr_to_bytes(cache->slots[slot].bytes, value);
    }
    return cache->slots[slot].bytes;
}

#endif
