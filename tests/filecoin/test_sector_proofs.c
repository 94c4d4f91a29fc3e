/* Vanilla proofs and jobs against those of the reference implementation, byte for byte; and files that are damaged. */
#include "base/bytes.h"
#include "filecoin/commitment_text.h"
#include "filecoin/job_write.h"
#include "filecoin/output_directory.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/post_vanilla.h"
#include "filecoin/sector_files.h"
#include "filecoin/sector_proofs.h"
#include "filecoin/update_vanilla.h"
#include "filecoin/vanilla_encode.h"
#include "sealing_fixtures.h"
#include "pool_fixture.h"

#include <openssl/sha.h>

/* A sealed reference sector with its view. */
typedef struct {
    sealed_sector sealed;
    stored_sector stored;
    sector_view view;
} open_sector;

static void open_reference(open_sector *sector, const reference_sector *reference) {
    cuzk_error error = {0};
    seal_reference(&sector->sealed, reference, pool);
    ASSERT_OK(sealed_sector_view(&sector->view, &sector->stored, &sector->sealed, &error));
}

/* Fails unless two files are equal; the reference's job.json has no newline at its end. */
static void assert_files_equal(const char *made_path, const char *expected_path) {
    size_t made_size, expected_size;
    uint8_t *made = read_test_file(made_path, &made_size), *expected = read_test_file(expected_path, &expected_size);
    if (made_size == expected_size + 1 && made[expected_size] == '\n')
        made_size--;
    if (made_size != expected_size || memcmp(made, expected, made_size) != 0)
        fail_msg("%s: its %zu bytes differ from the %zu of %s", made_path, made_size, expected_size, expected_path);
    free(made);
    free(expected);
}

static void assert_job_equals(const char *directory, const char *name, const char *const *files) {
    for (; *files; files++) {
        char made[200], expected[200];
        snprintf(made, sizeof made, "%s/%s", directory, *files);
        snprintf(expected, sizeof expected, "jobs/%s/%s", name, *files);
        const char *path = access(data_path(expected), R_OK) == 0 ? data_path(expected) : shared_path(expected);
        assert_files_equal(made, path);
    }
}

static const char *const POREP_FILES[] = {"c1.json", "job.json", NULL}, *const LIST_FILES[] = {"vanilla.json", "job.json", NULL};

static void check_porep_job(unsigned registered, const char *name) {
    cuzk_error error = {0};
    reference_sector reference = porep_reference(registered);
    open_sector sector;
    open_reference(&sector, &reference);
    porep_partition_proof **partitions;
    ASSERT_OK(porep_prove(&partitions, reference.proof, &sector.view, sector.sealed.replica_id, reference.seed, pool, &error));
    const c1_contents contents = {.proof = reference.proof,
                                  .sector_number = reference.sector_number,
                                  .comm_r = sector.sealed.comm_r,
                                  .comm_d = sector.sealed.comm_d,
                                  .replica_id = sector.sealed.replica_id,
                                  .seed = reference.seed,
                                  .ticket = reference.ticket,
                                  .partitions = partitions};
    const char *directory = new_directory();
    ASSERT_OK(job_write_porep(directory, &contents, reference.miner_id, false, &error));
    assert_job_equals(directory, name, POREP_FILES);
    remove_directory(directory);
    porep_proofs_free(partitions, registered_proof_partitions(reference.proof));
    sealed_sector_free(&sector.sealed);
}

static void test_porep_jobs_equal_reference(void **state) {
    (void)state;
    check_porep_job(0, "porep-StackedDrg2KiBV1");
    check_porep_job(5, "porep-StackedDrg2KiBV1_1");
    check_porep_job(10, "porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep");
}

static void test_non_interactive_job_equals_reference(void **state) {
    (void)state;
    if (!shared_path("jobs/porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep/c1.json"))
        skip();
    check_porep_job(15, "porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep");
}

