#include "gadgets/sha256_native.h"

#include "gadgets/sha256.h"
#include "r1cs/block_writer.h"

/* Everything here follows the circuit's gadgets (boolean.c, uint32.c, multieq.c, sha256.c) operation by operation, for 32 bits
 * at once where no bit is a constant or negated, which holds for all but the first rounds of a hash, and for some bits or
 * one bit at a time where that is not so. One code makes bits or rows: `rows` is a constant wherever it is inlined. */
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* MultiEq's equations that share the next row: the packed value of their sums. */
typedef struct {
    unsigned bits_used;
    uint64_t limbs[4];
} packed_sums;

typedef struct {
    bit_writer bits;
    uint8_t *codes;
    wide_row *wide;
    packed_sums sums;
} emitter;

static const uint32_t ALL = UINT32_MAX;

/* ---- Writing --------------------------------------------------------------------------------------------------------- */

/* The bits of `word` where `mask` is set, moved together. The mask has few runs of ones. */
static uint32_t gather(uint32_t word, uint32_t mask) {
    uint32_t result = 0;
    unsigned filled = 0;
    while (mask) {
        unsigned begin = (unsigned)__builtin_ctz(mask);
        uint32_t rest = mask >> begin;
        unsigned length = rest == ALL ? 32 : (unsigned)__builtin_ctz(~rest);
        uint32_t run = length == 32 ? ALL : (UINT32_C(1) << length) - 1;
        result |= (word >> begin & run) << filled;
        filled += length;
        mask &= ~(run << begin);
    }
    return result;
}

/* A variable and a row for each bit of the mask. */
ALWAYS_INLINE void emit(emitter *e, uint32_t mask, uint32_t variable_bits, uint32_t b, uint32_t a_low, uint32_t a_high,
                        bool rows) {
    unsigned count = 32;
    if (mask != ALL) {
        if (!mask)
            return;
        count = (unsigned)__builtin_popcount(mask);
        variable_bits = gather(variable_bits, mask);
        b = gather(b, mask);
        a_low = gather(a_low, mask);
        a_high = gather(a_high, mask);
    }
    if (rows) {
        write_row_codes_32(e->codes, b, a_low, a_high);
        e->codes += count;
    } else {
        bit_writer_append(&e->bits, variable_bits, count);
    }
}

ALWAYS_INLINE void emit_bit(emitter *e, bool variable_bit, bool rows) {
    if (!rows)
        bit_writer_append(&e->bits, variable_bit, 1);
}

ALWAYS_INLINE void emit_row(emitter *e, bool b, bool a_low, bool a_high, bool rows) {
    if (rows)
        *e->codes++ = (uint8_t)(b | a_low << 1 | a_high << 2);
}

/* ---- Bits, one at a time ------------------------------------------------------------------------------------------------ */

typedef struct {
    bool value, constant, negated;
} native_bit;

ALWAYS_INLINE native_bit bit_of(const native_word *a, unsigned i) {
    return (native_bit){.value = a->value >> i & 1, .constant = a->constant >> i & 1, .negated = a->negated >> i & 1};
}

ALWAYS_INLINE void set_bit(native_word *a, unsigned i, native_bit bit) {
    a->value |= (uint32_t)bit.value << i;
    a->constant |= (uint32_t)bit.constant << i;
    a->negated |= (uint32_t)bit.negated << i;
}

static native_bit constant_bit(bool value) { return (native_bit){.value = value, .constant = true}; }
static native_bit not_bit(native_bit a) {
    return (native_bit){.value = !a.value, .constant = a.constant, .negated = !a.constant && !a.negated};
}
static bool is_constant_of(native_bit a, bool value) { return a.constant && a.value == value; }

static native_bit and_bit(emitter *e, native_bit a, native_bit b, bool rows) {
    if (is_constant_of(a, false) || is_constant_of(b, false))
        return constant_bit(false);
    if (a.constant)
        return b;
    if (b.constant)
        return a;
    bool swap = a.negated && !b.negated, value = a.value && b.value;
    emit_bit(e, value, rows);
    emit_row(e, swap ? a.value : b.value, swap ? b.value : a.value, false, rows);
    return (native_bit){.value = value};
}

