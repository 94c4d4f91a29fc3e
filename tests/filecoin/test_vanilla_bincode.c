#include "filecoin/vectors.h"

#include <stdio.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "filecoin/byte_buffer.h"
#include "filecoin/vanilla_bincode.h"
#include "filecoin/vanilla_encode.h"
#include "gadgets/poseidon.h"

/* The index-th string of a job's vanilla.json, decoded. */
static uint8_t *read_blob(const char *name, unsigned index, size_t *size) {
    vector_file file = vectors_open(data_path(name));
    uint8_t *bytes = NULL;
    vectors_array(file.reader);
    for (unsigned i = 0; vectors_more(file.reader); i++) {
        cuzk_error error = {0};
        const char *text;
        size_t length, bad;
        ASSERT_OK(json_read_string(file.reader, &text, &length, &error));
        if (i != index)
            continue;
        bytes = malloc(base64_capacity(length));
        assert_true(base64_decode(bytes, size, text, length, &bad));
    }
    vectors_close(&file);
    assert_non_null(bytes);
    return bytes;
}

static void check_path(const merkle_shape *tree, const merkle_path *path, const fr *root) {
    fr computed;
    merkle_opening opening = merkle_path_opening(path);
    merkle_root(&computed, tree, &opening, &path->leaf);
    assert_true(fr_equal(&computed, &path->root));
    assert_true(fr_equal(&computed, root));
}

static void check_post_sector(const char *name, proof_kind kind, unsigned index, uint64_t sector_number, unsigned path_count) {
    cuzk_error error = {0};
    size_t size;
    uint8_t *bytes = read_blob(name, index, &size);
    const sector_shape *shape = sector_shape_parse("2KiB");
    merkle_shape tree = replica_tree_shape(shape);
    post_sector_proof *proof;
    ASSERT_OK(decode_post_sector_proof(&proof, kind, shape, bytes, size, &error));
    assert_int_equal(proof->sector_number, sector_number);
    assert_int_equal(proof->path_count, path_count);
    fr preimage[2] = {proof->comm_c, proof->comm_r_last}, comm_r;
    poseidon_hash(&comm_r, POSEIDON_MERKLE_TREE, preimage, 2);
    assert_true(fr_equal(&comm_r, &proof->comm_r));
    for (unsigned i = 0; i < path_count; i++)
        check_path(&tree, &proof->paths[i], &proof->comm_r_last);

    byte_buffer encoded = {0};
    encode_post_sector_proof(&encoded, proof);
    assert_int_equal(encoded.count, size);
    assert_memory_equal(encoded.bytes, bytes, size);
    byte_buffer_free(&encoded);
    free(proof);
    free(bytes);
}

static void post_proofs_are_decoded(void **state) {
    (void)state;
    check_post_sector("jobs/winning-post/vanilla.json", PROOF_WINNING, 0, 21, WINNING_CHALLENGES);
    check_post_sector("jobs/window-post-v1/vanilla.json", PROOF_WINDOW, 0, 21, WINDOW_CHALLENGES);
    check_post_sector("jobs/window-post-v1/vanilla.json", PROOF_WINDOW, 1, 24, WINDOW_CHALLENGES);
    check_post_sector("jobs/window-post-v1_2/vanilla.json", PROOF_WINDOW, 1, 24, WINDOW_CHALLENGES);
}

