#include "support/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gadgets/merkle.h"
#include "support/circuit_check.h"

typedef struct {
    merkle_hasher hasher;
    unsigned base_arity, sub_arity, top_arity;
    unsigned leaf_bits;
} tree_kind;

static const tree_kind tree_kinds[] = {
    {MERKLE_POSEIDON, 8, 0, 0, 6}, {MERKLE_POSEIDON, 8, 2, 0, 4},  {MERKLE_POSEIDON, 8, 8, 0, 9}, {MERKLE_POSEIDON, 8, 8, 2, 7},
    {MERKLE_POSEIDON, 4, 2, 8, 8}, {MERKLE_POSEIDON, 2, 0, 0, 5},  {MERKLE_SHA256, 2, 0, 0, 3},   {MERKLE_SHA256, 4, 0, 0, 2},
    {MERKLE_SHA256, 2, 0, 0, 0},
};
enum { TREE_KINDS = sizeof tree_kinds / sizeof *tree_kinds };

/* A tree with all its nodes, level by level. */
typedef struct {
    merkle_shape shape;
    fr *levels[MERKLE_MAX_LEVELS + 1];
} whole_tree;

static whole_tree build_tree(const tree_kind *kind, test_random *random) {
    size_t count = (size_t)1 << kind->leaf_bits;
    whole_tree tree = {.shape = merkle_shape_of(kind->hasher, kind->base_arity, kind->sub_arity, kind->top_arity, count)};
    tree.levels[0] = allocate(count, sizeof(fr));
    for (size_t i = 0; i < count; i++)
        tree.levels[0][i] = test_random_fr(random);
    for (unsigned level = 0; level < merkle_levels(&tree.shape); level++) {
        unsigned arity = merkle_level_arity(&tree.shape, level);
        assert_int_equal(count % arity, 0);
        count /= arity;
        tree.levels[level + 1] = allocate(count, sizeof(fr));
        for (size_t i = 0; i < count; i++)
            merkle_node(&tree.levels[level + 1][i], kind->hasher, &tree.levels[level][i * arity], arity);
    }
    assert_int_equal(count, 1);
    return tree;
}

static void free_tree(whole_tree *tree) {
    for (unsigned level = 0; level <= merkle_levels(&tree->shape); level++)
        free(tree->levels[level]);
}

static const fr *tree_root(const whole_tree *tree) { return tree->levels[merkle_levels(&tree->shape)]; }

typedef struct {
    merkle_shape shape;
    bool existing_variables; /* merkle_enforce_path, else merkle_enforce_inclusion */
    uint64_t index;
    fr leaf, root, siblings[256];
    uint32_t first_aux; /* after leaf and root */
} inclusion_test;

static void do_inclusion(constraint_system *cs, void *context) {
    inclusion_test *test = context;
    number leaf = number_allocate(cs, &test->leaf), root = number_allocate(cs, &test->root);
    test->first_aux = cs->aux_count;
    if (!test->existing_variables) {
        merkle_opening opening = {.index = test->index, .siblings = test->siblings};
        merkle_enforce_inclusion(cs, &test->shape, cs->has_witness ? &opening : NULL, &leaf, &root);
        return;
    }
    boolean index_bits[64];
    number siblings[256];
    for (unsigned i = 0; i < merkle_index_bits(&test->shape); i++)
        index_bits[i] = boolean_allocate(cs, test->index >> i & 1);
    for (size_t i = 0; i < merkle_path_siblings(&test->shape); i++)
        siblings[i] = number_allocate(cs, &test->siblings[i]);
    merkle_enforce_path(cs, &test->shape, index_bits, siblings, &leaf, &root);
}

static void open_leaf(inclusion_test *test, const whole_tree *tree, uint64_t index) {
    *test = (inclusion_test){.shape = tree->shape, .index = index, .leaf = tree->levels[0][index], .root = *tree_root(tree)};
    size_t siblings = 0;
    for (unsigned level = 0; level < merkle_levels(&tree->shape); level++) {
        unsigned arity = merkle_level_arity(&tree->shape, level);
        uint64_t first = index - index % arity;
        for (uint64_t i = first; i < first + arity; i++)
            if (i != index)
                test->siblings[siblings++] = tree->levels[level][i];
        index /= arity;
    }
    assert_int_equal(siblings, merkle_path_siblings(&tree->shape));
}

static void openings_of_all_shapes(void **state) {
    (void)state;
    test_random random = {8};
    for (size_t k = 0; k < TREE_KINDS; k++) {
        whole_tree tree = build_tree(&tree_kinds[k], &random);
        uint64_t leaves = UINT64_C(1) << tree_kinds[k].leaf_bits, step = leaves / 8 + 1;
        for (uint64_t index = 0; index < leaves; index += step) {
            static inclusion_test test;
            open_leaf(&test, &tree, index);
            fr root;
            merkle_opening opening = {.index = index, .siblings = test.siblings};
            merkle_root(&root, &test.shape, &opening, &test.leaf);
            assert_true(fr_equal(&root, &test.root));

            assert_satisfied(do_inclusion, &test);
            circuit_check check;
            check_circuit(&check, do_inclusion, &test, NULL, NULL);
            if (leaves > 1) {
                fr expected;
                fr_from_u64(&expected, index);
                assert_int_equal(check.inputs, 2);
                assert_true(fr_equal(&check.input_values[1], &expected));
            }
            circuit_check_free(&check);
            test.existing_variables = true;
            assert_satisfied(do_inclusion, &test);
        }
        free_tree(&tree);
    }
}