static native_bit ch_bit(emitter *e, native_bit a, native_bit b, native_bit c, bool rows) {
    if (a.constant && b.constant && c.constant)
        return constant_bit(a.value ? b.value : c.value);
    if (is_constant_of(a, false))
        return c;
    if (is_constant_of(b, false))
        return and_bit(e, not_bit(a), c, rows);
    if (is_constant_of(c, false))
        return and_bit(e, a, b, rows);
    if (is_constant_of(c, true))
        return not_bit(and_bit(e, a, not_bit(b), rows));
    if (is_constant_of(b, true))
        return not_bit(and_bit(e, not_bit(a), not_bit(c), rows));
    bool value = a.value ? b.value : c.value;
    emit_bit(e, value, rows);
    emit_row(e, a.value, b.value != c.value, c.value && !b.value, rows);
    return (native_bit){.value = value};
}

static native_bit maj_bit(emitter *e, native_bit a, native_bit b, native_bit c, bool rows) {
    bool value = (a.value && b.value) || (a.value && c.value) || (b.value && c.value);
    if (a.constant && b.constant && c.constant)
        return constant_bit(value);
    if (is_constant_of(a, false))
        return and_bit(e, b, c, rows);
    if (is_constant_of(b, false))
        return and_bit(e, a, c, rows);
    if (is_constant_of(c, false))
        return and_bit(e, a, b, rows);
    if (is_constant_of(c, true))
        return not_bit(and_bit(e, not_bit(a), not_bit(b), rows));
    if (is_constant_of(b, true))
        return not_bit(and_bit(e, not_bit(a), not_bit(c), rows));
    if (is_constant_of(a, true))
        return not_bit(and_bit(e, not_bit(b), not_bit(c), rows));
    emit_bit(e, value, rows);
    and_bit(e, b, c, rows);
    emit_row(e, a.value, b.value != c.value, b.value != c.value, rows);
    return (native_bit){.value = value};
}

/* ---- Words -------------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE bool all_variables(const native_word *a) { return (a->constant | a->negated) == 0; }

ALWAYS_INLINE native_word constant_word(uint32_t value) { return (native_word){.value = value, .constant = ALL}; }

ALWAYS_INLINE uint32_t rotated(uint32_t a, unsigned by) { return a >> by | a << (32 - by); }

ALWAYS_INLINE native_word rotate_right(const native_word *a, unsigned by) {
    return (native_word){rotated(a->value, by), rotated(a->constant, by), rotated(a->negated, by)};
}

ALWAYS_INLINE native_word shift_right(const native_word *a, unsigned by) {
    return (native_word){a->value >> by, a->constant >> by | ~(ALL >> by), a->negated >> by};
}

/* 2a * b = a + b - result, over variables; an operand that is not negated comes before one that is. */
ALWAYS_INLINE native_word xor_words(emitter *e, const native_word *a, const native_word *b, bool rows) {
    uint32_t x = a->value ^ a->negated, y = b->value ^ b->negated;
    uint32_t swap = a->negated & ~b->negated;
    uint32_t first = (x & ~swap) | (y & swap), second = (y & ~swap) | (x & swap);
    emit(e, ~(a->constant | b->constant), x ^ y, second, 0, first, rows);
    uint32_t constant = a->constant & b->constant;
    uint32_t negated = a->negated ^ b->negated ^ (a->constant & a->value) ^ (b->constant & b->value);
    return (native_word){.value = a->value ^ b->value, .constant = constant, .negated = negated & ~constant};
}