static void check_post_job(const char *name, proof_kind kind, unsigned registered, open_sector *sectors,
                           const reference_sector *references, size_t count, const uint8_t randomness[32]) {
    cuzk_error error = {0};
    const registered_proof *proof = registered_proof_find(kind, registered);
    post_job_sector job_sectors[2] = {{.sector_number = 0}};
    byte_buffer list = {0};
    begin_proof_list(&list);
    for (size_t i = 0; i < count; i++) {
        post_sector_proof *vanilla;
        byte_buffer encoded = {0};
        job_sectors[i].sector_number = references[i].sector_number;
        memcpy(job_sectors[i].comm_r, sectors[i].sealed.comm_r, 32);
        post_sector_challenges(job_sectors[i].challenges, proof, randomness, references[i].sector_number, i);
        ASSERT_OK(post_prove_sector(&vanilla, &sectors[i].view, references[i].sector_number, job_sectors[i].challenges,
                                    post_sector_challenge_count(kind), pool, &error));
        encode_post_sector_proof(&encoded, vanilla);
        append_to_proof_list(&list, &encoded);
        byte_buffer_free(&encoded);
        free(vanilla);
    }
    end_proof_list(&list);
    post_job job = {.proof = proof,
                    .miner_id = references[0].miner_id,
                    .sectors = job_sectors,
                    .sector_count = count,
                    .vanilla_proofs = &list};
    memcpy(job.randomness, randomness, 32);
    const char *directory = new_directory();
    ASSERT_OK(job_write_post(directory, &job, &error));
    assert_job_equals(directory, name, LIST_FILES);
    remove_directory(directory);
    byte_buffer_free(&list);
}

static void test_post_jobs_equal_reference(void **state) {
    (void)state;
    reference_sector references[2];
    xorshift generator;
    uint8_t randomness[32];
    post_references(references, &generator);
    xorshift_element(&generator, randomness);
    open_sector sectors[2];
    open_reference(&sectors[0], &references[0]);
    open_reference(&sectors[1], &references[1]);
    check_post_job("winning-post", PROOF_WINNING, 0, sectors, references, 1, randomness);
    check_post_job("window-post-v1", PROOF_WINDOW, 5, sectors, references, 2, randomness);
    check_post_job("window-post-v1_2", PROOF_WINDOW, 10, sectors, references, 2, randomness);
    check_post_job("window-post-short", PROOF_WINDOW, 10, sectors, references, 1, randomness);
    sealed_sector_free(&sectors[0].sealed);
    sealed_sector_free(&sectors[1].sealed);
}

static void test_update_job_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    reference_sector references[2];
    xorshift generator;
    uint8_t randomness[32], new_data[SMALL_PIECE];
    post_references(references, &generator);
    xorshift_element(&generator, randomness);
    xorshift_bytes(&generator, new_data, sizeof new_data);
    open_sector old;
    updated_sector updated;
    stored_sector stored;
    sector_view view;
    open_reference(&old, &references[0]);
    ASSERT_OK(update_sector(&updated, &old.view, new_data, pool, NULL, &error));
    ASSERT_OK(updated_sector_view(&view, &stored, &updated, &error));
    snap_partition_proof **proofs;
    ASSERT_OK(update_prove(&proofs, &old.view, &view, pool, &error));
    byte_buffer list = {0};
    encode_update_proof_list(&list, proofs, 1);
    update_proofs_free(proofs, 1);
    const update_job job = {.proof = registered_proof_find(PROOF_SNAP, 0),
                            .miner_id = references[0].miner_id,
                            .sector_number = references[0].sector_number,
                            .comm_r_old = old.sealed.comm_r,
                            .comm_r_new = updated.comm_r,
                            .comm_d_new = updated.comm_d,
                            .vanilla_proofs = &list};
    const char *directory = new_directory();
    ASSERT_OK(job_write_update(directory, &job, &error));
    assert_job_equals(directory, "snap-deals", LIST_FILES);
    remove_directory(directory);
    byte_buffer_free(&list);
    updated_sector_free(&updated);
    sealed_sector_free(&old.sealed);
}

