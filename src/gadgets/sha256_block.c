#include "gadgets/sha256_block.h"

#include "gadgets/sha256_native.h"
#include "r1cs/block.h"

enum {
    STORED_ELEMENTS = SHA256_INPUT_WORDS * sizeof(uint32_t) / sizeof(fr), /* the input's words */
    STATE_AUX = 2 * 35 + 6 * 33 /* the last variables: the new state's words with their carries */
};
_Static_assert(STORED_ELEMENTS * sizeof(fr) == SHA256_INPUT_WORDS * sizeof(uint32_t), "the input's words fill elements");

typedef struct {
    const boolean *block; /* as SHA-256 takes them, each word from its most significant bit on */
    const uint32 *state;
    uint32_t new_state[SHA256_STATE_WORDS];
} compression_request;

/* What decides a compression's constraints: where its input is constant, and what these constants are, and negated. */
typedef struct {
    uint32_t constant[SHA256_INPUT_WORDS], value[SHA256_INPUT_WORDS], negated[SHA256_INPUT_WORDS];
} compression_key;
_Static_assert(sizeof(compression_key) <= BLOCK_KEY_CAPACITY, "a compression's key fits");

/* Bit i, least significant first, of word w of the input: the message, then the state. */
static boolean input_bit(const compression_request *request, size_t w, size_t i) {
    return w < SHA256_MESSAGE_WORDS ? request->block[32 * w + 31 - i] : request->state[w - SHA256_MESSAGE_WORDS].bits[i];
}

static native_word input_word(const compression_request *request, size_t w) {
    native_word word = {0};
    for (size_t i = 0; i < 32; i++) {
        boolean bit = input_bit(request, w, i);
        word.value |= (uint32_t)bit.value << i;
        word.constant |= (uint32_t)(bit.kind == BOOLEAN_CONSTANT) << i;
        word.negated |= (uint32_t)(bit.kind == BOOLEAN_NOT) << i;
    }
    return word;
}

static size_t compression_key_of(const void *pointer, uint8_t bytes[BLOCK_KEY_CAPACITY]) {
    compression_key key;
    for (size_t w = 0; w < SHA256_INPUT_WORDS; w++) {
        native_word word = input_word(pointer, w);
        key.constant[w] = word.constant;
        key.value[w] = word.value & word.constant;
        key.negated[w] = word.negated;
    }
    memcpy(bytes, &key, sizeof key);
    return sizeof key;
}

/* The order of the slots: the message byte by byte, which is how its bits were allocated where they come from a number,
 * then the state word by word; from the least significant bit on. */
static size_t slot_bit(size_t w, size_t slot) { return w < SHA256_MESSAGE_WORDS ? 8 * (3 - slot / 8) + slot % 8 : slot; }

static size_t compression_slots(const void *pointer, variable slots[BLOCK_SLOT_CAPACITY]) {
    size_t count = 0;
    for (size_t w = 0; w < SHA256_INPUT_WORDS; w++) {
        for (size_t i = 0; i < 32; i++) {
            boolean bit = input_bit(pointer, w, slot_bit(w, i));
            if (!boolean_is_constant(bit))
                slots[count++] = bit.variable;
        }
    }
    return count;
}

static void compression_synthesize(constraint_system *cs, const uint8_t *bytes, const variable *slots) {
    compression_key key;
    memcpy(&key, bytes, sizeof key);
    boolean block[SHA256_BLOCK_BITS];
    uint32 state[SHA256_STATE_WORDS];
    for (size_t w = 0; w < SHA256_INPUT_WORDS; w++) {
        for (size_t i = 0; i < 32; i++) {
            size_t position = slot_bit(w, i);
            boolean bit = boolean_constant(key.value[w] >> position & 1);
            if (!(key.constant[w] >> position & 1))
                bit = (boolean){.variable = *slots++, .kind = key.negated[w] >> position & 1 ? BOOLEAN_NOT : BOOLEAN_IS};
            if (w < SHA256_MESSAGE_WORDS)
                block[32 * w + 31 - position] = bit;
            else
                state[w - SHA256_MESSAGE_WORDS].bits[position] = bit;
        }
        if (w >= SHA256_MESSAGE_WORDS)
            state[w - SHA256_MESSAGE_WORDS].value = key.value[w];
    }
    sha256_compression_circuit(cs, block, state);
}

/* All variables are bits; every row but one to a bit is MultiEq's. */
static block_storage compression_storage(const uint8_t *key, uint32_t aux, uint32_t rows) {
    (void)key;
    return (block_storage){.bits = aux, .elements = STORED_ELEMENTS, .wide_rows = rows - aux};
}

static void compression_store(void *pointer, uint64_t *bits, fr *elements) {
    compression_request *request = pointer;
    native_word input[SHA256_INPUT_WORDS];
    uint32_t words[SHA256_INPUT_WORDS];
    for (size_t w = 0; w < SHA256_INPUT_WORDS; w++) {
        input[w] = input_word(request, w);
        words[w] = input[w].value;
    }
    memcpy(elements, words, sizeof words);
    sha256_native_bits(input, bits, request->new_state);
}

static void compression_rows(const uint8_t *bytes, const uint64_t *bits, const fr *elements, uint8_t *codes, wide_row *wide) {
    (void)bits;
    compression_key key;
    uint32_t words[SHA256_INPUT_WORDS];
    native_word input[SHA256_INPUT_WORDS];
    memcpy(&key, bytes, sizeof key);
    memcpy(words, elements, sizeof words);
    for (size_t w = 0; w < SHA256_INPUT_WORDS; w++)
        input[w] = (native_word){.value = words[w], .constant = key.constant[w], .negated = key.negated[w]};
    sha256_native_rows(input, codes, wide);
}

static const block_kind compression_kind = {
    .name = "SHA-256 compression",
    .key = compression_key_of,
    .slots = compression_slots,
    .synthesize = compression_synthesize,
    .storage = compression_storage,
    .store = compression_store,
    .rows = compression_rows,
};

static bool is_constant(const boolean *block, const uint32 *state) {
    bool constant = true;
    for (size_t i = 0; i < SHA256_BLOCK_BITS && constant; i++)
        constant = boolean_is_constant(block[i]);
    for (size_t j = 0; j < SHA256_STATE_WORDS && constant; j++)
        for (size_t i = 0; i < 32; i++)
            constant &= boolean_is_constant(state[j].bits[i]);
    return constant;
}

bool sha256_compression_block(constraint_system *cs, const boolean block[SHA256_BLOCK_BITS], uint32 state[8]) {
    compression_request request = {.block = block, .state = state};
    if (!cs->class->block || is_constant(block, state) || !constraint_system_block(cs, &compression_kind, &request))
        return false;
    variable v = (cs->aux_count - STATE_AUX) | VARIABLE_AUX_BIT;
    for (size_t j = 0; j < SHA256_STATE_WORDS; j++) {
        state[j].value = request.new_state[j];
        for (uint32_t i = 0; i < 32; i++)
            state[j].bits[i] = (boolean){.variable = v + i, .kind = BOOLEAN_IS, .value = state[j].value >> i & 1};
        v += j % 4 == 0 ? 35 : 33;
    }
    return true;
}
