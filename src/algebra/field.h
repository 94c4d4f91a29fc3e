/* The fields of BLS12-381 over blst: Fr (scalars, order r, 255 bits) and Fp (coordinates, 381 bits).
 *
 * Values of type fr and fp are reduced and in Montgomery form (R = 2^256 and 2^384) unless a name says "canonical".
 * Operands and results may alias. Every function is thread safe. None of this is constant time. */
#ifndef ALGEBRA_FIELD_H
#define ALGEBRA_FIELD_H

#include <blst.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

typedef blst_fr fr;   /* 4 limbs of 64 bits, least significant first */
typedef blst_fp fp;   /* 6 limbs of 64 bits */
typedef blst_fp2 fp2; /* fp[0] + fp[1] * u, u^2 = -1 */

enum { FR_BYTES = 32, FR_BITS = 255, FR_TWO_ADICITY = 32 };

/* A scalar as an integer below r: 32 bytes, little-endian. What MSMs take. */
typedef struct {
    uint8_t bytes[FR_BYTES];
} fr_canonical;

extern const fr FR_ZERO, FR_ONE, FR_TWO, FR_MINUS_ONE;
extern const fr FR_ROOT_OF_UNITY; /* 7^((r-1)/2^32): generates the subgroup of order 2^32 */
extern const fr FR_GENERATOR;     /* 7: generates the multiplicative group; also the coset shift of Groth16's NTTs */

static inline bool fr_is_zero(const fr *a) { return (a->l[0] | a->l[1] | a->l[2] | a->l[3]) == 0; }
static inline bool fr_equal(const fr *a, const fr *b) { return memcmp(a, b, sizeof *a) == 0; }
static inline bool fr_is_one(const fr *a) { return fr_equal(a, &FR_ONE); }

static inline void fr_add(fr *out, const fr *a, const fr *b) { blst_fr_add(out, a, b); }
static inline void fr_sub(fr *out, const fr *a, const fr *b) { blst_fr_sub(out, a, b); }
static inline void fr_mul(fr *out, const fr *a, const fr *b) { blst_fr_mul(out, a, b); }
static inline void fr_square(fr *out, const fr *a) { blst_fr_sqr(out, a); }
static inline void fr_double(fr *out, const fr *a) { blst_fr_lshift(out, a, 1); }
static inline void fr_negate(fr *out, const fr *a) { blst_fr_cneg(out, a, true); }
/* The inverse of 0 is 0. */
static inline void fr_invert(fr *out, const fr *a) { blst_fr_eucl_inverse(out, a); }

/* out = a^exponent. */
void fr_power(fr *out, const fr *a, uint64_t exponent);

/* out = a / 2^bits, bits below 64: a quarter of Montgomery's reduction, for what would take a product. */
void fr_divide_by_power_of_two(fr *out, const fr *a, unsigned bits);

/* values[i] *= first * ratio^i for i < count. */
void fr_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count);

/* Replaces each of count non-zero values by its inverse (one inversion, 3 products each); zeros stay zero.
 * scratch holds count values and may not overlap. */
void fr_batch_invert(fr *values, size_t count, fr *scratch);

void fr_from_u64(fr *out, uint64_t value);

/* 32 bytes little-endian canonical. Returns false, leaving *out alone, unless the integer is below r. */
bool fr_from_bytes(fr *out, const uint8_t bytes[FR_BYTES]);
/* Writes the canonical integer as 32 bytes little-endian. */
void fr_to_bytes(uint8_t bytes[FR_BYTES], const fr *a);
static inline void fr_to_canonical(fr_canonical *out, const fr *a) { fr_to_bytes(out->bytes, a); }

/* Bytes of any value, as an integer modulo r: the low 254 bits of 32 little-endian bytes (the two top bits are
 * dropped), which is how Filecoin turns a hash into a field element. */
void fr_from_hash(fr *out, const uint8_t bytes[FR_BYTES]);

/* Uniform from the operating system's generator. */
cuzk_status fr_random(fr *out, cuzk_error *error);

/* Uniform (to 2^-255) from a 32-byte seed and a counter, by SHA-256 of seed | u64 LE counter | 0 or 1 reduced modulo r:
 * reproducible randomness for tests and for --seed. */
void fr_from_seed(fr *out, const uint8_t seed[32], uint64_t counter);

/* The root of unity that generates the subgroup of order 2^log_size, log_size <= FR_TWO_ADICITY. */
void fr_root_of_unity(fr *out, unsigned log_size);

#endif