/* The reference's sectors on disk, in whatever directory they are. */
typedef struct {
    char replica[200], cache[200];
    sector_location location;
} file_sector;

static sector_location *at(file_sector *sector, const char *directory, const char *replica, const char *cache) {
    snprintf(sector->replica, sizeof sector->replica, "%s/%s", directory, replica);
    snprintf(sector->cache, sizeof sector->cache, "%s/%s", directory, cache);
    sector->location = (sector_location){.replica_path = sector->replica, .cache_directory = sector->cache};
    return &sector->location;
}

static cuzk_status prove_c1_of(byte_buffer *json, sector_location *location, const uint8_t ticket[32], cuzk_error *error) {
    reference_sector reference = porep_reference(5);
    return sector_c1(json, reference.proof, reference.miner_id, reference.sector_number, ticket, reference.seed, location, pool,
                     error);
}

static void test_c1_of_files_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    reference_sector reference = porep_reference(5);
    ASSERT_OK(prove_c1_of(&json, at(&sector, data_path("sectors/porep-V1_1"), "sealed", "cache"), reference.ticket, &error));
    assert_equals_file(json.bytes, json.count, "jobs/porep-StackedDrg2KiBV1_1/c1.json");
    byte_buffer_free(&json);
}

static void test_c1_with_another_ticket_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    const uint8_t ticket[32] = {1};
    assert_int_equal(prove_c1_of(&json, at(&sector, data_path("sectors/porep-V1_1"), "sealed", "cache"), ticket, &error),
                     CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "does not follow from its parents"));
    assert_int_equal(json.count, 0);
}

static cuzk_status prove_update_of(byte_buffer *json, const char *directory, const uint8_t *comm_d_new, cuzk_error *error) {
    file_sector old, updated;
    return sector_update_proofs(json, registered_proof_find(PROOF_SNAP, 0), at(&old, directory, "sealed", "cache"),
                                at(&updated, directory, "new-sealed", "new-cache"), comm_d_new, pool, error);
}

static void test_update_of_files_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    byte_buffer json = {0};
    ASSERT_OK(prove_update_of(&json, data_path("sectors/s0"), NULL, &error));
    assert_equals_file(json.bytes, json.count, "jobs/snap-deals/vanilla.json");
    byte_buffer_free(&json);
}

static cuzk_status prove_window_of(byte_buffer *json, sector_location *location, uint64_t position, cuzk_error *error) {
    uint8_t randomness[32];
    assert_true(hex_decode(randomness, 32, "b5ec3384c10e0f1e25271f0edc110f7a6c0c4261837f5d0742568cf07e380f32"));
    return sector_post_proof(json, registered_proof_find(PROOF_WINDOW, 10), 21, position, randomness, location, pool, error);
}

static void test_window_post_of_files_equals_reference(void **state) {
    (void)state;
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    ASSERT_OK(prove_window_of(&json, at(&sector, data_path("sectors/s0"), "sealed", "cache"), 5, &error));
    assert_equals_file(json.bytes, json.count, "jobs/window-post-short/vanilla.json");
    byte_buffer_free(&json);
}

static void test_other_comm_r_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    const uint8_t comm_r[32] = {0};
    sector_location *location = at(&sector, data_path("sectors/s0"), "sealed", "cache");
    location->comm_r = comm_r;
    assert_int_equal(prove_window_of(&json, location, 0, &error), CUZK_BAD_INPUT);
    assert_non_null(
        strstr(error.message, "its comm_r is b4f125f15f8abea5149cc493776b6e14bfaa411db45fd65063a9bfaf00e44b22, expected 0000"));
}

/* A copy of s0 in which a file can be damaged. */
static const char *copy_s0(void) {
    const char *directory = new_directory();
    char command[4600];
    snprintf(command, sizeof command, "cp -r %s/. %s && chmod -R u+w %s", data_path("sectors/s0"), directory, directory);
    assert_int_equal(system(command), 0);
    return directory;
}

