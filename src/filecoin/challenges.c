#include "filecoin/challenges.h"

#include <openssl/sha.h>

#include "base/bytes.h"
#include "filecoin/chacha.h"
#include "filecoin/hashes.h"
#include "gadgets/poseidon.h"

enum { SYNTHETIC_CHACHA_ROUNDS = 20, CHALLENGES_PER_BLOCK = 2, INDICES_PER_BLOCK = CHACHA_WORDS };

/* A 256-bit little-endian integer modulo modulus, below 2^32. */
static uint64_t reduce(const uint32_t words[8], uint64_t modulus) {
    uint64_t remainder = 0;
    for (unsigned i = 8; i-- > 0;)
        remainder = (remainder << 32 | words[i]) % modulus;
    return remainder;
}

/* Node 0 is never challenged: it has no parents. */
static uint64_t challenge_from_words(const uint32_t words[8], const sector_shape *shape) {
    return reduce(words, sector_nodes(shape) - 1) + 1;
}

static uint64_t challenge_from_hash(const uint8_t *message, size_t length, const sector_shape *shape) {
    uint8_t hash[32];
    uint32_t words[8];
    SHA256(message, length, hash);
    for (unsigned i = 0; i < 8; i++)
        words[i] = load_u32_le(hash + 4 * i);
    return challenge_from_words(words, shape);
}

/* A block of the ChaCha20 stream (RFC 8439 layout) whose key is a keyed BLAKE2b of two 32-byte strings. */
static void synthetic_block(uint32_t words[CHACHA_WORDS], const char *tag, const uint8_t first[32], const uint8_t second[32],
                            uint32_t block) {
    static const uint8_t nonce[12] = "synth-porep";
    uint8_t message[64], key[32];
    memcpy(message, first, 32);
    memcpy(message + 32, second, 32);
    blake2b_256_keyed(key, tag, strlen(tag), message, sizeof message);
    const uint32_t counter_and_nonce[4] = {block, load_u32_le(nonce), load_u32_le(nonce + 4), load_u32_le(nonce + 8)};
    chacha_block(words, key, counter_and_nonce, SYNTHETIC_CHACHA_ROUNDS);
}

uint64_t synthetic_challenge_count(const sector_shape *shape) {
    return sector_nodes(shape) < MAX_SYNTHETIC_CHALLENGES ? sector_nodes(shape) : MAX_SYNTHETIC_CHALLENGES;
}

uint64_t synthetic_challenge(const sector_shape *shape, const uint8_t replica_id[32], const uint8_t comm_r[32], uint64_t index) {
    uint32_t words[CHACHA_WORDS];
    synthetic_block(words, "filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id, comm_r,
                    (uint32_t)(index / CHALLENGES_PER_BLOCK));
    return challenge_from_words(words + 8 * (index % CHALLENGES_PER_BLOCK), shape);
}

/* Which member of the synthetic set the k-th challenge of all partitions is. */
static uint64_t synthetic_index(const sector_shape *shape, const uint8_t replica_id[32], const uint8_t seed[32], uint32_t k) {
    uint32_t words[CHACHA_WORDS];
    synthetic_block(words, "filecoin.io|PoRep|1|Synthetic|1|Selection", replica_id, seed, k / INDICES_PER_BLOCK);
    return words[k % INDICES_PER_BLOCK] % synthetic_challenge_count(shape);
}

void porep_challenges(uint64_t *challenges, const registered_proof *proof, const uint8_t replica_id[32],
                      const uint8_t comm_r[32], const uint8_t seed[32], unsigned partition) {
    static const char tag[] = "filecoin.io|PoRep|1|NonInteractive|1";
    const sector_shape *shape = proof->shape;
    /* What is hashed ends in the challenge's number over all partitions. */
    uint8_t message[sizeof tag - 1 + 32 + 32 + 4];
    size_t length = 0;
    bool non_interactive = proof->feature == POREP_NON_INTERACTIVE;
    if (non_interactive) {
        memcpy(message, tag, sizeof tag - 1);
        length = sizeof tag - 1;
    }
    memcpy(message + length, replica_id, 32);
    memcpy(message + length + 32, non_interactive ? comm_r : seed, 32);
    length += 64;
    for (unsigned i = 0; i < shape->porep_challenges; i++) {
        uint32_t k = shape->porep_challenges * partition + i;
        store_u32_le(message + length, k);
        if (proof->feature == POREP_SYNTHETIC)
            challenges[i] = synthetic_challenge(shape, replica_id, comm_r, synthetic_index(shape, replica_id, seed, k));
        else
            challenges[i] = challenge_from_hash(message, length + 4, shape);
    }
}

/* The first 8 bytes, little-endian, of the SHA-256 of a message. */
static uint64_t hash_to_u64(const uint8_t *message, size_t length) {
    uint8_t hash[32];
    SHA256(message, length, hash);
    return load_u64_le(hash);
}

uint64_t winning_sector_challenge(const uint8_t randomness[32], const uint8_t prover_id[32], uint64_t n, uint64_t sector_count) {
    uint8_t message[72];
    memcpy(message, prover_id, 32);
    memcpy(message + 32, randomness, 32);
    store_u64_le(message + 64, n);
    return hash_to_u64(message, sizeof message) % sector_count;
}

uint64_t post_leaf_challenge(const sector_shape *shape, const uint8_t randomness[32], uint64_t sector_number,
                             uint64_t challenge_index) {
    uint8_t message[48];
    memcpy(message, randomness, 32);
    store_u64_le(message + 32, sector_number);
    store_u64_le(message + 40, challenge_index);
    return hash_to_u64(message, sizeof message) % sector_nodes(shape);
}

uint64_t post_challenge_index(const registered_proof *proof, uint64_t sector_position, unsigned n) {
    return proof->api == API_V1_2 ? n : sector_position * post_circuit_challenges(proof->kind) + n;
}

void snap_challenges(uint64_t *challenges, const sector_shape *shape, const fr *comm_r_new, unsigned partition) {
    unsigned partition_bits = (unsigned)__builtin_ctz(shape->snap_partitions);
    unsigned bits = shape->node_bits - partition_bits; /* random ones; the partition's number is put in front */
    unsigned per_digest = (FR_BITS - 1) / bits;
    unsigned digests = (shape->snap_challenges + per_digest - 1) / per_digest;
    uint8_t digest[32];
    for (unsigned i = 0; i < shape->snap_challenges; i++) {
        if (i % per_digest == 0) {
            fr preimage[2] = {*comm_r_new}, hash;
            fr_from_u64(&preimage[1], (uint64_t)partition * digests + i / per_digest);
            poseidon_hash(&hash, POSEIDON_RANDOMNESS, preimage, 2);
            fr_to_bytes(digest, &hash);
        }
        uint64_t challenge = (uint64_t)partition << bits;
        for (unsigned j = 0; j < bits; j++) {
            unsigned bit = i % per_digest * bits + j;
            challenge |= (uint64_t)(digest[bit / 8] >> (bit % 8) & 1) << j;
        }
        challenges[i] = challenge;
    }
}

void snap_phi(fr *phi, const fr *comm_d_new, const fr *comm_r_old) {
    const fr preimage[2] = {*comm_d_new, *comm_r_old};
    poseidon_hash(phi, POSEIDON_RANDOMNESS, preimage, 2);
}

void snap_rho(fr *rho, const fr *phi, uint64_t high) {
    fr preimage[2] = {*phi};
    fr_from_u64(&preimage[1], high);
    poseidon_hash(rho, POSEIDON_RANDOMNESS, preimage, 2);
}
