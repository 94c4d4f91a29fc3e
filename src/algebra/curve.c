#include "algebra/curve.h"

#include "algebra/scaled_points.h"
#include "base/bytes.h"

__extension__ typedef unsigned __int128 uint128;

enum { FP_BYTES = 48, FLAG_COMPRESSED = 0x80, FLAG_INFINITY = 0x40, FLAG_SIGN = 0x20, FLAGS = 0xe0 };

/* p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab */
static const uint64_t MODULUS[6] = {0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL,
                                    0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL};

static const uint64_t MINUS_INVERSE_OF_MODULUS = 0x89f3fffcfffcfffdULL; /* -1/p mod 2^64 */

const g1_affine *const G1_GENERATOR = &BLS12_381_G1;
const g2_affine *const G2_GENERATOR = &BLS12_381_G2;

const char *point_error_text(point_error error) {
    switch (error) {
    case POINT_OK: return "a valid point";
    case POINT_BAD_FLAGS: return "invalid flag bits";
    case POINT_BAD_COORDINATE: return "a coordinate not below the field's modulus";
    case POINT_NOT_ON_CURVE: return "a point that is not on the curve";
    case POINT_NOT_IN_SUBGROUP: return "a point outside the subgroup of order r";
    case POINT_IS_INFINITY: return "the point at infinity";
    }
    return "an unknown error";
}

static inline bool below_modulus(const uint64_t limbs[6]) {
    for (int i = 5; i >= 0; i--)
        if (limbs[i] != MODULUS[i])
            return limbs[i] < MODULUS[i];
    return false;
}

/* 48 big-endian bytes as an integer; false unless below the modulus. */
static inline bool load_coordinate(uint64_t limbs[6], const uint8_t bytes[FP_BYTES]) {
    for (int i = 0; i < 6; i++) {
        uint64_t word;
        memcpy(&word, bytes + 40 - 8 * i, 8);
        limbs[i] = __builtin_bswap64(word);
    }
    return below_modulus(limbs);
}

static inline bool fp_decode(fp *out, const uint8_t bytes[FP_BYTES]) {
    uint64_t limbs[6];
    if (!load_coordinate(limbs, bytes))
        return false;
    blst_fp_from_uint64(out, limbs);
    return true;
}

/* The imaginary part comes first. */
static inline bool fp2_decode(fp2 *out, const uint8_t bytes[2 * FP_BYTES]) {
    return fp_decode(&out->fp[1], bytes) && fp_decode(&out->fp[0], bytes + FP_BYTES);
}

/* An encoding whose infinity flag is set: every other bit but the compression flag must be zero. */
static point_error check_infinity(const uint8_t *bytes, size_t length, bool allowed) {
    uint8_t payload = bytes[0] & (uint8_t)~(FLAG_COMPRESSED | FLAG_INFINITY);
    for (size_t i = 1; i < length; i++)
        payload |= bytes[i];
    if (payload)
        return POINT_BAD_FLAGS;
    return allowed ? POINT_OK : POINT_IS_INFINITY;
}

point_error g1_decode(g1_affine *out, const uint8_t bytes[G1_BYTES], point_check check, bool infinity_allowed) {
    if (bytes[0] & FLAGS) {
        if ((bytes[0] & FLAGS) != FLAG_INFINITY)
            return POINT_BAD_FLAGS;
        memset(out, 0, sizeof *out);
        return check_infinity(bytes, G1_BYTES, infinity_allowed);
    }
    if (!fp_decode(&out->x, bytes) || !fp_decode(&out->y, bytes + FP_BYTES))
        return POINT_BAD_COORDINATE;
    /* (0, 0) is our infinity, which has its own encoding. */
    if (g1_affine_is_infinity(out))
        return POINT_NOT_ON_CURVE;
    if (check != POINT_UNCHECKED && !blst_p1_affine_on_curve(out))
        return POINT_NOT_ON_CURVE;
    if (check == POINT_IN_SUBGROUP && !blst_p1_affine_in_g1(out))
        return POINT_NOT_IN_SUBGROUP;
    return POINT_OK;
}

