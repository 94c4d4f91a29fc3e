/* Numbers of registered proofs, sector sizes and kinds that contradict each other: every combination of them. */
#include "support/support.h"

#include <inttypes.h>

#include "base/base64.h"
#include "filecoin/job.h"
#include "job_fixtures.h"

/* A job of 2 KiB of each kind and, where a kind has several proofs of that size, of each of them. */
static const struct {
    const char *name, *vanilla;
    proof_kind kind;
    unsigned number;
} JOBS[] = {
    {"porep-StackedDrg2KiBV1", "c1.json", PROOF_POREP, 0},
    {"porep-StackedDrg2KiBV1_1", "c1.json", PROOF_POREP, 5},
    {"porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep", "c1.json", PROOF_POREP, 10},
    {"porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", "c1.json", PROOF_POREP, 15},
    {"winning-post", "vanilla.json", PROOF_WINNING, 0},
    {"window-post-v1", "vanilla.json", PROOF_WINDOW, 5},
    {"window-post-v1_2", "vanilla.json", PROOF_WINDOW, 10},
    {"snap-deals", "vanilla.json", PROOF_SNAP, 0},
};
enum { JOB_COUNT = sizeof JOBS / sizeof *JOBS };

/* A copy of the i-th job and, returned, its job.json, which close_job frees. NULL where the job is not there: all but one are. */
static char *open_job(job_copy *copy, size_t i) {
    if (!job_path(JOBS[i].name, "job.json"))
        return NULL;
    copy_job(copy, JOBS[i].name, JOBS[i].vanilla);
    return (char *)read_test_file(copy->path, NULL);
}

static void close_job(const job_copy *copy, size_t i, char *text) {
    if (text)
        remove_job(copy, JOBS[i].vanilla);
    free(text);
}

/* The job as its job.json says, with what stands under a key (and the comma behind it) replaced. */
static char *with_member(const char *text, const char *key, const char *value) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    assert_non_null(at);
    size_t length = strlen(quoted) + strcspn(at + strlen(quoted), ",") + 1;
    char *result = malloc(strlen(text) + strlen(quoted) + strlen(value) + 2);
    sprintf(result, "%.*s%s%s%s%s", (int)(at - text), text, *value ? quoted : "", value, *value ? "," : "", at + length);
    return result;
}

static void assert_says(const char *found, const char *expected) {
    if (!strstr(found, expected))
        fail_msg("found: %s\nexpected in it: %s", found, expected);
}

/* Loads the job with another number and no sector size; what it says then. */
static cuzk_status load_with_number(const job_copy *copy, const char *text, uint64_t registered, cuzk_error *error) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, registered);
    char *numbered = with_member(text, "registered_proof", digits), *changed = with_member(numbered, "sector_size", "");
    write_file(copy->directory, "job.json", changed);
    free(numbered);
    free(changed);
    proof_job job;
    cuzk_status status = job_load(&job, copy->path, error);
    if (status == CUZK_OK) {
        assert_int_equal(job.proof->number, registered);
        job_free(&job);
    }
    return status;
}

/* A kind has no such number: the message names it, the kind, and, where another kind has it, that one's proof. */
static void assert_number_unknown(const cuzk_error *error, proof_kind kind, uint64_t registered) {
    char words[64];
    snprintf(words, sizeof words, "registered_proof: found %" PRIu64, registered);
    assert_says(error->message, words);
    snprintf(words, sizeof words, "as proof_kind is %s", proof_kind_request_name(kind));
    assert_says(error->message, words);
}

/* Every number that any proof has, and some that none has, with the vanilla proofs of each job. */
static void every_number_under_every_kind(void **state) {
    (void)state;
    static const uint64_t strange[] = {20, 21, 255, 256, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < JOB_COUNT; i++) {
        job_copy copy;
        char *text = open_job(&copy, i);
        for (unsigned n = 0; text && n < 20 + sizeof strange / sizeof *strange; n++) {
            uint64_t registered = n < 20 ? n : strange[n - 20];
            cuzk_error error = {0};
            cuzk_status status = load_with_number(&copy, text, registered, &error);
            if (registered == JOBS[i].number) {
                ASSERT_OK(status);
                continue;
            }
            assert_int_equal(status, CUZK_BAD_INPUT);
            assert_says(error.message, "found ");
            assert_says(error.message, "expected ");
            if (!registered_proof_find(JOBS[i].kind, registered))
                assert_number_unknown(&error, JOBS[i].kind, registered);
        }
        close_job(&copy, i, text);
    }
}

