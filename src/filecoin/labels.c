#include "filecoin/labels.h"

#include <blst.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

enum { NODES_AT_ONCE = 1 << 14, HEADER_BYTES = 64, PARENT_COUNT = DRG_DEGREE + EXPANDER_DEGREE };

/* The parents of consecutive nodes, found in parallel ahead of their labels. */
typedef struct {
    const stacked_graph *graph;
    uint64_t first;
    bool expander; /* the first layer needs none */
    uint32_t (*parents)[PARENT_COUNT];
} parent_block;

static void find_parents(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const parent_block *block = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t node = (uint32_t)(block->first + i);
        stacked_graph_drg_parents(block->graph, node, block->parents[i]);
        if (block->expander)
            stacked_graph_expander_parents(block->graph, node, block->parents[i] + DRG_DEGREE);
    }
}

/* A label's message: a header of replica id, layer and node, and the parents, repeated up to LABEL_PARENTS. */
typedef struct {
    uint8_t bytes[HEADER_BYTES + NODE_BYTES * LABEL_PARENTS];
} label_message;

static void set_parents(label_message *message, const uint8_t *layer, const uint8_t *layer_below, const uint32_t *parents) {
    unsigned count = layer_below ? PARENT_COUNT : DRG_DEGREE;
    uint8_t *next = message->bytes + HEADER_BYTES;
    for (unsigned i = 0; i < count; i++, next += NODE_BYTES)
        memcpy(next, (i < DRG_DEGREE ? layer : layer_below) + (size_t)NODE_BYTES * parents[i], NODE_BYTES);
    size_t period = (size_t)NODE_BYTES * count, left = NODE_BYTES * (size_t)(LABEL_PARENTS - count);
    for (; left > period; left -= period, next += period)
        memcpy(next, next - period, period);
    memcpy(next, next - period, left);
}

static void label_block(uint8_t *layer, const uint8_t *layer_below, const parent_block *block, size_t count,
                        label_message *message) {
    for (size_t i = 0; i < count; i++) {
        uint64_t node = block->first + i;
        uint8_t *label = layer + NODE_BYTES * node;
        store_u64_be(message->bytes + 36, node);
        if (node > 0)
            set_parents(message, layer, layer_below, block->parents[i]);
        blst_sha256(label, message->bytes, node > 0 ? sizeof message->bytes : HEADER_BYTES);
        label[NODE_BYTES - 1] &= 0x3f;
    }
}

static cuzk_status generate_layer(uint8_t *layer, const uint8_t *layer_below, const sector_shape *shape, label_message *message,
                                  parent_block *block, thread_pool *pool, progress *job, cuzk_error *error) {
    block->expander = layer_below != NULL;
    for (block->first = 0; block->first < sector_nodes(shape); block->first += NODES_AT_ONCE) {
        TRY(progress_check(job, error));
        uint64_t left = sector_nodes(shape) - block->first;
        size_t count = left < NODES_AT_ONCE ? (size_t)left : NODES_AT_ONCE;
        parallel_for(pool, count, 256, find_parents, block);
        label_block(layer, layer_below, block, count, message);
        progress_advance(job, count);
    }
    return CUZK_OK;
}

cuzk_status generate_labels(uint8_t *const layers[], const sector_shape *shape, const stacked_graph *graph,
                            const uint8_t replica_id[32], thread_pool *pool, progress *job, cuzk_error *error) {
    parent_block block = {.graph = graph, .parents = allocate(NODES_AT_ONCE, sizeof *block.parents)};
    label_message message = {{0}};
    memcpy(message.bytes, replica_id, 32);
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; i < shape->layers && status == CUZK_OK; i++) {
        store_u32_be(message.bytes + 32, i + 1);
        status = generate_layer(layers[i], i == 0 ? NULL : layers[i - 1], shape, &message, &block, pool, job, error);
    }
    free(block.parents);
    return status;
}