point_error g2_decode(g2_affine *out, const uint8_t bytes[G2_BYTES], point_check check, bool infinity_allowed) {
    if (bytes[0] & FLAGS) {
        if ((bytes[0] & FLAGS) != FLAG_INFINITY)
            return POINT_BAD_FLAGS;
        memset(out, 0, sizeof *out);
        return check_infinity(bytes, G2_BYTES, infinity_allowed);
    }
    if (!fp2_decode(&out->x, bytes) || !fp2_decode(&out->y, bytes + 2 * FP_BYTES))
        return POINT_BAD_COORDINATE;
    if (g2_affine_is_infinity(out))
        return POINT_NOT_ON_CURVE;
    if (check != POINT_UNCHECKED && !blst_p2_affine_on_curve(out))
        return POINT_NOT_ON_CURVE;
    if (check == POINT_IN_SUBGROUP && !blst_p2_affine_in_g2(out))
        return POINT_NOT_IN_SUBGROUP;
    return POINT_OK;
}

static inline void fp_encode(uint8_t bytes[FP_BYTES], const fp *a) {
    uint64_t limbs[6];
    blst_uint64_from_fp(limbs, a);
    for (int i = 0; i < 6; i++)
        store_u64_be(bytes + 40 - 8 * i, limbs[i]);
}

void g1_encode(uint8_t bytes[G1_BYTES], const g1_affine *p) {
    fp_encode(bytes, &p->x);
    fp_encode(bytes + FP_BYTES, &p->y);
    if (g1_affine_is_infinity(p))
        bytes[0] = FLAG_INFINITY;
}

void g2_encode(uint8_t bytes[G2_BYTES], const g2_affine *p) {
    const fp *const coordinates[] = {&p->x.fp[1], &p->x.fp[0], &p->y.fp[1], &p->y.fp[0]};
    for (int i = 0; i < 4; i++)
        fp_encode(bytes + i * FP_BYTES, coordinates[i]);
    if (g2_affine_is_infinity(p))
        bytes[0] = FLAG_INFINITY;
}

static point_error from_blst(BLST_ERROR error) {
    switch (error) {
    case BLST_SUCCESS: return POINT_OK;
    case BLST_POINT_NOT_ON_CURVE: return POINT_NOT_ON_CURVE;
    case BLST_POINT_NOT_IN_GROUP: return POINT_NOT_IN_SUBGROUP;
    default: return POINT_BAD_COORDINATE; /* the flags were right before blst was asked */
    }
}

point_error g1_decompress(g1_affine *out, const uint8_t bytes[G1_COMPRESSED_BYTES], bool infinity_allowed) {
    if (!(bytes[0] & FLAG_COMPRESSED))
        return POINT_BAD_FLAGS;
    if (bytes[0] & FLAG_INFINITY) {
        memset(out, 0, sizeof *out);
        return check_infinity(bytes, G1_COMPRESSED_BYTES, infinity_allowed);
    }
    point_error error = from_blst(blst_p1_uncompress(out, bytes));
    if (error == POINT_OK && !blst_p1_affine_in_g1(out))
        error = POINT_NOT_IN_SUBGROUP;
    return error;
}

point_error g2_decompress(g2_affine *out, const uint8_t bytes[G2_COMPRESSED_BYTES], bool infinity_allowed) {
    if (!(bytes[0] & FLAG_COMPRESSED))
        return POINT_BAD_FLAGS;
    if (bytes[0] & FLAG_INFINITY) {
        memset(out, 0, sizeof *out);
        return check_infinity(bytes, G2_COMPRESSED_BYTES, infinity_allowed);
    }
    point_error error = from_blst(blst_p2_uncompress(out, bytes));
    if (error == POINT_OK && !blst_p2_affine_in_g2(out))
        error = POINT_NOT_IN_SUBGROUP;
    return error;
}

