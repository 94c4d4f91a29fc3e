#include "cuda/rows.h"

#include <stdlib.h>

#include "cuda/launch.h"
#include "cuda/prime_field.h"
#include "cuda/row_encoding.h"
#include "cuda/scan.h"

extern "C" {
#include "base/memory.h"
}

namespace {

enum { GROUP_WORDS = 8, GROUP_ROWS = GROUP_WORDS * ROWS_PER_WORD, GROUP_WIDE = 64 };

/* In each half byte of a word of codes: the bit that says wide. */
const uint32_t WIDE_BITS = 0x88888888;

/* How many wide rows each group of rows has, and how many own numbers each group of wide rows. */
__global__ void count_wide(uint32_t *counts, const uint32_t *codes, size_t words, size_t groups) {
    for (size_t g = global_thread(); g < groups; g += global_threads()) {
        uint32_t count = 0;
        for (size_t w = g * GROUP_WORDS; w < (g + 1) * GROUP_WORDS && w < words; w++)
            count += static_cast<uint32_t>(__popc(codes[w] & WIDE_BITS));
        counts[g] = count;
    }
}

DEVICE uint32_t own_numbers(uint8_t kind) { return (wide_row_has_own_a(kind) ? 1u : 0u) + (wide_row_has_own_b(kind) ? 1u : 0u); }

__global__ void count_numbers(uint32_t *counts, const uint8_t *wide, size_t wide_count, size_t groups) {
    for (size_t g = global_thread(); g < groups; g += global_threads()) {
        uint32_t count = 0;
        for (size_t i = g * GROUP_WIDE; i < (g + 1) * GROUP_WIDE && i < wide_count; i++)
            count += own_numbers(wide[i]);
        counts[g] = count;
    }
}

/* A and B of every wide row: from the beginning of its chain on. */
__global__ void decode_wide(device_fr *a_out, device_fr *b_out, const uint8_t *wide, size_t wide_count, const uint32_t *offsets,
                            const device_fr *numbers) {
    for (size_t row = global_thread(); row < wide_count; row += global_threads()) {
        size_t first = row;
        while (wide_row_follows(wide[first]))
            first--;
        size_t number = offsets[first / GROUP_WIDE];
        for (size_t i = first / GROUP_WIDE * GROUP_WIDE; i < first; i++)
            number += own_numbers(wide[i]);
        device_fr a = device_fr::zero(), b = a, before = a, two_before = a, product = a;
        for (size_t i = first; i <= row; i++) {
            two_before = before;
            before = a;
            switch (wide[i] & WIDE_A_MASK) {
            case WIDE_A_OWN:
                a = numbers[number++];
                break;
            case WIDE_A_IS_PRODUCT:
                a = product;
                break;
            default:
                a = two_before;
                break;
            }
            switch (wide[i] & WIDE_B_MASK) {
            case WIDE_B_OWN:
                b = numbers[number++];
                break;
            case WIDE_B_IS_A:
                b = a;
                break;
            case WIDE_B_IS_PRODUCT:
                b = product;
                break;
            case WIDE_B_ZERO:
                b = device_fr::zero();
                break;
            default:
                b = device_fr::one();
                break;
            }
            if (i < row)
                product = a * b;
        }
        a_out[row] = a;
        b_out[row] = b;
    }
}

/* What the code of a row that is not wide says (r1cs/block.h): bit 0 is B, the two above say 0, 1, 2 or -1 of A. */
DEVICE device_fr small_value(uint32_t code, rows_side side) {
    bool b = code & 1;
    if (side == ROWS_B)
        return b ? device_fr::one() : device_fr::zero();
    uint32_t a = code >> 1;
    if (a == 0 || (side == ROWS_C && !b))
        return device_fr::zero();
    device_fr one = device_fr::one();
    return a == 1 ? one : a == 2 ? one.doubled() : one.negate();
}

__global__ void expand(device_fr *values, size_t count, rows_side side, const uint32_t *codes, const uint32_t *wide_before,
                       const device_fr *wide_a, const device_fr *wide_b) {
    for (size_t row = global_thread(); row < count; row += global_threads()) {
        size_t word = row / ROWS_PER_WORD;
        unsigned shift = 4 * static_cast<unsigned>(row % ROWS_PER_WORD);
        uint32_t code = codes[word] >> shift & 15;
        if (code < 8) {
            values[row] = small_value(code, side);
            continue;
        }
        size_t rank = wide_before[row / GROUP_ROWS];
        for (size_t w = word / GROUP_WORDS * GROUP_WORDS; w < word; w++)
            rank += static_cast<size_t>(__popc(codes[w] & WIDE_BITS));
        rank += static_cast<size_t>(__popc(codes[word] & WIDE_BITS & ((1u << shift) - 1)));
        values[row] = side == ROWS_A ? wide_a[rank] : side == ROWS_B ? wide_b[rank] : wide_a[rank] * wide_b[rank];
    }
}

size_t groups_of(size_t count, size_t size) { return (count + size - 1) / size; }

} // namespace

