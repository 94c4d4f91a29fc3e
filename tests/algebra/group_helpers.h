/* What the tests of sums share, over the names of group_g1.h or group_g2.h, one of which is included before. */
#ifndef TESTS_GROUP_HELPERS_H
#define TESTS_GROUP_HELPERS_H

static inline void random_scalar(test_random *random, fr *out) {
    uint8_t seed[32] = {2};
    fr_from_seed(out, seed, test_random_u64(random));
}

/* k times the group's generator. */
static inline void multiple_of_generator(affine_point *out, const fr *k) {
    projective_point p = *BLST_POINT(generator)();
    GROUP(multiply)(&p, &p, k);
    GROUP(to_affine)(out, &p);
}

static inline void assert_points_equal(const affine_point *a, const affine_point *b) { assert_memory_equal(a, b, sizeof *a); }

#endif
