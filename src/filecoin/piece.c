#include "filecoin/piece.h"

#include <string.h>

#include "base/memory.h"
#include "filecoin/fr32.h"
#include "filecoin/hashes.h"
#include "filecoin/merkle_tree.h"

static bool is_piece_size(uint64_t bytes) { return bytes >= FR32_PADDED_BLOCK_BYTES && (bytes & (bytes - 1)) == 0; }

cuzk_status piece_commitment(piece_info *piece, const uint8_t *padded, uint64_t bytes, thread_pool *pool, cuzk_error *error) {
    if (!is_piece_size(bytes))
        return failure(error, CUZK_BAD_INPUT, "piece: found %llu bytes, expected a power of two of at least 128",
                       (unsigned long long)bytes);
    big_buffer rows;
    uint64_t nodes = merkle_upper_nodes(bytes / NODE_BYTES, 2);
    TRY(big_buffer_allocate(&rows, nodes, NODE_BYTES, "tree of a piece", error));
    merkle_build_rows(rows.data, padded, bytes / NODE_BYTES, MERKLE_SHA256, 2, pool, NULL);
    piece->bytes = bytes;
    memcpy(piece->commitment, (uint8_t *)rows.data + NODE_BYTES * (nodes - 1), NODE_BYTES);
    big_buffer_free(&rows);
    return CUZK_OK;
}

/* Left-aligned subtrees of tree D, sizes falling; two of one size become one at once. At most one for each size. */
typedef struct {
    piece_info subtrees[MAX_NODE_BITS + 2];
    unsigned count;
} subtree_stack;

static void push(subtree_stack *stack, piece_info subtree) {
    while (stack->count > 0 && stack->subtrees[stack->count - 1].bytes == subtree.bytes) {
        sha256_node(subtree.commitment, stack->subtrees[--stack->count].commitment, subtree.commitment);
        subtree.bytes *= 2;
    }
    stack->subtrees[stack->count++] = subtree;
}

static piece_info zeros(uint64_t bytes) {
    piece_info piece = {.bytes = bytes};
    for (uint64_t size = NODE_BYTES; size < bytes; size *= 2)
        sha256_node(piece.commitment, piece.commitment, piece.commitment);
    return piece;
}

/* Fills up to a multiple of bytes: after this the last subtree, if there is one, is no smaller. */
static void align(subtree_stack *stack, uint64_t bytes) {
    while (stack->count > 0 && stack->subtrees[stack->count - 1].bytes < bytes)
        push(stack, zeros(stack->subtrees[stack->count - 1].bytes));
}

cuzk_status sector_data_commitment(uint8_t comm_d[NODE_BYTES], const sector_shape *shape, const piece_info *pieces, size_t count,
                                   cuzk_error *error) {
    subtree_stack stack = {.count = 0};
    uint64_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = pieces[i].bytes;
        if (!is_piece_size(bytes))
            return failure(error, CUZK_BAD_INPUT, "piece %zu: found %llu bytes, expected a power of two of at least 128", i,
                           (unsigned long long)bytes);
        uint64_t aligned = (filled + bytes - 1) / bytes * bytes;
        if (bytes > shape->bytes || aligned > shape->bytes - bytes)
            return failure(error, CUZK_BAD_INPUT, "piece %zu: its %llu bytes, behind %llu others, do not fit a sector of %s", i,
                           (unsigned long long)bytes, (unsigned long long)filled, shape->name);
        align(&stack, bytes);
        push(&stack, pieces[i]);
        filled = aligned + bytes;
    }
    if (count == 0)
        push(&stack, zeros(shape->bytes));
    align(&stack, shape->bytes);
    memcpy(comm_d, stack.subtrees[0].commitment, NODE_BYTES);
    return CUZK_OK;
}
