/* Sealing against the sectors that the reference implementation sealed, byte for byte, and its parts against simple twins. */
#include "filecoin/labels.h"
#include "filecoin/piece.h"
#include "filecoin/sector_files.h"
#include "sealing_fixtures.h"
#include "pool_fixture.h"

static unsigned bit_of(const uint8_t *bytes, size_t bit) { return bytes[bit / 8] >> bit % 8 & 1; }

static void test_fr32_inserts_two_zero_bits_every_254(void **state) {
    (void)state;
    enum { BLOCKS = 3, LENGTH = 127 * BLOCKS - 50 }; /* the last block is short */
    test_random random = {7};
    uint8_t data[127 * BLOCKS] = {0}, padded[128 * BLOCKS];
    test_random_bytes(&random, data, LENGTH);
    fr32_pad(padded, data, LENGTH);
    for (size_t bit = 0; bit < sizeof padded * 8; bit++) {
        size_t element = bit / 256, position = bit % 256;
        unsigned expected = position < 254 ? bit_of(data, element * 254 + position) : 0;
        assert_int_equal(bit_of(padded, bit), expected);
    }
}

static void test_xorshift_draws_what_the_reference_drew(void **state) {
    (void)state;
    reference_sector references[2];
    xorshift generator;
    uint8_t randomness[32], new_data[SMALL_PIECE];
    post_references(references, &generator);
    assert_equals_file(references[0].data, SMALL_PIECE, "sectors/s0/piece.data");
    assert_equals_file(references[1].data, SMALL_PIECE, "sectors/s1/piece.data");
    xorshift_element(&generator, randomness);
    xorshift_bytes(&generator, new_data, sizeof new_data);
    assert_equals_file(new_data, sizeof new_data, "sectors/s0/new-piece.data");
    reference_sector porep = porep_reference(5);
    assert_equals_file(porep.data, SMALL_PIECE, "sectors/porep-V1_1/piece.data");
}

static void test_xorshift_ends_with_a_part_of_a_word(void **state) {
    (void)state;
    for (size_t count = 0; count < 20; count++) {
        xorshift one = xorshift_seeded(9), other = xorshift_seeded(9);
        uint8_t part[20] = {0}, whole[24];
        xorshift_bytes(&one, part, count);
        xorshift_bytes(&other, whole, sizeof whole);
        assert_memory_equal(part, whole, count);
        for (size_t i = count; i < sizeof part; i++)
            assert_int_equal(part[i], 0);
    }
}

static void test_piece_that_fills_a_sector_has_its_comm_d(void **state) {
    (void)state;
    cuzk_error error = {0};
    reference_sector reference = porep_reference(5);
    const sector_shape *shape = reference.proof->shape;
    uint8_t padded[SMALL_SECTOR], comm_d[32];
    fr32_pad(padded, reference.data, SMALL_PIECE);
    piece_info whole, parts[4];
    ASSERT_OK(piece_commitment(&whole, padded, sizeof padded, pool, &error));
    size_t size;
    uint8_t *tree = read_test_file(data_path("sectors/porep-V1_1/cache/sc-02-data-tree-d.dat"), &size);
    assert_memory_equal(whole.commitment, tree + size - 32, 32);
    free(tree);
    ASSERT_OK(sector_data_commitment(comm_d, shape, &whole, 1, &error));
    assert_memory_equal(comm_d, whole.commitment, 32);

    static const size_t sizes[4] = {512, 512, 1024 - 128, 128};
    size_t at = 0;
    for (size_t i = 0; i < 4; i++) { /* two pieces of 512 and one of 1024 are the whole as well */
        size_t bytes = i == 2 ? 1024 : sizes[i];
        if (i < 3)
            ASSERT_OK(piece_commitment(&parts[i], padded + at, bytes, pool, &error));
        at += bytes;
    }
    ASSERT_OK(sector_data_commitment(comm_d, shape, parts, 3, &error));
    assert_memory_equal(comm_d, whole.commitment, 32);
}

