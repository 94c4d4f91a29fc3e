#include "gadgets/number_block.h"

#include "base/bytes.h"
#include "r1cs/block_writer.h"

enum { BITS_WORDS = (FR_BITS + 63) / 64 };

typedef struct {
    const number *a;
    uint64_t words[BITS_WORDS]; /* its bits, with a witness */
} bits_request;

static size_t bits_key(const void *request, uint8_t key[BLOCK_KEY_CAPACITY]) {
    (void)request, (void)key;
    return 0;
}

static size_t bits_slots(const void *request, variable slots[BLOCK_SLOT_CAPACITY]) {
    slots[0] = ((const bits_request *)request)->a->variable;
    return 1;
}

static void bits_synthesize(constraint_system *cs, const uint8_t *key, const variable *slots) {
    (void)key;
    number a = {.variable = slots[0]};
    boolean bits[FR_BITS];
    number_to_bits_le(cs, &a, bits);
}

static block_storage bits_storage(const uint8_t *key, uint32_t aux, uint32_t rows) {
    (void)key, (void)rows;
    return (block_storage){.bits = aux};
}

static void bits_store(void *pointer, uint64_t *bits, fr *elements) {
    (void)elements;
    bits_request *request = pointer;
    uint8_t bytes[FR_BYTES];
    fr_to_bytes(bytes, &request->a->value);
    for (size_t i = 0; i < BITS_WORDS; i++)
        request->words[i] = load_u64_le(bytes + 8 * i);
    memcpy(bits, request->words, sizeof request->words);
}

/* A row for each bit, and 0 * 0 = (sum of the bits) - a, which is 0. */
static void bits_rows(const uint8_t *key, const uint64_t *bits, const fr *elements, uint8_t *codes, wide_row *wide) {
    (void)key, (void)elements, (void)wide;
    write_bit_rows(codes, bits, FR_BITS);
    codes[FR_BITS] = ROW_A_ZERO;
}

static const block_kind bits_kind = {
    .name = "decomposition",
    .key = bits_key,
    .slots = bits_slots,
    .synthesize = bits_synthesize,
    .storage = bits_storage,
    .store = bits_store,
    .rows = bits_rows,
};

bool number_bits_block(constraint_system *cs, const number *a, boolean bits[FR_BITS]) {
    bits_request request = {.a = a};
    if (!constraint_system_block(cs, &bits_kind, &request))
        return false;
    variable first = (cs->aux_count - FR_BITS) | VARIABLE_AUX_BIT;
    for (uint32_t i = 0; i < FR_BITS; i++)
        bits[i] = (boolean){.variable = first + i, .kind = BOOLEAN_IS, .value = request.words[i / 64] >> (i % 64) & 1};
    return true;
}
