/* The order r of both groups in words, lowest first, for arithmetic on words. Internal to this room. */
#ifndef ALGEBRA_FR_ORDER_H
#define ALGEBRA_FR_ORDER_H

#include <stdint.h>

static const uint64_t FR_ORDER[4] = {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};

/* -1/r modulo 2^64 */
static const uint64_t FR_MINUS_INVERSE = 0xfffffffeffffffffULL;

#endif
