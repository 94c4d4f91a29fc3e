/* Commitments to pieces of data and what they give for a sector (filecoin-proofs, pieces.rs). */
#ifndef FILECOIN_PIECE_H
#define FILECOIN_PIECE_H

#include "base/error.h"
#include "base/threads.h"
#include "filecoin/sector_shape.h"

typedef struct {
    uint64_t bytes; /* padded: a power of two, at least 128 */
    uint8_t commitment[NODE_BYTES];
} piece_info;

/* The root of tree D over `bytes` bytes of Fr32-padded data. */
cuzk_status piece_commitment(piece_info *piece, const uint8_t *padded, uint64_t bytes, thread_pool *pool, cuzk_error *error);

/* comm_d of a sector that holds the pieces in this order, each at the next multiple of its size, and zeros between and
 * behind them. CUZK_BAD_INPUT if a size is not a power of two of at least 128, or if they do not fit the sector. */
cuzk_status sector_data_commitment(uint8_t comm_d[NODE_BYTES], const sector_shape *shape, const piece_info *pieces, size_t count,
                                   cuzk_error *error);

#endif