static void snap_proofs_are_decoded(void **state) {
    (void)state;
    cuzk_error error = {0};
    size_t size;
    uint8_t *bytes = read_blob("jobs/snap-deals/vanilla.json", 0, &size);
    const sector_shape *shape = sector_shape_parse("2KiB");
    merkle_shape replica_tree = replica_tree_shape(shape), data_tree = data_tree_shape(shape);
    snap_partition_proof *proof;
    ASSERT_OK(decode_snap_partition_proof(&proof, shape, bytes, size, &error));
    const snap_challenge_proof *first = &proof->challenges[0];
    for (unsigned i = 0; i < shape->snap_challenges; i++) {
        const snap_challenge_proof *challenge = &proof->challenges[i];
        check_path(&replica_tree, &challenge->replica_old_path, &first->replica_old_path.root);
        check_path(&data_tree, &challenge->data_new_path, &first->data_new_path.root);
        check_path(&replica_tree, &challenge->replica_new_path, &first->replica_new_path.root);
        assert_int_equal(challenge->replica_old_path.index, challenge->data_new_path.index);
        assert_int_equal(challenge->replica_old_path.index, challenge->replica_new_path.index);
    }
    fr row[8], root; /* the apex leaves are nodes of tree D, here 8 of 64 leaves */
    memcpy(row, proof->apex_leaves, sizeof row);
    for (unsigned count = 8; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            merkle_node(&row[i], MERKLE_SHA256, &row[2 * i], 2);
    root = row[0];
    assert_true(fr_equal(&root, &first->data_new_path.root));
    free(proof);
    free(bytes);
}

/* --- All shapes, by way of the encoder --- */

static void fill(fr *values, size_t count, test_random *random) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[32];
        test_random_bytes(random, bytes, sizeof bytes);
        fr_from_hash(&values[i], bytes);
    }
}

static void fill_path(merkle_path *path, const merkle_shape *tree, test_random *random) {
    fill(&path->leaf, 1, random);
    fill(&path->root, 1, random);
    fill(path->siblings, merkle_path_siblings(tree), random);
    path->index = test_random_u64(random) >> (64 - merkle_index_bits(tree));
}

static void assert_paths_equal(const merkle_path *a, const merkle_path *b, const merkle_shape *tree) {
    assert_true(fr_equal(&a->leaf, &b->leaf) && fr_equal(&a->root, &b->root));
    assert_true(a->index == b->index);
    assert_memory_equal(a->siblings, b->siblings, merkle_path_siblings(tree) * sizeof(fr));
}

static void every_shape_round_trips(void **state) {
    (void)state;
    test_random random = {5};
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++) {
        const sector_shape *shape = &SECTOR_SHAPES[i];
        merkle_shape replica_tree = replica_tree_shape(shape), data_tree = data_tree_shape(shape);
        cuzk_error error = {0};
        byte_buffer encoded = {0};

        post_sector_proof *sector = post_sector_proof_create(shape, WINDOW_CHALLENGES), *decoded_sector;
        sector->sector_number = test_random_u64(&random);
        fill(&sector->comm_r, 1, &random);
        fill(&sector->comm_c, 1, &random);
        fill(&sector->comm_r_last, 1, &random);
        for (unsigned j = 0; j < WINDOW_CHALLENGES; j++)
            fill_path(&sector->paths[j], &replica_tree, &random);
        encode_post_sector_proof(&encoded, sector);
        ASSERT_OK(decode_post_sector_proof(&decoded_sector, PROOF_WINDOW, shape, encoded.bytes, encoded.count, &error));
        assert_true(decoded_sector->sector_number == sector->sector_number);
        assert_true(fr_equal(&decoded_sector->comm_r, &sector->comm_r) && fr_equal(&decoded_sector->comm_c, &sector->comm_c));
        assert_true(fr_equal(&decoded_sector->comm_r_last, &sector->comm_r_last));
        for (unsigned j = 0; j < WINDOW_CHALLENGES; j++)
            assert_paths_equal(&decoded_sector->paths[j], &sector->paths[j], &replica_tree);
        free(sector);
        free(decoded_sector);
        byte_buffer_free(&encoded);

        encoded = (byte_buffer){0};
        snap_partition_proof *partition = snap_partition_proof_create(shape), *decoded_partition;
        fill(&partition->comm_c, 1, &random);
        fill(partition->apex_leaves, shape->snap_apex_leaves, &random);
        for (unsigned j = 0; j < shape->snap_challenges; j++) {
            fill_path(&partition->challenges[j].replica_old_path, &replica_tree, &random);
            fill_path(&partition->challenges[j].data_new_path, &data_tree, &random);
            fill_path(&partition->challenges[j].replica_new_path, &replica_tree, &random);
        }
        encode_snap_partition_proof(&encoded, partition);
        ASSERT_OK(decode_snap_partition_proof(&decoded_partition, shape, encoded.bytes, encoded.count, &error));
        assert_true(fr_equal(&decoded_partition->comm_c, &partition->comm_c));
        assert_memory_equal(decoded_partition->apex_leaves, partition->apex_leaves, shape->snap_apex_leaves * sizeof(fr));
        for (unsigned j = 0; j < shape->snap_challenges; j++) {
            const snap_challenge_proof *found = &decoded_partition->challenges[j], *expected = &partition->challenges[j];
            assert_paths_equal(&found->replica_old_path, &expected->replica_old_path, &replica_tree);
            assert_paths_equal(&found->data_new_path, &expected->data_new_path, &data_tree);
            assert_paths_equal(&found->replica_new_path, &expected->replica_new_path, &replica_tree);
        }
        free(partition);
        free(decoded_partition);
        byte_buffer_free(&encoded);
    }
}

