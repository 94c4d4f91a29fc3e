/* Field elements from bytes that this program made. Bytes from outside go through fr_from_bytes and its answer. */
#ifndef FILECOIN_TRUSTED_ELEMENT_H
#define FILECOIN_TRUSTED_ELEMENT_H

#include <assert.h>

#include "algebra/field.h"

/* 32 bytes little-endian, asserted to be canonical. */
static inline void trusted_element(fr *element, const uint8_t bytes[FR_BYTES]) {
    bool canonical = fr_from_bytes(element, bytes);
    assert(canonical);
    (void)canonical;
}

#endif
