/* Points in XYZZ coordinates over Fp (G1) or Fp2 (G2): x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2; infinity has ZZ = 0.
 * Formulas: hyperelliptic.org/EFD, short Weierstrass, xyzz: madd-2008-s, add-2008-s, dbl-2008-s-1, mdbl-2008-s-1. The curve's
 * constant occurs in none of them. Every function is right for all inputs: equal, opposite, infinity. */
#ifndef CUDA_XYZZ_POINT_H
#define CUDA_XYZZ_POINT_H

#include "cuda/quadratic_field.h"

/* (0, 0) is infinity; the bytes are those of blst's affine points. */
template <class F> struct affine_point {
    F x, y;

    DEVICE bool is_infinity() const { return x.is_zero() && y.is_zero(); }
};

template <class F> struct xyzz_point {
    F x, y, zz, zzz;

    DEVICE static xyzz_point infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    DEVICE bool is_infinity() const { return zz.is_zero(); }

    /* 6 products, 4 squares. */
    DEVICE_CALL xyzz_point doubled() const {
        F u = y.doubled();
        F v = u.squared();
        F w = u * v;
        F s = x * v;
        F xx = x.squared();
        F m = xx.doubled() + xx;
        F x3 = m.squared() - s.doubled();
        F y3 = m * (s - x3) - w * y;
        return {x3, y3, v * zz, w * zzz};
    }

    /* this += b, or -= where negative: 8 products, 2 squares. */
    DEVICE void add_affine(const affine_point<F> &b, bool negative) {
        if (b.is_infinity())
            return;
        F by = negative ? b.y.negate() : b.y;
        if (is_infinity()) {
            *this = {b.x, by, F::one(), F::one()};
            return;
        }
        F p = b.x * zz - x;
        F r = by * zzz - y;
        if (p.is_zero()) {
            *this = r.is_zero() ? doubled() : infinity();
            return;
        }
        F pp = p.squared();
        F ppp = p * pp;
        F q = x * pp;
        F x3 = r.squared() - ppp - q.doubled();
        y = r * (q - x3) - y * ppp;
        x = x3;
        zz = zz * pp;
        zzz = zzz * ppp;
    }

    /* this += b: 12 products, 2 squares. */
    DEVICE_CALL void add(const xyzz_point &b) {
        if (b.is_infinity())
            return;
        if (is_infinity()) {
            *this = b;
            return;
        }
        F u1 = x * b.zz, s1 = y * b.zzz;
        F p = b.x * zz - u1;
        F r = b.y * zzz - s1;
        if (p.is_zero()) {
            *this = r.is_zero() ? doubled() : infinity();
            return;
        }
        F pp = p.squared();
        F ppp = p * pp;
        F q = u1 * pp;
        F x3 = r.squared() - ppp - q.doubled();
        y = r * (q - x3) - s1 * ppp;
        x = x3;
        zz = zz * b.zz * pp;
        zzz = zzz * b.zzz * ppp;
    }

    /* this times a small number. */
    DEVICE_CALL xyzz_point multiplied(uint32_t factor) const {
        xyzz_point sum = infinity();
        for (int bit = 31; bit >= 0; bit--) {
            if (!sum.is_infinity())
                sum = sum.doubled();
            if (factor >> bit & 1)
                sum.add(*this);
        }
        return sum;
    }
};

#endif
