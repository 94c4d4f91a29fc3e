#include "algebra/avx2/probe_fp.h"

#include "algebra/avx2_fp.h"

_Static_assert(sizeof(probe_element) == sizeof(fp4), "probe_fp.h");

void probe_avx2_product(probe_element *out, const probe_element *a, const probe_element *b, fp *other, const fp *other_a,
                        const fp *other_b) {
    fp4 result, factors[2];
    memcpy(&factors[0], a, sizeof *a);
    memcpy(&factors[1], b, sizeof *b);
    fp_product_state state = {.a = other_a, .b = other_b};
    fp4_product(&result, &factors[0], &factors[1], &state);
    fp_product_finish(other, &state);
    memcpy(out, &result, sizeof result);
}

void probe_avx2_normalise(probe_element *a) {
    fp4 value;
    memcpy(&value, a, sizeof value);
    value = fp4_normalise(&value);
    memcpy(a, &value, sizeof value);
}

void probe_avx2_store_reduced(fp out[PROBE_LANES], probe_element *a) {
    fp4 value;
    uint64_t *at[PROBE_LANES];
    for (int lane = 0; lane < PROBE_LANES; lane++)
        at[lane] = out[lane].l;
    memcpy(&value, a, sizeof value);
    value = fp4_store_reduced(at, 0, &value);
    memcpy(a, &value, sizeof value);
}

void probe_avx2_gather(probe_element *out, const fp in[PROBE_LANES]) {
    const uint64_t *at[PROBE_LANES];
    word_vec ignored;
    for (int lane = 0; lane < PROBE_LANES; lane++)
        at[lane] = in[lane].l;
    const fp4 value = fp4_gather(at, 0, &ignored);
    memcpy(out, &value, sizeof value);
}
