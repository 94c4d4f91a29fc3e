#include "cuda/device_witness.h"

#include <stdlib.h>
#include <string.h>

static cuzk_status room(void *target, device_witness *w, size_t count, size_t size, cuzk_error *error) {
    void *memory;
    cuzk_status status = device_allocate(w->device, &memory, count * size, "the assignment", error);
    memcpy(target, &memory, sizeof memory);
    return status;
}

/* Memory for a density's bitmap and ranks: kept, or for this proof. */
static cuzk_status place_density(device_witness *w, int which, kept_part **dense, kept_part **rank, kept_circuit *kept,
                                 cuzk_error *error) {
    device_density *chosen = &w->densities[which];
    *dense = kept ? kept_part_take(kept, KEPT_DENSE + (unsigned)which, (w->words + 1) * sizeof(uint64_t)) : NULL;
    *rank = *dense ? kept_part_take(kept, KEPT_RANK + (unsigned)which, (w->words + 1) * sizeof(uint32_t)) : NULL;
    chosen->kept = *dense && *rank;
    if (chosen->kept) {
        chosen->dense = (*dense)->memory;
        chosen->rank = (*rank)->memory;
        return CUZK_OK;
    }
    TRY(room(&chosen->dense, w, w->words + 1, sizeof(uint64_t), error));
    return room(&chosen->rank, w, w->words + 1, sizeof(uint32_t), error);
}

/* A kept one is not taken on trust: whatever changed, the host compares it with what it wants. */
static cuzk_status upload_density(device_witness *w, device_stream *stream, int which, uint32_t *scratch, kept_circuit *kept,
                                  cuzk_error *error) {
    device_density *chosen = &w->densities[which];
    kept_part *dense, *rank;
    size_t bytes = w->words * sizeof(uint64_t);
    TRY(place_density(w, which, &dense, &rank, kept, error));
    uint64_t *known = chosen->kept ? kept_host_bitmap(kept, which) : NULL;
    if (known && dense->filled && rank->filled && memcmp(known, w->host_dense[which], bytes) == 0)
        return CUZK_OK;
    if (known) {
        dense->filled = rank->filled = false;
        memcpy(known, w->host_dense[which], bytes);
    }
    TRY(device_upload(stream, chosen->dense, w->host_dense[which], bytes, error));
    TRY(device_rank_bits(stream, chosen->rank, chosen->dense, w->words, scratch, error));
    TRY(device_synchronize(stream, error));
    if (known)
        dense->filled = rank->filled = true;
    return CUZK_OK;
}

static cuzk_status upload_all(device_witness *w, device_stream *stream, const aux_encoding *encoding, uint32_t *scratch,
                              kept_circuit *kept, cuzk_error *error) {
    size_t bitmap_bytes = w->words * sizeof(uint64_t);
    TRY(room(&w->ones, w, w->words + 1, sizeof(uint64_t), error));
    TRY(room(&w->wide, w, w->words + 1, sizeof(uint64_t), error));
    TRY(room(&w->wide_rank, w, w->words + 1, sizeof(uint32_t), error));
    TRY(room(&w->values, w, encoding->value_count + 1, sizeof(fr_canonical), error));
    TRY(device_upload(stream, w->ones, encoding->ones, bitmap_bytes, error));
    TRY(device_upload(stream, w->wide, encoding->wide, bitmap_bytes, error));
    TRY(device_upload(stream, w->values, encoding->values, encoding->value_count * sizeof(fr_canonical), error));
    TRY(device_rank_bits(stream, w->wide_rank, w->wide, w->words, scratch, error));
    for (int which = 0; which < DENSITIES; which++)
        TRY(upload_density(w, stream, which, scratch, kept, error));
    return device_synchronize(stream, error);
}

/* The variables behind the last do not exist, but no bitmap has them. */
static uint32_t *ranks_of_all(const device_witness *w, const circuit_shape *shape) {
    uint32_t *rank = allocate(w->words + 1, sizeof *rank);
    for (size_t i = 0; i < w->words; i++)
        rank[i] = (uint32_t)(64 * i);
    rank[w->words] = shape->aux;
    return rank;
}

cuzk_status device_witness_create(device_witness *w, device_stream *stream, const aux_encoding *encoding,
                                  const circuit_shape *shape, kept_circuit *kept, cuzk_error *error) {
    *w = (device_witness){.device = device_of_stream(stream), .words = encoding->words, .value_count = encoding->value_count};
    for (int which = 0; which < DENSITIES; which++)
        aux_density(shape, which, &w->host_dense[which], &w->densities[which].host_rank);
    w->all.host_rank = ranks_of_all(w, shape);
    uint32_t *scratch = NULL;
    cuzk_status status = room(&scratch, w, selection_scratch_words(w->words), sizeof *scratch, error);
    if (status == CUZK_OK)
        status = upload_all(w, stream, encoding, scratch, kept, error);
    device_free(w->device, scratch);
    return status;
}

void device_witness_free(device_witness *w) {
    void *memory[] = {w->ones, w->wide, w->wide_rank, w->values};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        device_free(w->device, memory[i]);
    for (int which = 0; which < DENSITIES; which++) {
        if (!w->densities[which].kept) {
            device_free(w->device, w->densities[which].dense);
            device_free(w->device, w->densities[which].rank);
        }
        free(w->densities[which].host_rank);
        free(w->host_dense[which]);
    }
    free(w->all.host_rank);
    *w = (device_witness){0};
}
