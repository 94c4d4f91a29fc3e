#include "filecoin/vectors.h"

#include <stdio.h>

#include "base/base64.h"
#include "filecoin/c1.h"
#include "filecoin/hashes.h"
#include "gadgets/poseidon.h"
#include "job_fixtures.h"

/* --- What was read is a proof --- */

static void check_path(const merkle_shape *tree, const merkle_path *path, const fr *leaf) {
    fr root;
    merkle_opening opening = merkle_path_opening(path);
    assert_true(fr_equal(&path->leaf, leaf));
    merkle_root(&root, tree, &opening, &path->leaf);
    assert_true(fr_equal(&root, &path->root));
}

static void check_column(const sector_shape *shape, const merkle_shape *tree, const column_proof *column) {
    fr hash;
    poseidon_hash(&hash, POSEIDON_MERKLE_TREE, column->rows, shape->layers);
    check_path(tree, &column->path, &hash);
    assert_int_equal(column->path.index, column->node);
}

static void check_label(const uint8_t replica_id[32], const labeling_proof *proof, const fr *expected) {
    uint8_t parents[LABEL_PARENTS][32], label[32];
    fr value;
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        fr_to_bytes(parents[i], &proof->parents[i]);
    compute_label(label, replica_id, proof->layer, proof->node, (const uint8_t(*)[32])parents);
    assert_true(fr_from_bytes(&value, label));
    assert_true(fr_equal(&value, expected));
}

static void check_challenge(const c1_output *c1, const porep_challenge_proof *proof) {
    const sector_shape *shape = c1->proof->shape;
    merkle_shape data_tree = data_tree_shape(shape), replica_tree = replica_tree_shape(shape);
    const fr *key = &proof->column.rows[shape->layers - 1];
    fr encoded;
    fr_add(&encoded, &proof->data_path.leaf, key);
    check_path(&data_tree, &proof->data_path, &proof->data_path.leaf);
    check_path(&replica_tree, &proof->replica_path, &encoded);
    check_column(shape, &replica_tree, &proof->column);
    for (unsigned i = 0; i < DRG_DEGREE; i++)
        check_column(shape, &replica_tree, &proof->drg_parents[i]);
    for (unsigned i = 0; i < EXPANDER_DEGREE; i++)
        check_column(shape, &replica_tree, &proof->expander_parents[i]);
    for (unsigned layer = 1; layer <= shape->layers; layer++) {
        const labeling_proof *label = &proof->labels[layer - 1];
        unsigned distinct = layer == 1 ? DRG_DEGREE : DRG_DEGREE + EXPANDER_DEGREE;
        assert_int_equal(label->layer, layer);
        check_label(c1->statement.replica_id, label, &proof->column.rows[layer - 1]);
        for (unsigned i = 0; i < LABEL_PARENTS; i++) {
            unsigned parent = i % distinct;
            const fr *expected = parent < DRG_DEGREE ? &proof->drg_parents[parent].rows[layer - 1]
                                                     : &proof->expander_parents[parent - DRG_DEGREE].rows[layer - 2];
            assert_true(fr_equal(&label->parents[i], expected));
        }
    }
    check_label(c1->statement.replica_id, &proof->encoding, key);
}

/* Of many partitions the first and the last. */
static void check_proofs(const c1_output *c1) {
    uint8_t comm_r[32];
    fr preimage[2] = {c1->comm_c, c1->comm_r_last}, hash;
    poseidon_hash(&hash, POSEIDON_MERKLE_TREE, preimage, 2);
    fr_to_bytes(comm_r, &hash);
    assert_memory_equal(comm_r, c1->statement.comm_r, 32);
    assert_int_equal(c1->partition_count, registered_proof_partitions(c1->proof));
    unsigned last = c1->partition_count - 1;
    for (unsigned i = 0; i <= last; i += last > 0 ? last : 1)
        for (unsigned j = 0; j < c1->proof->shape->porep_challenges; j++)
            check_challenge(c1, &c1->partitions[i]->challenges[j]);
}

static void check_file(const char *path, unsigned proof_number, uint64_t sector_number) {
    cuzk_error error = {0};
    c1_output c1;
    ASSERT_OK(c1_load(&c1, path, &error));
    assert_ptr_equal(c1.proof, registered_proof_find(PROOF_POREP, proof_number));
    assert_true(c1.has_sector_number);
    assert_int_equal(c1.sector_number, sector_number);
    check_proofs(&c1);
    c1_free(&c1);
}

