#include "filecoin/vectors.h"

#include "base/bytes.h"
#include "filecoin/job.h"
#include "job_fixtures.h"
#include "r1cs/assignment.h"

/* --- Reference jobs --- */

/* The public inputs of every partition are those that the reference's circuits had. */
static void check_public_inputs(const proof_job *job, const char *path) {
    unsigned count = job_public_input_count(job), digests = 0;
    fr *inputs = calloc(count, sizeof *inputs);
    vector_file file = vectors_open(path);
    vectors_array(file.reader);
    for (; vectors_more(file.reader); digests++) {
        const char *key;
        bool compared = false;
        vectors_object(file.reader);
        while ((key = vectors_key(file.reader)) != NULL) {
            if (strcmp(key, "partition") == 0) {
                job_public_inputs(inputs, job, (unsigned)vectors_unsigned(file.reader));
            } else if (strcmp(key, "public_inputs") == 0) {
                unsigned i = 0;
                vectors_array(file.reader);
                for (; vectors_more(file.reader); i++) {
                    fr expected;
                    vectors_big_endian_fr(file.reader, &expected);
                    assert_true(i < count);
                    if (!fr_equal(&inputs[i], &expected))
                        fail_msg("%s: input %u differs", path, i);
                }
                assert_int_equal(i, count);
                compared = true;
            } else {
                vectors_skip(file.reader);
            }
        }
        assert_true(compared);
    }
    assert_true(digests > 0);
    vectors_close(&file);
    free(inputs);
}

static void check_job(const char *name, proof_kind kind, unsigned proof_number, unsigned partitions) {
    cuzk_error error = {0};
    proof_job job;
    ASSERT_OK(job_load(&job, job_path(name, "job.json"), &error));
    assert_ptr_equal(job.proof, registered_proof_find(kind, proof_number));
    assert_int_equal(job.partition_count, partitions);
    check_public_inputs(&job, job_path(name, "digest.json"));
    job_free(&job);
}

static void jobs_of_all_kinds_are_read(void **state) {
    (void)state;
    check_job("porep-StackedDrg2KiBV1", PROOF_POREP, 0, 1);
    check_job("porep-StackedDrg2KiBV1_1", PROOF_POREP, 5, 1);
    check_job("porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep", PROOF_POREP, 10, 1);
    check_job("winning-post", PROOF_WINNING, 0, 1);
    check_job("window-post-v1", PROOF_WINDOW, 5, 1);
    check_job("window-post-v1_2", PROOF_WINDOW, 10, 1);
    check_job("window-post-short", PROOF_WINDOW, 10, 1);
    check_job("snap-deals", PROOF_SNAP, 0, 1);
}

static void larger_jobs_are_read(void **state) {
    (void)state;
    if (shared_path("jobs/sparse-8MiB/job.json") == NULL)
        skip();
    check_job("porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", PROOF_POREP, 15, 13);
    check_job("sparse-8MiB", PROOF_POREP, 6, 1);
    check_job("sparse-512MiB", PROOF_POREP, 7, 1);
}

static void circuits_of_jobs_are_satisfied(void **state) {
    (void)state;
    const char *const names[] = {"window-post-v1", "window-post-short", "winning-post"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cuzk_error error = {0};
        proof_job job;
        filecoin_circuit synthesized;
        assignment made;
        ASSERT_OK(job_load(&job, job_path(names[i], "job.json"), &error));
        ASSERT_OK(job_circuit(&synthesized, &job, 0, &error));
        ASSERT_OK(assignment_create(&made, &synthesized.circuit, &error));
        unsigned count = job_public_input_count(&job);
        fr *inputs = calloc(count, sizeof *inputs);
        job_public_inputs(inputs, &job, 0);
        assert_int_equal(made.counts.inputs, count + 1);
        assert_memory_equal(made.inputs + 1, inputs, count * sizeof *inputs);
        free(inputs);
        assignment_free(&made);
        job_free(&job);
    }
}

/* --- Variations --- */

typedef struct {
    const char *old, *new, *message; /* message NULL: accepted */
} variation;

/* Each variation of a job's job.json gives its error, which names the file. */
static void check_variations(const char *name, const char *vanilla, const variation *variations, size_t count) {
    job_copy copy;
    copy_job(&copy, name, vanilla);
    char *text = (char *)read_test_file(copy.path, NULL);
    for (size_t i = 0; i < count; i++) {
        cuzk_error error = {0};
        proof_job job;
        char *changed = replace(text, variations[i].old, variations[i].new);
        write_file(copy.directory, "job.json", changed);
        free(changed);
        cuzk_status status = job_load(&job, copy.path, &error);
        if (variations[i].message == NULL) {
            ASSERT_OK(status);
            job_free(&job);
            continue;
        }
        if (status == CUZK_OK || strstr(error.message, variations[i].message) == NULL)
            fail_msg("%s -> %s\nfound: %s\nexpected: %s", variations[i].old, variations[i].new, error.message,
                     variations[i].message);
        assert_true(strncmp(error.message, copy.directory, strlen(copy.directory)) == 0);
    }
    free(text);
    remove_job(&copy, vanilla);
}

