#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/prover.h"
#include "groth16/verifier.h"
#include "support/reference_digest.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

enum { OFFSET_A = 0, OFFSET_B = 48, OFFSET_C = 144 };

/* One valid proof of y = 3^(2^5), shared by the tests below. */
static struct {
    verifying_key vk;
    uint8_t proof[PROOF_BYTES];
    fr input;
} sample;

static int create_sample(void **state) {
    if (scratch_create(state) != 0)
        return -1;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    toxic_waste waste = waste_of(1);
    parameters p;
    small_setup(&p, "sample", &c.base, &waste);
    ASSERT_OK(groth16_prove(sample.proof, &c.base, &p, NULL, NULL, NULL, NULL, &error));
    parameters_close(&p);
    ASSERT_OK(verifying_key_read(&sample.vk, scratch_path("sample.vk"), NULL, &error));
    fr_from_u64(&sample.input, 3);
    fr_power(&sample.input, &sample.input, 32);
    return 0;
}

static int remove_sample(void **state) {
    verifying_key_free(&sample.vk);
    return scratch_remove(state);
}

static verification verdict_on(const uint8_t proof[PROOF_BYTES]) {
    cuzk_error error = {0};
    verification verdict;
    ASSERT_OK(groth16_verify(&verdict, &sample.vk, proof, &sample.input, 1, NULL, &error));
    assert_true(verdict.valid == (verdict.reason[0] == 0));
    return verdict;
}

static void assert_invalid(const uint8_t proof[PROOF_BYTES], const char *reason) {
    verification verdict = verdict_on(proof);
    assert_false(verdict.valid);
    if (!strstr(verdict.reason, reason))
        fail_msg("found \"%s\", expected \"%s\" in it", verdict.reason, reason);
}

static void the_sample_is_valid(void **state) {
    (void)state;
    assert_true(verdict_on(sample.proof).valid);
}

static void no_flipped_bit_is_valid(void **state) {
    (void)state;
    for (size_t bit = 0; bit < 8 * PROOF_BYTES; bit++) {
        uint8_t proof[PROOF_BYTES];
        memcpy(proof, sample.proof, PROOF_BYTES);
        proof[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(verdict_on(proof).valid);
    }
}

/* Puts `length` bytes at an offset of a copy of the sample. */
static void replace(uint8_t proof[PROOF_BYTES], size_t offset, const uint8_t *bytes, size_t length) {
    memcpy(proof, sample.proof, PROOF_BYTES);
    memcpy(proof + offset, bytes, length);
}

static const struct {
    size_t offset, length;
    char name;
} points[3] = {{OFFSET_A, 48, 'A'}, {OFFSET_B, 96, 'B'}, {OFFSET_C, 48, 'C'}};

static void infinity_is_invalid(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint8_t proof[PROOF_BYTES], bytes[96] = {0xc0};
        char reason[16];
        snprintf(reason, sizeof reason, "point %c: found", points[i].name);
        replace(proof, points[i].offset, bytes, points[i].length);
        assert_invalid(proof, reason);
        /* Infinity with a payload, in every byte in turn. */
        for (size_t at = 0; at < points[i].length; at++) {
            memset(bytes, 0, sizeof bytes);
            bytes[0] = 0xc0;
            bytes[at] |= 1;
            replace(proof, points[i].offset, bytes, points[i].length);
            assert_invalid(proof, reason);
        }
        /* The infinity flag on a good point. */
        memcpy(bytes, sample.proof + points[i].offset, points[i].length);
        bytes[0] |= 0x40;
        replace(proof, points[i].offset, bytes, points[i].length);
        assert_invalid(proof, reason);
    }
    /* All three: the equation's pairings of A and B, and of C, would be 1. */
    uint8_t all[PROOF_BYTES] = {0};
    all[OFFSET_A] = all[OFFSET_B] = all[OFFSET_C] = 0xc0;
    assert_invalid(all, "point A: found");
    memset(all, 0, sizeof all);
    assert_invalid(all, "point A: found");
    memset(all, 0xff, sizeof all);
    assert_invalid(all, "point A: found");
}

static void flag_combinations_are_invalid(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned flags = 0; flags < 8; flags++) {
            uint8_t proof[PROOF_BYTES];
            memcpy(proof, sample.proof, PROOF_BYTES);
            proof[points[i].offset] = (uint8_t)((proof[points[i].offset] & 0x1f) | flags << 5);
            bool same = memcmp(proof, sample.proof, PROOF_BYTES) == 0;
            assert_true(verdict_on(proof).valid == same);
        }
}

