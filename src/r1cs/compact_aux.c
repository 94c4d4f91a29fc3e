/* Auxiliary variables of a compact assignment, in the forms that those who need them want: the part of
 * compact_assignment.h about aux. */
#include <assert.h>
#include <string.h>

#include "r1cs/compact_assignment.h"

enum { CHUNK = 64 };

static const uint64_t *piece_bits(const compact_assignment *witness, size_t piece) {
    return witness->bits + witness->shape->pieces[piece].first_word;
}

static const fr *piece_elements(const compact_assignment *witness, size_t piece) {
    return witness->elements + witness->shape->pieces[piece].first_element;
}

/* How many of the variables before the index are bits. */
static uint32_t bits_before(const block_template *t, uint32_t index) {
    uint32_t count = 0, words = index / 64;
    for (uint32_t i = 0; i < words; i++)
        count += (uint32_t)__builtin_popcountll(t->bit_mask[i]);
    if (index % 64)
        count += (uint32_t)__builtin_popcountll(t->bit_mask[words] & ((UINT64_C(1) << (index % 64)) - 1));
    return count;
}

static void bits_to_elements(const uint64_t *bits, uint32_t begin, uint32_t end, fr *values) {
    const fr choice[2] = {FR_ZERO, FR_ONE};
    for (uint32_t i = begin; i < end; i++)
        *values++ = choice[bit_at(bits, i)];
}

void compact_piece_aux(const compact_assignment *witness, size_t piece, uint32_t begin, uint32_t end, fr *values) {
    const block_template *t = shape_template(witness->shape, piece);
    const uint64_t *bits = piece_bits(witness, piece);
    const fr *elements = piece_elements(witness, piece);
    if (t->kind && t->kind->aux) {
        t->kind->aux(t->key, elements, begin, end, values);
        return;
    }
    if (t->kind) {
        bits_to_elements(bits, begin, end, values);
        return;
    }
    uint32_t bit = bits_before(t, begin), element = begin - bit;
    for (uint32_t i = begin; i < end; i++) {
        if (bit_at(t->bit_mask, i))
            bits_to_elements(bits, bit, bit + 1, values++), bit++;
        else
            *values++ = elements[element++];
    }
}

/* Whether all variables of a piece are stored bits. */
static bool all_bits(const block_template *t) { return t->kind && !t->kind->aux; }

/* A piece's part of a range, at whose beginning in the range `offset` is. */
typedef struct {
    size_t piece;
    uint32_t begin, end, offset;
} aux_part;

/* The next part of the range begin ... end - 1; start with {0} and begin < end. False when there is none. */
static bool next_part(const circuit_shape *shape, uint32_t begin, uint32_t end, aux_part *part) {
    bool first = part->end == 0 && part->offset == 0 && part->piece == 0;
    uint32_t at = begin + part->offset + (part->end - part->begin);
    if (at >= end)
        return false;
    size_t piece = first ? shape_piece_of_aux(shape, at) : part->piece + 1;
    while (shape->pieces[piece + 1].first_aux <= at)
        piece++;
    uint32_t piece_begin = shape->pieces[piece].first_aux, piece_end = shape->pieces[piece + 1].first_aux;
    *part = (aux_part){.piece = piece,
                       .begin = at - piece_begin,
                       .end = (piece_end < end ? piece_end : end) - piece_begin,
                       .offset = at - begin};
    return true;
}

void compact_aux(const compact_assignment *witness, uint32_t begin, uint32_t end, fr *values) {
    assert(end <= witness->shape->aux);
    for (aux_part part = {0}; next_part(witness->shape, begin, end, &part);)
        compact_piece_aux(witness, part.piece, part.begin, part.end, values + part.offset);
}

void compact_value(fr *value, const compact_assignment *witness, variable v) {
    if (variable_is_aux(v))
        compact_aux(witness, variable_index(v), variable_index(v) + 1, value);
    else
        *value = witness->inputs[v];
}

static const fr_canonical canonical_bit[2] = {{{0}}, {{1}}};