/* Overwrites count bytes of a file at an offset with 0xff. */
static void damage(const char *directory, const char *name, long offset, size_t count) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, offset, SEEK_SET);
    while (count-- > 0)
        fputc(0xff, file);
    fclose(file);
}

static void cut(const char *directory, const char *name, long length) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(truncate(path, length), 0);
}

static void expect_window_failure(const char *directory, cuzk_status expected, const char *text) {
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    cuzk_status status = prove_window_of(&json, at(&sector, directory, "sealed", "cache"), 0, &error);
    if (status != expected || !strstr(error.message, text))
        fail_msg("found %s: %s; expected: %s", cuzk_status_name(status), error.message, text);
    remove_directory(directory);
}

static void test_damaged_files_are_refused(void **state) {
    (void)state;
    const char *directory = copy_s0();
    damage(directory, "sealed", 24 * 32, 1); /* node 24 is challenged: another element */
    expect_window_failure(directory, CUZK_BAD_INPUT, "tree-r-last: the path of leaf 24 does not lead to the root");
    directory = copy_s0();
    damage(directory, "sealed", 24 * 32, 32); /* beyond the field's order */
    expect_window_failure(directory, CUZK_BAD_INPUT, "not a field element");
    directory = copy_s0();
    damage(directory, "cache/sc-02-data-tree-r-last.dat", 0, 1);
    expect_window_failure(directory, CUZK_BAD_INPUT, "tree-r-last: its root is not the comm_r_last of p_aux");
    directory = copy_s0();
    damage(directory, "cache/sc-02-data-tree-r-last.dat", 0, 32);
    expect_window_failure(directory, CUZK_BAD_INPUT, "tree-r-last: found a root that is not a field element");
    directory = copy_s0();
    damage(directory, "cache/p_aux", 0, 32);
    expect_window_failure(directory, CUZK_BAD_INPUT, "p_aux: comm_c is not a field element");
    directory = copy_s0();
    cut(directory, "cache/p_aux", 63);
    expect_window_failure(directory, CUZK_BAD_INPUT, "p_aux: found 63 bytes, expected 64");
    directory = copy_s0();
    cut(directory, "sealed", 2047);
    expect_window_failure(directory, CUZK_BAD_INPUT, "found 2047 bytes, expected 2048 for a sector of 2KiB");
    directory = copy_s0();
    cut(directory, "cache/sc-02-data-tree-r-last.dat", 31);
    expect_window_failure(directory, CUZK_BAD_INPUT,
                          "sc-02-data-tree-r-last.dat: found 31 bytes, expected 32 for a sector of 2KiB");
    directory = copy_s0();
    damage(directory, "cache/t_aux", 0, 290); /* is not looked at */
    cuzk_error error = {0};
    file_sector sector;
    byte_buffer json = {0};
    ASSERT_OK(prove_window_of(&json, at(&sector, directory, "sealed", "cache"), 0, &error));
    byte_buffer_free(&json);
    remove_directory(directory);
}

static void test_missing_file_is_named(void **state) {
    (void)state;
    const char *directory = copy_s0();
    char path[200];
    snprintf(path, sizeof path, "%s/cache/sc-02-data-tree-r-last.dat", directory);
    unlink(path);
    expect_window_failure(directory, CUZK_NOT_FOUND, "cache/sc-02-data-tree-r-last.dat: cannot open: No such file");
}