static void small_outputs_are_read(void **state) {
    (void)state;
    check_file(data_path("jobs/porep-StackedDrg2KiBV1/c1.json"), 0, 11);
    check_file(data_path("jobs/porep-StackedDrg2KiBV1_1/c1.json"), 5, 16);
    check_file(data_path("jobs/porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep/c1.json"), 10, 21);
}

static void thirteen_partitions_and_larger_trees_are_read(void **state) {
    (void)state;
    if (shared_path("jobs/sparse-512MiB/c1.json") == NULL)
        skip();
    check_file(shared_path("jobs/porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep/c1.json"), 15, 26);
    check_file(shared_path("jobs/sparse-8MiB/c1.json"), 6, 77);
    check_file(shared_path("jobs/sparse-512MiB/c1.json"), 7, 77);
}

/* The output of a command, which must succeed. */
static uint8_t *read_command(const char *command, size_t *size) {
    size_t capacity = 64 << 20;
    uint8_t *bytes = malloc(capacity);
    FILE *pipe = popen(command, "r");
    assert_true(bytes != NULL && pipe != NULL);
    *size = fread(bytes, 1, capacity, pipe);
    assert_true(*size < capacity);
    assert_int_equal(pclose(pipe), 0);
    return bytes;
}

static void compound_trees_are_read(void **state) {
    (void)state;
    const char *const names[] = {"jobs/sparse-32GiB/c1.json.xz", "jobs/sparse-64GiB/c1.json.xz"};
    for (unsigned i = 0; i < 2; i++) {
        const char *path = shared_path(names[i]);
        if (path == NULL || system("command -v xz > /dev/null") != 0)
            skip();
        char command[5000];
        size_t size;
        cuzk_error error = {0};
        c1_output c1;
        snprintf(command, sizeof command, "xz -dc '%s'", path);
        uint8_t *text = read_command(command, &size);
        ASSERT_OK(c1_parse(&c1, text, size, &error));
        free(text);
        assert_int_equal(c1.proof->number, 8 + i);
        check_proofs(&c1);
        c1_free(&c1);
    }
}

/* --- Variations of a valid output --- */

static const char SMALL[] = "jobs/porep-StackedDrg2KiBV1_1/c1.json";

/* The JSON inside the envelope, with a NUL. */
static char *read_inner(void) {
    uint8_t *envelope = read_test_file(data_path(SMALL), NULL);
    char *text = strstr((char *)envelope, "\"Phase1Out\":\"");
    assert_non_null(text);
    text += strlen("\"Phase1Out\":\"");
    size_t length = strcspn(text, "\""), count, bad;
    uint8_t *inner = malloc(base64_capacity(length) + 1);
    assert_true(base64_decode(inner, &count, text, length, &bad));
    inner[count] = '\0';
    free(envelope);
    return (char *)inner;
}

static void expect_error(const char *text, const char *message) {
    cuzk_error error = {0};
    c1_output c1;
    assert_int_equal(c1_parse(&c1, (const uint8_t *)text, strlen(text), &error), CUZK_BAD_INPUT);
    if (strstr(error.message, message) == NULL)
        fail_msg("found the error: %s\nexpected in it: %s", error.message, message);
    assert_null(c1.partitions);
}

static void the_inner_document_stands_by_itself(void **state) {
    (void)state;
    cuzk_error error = {0};
    char *text = read_inner();
    c1_output bare, wrapped;
    ASSERT_OK(c1_parse(&bare, (const uint8_t *)text, strlen(text), &error));
    ASSERT_OK(c1_load(&wrapped, data_path(SMALL), &error));
    assert_false(bare.has_sector_number);
    assert_memory_equal(&bare.statement, &wrapped.statement, sizeof bare.statement);
    assert_memory_equal(bare.ticket, wrapped.ticket, 32);
    check_proofs(&bare);
    c1_free(&bare);
    c1_free(&wrapped);
    free(text);
}

