/* The groups G1 (over Fp) and G2 (over Fp2) of BLS12-381, over blst, and their encodings.
 *
 * Affine points are (x, y) with (0, 0) for infinity; projective ones are Jacobian, infinity has z = 0. Coordinates are
 * in Montgomery form. Encodings are ZCash's (big-endian; flag bits 7 compressed, 6 infinity, 5 sign in the first
 * byte): https://github.com/zkcrypto/pairing/blob/master/src/bls12_381/README.md */
#ifndef ALGEBRA_CURVE_H
#define ALGEBRA_CURVE_H

#include "algebra/field.h"

typedef blst_p1_affine g1_affine; /* 96 bytes */
typedef blst_p1 g1;
typedef blst_p2_affine g2_affine; /* 192 bytes */
typedef blst_p2 g2;

enum { G1_BYTES = 96, G2_BYTES = 192, G1_COMPRESSED_BYTES = 48, G2_COMPRESSED_BYTES = 96 };

/* How much of a decoded point to check. */
typedef enum {
    POINT_UNCHECKED, /* flags and coordinate ranges only: for files whose points were checked before */
    POINT_ON_CURVE,
    POINT_IN_SUBGROUP /* on the curve and of order r */
} point_check;

/* Why a point was refused; point_error_text gives the words ("a coordinate not below the field's modulus"). */
typedef enum {
    POINT_OK = 0,
    POINT_BAD_FLAGS,
    POINT_BAD_COORDINATE,
    POINT_NOT_ON_CURVE,
    POINT_NOT_IN_SUBGROUP,
    POINT_IS_INFINITY
} point_error;
const char *point_error_text(point_error error);

static inline bool g1_affine_is_infinity(const g1_affine *p) { return blst_p1_affine_is_inf(p); }
static inline bool g2_affine_is_infinity(const g2_affine *p) { return blst_p2_affine_is_inf(p); }

/* Uncompressed, 96 and 192 bytes. Infinity is accepted unless infinity_allowed is false; its payload must be zero. */
point_error g1_decode(g1_affine *out, const uint8_t bytes[G1_BYTES], point_check check, bool infinity_allowed);
point_error g2_decode(g2_affine *out, const uint8_t bytes[G2_BYTES], point_check check, bool infinity_allowed);
void g1_encode(uint8_t bytes[G1_BYTES], const g1_affine *p);
void g2_encode(uint8_t bytes[G2_BYTES], const g2_affine *p);

/* Compressed, 48 and 96 bytes; decoding always checks the curve and the subgroup. */
point_error g1_decompress(g1_affine *out, const uint8_t bytes[G1_COMPRESSED_BYTES], bool infinity_allowed);
point_error g2_decompress(g2_affine *out, const uint8_t bytes[G2_COMPRESSED_BYTES], bool infinity_allowed);
void g1_compress(uint8_t bytes[G1_COMPRESSED_BYTES], const g1_affine *p);
void g2_compress(uint8_t bytes[G2_COMPRESSED_BYTES], const g2_affine *p);

extern const g1_affine *const G1_GENERATOR;
extern const g2_affine *const G2_GENERATOR;

void g1_to_affine(g1_affine *out, const g1 *p);
void g2_to_affine(g2_affine *out, const g2 *p);
void g1_from_affine(g1 *out, const g1_affine *p);
void g2_from_affine(g2 *out, const g2_affine *p);

/* out = k * p for p in the subgroup; blst's multiplication by means of the curve's endomorphism, for single points. */
void g1_multiply(g1 *out, const g1 *p, const fr *k);
void g2_multiply(g2 *out, const g2 *p, const fr *k);

/* out = p, or -p if negate. */
static inline void g1_copy_with_sign(g1_affine *out, const g1_affine *p, bool negate) {
    out->x = p->x;
    blst_fp_cneg(&out->y, &p->y, negate);
}
static inline void g2_copy_with_sign(g2_affine *out, const g2_affine *p, bool negate) {
    out->x = p->x;
    blst_fp2_cneg(&out->y, &p->y, negate);
}

/* Sums that are right for all inputs (equal, opposite, infinity). */
static inline void g1_add(g1 *out, const g1 *a, const g1 *b) { blst_p1_add_or_double(out, a, b); }
static inline void g2_add(g2 *out, const g2 *a, const g2 *b) { blst_p2_add_or_double(out, a, b); }
static inline void g1_add_affine(g1 *out, const g1 *a, const g1_affine *b) { blst_p1_add_or_double_affine(out, a, b); }
static inline void g2_add_affine(g2 *out, const g2 *a, const g2_affine *b) { blst_p2_add_or_double_affine(out, a, b); }

#endif
