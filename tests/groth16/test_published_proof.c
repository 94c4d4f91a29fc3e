/* The published implementation's proof of a 2 KiB PoRep under its key: valid, and never again once any byte of the proof,
 * of a public input or of the key is changed. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/verifier.h"
#include "support/reference_digest.h"

#define KEY_NAME                                                                                                       \
    "params/v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"                         \
    "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.vk"

typedef struct {
    uint8_t *key, *proof;
    size_t key_size;
    uint8_t (*inputs)[FR_BYTES]; /* little-endian */
    size_t input_count;
    thread_pool *pool;
} statement;

static int load(void **state) {
    static statement s;
    s.key = read_test_file(data_path(KEY_NAME), &s.key_size);
    size_t size;
    s.proof = read_test_file(data_path("jobs/porep-StackedDrg2KiBV1_1/proof.bin"), &size);
    assert_int_equal(size, PROOF_BYTES);
    yajl_val digest = read_json(data_path("jobs/porep-StackedDrg2KiBV1_1/digest.json"));
    const char *path[] = {"public_inputs", NULL};
    yajl_val list = yajl_tree_get(digest->u.array.values[0], path, yajl_t_array);
    s.input_count = list->u.array.len;
    s.inputs = malloc(s.input_count * FR_BYTES);
    for (size_t i = 0; i < s.input_count; i++) {
        uint8_t big[FR_BYTES];
        assert_true(hex_decode(big, FR_BYTES, YAJL_GET_STRING(list->u.array.values[i])));
        for (size_t j = 0; j < FR_BYTES; j++)
            s.inputs[i][j] = big[FR_BYTES - 1 - j];
    }
    yajl_tree_free(digest);
    s.pool = thread_pool_create(0);
    *state = &s;
    return 0;
}

static int unload(void **state) {
    statement *s = *state;
    thread_pool_destroy(s->pool);
    free(s->key);
    free(s->proof);
    free(s->inputs);
    return 0;
}

/* Whether everything decodes and the proof is valid. */
static bool holds(const statement *s) {
    cuzk_error error = {0};
    fr *inputs = malloc(s->input_count * sizeof *inputs);
    bool canonical = true;
    for (size_t i = 0; i < s->input_count; i++)
        canonical &= fr_from_bytes(&inputs[i], s->inputs[i]);
    file_layout layout;
    verifying_key vk;
    verification result = {0};
    if (canonical && verifying_key_layout(&layout, s->key, s->key_size, "vk", &error) == CUZK_OK &&
        verifying_key_decode(&vk, s->key, &layout, "vk", s->pool, &error) == CUZK_OK) {
        if (groth16_verify(&result, &vk, s->proof, inputs, s->input_count, s->pool, &error) != CUZK_OK)
            result.valid = false;
        verifying_key_free(&vk);
    }
    free(inputs);
    return result.valid;
}

static void published_proof_is_valid(void **state) { assert_true(holds(*state)); }

static void assert_no_byte_is_free(const statement *s, uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bit = (uint8_t)(1u << (i % 8));
        bytes[i] ^= bit;
        if (holds(s))
            fail_msg("valid although byte %zu is changed", i);
        bytes[i] ^= bit;
    }
    assert_true(holds(s));
}

static void every_byte_of_the_proof_counts(void **state) {
    statement *s = *state;
    assert_no_byte_is_free(s, s->proof, PROOF_BYTES);
}

static void every_byte_of_the_inputs_counts(void **state) {
    statement *s = *state;
    assert_no_byte_is_free(s, s->inputs[0], s->input_count * FR_BYTES);
}

static void every_byte_of_the_key_counts(void **state) {
    statement *s = *state;
    assert_no_byte_is_free(s, s->key, s->key_size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_proof_is_valid),
        cmocka_unit_test(every_byte_of_the_proof_counts),
        cmocka_unit_test(every_byte_of_the_inputs_counts),
        cmocka_unit_test(every_byte_of_the_key_counts),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
