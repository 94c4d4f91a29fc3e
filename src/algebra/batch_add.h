/* The inner loop of every sum of points: many independent affine additions that share one field inversion
 * (Montgomery's trick), 5 products and a square each. Internal to this room. */
#ifndef ALGEBRA_BATCH_ADD_H
#define ALGEBRA_BATCH_ADD_H

#include "algebra/curve.h"

/* Additions in one call. More of them dilute the inversion; the points they touch should stay in the L2 cache. */
enum { G1_BATCH = 1024, G2_BATCH = 512 };

/* *sum += addends[addend], or -= where negate is 1. */
typedef struct {
    g1_affine *sum;
    uint32_t addend;
    uint32_t negate;
} g1_addition;

typedef struct {
    g2_affine *sum;
    uint32_t addend;
    uint32_t negate;
} g2_addition;

/* Memory of one thread; its content means nothing between calls. Each level of arithmetic has its own use for it. */
typedef struct {
    union {
        struct {
            fp denominators[G1_BATCH], products[G1_BATCH + 1];
            uint32_t active[G1_BATCH];
        } portable;
        unsigned char vectors[768 * ((G1_BATCH + 4) / 5) + 64]; /* level avx2; level ifma takes a little less */
    } level;
    g1_addition irregular[G1_BATCH];
} g1_batch_scratch;

typedef struct {
    union {
        struct {
            fp2 denominators[G2_BATCH], products[G2_BATCH + 1];
            uint32_t active[G2_BATCH];
        } portable;
        unsigned char vectors[1152 * (G2_BATCH / 4) + 64];
    } level;
    g2_addition irregular[G2_BATCH];
} g2_batch_scratch;

/* Does count additions, at most G1_BATCH or G2_BATCH. The sums are distinct, and no addend is one of them. Right for all points
 * on the curve (of odd order): equal and opposite pairs and infinity on either side are treated one by one, at the
 * price of an ordinary addition. */
void g1_batch_add(const g1_addition *additions, size_t count, const g1_affine *addends, g1_batch_scratch *scratch);
void g2_batch_add(const g2_addition *additions, size_t count, const g2_affine *addends, g2_batch_scratch *scratch);

#endif
