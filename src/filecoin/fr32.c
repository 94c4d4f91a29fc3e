#include "filecoin/fr32.h"

#include <string.h>

#include "base/bytes.h"

enum { WORDS = 16 }; /* of 64 bits in a block, the last one a byte short */

/* Element i holds bits 254 i ... 254 i + 253 of the block: the words from 4 i on, shifted up by 2 i bits. */
static void pad_block(uint8_t padded[FR32_PADDED_BLOCK_BYTES], const uint8_t block[FR32_PADDED_BLOCK_BYTES]) {
    uint64_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = load_u64_le(block + 8 * i);
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned shift = i / 4 * 2;
        uint64_t word = shift == 0 ? words[i] : words[i] << shift | words[i - 1] >> (64 - shift);
        if (i % 4 == 3)
            word &= UINT64_MAX >> 2;
        store_u64_le(padded + 8 * i, word);
    }
}

void fr32_pad(uint8_t *padded, const uint8_t *data, uint64_t length) {
    for (; length > 0; padded += FR32_PADDED_BLOCK_BYTES) {
        uint8_t block[FR32_PADDED_BLOCK_BYTES] = {0};
        uint64_t taken = length < FR32_BLOCK_BYTES ? length : FR32_BLOCK_BYTES;
        memcpy(block, data, taken);
        pad_block(padded, block);
        data += taken;
        length -= taken;
    }
}