static void piece_canonical(const compact_assignment *witness, size_t piece, uint32_t begin, uint32_t end, fr_canonical *values) {
    if (all_bits(shape_template(witness->shape, piece))) {
        const uint64_t *bits = piece_bits(witness, piece);
        for (uint32_t i = begin; i < end; i++)
            *values++ = canonical_bit[bit_at(bits, i)];
        return;
    }
    fr chunk[CHUNK];
    for (uint32_t i = begin; i < end; i += CHUNK) {
        uint32_t count = end - i < CHUNK ? end - i : CHUNK;
        compact_piece_aux(witness, piece, i, i + count, chunk);
        for (uint32_t j = 0; j < count; j++)
            fr_to_canonical(values++, &chunk[j]);
    }
}

void compact_aux_canonical(const compact_assignment *witness, uint32_t begin, uint32_t end, fr_canonical *values) {
    assert(end <= witness->shape->aux);
    for (aux_part part = {0}; next_part(witness->shape, begin, end, &part);)
        piece_canonical(witness, part.piece, part.begin, part.end, values + part.offset);
}

/* The kinds of the canonical values of a range; appends the wide ones. */
static size_t sort_values(const fr_canonical *from, uint32_t count, uint32_t offset, uint64_t *ones, uint64_t *wide,
                          fr_canonical *values) {
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_one = memcmp(&from[i], &canonical_bit[1], sizeof *from) == 0;
        if (is_one) {
            put_bits(ones, offset + i, 1, 1);
        } else if (memcmp(&from[i], &canonical_bit[0], sizeof *from) != 0) {
            put_bits(wide, offset + i, 1, 1);
            values[found++] = from[i];
        }
    }
    return found;
}

size_t compact_aux_by_kind(const compact_assignment *witness, uint32_t begin, uint32_t end, uint64_t *ones, uint64_t *wide,
                           fr_canonical *values) {
    assert(begin <= end && end <= witness->shape->aux);
    size_t found = 0;
    memset(ones, 0, words_for_bits(end - begin) * sizeof *ones);
    memset(wide, 0, words_for_bits(end - begin) * sizeof *wide);
    for (aux_part part = {0}; next_part(witness->shape, begin, end, &part);) {
        bool bits_alone = all_bits(shape_template(witness->shape, part.piece));
        for (uint32_t i = part.begin; i < part.end; i += CHUNK) {
            uint32_t count = part.end - i < CHUNK ? part.end - i : CHUNK, offset = part.offset + (i - part.begin);
            if (bits_alone) {
                put_bits(ones, offset, take_bits(piece_bits(witness, part.piece), i, count), count);
                continue;
            }
            fr_canonical chunk[CHUNK];
            piece_canonical(witness, part.piece, i, i + count, chunk);
            found += sort_values(chunk, count, offset, ones, wide, values + found);
        }
    }
    return found;
}

/* The last piece before which at most rank variables occur. */
static size_t piece_of_rank(const circuit_shape *shape, int which, uint32_t rank) {
    size_t low = 0, high = shape->piece_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (shape->pieces[middle].rank[which] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void compact_dense_aux_canonical(const compact_assignment *witness, int which, uint32_t begin, uint32_t end,
                                 fr_canonical *values) {
    const circuit_shape *shape = witness->shape;
    assert(end <= shape->dense_aux[which]);
    if (begin >= end)
        return;
    size_t piece = piece_of_rank(shape, which, begin);
    for (uint32_t rank = shape->pieces[piece].rank[which]; rank < end; piece++) {
        uint32_t aux = shape_template(shape, piece)->aux;
        for (uint32_t first = 0; first < aux && rank < end; first += 64) {
            uint64_t chosen = shape->masks[shape->pieces[piece].mask[which] + first / 64];
            uint32_t count = (uint32_t)__builtin_popcountll(chosen);
            if (rank + count <= begin || count == 0) {
                rank += count;
                continue;
            }
            fr_canonical chunk[CHUNK];
            piece_canonical(witness, piece, first, aux - first < CHUNK ? aux : first + CHUNK, chunk);
            for (; chosen && rank < end; chosen &= chosen - 1, rank++)
                if (rank >= begin)
                    values[rank - begin] = chunk[__builtin_ctzll(chosen)];
        }
    }
}