/* x coordinates that are not below p, and x = 0 (on the curve as (0, 2) but of low order). */
static void coordinates_out_of_range_are_invalid(void **state) {
    (void)state;
    uint8_t p[48];
    assert_true(
        hex_decode(p, 48, "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab"));
    for (size_t i = 0; i < 3; i++) {
        uint8_t proof[PROOF_BYTES], bytes[96] = {0};
        memcpy(bytes, p, 48);
        bytes[0] |= 0x80;
        replace(proof, points[i].offset, bytes, points[i].length);
        assert_invalid(proof, "point");
        if (points[i].length == 96) { /* c0 = p behind a good c1 */
            memcpy(bytes, sample.proof + OFFSET_B, 48);
            memcpy(bytes + 48, p, 48);
            replace(proof, OFFSET_B, bytes, 96);
            assert_invalid(proof, "point B");
        }
        for (unsigned sign = 0; sign < 2; sign++) {
            memset(bytes, 0, sizeof bytes);
            bytes[0] = (uint8_t)(0x80 | sign << 5);
            replace(proof, points[i].offset, bytes, points[i].length);
            assert_invalid(proof, "point");
        }
    }
}

/* Small x: about half are on the curve, of which next to none are in the subgroup. */
static void points_outside_the_subgroup_are_invalid(void **state) {
    (void)state;
    size_t on_curve = 0;
    for (size_t i = 0; i < 3; i++)
        for (uint8_t x = 1; x < 40; x++) {
            uint8_t proof[PROOF_BYTES], bytes[96] = {0x80};
            bytes[points[i].length - 1] = x;
            replace(proof, points[i].offset, bytes, points[i].length);
            verification verdict = verdict_on(proof);
            assert_false(verdict.valid);
            on_curve += strstr(verdict.reason, point_error_text(POINT_NOT_IN_SUBGROUP)) != NULL;
        }
    assert_true(on_curve > 20);
}

static void swapped_negated_and_foreign_points_are_invalid(void **state) {
    (void)state;
    uint8_t proof[PROOF_BYTES];
    replace(proof, OFFSET_A, sample.proof + OFFSET_C, 48);
    memcpy(proof + OFFSET_C, sample.proof + OFFSET_A, 48);
    assert_invalid(proof, "equation");
    for (size_t i = 0; i < 3; i++) {
        memcpy(proof, sample.proof, PROOF_BYTES);
        proof[points[i].offset] ^= 0x20;
        assert_invalid(proof, "equation");
        uint8_t generator[96];
        i == 1 ? g2_compress(generator, G2_GENERATOR) : g1_compress(generator, G1_GENERATOR);
        replace(proof, points[i].offset, generator, points[i].length);
        assert_invalid(proof, "equation");
    }
    /* -A and -B together leave e(A, B) as it is: a proof is malleable, and this one is valid. */
    memcpy(proof, sample.proof, PROOF_BYTES);
    proof[OFFSET_A] ^= 0x20;
    proof[OFFSET_B] ^= 0x20;
    assert_true(verdict_on(proof).valid);
}