void g1_compress(uint8_t bytes[G1_COMPRESSED_BYTES], const g1_affine *p) { blst_p1_affine_compress(bytes, p); }
void g2_compress(uint8_t bytes[G2_COMPRESSED_BYTES], const g2_affine *p) { blst_p2_affine_compress(bytes, p); }

void g1_to_affine(g1_affine *out, const g1 *p) { blst_p1_to_affine(out, p); }
void g2_to_affine(g2_affine *out, const g2 *p) { blst_p2_to_affine(out, p); }
void g1_from_affine(g1 *out, const g1_affine *p) { blst_p1_from_affine(out, p); }
void g2_from_affine(g2 *out, const g2_affine *p) { blst_p2_from_affine(out, p); }

void g1_multiply(g1 *out, const g1 *p, const fr *k) {
    fr_canonical scalar;
    fr_to_canonical(&scalar, k);
    blst_p1_mult(out, p, scalar.bytes, FR_BITS);
}

void g2_multiply(g2 *out, const g2 *p, const fr *k) {
    fr_canonical scalar;
    fr_to_canonical(&scalar, k);
    blst_p2_mult(out, p, scalar.bytes, FR_BITS);
}

/* limbs * 2^-192 modulo p: three rounds of Montgomery's reduction. The result is below p because the integer was. */
static inline void divide_by_2_192(uint64_t limbs[6]) {
    for (int round = 0; round < 3; round++) {
        uint64_t factor = limbs[0] * MINUS_INVERSE_OF_MODULUS;
        uint128 sum = (uint128)factor * MODULUS[0] + limbs[0];
        for (int i = 1; i < 6; i++) {
            sum = (uint128)factor * MODULUS[i] + limbs[i] + (uint64_t)(sum >> 64);
            limbs[i - 1] = (uint64_t)sum;
        }
        limbs[5] = (uint64_t)(sum >> 64);
    }
}

point_error g1_decode_scaled(g1_affine *out, const uint8_t bytes[G1_BYTES]) {
    if (bytes[0] & FLAGS)
        return g1_decode(out, bytes, POINT_UNCHECKED, true);
    if (!load_coordinate(out->x.l, bytes) || !load_coordinate(out->y.l, bytes + FP_BYTES))
        return POINT_BAD_COORDINATE;
    divide_by_2_192(out->y.l);
    return g1_affine_is_infinity(out) ? POINT_NOT_ON_CURVE : POINT_OK;
}

point_error g2_decode_scaled(g2_affine *out, const uint8_t bytes[G2_BYTES]) {
    if (bytes[0] & FLAGS)
        return g2_decode(out, bytes, POINT_UNCHECKED, true);
    if (!load_coordinate(out->x.fp[1].l, bytes) || !load_coordinate(out->x.fp[0].l, bytes + FP_BYTES) ||
        !load_coordinate(out->y.fp[1].l, bytes + 2 * FP_BYTES) || !load_coordinate(out->y.fp[0].l, bytes + 3 * FP_BYTES))
        return POINT_BAD_COORDINATE;
    divide_by_2_192(out->y.fp[0].l);
    divide_by_2_192(out->y.fp[1].l);
    return g2_affine_is_infinity(out) ? POINT_NOT_ON_CURVE : POINT_OK;
}

/* u = 2^-192 in Montgomery form. x = X / Z^2 and y = Y / Z^3, so a factor in Z does it. */
static const fp SCALE = {{0, 0, 0, 1, 0, 0}};

void g1_unscale(g1 *p) { blst_fp_mul(&p->z, &p->z, &SCALE); }

void g2_unscale(g2 *p) {
    blst_fp_mul(&p->z.fp[0], &p->z.fp[0], &SCALE);
    blst_fp_mul(&p->z.fp[1], &p->z.fp[1], &SCALE);
}
