/* Additions and products of 32-bit limbs whose carries run on from one to the next: PTX's carry flag for nvcc, a variable
 * for the host. The first operation of a chain has the suffix _cc and no c in front; all others take the carry of the one
 * before. Between the operations of a chain there may be none of another.
 *
 * The wide ones write low + high * 2^32 + a * b to two limbs. They are one statement because ptxas makes one wide multiplication
 * of the two halves only then: a product in Fp is 414 instructions with it and 770 without. */
#ifndef CUDA_CARRY_CHAIN_H
#define CUDA_CARRY_CHAIN_H

#include "cuda/kernel.h"

#ifdef __CUDACC__

/* The flag is the machine's: volatile keeps the operations in order, and nothing else here uses it. */
struct carry_chain {
#define CARRY_CHAIN_2(name, instruction)                                                                                         \
    __device__ __forceinline__ uint32_t name(uint32_t a, uint32_t b) {                                                           \
        uint32_t result;                                                                                                         \
        asm volatile(instruction " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));                                                \
        return result;                                                                                                           \
    }
    CARRY_CHAIN_2(add_cc, "add.cc.u32")
    CARRY_CHAIN_2(addc_cc, "addc.cc.u32")
    CARRY_CHAIN_2(addc, "addc.u32")
    CARRY_CHAIN_2(sub_cc, "sub.cc.u32")
    CARRY_CHAIN_2(subc_cc, "subc.cc.u32")
    CARRY_CHAIN_2(subc, "subc.u32")
#define CARRY_CHAIN_WIDE(name, first)                                                                                            \
    __device__ __forceinline__ void name(uint32_t *sum, uint32_t a, uint32_t b, uint32_t low, uint32_t high) {                   \
        asm volatile(first " %0, %2, %3, %4;\n\tmadc.hi.cc.u32 %1, %2, %3, %5;"                                                  \
                     : "=&r"(sum[0]), "=r"(sum[1])                                                                               \
                     : "r"(a), "r"(b), "r"(low), "r"(high));                                                                     \
    }
    CARRY_CHAIN_WIDE(mad_wide_cc, "mad.lo.cc.u32")
    CARRY_CHAIN_WIDE(madc_wide_cc, "madc.lo.cc.u32")
#undef CARRY_CHAIN_2
#undef CARRY_CHAIN_WIDE
};

__device__ __forceinline__ uint32_t multiply_low(uint32_t a, uint32_t b) { return a * b; }
__device__ __forceinline__ uint32_t multiply_high(uint32_t a, uint32_t b) { return __umulhi(a, b); }

#else

inline uint32_t multiply_low(uint32_t a, uint32_t b) { return a * b; }
inline uint32_t multiply_high(uint32_t a, uint32_t b) { return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32); }

struct carry_chain {
    uint32_t carry = 0; /* 0 or 1; a borrow after subtractions */

    uint32_t sum(uint32_t a, uint32_t b) {
        uint64_t wide = static_cast<uint64_t>(a) + b + carry;
        carry = static_cast<uint32_t>(wide >> 32);
        return static_cast<uint32_t>(wide);
    }
    uint32_t difference(uint32_t a, uint32_t b) {
        uint64_t wide = static_cast<uint64_t>(a) - b - carry;
        carry = static_cast<uint32_t>(wide >> 32) & 1;
        return static_cast<uint32_t>(wide);
    }
    uint32_t add_cc(uint32_t a, uint32_t b) { return carry = 0, sum(a, b); }
    uint32_t addc_cc(uint32_t a, uint32_t b) { return sum(a, b); }
    uint32_t addc(uint32_t a, uint32_t b) { return sum(a, b); }
    uint32_t sub_cc(uint32_t a, uint32_t b) { return carry = 0, difference(a, b); }
    uint32_t subc_cc(uint32_t a, uint32_t b) { return difference(a, b); }
    uint32_t subc(uint32_t a, uint32_t b) { return difference(a, b); }
    void mad_wide_cc(uint32_t *out, uint32_t a, uint32_t b, uint32_t low, uint32_t high) {
        carry = 0;
        madc_wide_cc(out, a, b, low, high);
    }
    void madc_wide_cc(uint32_t *out, uint32_t a, uint32_t b, uint32_t low, uint32_t high) {
        out[0] = sum(multiply_low(a, b), low);
        out[1] = sum(multiply_high(a, b), high);
    }
};

#endif

#endif