struct device_rows {
    device *owner;
    size_t code_words, wide_count;
    void *codes, *wide_before, *wide_a, *wide_b;
    /* Only until the wide rows are decoded, but freed with the rest. */
    void *wide, *numbers, *numbers_before, *scratch;
};

namespace {

cuzk_status allocate_all(device_rows *rows, const encoded_rows *e, cuzk_error *error) {
    size_t row_groups = groups_of(e->code_words, GROUP_WORDS), wide_groups = groups_of(e->wide_count, GROUP_WIDE);
    size_t scratch = scan_scratch_words(row_groups > wide_groups ? row_groups : wide_groups);
    const struct {
        void **memory;
        size_t bytes;
    } parts[] = {{&rows->codes, e->code_words * sizeof(uint32_t)},
                 {&rows->wide_before, (row_groups + 1) * sizeof(uint32_t)},
                 {&rows->wide_a, e->wide_count * sizeof(device_fr)},
                 {&rows->wide_b, e->wide_count * sizeof(device_fr)},
                 {&rows->wide, e->wide_count},
                 {&rows->numbers, e->number_count * sizeof(device_fr)},
                 {&rows->numbers_before, (wide_groups + 1) * sizeof(uint32_t)},
                 {&rows->scratch, scratch * sizeof(uint32_t)}};
    for (const auto &part : parts)
        TRY(device_allocate(rows->owner, part.memory, part.bytes, "rows", error));
    return CUZK_OK;
}

cuzk_status decode(device_rows *rows, device_stream *stream, const encoded_rows *e, cuzk_error *error) {
    size_t row_groups = groups_of(e->code_words, GROUP_WORDS), wide_groups = groups_of(e->wide_count, GROUP_WIDE);
    uint32_t *codes = static_cast<uint32_t *>(rows->codes), *wide_before = static_cast<uint32_t *>(rows->wide_before);
    uint32_t *numbers_before = static_cast<uint32_t *>(rows->numbers_before), *scratch = static_cast<uint32_t *>(rows->scratch);
    const uint8_t *wide = static_cast<const uint8_t *>(rows->wide);
    TRY(device_upload(stream, rows->codes, e->codes, e->code_words * sizeof(uint32_t), error));
    TRY(device_upload(stream, rows->wide, e->wide, e->wide_count, error));
    TRY(device_upload(stream, rows->numbers, e->numbers, e->number_count * sizeof(device_fr), error));
    TRY(launch(stream, FLAT, count_wide, blocks_for(row_groups, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error, wide_before, codes,
               e->code_words, row_groups));
    TRY(exclusive_scan(stream, wide_before, row_groups, scratch, error));
    TRY(launch(stream, FLAT, count_numbers, blocks_for(wide_groups, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error, numbers_before,
               wide, e->wide_count, wide_groups));
    TRY(exclusive_scan(stream, numbers_before, wide_groups, scratch, error));
    return launch(stream, FLAT, decode_wide, blocks_for(e->wide_count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error,
                  static_cast<device_fr *>(rows->wide_a), static_cast<device_fr *>(rows->wide_b), wide, e->wide_count,
                  numbers_before, static_cast<const device_fr *>(rows->numbers));
}

} // namespace

extern "C" {

cuzk_status device_rows_create(device_rows **rows, device_stream *stream, const encoded_rows *encoded, cuzk_error *error) {
    device_rows *made = static_cast<device_rows *>(allocate_zeroed(1, sizeof *made));
    made->owner = device_of_stream(stream);
    made->code_words = encoded->code_words;
    made->wide_count = encoded->wide_count;
    *rows = nullptr;
    cuzk_status status = allocate_all(made, encoded, error);
    if (status == CUZK_OK)
        status = decode(made, stream, encoded, error);
    if (status == CUZK_OK)
        *rows = made;
    else
        device_rows_destroy(made);
    return status;
}

void device_rows_destroy(device_rows *rows) {
    if (!rows)
        return;
    void *parts[] = {rows->codes, rows->wide_before, rows->wide_a,         rows->wide_b,
                     rows->wide,  rows->numbers,     rows->numbers_before, rows->scratch};
    for (void *part : parts)
        device_free(rows->owner, part);
    free(rows);
}

cuzk_status device_rows_expand(const device_rows *rows, device_stream *stream, rows_side side, void *values, size_t count,
                               cuzk_error *error) {
    return launch(stream, FLAT, expand, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error,
                  static_cast<device_fr *>(values), count, side, static_cast<const uint32_t *>(rows->codes),
                  static_cast<const uint32_t *>(rows->wide_before), static_cast<const device_fr *>(rows->wide_a),
                  static_cast<const device_fr *>(rows->wide_b));
}

} // extern "C"