/* --- Hostile input --- */

static void expect_error(const uint8_t *bytes, size_t size, const char *message) {
    cuzk_error error = {0};
    post_sector_proof *proof;
    const sector_shape *shape = sector_shape_parse("2KiB");
    assert_int_equal(decode_post_sector_proof(&proof, PROOF_WINDOW, shape, bytes, size, &error), CUZK_BAD_INPUT);
    assert_null(proof);
    if (strcmp(error.message, message) != 0)
        fail_msg("found the error: %s\nexpected: %s", error.message, message);
}

/* Of a 2 KiB WindowPoSt sector: sector_id 8, comm_r 32, sectors 8, inclusion_proofs 8, then each path: variant 4, root 32,
 * leaf 32, length 8, and 2 levels of hashes 8 + 7 * 32 and index 8. */
enum {
    SECTORS_AT = 40,
    PATHS_AT = 48,
    FIRST_PATH = 56,
    LEVELS_AT = FIRST_PATH + 68,
    HASHES_AT = LEVELS_AT + 8,
    INDEX_AT = HASHES_AT + 232
};

static void wrong_values_are_named(void **state) {
    (void)state;
    size_t size;
    uint8_t *bytes = read_blob("jobs/window-post-v1/vanilla.json", 0, &size);
    static const struct {
        size_t at;
        uint64_t value;
        const char *message;
    } cases[] = {
        {SECTORS_AT, 2, "vanilla_proof.sectors: found 2 elements, expected 1 (byte 40)"},
        {PATHS_AT, UINT64_C(1) << 63, "sectors[0].inclusion_proofs: found 9223372036854775808 elements, expected 10 (byte 48)"},
        {PATHS_AT, UINT64_MAX, "sectors[0].inclusion_proofs: found 18446744073709551615 elements, expected 10 (byte 48)"},
        {LEVELS_AT, 3, "sectors[0].inclusion_proofs[0].path: found 3 elements, expected 2 (byte 124)"},
        {HASHES_AT, 8, "sectors[0].inclusion_proofs[0].path[0].hashes: found 8 elements, expected 7 (byte 132)"},
        {INDEX_AT, 8, "sectors[0].inclusion_proofs[0].path[0].index: found 8, expected 0 to 7 (byte 364)"},
        {INDEX_AT, UINT64_C(1) << 32,
         "sectors[0].inclusion_proofs[0].path[0].index: found 4294967296, expected 0 to 7 (byte 364)"},
        {32, UINT64_MAX, "comm_r: found a value that is not below the field's order (byte 8)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t kept[8];
        memcpy(kept, bytes + cases[i].at, 8);
        store_u64_le(bytes + cases[i].at, cases[i].value);
        expect_error(bytes, size, cases[i].message);
        memcpy(bytes + cases[i].at, kept, 8);
    }
    bytes[FIRST_PATH] = 1;
    expect_error(bytes, size, "sectors[0].inclusion_proofs[0].data: found variant 1, expected 0 (Single) (byte 56)");
    bytes[FIRST_PATH] = 0;
    expect_error(bytes, 0, "sector_id: found the end after 0 bytes, expected 8 more (byte 0)");
    expect_error(bytes, 9, "comm_r: found the end after 9 bytes, expected 31 more (byte 8)");
    uint8_t *longer = malloc(size + 1);
    memcpy(longer, bytes, size);
    longer[size] = 0;
    char message[80];
    snprintf(message, sizeof message, "found %zu bytes, expected %zu", size + 1, size);
    expect_error(longer, size + 1, message);
    free(longer);
    free(bytes);
}

/* How many of the lengths in the bytes were found and refused with both values, whatever is put in their place: all numbers of
 * one byte are tried, of which some are indices or happen to be parts of elements. */
static unsigned count_refused_lengths(proof_kind kind, uint8_t *bytes, size_t size) {
    /* Products with 8, 32 or 232 bytes wrap to something small. */
    static const uint64_t hostile[] = {0,
                                       UINT32_MAX,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX,
                                       UINT64_MAX / 8 + 2,
                                       UINT64_MAX / 32 + 2,
                                       UINT64_MAX / 232 + 2};
    const sector_shape *shape = sector_shape_parse("2KiB");
    unsigned lengths = 0;
    for (size_t at = 0; at + 8 <= size; at += 4) { /* everything is of four bytes or a multiple */
        uint64_t kept = load_u64_le(bytes + at);
        if (kept == 0 || kept > 255)
            continue;
        unsigned refused = 0;
        for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
            cuzk_error error = {0};
            post_sector_proof *sector = NULL;
            snap_partition_proof *partition = NULL;
            char words[80];
            store_u64_le(bytes + at, hostile[i]);
            if (kind == PROOF_SNAP)
                decode_snap_partition_proof(&partition, shape, bytes, size, &error);
            else
                decode_post_sector_proof(&sector, kind, shape, bytes, size, &error);
            free(sector);
            free(partition);
            snprintf(words, sizeof words, ": found %llu elements, expected %llu (byte %zu)", (unsigned long long)hostile[i],
                     (unsigned long long)kept, at);
            refused += strstr(error.message, words) != NULL;
        }
        store_u64_le(bytes + at, kept);
        assert_true(refused == 0 || refused == sizeof hostile / sizeof *hostile);
        lengths += refused > 0;
    }
    return lengths;
}

