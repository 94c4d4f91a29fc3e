/* The model of ifma_vector.h: each instruction lane by lane, as the manual states it. For tests. */
#ifndef ALGEBRA_IFMA_VECTOR_MODEL_H
#define ALGEBRA_IFMA_VECTOR_MODEL_H

#include <assert.h>
#include <string.h>

typedef struct {
    uint64_t lane[LANES];
} vec;

__extension__ typedef unsigned __int128 model_wide;

/* Not inlined, or each of thousands of calls becomes a loop. */
#define MODEL_FUNCTION static __attribute__((noinline, unused))
#define MODEL_EACH_LANE for (int i = 0; i < LANES; i++)
/* A function of two vectors by an expression in a.lane[i] and b.lane[i]. */
#define MODEL_2(name, expression)                                                                                                \
    MODEL_FUNCTION vec name(vec a, vec b) {                                                                                      \
        vec out;                                                                                                                 \
        MODEL_EACH_LANE out.lane[i] = (expression);                                                                              \
        return out;                                                                                                              \
    }

MODEL_FUNCTION vec vec_broadcast(uint64_t value) {
    vec out;
    MODEL_EACH_LANE out.lane[i] = value;
    return out;
}
MODEL_FUNCTION vec vec_zero(void) { return vec_broadcast(0); }
MODEL_FUNCTION vec vec_load(const uint64_t *from) {
    vec out;
    memcpy(&out, from, sizeof out);
    return out;
}
MODEL_FUNCTION void vec_store(uint64_t *to, vec a) { memcpy(to, &a, sizeof a); }

MODEL_2(vec_add, a.lane[i] + b.lane[i])
MODEL_2(vec_subtract, a.lane[i] - b.lane[i])
MODEL_2(vec_and, a.lane[i] & b.lane[i])
MODEL_2(vec_or, a.lane[i] | b.lane[i])

MODEL_FUNCTION vec vec_select(vec_mask mask, vec yes, vec no) {
    vec out;
    MODEL_EACH_LANE out.lane[i] = mask >> i & 1 ? yes.lane[i] : no.lane[i];
    return out;
}
MODEL_FUNCTION vec vec_subtract_where(vec unchanged, vec_mask mask, vec a, vec b) {
    return vec_select(mask, vec_subtract(a, b), unchanged);
}

MODEL_FUNCTION vec vec_shift_left(vec a, unsigned bits) {
    MODEL_EACH_LANE a.lane[i] <<= bits;
    return a;
}
MODEL_FUNCTION vec vec_shift_right(vec a, unsigned bits) {
    MODEL_EACH_LANE a.lane[i] >>= bits;
    return a;
}
MODEL_FUNCTION vec vec_shift_right_signed(vec a, unsigned bits) {
    MODEL_EACH_LANE a.lane[i] = a.lane[i] >> bits | (a.lane[i] >> 63 ? ~(UINT64_MAX >> bits) : 0);
    return a;
}
MODEL_FUNCTION vec vec_shift_pair_right(vec high, vec low, unsigned bits) {
    MODEL_EACH_LANE low.lane[i] = low.lane[i] >> bits | high.lane[i] << (64 - bits);
    return low;
}
MODEL_FUNCTION vec vec_shift_pair_left(vec high, vec low, unsigned bits) {
    MODEL_EACH_LANE high.lane[i] = high.lane[i] << bits | low.lane[i] >> (64 - bits);
    return high;
}

MODEL_FUNCTION model_wide model_product(uint64_t a, uint64_t b) {
    const uint64_t low_52 = (UINT64_C(1) << 52) - 1;
    return (model_wide)(a & low_52) * (b & low_52);
}
MODEL_FUNCTION vec vec_add_product_low(vec sum, vec a, vec b) {
    MODEL_EACH_LANE sum.lane[i] += (uint64_t)model_product(a.lane[i], b.lane[i]) & ((UINT64_C(1) << 52) - 1);
    return sum;
}
MODEL_FUNCTION vec vec_add_product_high(vec sum, vec a, vec b) {
    MODEL_EACH_LANE sum.lane[i] += (uint64_t)(model_product(a.lane[i], b.lane[i]) >> 52);
    return sum;
}

MODEL_FUNCTION vec_mask vec_equal(vec a, vec b) {
    unsigned mask = 0;
    MODEL_EACH_LANE mask |= (unsigned)(a.lane[i] == b.lane[i]) << i;
    return (vec_mask)mask;
}
MODEL_FUNCTION vec_mask vec_at_least(vec a, vec b) {
    unsigned mask = 0;
    MODEL_EACH_LANE mask |= (unsigned)(a.lane[i] >= b.lane[i]) << i;
    return (vec_mask)mask;
}

/* The instruction reads three bits of the index. */
MODEL_2(vec_lookup, a.lane[b.lane[i] & 7])
MODEL_2(vec_even_lanes, i % 2 ? b.lane[i - 1] : a.lane[i])
MODEL_2(vec_odd_lanes, i % 2 ? b.lane[i] : a.lane[i + 1])
MODEL_2(vec_even_pairs, (i < 4 ? a : b).lane[i % 4 / 2 * 4 + i % 2])
MODEL_2(vec_odd_pairs, (i < 4 ? a : b).lane[i % 4 / 2 * 4 + 2 + i % 2])
MODEL_2(vec_lower_pairs, (i % 4 < 2 ? a : b).lane[i / 4 * 2 + i % 2])
MODEL_2(vec_upper_pairs, (i % 4 < 2 ? a : b).lane[4 + i / 4 * 2 + i % 2])

MODEL_FUNCTION vec vec_load_pairs(const uint64_t *a, const uint64_t *b, const uint64_t *c, const uint64_t *d) {
    return (vec){{a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]}};
}
MODEL_FUNCTION void vec_store_pairs(vec v, uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d) {
    uint64_t *const to[] = {a, b, c, d};
    for (int i = 0; i < LANES; i++)
        to[i / 2][i % 2] = v.lane[i];
}

/* The ranges that the kernels rely on: every lane below limit; and, as unsigned integers, no lane of sum + addend wraps. */
MODEL_FUNCTION void vec_expect_below(vec a, uint64_t limit) { MODEL_EACH_LANE assert(a.lane[i] < limit); }
MODEL_FUNCTION void vec_expect_no_overflow(vec sum, uint64_t addend) {
    MODEL_EACH_LANE assert(sum.lane[i] + addend >= sum.lane[i]);
}

#undef MODEL_2
#endif