/* A C1 output names its own proof: each of the other numbers is refused with both names. */
static void every_seal_proof_against_one_output(void **state) {
    (void)state;
    for (size_t i = 0; i < JOB_COUNT && JOBS[i].kind == PROOF_POREP; i++) {
        job_copy copy;
        char *text = open_job(&copy, i);
        const registered_proof *own = registered_proof_find(PROOF_POREP, JOBS[i].number);
        for (unsigned registered = 0; text && registered < 20; registered++) {
            if (registered == own->number)
                continue;
            cuzk_error error = {0};
            char words[240];
            assert_int_equal(load_with_number(&copy, text, registered, &error), CUZK_BAD_INPUT);
            snprintf(words, sizeof words, "registered_proof: found %u (%s), expected %u (%s), which the C1 output has",
                     registered, registered_proof_find(PROOF_POREP, registered)->name, own->number, own->name);
            assert_says(error.message, words);
        }
        close_job(&copy, i, text);
    }
}

/* Left out, or 0: it follows from the registered proof. Any other size than that proof's is named with it. */
static void sector_size_may_be_left_out_in_every_kind(void **state) {
    (void)state;
    for (size_t i = 0; i < JOB_COUNT; i++) {
        job_copy copy;
        char *text = open_job(&copy, i);
        static const char *const sizes[] = {"", "0", "2048", "1", "2047", "8388608", "34359738368", "18446744073709551615"};
        for (size_t j = 0; text && j < sizeof sizes / sizeof *sizes; j++) {
            cuzk_error error = {0};
            proof_job job;
            char *changed = with_member(text, "sector_size", sizes[j]), words[80];
            write_file(copy.directory, "job.json", changed);
            free(changed);
            cuzk_status status = job_load(&job, copy.path, &error);
            if (j < 3) {
                ASSERT_OK(status);
                assert_int_equal(job.proof->shape->bytes, 2048);
                job_free(&job);
                continue;
            }
            assert_int_equal(status, CUZK_BAD_INPUT);
            snprintf(words, sizeof words, "sector_size: found %s, expected 2048 as registered_proof is %u", sizes[j],
                     JOBS[i].number);
            assert_says(error.message, words);
        }
        close_job(&copy, i, text);
    }
}

/* The JSON inside an envelope; its size in *size. */
static uint8_t *inner_document(const char *path, size_t *size) {
    char *envelope = (char *)read_test_file(path, NULL), *text = strstr(envelope, "\"Phase1Out\":\"");
    assert_non_null(text);
    text += strlen("\"Phase1Out\":\"");
    size_t length = strcspn(text, "\""), bad;
    uint8_t *inner = malloc(base64_capacity(length));
    assert_true(base64_decode(inner, size, text, length, &bad));
    free(envelope);
    return inner;
}

static void bare_outputs_and_envelopes_make_the_same_job(void **state) {
    (void)state;
    const char *path = data_path("jobs/porep-StackedDrg2KiBV1_1/c1.json");
    size_t sizes[2];
    uint8_t *texts[2] = {read_test_file(path, &sizes[0]), inner_document(path, &sizes[1])};
    fr inputs[2][200];
    unsigned count = 0;
    for (unsigned bare = 0; bare < 2; bare++) {
        cuzk_error error = {0};
        proof_job job;
        proof_request request = {.kind = PROOF_POREP,
                                 .registered_proof = 5,
                                 .sector_number = {true, 16},
                                 .miner_id = {true, 1001},
                                 .vanilla_proof = {texts[bare], sizes[bare]}};
        ASSERT_OK(job_from_request(&job, &request, &error));
        assert_int_equal(job.sector_number, 16);
        count = job_public_input_count(&job);
        assert_true(count <= 200);
        job_public_inputs(inputs[bare], &job, 0);
        job_free(&job);

        /* Another sector: the envelope says which it is; a bare output's replica_id does. */
        request.sector_number.value = 17;
        assert_int_equal(job_from_request(&job, &request, &error), CUZK_BAD_INPUT);
        assert_says(error.message,
                    bare ? "miner_id: found 1001 with sector_number 17, which do not give the C1 output's replica_id"
                         : "sector_number: found 17, expected 16, which the C1 output has as SectorNum");
        /* Without its number the envelope's is taken, and a bare output has none. */
        request.sector_number.given = false;
        ASSERT_OK(job_from_request(&job, &request, &error));
        assert_int_equal(job.sector_number, bare ? 0 : 16);
        job_free(&job);
        free(texts[bare]);
    }
    assert_memory_equal(inputs[0], inputs[1], count * sizeof(fr));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_under_every_kind),
        cmocka_unit_test(every_seal_proof_against_one_output),
        cmocka_unit_test(sector_size_may_be_left_out_in_every_kind),
        cmocka_unit_test(bare_outputs_and_envelopes_make_the_same_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
