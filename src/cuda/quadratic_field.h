/* Fp2 = Fp[u] / (u^2 + 1) on the device; an element's bytes are those of blst_fp2. */
#ifndef CUDA_QUADRATIC_FIELD_H
#define CUDA_QUADRATIC_FIELD_H

#include "cuda/prime_field.h"

struct device_fp2 {
    device_fp real, imaginary;

    DEVICE static device_fp2 zero() { return {device_fp::zero(), device_fp::zero()}; }
    DEVICE static device_fp2 one() { return {device_fp::one(), device_fp::zero()}; }
    DEVICE bool is_zero() const { return real.is_zero() && imaginary.is_zero(); }
    DEVICE bool operator==(const device_fp2 &b) const { return real == b.real && imaginary == b.imaginary; }

    DEVICE device_fp2 operator+(const device_fp2 &b) const { return {real + b.real, imaginary + b.imaginary}; }
    DEVICE device_fp2 operator-(const device_fp2 &b) const { return {real - b.real, imaginary - b.imaginary}; }
    DEVICE device_fp2 negate() const { return {real.negate(), imaginary.negate()}; }
    DEVICE device_fp2 doubled() const { return {real.doubled(), imaginary.doubled()}; }

    /* Products are calls: inlined, the thirty of a point addition would be 12 000 instructions in each kernel. */
    DEVICE device_fp2 operator*(const device_fp2 &b) const { return product(*this, b); }
    DEVICE device_fp2 squared() const { return square(*this); }

  private:
    /* Karatsuba: three products. */
    static DEVICE_CALL device_fp2 product(device_fp2 a, device_fp2 b) {
        device_fp reals = a.real * b.real, imaginaries = a.imaginary * b.imaginary;
        device_fp sums = (a.real + a.imaginary) * (b.real + b.imaginary);
        return {reals - imaginaries, sums - reals - imaginaries};
    }
    static DEVICE_CALL device_fp2 square(device_fp2 a) {
        device_fp half = a.real * a.imaginary;
        return {(a.real + a.imaginary) * (a.real - a.imaginary), half.doubled()};
    }
};

#endif
