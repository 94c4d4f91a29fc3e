#include "algebra/field.h"

#include <errno.h>
#include <assert.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include "algebra/fr_order.h"
#include "base/bytes.h"

__extension__ typedef unsigned __int128 uint128;

/* r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001; the values below times 2^256 mod r. */
const fr FR_ZERO = {{0, 0, 0, 0}};
const fr FR_ONE = {{0x00000001fffffffeULL, 0x5884b7fa00034802ULL, 0x998c4fefecbc4ff5ULL, 0x1824b159acc5056fULL}};
const fr FR_TWO = {{0x00000003fffffffcULL, 0xb1096ff400069004ULL, 0x33189fdfd9789feaULL, 0x304962b3598a0adfULL}};
const fr FR_MINUS_ONE = {{0xfffffffd00000003ULL, 0xfb38ec08fffb13fcULL, 0x99ad88181ce5880fULL, 0x5bc8f5f97cd877d8ULL}};
const fr FR_GENERATOR = {{0x0000000efffffff1ULL, 0x17e363d300189c0fULL, 0xff9c57876f8457b0ULL, 0x351332208fc5a8c4ULL}};
const fr FR_ROOT_OF_UNITY = {{0xb9b58d8c5f0e466aULL, 0x5b1b4c801819d7ecULL, 0x0af53ae352a31e64ULL, 0x5bf3adda19e9b27bULL}};

void fr_power(fr *out, const fr *a, uint64_t exponent) {
    fr result = FR_ONE, base = *a;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            fr_mul(&result, &result, &base);
        fr_square(&base, &base);
    }
    *out = result;
}

void fr_divide_by_power_of_two(fr *out, const fr *a, unsigned bits) {
    /* a plus the multiple of r that makes the bits zero, below 2^bits * r: so the quotient is reduced. */
    uint64_t multiple = (a->l[0] * FR_MINUS_INVERSE) & ((UINT64_C(1) << bits) - 1), sum[5];
    uint128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (uint128)multiple * FR_ORDER[i] + a->l[i];
        sum[i] = (uint64_t)carry;
        carry >>= 64;
    }
    sum[4] = (uint64_t)carry;
    for (int i = 0; i < 4; i++)
        out->l[i] = (uint64_t)(((uint128)sum[i + 1] << 64 | sum[i]) >> bits);
}

void fr_batch_invert(fr *values, size_t count, fr *scratch) {
    fr product = FR_ONE;
    for (size_t i = 0; i < count; i++) {
        scratch[i] = product;
        if (!fr_is_zero(&values[i]))
            fr_mul(&product, &product, &values[i]);
    }
    fr_invert(&product, &product);
    for (size_t i = count; i-- > 0;) {
        if (fr_is_zero(&values[i]))
            continue;
        fr inverse;
        fr_mul(&inverse, &product, &scratch[i]);
        fr_mul(&product, &product, &values[i]);
        values[i] = inverse;
    }
}

void fr_from_u64(fr *out, uint64_t value) {
    uint64_t limbs[4] = {value, 0, 0, 0};
    blst_fr_from_uint64(out, limbs);
}

bool fr_from_bytes(fr *out, const uint8_t bytes[FR_BYTES]) {
    blst_scalar scalar;
    blst_scalar_from_lendian(&scalar, bytes);
    if (!blst_scalar_fr_check(&scalar))
        return false;
    blst_fr_from_scalar(out, &scalar);
    return true;
}

void fr_to_bytes(uint8_t bytes[FR_BYTES], const fr *a) {
    uint64_t limbs[4];
    blst_uint64_from_fr(limbs, a);
    for (int i = 0; i < 4; i++)
        store_u64_le(bytes + 8 * i, limbs[i]);
}

void fr_from_hash(fr *out, const uint8_t bytes[FR_BYTES]) {
    uint64_t limbs[4];
    for (int i = 0; i < 4; i++)
        limbs[i] = load_u64_le(bytes + 8 * i);
    limbs[3] &= UINT64_MAX >> 2; /* below 2^254 < r */
    blst_fr_from_uint64(out, limbs);
}

/* 64 little-endian bytes modulo r. */
static void fr_from_wide_bytes(fr *out, const uint8_t bytes[64]) {
    blst_scalar scalar;
    blst_scalar_from_le_bytes(&scalar, bytes, 64);
    blst_fr_from_scalar(out, &scalar);
}

cuzk_status fr_random(fr *out, cuzk_error *error) {
    uint8_t bytes[64];
    size_t have = 0;
    while (have < sizeof bytes) {
        ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno != EINTR)
            return failure_errno(error, CUZK_INPUT_OUTPUT, "getrandom");
        if (got > 0)
            have += (size_t)got;
    }
    fr_from_wide_bytes(out, bytes);
    return CUZK_OK;
}

void fr_from_seed(fr *out, const uint8_t seed[32], uint64_t counter) {
    uint8_t message[41], wide[64];
    memcpy(message, seed, 32);
    store_u64_le(message + 32, counter);
    for (uint8_t half = 0; half < 2; half++) {
        message[40] = half;
        SHA256(message, sizeof message, wide + 32 * half);
    }
    fr_from_wide_bytes(out, wide);
}

void fr_root_of_unity(fr *out, unsigned log_size) {
    assert(log_size <= FR_TWO_ADICITY);
    *out = FR_ROOT_OF_UNITY;
    for (unsigned i = log_size; i < FR_TWO_ADICITY; i++)
        fr_square(out, out);
}

void fr_scale_by_powers(fr *values, const fr *first, const fr *ratio, size_t count) {
    fr power = *first;
    bool all_equal = fr_is_one(ratio);
    for (size_t i = 0; i < count; i++) {
        fr_mul(&values[i], &values[i], &power);
        if (!all_equal)
            fr_mul(&power, &power, ratio);
    }
}
