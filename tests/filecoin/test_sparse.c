/* Sparse and striped trees against whole ones, and sparse sectors against what their proofs must satisfy. */
#include "filecoin/challenges.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/post_vanilla.h"
#include "filecoin/sparse_sector.h"
#include "filecoin/update_vanilla.h"
#include "pool_fixture.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static void random_fr(fr *element, test_random *random) {
    uint8_t bytes[32];
    test_random_bytes(random, bytes, sizeof bytes);
    fr_from_hash(element, bytes);
}

/* A whole tree over leaves given as field elements, stored as files have it. */
typedef struct {
    uint8_t *leaves, *rows;
    merkle_stored_tree tree;
} whole_tree;

static void build_whole_tree(whole_tree *whole, const merkle_shape *shape, const fr *leaves, unsigned discarded_rows) {
    cuzk_error error = {0};
    uint64_t count = merkle_level_nodes(shape, 0);
    unsigned base_trees = merkle_base_trees(shape);
    uint64_t base_leaves = count / base_trees, upper = merkle_upper_nodes(base_leaves, shape->base_arity), dropped = 0;
    for (unsigned i = 1; i <= discarded_rows; i++)
        dropped += merkle_level_nodes(shape, i) / base_trees;
    whole->leaves = malloc(32 * count);
    whole->rows = malloc(32 * base_trees * upper);
    uint8_t *all_rows = malloc(32 * upper);
    for (uint64_t i = 0; i < count; i++)
        fr_to_bytes(whole->leaves + 32 * i, &leaves[i]);
    for (unsigned i = 0; i < base_trees; i++) {
        merkle_build_rows(all_rows, whole->leaves + 32 * base_leaves * i, base_leaves, shape->hasher, shape->base_arity, pool,
                          NULL);
        whole->tree.base_trees = base_trees;
        whole->tree.discarded_rows = discarded_rows;
        whole->tree.leaves[i] = whole->leaves + 32 * base_leaves * i;
        memcpy(whole->rows + 32 * (upper - dropped) * i, all_rows + 32 * dropped, 32 * (upper - dropped));
        whole->tree.rows[i] = whole->rows + 32 * (upper - dropped) * i;
    }
    free(all_rows);
    ASSERT_OK(merkle_stored_tree_open(&whole->tree, shape, "tree", &error));
}

static void free_whole_tree(whole_tree *whole) {
    free(whole->leaves);
    free(whole->rows);
}

static void assert_sources_equal(const merkle_source *one, const merkle_source *other) {
    for (unsigned level = 0; level <= merkle_levels(&one->shape); level++) {
        for (uint64_t i = 0; i < merkle_level_nodes(&one->shape, level); i++) {
            fr a, b;
            assert_true(one->node(&a, one, level, i));
            assert_true(other->node(&b, other, level, i));
            if (!fr_equal(&a, &b))
                fail_msg("node %llu of level %u differs", (unsigned long long)i, level);
        }
    }
}

static const char *const SHAPES[] = {"2KiB", "4KiB", "16KiB", "32KiB"}; /* all three kinds of compound trees */
enum { SHAPE_COUNT = 4, MOST_LEAVES = 1024 };

static void test_sparse_tree_equals_whole_tree(void **state) {
    (void)state;
    test_random random = {11};
    for (unsigned i = 0; i < SHAPE_COUNT; i++) {
        merkle_shape shapes[2] = {replica_tree_shape(sector_shape_parse(SHAPES[i])),
                                  data_tree_shape(sector_shape_parse(SHAPES[i]))};
        for (unsigned j = 0; j < 2; j++) {
            fr leaves[MOST_LEAVES] = {{{0}}}, given[5], empty[MAX_NODE_BITS + 1];
            uint64_t nodes = merkle_level_nodes(&shapes[j], 0), indices[5] = {0, 1, nodes / 2 + 7, nodes - 9, nodes - 1};
            for (unsigned k = 0; k < 5; k++) {
                random_fr(&given[k], &random);
                leaves[indices[k]] = given[k];
            }
            sparse_tree sparse;
            whole_tree whole;
            sparse_tree_empty_nodes(empty, &shapes[j]);
            sparse_tree_build(&sparse, &shapes[j], empty, indices, given, 5, pool);
            build_whole_tree(&whole, &shapes[j], leaves, 0);
            assert_sources_equal(&sparse.source, &whole.tree.source);
            sparse_tree_free(&sparse);
            free_whole_tree(&whole);
        }
    }
}