#define CHECK(name, vanilla, variations) check_variations(name, vanilla, variations, sizeof variations / sizeof *variations)

static void porep_contradictions_are_named(void **state) {
    (void)state;
    static const variation variations[] = {
        {"\"registered_proof\": 5", "\"registered_proof\": 0",
         "job.json: registered_proof: found 0 (StackedDrg2KiBV1), expected 5 (StackedDrg2KiBV1_1), which the C1 output has"},
        {"\"registered_proof\": 5", "\"registered_proof\": 20",
         "job.json: registered_proof: found 20, expected 0 to 19 as proof_kind is POREP_SEAL_COMMIT"},
        {"\"registered_proof\": 5", "\"registered_proof\": 8",
         "sector_size: found 2048, expected 34359738368 as registered_proof is 8 (StackedDrg32GiBV1_1)"},
        {"\"registered_proof\": 5", "\"registered_proof\": -5", "job.json: registered_proof: found -5, expected an integer"},
        {"\"sector_size\": 2048", "\"sector_size\": 0", NULL},
        {"\"sector_size\": 2048,", "", NULL},
        {"\"sector_size\": 2048", "\"sector_size\": 4096", "job.json: sector_size: found 4096, expected 2048"},
        {"\"sector_number\": 16", "\"sector_number\": 17",
         "job.json: sector_number: found 17, expected 16, which the C1 output has as SectorNum"},
        {"\"sector_number\": 16,", "", NULL},
        {"\"miner_id\": 1001", "\"miner_id\": 1002",
         "job.json: miner_id: found 1002 with sector_number 16, which do not give the C1 output's replica_id"},
        {"\"miner_id\": 1001,", "", NULL},
        {"\"comm_r\": \"34e1", "\"comm_r\": \"35e1",
         "job.json: comm_r: found 35e1e77b96dbb40c371b0a68a66663c8b12b7caade3685b33074d4e082656433, expected 34e1"},
        {"\"comm_d\": \"cb47", "\"comm_d\": \"cc47", "job.json: comm_d: found cc47"},
        {"\"replica_id\": \"0859", "\"replica_id\": \"0959", "job.json: replica_id: found 0959"},
        {"\"seed\": \"6962", "\"seed\": \"6a62", "job.json: seed: found 6a62"},
        {"\"ticket\": \"e508", "\"ticket\": \"e608", "job.json: ticket: found e608"},
        {"\"porep_id\": \"05", "\"porep_id\": \"06", "job.json: porep_id: found 06"},
        {"\"comm_r\": \"34e1", "\"comm_r\": \"e1", "job.json: comm_r: found \"e1"},
        {"\"comm_r\"", "\"comm_rr\"", "job.json: comm_rr: found a field that is not known here"},
        {"\"proof_kind\"", "\"request_id\"", "job.json: found no \"proof_kind\" in the object"},
        {"\"POREP_SEAL_COMMIT\"", "\"POREP\"", "job.json: proof_kind: found \"POREP\", expected POREP_SEAL_COMMIT, WINNING_POST"},
        {"\"POREP_SEAL_COMMIT\"", "\"WINNING_POST\"", "job.json: found no \"vanilla_proofs\""},
        {"\"c1.json\"", "\"c2.json\"", "c2.json: cannot open"},
        {"\"c1.json\"", "\"../c1.json\"",
         "job.json: vanilla_proof: found \"../c1.json\", expected the name of a file beside the job"},
        {"\"c1.json\"", "\"job.json\"", "job.json: comm_d: found \"cb479a"},
        {"}", "} {}", "trailing garbage"},
    };
    CHECK("porep-StackedDrg2KiBV1_1", "c1.json", variations);
}

