#include "filecoin/vectors.h"

#include <stdio.h>

#include "filecoin/registered_proof.h"
#include "filecoin/merkle_path.h"

static void cache_ids_are_those_of_the_parameter_cache(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("circuits/cache_ids.json"));
    unsigned matched = 0, seen = 0;
    const char *key;
    vectors_object(file.reader);
    while ((key = vectors_key(file.reader)) != NULL) {
        char name[64], expected[256], id[CACHE_ID_CAPACITY];
        snprintf(name, sizeof name, "%s", key);
        vectors_text(file.reader, expected, sizeof expected);
        char *size = strchr(name, '-');
        assert_non_null(size);
        *size++ = '\0';
        proof_kind kind;
        assert_true(proof_kind_from_word(&kind, name));
        const sector_shape *shape = sector_shape_parse(size);
        assert_non_null(shape);
        circuit_cache_id(id, kind, shape);
        assert_string_equal(id, expected);
        matched++;
        seen++;
    }
    vectors_close(&file);
    assert_int_equal(matched, seen);
    assert_int_equal(matched, 39); /* every kind and size but SnapDeals of 1 GiB, which the reference data leaves out */
}

static void proofs_are_found_by_number_and_name(void **state) {
    (void)state;
    const struct {
        proof_kind kind;
        unsigned number;
        const char *name, *actor_name, *size;
        api_version api;
        porep_feature feature;
        unsigned partitions;
    } expected[] = {
        {PROOF_POREP, 0, "StackedDrg2KiBV1", "StackedDrg2KiBV1", "2KiB", API_V1_0, POREP_INTERACTIVE, 1},
        {PROOF_POREP, 8, "StackedDrg32GiBV1_1", "StackedDrg32GiBV1_1", "32GiB", API_V1_1, POREP_INTERACTIVE, 10},
        {PROOF_POREP, 12, "StackedDrg512MiBV1_1_Feat_SyntheticPoRep", "StackedDrg512MiBV1_1_Feat_SyntheticPoRep", "512MiB",
         API_V1_2, POREP_SYNTHETIC, 1},
        {PROOF_POREP, 16, "StackedDrg8MiBV1_2_Feat_NonInteractivePoRep", "StackedDrg8MiBV1_2_Feat_NiPoRep", "8MiB", API_V1_2,
         POREP_NON_INTERACTIVE, 13},
        {PROOF_POREP, 19, "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", "StackedDrg64GiBV1_2_Feat_NiPoRep", "64GiB",
         API_V1_2, POREP_NON_INTERACTIVE, 126},
        {PROOF_WINNING, 3, "StackedDrgWinning32GiBV1", "StackedDrgWinning32GiBV1", "32GiB", API_V1_0, POREP_INTERACTIVE, 1},
        {PROOF_WINDOW, 5, "StackedDrgWindow2KiBV1", "StackedDrgWindow2KiBV1", "2KiB", API_V1_0, POREP_INTERACTIVE, 1},
        {PROOF_WINDOW, 14, "StackedDrgWindow64GiBV1_2", "StackedDrgWindow64GiBV1_1", "64GiB", API_V1_2, POREP_INTERACTIVE, 1},
        {PROOF_SNAP, 4, "StackedDrg64GiBV1", "StackedDrg64GiBV1", "64GiB", API_V1_1, POREP_INTERACTIVE, 16},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const registered_proof *proof = registered_proof_find(expected[i].kind, expected[i].number);
        assert_non_null(proof);
        assert_string_equal(proof->name, expected[i].name);
        assert_string_equal(proof->actor_name, expected[i].actor_name);
        assert_ptr_equal(proof->shape, sector_shape_parse(expected[i].size));
        assert_int_equal(proof->api, expected[i].api);
        assert_int_equal(proof->feature, expected[i].feature);
        assert_int_equal(registered_proof_partitions(proof), expected[i].partitions);
        assert_ptr_equal(registered_proof_by_name(expected[i].kind, expected[i].name), proof);
        assert_ptr_equal(registered_proof_by_name(expected[i].kind, expected[i].actor_name), proof);
    }
    assert_null(registered_proof_find(PROOF_POREP, 20));
    assert_null(registered_proof_find(PROOF_WINNING, 5));
    assert_null(registered_proof_find(PROOF_WINDOW, 4));
    assert_null(registered_proof_find(PROOF_WINDOW, 15));
    assert_null(registered_proof_find(PROOF_SNAP, UINT64_MAX));
    assert_null(registered_proof_by_name(PROOF_POREP, "StackedDrgWindow2KiBV1"));
}