static void test_striped_tree_equals_whole_tree(void **state) {
    (void)state;
    test_random random = {12};
    for (unsigned i = 0; i < SHAPE_COUNT; i++) {
        const sector_shape *sector = sector_shape_parse(SHAPES[i]);
        merkle_shape shapes[2] = {replica_tree_shape(sector), data_tree_shape(sector)};
        for (unsigned j = 0; j < 2; j++) {
            for (unsigned stripe_bits = 0; stripe_bits <= sector->node_bits; stripe_bits++) {
                fr leaves[MOST_LEAVES], stripes[MOST_LEAVES];
                for (uint64_t k = 0; k < sector_nodes(sector) >> stripe_bits; k++)
                    random_fr(&stripes[k], &random);
                for (uint64_t k = 0; k < sector_nodes(sector); k++)
                    leaves[k] = stripes[k >> stripe_bits];
                striped_tree striped;
                whole_tree whole;
                striped_tree_build(&striped, &shapes[j], stripes, stripe_bits, pool);
                build_whole_tree(&whole, &shapes[j], leaves, 0);
                assert_sources_equal(&striped.source, &whole.tree.source);
                striped_tree_free(&striped);
                free_whole_tree(&whole);
            }
        }
    }
}

static void test_discarded_rows_are_recomputed(void **state) {
    (void)state;
    test_random random = {13};
    for (unsigned i = 0; i < SHAPE_COUNT; i++) {
        const sector_shape *sector = sector_shape_parse(SHAPES[i]);
        merkle_shape shape = replica_tree_shape(sector);
        fr leaves[MOST_LEAVES];
        for (uint64_t k = 0; k < sector_nodes(sector); k++)
            random_fr(&leaves[k], &random);
        whole_tree complete, cut;
        build_whole_tree(&complete, &shape, leaves, 0);
        build_whole_tree(&cut, &shape, leaves, 1);
        assert_sources_equal(&complete.tree.source, &cut.tree.source);
        free_whole_tree(&complete);
        free_whole_tree(&cut);
    }
}

static void test_path_of_every_leaf_leads_to_the_root(void **state) {
    (void)state;
    cuzk_error error = {0};
    test_random random = {14};
    const sector_shape *sector = sector_shape_parse("32KiB");
    merkle_shape shape = replica_tree_shape(sector);
    fr leaves[MOST_LEAVES], siblings[64];
    for (uint64_t k = 0; k < MOST_LEAVES; k++)
        random_fr(&leaves[k], &random);
    whole_tree whole;
    build_whole_tree(&whole, &shape, leaves, 1);
    for (uint64_t leaf = 0; leaf < MOST_LEAVES; leaf += 37) {
        merkle_path path = {.siblings = siblings};
        ASSERT_OK(merkle_source_checked_path(&path, &whole.tree.source, leaf, "tree", &error));
        assert_true(fr_equal(&path.leaf, &leaves[leaf]));
        assert_int_equal(path.index, leaf);
    }
    free_whole_tree(&whole);
}

/* With `checked` set, proving fails unless every path, label and encoding is right. */
static void check_sparse_porep(const char *size, unsigned registered) {
    cuzk_error error = {0};
    const registered_proof *proof = registered_proof_find(PROOF_POREP, registered);
    assert_string_equal(proof->shape->name, size);
    sparse_porep_parameters parameters = {
        .proof = proof, .prover_id = {7}, .ticket = {8}, .seed = {9}, .sector_number = 5, .label_seed = 6};
    sparse_porep_sector sector;
    ASSERT_OK(sparse_porep_build(&sector, &parameters, pool, &error));
    sector.view.checked = true;
    porep_partition_proof **proofs;
    ASSERT_OK(porep_prove(&proofs, proof, &sector.view, sector.replica_id, parameters.seed, pool, &error));
    porep_proofs_free(proofs, registered_proof_partitions(proof));
    sparse_porep_free(&sector);
}

