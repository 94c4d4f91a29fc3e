#include "groth16/proof_combine.h"

static void add_multiple_g1(g1 *sum, const g1_affine *point, const fr *k) {
    g1 product;
    g1_from_affine(&product, point);
    g1_multiply(&product, &product, k);
    g1_add(sum, sum, &product);
}

static void add_multiple_g2(g2 *sum, const g2_affine *point, const fr *k) {
    g2 product;
    g2_from_affine(&product, point);
    g2_multiply(&product, &product, k);
    g2_add(sum, sum, &product);
}

cuzk_status proof_randomness(fr *out, const fr *given, cuzk_error *error) {
    if (!given)
        return fr_random(out, error);
    *out = *given;
    return CUZK_OK;
}

void proof_combine(groth16_proof *proof, const query_sums *sums, const verifying_key *vk, const fr *r, const fr *s) {
    g1 a = sums->a, b_g1 = sums->b_g1, c = sums->h;
    g2 b_g2 = sums->b_g2;
    g1_add_affine(&a, &a, &vk->alpha_g1);
    add_multiple_g1(&a, &vk->delta_g1, r);
    g1_add_affine(&b_g1, &b_g1, &vk->beta_g1);
    add_multiple_g1(&b_g1, &vk->delta_g1, s);
    g2_add_affine(&b_g2, &b_g2, &vk->beta_g2);
    add_multiple_g2(&b_g2, &vk->delta_g2, s);
    g1_to_affine(&proof->a, &a);
    g2_to_affine(&proof->b, &b_g2);

    fr minus_rs;
    fr_mul(&minus_rs, r, s);
    fr_negate(&minus_rs, &minus_rs);
    g1_multiply(&a, &a, s);
    g1_multiply(&b_g1, &b_g1, r);
    g1_add(&c, &c, &sums->l);
    g1_add(&c, &c, &a);
    g1_add(&c, &c, &b_g1);
    add_multiple_g1(&c, &vk->delta_g1, &minus_rs);
    g1_to_affine(&proof->c, &c);
}
