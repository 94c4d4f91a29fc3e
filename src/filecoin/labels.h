/* The labels of a sector: the slow, sequential part of sealing (storage-proofs-porep, stacked/vanilla/create_label). */
#ifndef FILECOIN_LABELS_H
#define FILECOIN_LABELS_H

#include "base/progress.h"
#include "base/threads.h"
#include "filecoin/graph.h"

/* Computes shape->layers layers into layers[0], layers[1], ..., each of shape->bytes. The graph is the shape's. Labels are
 * made one after another; the pool finds the parents. Progress advances by one for each label.
 * CUZK_CANCELLED if the job is cancelled, with the layers unfinished. */
cuzk_status generate_labels(uint8_t *const layers[], const sector_shape *shape, const stacked_graph *graph,
                            const uint8_t replica_id[32], thread_pool *pool, progress *job, cuzk_error *error);

#endif
