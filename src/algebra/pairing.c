#include "algebra/pairing.h"

enum { PAIRS_AT_ONCE = 16 }; /* share the squarings of one Miller loop */

bool pairing_product_is_one(const g1_affine *p, const g2_affine *q, size_t count) {
    blst_fp12 product = *blst_fp12_one();
    size_t next = 0;
    while (next < count) {
        const blst_p1_affine *ps[PAIRS_AT_ONCE];
        const blst_p2_affine *qs[PAIRS_AT_ONCE];
        size_t pairs = 0;
        for (; next < count && pairs < PAIRS_AT_ONCE; next++) {
            if (g1_affine_is_infinity(&p[next]) || g2_affine_is_infinity(&q[next]))
                continue;
            ps[pairs] = &p[next];
            qs[pairs] = &q[next];
            pairs++;
        }
        if (pairs == 0)
            continue;
        blst_fp12 part;
        blst_miller_loop_n(&part, qs, ps, pairs);
        blst_fp12_mul(&product, &product, &part);
    }
    blst_final_exp(&product, &product);
    return blst_fp12_is_one(&product);
}
