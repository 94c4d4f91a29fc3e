#include "algebra/ifma/probe.h"

#include "algebra/ifma_fp.h"
#include "algebra/ifma_fr.h"

static void instructions(probe_vector out[PROBE_INSTRUCTIONS], const probe_vector in[3]) {
    const vec a = vec_load(in[0]), b = vec_load(in[1]), c = vec_load(in[2]);
    const vec seven = vec_broadcast(7);
    const vec_mask mask = vec_at_least(a, b);
    const vec results[] = {vec_add(a, b),
                           vec_subtract(a, b),
                           vec_and(a, b),
                           vec_or(a, b),
                           vec_subtract_where(c, mask, a, b),
                           vec_select(mask, a, b),
                           vec_shift_left(a, 12),
                           vec_shift_right(a, 52),
                           vec_shift_right_signed(a, 52),
                           vec_shift_pair_right(a, b, 40),
                           vec_shift_pair_left(a, b, 16),
                           vec_add_product_low(c, a, b),
                           vec_add_product_high(c, a, b),
                           vec_broadcast(vec_equal(a, b)),
                           vec_broadcast(mask),
                           vec_lookup(a, vec_and(b, seven)),
                           vec_even_lanes(a, b),
                           vec_odd_lanes(a, b),
                           vec_even_pairs(a, b),
                           vec_odd_pairs(a, b),
                           vec_lower_pairs(a, b),
                           vec_upper_pairs(a, b),
                           vec_zero(),
                           vec_load_pairs(in[0], in[1] + 2, in[2] + 4, in[0] + 6)};
    _Static_assert(sizeof results / sizeof *results == PROBE_INSTRUCTIONS, "probe.h");
    for (int i = 0; i < PROBE_INSTRUCTIONS - 1; i++)
        vec_store(out[i], results[i]);
    uint64_t *last = out[PROBE_INSTRUCTIONS - 1];
    vec_store_pairs(results[PROBE_INSTRUCTIONS - 1], last + 6, last + 4, last + 2, last);
}

static void put_fp(uint64_t out[LANES][FP_WORDS], const fp8 *a) {
    const fp8 reduced = fp8_reduced(a);
    vec word[FP_WORDS];
    fp8_to_words(word, &reduced);
    const fp8 again = fp8_from_words(word);
    fp8_to_words(word, &again);
    for (int i = 0; i < FP_WORDS; i++) {
        uint64_t lanes[LANES];
        vec_store(lanes, word[i]);
        for (int lane = 0; lane < LANES; lane++)
            out[lane][i] = lanes[lane];
    }
}

static void fp_products(probe_fp_results *out, const probe_vector operands[4][8]) {
    const fp8 a = fp8_load(operands[0][0]), b = fp8_load(operands[1][0]), c = fp8_load(operands[2][0]),
              d = fp8_load(operands[3][0]);
    const fp8 product = fp8_product(&a, &b), square = fp8_square(&a), sum = fp8_sum_of_products(&a, &b, &c, &d);
    const fp8 shifted = fp8_shift_left_16(&a), shifted_product = fp8_product(&shifted, &b);
    put_fp(out->product, &product);
    put_fp(out->square, &square);
    put_fp(out->sum_of_products, &sum);
    put_fp(out->shifted_product, &shifted_product);
}

static void fp_reduced(uint64_t out[LANES][FP_WORDS], const probe_vector limbs[8]) {
    const fp8 a = fp8_load(limbs[0]);
    put_fp(out, &a);
}

static void put_fr(uint64_t out[LANES][FR_WORDS], const fr8 *a) {
    const fr8 reduced = fr8_reduced(a);
    vec word[FR_WORDS];
    fr8_to_words(word, &reduced);
    for (int i = 0; i < FR_WORDS; i++) {
        uint64_t lanes[LANES];
        vec_store(lanes, word[i]);
        for (int lane = 0; lane < LANES; lane++)
            out[lane][i] = lanes[lane];
    }
}

static fr8 fr_of(const probe_vector limbs[FR8_LIMBS]) {
    fr8 a;
    for (int i = 0; i < FR8_LIMBS; i++)
        a.limb[i] = vec_load(limbs[i]);
    return a;
}

static void fr_products(probe_fr_results *out, const probe_vector operands[2][5]) {
    const fr8 a = fr_of(operands[0]), b = fr_of(operands[1]);
    const fr8 product = fr8_product(&a, &b);
    fr8 nearly = fr8_nearly_reduced(&a);
    nearly = fr8_normalise(&nearly);
    put_fr(out->product, &product);
    put_fr(out->nearly_reduced, &nearly);
}

static void fr_reduced(uint64_t out[LANES][FR_WORDS], const probe_vector limbs[5]) {
    const fr8 a = fr_of(limbs);
    put_fr(out, &a);
}

static void fr_round_trip(uint64_t out[4 * LANES], const uint64_t in[4 * LANES]) {
    vec word[FR_WORDS];
    load_eight(word, in);
    const fr8 a = fr8_from_words(word);
    fr8 three_a = fr8_sum(&a, &a);
    three_a = fr8_sum(&three_a, &a);
    fr8 one_a = fr8_subtract(&three_a, &a);
    one_a = fr8_subtract(&one_a, &a);
    one_a = fr8_normalise(&one_a);
    one_a = fr8_reduced(&one_a);
    fr8_to_words(word, &one_a);
    store_eight(out, word);
}

const probe IFMA(probe) = {instructions, fp_products, fp_reduced, fr_products, fr_reduced, fr_round_trip};
