/* The transforms on level ifma: eight elements in a vector.
 *
 * Vectors of elements are normalised and below 33r, settled ones below 3r. A split begins below 2.3 r, since what memory holds is
 * below 2^256; a layer adds at most 3r to that, 30r in the MOST_LAYERS; so products with roots are below 33r * r / 2^260 + 2r,
 * that is 2.95 r. In a merge factors are below 6r. */
#include "algebra/ifma_fr.h"
#include "algebra/kernels.h"

enum { LOG_TILE_COLUMNS = 3, LOG_STORED = 12, LOG_CACHED = 6, LOG_SCALED = 0, AT_ONCE = 2, MOST_LAYERS = 10 };
typedef fr8 lanes;
typedef fr8 roots; /* times 2^260, below r */

VEC_INLINE void lanes_load(lanes *out, const fr *from, size_t stride) {
    const uint64_t *at[LANES];
    vec word[FR_WORDS];
    for (size_t i = 0; i < LANES; i++)
        at[i] = from[i * stride].l;
    load_two_words(word, at, 0);
    load_two_words(word + 2, at, 2);
    *out = fr8_from_words(word);
}

VEC_INLINE void store_reduced(fr *to, size_t stride, const lanes *a) {
    uint64_t *at[LANES];
    vec word[FR_WORDS];
    for (size_t i = 0; i < LANES; i++)
        at[i] = to[i * stride].l;
    const fr8 reduced = fr8_reduced(a);
    fr8_to_words(word, &reduced);
    store_two_words(at, 0, word);
    store_two_words(at, 2, word + 2);
}
#define lanes_store(to, stride, a, reduced) ((void)(reduced), store_reduced(to, stride, a))

VEC_INLINE void lanes_product(lanes *out, const lanes *a, const roots *root) { *out = fr8_product(a, root); }
VEC_INLINE void lanes_normalise(lanes *a) { *a = fr8_normalise(a); }

VEC_INLINE void lanes_sum(lanes *out, const lanes *a, const lanes *b) {
    const fr8 sum = fr8_sum(a, b);
    *out = fr8_normalise(&sum);
}

VEC_INLINE void lanes_difference(lanes *out, const lanes *a, const lanes *b) {
    const fr8 difference = fr8_difference(a, b);
    *out = fr8_normalise(&difference);
}

VEC_INLINE void lanes_settle(lanes *a) {
    const fr8 settled = fr8_nearly_reduced(a);
    *a = fr8_normalise(&settled);
}

/* Eight neighbours, in an order of lanes of their own. */
VEC_INLINE void lanes_load_row(lanes *out, const fr *from) {
    vec word[FR_WORDS];
    load_eight(word, from->l);
    *out = fr8_from_words(word);
}

VEC_INLINE void store_row(fr *to, const lanes *a) {
    vec word[FR_WORDS];
    const fr8 reduced = fr8_reduced(a);
    fr8_to_words(word, &reduced);
    store_eight(to->l, word);
}
#define lanes_store_row(to, a, reduced) ((void)(reduced), store_row(to, a))

/* Lane i of vector j goes to lane j of vector i. */
VEC_INLINE void lanes_transpose(lanes vectors[LANES]) {
    for (size_t limb = 0; limb < FR8_LIMBS; limb++) {
        vec even[4], odd[4]; /* pairs of lanes 0, 2, 4, 6 and 1, 3, 5, 7, of two vectors in turn */
        for (size_t i = 0; i < 4; i++) {
            const vec a = vectors[2 * i].limb[limb], b = vectors[2 * i + 1].limb[limb];
            even[i] = vec_even_lanes(a, b);
            odd[i] = vec_odd_lanes(a, b);
        }
        for (size_t i = 0; i < 2; i++) {
            const vec *pairs = i ? odd : even;
            const vec even01 = vec_even_pairs(pairs[0], pairs[1]), odd01 = vec_odd_pairs(pairs[0], pairs[1]);
            const vec even23 = vec_even_pairs(pairs[2], pairs[3]), odd23 = vec_odd_pairs(pairs[2], pairs[3]);
            vectors[0 + i].limb[limb] = vec_even_pairs(even01, even23);
            vectors[2 + i].limb[limb] = vec_even_pairs(odd01, odd23);
            vectors[4 + i].limb[limb] = vec_odd_pairs(even01, even23);
            vectors[6 + i].limb[limb] = vec_odd_pairs(odd01, odd23);
        }
    }
}

/* Of eight values in Montgomery form: times 2^256 there, so that they want a factor of 16. */
static void roots_of_values(roots *out, const fr values[LANES]) {
    fr times_16[LANES], sixteen;
    fr_from_u64(&sixteen, 16);
    for (size_t i = 0; i < LANES; i++)
        fr_mul(&times_16[i], &values[i], &sixteen);
    lanes_load(out, times_16, 1);
}

static void roots_product(roots *out, const roots *a, const roots *b) {
    const fr8 product = fr8_product(a, b);
    *out = fr8_reduced(&product);
}

/* The root at an index of an array, in all lanes; in `room`. */
VEC_INLINE const roots *roots_broadcast(roots *room, const roots *from, size_t index) {
    uint64_t limbs[FR8_LIMBS];
    const uint64_t *words = (const uint64_t *)(const void *)&from[index / LANES];
    for (size_t i = 0; i < FR8_LIMBS; i++)
        limbs[i] = words[i * LANES + index % LANES];
    *room = fr8_constant(limbs);
    return room;
}

#include "algebra/ntt_level_template.h"

const ntt_kernel IFMA(ntt_kernel) = NTT_KERNEL;

const algebra_kernels IFMA(kernels) = {
    .level = CPU_IFMA,
    .g1_batch_add = IFMA(g1_batch_add),
    .g2_batch_add = IFMA(g2_batch_add),
    .g1_lane_products = IFMA(g1_lane_products),
    .g2_lane_products = IFMA(g2_lane_products),
    .ntt = &IFMA(ntt_kernel),
};