/* Changes in what a prover claims; returns false if there is no such thing in the tree. */
static bool falsify_claim(inclusion_test *test, unsigned what) {
    size_t siblings = merkle_path_siblings(&test->shape);
    if (what >= 2 && siblings == 0)
        return false;
    fr *const claims[] = {&test->leaf, &test->root, &test->siblings[0], siblings > 0 ? &test->siblings[siblings - 1] : NULL};
    if (what == 4)
        test->index ^= 1;
    else if (what == 5)
        test->index ^= UINT64_C(1) << (merkle_index_bits(&test->shape) - 1);
    else
        fr_add(claims[what], claims[what], &FR_ONE);
    return true;
}

static void false_claims_break_the_circuit(void **state) {
    (void)state;
    test_random random = {9};
    for (size_t k = 0; k < TREE_KINDS; k++) {
        whole_tree tree = build_tree(&tree_kinds[k], &random);
        for (unsigned what = 0; what < 6; what++)
            for (int form = 0; form < 2; form++) {
                static inclusion_test test;
                open_leaf(&test, &tree, (UINT64_C(1) << tree_kinds[k].leaf_bits) - 1);
                test.existing_variables = form;
                if (falsify_claim(&test, what))
                    assert_broken(do_inclusion, &test, form ? "calculated root == provided root" : "enforce root is correct");
            }
        free_tree(&tree);
    }
}

static void falsified_variables_break_the_circuit(void **state) {
    (void)state;
    test_random random = {10};
    for (size_t k = 0; k < TREE_KINDS; k++) {
        whole_tree tree = build_tree(&tree_kinds[k], &random);
        static inclusion_test test;
        open_leaf(&test, &tree, 0);
        bool slow = tree_kinds[k].hasher == MERKLE_SHA256;
        assert_satisfied(do_inclusion, &test);
        assert_every_variable_matters(do_inclusion, &test, test.first_aux, slow ? 9973 : 53);
        free_tree(&tree);
    }
}

typedef struct {
    merkle_hasher hasher;
    unsigned arity;
    fr children[MERKLE_MAX_ARITY];
    number node;
} node_test;

static void do_node(constraint_system *cs, void *context) {
    node_test *test = context;
    number children[MERKLE_MAX_ARITY];
    for (unsigned i = 0; i < test->arity; i++)
        children[i] = number_allocate(cs, &test->children[i]);
    test->node = merkle_node_circuit(cs, test->hasher, children, test->arity);
}

static void nodes_in_circuits(void **state) {
    (void)state;
    test_random random = {11};
    for (unsigned i = 0; i < 6; i++) {
        node_test test = {.hasher = i % 2 ? MERKLE_SHA256 : MERKLE_POSEIDON, .arity = 2u << (i / 2)};
        for (unsigned j = 0; j < test.arity; j++)
            test.children[j] = test_random_fr(&random);
        assert_satisfied(do_node, &test);
        fr expected;
        merkle_node(&expected, test.hasher, test.children, test.arity);
        assert_true(fr_equal(&test.node.value, &expected));
    }
}

static void sha256_nodes_equal_the_vectors(void **state) {
    (void)state;
    yajl_val vectors = read_vectors("sha256_node.json");
    assert_true(vector_count(vectors) > 0);
    for (size_t i = 0; i < vector_count(vectors); i++) {
        node_test test = {.hasher = MERKLE_SHA256, .arity = 2};
        fr expected, node;
        vector_fr(&test.children[0], vector_member(vector_at(vectors, i), "left"));
        vector_fr(&test.children[1], vector_member(vector_at(vectors, i), "right"));
        vector_fr(&expected, vector_member(vector_at(vectors, i), "node"));
        merkle_node(&node, MERKLE_SHA256, test.children, 2);
        assert_true(fr_equal(&node, &expected));
        assert_satisfied(do_node, &test);
        assert_true(fr_equal(&test.node.value, &expected));
    }
    yajl_tree_free(vectors);
}

static void shapes_of_the_sectors(void **state) {
    (void)state;
    merkle_shape shape = merkle_shape_of(MERKLE_POSEIDON, 8, 8, 2, UINT64_C(1) << 31); /* 64 GiB */
    assert_int_equal(shape.base_levels, 9);
    assert_int_equal(merkle_levels(&shape), 11);
    assert_int_equal(merkle_index_bits(&shape), 31);
    assert_int_equal(merkle_path_siblings(&shape), 10 * 7 + 1);
    assert_int_equal(merkle_level_arity(&shape, 8), 8);
    assert_int_equal(merkle_level_arity(&shape, 9), 8);
    assert_int_equal(merkle_level_arity(&shape, 10), 2);
    shape = merkle_shape_of(MERKLE_POSEIDON, 8, 2, 0, UINT64_C(1) << 25); /* 1 GiB */
    assert_int_equal(merkle_levels(&shape), 9);
    assert_int_equal(merkle_level_arity(&shape, 8), 2);
    shape = merkle_shape_of(MERKLE_SHA256, 2, 0, 0, UINT64_C(1) << 30); /* tree D of 32 GiB */
    assert_int_equal(merkle_levels(&shape), 30);
    assert_int_equal(merkle_path_siblings(&shape), 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openings_of_all_shapes),
        cmocka_unit_test(false_claims_break_the_circuit),
        cmocka_unit_test(falsified_variables_break_the_circuit),
        cmocka_unit_test(nodes_in_circuits),
        cmocka_unit_test(sha256_nodes_equal_the_vectors),
        cmocka_unit_test(shapes_of_the_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