static void test_pieces_are_aligned_and_zeros_fill_the_rest(void **state) {
    (void)state;
    cuzk_error error = {0};
    const sector_shape *shape = sector_shape_of_size(SMALL_SECTOR);
    uint8_t padded[SMALL_SECTOR] = {0}, comm_d[32];
    test_random random = {3};
    piece_info pieces[3], whole;
    static const struct { size_t at, bytes; } places[3] = {{0, 128}, {256, 256}, {1024, 128}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < places[i].bytes; j += 32) {
            test_random_bytes(&random, padded + places[i].at + j, 32);
            padded[places[i].at + j + 31] &= 0x3f;
        }
        ASSERT_OK(piece_commitment(&pieces[i], padded + places[i].at, places[i].bytes, pool, &error));
    }
    /* The third piece would follow at 512: one of 512 zero bytes moves it to 1024. */
    piece_info four[4] = {pieces[0], pieces[1], {.bytes = 512}, pieces[2]};
    static const uint8_t zeros[512];
    ASSERT_OK(piece_commitment(&four[2], zeros, sizeof zeros, pool, &error));
    ASSERT_OK(piece_commitment(&whole, padded, sizeof padded, pool, &error));
    ASSERT_OK(sector_data_commitment(comm_d, shape, four, 4, &error));
    assert_memory_equal(comm_d, whole.commitment, 32);

    uint8_t expected[32];
    zero_comm_d(expected, shape);
    ASSERT_OK(sector_data_commitment(comm_d, shape, NULL, 0, &error));
    assert_memory_equal(comm_d, expected, 32);
}

static void test_pieces_that_do_not_fit_are_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    const sector_shape *shape = sector_shape_of_size(SMALL_SECTOR);
    uint8_t comm_d[32];
    const piece_info odd = {.bytes = 384}, large = {.bytes = 4096}, small = {.bytes = 64};
    const piece_info full[2] = {{.bytes = 128}, {.bytes = 2048}};
    assert_int_equal(sector_data_commitment(comm_d, shape, &odd, 1, &error), CUZK_BAD_INPUT);
    assert_int_equal(sector_data_commitment(comm_d, shape, &large, 1, &error), CUZK_BAD_INPUT);
    assert_int_equal(sector_data_commitment(comm_d, shape, &small, 1, &error), CUZK_BAD_INPUT);
    assert_int_equal(sector_data_commitment(comm_d, shape, full, 2, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "piece 1: its 2048 bytes, behind 128 others, do not fit a sector of 2KiB");
}

/* Each label as labeling_proof.rs has it, from whole layers. */
static void test_labels_equal_simple_twin(void **state) {
    (void)state;
    cuzk_error error = {0};
    const sector_shape *shape = sector_shape_parse("32KiB");
    stacked_graph graph;
    uint8_t porep_id[32] = {9}, replica_id[32] = {1, 2, 3};
    stacked_graph_init(&graph, shape, porep_id, API_V1_1);
    uint8_t *layers[2] = {malloc(shape->bytes), malloc(shape->bytes)};
    ASSERT_OK(generate_labels(layers, shape, &graph, replica_id, pool, NULL, &error));
    for (unsigned layer = 0; layer < 2; layer++) {
        for (uint32_t node = 1; node < sector_nodes(shape); node++) {
            uint32_t drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
            uint8_t parents[LABEL_PARENTS][32], label[32];
            stacked_graph_drg_parents(&graph, node, drg);
            stacked_graph_expander_parents(&graph, node, expander);
            for (unsigned i = 0; i < LABEL_PARENTS; i++) {
                unsigned parent = i % (layer == 0 ? 6 : 14);
                memcpy(parents[i], parent < 6 ? layers[layer] + 32 * drg[parent] : layers[layer - 1] + 32 * expander[parent - 6],
                       32);
            }
            compute_label(label, replica_id, layer + 1, node, (const uint8_t(*)[32])parents);
            assert_memory_equal(label, layers[layer] + 32 * node, 32);
        }
    }
    free(layers[0]);
    free(layers[1]);
}

static void test_cancelled_sealing_stops(void **state) {
    (void)state;
    cuzk_error error = {0};
    progress job;
    progress_init(&job, NULL);
    progress_cancel(&job);
    reference_sector reference = porep_reference(5);
    const seal_parameters parameters = {.shape = reference.proof->shape, .api = reference.proof->api};
    sealed_sector sector;
    assert_int_equal(seal_sector(&sector, &parameters, reference.data, pool, &job, &error), CUZK_CANCELLED);
    sealed_sector_free(&sector);
}

static void test_large_sectors_are_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    const seal_parameters parameters = {.shape = sector_shape_parse("32GiB")};
    sealed_sector sector;
    assert_int_equal(seal_sector(&sector, &parameters, NULL, pool, NULL, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "a sector of 32GiB cannot be sealed here (1GiB at most); take a sparse sector");
    sealed_sector_free(&sector);
}