static void window_post_contradictions_are_named(void **state) {
    (void)state;
    static const variation variations[] = {
        {"\"registered_proof\": 5", "\"registered_proof\": 0",
         "registered_proof: found 0 (StackedDrgWinning2KiBV1), expected 5 to 14 as proof_kind is WINDOW_POST_PARTITION"},
        {"\"registered_proof\": 5", "\"registered_proof\": 10",
         "vanilla.json[1]: inclusion_proofs[0]: found leaf 20, expected 51"},
        {"\"partition_index\": 0", "\"partition_index\": 1", "vanilla.json[0]: inclusion_proofs[0]: found leaf 24, expected "},
        {"\"partition_index\": 0", "\"partition_index\": 4294967296", "job.json: partition_index: found 4294967296"},
        {"\"randomness\": \"b5", "\"randomness\": \"b6", "vanilla.json[0]: inclusion_proofs[0]: found leaf 24, expected "},
        {"8cf07e380f32\"", "8cf07e380ff2\"", "job.json: randomness: found a value that is not below the field's order"},
        {"\"randomness\"", "\"seed\"", "job.json: randomness: found nothing, expected 32 bytes"},
        {"\"prover_id\": \"ea", "\"prover_id\": \"eb", "job.json: prover_id: found eb07"},
        {"\"sector_number\": 21", "\"sector_number\": 22", "vanilla.json[0]: found sector 21, expected 22, which the job states"},
        {"\"comm_r\": \"b4", "\"comm_r\": \"b5", "vanilla.json[0]: comm_r: found another value than the job states"},
        {"\n        24,", "\n        25,", "vanilla.json[0]: found challenges that differ from those that the job states"},
        {"\n        24,", "\n", "vanilla.json[0]: found challenges that differ"},
        {"\"challenges\": [", "\"challenges\": [1.0,", "job.json: sectors[0].challenges[0]: found 1.0, expected an integer"},
        {"\"sectors\": [", "\"sectors\": [{},", "job.json: sectors[0]: found no \"sector_number\" in the object"},
        {"WINDOW_POST_PARTITION", "SNAP_DEALS_UPDATE",
         "job.json: registered_proof: found 5 (StackedDrg2KiBV1_1), expected 0 to 4 as proof_kind is SNAP_DEALS_UPDATE"},
        {"WINDOW_POST_PARTITION", "WINNING_POST",
         "registered_proof: found 5 (StackedDrgWindow2KiBV1), expected 0 to 4 as proof_kind is WINNING_POST"},
    };
    CHECK("window-post-v1", "vanilla.json", variations);
}

static void snap_contradictions_are_named(void **state) {
    (void)state;
    static const variation variations[] = {
        {"\"sector_size\": 2048,", "", NULL},
        {"\"comm_r_old\"", "\"comm_r\"", "job.json: comm_r_old: found nothing, expected 32 bytes"},
        {"\"comm_d_new\": \"95", "\"comm_d_new\": \"96",
         "vanilla.json[0]: challenge_proofs[0].proof_d_new.root: found another value than expected, comm_d_new"},
        {"\"comm_r_new\": \"a0", "\"comm_r_new\": \"a1", "vanilla.json[0]: challenge_proofs[0].proof_r_old: found leaf "},
        {"\"registered_proof\": 0", "\"registered_proof\": 3", "job.json: sector_size: found 2048, expected 34359738368"},
        {"\"sector_size\": 2048,\n", "\"sector_size\": 0,\n", NULL},
    };
    CHECK("snap-deals", "vanilla.json", variations);
}

/* The strings of a vanilla.json, of which the tests make other lists. */
static char *proof_string(const char *name, unsigned index) {
    char *text = (char *)read_test_file(job_path(name, "vanilla.json"), NULL), *at = text;
    for (unsigned i = 0; i <= 2 * index; i++)
        at = strchr(at, '"') + 1;
    size_t length = strcspn(at, "\"");
    memmove(text, at, length);
    text[length] = '\0';
    return text;
}

static void load_list(const job_copy *copy, const char *format, const char *first, const char *second, const char *message) {
    cuzk_error error = {0};
    proof_job job;
    size_t capacity = strlen(format) + 3 * (strlen(first) + strlen(second)) + 1;
    char *list = malloc(capacity), *at = list;
    for (const char *c = format; *c != '\0'; c++) { /* 1 and 2 stand for the proofs */
        if (*c == '1' || *c == '2')
            at += sprintf(at, "\"%s\"", *c == '1' ? first : second);
        else
            *at++ = *c;
    }
    *at = '\0';
    write_file(copy->directory, "vanilla.json", list);
    free(list);
    cuzk_status status = job_load(&job, copy->path, &error);
    if (message == NULL) {
        ASSERT_OK(status);
        job_free(&job);
    } else if (status == CUZK_OK || strstr(error.message, message) == NULL) {
        fail_msg("%s: found: %s\nexpected: %s", format, error.message, message);
    }
}