static void test_sparse_porep_satisfies_its_proof(void **state) {
    (void)state;
    check_sparse_porep("2KiB", 0); /* most nodes are challenged or parents */
    check_sparse_porep("2KiB", 5);
    check_sparse_porep("512MiB", 7);
    check_sparse_porep("32GiB", 8);
    check_sparse_porep("64GiB", 4);
}

static void test_sparse_porep_needs_interaction(void **state) {
    (void)state;
    for (unsigned registered = 10; registered < 20; registered++) {
        cuzk_error error = {0};
        sparse_porep_sector sector;
        sparse_porep_parameters parameters = {.proof = registered_proof_find(PROOF_POREP, registered)};
        assert_int_equal(sparse_porep_build(&sector, &parameters, pool, &error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, parameters.proof->name));
        assert_non_null(strstr(error.message, "its challenges follow from comm_r"));
    }
}

static void check_sparse_post(proof_kind kind, unsigned registered) {
    cuzk_error error = {0};
    const registered_proof *proof = registered_proof_find(kind, registered);
    const uint8_t randomness[32] = {3};
    uint64_t challenges[WINNING_CHALLENGES];
    unsigned count = post_sector_challenge_count(kind);
    post_sector_challenges(challenges, proof, randomness, 44, 0);
    fr empty[MAX_NODE_BITS + 1];
    merkle_shape tree = replica_tree_shape(proof->shape);
    sparse_tree_empty_nodes(empty, &tree);
    sparse_post_sector sector;
    sparse_post_build(&sector, proof->shape, empty, 44, challenges, count, 1);
    sector.view.checked = true;
    post_sector_proof *made;
    ASSERT_OK(post_prove_sector(&made, &sector.view, 44, challenges, count, pool, &error));
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(made->paths[i].index, challenges[i]);
    assert_false(fr_is_zero(&made->paths[0].leaf));
    free(made);
    sparse_post_free(&sector);
}

static void test_sparse_post_satisfies_its_proof(void **state) {
    (void)state;
    for (unsigned size = 0; size < 5; size++) {
        check_sparse_post(PROOF_WINNING, size);
        check_sparse_post(PROOF_WINDOW, 5 + size);
    }
}

static void test_sparse_update_satisfies_its_proof(void **state) {
    (void)state;
    for (unsigned i = 0; i < SECTOR_SHAPE_COUNT; i++) {
        cuzk_error error = {0};
        const sector_shape *shape = &SECTOR_SHAPES[i];
        xorshift generator = xorshift_seeded(i);
        sparse_update_sector sector;
        sparse_update_build(&sector, shape, &generator, pool);
        sector.old.checked = sector.updated.checked = true;
        snap_partition_proof *proof;
        unsigned partition = shape->snap_partitions - 1;
        ASSERT_OK(update_prove_partition(&proof, &sector.old, &sector.updated, partition, pool, &error));

        /* The apex leaves are where the data paths pass, and challenges lie in the partition. */
        for (unsigned j = 0; j < shape->snap_challenges; j++)
            assert_int_equal(proof->challenges[j].data_new_path.index * shape->snap_partitions >> shape->node_bits, partition);
        fr nodes[128];
        memcpy(nodes, proof->apex_leaves, shape->snap_apex_leaves * sizeof *nodes);
        unsigned level = shape->node_bits;
        for (unsigned width = shape->snap_partitions; width > 1; width /= 2)
            level--;
        for (unsigned width = shape->snap_apex_leaves; width > 1; width /= 2)
            for (unsigned j = 0; j < width / 2; j++)
                merkle_node(&nodes[j], MERKLE_SHA256, &nodes[2 * j], 2);
        fr apex_root;
        assert_true(sector.data_tree.source.node(&apex_root, &sector.data_tree.source, level, partition));
        assert_true(fr_equal(&nodes[0], &apex_root));
        free(proof);
        sparse_update_free(&sector);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_tree_equals_whole_tree),    cmocka_unit_test(test_striped_tree_equals_whole_tree),
        cmocka_unit_test(test_discarded_rows_are_recomputed),    cmocka_unit_test(test_path_of_every_leaf_leads_to_the_root),
        cmocka_unit_test(test_sparse_porep_satisfies_its_proof), cmocka_unit_test(test_sparse_porep_needs_interaction),
        cmocka_unit_test(test_sparse_post_satisfies_its_proof),  cmocka_unit_test(test_sparse_update_satisfies_its_proof),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
