#include "filecoin/vectors.h"

#include <openssl/evp.h>

#include "base/bytes.h"
#include "filecoin/chacha.h"
#include "filecoin/hashes.h"
#include "filecoin/registered_proof.h"
#include "gadgets/merkle.h"

static void data_nodes_are_truncated_sha256(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("vectors/sha256_node.json"));
    unsigned count = 0;
    vectors_array(file.reader);
    for (; vectors_more(file.reader); count++) {
        uint8_t left[32], right[32], expected[32], node[32];
        const char *key;
        vectors_object(file.reader);
        while ((key = vectors_key(file.reader)) != NULL)
            vectors_hex(file.reader, strcmp(key, "left") == 0 ? left : strcmp(key, "right") == 0 ? right : expected);
        sha256_node(node, left, right);
        assert_memory_equal(node, expected, 32);

        fr children[2], hash;
        assert_true(fr_from_bytes(&children[0], left) && fr_from_bytes(&children[1], right));
        merkle_node(&hash, MERKLE_SHA256, children, 2);
        fr_to_bytes(node, &hash);
        assert_memory_equal(node, expected, 32);
        sha256_node(left, left, right);
        assert_memory_equal(left, expected, 32);
    }
    assert_true(count > 0);
    vectors_close(&file);
}

static void empty_sectors_have_known_commitments(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("vectors/zero_comm_d.json"));
    unsigned count = 0;
    vectors_array(file.reader);
    for (; vectors_more(file.reader); count++) {
        uint8_t expected[32], comm_d[32];
        const char *key;
        const sector_shape *shape = NULL;
        vectors_object(file.reader);
        while ((key = vectors_key(file.reader)) != NULL) {
            if (strcmp(key, "comm_d") == 0)
                vectors_hex(file.reader, expected);
            else
                shape = sector_shape_of_size(vectors_unsigned(file.reader));
        }
        assert_non_null(shape);
        zero_comm_d(comm_d, shape);
        assert_memory_equal(comm_d, expected, 32);
    }
    assert_int_equal(count, SECTOR_SHAPE_COUNT);
    vectors_close(&file);
}

static void blake2b_has_its_published_values(void **state) {
    (void)state;
    /* RFC 7693, appendix A: "abc". The keyed value is Python hashlib's, for the key "key". */
    uint8_t hash[64], expected[64];
    blake2b_512(hash, "abc", 3);
    assert_true(hex_decode(expected, 64,
                           "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                           "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"));
    assert_memory_equal(hash, expected, 64);
    blake2b_256_keyed(hash, "key", 3, "abc", 3);
    assert_true(hex_decode(expected, 32, "0330531d097355a3f72e80d55c1245ccf79f1704431c6e3887938320442c23c0"));
    assert_memory_equal(hash, expected, 32);
}

static void chacha20_is_openssls(void **state) {
    (void)state;
    test_random random = {3};
    for (unsigned run = 0; run < 20; run++) {
        uint8_t key[32], iv[16], zeros[64] = {0}, expected[64];
        test_random_bytes(&random, key, sizeof key);
        test_random_bytes(&random, iv, sizeof iv);
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        int length;
        assert_true(EVP_EncryptInit_ex(context, EVP_chacha20(), NULL, key, iv) == 1);
        assert_true(EVP_EncryptUpdate(context, expected, &length, zeros, sizeof zeros) == 1 && length == 64);
        EVP_CIPHER_CTX_free(context);

        uint32_t counter_and_nonce[4], words[CHACHA_WORDS];
        for (unsigned i = 0; i < 4; i++)
            counter_and_nonce[i] = load_u32_le(iv + 4 * i);
        chacha_block(words, key, counter_and_nonce, 20);
        for (unsigned i = 0; i < CHACHA_WORDS; i++)
            assert_int_equal(words[i], load_u32_le(expected + 4 * i));
    }
}

static void prover_ids_are_leb128(void **state) {
    (void)state;
    const struct {
        uint64_t miner;
        const char *hex;
    } expected[] = {{0, "00000000000000000000"},    {127, "7f000000000000000000"},
                    {128, "80010000000000000000"},  {1001, "e9070000000000000000"},
                    {1234, "d2090000000000000000"}, {UINT64_MAX, "ffffffffffffffffff01"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint8_t id[32], bytes[32] = {0};
        assert_true(hex_decode(bytes, 10, expected[i].hex));
        prover_id_of_miner(id, expected[i].miner);
        assert_memory_equal(id, bytes, 32);
    }
}

/* The job's values are in tests/data/jobs/porep-StackedDrg2KiBV1_1/job.json. */
static void replica_ids_follow_from_the_sector(void **state) {
    (void)state;
    uint8_t prover_id[32], ticket[32], comm_d[32], replica_id[32], expected[32], porep_id[32];
    prover_id_of_miner(prover_id, 1001);
    registered_proof_porep_id(porep_id, registered_proof_find(PROOF_POREP, 5));
    assert_true(hex_decode(ticket, 32, "e508bcff0d7ddb35b9c2499861414b1c2d99af0340bf72ed5df4f83b0afafe3d"));
    assert_true(hex_decode(comm_d, 32, "cb479a035f6f21c8e0e96c29c54138b6b891981a24758c3d3699737f4f59d72a"));
    assert_true(hex_decode(expected, 32, "08592ce68150135d57bce12ac78562a13a81676e3a7cc9ab47f5317806aeff1b"));
    compute_replica_id(replica_id, prover_id, 16, ticket, comm_d, porep_id);
    assert_memory_equal(replica_id, expected, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_nodes_are_truncated_sha256),
        cmocka_unit_test(empty_sectors_have_known_commitments),
        cmocka_unit_test(blake2b_has_its_published_values),
        cmocka_unit_test(chacha20_is_openssls),
        cmocka_unit_test(prover_ids_are_leb128),
        cmocka_unit_test(replica_ids_follow_from_the_sector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
