#include "groth16/dense_scalars.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { BLOCK_WORDS = 8 };

static uint32_t ones(uint64_t word) { return (uint32_t)__builtin_popcountll(word); }

void dense_scalars_create(dense_scalars *scalars, const fr *values, const density *present) {
    size_t blocks = (present->capacity + BLOCK_WORDS - 1) / BLOCK_WORDS;
    *scalars =
        (dense_scalars){.values = values, .present = present, .ranks = allocate(blocks, sizeof(uint32_t)), .blocks = blocks};
    uint32_t rank = 0;
    for (size_t word = 0; word < present->capacity; word++) {
        if (word % BLOCK_WORDS == 0)
            scalars->ranks[word / BLOCK_WORDS] = rank;
        rank += ones(present->words[word]);
    }
    assert(rank == present->ones);
}

void dense_scalars_free(dense_scalars *scalars) {
    free(scalars->ranks);
    *scalars = (dense_scalars){0};
}

/* The last block before which at most rank variables are present. */
static size_t block_of_rank(const dense_scalars *scalars, size_t rank) {
    size_t low = 0, high = scalars->blocks;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (scalars->ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void dense_scalars_source(const void *context, size_t begin, size_t end, fr_canonical *out) {
    const dense_scalars *scalars = context;
    assert(end <= scalars->present->ones);
    if (begin == end)
        return;
    size_t block = block_of_rank(scalars, begin);
    size_t rank = scalars->ranks[block];
    for (size_t word = block * BLOCK_WORDS; rank < end; word++) {
        uint64_t bits = scalars->present->words[word];
        if (rank + ones(bits) <= begin) {
            rank += ones(bits);
            continue;
        }
        for (; bits && rank < end; bits &= bits - 1, rank++)
            if (rank >= begin)
                fr_to_canonical(&out[rank - begin], &scalars->values[word * 64 + (size_t)__builtin_ctzll(bits)]);
    }
}