/* A tree R whose cache leaves out other rows than the default is read as well. */
static void test_other_discarded_rows_are_found(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *directory = copy_s0();
    size_t size;
    uint8_t *replica = read_test_file(data_path("sectors/s0/sealed"), &size), rows[9 * 32];
    merkle_build_rows(rows, replica, 64, MERKLE_POSEIDON, 8, pool, NULL);
    free(replica);
    char cache[200];
    snprintf(cache, sizeof cache, "%s/cache", directory);
    ASSERT_OK(write_whole_file(cache, "sc-02-data-tree-r-last.dat", rows, sizeof rows, &error));
    file_sector sector;
    byte_buffer json = {0};
    ASSERT_OK(prove_window_of(&json, at(&sector, directory, "sealed", "cache"), 0, &error));
    assert_equals_file(json.bytes, json.count, "jobs/window-post-short/vanilla.json");
    byte_buffer_free(&json);
    remove_directory(directory);
}

static void test_damaged_update_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    byte_buffer json = {0};
    const uint8_t comm_d[32] = {0};
    assert_int_equal(prove_update_of(&json, data_path("sectors/s0"), comm_d, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "its comm_d is 9501aa49172eb0c31bc615b9927ba6b8c82b5d465ad93cda147a5d6e3b569a01"));

    /* Data of another sector, in itself sound. */
    const char *directory = copy_s0();
    char command[400];
    snprintf(command, sizeof command, "cp %s/cache/sc-02-data-tree-d.dat %s/new-cache/", directory, directory);
    assert_int_equal(system(command), 0);
    assert_int_equal(prove_update_of(&json, directory, NULL, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "is not the encoding of its data in the old one"));
    remove_directory(directory);

    directory = copy_s0();
    damage(directory, "new-cache/p_aux", 0, 1);
    assert_int_equal(prove_update_of(&json, directory, NULL, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "the comm_c of its p_aux is not that of the old sector"));
    remove_directory(directory);
    assert_int_equal(json.count, 0);
}

static void test_damaged_labels_are_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    byte_buffer json = {0};
    file_sector sector;
    reference_sector reference = porep_reference(5);
    const char *directory = new_directory();
    char command[4600];
    snprintf(command, sizeof command, "cp -r %s/. %s && chmod -R u+w %s", data_path("sectors/porep-V1_1"), directory, directory);
    assert_int_equal(system(command), 0);
    damage(directory, "cache/sc-02-data-layer-1.dat", 58 * 32, 1); /* node 58 is challenged */
    sector_location *location = at(&sector, directory, "sealed", "cache");
    assert_int_equal(prove_c1_of(&json, location, reference.ticket, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "tree-c: leaf 58 is not the hash of its labels"));
    damage(directory, "cache/sc-02-data-tree-c.dat", 72 * 32, 1);
    assert_int_equal(prove_c1_of(&json, location, reference.ticket, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "tree-c: its root is not the comm_c of p_aux"));
    remove_directory(directory);
}

static void test_written_sector_is_read_back(void **state) {
    (void)state;
    cuzk_error error = {0};
    reference_sector reference = porep_reference(5);
    sealed_sector sealed;
    seal_reference(&sealed, &reference, pool);
    const char *directory = new_directory();
    char replica[200], cache[200];
    snprintf(replica, sizeof replica, "%s/sealed", directory);
    snprintf(cache, sizeof cache, "%s/below/cache", directory);
    ASSERT_OK(sealed_sector_write(&sealed, replica, cache, &error));
    sector_location location = {.replica_path = replica, .cache_directory = cache, .comm_r = sealed.comm_r};
    byte_buffer json = {0};
    ASSERT_OK(prove_c1_of(&json, &location, reference.ticket, &error));
    assert_equals_file(json.bytes, json.count, "jobs/porep-StackedDrg2KiBV1_1/c1.json");
    byte_buffer_free(&json);
    remove_directory(directory);
    sealed_sector_free(&sealed);
}

/* Sectors with compound trees, sealed and updated by filecoin-proofs 19.1: generator seeded with the size, PoRep id 99 0 0 ...,
 * prover id 5 0 0 ..., sector 3, API 1.1; commitments, and the SHA-256 of the updates' vanilla proofs as a JSON list. */
typedef struct {
    const char *size, *comm_d, *comm_r, *new_comm_d, *new_comm_r, *list_hash;
} compound_reference;

