/* Whole jobs from their options, against the reference's, byte for byte. */
#include "base/bytes.h"
#include "filecoin/generate.h"
#include "filecoin/job.h"
#include "sealing_fixtures.h"
#include "pool_fixture.h"

#include <openssl/sha.h>

static uint8_t *read_made(const char *directory, const char *name, size_t *size) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return read_test_file(path, size);
}

/* The reference's job.json has no newline at its end. */
static void assert_made_equals(const char *directory, const char *name, const char *expected) {
    size_t size;
    uint8_t *made = read_made(directory, name, &size);
    if (strcmp(name, "job.json") == 0)
        size--;
    assert_equals_file(made, size, expected);
    free(made);
}

static void assert_made_has_hash(const char *directory, const char *name, const char *expected) {
    size_t size;
    uint8_t *made = read_made(directory, name, &size), hash[32];
    if (strcmp(name, "job.json") == 0)
        size--;
    SHA256(made, size, hash);
    free(made);
    char digits[65];
    hex_encode(digits, hash, 32);
    assert_string_equal(digits, expected);
}

static void test_sealed_porep_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *directory = new_directory();
    const generate_options options = {.proof = registered_proof_find(PROOF_POREP, 5),
                                      .seed = 105,
                                      .miner_id = 1001,
                                      .sector_number = 16,
                                      .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    assert_made_equals(directory, "c1.json", "jobs/porep-StackedDrg2KiBV1_1/c1.json");
    assert_made_equals(directory, "job.json", "jobs/porep-StackedDrg2KiBV1_1/job.json");
    remove_directory(directory);
}

/* c1.json that the reference program wrote for the same seed and numbers. Two rows of tree R are left out at this size. */
static void test_sealed_8mib_porep_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *directory = new_directory();
    const generate_options options = {.proof = registered_proof_find(PROOF_POREP, 6),
                                      .seed = 106,
                                      .miner_id = 1001,
                                      .sector_number = 17,
                                      .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    assert_made_has_hash(directory, "c1.json", "558dbe582216ee9df755d04248a48f8c686faa03aea66ffb2130f6439c5f58e8");
    remove_directory(directory);
}

/* The reference's sparse jobs, the larger ones too large to be kept here. */
static void test_sparse_poreps_equal_reference(void **state) {
    (void)state;
    static const struct {
        unsigned registered;
        uint64_t sector_number, seed;
        const char *c1_hash, *job_hash;
    } jobs[] = {
        {6, 77, 42, "11e75a7ae794195e83c3c2e9a6c609cb1fa4d592227d9131bb2479ca4dfaf2b3",
         "e028005cc15a774e2a0b2d055e044352a2ac33480ed1384e4d616e1ffaaa8305"},
        {7, 77, 42, "f01a345a53aab28c13d55aa2a3e272569182c63f68c142a7b4af4265065f8358",
         "84cfc801997cce8eeb881a2fc41116c3ee6d328b81c566756fef528c65f9e4a1"},
        {8, 77, 42, "3a4e6ea6deff8af3ede9b96ac59605e39011d09e6b30d6955b5f68c10b5fcdf4",
         "b5823a6c0eff0b846b426a67a6377f0c82104013b72e36947ba0642a32c60647"},
        {9, 78, 43, "5544d69607c1fb5a24832de10417d22a13409fcee7ce5c0b1ddcfea504e8fcc8",
         "28a1e3fc561e2fbb4beec2fac72748f98a6dd71ddb828886d36ccd0c17b4937b"},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        cuzk_error error = {0};
        const char *directory = new_directory();
        const generate_options options = {.proof = registered_proof_find(PROOF_POREP, jobs[i].registered),
                                          .sparse = true,
                                          .seed = jobs[i].seed,
                                          .miner_id = 1234,
                                          .sector_number = jobs[i].sector_number,
                                          .directory = directory};
        ASSERT_OK(generate_job(&options, pool, NULL, &error));
        assert_made_has_hash(directory, "c1.json", jobs[i].c1_hash);
        assert_made_has_hash(directory, "job.json", jobs[i].job_hash);
        remove_directory(directory);
    }
}

