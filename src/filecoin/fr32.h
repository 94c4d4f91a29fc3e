/* Fr32 padding: arbitrary bytes as field elements. Two zero bits follow every 254 bits, least significant first, so that
 * 127 bytes become 4 elements of 32 bytes (crate fr32). */
#ifndef FILECOIN_FR32_H
#define FILECOIN_FR32_H

#include <stdint.h>

enum { FR32_BLOCK_BYTES = 127, FR32_PADDED_BLOCK_BYTES = 128 };

/* Bytes of data that fill padded bytes (a multiple of 128). */
static inline uint64_t fr32_unpadded_size(uint64_t padded) { return padded / FR32_PADDED_BLOCK_BYTES * FR32_BLOCK_BYTES; }

/* Pads length bytes of data, as if zeros followed them up to a multiple of 127, into 128 bytes for each block of 127
 * begun. No overlap. */
void fr32_pad(uint8_t *padded, const uint8_t *data, uint64_t length);

#endif