static const compound_reference COMPOUND_REFERENCES[] = {
    {"4KiB", "caa297674b63023bf2e82a26e5eb9015f35a6273d18cf061caa82df04d4cdd14",
     "41dd098e581c3ab95b76ff3fa18cff2b73b4aff8afe9c77563e59d14923da271",
     "bfdf366e2ddda7e2fef1acfcb8efdce62c2bc5656807684200cf2d61efc7cc3d",
     "055dcfde08b27c60888e9c224b11f3ab769ae531a0947ea8f44f31786c0b9971",
     "d481a679eedf2c674d273c675efa3639b6d2db445af107701dd060ce44563e11"},
    {"16KiB", "0a31ab0fe389047a0ff0b7cbfe5d0257df3efa1142159cdc33006932a8afc039",
     "8d8089ec24a6ca73511a4b65ec17cddf7b676d0d1998909fc0707d9a157a2a5f",
     "279191a892f2c70ab310cd90f1efb6233711b10c620b2e67831c72f657e4220e",
     "456b5f679c8645ae5afa3d16e90a8580605afcc89ceb305bb5b0b30c523a2070",
     "f333552d346dd71e00b7171c2e9f363913b97d345816c0040dda88f1d439e2a4"},
    {"32KiB", "cab0cc38bf964fe6722e5bc9f18e9fc35c7ce6abed60606799a5aec172f1c301",
     "a4b18742d46960c839dfab6b7ea8ce79c1f1b3a8c5544fec10ee26994f0d192f",
     "6709ad0049ae6feb2a72fe2811f7fd9acdecb25ff1f98c6626f5d4eda5bc1e01",
     "4814219bbe6f2553321b1b98920b16206c008f0f60689987c3ebcf9a5e0fe805",
     "064cfa68e637b3a5b6b77b191f75cd047722682117c30e550e489c32a1efb97e"},
};

static void assert_hex(const uint8_t bytes[32], const char *expected) {
    char digits[65];
    hex_encode(digits, bytes, 32);
    assert_string_equal(digits, expected);
}

/* Proves the update from the files that were written. */
static void check_compound_files(const char *directory, const registered_proof *proof, const char *list_hash) {
    cuzk_error error = {0};
    file_sector old, updated;
    byte_buffer json = {0};
    ASSERT_OK(sector_update_proofs(&json, proof, at(&old, directory, "sealed", "cache"),
                                   at(&updated, directory, "new-sealed", "new-cache"), NULL, pool, &error));
    uint8_t hash[32];
    SHA256(json.bytes, json.count, hash);
    assert_hex(hash, list_hash);
    byte_buffer_free(&json);

    const registered_proof window = {.kind = PROOF_WINDOW, .shape = proof->shape, .api = API_V1_2};
    const uint8_t randomness[32] = {1};
    ASSERT_OK(sector_post_proof(&json, &window, 3, 0, randomness, &old.location, pool, &error));
    byte_buffer_free(&json);
}

