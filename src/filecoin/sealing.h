/* Sealing test sectors in memory: what a sealing rig does to a sector, for sizes where that takes minutes at most
 * (filecoin-proofs, api/seal.rs and api/update.rs; storage-proofs-porep, stacked/vanilla/proof.rs). */
#ifndef FILECOIN_SEALING_H
#define FILECOIN_SEALING_H

#include "base/memory.h"
#include "filecoin/graph.h"
#include "filecoin/sector_view.h"

/* The largest sector that is sealed: in memory it takes about six times its size. */
#define SEALING_MAX_BYTES (UINT64_C(1) << 30)

typedef struct {
    const sector_shape *shape;
    api_version api;
    uint8_t porep_id[32], prover_id[32], ticket[32];
    uint64_t sector_number;
} seal_parameters;

/* Trees are base trees one after another, each its leaves and then its rows. */
typedef struct {
    const sector_shape *shape;
    uint8_t replica_id[32];
    uint8_t comm_d[32], comm_r[32], comm_c[32], comm_r_last[32]; /* canonical */
    big_buffer replica;
    big_buffer layers[MAX_LAYERS];
    big_buffer data_tree;
    big_buffer column_tree;
    big_buffer replica_rows; /* of tree R, without leaves and the lowest replica_discarded_rows */
} sealed_sector;

/* Seals fr32_unpadded_size(shape->bytes) bytes of data. Free with sealed_sector_free, after a failure too.
 * CUZK_BAD_INPUT if the sector exceeds SEALING_MAX_BYTES; CUZK_NO_MEMORY; CUZK_CANCELLED. */
cuzk_status seal_sector(sealed_sector *sector, const seal_parameters *parameters, const uint8_t *data, thread_pool *pool,
                        progress *job, cuzk_error *error);
void sealed_sector_free(sealed_sector *sector);

/* Opens a sealed sector for proofs; it and `stored` must outlive the view. */
cuzk_status sealed_sector_view(sector_view *view, stored_sector *stored, const sealed_sector *sector, cuzk_error *error);

/* A sector whose data was replaced (SnapDeals): the replica that encodes new data. Its comm_c is that of the old one. */
typedef struct {
    const sector_shape *shape;
    uint8_t comm_d[32], comm_r[32], comm_c[32], comm_r_last[32];
    big_buffer replica;
    big_buffer data_tree;
    big_buffer replica_rows;
} updated_sector;

/* Encodes fr32_unpadded_size(shape->bytes) bytes of data into the replica of an old sector, whose tree R the view has.
 * CUZK_BAD_INPUT as above or if the replica is not of field elements. Free with updated_sector_free, after a failure too. */
cuzk_status update_sector(updated_sector *sector, const sector_view *old, const uint8_t *data, thread_pool *pool, progress *job,
                          cuzk_error *error);
void updated_sector_free(updated_sector *sector);

/* Opens an updated sector for proofs, like sealed_sector_view. */
cuzk_status updated_sector_view(sector_view *view, stored_sector *stored, const updated_sector *sector, cuzk_error *error);

#endif
