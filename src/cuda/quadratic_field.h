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

    /* Karatsuba: three products. */
    DEVICE device_fp2 operator*(const device_fp2 &b) const {
        device_fp reals = real * b.real, imaginaries = imaginary * b.imaginary;
        device_fp sums = (real + imaginary) * (b.real + b.imaginary);
        return {reals - imaginaries, sums - reals - imaginaries};
    }
    DEVICE device_fp2 squared() const {
        device_fp product = real * imaginary;
        return {(real + imaginary) * (real - imaginary), product.doubled()};
    }
};

#endif