static void check_compound_sector(const compound_reference *reference) {
    cuzk_error error = {0};
    const registered_proof proof = {.kind = PROOF_SNAP, .shape = sector_shape_parse(reference->size)};
    seal_parameters parameters = {.shape = proof.shape, .api = API_V1_1, .porep_id = {99}, .prover_id = {5}, .sector_number = 3};
    xorshift generator = xorshift_seeded(proof.shape->bytes);
    size_t piece_size = fr32_unpadded_size(proof.shape->bytes);
    uint8_t *data = malloc(piece_size);
    open_sector old;
    updated_sector updated;
    xorshift_element(&generator, parameters.ticket);
    xorshift_bytes(&generator, data, piece_size);
    ASSERT_OK(seal_sector(&old.sealed, &parameters, data, pool, NULL, &error));
    assert_hex(old.sealed.comm_d, reference->comm_d);
    assert_hex(old.sealed.comm_r, reference->comm_r);
    ASSERT_OK(sealed_sector_view(&old.view, &old.stored, &old.sealed, &error));
    xorshift_bytes(&generator, data, piece_size);
    ASSERT_OK(update_sector(&updated, &old.view, data, pool, NULL, &error));
    assert_hex(updated.comm_d, reference->new_comm_d);
    assert_hex(updated.comm_r, reference->new_comm_r);
    free(data);

    const char *directory = new_directory();
    char paths[4][200];
    static const char *const names[4] = {"sealed", "cache", "new-sealed", "new-cache"};
    for (unsigned i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", directory, names[i]);
    ASSERT_OK(sealed_sector_write(&old.sealed, paths[0], paths[1], &error));
    ASSERT_OK(updated_sector_write(&updated, paths[2], paths[3], paths[1], &error));
    sealed_sector_free(&old.sealed);
    updated_sector_free(&updated);
    check_compound_files(directory, &proof, reference->list_hash);
    remove_directory(directory);
}

static void test_compound_sectors_equal_reference(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof COMPOUND_REFERENCES / sizeof *COMPOUND_REFERENCES; i++)
        check_compound_sector(&COMPOUND_REFERENCES[i]);
}

static const char ZERO_32_GIB_CID[] = "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq";

static void test_cids_are_read_and_written(void **state) {
    (void)state;
    cuzk_error error = {0};
    uint8_t commitment[32], expected[32];
    char text[COMMITMENT_CID_CAPACITY];
    zero_comm_d(expected, sector_shape_parse("32GiB"));
    ASSERT_OK(commitment_parse(commitment, COMMITMENT_DATA, ZERO_32_GIB_CID, "--comm-d", &error));
    assert_memory_equal(commitment, expected, 32);
    commitment_cid(text, COMMITMENT_DATA, expected);
    assert_string_equal(text, ZERO_32_GIB_CID);
    test_random random = {1};
    for (unsigned i = 0; i < 20; i++) {
        test_random_bytes(&random, expected, 32);
        commitment_cid(text, COMMITMENT_REPLICA, expected);
        assert_memory_equal(text, "bagboea4b5abc", 13);
        ASSERT_OK(commitment_parse(commitment, COMMITMENT_REPLICA, text, "--comm-r", &error));
        assert_memory_equal(commitment, expected, 32);
        char digits[65];
        hex_encode(digits, expected, 32);
        ASSERT_OK(commitment_parse(commitment, COMMITMENT_REPLICA, digits, "--comm-r", &error));
        assert_memory_equal(commitment, expected, 32);
    }
}

static void test_other_texts_are_no_commitments(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "b",
        "z",
        "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mp",
        "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpqa",
        "BAGA6EA4SEAQAO7S73Y24KCUTAOSVACPDJGFE5PW76OOEFNYQW4YNR3D2Y6X2MPQ",
        "baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpr", /* bits that no byte has */
        "077e5fde35c50a9303a55009e3498a4ebedff39c42b710b730d8ec7ac7afa6"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cuzk_error error = {0};
        uint8_t commitment[32];
        assert_int_equal(commitment_parse(commitment, COMMITMENT_DATA, wrong[i], "--comm-d", &error), CUZK_BAD_INPUT);
        assert_memory_equal(error.message, "--comm-d: found ", 16);
    }
    cuzk_error error = {0};
    uint8_t commitment[32];
    assert_int_equal(commitment_parse(commitment, COMMITMENT_REPLICA, ZERO_32_GIB_CID, "--comm-r", &error), CUZK_BAD_INPUT);
}

static void read_commitments_text(const char *text, cuzk_status expected, const char *message) {
    cuzk_error error = {0};
    uint8_t comm_d[32], comm_r[32], zero[32];
    const char *directory = new_directory();
    ASSERT_OK(write_whole_file(directory, "commdr.txt", text, strlen(text), &error));
    char path[200];
    snprintf(path, sizeof path, "%s/commdr.txt", directory);
    cuzk_status status = commitments_read(comm_d, comm_r, path, &error);
    if (status != expected || (message && !strstr(error.message, message)))
        fail_msg("found %s: %s", cuzk_status_name(status), error.message);
    zero_comm_d(zero, sector_shape_parse("32GiB"));
    if (status == CUZK_OK)
        assert_memory_equal(comm_d, zero, 32);
    remove_directory(directory);
}

