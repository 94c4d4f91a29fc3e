/* Rows encoded for the device and expanded there, against compact_rows. */
#include "cuda_fixture.h"

#include "cuda/row_encoder.h"
#include "cuda/rows.h"
#include "hash_circuit.h"
#include "support/small_circuits.h"

static void check_rows(const circuit *c, size_t *bytes_per_wide_row) {
    cuzk_error error = {0};
    circuit_shape shape;
    compact_assignment witness;
    circuit_shape_create(&shape, c);
    ASSERT_OK(compact_assignment_create(&witness, &shape, c, &error));
    size_t rows = (size_t)1 << shape.domain_log_size;
    thread_pool *pool = thread_pool_create(2);
    row_encoding encoding;
    ASSERT_OK(row_encoding_create(&encoding, &witness, pool, NULL, &error));
    thread_pool_destroy(pool);
    if (bytes_per_wide_row)
        *bytes_per_wide_row = encoding.wide_count ? 1 + encoding.number_count * sizeof(fr) / encoding.wide_count : 0;

    cuda_fixture f = cuda_fixture_open(0);
    encoded_rows encoded = {encoding.codes,      encoding.code_words, encoding.wide,
                            encoding.wide_count, encoding.numbers,    encoding.number_count};
    device_rows *on_device;
    ASSERT_OK(device_rows_create(&on_device, f.stream, &encoded, &error));
    fr *expected[3], *back = malloc(rows * sizeof *back);
    for (int side = 0; side < 3; side++)
        expected[side] = malloc(rows * sizeof(fr));
    row_scratch *scratch = row_scratch_create(&shape);
    compact_rows(&witness, 0, rows, expected[0], expected[1], expected[2], scratch);
    row_scratch_free(scratch);
    void *values = device_room(&f, rows * sizeof *back);
    for (int side = 0; side < 3; side++) {
        ASSERT_OK(device_rows_expand(on_device, f.stream, (rows_side)side, values, rows, &error));
        bring_back(&f, back, values, rows * sizeof *back);
        assert_memory_equal(back, expected[side], rows * sizeof *back);
        free(expected[side]);
    }
    free(back);
    device_rows_destroy(on_device);
    cuda_fixture_close(&f);
    row_encoding_free(&encoding);
    compact_assignment_free(&witness);
    circuit_shape_free(&shape);
}

static void small_ones(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        check_rows(&circuits[i].base, NULL);
    for (uint64_t seed = 1; seed < 6; seed++) {
        small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 40 * seed * seed);
        random.seed = seed;
        check_rows(&random.base, NULL);
    }
}

/* A long chain of products: each row's A is the C of the one before. */
static void chains(void **state) {
    (void)state;
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 300);
    check_rows(&squarings.base, NULL);
}

/* 27 000 rows of SHA-256 and 1000 of Poseidon. Of four wide rows of Poseidon's one number is left. */
static void hashes(void **state) {
    (void)state;
    hash_circuit poseidon = {.poseidons = 2}, both = {.poseidons = 2, .compressions = 1};
    body_circuit c = body_circuit_of(synthesize_hashes, &poseidon);
    size_t bytes;
    check_rows(&c.circuit, &bytes);
    assert_in_range(bytes, 8, 10);
    c = body_circuit_of(synthesize_hashes, &both);
    check_rows(&c.circuit, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones),
        cmocka_unit_test(chains),
        cmocka_unit_test(hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