static void public_inputs_matter(void **state) {
    (void)state;
    cuzk_error error = {0};
    verification verdict;
    fr inputs[2] = {sample.input, FR_ONE};
    fr_add(&inputs[0], &inputs[0], &FR_ONE);
    ASSERT_OK(groth16_verify(&verdict, &sample.vk, sample.proof, inputs, 1, NULL, &error));
    assert_false(verdict.valid);
    fr_negate(&inputs[0], &sample.input);
    ASSERT_OK(groth16_verify(&verdict, &sample.vk, sample.proof, inputs, 1, NULL, &error));
    assert_false(verdict.valid);

    inputs[0] = sample.input;
    assert_int_equal(groth16_verify(&verdict, &sample.vk, sample.proof, NULL, 0, NULL, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "public inputs: found 0, expected 1 for this verifying key");
    assert_false(verdict.valid);
    assert_int_equal(groth16_verify(&verdict, &sample.vk, sample.proof, inputs, 2, NULL, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "public inputs: found 2, expected 1 for this verifying key");
}

/* ---- batches ---- */

enum { BATCH = 13 };

typedef struct {
    parameters p;
    uint8_t proofs[BATCH * PROOF_BYTES];
    fr inputs[BATCH];
} batch_of_proofs;

static void make_batch(batch_of_proofs *b) {
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    toxic_waste waste = waste_of(2);
    small_setup(&b->p, "batch", &c.base, &waste);
    for (size_t i = 0; i < BATCH; i++) {
        c.value = 10 + i;
        ASSERT_OK(groth16_prove(b->proofs + i * PROOF_BYTES, &c.base, &b->p, NULL, NULL, NULL, NULL, &error));
        fr_from_u64(&b->inputs[i], c.value);
        fr_power(&b->inputs[i], &b->inputs[i], 32);
    }
}

static verification verdict_on_batch(const batch_of_proofs *b, size_t count) {
    cuzk_error error = {0};
    verification verdict;
    thread_pool *pool = thread_pool_create(2);
    ASSERT_OK(groth16_verify_batch(&verdict, &b->p.vk, b->proofs, count * PROOF_BYTES, b->inputs, 1, count, pool, &error));
    thread_pool_destroy(pool);
    return verdict;
}

static void batches_are_valid_only_as_a_whole(void **state) {
    (void)state;
    batch_of_proofs b;
    make_batch(&b);
    for (size_t count = 1; count <= BATCH; count++)
        assert_true(verdict_on_batch(&b, count).valid);
    for (size_t bad = 0; bad < BATCH; bad++) {
        fr kept = b.inputs[bad];
        fr_add(&b.inputs[bad], &b.inputs[bad], &FR_ONE);
        verification verdict = verdict_on_batch(&b, BATCH);
        assert_false(verdict.valid);
        assert_int_equal(verdict.index, bad);
        b.inputs[bad] = kept;

        b.proofs[bad * PROOF_BYTES + 10] ^= 1;
        verdict = verdict_on_batch(&b, BATCH);
        assert_false(verdict.valid);
        assert_int_equal(verdict.index, bad);
        b.proofs[bad * PROOF_BYTES + 10] ^= 1;
    }
    /* One proof repeated, then two swapped. */
    uint8_t kept[PROOF_BYTES];
    memcpy(kept, b.proofs, PROOF_BYTES);
    memcpy(b.proofs, b.proofs + PROOF_BYTES, PROOF_BYTES);
    verification verdict = verdict_on_batch(&b, BATCH);
    assert_false(verdict.valid);
    assert_int_equal(verdict.index, 0);
    memcpy(b.proofs + PROOF_BYTES, kept, PROOF_BYTES);
    assert_false(verdict_on_batch(&b, BATCH).valid);
    parameters_close(&b.p);
}

/* C + X in one proof and C - X in another: false equations that cancel unless they are weighted. */
static void errors_do_not_cancel(void **state) {
    (void)state;
    batch_of_proofs b;
    make_batch(&b);
    for (size_t i = 0; i < 2; i++) {
        groth16_proof proof;
        char point;
        assert_int_equal(proof_decode(&proof, b.proofs + i * PROOF_BYTES, &point), POINT_OK);
        g1 c, x;
        g1_from_affine(&c, &proof.c);
        g1_from_affine(&x, G1_GENERATOR);
        if (i == 1)
            g1_multiply(&x, &x, &FR_MINUS_ONE);
        g1_add(&c, &c, &x);
        g1_to_affine(&proof.c, &c);
        proof_encode(b.proofs + i * PROOF_BYTES, &proof);
    }
    verification verdict = verdict_on_batch(&b, BATCH);
    assert_false(verdict.valid);
    assert_int_equal(verdict.index, 0);
    parameters_close(&b.p);
}

static void wrong_lengths_are_refused(void **state) {
    (void)state;
    batch_of_proofs b;
    make_batch(&b);
    cuzk_error error = {0};
    verification verdict;
    const struct {
        size_t bytes, count;
    } wrong[] = {{0, 0},
                 {0, 1},
                 {PROOF_BYTES, 0},
                 {PROOF_BYTES, BATCH},
                 {BATCH * PROOF_BYTES - 1, BATCH},
                 {191, 1},
                 {193, 1},
                 {2 * PROOF_BYTES, 1},
                 {BATCH * PROOF_BYTES + 1, BATCH},
                 {BATCH * PROOF_BYTES, SIZE_MAX / PROOF_BYTES + 14}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            groth16_verify_batch(&verdict, &b.p.vk, b.proofs, wrong[i].bytes, b.inputs, 1, wrong[i].count, NULL, &error),
            CUZK_BAD_INPUT);
        char words[96];
        snprintf(words, sizeof words, "found %zu bytes, expected %zu proofs of 192 bytes", wrong[i].bytes, wrong[i].count);
        if (!strstr(error.message, words))
            fail_msg("found \"%s\", expected \"%s\" in it", error.message, words);
        assert_false(verdict.valid);
    }
    parameters_close(&b.p);
}

/* ---- reference proofs ---- */

/* Reads the public inputs of the first partition of a digest.json; free with free(). */
static fr *reference_inputs(const char *path, size_t *count) {
    yajl_val digest = read_json(path);
    const char *member[] = {"public_inputs", NULL};
    yajl_val list = yajl_tree_get(YAJL_GET_ARRAY(digest)->values[0], member, yajl_t_array);
    assert_non_null(list);
    *count = YAJL_GET_ARRAY(list)->len;
    fr *inputs = calloc(*count, sizeof *inputs);
    for (size_t i = 0; i < *count; i++) {
        uint8_t big_endian[FR_BYTES], bytes[FR_BYTES];
        assert_true(hex_decode(big_endian, FR_BYTES, YAJL_GET_STRING(YAJL_GET_ARRAY(list)->values[i])));
        for (size_t j = 0; j < FR_BYTES; j++)
            bytes[j] = big_endian[FR_BYTES - 1 - j];
        assert_true(fr_from_bytes(&inputs[i], bytes));
    }
    yajl_tree_free(digest);
    return inputs;
}

static void assert_reference_proof(const char *job, const char *key_name) {
    cuzk_error error = {0};
    char name[256];
    snprintf(name, sizeof name, "params/v28-%s.vk", key_name);
    verifying_key vk;
    ASSERT_OK(verifying_key_read(&vk, shared_path(name), NULL, &error));
    snprintf(name, sizeof name, "jobs/%s/digest.json", job);
    size_t input_count, proof_size;
    fr *inputs = reference_inputs(shared_path(name), &input_count);
    snprintf(name, sizeof name, "jobs/%s/proof.bin", job);
    uint8_t *proof = read_test_file(shared_path(name), &proof_size);
    assert_int_equal(proof_size, PROOF_BYTES);

    verification verdict;
    ASSERT_OK(groth16_verify(&verdict, &vk, proof, inputs, input_count, NULL, &error));
    assert_true(verdict.valid);
    for (size_t i = 0; i < input_count; i++) {
        fr kept = inputs[i];
        fr_add(&inputs[i], &inputs[i], &FR_ONE);
        ASSERT_OK(groth16_verify(&verdict, &vk, proof, inputs, input_count, NULL, &error));
        assert_false(verdict.valid);
        inputs[i] = kept;
    }
    proof[20] ^= 4;
    ASSERT_OK(groth16_verify(&verdict, &vk, proof, inputs, input_count, NULL, &error));
    assert_false(verdict.valid);
    free(inputs);
    free(proof);
    verifying_key_free(&vk);
}

static void reference_proofs_are_valid(void **state) {
    (void)state;
    if (!shared_path("jobs"))
        skip();
    static const char window[] = "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
                                 "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0";
    static const char winning[] = "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
                                  "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e";
    static const char porep[] = "stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
                                "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f";
    assert_reference_proof("window-post-v1", window);
    assert_reference_proof("window-post-v1_2", window);
    assert_reference_proof("winning-post", winning);
    assert_reference_proof("porep-StackedDrg2KiBV1_1", porep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_valid),
        cmocka_unit_test(no_flipped_bit_is_valid),
        cmocka_unit_test(infinity_is_invalid),
        cmocka_unit_test(flag_combinations_are_invalid),
        cmocka_unit_test(coordinates_out_of_range_are_invalid),
        cmocka_unit_test(points_outside_the_subgroup_are_invalid),
        cmocka_unit_test(swapped_negated_and_foreign_points_are_invalid),
        cmocka_unit_test(public_inputs_matter),
        cmocka_unit_test(batches_are_valid_only_as_a_whole),
        cmocka_unit_test(errors_do_not_cancel),
        cmocka_unit_test(wrong_lengths_are_refused),
        cmocka_unit_test(reference_proofs_are_valid),
    };
    return cmocka_run_group_tests(tests, create_sample, remove_sample);
}