/* a ? b : c by (b - c) * a = result - c. */
ALWAYS_INLINE native_word ch_words(emitter *e, const native_word *a, const native_word *b, const native_word *c, bool rows) {
    native_word result = {0};
    if (all_variables(a) && all_variables(b) && all_variables(c)) {
        result.value = (a->value & b->value) | (~a->value & c->value);
        emit(e, ALL, result.value, a->value, b->value ^ c->value, c->value & ~b->value, rows);
        return result;
    }
    for (unsigned i = 0; i < 32; i++)
        set_bit(&result, i, ch_bit(e, bit_of(a, i), bit_of(b, i), bit_of(c, i), rows));
    return result;
}

/* Bit i of a at position 2i. */
ALWAYS_INLINE uint64_t spread_to_even(uint32_t a) {
    uint64_t x = a;
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x << 2) & UINT64_C(0x3333333333333333);
    return (x | x << 1) & UINT64_C(0x5555555555555555);
}

/* Codes of 16 rows, alternating with those of 16 others. */
ALWAYS_INLINE void write_alternating(uint8_t *codes, code_vector even, code_vector odd) {
    store_codes(codes, __builtin_shufflevector(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    store_codes(codes + 16, __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
}

/* For each bit the variables maj and b and c, but the rows b * c = bc and (2bc - b - c) * a = bc - maj. */
ALWAYS_INLINE native_word maj_words(emitter *e, const native_word *a, const native_word *b, const native_word *c, bool rows) {
    native_word result = {0};
    if (all_variables(a) && all_variables(b) && all_variables(c)) {
        uint32_t x = a->value, y = b->value, z = c->value, differ = y ^ z;
        result.value = (x & differ) | (y & z);
        if (rows) {
            for (unsigned i = 0; i < 32; i += 16)
                write_alternating(e->codes + 2 * i, row_codes_16(z >> i & 0xffff, y >> i & 0xffff, 0),
                                  row_codes_16(x >> i & 0xffff, differ >> i & 0xffff, differ >> i & 0xffff));
            e->codes += 64;
        } else {
            bit_writer_append(&e->bits, spread_to_even(result.value) | spread_to_even(y & z) << 1, 64);
        }
        return result;
    }
    for (unsigned i = 0; i < 32; i++)
        set_bit(&result, i, maj_bit(e, bit_of(a, i), bit_of(b, i), bit_of(c, i), rows));
    return result;
}

/* ---- Additions ---------------------------------------------------------------------------------------------------------- */

/* MultiEq's row: the packed value times 1 is itself. */
ALWAYS_INLINE void emit_packed_sums(emitter *e) {
    fr packed;
    blst_fr_from_uint64(&packed, e->sums.limbs);
    *e->wide++ = (wide_row){.a = packed, .b = FR_ONE, .c = packed};
    *e->codes++ = ROW_WIDE;
    e->sums = (packed_sums){0};
}

ALWAYS_INLINE void pack_sum(emitter *e, uint64_t sum, unsigned width) {
    packed_sums *s = &e->sums;
    if (s->bits_used + width >= MULTIEQ_CAPACITY)
        emit_packed_sums(e);
    unsigned limb = s->bits_used / 64, shift = s->bits_used % 64;
    s->limbs[limb] |= sum << shift;
    if (shift + width > 64)
        s->limbs[limb + 1] |= sum >> (64 - shift);
    s->bits_used += width;
}

/* The sum of two operands and more as 33 to 35 new bits, each with its row, and then perhaps MultiEq's row of those before. */
ALWAYS_INLINE native_word add_words(emitter *e, const native_word *const *operands, size_t count, bool rows) {
    uint64_t sum = 0;
    uint32_t constant = ALL;
    for (size_t k = 0; k < count; k++) {
        sum += operands[k]->value;
        constant &= operands[k]->constant;
    }
    if (constant == ALL)
        return constant_word((uint32_t)sum);
    unsigned width = count <= 2 ? 33 : count <= 4 ? 34 : 35;
    if (rows) {
        write_row_codes_32(e->codes, (uint32_t)sum, ~(uint32_t)sum, 0);
        e->codes += 32;
        for (unsigned i = 32; i < width; i++)
            emit_row(e, sum >> i & 1, !(sum >> i & 1), false, true);
        pack_sum(e, sum, width);
    } else {
        bit_writer_append(&e->bits, sum, width);
    }
    return (native_word){.value = (uint32_t)sum};
}

/* ---- The compression ---------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE native_word rotations_xored(emitter *e, const native_word *a, unsigned x, unsigned y, unsigned z,
                                          bool last_is_shift, bool rows) {
    native_word first = rotate_right(a, x), second = rotate_right(a, y);
    native_word last = last_is_shift ? shift_right(a, z) : rotate_right(a, z);
    first = xor_words(e, &first, &second, rows);
    return xor_words(e, &first, &last, rows);
}

#define ADD(...)                                                                                                                 \
    add_words(e, (const native_word *const[]){__VA_ARGS__}, sizeof(const native_word *const[]){__VA_ARGS__} / sizeof(void *),    \
              rows)

ALWAYS_INLINE void extend_message(emitter *e, native_word w[64], bool rows) {
    for (size_t i = 16; i < 64; i++) {
        native_word s0 = rotations_xored(e, &w[i - 15], 7, 18, 3, true, rows);
        native_word s1 = rotations_xored(e, &w[i - 2], 17, 19, 10, true, rows);
        w[i] = ADD(&w[i - 16], &s0, &w[i - 7], &s1);
    }
}

/* The names are those of sha256_compression_circuit: additions come one round later than in the standard. */
ALWAYS_INLINE void compress(emitter *e, const native_word input[SHA256_INPUT_WORDS], uint32_t out[SHA256_STATE_WORDS],
                            bool rows) {
    const native_word *state = input + SHA256_MESSAGE_WORDS;
    native_word w[64], a[67], ee[67], s1 = {0}, ch = {0}, k = {0}, s0 = {0}, maj = {0};
    memcpy(w, input, SHA256_MESSAGE_WORDS * sizeof *w);
    extend_message(e, w, rows);
    for (size_t j = 0; j < 4; j++) {
        a[3 - j] = state[j];
        ee[3 - j] = state[4 + j];
    }
    for (size_t i = 0; i < 64; i++) {
        native_word s1_before = s1, ch_before = ch, k_before = k;
        if (i > 0)
            ee[i + 3] = ADD(&ee[i - 1], &s1_before, &ch_before, &k_before, &w[i - 1], &a[i - 1]);
        s1 = rotations_xored(e, &ee[i + 3], 6, 11, 25, false, rows);
        ch = ch_words(e, &ee[i + 3], &ee[i + 2], &ee[i + 1], rows);
        k = constant_word(SHA256_ROUND_CONSTANTS[i]);
        if (i > 0)
            a[i + 3] = ADD(&ee[i - 1], &s1_before, &ch_before, &k_before, &w[i - 1], &s0, &maj);
        s0 = rotations_xored(e, &a[i + 3], 2, 13, 22, false, rows);
        maj = maj_words(e, &a[i + 3], &a[i + 2], &a[i + 1], rows);
    }
    out[0] = ADD(&ee[63], &s1, &ch, &k, &w[63], &s0, &maj, &state[0]).value;
    for (size_t j = 1; j < 4; j++)
        out[j] = ADD(&a[67 - j], &state[j]).value;
    out[4] = ADD(&ee[63], &s1, &ch, &k, &w[63], &a[63], &state[4]).value;
    for (size_t j = 5; j < 8; j++)
        out[j] = ADD(&ee[71 - j], &state[j]).value;
}

void sha256_native_bits(const native_word input[SHA256_INPUT_WORDS], uint64_t *bits, uint32_t state[SHA256_STATE_WORDS]) {
    emitter e = {.bits = {.next = bits}};
    compress(&e, input, state, false);
    bit_writer_finish(&e.bits);
}

void sha256_native_rows(const native_word input[SHA256_INPUT_WORDS], uint8_t *codes, wide_row *wide) {
    emitter e = {.codes = codes, .wide = wide};
    uint32_t state[SHA256_STATE_WORDS];
    compress(&e, input, state, true);
    if (e.sums.bits_used > 0)
        emit_packed_sums(&e);
}
