#include "cuda/selection_device.h"

#include "cuda/launch.h"
#include "cuda/scan.h"

namespace {

__global__ void count_words(uint32_t *counts, const uint64_t *words, size_t count) {
    for (size_t w = global_thread(); w < count; w += global_threads())
        counts[w] = count_bits(words[w]);
}

__global__ void count_selected(uint32_t *counts, device_selection s, const uint64_t *wide) {
    for (size_t i = global_thread(); i < s.end_word - s.first_word; i += global_threads())
        counts[i] = count_bits(wide[s.first_word + i] & dense_word(s, s.first_word + i));
}

__global__ void list_selected(device_wide_list list, device_selection s, const uint64_t *wide, const uint32_t *wide_rank) {
    for (size_t i = global_thread(); i < s.end_word - s.first_word; i += global_threads()) {
        size_t w = s.first_word + i;
        uint64_t dense = dense_word(s, w), all = wide[w];
        uint32_t at = list.offsets[i];
        for (uint64_t left = all & dense; left; left &= left - 1, at++) {
            unsigned bit = lowest_bit(left);
            list.points[at] = point_of_bit(s, w, dense, bit);
            list.numbers[at] = wide_rank[w] + count_bits(all & bits_below(bit));
        }
    }
}

} // namespace

extern "C" {

size_t selection_scratch_words(size_t count) { return scan_scratch_words(count); }

cuzk_status device_rank_bits(device_stream *stream, uint32_t *ranks, const uint64_t *words, size_t count, uint32_t *scratch,
                             cuzk_error *error) {
    TRY(launch(stream, FLAT, count_words, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error, ranks, words, count));
    return exclusive_scan(stream, ranks, count, scratch, error);
}

cuzk_status device_list_wide(device_stream *stream, const device_wide_list *list, const device_selection *selection,
                             const uint64_t *wide, const uint32_t *wide_rank, cuzk_error *error) {
    size_t words = selection->end_word - selection->first_word;
    unsigned grid = blocks_for(words, LOOP_BLOCK, LOOP_GRID);
    TRY(launch(stream, FLAT, count_selected, grid, LOOP_BLOCK, 0, error, list->offsets, *selection, wide));
    TRY(exclusive_scan(stream, list->offsets, words, list->scratch, error));
    return launch(stream, FLAT, list_selected, grid, LOOP_BLOCK, 0, error, *list, *selection, wide, wide_rank);
}

} // extern "C"