/* What the reference refuses is refused: no sectors, too many, the wrong order where positions count. */
static void lists_of_sectors_are_checked(void **state) {
    (void)state;
    const char *const names[] = {"window-post-v1", "window-post-v1_2"};
    for (unsigned i = 0; i < 2; i++) {
        job_copy copy;
        copy_job(&copy, names[i], "vanilla.json");
        char *text = (char *)read_test_file(copy.path, NULL);
        char *without = replace(text, "\"sectors\": [", "\"sectors\": 0, \"sectors\": ["); /* cut the sectors out */
        char *begin = strstr(without, "\"sectors\": 0"), *end = strstr(without, "\"vanilla_proofs\"");
        memmove(begin, end, strlen(end) + 1);
        write_file(copy.directory, "job.json", without);
        char *first = proof_string(names[i], 0), *second = proof_string(names[i], 1);
        bool positions_count = i == 0;
        load_list(&copy, "[1,2]", first, second, NULL);
        load_list(&copy, "[1]", first, second, NULL);
        load_list(&copy, "[]", first, second, "vanilla.json: found 0 proofs, expected 1 to 2");
        load_list(&copy, "[1,2,1]", first, second, "vanilla.json: found 3 proofs, expected 1 to 2");
        load_list(&copy, "[2,1]", first, second, positions_count ? "vanilla.json[0]: inclusion_proofs[0]: found leaf 20" : NULL);
        load_list(&copy, "[1,1]", first, second, positions_count ? "vanilla.json[1]: inclusion_proofs[0]: found leaf 24" : NULL);
        load_list(&copy, "1", first, second, "vanilla.json: found \"");
        load_list(&copy, "[1,{}]", first, second, "vanilla.json: [1]: found an object, expected a string");
        load_list(&copy, "[\"AAA\"]", first, second, "vanilla.json: [0]: found 3 characters of base64, expected a multiple of 4");
        load_list(&copy, "[\"AAAA\"]", first, second, "vanilla.json[0]: sector_id: found the end after 3 bytes, expected 5 more");
        load_list(&copy, "[\"A*AA\"]", first, second, "vanilla.json: [0]: found character 0x2a at position 1, expected base64");
        load_list(&copy, "[1,2]]", first, second, "trailing garbage");
        free(first);
        free(second);
        free(text);
        free(without);
        remove_job(&copy, "vanilla.json");
    }
}

static void damaged_job_files_do_no_harm(void **state) {
    (void)state;
    test_random random = {21};
    job_copy copy;
    copy_job(&copy, "window-post-v1_2", "vanilla.json");
    char *text = (char *)read_test_file(copy.path, NULL);
    size_t size = strlen(text);
    for (unsigned run = 0; run < 600; run++) {
        cuzk_error error = {0};
        proof_job job;
        size_t place = run < 300 ? size * run / 300 : test_random_u64(&random) % size;
        char kept = text[place];
        text[place] = run < 300 ? '\0' : (char)(' ' + test_random_u64(&random) % 95);
        write_file(copy.directory, "job.json", text);
        text[place] = kept;
        cuzk_status status = job_load(&job, copy.path, &error);
        assert_true(run >= 300 || status != CUZK_OK);
        if (status == CUZK_OK)
            job_free(&job);
        else
            assert_true(error.message[0] != '\0');
    }
    free(text);
    remove_job(&copy, "vanilla.json");
}

static void requests_without_files_are_read(void **state) {
    (void)state;
    cuzk_error error = {0};
    proof_job job;
    size_t size;
    uint8_t *c1 = read_test_file(job_path("porep-StackedDrg2KiBV1_1", "c1.json"), &size);
    proof_request request = {.kind = PROOF_POREP,
                             .registered_proof = 5,
                             .sector_number = {true, 16},
                             .miner_id = {true, 1001},
                             .vanilla_proof = {c1, size}};
    ASSERT_OK(job_from_request(&job, &request, &error));
    job_free(&job);
    request.vanilla_proof.size = 100;
    assert_int_equal(job_from_request(&job, &request, &error), CUZK_BAD_INPUT);
    assert_true(strncmp(error.message, "vanilla_proof: ", 15) == 0);
    request = (proof_request){.kind = PROOF_SNAP, .registered_proof = 3};
    assert_int_equal(job_from_request(&job, &request, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "vanilla_proofs: found 0 proofs, expected 16");
    free(c1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_all_kinds_are_read),
        cmocka_unit_test(larger_jobs_are_read),
        cmocka_unit_test(circuits_of_jobs_are_satisfied),
        cmocka_unit_test(porep_contradictions_are_named),
        cmocka_unit_test(window_post_contradictions_are_named),
        cmocka_unit_test(snap_contradictions_are_named),
        cmocka_unit_test(lists_of_sectors_are_checked),
        cmocka_unit_test(damaged_job_files_do_no_harm),
        cmocka_unit_test(requests_without_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