static void test_commitment_files(void **state) {
    (void)state;
    read_commitments_text("d:baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq "
                          "r:bagboea4b5abcbx3jccdohrttzfneleehcpkmle4oltwuh4q3rcf5tpdodaoj6mtl\n",
                          CUZK_OK, NULL);
    read_commitments_text("d:baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq", CUZK_BAD_INPUT,
                          "word 2: found '', expected 'r:<CID>'");
    read_commitments_text("", CUZK_BAD_INPUT, "word 1: found '', expected 'd:<CID>'");
    read_commitments_text("r:x d:y", CUZK_BAD_INPUT, "word 1: found 'r:x'");
    read_commitments_text("d:baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq "
                          "r:bagboea4b5abcbx3jccdohrttzfneleehcpkmle4oltwuh4q3rcf5tpdodaoj6mtl more",
                          CUZK_BAD_INPUT, "found a third word");
}

static void test_commitment_arguments(void **state) {
    (void)state;
    cuzk_error error = {0};
    uint8_t commitment[32], zero[32];
    zero_comm_d(zero, sector_shape_parse("32GiB"));
    ASSERT_OK(commitment_argument(commitment, COMMITMENT_DATA, ZERO_32_GIB_CID, "--comm-d", &error));
    assert_memory_equal(commitment, zero, 32);
    assert_int_equal(commitment_argument(commitment, COMMITMENT_DATA, "no/such/file", "--comm-d", &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "--comm-d: found no/such/file, expected the CID of a comm_d or 64 hexadecimal digits");

    char text[200], replica_cid[COMMITMENT_CID_CAPACITY], path[200];
    commitment_cid(replica_cid, COMMITMENT_REPLICA, zero);
    snprintf(text, sizeof text, "d:%s\nr:%s\n", ZERO_32_GIB_CID, replica_cid);
    const char *directory = new_directory();
    ASSERT_OK(write_whole_file(directory, "commdr.txt", text, strlen(text), &error));
    snprintf(path, sizeof path, "%s/commdr.txt", directory);
    memset(commitment, 0, sizeof commitment);
    ASSERT_OK(commitment_argument(commitment, COMMITMENT_REPLICA, path, "--comm-r", &error));
    assert_memory_equal(commitment, zero, 32);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep_jobs_equal_reference),
        cmocka_unit_test(test_non_interactive_job_equals_reference),
        cmocka_unit_test(test_post_jobs_equal_reference),
        cmocka_unit_test(test_update_job_equals_reference),
        cmocka_unit_test(test_c1_of_files_equals_reference),
        cmocka_unit_test(test_c1_with_another_ticket_is_refused),
        cmocka_unit_test(test_update_of_files_equals_reference),
        cmocka_unit_test(test_window_post_of_files_equals_reference),
        cmocka_unit_test(test_other_comm_r_is_refused),
        cmocka_unit_test(test_damaged_files_are_refused),
        cmocka_unit_test(test_missing_file_is_named),
        cmocka_unit_test(test_other_discarded_rows_are_found),
        cmocka_unit_test(test_damaged_update_is_refused),
        cmocka_unit_test(test_damaged_labels_are_refused),
        cmocka_unit_test(test_written_sector_is_read_back),
        cmocka_unit_test(test_compound_sectors_equal_reference),
        cmocka_unit_test(test_cids_are_read_and_written),
        cmocka_unit_test(test_other_texts_are_no_commitments),
        cmocka_unit_test(test_commitment_files),
        cmocka_unit_test(test_commitment_arguments),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
