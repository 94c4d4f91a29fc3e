#include "filecoin/hashes.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <string.h>

#include "base/bytes.h"

/* Fetched once: a fetch costs more than a hash. Neither is ever freed. */
static pthread_once_t fetched = PTHREAD_ONCE_INIT;
static EVP_MD *blake2b_digest;
static EVP_MAC *blake2b_mac;

static void fetch(void) {
    blake2b_digest = EVP_MD_fetch(NULL, "BLAKE2B-512", NULL);
    blake2b_mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    assert(blake2b_digest != NULL && blake2b_mac != NULL);
}

void blake2b_512(uint8_t hash[64], const void *bytes, size_t length) {
    pthread_once(&fetched, fetch);
    int done = EVP_Digest(bytes, length, hash, NULL, blake2b_digest, NULL);
    assert(done == 1);
    (void)done;
}

void blake2b_256_keyed(uint8_t hash[32], const void *key, size_t key_length, const void *bytes, size_t length) {
    pthread_once(&fetched, fetch);
    size_t size = 32;
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(blake2b_mac);
    bool done = context != NULL && EVP_MAC_init(context, key, key_length, parameters) == 1 &&
                EVP_MAC_update(context, bytes, length) == 1 && EVP_MAC_final(context, hash, &size, 32) == 1;
    assert(done && size == 32);
    (void)done;
    EVP_MAC_CTX_free(context);
}

void sha256_truncated(uint8_t hash[32], const void *bytes, size_t length) {
    SHA256(bytes, length, hash);
    hash[31] &= 0x3f;
}

void sha256_node(uint8_t node[32], const uint8_t left[32], const uint8_t right[32]) {
    uint8_t children[64];
    memcpy(children, left, 32);
    memcpy(children + 32, right, 32);
    sha256_truncated(node, children, sizeof children);
}

void zero_comm_d(uint8_t comm_d[32], const sector_shape *shape) {
    memset(comm_d, 0, 32);
    for (unsigned level = 0; level < shape->node_bits; level++)
        sha256_node(comm_d, comm_d, comm_d);
}

void prover_id_of_miner(uint8_t prover_id[32], uint64_t miner_id) {
    memset(prover_id, 0, 32);
    for (; miner_id >= 0x80; miner_id >>= 7)
        *prover_id++ = (uint8_t)(miner_id | 0x80);
    *prover_id = (uint8_t)miner_id;
}

void compute_replica_id(uint8_t replica_id[32], const uint8_t prover_id[32], uint64_t sector_number, const uint8_t ticket[32],
                        const uint8_t comm_d[32], const uint8_t porep_id[32]) {
    uint8_t message[136];
    memcpy(message, prover_id, 32);
    store_u64_be(message + 32, sector_number);
    memcpy(message + 40, ticket, 32);
    memcpy(message + 72, comm_d, 32);
    memcpy(message + 104, porep_id, 32);
    sha256_truncated(replica_id, message, sizeof message);
}

void compute_label(uint8_t label[32], const uint8_t replica_id[32], unsigned layer, uint64_t node,
                   const uint8_t parents[LABEL_PARENTS][32]) {
    uint8_t message[64 + 32 * LABEL_PARENTS] = {0};
    memcpy(message, replica_id, 32);
    store_u32_be(message + 32, layer);
    store_u64_be(message + 36, node);
    memcpy(message + 64, parents, 32 * LABEL_PARENTS);
    sha256_truncated(label, message, sizeof message);
}
