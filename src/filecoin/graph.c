#include "filecoin/graph.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/bytes.h"
#include "filecoin/blake2b.h"
#include "filecoin/chacha.h"

enum { FEISTEL_ROUNDS = 3, GRAPH_CHACHA_ROUNDS = 8 };

static void derive_seed(uint8_t seed[32], const char *tag, const uint8_t porep_id[32]) {
    uint8_t message[64];
    size_t length = strlen(tag);
    memcpy(message, tag, length);
    memcpy(message + length, porep_id, 32);
    SHA256(message, length + 32, seed);
}

void stacked_graph_init(stacked_graph *graph, const sector_shape *shape, const uint8_t porep_id[32], api_version api) {
    uint8_t seed[32];
    graph->nodes = sector_nodes(shape);
    graph->api = api;
    derive_seed(seed, "Filecoin_DRSample", porep_id);
    memcpy(graph->drg_seed, seed, sizeof graph->drg_seed);
    derive_seed(seed, "Filecoin_Feistel", porep_id);
    for (unsigned i = 0; i < 4; i++)
        graph->feistel_keys[i] = load_u64_le(seed + 8 * i);
    /* 8 * nodes is 2^(node_bits + 3): half of its bits, rounded up. */
    graph->half_bits = (shape->node_bits + 4) / 2;
}

/* Words of a ChaCha8 stream, two at a time (rand_chacha: original layout, nonce 0). */
typedef struct {
    uint8_t key[32];
    uint32_t words[CHACHA_WORDS];
    uint32_t block;
    unsigned used; /* words of the current block */
} word_stream;

static uint64_t next_u64(word_stream *stream) {
    if (stream->used == CHACHA_WORDS) {
        const uint32_t counter[4] = {stream->block++, 0, 0, 0};
        chacha_block(stream->words, stream->key, counter, GRAPH_CHACHA_ROUNDS);
        stream->used = 0;
    }
    uint64_t low = stream->words[stream->used], high = stream->words[stream->used + 1];
    stream->used += 2;
    return high << 32 | low;
}

/* ceil(log2(x)) for x >= 2. */
static unsigned ceil_log2(uint64_t x) { return 64 - (unsigned)__builtin_clzll(x - 1); }

void stacked_graph_drg_parents(const stacked_graph *graph, uint32_t node, uint32_t parents[DRG_DEGREE]) {
    if (node < 2) {
        memset(parents, 0, DRG_DEGREE * sizeof *parents);
        return;
    }
    word_stream stream = {.used = CHACHA_WORDS};
    memcpy(stream.key, graph->drg_seed, sizeof graph->drg_seed);
    store_u32_le(stream.key + sizeof graph->drg_seed, node);

    /* Each node stands for five of a metagraph in which every node has two parents: its predecessor and one whose
     * distance is uniform in a bucket, all buckets (powers of two) being equally likely. */
    enum { SAMPLED = DRG_DEGREE - 1 };
    uint64_t meta_node = (uint64_t)node * SAMPLED;
    unsigned buckets = ceil_log2(meta_node);
    uint32_t *sampled = graph->api == API_V1_0 ? parents : parents + 1;
    for (unsigned i = 0; i < SAMPLED; i++) {
        uint64_t largest = UINT64_C(2) << next_u64(&stream) % buckets;
        if (largest > meta_node)
            largest = meta_node;
        uint64_t smallest = largest / 2 > 2 ? largest / 2 : 2;
        uint64_t distance = smallest + next_u64(&stream) % (largest - smallest + 1);
        uint32_t parent = (uint32_t)((meta_node - distance) / SAMPLED);
        sampled[i] = parent == node ? node - 1 : parent;
    }
    parents[graph->api == API_V1_0 ? DRG_DEGREE - 1 : 0] = node - 1;
}

/* The round function: the first 8 bytes, big-endian, of BLAKE2b over the half and the key. */
static uint64_t feistel_round(uint64_t half, uint64_t key) {
    uint8_t message[16];
    store_u64_be(message, half);
    store_u64_be(message + 8, key);
    return __builtin_bswap64(blake2b_512_first_word(message, sizeof message));
}

static uint64_t permute(const stacked_graph *graph, uint64_t index) {
    uint64_t mask = (UINT64_C(1) << graph->half_bits) - 1;
    do { /* walk the cycle until it is back in the range */
        uint64_t left = index >> graph->half_bits & mask, right = index & mask;
        for (unsigned i = 0; i < FEISTEL_ROUNDS; i++) {
            uint64_t next = left ^ (feistel_round(right, graph->feistel_keys[i]) & mask);
            left = right;
            right = next;
        }
        index = left << graph->half_bits | right;
    } while (index >= graph->nodes * EXPANDER_DEGREE);
    return index;
}

void stacked_graph_expander_parents(const stacked_graph *graph, uint32_t node, uint32_t parents[EXPANDER_DEGREE]) {
    for (unsigned i = 0; i < EXPANDER_DEGREE; i++) {
        uint64_t index = permute(graph, (uint64_t)node * EXPANDER_DEGREE + i);
        /* Version 1.0 cuts the index to 32 bits before it divides. */
        parents[i] = graph->api == API_V1_0 ? (uint32_t)index / EXPANDER_DEGREE : (uint32_t)(index / EXPANDER_DEGREE);
    }
}
