#include "gadgets/sha256.h"

#include <assert.h>

#include "gadgets/sha256_block.h"

/* FIPS 180-4, sections 4.2.2 and 5.3.3. */
const uint32_t SHA256_ROUND_CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t initial_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* a rotated by x, xored with a rotated by y, and that with a rotated, or shifted, by z. */
static uint32 rotations_xored(constraint_system *cs, const uint32 *a, unsigned x, unsigned y, unsigned z, bool last_is_shift) {
    uint32 first = uint32_rotate_right(a, x), second = uint32_rotate_right(a, y);
    uint32 last = last_is_shift ? uint32_shift_right(a, z) : uint32_rotate_right(a, z);
    first = uint32_xor(cs, &first, &second);
    return uint32_xor(cs, &first, &last);
}

static void extend_message(constraint_system *cs, multieq *equations, uint32 w[64]) {
    for (size_t i = 16; i < 64; i++) {
        namespace_push_index(cs, "w extension", i);
        uint32 s0 = rotations_xored(cs, &w[i - 15], 7, 18, 3, true);
        uint32 s1 = rotations_xored(cs, &w[i - 2], 17, 19, 10, true);
        w[i] = uint32_add_many(equations, (const uint32 *const[]){&w[i - 16], &s0, &w[i - 7], &s1}, 4);
        namespace_pop(cs);
    }
}

/* What a round hands to the next one, which does the additions: only when a and e are needed, so that the last round's
 * go together with those of the final state. */
typedef struct {
    uint32 s1, ch, k, s0, maj;
} round_terms;

/* The operands of e, then those of a, of round i's outcome, h + s1 + ch + k + w + d and h + s1 + ch + k + w + s0 + maj;
 * a and e have the four initial words in front. Return how many there are. */
static size_t operands_of_e(const uint32 **operands, const round_terms *terms, const uint32 *a, const uint32 *e,
                            const uint32 *w) {
    const uint32 *all[] = {&e[0], &terms->s1, &terms->ch, &terms->k, w, &a[0]};
    memcpy(operands, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t operands_of_a(const uint32 **operands, const round_terms *terms, const uint32 *e, const uint32 *w) {
    const uint32 *all[] = {&e[0], &terms->s1, &terms->ch, &terms->k, w, &terms->s0, &terms->maj};
    memcpy(operands, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* a[3 - j] and e[3 - j] are the state's words j and 4 + j; round i works with a[i] ... a[i + 3] and e[i] ... e[i + 3], the
 * newest last, and its outcome is a[i + 4] and e[i + 4]. */
void sha256_compression_circuit(constraint_system *cs, const boolean block[SHA256_BLOCK_BITS], uint32 state[8]) {
    if (sha256_compression_block(cs, block, state))
        return;
    uint32 w[64], a[67], e[67];
    round_terms terms[2]; /* of rounds with even and odd number */
    multieq equations;
    const uint32 *operands[8];
    multieq_begin(&equations, cs);
    for (size_t i = 0; i < 16; i++)
        w[i] = uint32_from_bits_be(block + 32 * i);
    extend_message(cs, &equations, w);
    for (size_t j = 0; j < 4; j++) {
        a[3 - j] = state[j];
        e[3 - j] = state[4 + j];
    }

    for (size_t i = 0; i < 64; i++) {
        namespace_push_index(cs, "compression round", i);
        round_terms *now = &terms[i % 2];
        const round_terms *before = &terms[(i + 1) % 2];
        if (i > 0)
            e[i + 3] =
                uint32_add_many(&equations, operands, operands_of_e(operands, before, &a[i - 1], &e[i - 1], &w[i - 1]));
        now->s1 = rotations_xored(cs, &e[i + 3], 6, 11, 25, false);
        now->ch = uint32_sha256_ch(cs, &e[i + 3], &e[i + 2], &e[i + 1]);
        now->k = uint32_constant(SHA256_ROUND_CONSTANTS[i]);
        if (i > 0)
            a[i + 3] = uint32_add_many(&equations, operands, operands_of_a(operands, before, &e[i - 1], &w[i - 1]));
        now->s0 = rotations_xored(cs, &a[i + 3], 2, 13, 22, false);
        now->maj = uint32_sha256_maj(cs, &a[i + 3], &a[i + 2], &a[i + 1]);
        namespace_pop(cs);
    }

    namespace_push(cs, "new state");
    for (size_t j = 0; j < 8; j++) {
        size_t count = 1;
        if (j == 0)
            count = operands_of_a(operands, &terms[1], &e[63], &w[63]);
        else if (j == 4)
            count = operands_of_e(operands, &terms[1], &a[63], &e[63], &w[63]);
        else
            operands[0] = j < 4 ? &a[67 - j] : &e[71 - j];
        operands[count++] = &state[j];
        state[j] = uint32_add_many(&equations, operands, count);
    }
    multieq_end(&equations);
    namespace_pop(cs);
}

void sha256_circuit(constraint_system *cs, const boolean *input, size_t count, boolean digest[SHA256_DIGEST_BITS]) {
    assert(count % 8 == 0);
    uint32 state[8];
    for (size_t j = 0; j < 8; j++)
        state[j] = uint32_constant(initial_state[j]);

    /* The message, a one, zeros, and the message's length in 64 bits. */
    size_t blocks = (count + 1 + 64 + SHA256_BLOCK_BITS - 1) / SHA256_BLOCK_BITS;
    size_t length_begin = blocks * SHA256_BLOCK_BITS - 64;
    for (size_t b = 0; b < blocks; b++) {
        boolean block[SHA256_BLOCK_BITS];
        for (size_t i = 0; i < SHA256_BLOCK_BITS; i++) {
            size_t position = b * SHA256_BLOCK_BITS + i;
            if (position < count)
                block[i] = input[position];
            else if (position < length_begin)
                block[i] = boolean_constant(position == count);
            else
                block[i] = boolean_constant((uint64_t)count >> (63 - (position - length_begin)) & 1);
        }
        namespace_push_index(cs, "block", b);
        sha256_compression_circuit(cs, block, state);
        namespace_pop(cs);
    }
    for (size_t j = 0; j < 8; j++)
        uint32_to_bits_be(&state[j], digest + 32 * j);
}