static void check_sealed_sector(const char *name, const reference_sector *reference, const char *recorded_cache) {
    sealed_sector sector;
    seal_reference(&sector, reference, pool);
    assert_equals_sector_file(&sector.replica, name, "sealed");
    assert_equals_sector_file(&sector.layers[0], name, "cache/sc-02-data-layer-1.dat");
    assert_equals_sector_file(&sector.layers[1], name, "cache/sc-02-data-layer-2.dat");
    assert_equals_sector_file(&sector.data_tree, name, "cache/sc-02-data-tree-d.dat");
    assert_equals_sector_file(&sector.column_tree, name, "cache/sc-02-data-tree-c.dat");
    assert_equals_sector_file(&sector.replica_rows, name, "cache/sc-02-data-tree-r-last.dat");

    char file[200];
    uint8_t persistent_aux[64];
    memcpy(persistent_aux, sector.comm_c, 32);
    memcpy(persistent_aux + 32, sector.comm_r_last, 32);
    snprintf(file, sizeof file, "sectors/%s/cache/p_aux", name);
    assert_equals_file(persistent_aux, sizeof persistent_aux, file);
    byte_buffer temporary_aux = {0};
    encode_temporary_aux(&temporary_aux, sector.shape, recorded_cache);
    snprintf(file, sizeof file, "sectors/%s/cache/t_aux", name);
    assert_equals_file(temporary_aux.bytes, temporary_aux.count, file);
    byte_buffer_free(&temporary_aux);
    sealed_sector_free(&sector);
}

static void test_sealed_sectors_equal_reference(void **state) {
    (void)state;
    reference_sector references[2], v1 = porep_reference(0), v1_1 = porep_reference(5);
    xorshift generator;
    post_references(references, &generator);
    check_sealed_sector("porep-V1", &v1, "pw/porep-StackedDrg2KiBV1/cache");
    check_sealed_sector("porep-V1_1", &v1_1, "pw/porep-StackedDrg2KiBV1_1/cache");
    check_sealed_sector("s0", &references[0], "pw/post/s0/cache");
    check_sealed_sector("s1", &references[1], "pw/post/s1/cache");
}

static void test_updated_sector_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    reference_sector references[2];
    xorshift generator;
    post_references(references, &generator);
    sealed_sector sealed;
    stored_sector stored;
    sector_view view;
    updated_sector updated;
    seal_reference(&sealed, &references[0], pool);
    ASSERT_OK(sealed_sector_view(&view, &stored, &sealed, &error));
    size_t size;
    uint8_t *new_data = read_test_file(data_path("sectors/s0/new-piece.data"), &size);
    ASSERT_OK(update_sector(&updated, &view, new_data, pool, NULL, &error));
    free(new_data);
    assert_equals_sector_file(&updated.replica, "s0", "new-sealed");
    assert_equals_sector_file(&updated.data_tree, "s0", "new-cache/sc-02-data-tree-d.dat");
    assert_equals_sector_file(&updated.replica_rows, "s0", "new-cache/sc-02-data-tree-r-last.dat");
    uint8_t persistent_aux[64];
    memcpy(persistent_aux, updated.comm_c, 32);
    memcpy(persistent_aux + 32, updated.comm_r_last, 32);
    assert_equals_file(persistent_aux, sizeof persistent_aux, "sectors/s0/new-cache/p_aux");
    updated_sector_free(&updated);
    sealed_sector_free(&sealed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr32_inserts_two_zero_bits_every_254),
        cmocka_unit_test(test_xorshift_draws_what_the_reference_drew),
        cmocka_unit_test(test_xorshift_ends_with_a_part_of_a_word),
        cmocka_unit_test(test_piece_that_fills_a_sector_has_its_comm_d),
        cmocka_unit_test(test_pieces_are_aligned_and_zeros_fill_the_rest),
        cmocka_unit_test(test_pieces_that_do_not_fit_are_refused),
        cmocka_unit_test(test_labels_equal_simple_twin),
        cmocka_unit_test(test_cancelled_sealing_stops),
        cmocka_unit_test(test_large_sectors_are_refused),
        cmocka_unit_test(test_sealed_sectors_equal_reference),
        cmocka_unit_test(test_updated_sector_equals_reference),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
