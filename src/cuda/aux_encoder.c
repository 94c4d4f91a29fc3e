#include "cuda/aux_encoder.h"

#include <stdlib.h>

enum { RANGE_WORDS = 1 << 8, RANGE_AUX = 64 * RANGE_WORDS };

typedef struct {
    const compact_assignment *witness;
    aux_encoding *encoding;
    size_t first_word;     /* of the wave of ranges */
    fr_canonical **values; /* of each range, until those before it are done */
    size_t *counts;
} encoding_loop;

static void encode_ranges(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    encoding_loop *loop = context;
    for (size_t i = begin; i < end; i++) {
        size_t word = loop->first_word + i * RANGE_WORDS, aux = loop->witness->shape->aux;
        size_t behind = 64 * word + RANGE_AUX < aux ? 64 * word + RANGE_AUX : aux;
        loop->counts[i] = compact_aux_by_kind(loop->witness, (uint32_t)(64 * word), (uint32_t)behind, loop->encoding->ones + word,
                                              loop->encoding->wide + word, loop->values[i]);
    }
}

static void append(aux_encoding *encoding, const fr_canonical *values, size_t count) {
    if (encoding->value_count + count > encoding->value_capacity) {
        encoding->value_capacity = (encoding->value_count + count) * 3 / 2;
        encoding->values = reallocate(encoding->values, encoding->value_capacity, sizeof *values);
    }
    if (count > 0)
        memcpy(encoding->values + encoding->value_count, values, count * sizeof *values);
    encoding->value_count += count;
}

cuzk_status aux_encoding_create(aux_encoding *encoding, const compact_assignment *witness, thread_pool *pool, cuzk_error *error) {
    size_t words = words_for_bits(witness->shape->aux), wave = 2 * thread_pool_size(pool);
    *encoding = (aux_encoding){.words = words};
    TRY(big_buffer_allocate(&encoding->bitmaps, 2 * words, sizeof(uint64_t), "bitmaps of the assignment", error));
    if (words == 0)
        return CUZK_OK;
    encoding->ones = encoding->bitmaps.data;
    encoding->wide = encoding->ones + words;
    encoding_loop loop = {.witness = witness, .encoding = encoding};
    loop.values = allocate(wave, sizeof *loop.values);
    loop.counts = allocate_zeroed(wave, sizeof *loop.counts);
    for (size_t i = 0; i < wave; i++)
        loop.values[i] = allocate(RANGE_AUX, sizeof(fr_canonical));
    for (loop.first_word = 0; loop.first_word < words; loop.first_word += wave * RANGE_WORDS) {
        size_t left = (words - loop.first_word + RANGE_WORDS - 1) / RANGE_WORDS, ranges = left < wave ? left : wave;
        parallel_for(pool, ranges, 1, encode_ranges, &loop);
        for (size_t i = 0; i < ranges; i++)
            append(encoding, loop.values[i], loop.counts[i]);
    }
    for (size_t i = 0; i < wave; i++)
        free(loop.values[i]);
    free(loop.values);
    free(loop.counts);
    return CUZK_OK;
}

void aux_encoding_free(aux_encoding *encoding) {
    big_buffer_free(&encoding->bitmaps);
    free(encoding->values);
    *encoding = (aux_encoding){0};
}

uint64_t aux_encoding_bytes(const circuit_shape *shape, uint64_t most_wide, size_t workers) {
    uint64_t bitmaps = 2 * words_for_bits(shape->aux) * sizeof(uint64_t);
    return bitmaps + most_wide * 3 / 2 * sizeof(fr_canonical) + workers * 2 * RANGE_AUX * sizeof(fr_canonical);
}

void aux_density(const circuit_shape *shape, int which, uint64_t **dense, uint32_t **rank) {
    size_t words = words_for_bits(shape->aux);
    *dense = allocate_zeroed(words + 1, sizeof **dense);
    *rank = allocate_zeroed(words + 1, sizeof **rank);
    for (size_t p = 0; p < shape->piece_count; p++) {
        uint32_t aux = shape_template(shape, p)->aux, first = shape->pieces[p].first_aux;
        for (uint32_t i = 0; i < aux; i += 64) {
            uint32_t count = aux - i < 64 ? aux - i : 64;
            put_bits(*dense, (size_t)first + i, take_bits(shape->masks + shape->pieces[p].mask[which], i, count), count);
        }
    }
    for (size_t w = 0; w < words; w++)
        (*rank)[w + 1] = (*rank)[w] + (uint32_t)__builtin_popcountll((*dense)[w]);
}