static void every_length_is_refused(void **state) {
    (void)state;
    /* A path of tree R has 2 levels and a path of tree D 6; each has a length, and one more counts them. */
    static const struct {
        const char *file;
        proof_kind kind;
        unsigned lengths;
    } cases[] = {{"jobs/window-post-v1/vanilla.json", PROOF_WINDOW, 2 + 10 * 3},
                 {"jobs/winning-post/vanilla.json", PROOF_WINNING, 2 + 66 * 3},
                 {"jobs/snap-deals/vanilla.json", PROOF_SNAP, 2 + 10 * (3 + 7 + 3)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        uint8_t *bytes = read_blob(cases[i].file, 0, &size);
        assert_int_equal(count_refused_lengths(cases[i].kind, bytes, size), cases[i].lengths);
        free(bytes);
    }
}

static void damaged_proofs_do_no_harm(void **state) {
    (void)state;
    static const char *const files[] = {"jobs/window-post-v1/vanilla.json", "jobs/snap-deals/vanilla.json"};
    test_random random = {8};
    for (unsigned file = 0; file < 2; file++) {
        size_t size;
        uint8_t *bytes = read_blob(files[file], 0, &size);
        for (unsigned run = 0; run < 3000; run++) {
            cuzk_error error = {0};
            size_t length = run < 500 ? size * run / 500 : size, place = test_random_u64(&random) % size;
            uint8_t *exact = malloc(length + (length == 0)); /* so that a read beyond its end is seen */
            memcpy(exact, bytes, length);
            if (length == size)
                exact[place] ^= (uint8_t)(1u << test_random_u64(&random) % 8);
            post_sector_proof *sector = NULL;
            snap_partition_proof *partition = NULL;
            const sector_shape *shape = &SECTOR_SHAPES[run % 2];
            cuzk_status status = file == 0 ? decode_post_sector_proof(&sector, PROOF_WINDOW, shape, exact, length, &error)
                                           : decode_snap_partition_proof(&partition, shape, exact, length, &error);
            assert_true(status == CUZK_OK || (status == CUZK_BAD_INPUT && error.message[0] != '\0'));
            assert_true(length == size || status == CUZK_BAD_INPUT);
            free(sector);
            free(partition);
            free(exact);
        }
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post_proofs_are_decoded),
        cmocka_unit_test(snap_proofs_are_decoded),
        cmocka_unit_test(every_shape_round_trips),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(every_length_is_refused),
        cmocka_unit_test(damaged_proofs_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