static void the_table_has_each_proof_once(void **state) {
    (void)state;
    for (unsigned i = 0; i < REGISTERED_PROOF_COUNT; i++) {
        const registered_proof *proof = &REGISTERED_PROOFS[i];
        assert_ptr_equal(registered_proof_find(proof->kind, proof->number), proof);
        assert_ptr_equal(registered_proof_by_name(proof->kind, proof->name), proof);
        assert_non_null(strstr(proof->name, proof->shape->name));
        assert_true(proof->shape->published);
    }
}

static void porep_ids_are_the_number(void **state) {
    (void)state;
    uint8_t id[32], expected[32] = {19};
    registered_proof_porep_id(id, registered_proof_find(PROOF_POREP, 19));
    assert_memory_equal(id, expected, 32);
}

static void sizes_are_parsed(void **state) {
    (void)state;
    assert_int_equal(sector_shape_parse("2KiB")->bytes, 2048);
    assert_int_equal(sector_shape_parse("64gib")->bytes, UINT64_C(68719476736));
    assert_ptr_equal(sector_shape_parse("536870912"), sector_shape_parse("512MIB"));
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++) {
        assert_ptr_equal(sector_shape_of_size(SECTOR_SHAPES[i].bytes), &SECTOR_SHAPES[i]);
        assert_ptr_equal(sector_shape_parse(SECTOR_SHAPES[i].name), &SECTOR_SHAPES[i]);
        assert_int_equal(sector_nodes(&SECTOR_SHAPES[i]) * NODE_BYTES, SECTOR_SHAPES[i].bytes);
    }
    const char *const bad[] = {"", "2", "2 KiB", "2KB", "1KiB", "2KiBx", "2048x", "-2048", "+2048", "18446744073709553664", "0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(sector_shape_parse(bad[i]));
    assert_null(sector_shape_of_size(2047));
}

static void trees_cover_all_nodes(void **state) {
    (void)state;
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++) {
        merkle_shape data = data_tree_shape(&SECTOR_SHAPES[i]), replica = replica_tree_shape(&SECTOR_SHAPES[i]);
        assert_int_equal(merkle_index_bits(&data), SECTOR_SHAPES[i].node_bits);
        assert_int_equal(merkle_index_bits(&replica), SECTOR_SHAPES[i].node_bits);
    }
    merkle_shape top = replica_tree_shape(sector_shape_parse("64GiB"));
    assert_int_equal(merkle_levels(&top), 11);
    assert_int_equal(merkle_level_arity(&top, 8), 8);
    assert_int_equal(merkle_level_arity(&top, 10), 2);
}

static void kinds_have_names(void **state) {
    (void)state;
    for (unsigned i = 0; i < PROOF_KIND_COUNT; i++) {
        proof_kind kind;
        assert_true(proof_kind_from_word(&kind, proof_kind_word((proof_kind)i)));
        assert_int_equal(kind, i);
        assert_true(proof_kind_from_request_name(&kind, proof_kind_request_name((proof_kind)i)));
        assert_int_equal(kind, i);
    }
    proof_kind kind;
    assert_false(proof_kind_from_word(&kind, "post"));
    assert_false(proof_kind_from_request_name(&kind, "PROOF_KIND_UNSPECIFIED"));
    assert_string_equal(proof_kind_request_name(PROOF_WINDOW), "WINDOW_POST_PARTITION");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_ids_are_those_of_the_parameter_cache),
        cmocka_unit_test(proofs_are_found_by_number_and_name),
        cmocka_unit_test(the_table_has_each_proof_once),
        cmocka_unit_test(porep_ids_are_the_number),
        cmocka_unit_test(sizes_are_parsed),
        cmocka_unit_test(trees_cover_all_nodes),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
