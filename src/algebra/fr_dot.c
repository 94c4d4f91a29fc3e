#include "algebra/fr_dot.h"

#include <assert.h>

#include "algebra/fr_order.h"

__extension__ typedef unsigned __int128 uint128;

enum { LIMBS = 4, SUM_LIMBS = 2 * LIMBS + 1 };

/* A column of a product by hand: 192 bits. */
typedef struct {
    uint64_t low, middle, high;
} column;

__attribute__((always_inline)) static inline void add_product(column *c, uint64_t x, uint64_t y) {
    uint128 product = (uint128)x * y;
#ifdef __x86_64__
    __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq $0, %2"
            : "+r"(c->low), "+r"(c->middle), "+r"(c->high)
            : "r"((uint64_t)product), "r"((uint64_t)(product >> 64))
            : "cc");
#else
    uint128 sum = ((uint128)c->middle << 64 | c->low) + product;
    c->high += sum < product;
    c->low = (uint64_t)sum;
    c->middle = (uint64_t)(sum >> 64);
#endif
}

/* The sum of all products without reduction, column by column. */
static void multiply(uint64_t sum[SUM_LIMBS], const fr *a, const fr *b, size_t stride, size_t count) {
    column c = {0, 0, 0};
#pragma GCC unroll 7
    for (int k = 0; k < 2 * LIMBS - 1; k++) {
        int first = k < LIMBS ? 0 : k - LIMBS + 1, last = k < LIMBS ? k : LIMBS - 1;
        for (size_t i = 0; i < count; i++)
#pragma GCC unroll 4
            for (int j = first; j <= last; j++)
                add_product(&c, a[i].l[j], b[i * stride].l[k - j]);
        sum[k] = c.low;
        c = (column){c.middle, c.high, 0};
    }
    sum[2 * LIMBS - 1] = c.low;
    sum[2 * LIMBS] = c.middle;
}

/* Subtracts the modulus times 2^shift from the five limbs if they are not less. */
static void subtract_if_not_less(uint64_t value[LIMBS + 1], unsigned shift) {
    uint64_t difference[LIMBS + 1], borrow = 0;
    for (int i = 0; i <= LIMBS; i++) {
        uint64_t limb = i < LIMBS ? FR_ORDER[i] << shift : 0;
        if (i > 0 && shift > 0)
            limb |= FR_ORDER[i - 1] >> (64 - shift);
        uint128 step = (uint128)value[i] - limb - borrow;
        difference[i] = (uint64_t)step;
        borrow = (uint64_t)(step >> 64) & 1;
    }
    for (int i = 0; i <= LIMBS; i++)
        value[i] = borrow ? value[i] : difference[i];
}

/* The sum of up to FR_DOT_MAX products of reduced values, divided by 2^256: below (0.46 * 32 + 1) moduli, then reduced. */
static void reduce(fr *out, uint64_t sum[SUM_LIMBS]) {
    for (int i = 0; i < LIMBS; i++) {
        uint64_t factor = sum[i] * FR_MINUS_INVERSE, carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            uint128 step = (uint128)factor * FR_ORDER[j] + sum[i + j] + carry;
            sum[i + j] = (uint64_t)step;
            carry = (uint64_t)(step >> 64);
        }
        for (int j = i + LIMBS; j < SUM_LIMBS; j++) {
            uint128 step = (uint128)sum[j] + carry;
            sum[j] = (uint64_t)step;
            carry = (uint64_t)(step >> 64);
        }
    }
    for (unsigned shift = 4; shift-- > 0;)
        subtract_if_not_less(sum + LIMBS, shift);
    for (int i = 0; i < LIMBS; i++)
        out->l[i] = sum[LIMBS + i];
}

void fr_dot(fr *out, const fr *a, const fr *b, size_t stride, size_t count) {
    assert(count >= 1 && count <= FR_DOT_MAX);
    uint64_t sum[SUM_LIMBS];
    multiply(sum, a, b, stride, count);
    reduce(out, sum);
}
