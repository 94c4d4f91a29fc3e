/* What stays in a device's memory between proofs: the points of parameter files, query by query, and the bitmaps of their
 * circuits. What a proof needs besides always goes first: how much that is, the first proof with a file shows, and from the
 * second on its points stay as far as there is room beyond. Where there is not, what was used least recently makes room.
 *
 * For the thread that has the device (cuda_prover.c). */
#ifndef CUDA_KEPT_POINTS_H
#define CUDA_KEPT_POINTS_H

#include "cuda/device.h"
#include "groth16/parameters.h"

enum { KEPT_QUERIES = SECTION_COUNT - SECTION_H };

/* Of one circuit: the points of its queries, SECTION_H first, then the bitmap of each density and its ranks. */
enum { KEPT_DENSE = KEPT_QUERIES, KEPT_RANK = KEPT_DENSE + DENSITIES, KEPT_PARTS = KEPT_RANK + DENSITIES };

/* Device memory that is kept. Who gets it `filled` false fills it, and says so once that has succeeded. */
typedef struct {
    void *memory;
    size_t bytes;
    bool filled;
} kept_part;

typedef struct kept_circuit kept_circuit;
typedef struct kept_points kept_points;

kept_points *kept_points_create(device *d);
void kept_points_destroy(kept_points *kept);

/* Begins a proof with a parameter file, told by its path, size, time of modification and verifying key. Makes room for what
 * such a proof took before. Follow it by kept_points_end. */
kept_circuit *kept_points_begin(kept_points *kept, const parameters *p);
/* Gives up what was not filled. `whole`: the proof had all its sums, so that the memory it took is known. */
void kept_points_end(kept_circuit *c, bool whole);

/* The part's memory; NULL if there is no room to keep it. */
kept_part *kept_part_take(kept_circuit *c, unsigned part, size_t bytes);
/* The host's copy of a kept bitmap, of the part's bytes, to tell whether it is the wanted one; its contents are the caller's. */
uint64_t *kept_host_bitmap(kept_circuit *c, int which);

/* Gives up everything of a file. */
void kept_points_forget(kept_points *kept, const parameters *p);
/* Gives up everything; false if there was nothing. Not between begin and end. */
bool kept_points_forget_all(kept_points *kept);
uint64_t kept_points_bytes(const kept_points *kept);

#endif
