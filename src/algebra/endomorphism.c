#include "algebra/endomorphism.h"

#include "algebra/digits.h"
#include "base/bytes.h"

__extension__ typedef unsigned __int128 uint128;

static const uint64_t Z2[2] = {0x0000000100000000ULL, 0xac45a4010001a402ULL};
/* floor(2^256 / z^2) - 2^128 */
static const uint64_t Z2_RECIPROCAL[2] = {0x63f6e522f6cfee2eULL, 0x7c6becf1e01faaddULL};

/* The two primitive cube roots of 1 in Fp, in Montgomery form. */
static const fp BETA_G2 = {{0xcd03c9e48671f071ULL, 0x5dab22461fcda5d2ULL, 0x587042afd3851b95ULL, 0x8eb60ebe01bacb9eULL,
                            0x03f97d6e83d050d2ULL, 0x18f0206554638741ULL}};
static const fp BETA_G1 = {{0x30f1361b798a64e8ULL, 0xf3b8ddab7ece5a2aULL, 0x16a8ca3ac61577f7ULL, 0xc26a2ff874fd029bULL,
                            0x3636b76660701c6eULL, 0x051ba4ab241b6160ULL}};

/* high * 2^128 + low = a * b. */
static uint128 multiply_high(uint128 a, uint128 b, uint128 *low) {
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    uint128 lowest = (uint128)a0 * b0, middle = (uint128)a0 * b1 + (uint64_t)(lowest >> 64);
    uint128 middle2 = (uint128)a1 * b0 + (uint64_t)middle;
    *low = middle2 << 64 | (uint64_t)lowest;
    return (uint128)a1 * b1 + (uint64_t)(middle >> 64) + (uint64_t)(middle2 >> 64);
}

void split_scalar(half_scalar *low, half_scalar *high, const fr_canonical *scalar) {
    uint64_t limbs[4];
    for (int i = 0; i < 4; i++)
        limbs[i] = load_u64_le(scalar->bytes + 8 * i);
    uint32_t negative = canonical_negate_if_large(limbs);
    uint128 bottom = (uint128)limbs[1] << 64 | limbs[0], top = (uint128)limbs[3] << 64 | limbs[2];
    const uint128 z2 = (uint128)Z2[1] << 64 | Z2[0], reciprocal = (uint128)Z2_RECIPROCAL[1] << 64 | Z2_RECIPROCAL[0];
    /* Barrett's division: with s < 2^254, floor(floor(s / 2^126) * floor(2^256 / z^2) / 2^130) is the quotient or 1 less. */
    uint128 leading = top << 2 | bottom >> 126, unused, product;
    uint128 sum = leading + multiply_high(leading, reciprocal, &unused);
    uint128 quotient = sum >> 2 | (uint128)(sum < leading) << 126;
    uint128 product_top = multiply_high(quotient, z2, &product);
    uint128 remainder = bottom - product; /* and its 129th bit in the next */
    bool overflow = top - product_top - (bottom < product);
    if (overflow || remainder >= z2) {
        remainder -= z2;
        quotient++;
    }
    /* The remainder of least magnitude. */
    uint32_t negative_low = negative;
    if (remainder > z2 >> 1) {
        remainder = z2 - remainder;
        negative_low ^= 1;
        quotient++;
    }
    *low = (half_scalar){{(uint64_t)remainder, (uint64_t)(remainder >> 64)}, negative_low};
    *high = (half_scalar){{(uint64_t)quotient, (uint64_t)(quotient >> 64)}, negative};
}

void g1_multiply_by_z2(g1_affine *out, const g1_affine *p) {
    blst_fp_mul(&out->x, &p->x, &BETA_G1);
    blst_fp_cneg(&out->y, &p->y, true);
}

void g2_multiply_by_z2(g2_affine *out, const g2_affine *p) {
    blst_fp_mul(&out->x.fp[0], &p->x.fp[0], &BETA_G2);
    blst_fp_mul(&out->x.fp[1], &p->x.fp[1], &BETA_G2);
    blst_fp2_cneg(&out->y, &p->y, true);
}
