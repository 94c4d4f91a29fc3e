/* The hash of one block of a digest (digest.h), and what goes into it. */
#ifndef R1CS_BLOCK_HASH_H
#define R1CS_BLOCK_HASH_H

#include <openssl/types.h>

#include "r1cs/canonical_cache.h"
#include "r1cs/digest.h"

/* Bytes go through a buffer into SHA-256. */
typedef struct {
    EVP_MD_CTX *hash;
    uint8_t *buffer;
    size_t length;
} block_hash;

void block_hash_init(block_hash *hash);
void block_hash_free(block_hash *hash);

/* Room for `bytes` more (a few hundred at most), which the caller fills before the next call. */
uint8_t *block_hash_reserve(block_hash *hash, size_t bytes);
/* Appends A, B or C of a constraint as r1cs digests have it. */
void block_hash_terms(block_hash *hash, canonical_cache *cache, const linear_combination *lc);

/* Writes the digest of what came in, and begins anew. */
void block_hash_finish(block_hash *hash, uint8_t digest[32]);

/* Sets digests->total. */
void block_digests_total(block_digests *digests);

/* The class of a canonical value: 0 for 0, 1 for 1, 2, 3, 4 below 2^8, 2^32, 2^64, else 5. */
unsigned value_class(const uint8_t bytes[FR_BYTES]);

#endif
