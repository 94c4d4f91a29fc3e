#include "r1cs/block_hash.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/bytes.h"

enum { HASH_BUFFER_BYTES = 1 << 16, TERM_BYTES = 8 + FR_BYTES };

static void start(EVP_MD_CTX *hash) {
    int done = EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
    assert(done == 1);
    (void)done;
}

void block_hash_init(block_hash *hash) {
    *hash = (block_hash){.hash = EVP_MD_CTX_new(), .buffer = allocate(HASH_BUFFER_BYTES, 1)};
    assert(hash->hash);
    start(hash->hash);
}

void block_hash_free(block_hash *hash) {
    EVP_MD_CTX_free(hash->hash);
    free(hash->buffer);
    *hash = (block_hash){0};
}

static void flush(block_hash *hash) {
    EVP_DigestUpdate(hash->hash, hash->buffer, hash->length);
    hash->length = 0;
}

uint8_t *block_hash_reserve(block_hash *hash, size_t bytes) {
    assert(bytes <= HASH_BUFFER_BYTES);
    if (hash->length + bytes > HASH_BUFFER_BYTES)
        flush(hash);
    uint8_t *at = hash->buffer + hash->length;
    hash->length += bytes;
    return at;
}

void block_hash_terms(block_hash *hash, canonical_cache *cache, const linear_combination *lc) {
    uint32_t count = 0;
    for (size_t i = 0; i < lc->count; i++)
        count += !fr_is_zero(&lc->terms[i].coefficient);
    store_u32_le(block_hash_reserve(hash, 4), count);
    for (size_t i = 0; i < lc->count; i++) {
        const term *t = &lc->terms[i];
        if (fr_is_zero(&t->coefficient))
            continue;
        uint8_t *at = block_hash_reserve(hash, TERM_BYTES);
        store_u64_le(at, variable_index(t->variable) | (variable_is_aux(t->variable) ? UINT64_C(1) << 63 : 0));
        memcpy(at + 8, canonical_bytes(cache, &t->coefficient), FR_BYTES);
    }
}

void block_hash_finish(block_hash *hash, uint8_t digest[32]) {
    flush(hash);
    EVP_DigestFinal_ex(hash->hash, digest, NULL);
    start(hash->hash);
}

void block_digests_total(block_digests *digests) {
    block_hash hash;
    block_hash_init(&hash);
    for (size_t i = 0; i < digests->count; i++)
        memcpy(block_hash_reserve(&hash, 32), digests->blocks[i], 32);
    block_hash_finish(&hash, digests->total);
    block_hash_free(&hash);
}

unsigned value_class(const uint8_t bytes[FR_BYTES]) {
    int top = FR_BYTES - 1;
    while (top >= 0 && bytes[top] == 0)
        top--;
    if (top < 0)
        return 0;
    if (top == 0)
        return bytes[0] == 1 ? 1 : 2;
    return top < 4 ? 3 : top < 8 ? 4 : 5;
}