/* With the reference's seed the first sector is its s0. */
static void test_kept_sector_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *directory = new_directory();
    const generate_options options = {.proof = registered_proof_find(PROOF_WINDOW, 10),
                                      .seed = 2,
                                      .miner_id = 1002,
                                      .sector_number = 21,
                                      .sector_count = 1,
                                      .keep_sectors = true,
                                      .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    assert_made_equals(directory, "sector-21/piece.data", "sectors/s0/piece.data");
    assert_made_equals(directory, "sector-21/sealed", "sectors/s0/sealed");
    assert_made_equals(directory, "sector-21/cache/p_aux", "sectors/s0/cache/p_aux");
    assert_made_equals(directory, "sector-21/cache/sc-02-data-tree-r-last.dat", "sectors/s0/cache/sc-02-data-tree-r-last.dat");
    assert_made_equals(directory, "sector-21/cache/sc-02-data-tree-c.dat", "sectors/s0/cache/sc-02-data-tree-c.dat");
    remove_directory(directory);
}

/* The vanilla proofs' bytes and the job's of options; both to be freed. */
static void generate_bytes(generate_options options, uint8_t **vanilla, uint8_t **job) {
    cuzk_error error = {0};
    const char *directory = new_directory();
    options.directory = directory;
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    *vanilla = read_made(directory, options.proof->kind == PROOF_POREP ? "c1.json" : "vanilla.json", NULL);
    *job = read_made(directory, "job.json", NULL);
    remove_directory(directory);
}

static void check_reproducible(proof_kind kind, unsigned registered, bool sparse) {
    generate_options options = {
        .proof = registered_proof_find(kind, registered), .sparse = sparse, .seed = 31, .miner_id = 1000, .sector_number = 1};
    uint8_t *vanilla[3], *job[3];
    generate_bytes(options, &vanilla[0], &job[0]);
    generate_bytes(options, &vanilla[1], &job[1]);
    options.seed = 32;
    generate_bytes(options, &vanilla[2], &job[2]);
    assert_string_equal((char *)vanilla[0], (char *)vanilla[1]);
    assert_string_equal((char *)job[0], (char *)job[1]);
    assert_string_not_equal((char *)vanilla[0], (char *)vanilla[2]);
    assert_string_not_equal((char *)job[0], (char *)job[2]);
    for (unsigned i = 0; i < 3; i++) {
        free(vanilla[i]);
        free(job[i]);
    }
}

static void test_a_seed_gives_one_job(void **state) {
    (void)state;
    check_reproducible(PROOF_POREP, 15, false);
    check_reproducible(PROOF_WINNING, 0, false);
    check_reproducible(PROOF_WINDOW, 10, false);
    check_reproducible(PROOF_SNAP, 0, false);
    check_reproducible(PROOF_POREP, 5, true);
    check_reproducible(PROOF_WINNING, 3, true);
    check_reproducible(PROOF_WINDOW, 11, true);
    check_reproducible(PROOF_SNAP, 2, true);
}

static void test_full_window_partition_has_all_sectors(void **state) {
    (void)state;
    const generate_options options = {
        .proof = registered_proof_find(PROOF_WINDOW, 13), .sparse = true, .miner_id = 1000, .sector_number = 100};
    uint8_t *vanilla, *job;
    generate_bytes(options, &vanilla, &job);
    size_t quotes = 0;
    for (const uint8_t *c = vanilla; *c; c++)
        quotes += *c == '"';
    assert_int_equal(quotes, 2 * 2349);
    assert_non_null(strstr((char *)job, "\"sector_number\": 2448"));
    assert_null(strstr((char *)job, "\"sector_number\": 2449"));
    free(vanilla);
    free(job);
}

