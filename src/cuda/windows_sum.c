#include "cuda/windows_sum.h"

#include "algebra/curve.h"

typedef struct {
    fp x, y, zz, zzz;
} xyzz_g1;

typedef struct {
    fp2 x, y, zz, zzz;
} xyzz_g2;

/* With Z = ZZ: X ZZ / ZZ^2 = X / ZZ and Y ZZZ / ZZ^3 = Y / ZZZ, as ZZ^3 = ZZZ^2. */
static void to_jacobian_g1(g1 *out, const xyzz_g1 *p) {
    blst_fp_mul(&out->x, &p->x, &p->zz);
    blst_fp_mul(&out->y, &p->y, &p->zzz);
    out->z = p->zz;
}

static void to_jacobian_g2(g2 *out, const xyzz_g2 *p) {
    blst_fp2_mul(&out->x, &p->x, &p->zz);
    blst_fp2_mul(&out->y, &p->y, &p->zzz);
    out->z = p->zz;
}

static void sum_g1(g1 *sum, const xyzz_g1 *points, unsigned count, unsigned bits) {
    g1 term;
    memset(sum, 0, sizeof *sum);
    for (unsigned w = count; w-- > 0;) {
        for (unsigned i = 0; i < bits; i++)
            blst_p1_double(sum, sum);
        to_jacobian_g1(&term, &points[w]);
        g1_add(sum, sum, &term);
    }
    to_jacobian_g1(&term, &points[count]);
    g1_add(sum, sum, &term);
    g1_affine affine;
    g1_to_affine(&affine, sum);
    g1_from_affine(sum, &affine);
}

static void sum_g2(g2 *sum, const xyzz_g2 *points, unsigned count, unsigned bits) {
    g2 term;
    memset(sum, 0, sizeof *sum);
    for (unsigned w = count; w-- > 0;) {
        for (unsigned i = 0; i < bits; i++)
            blst_p2_double(sum, sum);
        to_jacobian_g2(&term, &points[w]);
        g2_add(sum, sum, &term);
    }
    to_jacobian_g2(&term, &points[count]);
    g2_add(sum, sum, &term);
    g2_affine affine;
    g2_to_affine(&affine, sum);
    g2_from_affine(sum, &affine);
}

void windows_sum(device_group group, void *sum, const void *points, unsigned count, unsigned bits) {
    if (group == DEVICE_G1)
        sum_g1(sum, points, count, bits);
    else
        sum_g2(sum, points, count, bits);
}