static void members_may_come_in_any_order(void **state) {
    (void)state;
    char *text = read_inner();
    const char first[] = "\"registered_proof\":\"StackedDrg2KiBV1_1\",";
    char *without = replace(text, first, "");
    char *reordered = replace(without, "\"comm_r\":",
                              "\"unknown\":{\"a\":[1,-2.5e3,null]},\"registered_proof\":\"StackedDrg2KiBV1_1\",\"comm_r\":");
    cuzk_error error = {0};
    c1_output c1;
    ASSERT_OK(c1_parse(&c1, (const uint8_t *)reordered, strlen(reordered), &error));
    check_proofs(&c1);
    c1_free(&c1);
    free(text);
    free(without);
    free(reordered);
}

static void contradictions_are_named(void **state) {
    (void)state;
    static const struct {
        const char *old, *new, *message;
    } cases[] = {
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV1\"",
         "[0][0].replica_column_proofs.drg_parents[1]: found node 45, expected 5, which registered_proof"},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg8MiBV1_1\"",
         "StackedDrg2KiBV1: found vanilla proofs of 2KiB, expected 8MiB as registered_proof is StackedDrg8MiBV1_1"},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV1_2_Feat_NonInteractivePoRep\"",
         "vanilla_proofs.StackedDrg2KiBV1: found 1 partitions, expected 13"},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrgWindow2KiBV1\"",
         "registered_proof: found \"StackedDrgWindow2KiBV1\", expected the name"},
        {"\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV1_2_Feat_NiPoRep\"",
         "registered_proof: found \"StackedDrg2KiBV1_2_Feat_NiPoRep\""},
        {"\"StackedDrg2KiBV1_1\"", "5", "registered_proof: found 5, expected a string"},
        {"{\"StackedDrg2KiBV1\":", "{\"StackedDrg8MiBV1\":",
         "vanilla_proofs.StackedDrg8MiBV1: found vanilla proofs of 8MiB, expected 2KiB"},
        {"{\"StackedDrg2KiBV1\":", "{\"StackedDrg2KiBV1_1\":",
         "vanilla_proofs.StackedDrg2KiBV1_1: found this field, expected one"},
        {"{\"StackedDrg2KiBV1\":", "{\"StackedDrg2KiBV1\":[],\"StackedDrg2KiBV1\":",
         "vanilla_proofs.StackedDrg2KiBV1: found this field"},
        {"{\"StackedDrg2KiBV1\":[", "{\"StackedDrg2KiBV1\":[[],",
         "vanilla_proofs.StackedDrg2KiBV1[0]: found 0 elements, expected 2"},
        {"]]},\"comm_r\"", "],[]]},\"comm_r\"", "vanilla_proofs.StackedDrg2KiBV1[1]: found another partition, expected 1"},
        {"]]},\"comm_r\"", ",{}]]},\"comm_r\"",
         "vanilla_proofs.StackedDrg2KiBV1[0][2]: found another element, expected 2 in the array"},
        {"\"layer_index\":1", "\"layer_index\":2", "[0][0].labeling_proofs[0].layer_index: found layer 2, expected 1"},
        {"\"node\":58", "\"node\":57", "[0][0]: found a labeling proof of node 57, expected node 58"},
        {"\"column\":{\"index\":58", "\"column\":{\"index\":57",
         "replica_column_proofs.c_x: found a path of node 58, expected one of the column's node 57"},
        {"\"column\":{\"index\":58", "\"column\":{\"index\":64", "c_x.column.index: found 64, expected an integer from 0 to 63"},
        {"\"index\":2}", "\"index\":8}",
         "comm_r_last_proof.data.Single.path.path[0].index: found 8, expected an integer from 0 to 7"},
        {"\"index\":2}", "\"index\":3}", "[0][0]: found a comm_r_last_proof of node 59, expected node 58"},
        {"\"Single\"", "\"Sub\"", "comm_d_proofs.data.Sub: found a field that is not known here"},
        {"{\"data\":{\"Single\":", "{\"data\":{\"Single\":[],\"Single\":",
         "comm_d_proofs.data.Single: found an array, expected an object"},
        {"\"hashes\":[", "\"hashes\":[[],", "comm_d_proofs.data.Single.path.path[0].hashes[0]: found 0 bytes, expected 32"},
        {"\"hashes\":[[", "\"hashes\":[[256,", "path[0].hashes[0][0]: found 256, expected an integer from 0 to 255"},
        {"\"hashes\":[[", "\"hashes\":[[1,", "path[0].hashes[0]: found 33 bytes, expected 32"},
        {"\"hashes\":[[", "\"hashes\":[[-1,", "path[0].hashes[0][0]: found -1, expected an integer from 0 to 255"},
        {"\"hashes\":[[", "\"hashes\":[[NaN,", "not JSON: lexical error"},
        {"\"hashes\":[[", "\"hashes\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "found an array, expected an integer from 0 to 255"},
        {"\"root\":[203,", "\"root\":[204,", "[0][1]: found a root of tree D that differs from the first challenge's"},
        {"\"comm_r\":[52,", "\"comm_r\":[52,52,", "comm_r: found 33 bytes, expected 32"},
        {"\"comm_d\":[203,71", "\"comm_d\":[203,72", "comm_d: found a value that differs"},
        {"\"seed\":[105,", "\"seed\":[106,", "vanilla_proofs.StackedDrg2KiBV1[0][0]: found node 58, expected "},
        {"\"replica_id\":[8,", "\"replica_id\":[9,", "which registered_proof, replica_id and seed give"},
        {"89,44,230,129,80,19,93,87,188,225,42,199,133,98,161,58,129,103,110,58,124,201,171,71,245,49,120,6,174,255,27]",
         "255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,"
         "255,255]",
         "replica_id: found a value that is not below the field's order"},
        {"\"ticket\"", "\"seed\"", "seed: found the field twice"},
        {"\"ticket\"", "\"tickets\"", "found no \"ticket\" in the object"},
        {"\"labeling_proofs\"", "\"labelling_proofs\"", "[0][0]: found no \"labeling_proofs\" in the object"},
        {"\"_h\":null", "\"_h\":tru", "not JSON: "},
    };
    char *text = read_inner();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *changed = replace(text, cases[i].old, cases[i].new);
        expect_error(changed, cases[i].message);
        free(changed);
    }
    free(text);
}

static void documents_of_other_forms_are_refused(void **state) {
    (void)state;
    expect_error("", "not JSON: parse error: premature EOF (byte 0)");
    expect_error("[]", "found an array, expected an object (byte 0)");
    expect_error("{}", "found neither \"Phase1Out\" nor \"registered_proof\" in the object");
    expect_error("{\"a\":1}", "found neither");
    expect_error("{\"Phase1Out\":\"\"}", "not JSON: parse error: premature EOF (byte 0 of the decoded Phase1Out)");
    expect_error("{\"Phase1Out\":\"e30=\"}", "found no \"registered_proof\" in the object (byte 1 of the decoded Phase1Out)");
    expect_error("{\"Phase1Out\":\"e30\"}", "Phase1Out: found 3 characters of base64, expected a multiple of 4");
    expect_error("{\"Phase1Out\":\"e3 0\"}", "Phase1Out: found character 0x20 at position 2, expected base64");
    expect_error("{\"Phase1Out\":[]}", "Phase1Out: found an array, expected a string");
    expect_error("{\"SectorNum\":-1}", "SectorNum: found -1, expected an integer from 0 to 18446744073709551615");
    expect_error("{\"registered_proof\":\"StackedDrg2KiBV1\",\"vanilla_proofs\":{}}", "vanilla_proofs: found no vanilla proofs");
    expect_error("{\"registered_proof\":\"StackedDrg2KiBV1\"}", "found no \"vanilla_proofs\" in the object");
}

static void envelopes_are_checked(void **state) {
    (void)state;
    char *text = (char *)read_test_file(data_path(SMALL), NULL);
    static const struct {
        const char *old, *new, *message;
    } cases[] = {
        {"\"SectorSize\":2048", "\"SectorSize\":2047",
         "SectorSize: found 2047, expected 2048 as registered_proof is StackedDrg2KiBV1_1"},
        {"\"SectorSize\":2048", "\"SectorSize\":0", "SectorSize: found 0, expected 2048"},
        {"\"SectorSize\":2048", "\"SectorSize\":99999999999999999999",
         "SectorSize: found 99999999999999999999, expected an integer"},
        {"\"SectorSize\":2048}", "\"SectorSize\":2048} x", "trailing garbage"},
        {"\"SectorNum\":16", "\"SectorNum\":1.5", "SectorNum: found 1.5, expected an integer"},
        {"\"SectorNum\":16,", "", "found no \"SectorNum\" in the object"},
        {"\"SectorNum\":16,", "\"SectorNum\":16,\"SectorNum\":16,", "SectorNum: found the field twice"},
        {"\"SectorNum\":16,", "\"SectorNum\":16,\"Phase1Out\":\"\",", "Phase1Out: found the field twice"},
        {"=\"", "\"", "Phase1Out: found 133979 characters of base64, expected a multiple of 4"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\"AAAA", "not JSON: lexical error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *changed = replace(text, cases[i].old, cases[i].new);
        expect_error(changed, cases[i].message);
        free(changed);
    }
    /* Escapes in base64 are unusual but legal. */
    char *escaped = replace(text, "\"eyJ", "\"\\u0065yJ");
    cuzk_error error = {0};
    c1_output c1;
    ASSERT_OK(c1_parse(&c1, (const uint8_t *)escaped, strlen(escaped), &error));
    c1_free(&c1);
    free(escaped);
    free(text);
}

/* Whatever comes in: an error with a message, or a proof; nothing lost. */
static bool parse_anything(const uint8_t *text, size_t size) {
    cuzk_error error = {0};
    c1_output c1;
    cuzk_status status = c1_parse(&c1, text, size, &error);
    if (status == CUZK_OK) {
        c1_free(&c1);
        return true;
    }
    assert_int_equal(status, CUZK_BAD_INPUT);
    assert_int_equal(error.status, CUZK_BAD_INPUT);
    assert_true(error.message[0] != '\0');
    return false;
}

static void truncated_outputs_are_refused(void **state) {
    (void)state;
    char *inner = read_inner();
    size_t size;
    uint8_t *envelope = read_test_file(data_path(SMALL), &size);
    for (size_t length = 0; length < strlen(inner); length += length < 300 ? 1 : 377)
        assert_false(parse_anything((const uint8_t *)inner, length));
    for (size_t length = 0; length < size; length += 977)
        assert_false(parse_anything(envelope, length));
    free(envelope);
    free(inner);
}

static void mutated_outputs_do_no_harm(void **state) {
    (void)state;
    static const char alphabet[] = "[]{}\",:0123456789-.eE\\ntfNaN/+=\x80\xff";
    test_random random = {11};
    char *inner = read_inner();
    size_t inner_size = strlen(inner), envelope_size;
    uint8_t *envelope = read_test_file(data_path(SMALL), &envelope_size);
    unsigned accepted = 0;
    for (unsigned run = 0; run < 1200; run++) {
        uint8_t *text = run % 4 == 0 ? envelope : (uint8_t *)inner;
        size_t size = run % 4 == 0 ? envelope_size : inner_size;
        uint8_t kept[3];
        size_t places[3];
        for (unsigned i = 0; i < 3; i++) {
            places[i] = test_random_u64(&random) % size;
            kept[i] = text[places[i]];
            if (i <= run % 3)
                text[places[i]] = run % 2 == 0 ? (uint8_t)alphabet[test_random_u64(&random) % (sizeof alphabet - 1)]
                                               : (uint8_t)(kept[i] ^ 1u << test_random_u64(&random) % 8);
        }
        accepted += parse_anything(text, size);
        for (unsigned i = 3; i-- > 0;)
            text[places[i]] = kept[i];
    }
    assert_true(accepted < 1200); /* a digit may become another digit */
    assert_true(parse_anything(envelope, envelope_size));
    free(envelope);
    free(inner);
}

static void files_are_named_in_errors(void **state) {
    (void)state;
    cuzk_error error = {0};
    c1_output c1;
    assert_int_equal(c1_load(&c1, data_path("jobs/none.json"), &error), CUZK_NOT_FOUND);
    assert_non_null(strstr(error.message, "jobs/none.json"));
    assert_int_equal(c1_load(&c1, data_path("vectors/snap.json"), &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "vectors/snap.json: found an array, expected an object"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_outputs_are_read),
        cmocka_unit_test(thirteen_partitions_and_larger_trees_are_read),
        cmocka_unit_test(compound_trees_are_read),
        cmocka_unit_test(the_inner_document_stands_by_itself),
        cmocka_unit_test(members_may_come_in_any_order),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(documents_of_other_forms_are_refused),
        cmocka_unit_test(envelopes_are_checked),
        cmocka_unit_test(truncated_outputs_are_refused),
        cmocka_unit_test(mutated_outputs_do_no_harm),
        cmocka_unit_test(files_are_named_in_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