/* Jobs are read back with all checks that requests from outside undergo. */
static void check_job_loads(proof_kind kind, unsigned registered, bool sparse, uint64_t partition) {
    cuzk_error error = {0};
    const char *directory = new_directory();
    const generate_options options = {.proof = registered_proof_find(kind, registered),
                                      .sparse = sparse,
                                      .seed = 5,
                                      .miner_id = 77,
                                      .sector_number = 9,
                                      .partition_index = partition,
                                      .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
    char path[200];
    snprintf(path, sizeof path, "%s/job.json", directory);
    proof_job job;
    ASSERT_OK(job_load(&job, path, &error));
    assert_ptr_equal(job.proof, options.proof);
    assert_int_equal(job.partition_count, registered_proof_partitions(options.proof));
    assert_int_equal(job.miner_id, 77);
    job_free(&job);
    remove_directory(directory);
}

static void test_jobs_are_loaded(void **state) {
    (void)state;
    for (unsigned registered = 0; registered < 20; registered += 5)
        check_job_loads(PROOF_POREP, registered, false, 0);
    check_job_loads(PROOF_WINNING, 0, false, 0);
    check_job_loads(PROOF_WINDOW, 5, false, 0);
    check_job_loads(PROOF_WINDOW, 5, false, 6); /* these challenges depend on the partition */
    check_job_loads(PROOF_WINDOW, 10, false, 6);
    check_job_loads(PROOF_SNAP, 0, false, 0);
    for (unsigned size = 0; size < 5; size++) {
        check_job_loads(PROOF_WINNING, size, true, 0);
        check_job_loads(PROOF_SNAP, size, true, 0);
    }
    check_job_loads(PROOF_POREP, 1, true, 0);
    check_job_loads(PROOF_POREP, 7, true, 0);
    check_job_loads(PROOF_WINDOW, 7, true, 3);
    check_job_loads(PROOF_WINDOW, 11, true, 3);
}

static void expect_refusal(generate_options options, const char *text) {
    cuzk_error error = {0};
    options.directory = "/nowhere/cuzk-test";
    assert_int_equal(generate_job(&options, pool, NULL, &error), CUZK_BAD_INPUT);
    if (!strstr(error.message, text))
        fail_msg("found: %s; expected: %s", error.message, text);
}

static void test_options_that_do_not_go_together(void **state) {
    (void)state;
    const registered_proof *window = registered_proof_find(PROOF_WINDOW, 10), *winning = registered_proof_find(PROOF_WINNING, 0);
    const registered_proof *porep = registered_proof_find(PROOF_POREP, 8), *synthetic = registered_proof_find(PROOF_POREP, 13);
    expect_refusal((generate_options){.proof = window, .sector_count = 3}, "found 3 sectors, expected at most 2");
    expect_refusal((generate_options){.proof = winning, .sector_count = 2}, "found 2 sectors, expected one");
    expect_refusal((generate_options){.proof = winning, .partition_index = 1}, "found partition 1, expected none");
    expect_refusal((generate_options){.proof = window, .partition_index = UINT64_MAX}, "expected one below 2^32");
    expect_refusal((generate_options){.proof = porep},
                   "a sector of 32GiB cannot be sealed here (1GiB at most); ask for a sparse one");
    expect_refusal((generate_options){.proof = porep, .sparse = true, .keep_sectors = true}, "a sparse sector cannot be kept");
    expect_refusal((generate_options){.proof = synthetic, .sparse = true}, "cannot be made of a sparse sector");
}

static void test_directory_that_cannot_be_made(void **state) {
    (void)state;
    cuzk_error error = {0};
    const generate_options options = {
        .proof = registered_proof_find(PROOF_SNAP, 0), .sparse = true, .directory = "/proc/cuzk-test/job"};
    assert_int_equal(generate_job(&options, pool, NULL, &error), CUZK_INPUT_OUTPUT);
    assert_non_null(strstr(error.message, "/proc/cuzk-test: cannot create the directory"));
}

static void test_default_proofs(void **state) {
    (void)state;
    const sector_shape *shape = sector_shape_parse("512MiB");
    assert_int_equal(default_registered_proof(PROOF_POREP, shape)->number, 7);
    assert_int_equal(default_registered_proof(PROOF_WINNING, shape)->number, 2);
    assert_int_equal(default_registered_proof(PROOF_WINDOW, shape)->number, 12);
    assert_int_equal(default_registered_proof(PROOF_SNAP, shape)->number, 2);
    assert_null(default_registered_proof(PROOF_POREP, sector_shape_parse("16KiB")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sealed_porep_equals_reference),
        cmocka_unit_test(test_sealed_8mib_porep_equals_reference),
        cmocka_unit_test(test_sparse_poreps_equal_reference),
        cmocka_unit_test(test_kept_sector_equals_reference),
        cmocka_unit_test(test_a_seed_gives_one_job),
        cmocka_unit_test(test_full_window_partition_has_all_sectors),
        cmocka_unit_test(test_jobs_are_loaded),
        cmocka_unit_test(test_options_that_do_not_go_together),
        cmocka_unit_test(test_directory_that_cannot_be_made),
        cmocka_unit_test(test_default_proofs),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
