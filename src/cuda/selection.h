/* Which auxiliary variables have a point in a query, and which values: bitmaps over the variables, in words of 64 as
 * r1cs/bit_words.h has them, in the device's memory. */
#ifndef CUDA_SELECTION_H
#define CUDA_SELECTION_H

#include "cuda/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the words first_word .. end_word - 1. Point number rank[w] of the query belongs to the first dense variable of word w. */
typedef struct {
    const uint64_t *dense; /* the variables that have points; NULL: all, and then rank is not looked at */
    const uint32_t *rank;
    size_t first_word, end_word;
    uint32_t first_point; /* of the points at hand: what is numbered is point number - first_point */
} device_selection;

/* ranks[w] = the bits of `words` before word w, ranks[count] all; scratch has selection_scratch_words(count). */
size_t selection_scratch_words(size_t count);
cuzk_status device_rank_bits(device_stream *stream, uint32_t *ranks, const uint64_t *words, size_t count, uint32_t *scratch,
                             cuzk_error *error);

/* Lists the variables of a selection that are in the bitmap `wide`: the point of each, and its number among the bits of wide, of
 * which wide_rank are the ranks. offsets has one word for each word of the selection, and one more, which becomes the number
 * of entries. */
typedef struct {
    uint32_t *points, *numbers, *offsets, *scratch;
} device_wide_list;
cuzk_status device_list_wide(device_stream *stream, const device_wide_list *list, const device_selection *selection,
                             const uint64_t *wide, const uint32_t *wide_rank, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif
