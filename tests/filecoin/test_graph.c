#include "filecoin/vectors.h"

#include "filecoin/graph.h"

static api_version parse_version(const char *text) {
    return strcmp(text, "1.0.0") == 0 ? API_V1_0 : strcmp(text, "1.1.0") == 0 ? API_V1_1 : API_V1_2;
}

/* One set of vectors: the object's members come in the order api_version, parents, porep_id, sector_size, so parents are
 * kept until the graph is known. */
static void check_graph(json_reader *reader) {
    enum { MAX_NODES = 32 };
    struct {
        uint64_t node, drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
    } expected[MAX_NODES];
    unsigned count = 0;
    char version[8] = "";
    uint8_t porep_id[32];
    const sector_shape *shape = NULL;
    const char *key;
    vectors_object(reader);
    while ((key = vectors_key(reader)) != NULL) {
        if (strcmp(key, "api_version") == 0) {
            vectors_text(reader, version, sizeof version);
        } else if (strcmp(key, "porep_id") == 0) {
            vectors_hex(reader, porep_id);
        } else if (strcmp(key, "sector_size") == 0) {
            shape = sector_shape_of_size(vectors_unsigned(reader));
        } else {
            vectors_array(reader);
            for (; vectors_more(reader); count++) {
                assert_true(count < MAX_NODES);
                vectors_object(reader);
                while ((key = vectors_key(reader)) != NULL) {
                    if (strcmp(key, "node") == 0)
                        expected[count].node = vectors_unsigned(reader);
                    else if (strcmp(key, "drg") == 0)
                        assert_int_equal(vectors_integers(reader, expected[count].drg, DRG_DEGREE), DRG_DEGREE);
                    else
                        assert_int_equal(vectors_integers(reader, expected[count].expander, EXPANDER_DEGREE), EXPANDER_DEGREE);
                }
            }
        }
    }
    assert_non_null(shape);
    assert_true(count > 0);
    stacked_graph graph;
    stacked_graph_init(&graph, shape, porep_id, parse_version(version));
    for (unsigned i = 0; i < count; i++) {
        uint32_t drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
        stacked_graph_drg_parents(&graph, (uint32_t)expected[i].node, drg);
        stacked_graph_expander_parents(&graph, (uint32_t)expected[i].node, expander);
        for (unsigned j = 0; j < DRG_DEGREE; j++)
            assert_int_equal(drg[j], expected[i].drg[j]);
        for (unsigned j = 0; j < EXPANDER_DEGREE; j++)
            assert_int_equal(expander[j], expected[i].expander[j]);
    }
}

static void parents_are_the_references(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("vectors/graph_parents.json"));
    unsigned count = 0;
    vectors_array(file.reader);
    for (; vectors_more(file.reader); count++)
        check_graph(file.reader);
    assert_int_equal(count, 15);
    vectors_close(&file);
}

static void parents_are_earlier_nodes_and_the_expander_is_a_permutation(void **state) {
    (void)state;
    uint8_t porep_id[32] = {9};
    for (size_t size = 0; size < 4; size++) { /* 2 KiB to 32 KiB: odd and even numbers of bits */
        stacked_graph graph;
        stacked_graph_init(&graph, &SECTOR_SHAPES[size], porep_id, API_V1_1);
        unsigned *children = calloc(graph.nodes, sizeof *children);
        for (uint32_t node = 0; node < graph.nodes; node++) {
            uint32_t drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
            stacked_graph_drg_parents(&graph, node, drg);
            stacked_graph_expander_parents(&graph, node, expander);
            for (unsigned j = 0; j < DRG_DEGREE; j++)
                assert_true(drg[j] < node || node == 0);
            for (unsigned j = 0; j < EXPANDER_DEGREE; j++)
                children[expander[j]]++;
        }
        for (uint32_t node = 0; node < graph.nodes; node++)
            assert_int_equal(children[node], EXPANDER_DEGREE);
        free(children);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_the_references),
        cmocka_unit_test(parents_are_earlier_nodes_and_the_expander_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
