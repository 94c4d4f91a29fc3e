/* The transforms on level avx2: four elements in a vector. */
#include "algebra/avx2_fr.h"
#include "algebra/ntt_kernel.h"

enum { LANES = VECTOR_LANES, LOG_LANES = 2, LOG_TILE_COLUMNS = 2, LOG_STORED = 12, LOG_CACHED = 6, LOG_SCALED = 0 };
enum { AT_ONCE = 1, MOST_LAYERS = 12 };
typedef fr4 lanes;
typedef fr4_root roots;

#define lanes_load fr4_load
#define lanes_store(to, stride, a, reduced) ((void)(reduced), fr4_store(to, stride, a))
#define lanes_load_row(out, from) lanes_load(out, from, 1)
#define lanes_store_row(to, a, reduced) lanes_store(to, 1, a, reduced)
#define lanes_product fr4_product
#define lanes_sum fr4_add
#define lanes_difference fr4_subtract
#define lanes_settle fr4_settle
#define lanes_normalise(a) ((void)(a))
#define lanes_transpose fr4_transpose

/* Of four values in Montgomery form. */
static void roots_of_values(roots *out, const fr values[VECTOR_LANES]) {
    fr canonical[VECTOR_LANES];
    fr4 value;
    for (size_t i = 0; i < VECTOR_LANES; i++) {
        fr_canonical bytes;
        fr_to_canonical(&bytes, &values[i]);
        memcpy(&canonical[i], &bytes, sizeof bytes);
    }
    fr4_load(&value, canonical, 1);
    limbs_normalise(value.limb, value.limb);
    fr4_prepare_root(out, &value);
}

static __attribute__((noinline)) void roots_product(roots *out, const roots *a, const roots *b) {
    fr4 value;
    fr4_product(&value, &a->value, b);
    fr4_prepare_root(out, &value);
}

/* The root at an index of an array, in all lanes; in `room`. */
VEC_INLINE const roots *roots_broadcast(roots *room, const roots *from, size_t index) {
    const roots *group = &from[index / VECTOR_LANES];
    const size_t lane = index % VECTOR_LANES;
    UNROLLED for (size_t i = 0; i < LIMBS; i++) {
        room->value.limb[i] = _mm256_broadcast_sd((const double *)&group->value.limb[i] + lane);
        room->quotient.limb[i] = _mm256_broadcast_sd((const double *)&group->quotient.limb[i] + lane);
    }
    return room;
}

#include "algebra/ntt_level_template.h"

const ntt_kernel ntt_kernel_avx2 = NTT_KERNEL;
