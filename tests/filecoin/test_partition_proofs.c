/* The 13 proofs of a non-interactive PoRep: each must be verified, at its place and at its whole length.
 *
 * The proofs are simulated. Who knows the secrets of a setup can make, for any public inputs, a proof that verifies, without
 * circuit or witness: with A = a G1 and B = b G2 for any a and b, C = (ab - alpha beta - gamma sum) / delta G1, where sum is
 * that of the inputs times the discrete logarithms of the key's ic. The inputs are those that a verifier computes for the 13
 * partitions of a real job, and the key has as many points as the real one. */
#include "support/support.h"

#include "filecoin/generate.h"
#include "filecoin/job.h"
#include "groth16/verifier.h"
#include "sealing_fixtures.h"
#include "pool_fixture.h"

enum { PARTITIONS = 13, ALL_BYTES = PARTITIONS * PROOF_BYTES };

static struct {
    verifying_key vk;
    fr *inputs;
    unsigned width;
    uint8_t proofs[ALL_BYTES];
} sample;

/* ---- the simulated setup ---- */

static fr secret(uint64_t which) {
    uint8_t seed[32] = {0x51};
    fr value;
    fr_from_seed(&value, seed, which);
    return value;
}

enum { ALPHA, BETA, GAMMA, DELTA, FIRST_IC, FIRST_PROOF = 1000 };

static g1_affine in_g1(const fr *k) {
    g1 point;
    g1_affine result;
    g1_from_affine(&point, G1_GENERATOR);
    g1_multiply(&point, &point, k);
    g1_to_affine(&result, &point);
    return result;
}

static g2_affine in_g2(const fr *k) {
    g2 point;
    g2_affine result;
    g2_from_affine(&point, G2_GENERATOR);
    g2_multiply(&point, &point, k);
    g2_to_affine(&result, &point);
    return result;
}

static void make_key(verifying_key *vk, unsigned inputs) {
    fr alpha = secret(ALPHA), beta = secret(BETA), gamma = secret(GAMMA), delta = secret(DELTA);
    *vk = (verifying_key){.alpha_g1 = in_g1(&alpha),
                          .beta_g1 = in_g1(&beta),
                          .delta_g1 = in_g1(&delta),
                          .beta_g2 = in_g2(&beta),
                          .gamma_g2 = in_g2(&gamma),
                          .delta_g2 = in_g2(&delta),
                          .ic = malloc((inputs + 1) * G1_BYTES),
                          .ic_count = inputs + 1};
    for (unsigned i = 0; i <= inputs; i++) {
        fr k = secret(FIRST_IC + i);
        g1_affine point = in_g1(&k);
        g1_encode(vk->ic + i * G1_BYTES, &point);
    }
}

static void simulate_proof(uint8_t bytes[PROOF_BYTES], const fr *inputs, unsigned width, unsigned which) {
    fr a = secret(FIRST_PROOF + 2 * which), b = secret(FIRST_PROOF + 2 * which + 1), sum = secret(FIRST_IC), product, c;
    fr alpha = secret(ALPHA), beta = secret(BETA), gamma = secret(GAMMA), delta = secret(DELTA);
    for (unsigned i = 0; i < width; i++) {
        fr k = secret(FIRST_IC + 1 + i);
        fr_mul(&product, &inputs[i], &k);
        fr_add(&sum, &sum, &product);
    }
    fr_mul(&c, &a, &b);
    fr_mul(&product, &alpha, &beta);
    fr_sub(&c, &c, &product);
    fr_mul(&product, &sum, &gamma);
    fr_sub(&c, &c, &product);
    fr_invert(&delta, &delta);
    fr_mul(&c, &c, &delta);
    const groth16_proof proof = {.a = in_g1(&a), .b = in_g2(&b), .c = in_g1(&c)};
    proof_encode(bytes, &proof);
}

static int make_sample(void **state) {
    make_pool(state);
    cuzk_error error = {0};
    proof_job job;
    const char *directory = new_directory();
    const generate_options options = {
        .proof = registered_proof_find(PROOF_POREP, 15), .seed = 9, .miner_id = 1000, .sector_number = 1, .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    char path[200];
    snprintf(path, sizeof path, "%s/job.json", directory);
    ASSERT_OK(job_load(&job, path, &error));
    remove_directory(directory);
    assert_int_equal(job.partition_count, PARTITIONS);
    sample.width = job_public_input_count(&job);
    sample.inputs = calloc((size_t)PARTITIONS * sample.width, sizeof(fr));
    make_key(&sample.vk, sample.width);
    for (unsigned k = 0; k < PARTITIONS; k++) {
        fr *inputs = sample.inputs + (size_t)k * sample.width;
        job_public_inputs(inputs, &job, k);
        simulate_proof(sample.proofs + (size_t)k * PROOF_BYTES, inputs, sample.width, k);
    }
    job_free(&job);
    return 0;
}

static int drop_sample(void **state) {
    free(sample.inputs);
    verifying_key_free(&sample.vk);
    return drop_pool(state);
}

/* ---- verification, as the command and the daemon do it ---- */

static cuzk_status verify(verification *verdict, const uint8_t *proofs, size_t bytes, cuzk_error *error) {
    return groth16_verify_batch(verdict, &sample.vk, proofs, bytes, sample.inputs, sample.width, PARTITIONS, pool, error);
}

/* Invalid, and the first proof that is wrong is named. */
static void assert_invalid_at(const uint8_t *proofs, size_t index) {
    cuzk_error error = {0};
    verification verdict;
    ASSERT_OK(verify(&verdict, proofs, ALL_BYTES, &error));
    assert_false(verdict.valid);
    assert_int_equal(verdict.index, index);
}

static void assert_length_refused(const uint8_t *proofs, size_t bytes) {
    cuzk_error error = {0};
    verification verdict;
    char words[80];
    assert_int_equal(verify(&verdict, proofs, bytes, &error), CUZK_BAD_INPUT);
    assert_false(verdict.valid);
    snprintf(words, sizeof words, "found %zu bytes, expected %d proofs of %d bytes", bytes, PARTITIONS, PROOF_BYTES);
    if (!strstr(error.message, words))
        fail_msg("found \"%s\", expected \"%s\" in it", error.message, words);
}

static void thirteen_partitions_are_verified(void **state) {
    (void)state;
    cuzk_error error = {0};
    verification verdict;
    ASSERT_OK(verify(&verdict, sample.proofs, ALL_BYTES, &error));
    assert_true(verdict.valid);
    /* The partitions differ: one proof's statement is not another's. */
    for (unsigned k = 0; k < PARTITIONS; k++)
        for (unsigned i = 0; i < PARTITIONS; i++) {
            ASSERT_OK(groth16_verify(&verdict, &sample.vk, sample.proofs + (size_t)i * PROOF_BYTES,
                                     sample.inputs + (size_t)k * sample.width, sample.width, pool, &error));
            assert_true(verdict.valid == (i == k));
        }
}

static void cut_at_every_partition(void **state) {
    (void)state;
    for (size_t k = 0; k < PARTITIONS; k++)
        assert_length_refused(sample.proofs, k * PROOF_BYTES);
}

static void one_byte_short_or_long(void **state) {
    (void)state;
    uint8_t longer[ALL_BYTES + PROOF_BYTES] = {0};
    memcpy(longer, sample.proofs, ALL_BYTES);
    for (size_t k = 1; k <= PARTITIONS; k++) {
        assert_length_refused(longer, k * PROOF_BYTES - 1);
        assert_length_refused(longer, k * PROOF_BYTES + 1);
    }
    memcpy(longer + ALL_BYTES, sample.proofs, PROOF_BYTES); /* a 14th that is sound by itself */
    assert_length_refused(longer, ALL_BYTES + PROOF_BYTES);
}

static uint8_t *proof_at(uint8_t *proofs, size_t k) { return proofs + k * PROOF_BYTES; }

static void every_two_swapped(void **state) {
    (void)state;
    for (size_t i = 0; i < PARTITIONS; i++)
        for (size_t j = i + 1; j < PARTITIONS; j++) {
            uint8_t proofs[ALL_BYTES];
            memcpy(proofs, sample.proofs, ALL_BYTES);
            memcpy(proof_at(proofs, i), proof_at(sample.proofs, j), PROOF_BYTES);
            memcpy(proof_at(proofs, j), proof_at(sample.proofs, i), PROOF_BYTES);
            assert_invalid_at(proofs, i);
        }
}

static void one_repeated(void **state) {
    (void)state;
    for (size_t i = 0; i < PARTITIONS; i++) {
        uint8_t proofs[ALL_BYTES];
        size_t other = (i + 1) % PARTITIONS;
        memcpy(proofs, sample.proofs, ALL_BYTES);
        memcpy(proof_at(proofs, other), proof_at(sample.proofs, i), PROOF_BYTES);
        assert_invalid_at(proofs, other);
        /* In every place. */
        for (size_t j = 0; j < PARTITIONS; j++)
            memcpy(proof_at(proofs, j), proof_at(sample.proofs, i), PROOF_BYTES);
        assert_invalid_at(proofs, i == 0 ? 1 : 0);
    }
}

static void one_missing_or_foreign(void **state) {
    (void)state;
    for (size_t i = 0; i < PARTITIONS; i++) {
        uint8_t proofs[ALL_BYTES];
        memcpy(proofs, sample.proofs, ALL_BYTES);
        memset(proof_at(proofs, i), 0, PROOF_BYTES);
        assert_invalid_at(proofs, i);
        /* A proof of something else under the same key. */
        fr inputs[200];
        assert_true(sample.width <= 200);
        memcpy(inputs, sample.inputs + i * sample.width, sample.width * sizeof(fr));
        fr_add(&inputs[sample.width - 1], &inputs[sample.width - 1], &FR_ONE);
        simulate_proof(proof_at(proofs, i), inputs, sample.width, 100);
        assert_invalid_at(proofs, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirteen_partitions_are_verified),
        cmocka_unit_test(cut_at_every_partition),
        cmocka_unit_test(one_byte_short_or_long),
        cmocka_unit_test(every_two_swapped),
        cmocka_unit_test(one_repeated),
        cmocka_unit_test(one_missing_or_foreign),
    };
    return cmocka_run_group_tests(tests, make_sample, drop_sample);
}
