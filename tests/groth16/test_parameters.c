#include "support/support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "groth16/file_digest.h"
#include "groth16/parameters_check.h"
#include "groth16/point_check.h"
#include "groth16/prover.h"
#include "groth16/verifier.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

/* The parameters of y = 3^(2^5): ic 2, h 7, l 5, a 7, b 5. */
static struct {
    parameters p;
    uint8_t *bytes, *key_bytes;
    size_t size, key_size;
    uint8_t proof[PROOF_BYTES];
    fr input;
} sample;

static int create_sample(void **state) {
    if (scratch_create(state) != 0)
        return -1;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    toxic_waste waste = waste_of(1);
    small_setup(&sample.p, "sample", &c.base, &waste);
    sample.bytes = read_test_file(scratch_path("sample.params"), &sample.size);
    sample.key_bytes = read_test_file(scratch_path("sample.vk"), &sample.key_size);
    ASSERT_OK(groth16_prove(sample.proof, &c.base, &sample.p, NULL, NULL, NULL, NULL, &error));
    fr_from_u64(&sample.input, 3);
    fr_power(&sample.input, &sample.input, 32);
    return 0;
}

static int remove_sample(void **state) {
    parameters_close(&sample.p);
    free(sample.bytes);
    free(sample.key_bytes);
    return scratch_remove(state);
}

static void assert_words(const cuzk_error *error, const char *words) {
    if (!strstr(error->message, words))
        fail_msg("found \"%s\", expected \"%s\" in it", error->message, words);
}

/* ---- structure ---- */

static void assert_parameters_refused(const uint8_t *bytes, size_t size, const char *words) {
    cuzk_error error = {0};
    parameters p;
    const char *path = scratch_path("bad.params");
    scratch_write(path, bytes, size);
    assert_int_equal(parameters_open(&p, path, NULL, &error), CUZK_BAD_INPUT);
    assert_words(&error, "bad.params: ");
    assert_words(&error, words);
}

static void assert_key_refused(const uint8_t *bytes, size_t size, const char *words) {
    cuzk_error error = {0};
    verifying_key vk;
    const char *path = scratch_path("bad.vk");
    scratch_write(path, bytes, size);
    assert_int_equal(verifying_key_read(&vk, path, NULL, &error), CUZK_BAD_INPUT);
    assert_words(&error, "bad.vk: ");
    assert_words(&error, words);
    assert_null(vk.ic);
}

static void the_sample_opens(void **state) {
    (void)state;
    const parameters *p = &sample.p;
    static const uint32_t counts[SECTION_COUNT] = {2, 7, 5, 7, 5, 5};
    uint64_t offset = VERIFYING_KEY_HEAD_BYTES;
    for (section s = SECTION_IC; s < SECTION_COUNT; s++) {
        assert_int_equal(parameters_count(p, s), counts[s]);
        offset += 4;
        assert_int_equal(p->layout.sections[s].offset, offset);
        assert_ptr_equal(parameters_points(p, s), p->file.data + offset);
        offset += counts[s] * section_point_bytes(s);
    }
    assert_int_equal(offset, sample.size);
    /* The key is the file's head, and is written as it was read. */
    assert_memory_equal(sample.bytes, sample.key_bytes, sample.key_size);
    cuzk_error error = {0};
    verifying_key vk;
    ASSERT_OK(verifying_key_read(&vk, scratch_path("sample.vk"), NULL, &error));
    assert_true(verifying_key_equal(&vk, &p->vk));
    FILE *stream = fopen(scratch_path("again.vk"), "wb");
    verifying_key_write(&vk, stream);
    assert_int_equal(fclose(stream), 0);
    size_t size;
    uint8_t *again = read_test_file(scratch_path("again.vk"), &size);
    assert_int_equal(size, sample.key_size);
    assert_memory_equal(again, sample.key_bytes, size);
    free(again);
    verifying_key_free(&vk);
}

/* Every length but the right one; around the boundaries the section is named. */
static void cut_parameters_are_refused(void **state) {
    (void)state;
    for (size_t size = 0; size < sample.size; size++) {
        cuzk_error error = {0};
        file_layout layout;
        assert_int_equal(parameters_layout(&layout, sample.bytes, size, "x", &error), CUZK_BAD_INPUT);
        assert_words(&error, "found");
    }
    assert_parameters_refused(sample.bytes, 0, "verifying key: found 0 bytes, expected at least 868");
    assert_parameters_refused(sample.bytes, 1, "verifying key: found 1 bytes, expected at least 868");
    for (section s = SECTION_IC; s < SECTION_COUNT; s++) {
        char words[96];
        size_t begin = (size_t)sample.p.layout.sections[s].offset,
               needed = parameters_count(&sample.p, s) * section_point_bytes(s);
        if (s != SECTION_IC) {
            snprintf(words, sizeof words, "%s: found 0 bytes, expected a count of 4 bytes", section_name(s));
            assert_parameters_refused(sample.bytes, begin - 4, words);
        }
        snprintf(words, sizeof words, "%s: found 0 bytes, expected %zu for its count of %u points", section_name(s), needed,
                 parameters_count(&sample.p, s));
        assert_parameters_refused(sample.bytes, begin, words);
        snprintf(words, sizeof words, "%s: found %zu bytes, expected %zu for", section_name(s), needed - 1, needed);
        assert_parameters_refused(sample.bytes, begin + needed - 1, words);
    }
}

static void long_parameters_are_refused(void **state) {
    (void)state;
    uint8_t *longer = calloc(1, sample.size + 200);
    memcpy(longer, sample.bytes, sample.size);
    for (size_t more = 1; more <= 200; more += 7)
        assert_parameters_refused(longer, sample.size + more, "the file goes on behind its last section b_g2");
    free(longer);
}

static void counts_are_not_trusted(void **state) {
    (void)state;
    static const uint32_t counts[] = {UINT32_MAX, UINT32_MAX / 96 + 1, UINT32_MAX / 192 + 1, 0x80000000, 0x01000000, 100, 8};
    uint8_t *bytes = malloc(sample.size);
    for (section s = SECTION_IC; s < SECTION_COUNT; s++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            memcpy(bytes, sample.bytes, sample.size);
            store_u32_be(bytes + sample.p.layout.sections[s].offset - 4, counts[i]);
            assert_parameters_refused(bytes, sample.size, "found");
        }
    free(bytes);
    uint8_t *key = malloc(sample.key_size);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        memcpy(key, sample.key_bytes, sample.key_size);
        store_u32_be(key + VERIFYING_KEY_HEAD_BYTES, counts[i]);
        assert_key_refused(key, sample.key_size, "ic: found");
    }
    store_u32_be(key + VERIFYING_KEY_HEAD_BYTES, 0);
    assert_key_refused(key, VERIFYING_KEY_HEAD_BYTES + 4, "ic: found 0 points, expected at least 1");
    free(key);
}

/* Sections that fit the file but not each other: 96 bytes moved from one to another. */
static void sections_must_agree(void **state) {
    (void)state;
    enum { HEAD = VERIFYING_KEY_HEAD_BYTES };
    const struct {
        uint32_t counts[SECTION_COUNT];
        const char *words;
    } cases[] = {{{2, 6, 5, 7, 5, 5}, "h: found 6 points, expected a power of two less one"},
                 {{2, 8, 5, 7, 5, 5}, "h: found 8 points"},
                 {{3, 7, 5, 2, 5, 5}, "a: found 2 points, expected at least the 3 of ic"},
                 {{2, 7, 5, 7, 4, 5}, "b_g2: found 5 points, expected 4 as in b_g1"},
                 {{2, 7, 5, 7, 6, 5}, "b_g2: found 5 points, expected 6 as in b_g1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[16384];
        memcpy(bytes, sample.bytes, HEAD);
        size_t size = HEAD;
        for (section s = SECTION_IC; s < SECTION_COUNT; s++) {
            store_u32_be(bytes + size, cases[i].counts[s]);
            size += 4;
            for (uint32_t j = 0; j < cases[i].counts[s]; j++, size += section_point_bytes(s))
                s == SECTION_B_G2 ? g2_encode(bytes + size, G2_GENERATOR) : g1_encode(bytes + size, G1_GENERATOR);
        }
        assert_parameters_refused(bytes, size, cases[i].words);
    }
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    parameters p;
    verifying_key vk;
    assert_int_equal(mkdir(scratch_path("folder.params"), 0700), 0);
    assert_int_equal(mkfifo(scratch_path("pipe.params"), 0600), 0);
    assert_int_equal(parameters_open(&p, scratch_path("folder.params"), NULL, &error), CUZK_BAD_INPUT);
    assert_words(&error, "folder.params: found a directory");
    assert_int_equal(parameters_open(&p, scratch_path("pipe.params"), NULL, &error), CUZK_BAD_INPUT);
    assert_words(&error, "pipe.params: found a FIFO");
    assert_int_equal(verifying_key_read(&vk, scratch_path("folder.params"), NULL, &error), CUZK_BAD_INPUT);
    assert_int_equal(verifying_key_read(&vk, scratch_path("pipe.params"), NULL, &error), CUZK_BAD_INPUT);
    assert_int_equal(parameters_open(&p, scratch_path("absent.params"), NULL, &error), CUZK_NOT_FOUND);
    assert_words(&error, "absent.params: cannot open");
}

/* ---- points of the key ---- */

/* (0, 2), of order 3, and for G2 a point of the curve outside the subgroup, uncompressed. */
static void encode_low_order(uint8_t *out, size_t bytes) {
    memset(out, 0, bytes);
    if (bytes == G1_BYTES) {
        out[G1_BYTES - 1] = 2;
        return;
    }
    for (uint8_t x = 1;; x++) {
        uint8_t compressed[G2_COMPRESSED_BYTES] = {0x80};
        compressed[G2_COMPRESSED_BYTES - 1] = x;
        blst_p2_affine point;
        if (blst_p2_uncompress(&point, compressed) == BLST_SUCCESS && !blst_p2_affine_in_g2(&point)) {
            blst_p2_affine_serialize(out, &point);
            return;
        }
    }
}

/* True if a key of these bytes is accepted and the sample's proof is valid under it. */
static bool proof_is_valid_under(const uint8_t *key, size_t size) {
    cuzk_error error = {0};
    file_layout layout;
    verifying_key vk;
    if (verifying_key_layout(&layout, key, size, "x", &error) != CUZK_OK ||
        verifying_key_decode(&vk, key, &layout, "x", NULL, &error) != CUZK_OK)
        return false;
    verification verdict;
    cuzk_status status = groth16_verify(&verdict, &vk, sample.proof, &sample.input, 1, NULL, &error);
    verifying_key_free(&vk);
    return status == CUZK_OK && verdict.valid;
}

/* beta_g1 and delta_g1 (bytes 96 .. 191 and 576 .. 671) are the prover's: no verifier uses them, so a flip there must be
 * caught by the point check alone. */
static void a_flipped_byte_of_the_key_is_never_valid(void **state) {
    (void)state;
    assert_true(proof_is_valid_under(sample.key_bytes, sample.key_size));
    uint8_t *key = malloc(sample.key_size);
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < sample.key_size; at++)
        for (size_t i = 0; i < sizeof flips; i++) {
            memcpy(key, sample.key_bytes, sample.key_size);
            key[at] ^= flips[i];
            if (proof_is_valid_under(key, sample.key_size))
                fail_msg("byte %zu ^ 0x%02x: valid", at, flips[i]);
        }
    free(key);
}

static void bad_points_of_the_key_are_named(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t offset, bytes;
    } points[] = {{"alpha_g1", 0, 96},   {"beta_g1", 96, 96},    {"beta_g2", 192, 192}, {"gamma_g2", 384, 192},
                  {"delta_g1", 576, 96}, {"delta_g2", 672, 192}, {"ic[0]", 868, 96},    {"ic[1]", 964, 96}};
    uint8_t *key = malloc(sample.key_size);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        char words[96];
        memcpy(key, sample.key_bytes, sample.key_size);
        key[points[i].offset + points[i].bytes - 1] ^= 1;
        snprintf(words, sizeof words, "bad.vk: %s: found %s", points[i].name, point_error_text(POINT_NOT_ON_CURVE));
        assert_key_refused(key, sample.key_size, words);
        memset(key + points[i].offset, 0, points[i].bytes);
        key[points[i].offset] = 0x40;
        snprintf(words, sizeof words, "bad.vk: %s: found %s", points[i].name, point_error_text(POINT_IS_INFINITY));
        assert_key_refused(key, sample.key_size, words);
        encode_low_order(key + points[i].offset, points[i].bytes);
        snprintf(words, sizeof words, "bad.vk: %s: found %s", points[i].name, point_error_text(POINT_NOT_IN_SUBGROUP));
        assert_key_refused(key, sample.key_size, words);
    }
    free(key);
}

/* ---- full check ---- */

static cuzk_status check_file(const char *path, bool force, check_result *result, cuzk_error *error) {
    parameters p;
    TRY(parameters_open(&p, path, NULL, error));
    thread_pool *pool = thread_pool_create(2);
    cuzk_status status = parameters_check(result, &p, NULL, force, pool, NULL, error);
    thread_pool_destroy(pool);
    parameters_close(&p);
    return status;
}

static void assert_outcome(const char *path, bool force, check_outcome expected) {
    cuzk_error error = {0};
    check_result result;
    ASSERT_OK(check_file(path, force, &result, &error));
    assert_int_equal(result.outcome, expected);
    assert_true(result.recorded);
}

static void assert_point_refused(section s, uint32_t index, const uint8_t *point, point_error why) {
    cuzk_error error = {0};
    check_result result;
    uint8_t *bytes = malloc(sample.size);
    memcpy(bytes, sample.bytes, sample.size);
    memcpy(bytes + sample.p.layout.sections[s].offset + index * section_point_bytes(s), point, section_point_bytes(s));
    scratch_write(scratch_path("points.params"), bytes, sample.size);
    free(bytes);
    assert_int_equal(check_file(scratch_path("points.params"), false, &result, &error), CUZK_BAD_INPUT);
    char words[128];
    snprintf(words, sizeof words, "points.params: %s[%u]: found %s, expected", section_name(s), index, point_error_text(why));
    assert_words(&error, words);
    assert_int_equal(access(scratch_path("points.params.checked"), F_OK), -1);
}

static void bad_points_are_named(void **state) {
    (void)state;
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint32_t last = parameters_count(&sample.p, s) - 1;
        size_t bytes = section_point_bytes(s);
        for (uint32_t index = 0; index <= last; index += last) {
            uint8_t point[G2_BYTES] = {0x40};
            assert_point_refused(s, index, point, POINT_IS_INFINITY);
            encode_low_order(point, bytes);
            assert_point_refused(s, index, point, POINT_NOT_IN_SUBGROUP);
            memcpy(point, parameters_points(&sample.p, s), bytes);
            point[bytes - 1] ^= 1;
            assert_point_refused(s, index, point, POINT_NOT_ON_CURVE);
            memset(point, 0x1f, bytes);
            assert_point_refused(s, index, point, POINT_BAD_COORDINATE);
            memcpy(point, parameters_points(&sample.p, s), bytes);
            point[0] |= 0x80;
            assert_point_refused(s, index, point, POINT_BAD_FLAGS);
        }
    }
}

/* Of several bad points the first is named, with any number of threads. */
static void the_first_bad_point_is_named(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    uint8_t *bytes = malloc(sample.size);
    memcpy(bytes, sample.bytes, sample.size);
    for (uint32_t index = 2; index < 7; index++)
        bytes[sample.p.layout.sections[SECTION_A].offset + (index + 1) * G1_BYTES - 1] ^= 1;
    bytes[sample.size - 1] ^= 1;
    scratch_write(scratch_path("several.params"), bytes, sample.size);
    free(bytes);
    assert_int_equal(check_file(scratch_path("several.params"), false, &result, &error), CUZK_BAD_INPUT);
    assert_words(&error, "several.params: a[2]: found");
}

static void checks_are_remembered(void **state) {
    (void)state;
    const char *path = scratch_path("memory.params"), *record = scratch_path("memory.params.checked");
    scratch_write(path, sample.bytes, sample.size);
    assert_outcome(path, false, CHECK_DONE);
    assert_outcome(path, false, CHECK_REMEMBERED);
    assert_outcome(path, true, CHECK_DONE);
    assert_outcome(path, false, CHECK_REMEMBERED);

    size_t size;
    uint8_t *text = read_test_file(record, &size);
    assert_non_null(strstr((char *)text, "\"blake2b_512\": \""));
    assert_non_null(strstr((char *)text, "\"size\": "));
    assert_non_null(strstr((char *)text, "\"modified_ns\": "));

    /* Touched: another time, the same content. */
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_outcome(path, false, CHECK_SAME_CONTENT);
    assert_outcome(path, false, CHECK_REMEMBERED);
    /* Written anew with the same bytes, and the time set back. */
    scratch_write(path, sample.bytes, sample.size);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_outcome(path, false, CHECK_SAME_CONTENT);

    /* Records that are none: the file is checked again. */
    static const char *const garbage[] = {"", "{", "[]", "{\"size\": 1}", "{\"size\": -1}", "null", "{\"blake2b_512\": \"00\"}"};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        scratch_write(record, (const uint8_t *)garbage[i], strlen(garbage[i]));
        assert_outcome(path, false, CHECK_DONE);
        assert_outcome(path, false, CHECK_REMEMBERED);
    }
    scratch_write(record, text, size / 2);
    assert_outcome(path, false, CHECK_DONE);
    free(text);
}

/* An edited or swapped file is checked again even if size and modification time are as they were. */
static void edited_and_swapped_files_are_checked_again(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    const char *path = scratch_path("edited.params");
    scratch_write(path, sample.bytes, sample.size);
    assert_outcome(path, false, CHECK_DONE);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    const struct timespec times[2] = {status.st_atim, status.st_mtim};

    uint8_t *bytes = malloc(sample.size);
    memcpy(bytes, sample.bytes, sample.size);
    bytes[sample.size - 1] ^= 1;
    scratch_write(path, bytes, sample.size);
    free(bytes);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(check_file(path, false, &result, &error), CUZK_BAD_INPUT);
    assert_words(&error, "edited.params: b_g2[4]: found");
    assert_int_equal(access(scratch_path("edited.params.checked"), F_OK), -1);

    scratch_write(path, sample.bytes, sample.size);
    assert_outcome(path, false, CHECK_DONE);
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    toxic_waste waste = waste_of(9);
    parameters other;
    small_setup(&other, "swap", &c.base, &waste);
    parameters_close(&other);
    assert_int_equal(utimensat(AT_FDCWD, scratch_path("swap.params"), times, 0), 0);
    assert_int_equal(rename(scratch_path("swap.params"), path), 0);
    assert_outcome(path, false, CHECK_DONE);
}

static void a_check_without_a_record_still_counts(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    const char *path = scratch_path("stuck.params");
    scratch_write(path, sample.bytes, sample.size);
    assert_int_equal(mkdir(scratch_path("stuck.params.checked"), 0700), 0);
    ASSERT_OK(check_file(path, false, &result, &error));
    assert_int_equal(result.outcome, CHECK_DONE);
    assert_false(result.recorded);
}

static void a_cancelled_check_records_nothing(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    const char *path = scratch_path("cancelled.params");
    scratch_write(path, sample.bytes, sample.size);
    parameters p;
    ASSERT_OK(parameters_open(&p, path, NULL, &error));
    progress job;
    progress_init(&job, NULL);
    progress_cancel(&job);
    assert_int_equal(parameters_check(&result, &p, NULL, false, NULL, &job, &error), CUZK_CANCELLED);
    assert_int_equal(access(scratch_path("cancelled.params.checked"), F_OK), -1);
    parameters_close(&p);
}

/* ---- digests and the published list ---- */

static void digest_of(const char *path, uint8_t digest[FILE_DIGEST_BYTES]) {
    cuzk_error error = {0};
    mapped_file file;
    ASSERT_OK(mapped_file_open(&file, path, &error));
    ASSERT_OK(file_digest(digest, &file, NULL, &error));
    mapped_file_close(&file);
}

/* BLAKE2b-512 of "abc", RFC 7693 appendix A. */
static void digest_of_a_file(void **state) {
    (void)state;
    uint8_t expected[FILE_DIGEST_BYTES], digest[FILE_DIGEST_BYTES];
    assert_true(hex_decode(expected, sizeof expected,
                           "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                           "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"));
    scratch_write(scratch_path("abc"), (const uint8_t *)"abc", 3);
    digest_of(scratch_path("abc"), digest);
    assert_memory_equal(digest, expected, sizeof expected);
}

static void published_files_are_compared(void **state) {
    (void)state;
    cuzk_error error = {0};
    published_file entry;
    static const char list[] =
        "{\"other\": {\"cid\": \"x\", \"digest\": \"00000000000000000000000000000000\", \"sector_size\": 1},\n"
        " \"abc\": {\"cid\": \"y\", \"digest\": \"ba80a53f981c4d0d6a2797b69f12f6e9\", \"sector_size\": 2048}}";
    scratch_write(scratch_path("abc"), (const uint8_t *)"abc", 3);
    scratch_write(scratch_path("list.json"), (const uint8_t *)list, sizeof list - 1);
    const char *path = scratch_path("list.json");
    ASSERT_OK(published_file_find(&entry, path, "absent", &error));
    assert_false(entry.found);
    ASSERT_OK(published_file_find(&entry, path, "abc", &error));
    assert_true(entry.found);
    assert_int_equal(entry.sector_size, 2048);
    uint8_t digest[FILE_DIGEST_BYTES];
    digest_of(scratch_path("abc"), digest);
    ASSERT_OK(published_file_compare(&entry, digest, "abc", &error));
    ASSERT_OK(published_file_find(&entry, path, "other", &error));
    assert_int_equal(published_file_compare(&entry, digest, "abc", &error), CUZK_BAD_INPUT);
    assert_words(&error,
                 "abc: BLAKE2b digest: found ba80a53f981c4d0d6a2797b69f12f6e9, expected 00000000000000000000000000000000");

    static const struct {
        const char *text, *words;
    } bad[] = {{"", "bad.json: "},
               {"[]", "bad.json: "},
               {"{\"abc\": 1}", "abc"},
               {"{\"abc\": {\"digest\": \"00\", \"sector_size\": 1}}", "abc.digest"},
               {"{\"abc\": {\"digest\": \"ba80a53f981c4d0d6a2797b69f12f6e9\", \"sector_size\": -1}}", "abc.sector_size"},
               {"{\"abc\": {\"digest\": \"ba80a53f981c4d0d6a2797b69f12f6e9\"}}", "sector_size"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_write(scratch_path("bad.json"), (const uint8_t *)bad[i].text, strlen(bad[i].text));
        assert_int_equal(published_file_find(&entry, scratch_path("bad.json"), "abc", &error), CUZK_BAD_INPUT);
        assert_words(&error, bad[i].words);
    }
    assert_int_equal(published_file_find(&entry, scratch_path("absent.json"), "abc", &error), CUZK_NOT_FOUND);
}

static void the_reference_list_can_be_read(void **state) {
    (void)state;
    if (!shared_path("parameters.json"))
        skip();
    cuzk_error error = {0};
    published_file entry;
    static const char name[] = "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-"
                               "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63.params";
    ASSERT_OK(published_file_find(&entry, shared_path("parameters.json"), name, &error));
    assert_true(entry.found);
    assert_int_equal(entry.sector_size, 8388608);
    assert_int_equal(entry.digest[0], 0x5a);
}

/* A published digest stands for the check of the points, and another content under a published name is refused. */
static void published_parameters_need_their_digest(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    uint8_t digest[FILE_DIGEST_BYTES];
    scratch_write(scratch_path("v28.params"), sample.bytes, sample.size);
    digest_of(scratch_path("v28.params"), digest);
    published_file entry = {.found = true}, other = {.found = true};
    memcpy(entry.digest, digest, PUBLISHED_DIGEST_BYTES);

    parameters p;
    ASSERT_OK(parameters_open(&p, scratch_path("v28.params"), NULL, &error));
    static const struct {
        bool force;
        check_outcome expected;
    } runs[] = {{false, CHECK_PUBLISHED}, {false, CHECK_REMEMBERED}, {true, CHECK_DONE}, {false, CHECK_REMEMBERED}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        ASSERT_OK(parameters_check(&result, &p, &entry, runs[i].force, NULL, NULL, &error));
        assert_int_equal(result.outcome, runs[i].expected);
        assert_true(result.recorded);
        assert_memory_equal(result.digest, digest, FILE_DIGEST_BYTES);
    }
    /* With a record and without one. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(parameters_check(&result, &p, &other, false, NULL, NULL, &error), CUZK_BAD_INPUT);
        assert_words(&error, "v28.params: BLAKE2b digest: found ");
        assert_words(&error, "expected 00000000000000000000000000000000 as published");
        assert_int_equal(access(scratch_path("v28.params.checked"), F_OK), -1);
    }
    parameters_close(&p);
}

/* What setup has made needs no check, until it is changed. */
static void made_parameters_are_recorded(void **state) {
    (void)state;
    cuzk_error error = {0};
    check_result result;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 3);
    toxic_waste waste = waste_of(3);
    parameters p;
    small_setup(&p, "made", &c.base, &waste);
    ASSERT_OK(parameters_check(&result, &p, NULL, false, NULL, NULL, &error));
    assert_int_equal(result.outcome, CHECK_REMEMBERED);
    parameters_close(&p);
    assert_false(parameters_record_made(scratch_path("absent.params"), NULL));
}

/* ---- what a file is ---- */

static file_description describe(const char *name, const uint8_t *bytes, size_t size) {
    cuzk_error error = {0};
    scratch_write(scratch_path(name), bytes, size);
    mapped_file file;
    ASSERT_OK(mapped_file_open(&file, scratch_path(name), &error));
    file_description description;
    file_describe(&description, &file, name);
    mapped_file_close(&file);
    return description;
}

static void files_are_told_apart(void **state) {
    (void)state;
    file_description d = describe("x", sample.bytes, sample.size);
    assert_int_equal(d.kind, FILE_PARAMETERS);
    assert_int_equal(d.layout.sections[SECTION_A].count, 7);
    d = describe("x", sample.key_bytes, sample.key_size);
    assert_int_equal(d.kind, FILE_VERIFYING_KEY);
    assert_int_equal(d.layout.sections[SECTION_IC].count, 2);
    uint8_t proofs[3 * PROOF_BYTES];
    for (size_t i = 0; i < 3; i++)
        memcpy(proofs + i * PROOF_BYTES, sample.proof, PROOF_BYTES);
    for (size_t count = 1; count <= 3; count++) {
        d = describe("x", proofs, count * PROOF_BYTES);
        assert_int_equal(d.kind, FILE_PROOFS);
        assert_int_equal(d.proofs, count);
    }
    d = describe("x", proofs, 2 * PROOF_BYTES - 1);
    assert_int_equal(d.kind, FILE_UNKNOWN);
    assert_words(&d.reason, "x: found 383 bytes, expected proofs of 192 bytes each");
    d = describe("x", sample.bytes, sample.size - 1);
    assert_int_equal(d.kind, FILE_UNKNOWN);
    assert_words(&d.reason, "x: b_g2: found 959 bytes, expected 960");
    d = describe("x", sample.bytes, 0);
    assert_int_equal(d.kind, FILE_UNKNOWN);
    assert_words(&d.reason, "found 0 bytes");
}

/* Circuits without inputs, without variables in B, without variables or without constraints: their files have sections of no
 * points, which are opened, checked and told what they are like any other. */
static void empty_sections_are_sound(void **state) {
    (void)state;
    static const struct {
        small_circuit_kind kind;
        size_t size;
        uint32_t counts[SECTION_COUNT];
    } cases[] = {{CIRCUIT_ONE_IN_B, 0, {1, 0, 0, 1, 0, 0}},
                 {CIRCUIT_ONE_IN_B, 3, {1, 3, 0, 1, 1, 1}},
                 {CIRCUIT_EMPTY_B, 3, {1, 3, 3, 4, 0, 0}},
                 {CIRCUIT_PRIVATE, 2, {1, 3, 3, 3, 2, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cuzk_error error = {0};
        small_circuit c = small_circuit_make(cases[i].kind, cases[i].size);
        toxic_waste waste = waste_of(4);
        parameters p;
        small_setup(&p, "empty", &c.base, &waste);
        check_result result;
        ASSERT_OK(parameters_check(&result, &p, NULL, true, NULL, NULL, &error));
        assert_int_equal(result.outcome, CHECK_DONE);
        file_description d;
        file_describe(&d, &p.file, "empty.params");
        assert_int_equal(d.kind, FILE_PARAMETERS);
        for (section s = SECTION_IC; s < SECTION_COUNT; s++) {
            assert_int_equal(parameters_count(&p, s), cases[i].counts[s]);
            assert_int_equal(d.layout.sections[s].count, cases[i].counts[s]);
        }
        parameters_close(&p);
    }
}

/* ---- reference parameters ---- */

static void reference_parameters_are_sound(void **state) {
    (void)state;
    static const char stem[] = "params/v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
                               "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0";
    char params_name[256], key_name[256];
    snprintf(params_name, sizeof params_name, "%s.params", stem);
    snprintf(key_name, sizeof key_name, "%s.vk", stem);
    if (!shared_path(params_name))
        skip();
    cuzk_error error = {0};
    parameters p;
    verifying_key vk;
    ASSERT_OK(parameters_open(&p, shared_path(params_name), NULL, &error));
    ASSERT_OK(verifying_key_read(&vk, shared_path(key_name), NULL, &error));
    assert_true(verifying_key_equal(&vk, &p.vk));
    verifying_key_free(&vk);
    /* circuits/window-2KiB.json: 23 inputs, 22128 auxiliary variables, 21866 constraints, densities 16770 and 16028 + 1. */
    static const uint32_t counts[SECTION_COUNT] = {23, 32767, 22128, 16793, 16029, 16029};
    for (section s = SECTION_IC; s < SECTION_COUNT; s++)
        assert_int_equal(parameters_count(&p, s), counts[s]);
    thread_pool *pool = thread_pool_create(0);
    for (section s = SECTION_IC; s < SECTION_COUNT; s++) {
        point_check_result check = points_check(parameters_points(&p, s), counts[s], section_point_bytes(s), pool, NULL);
        assert_int_equal(check.index, counts[s]);
    }
    thread_pool_destroy(pool);
    parameters_release(&p, SECTION_H);
    assert_int_equal(parameters_points(&p, SECTION_L)[-4 - 96 * 32767 - 4 + 3], 0xff); /* h's count, read again after release */
    parameters_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_opens),
        cmocka_unit_test(cut_parameters_are_refused),
        cmocka_unit_test(long_parameters_are_refused),
        cmocka_unit_test(counts_are_not_trusted),
        cmocka_unit_test(sections_must_agree),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_flipped_byte_of_the_key_is_never_valid),
        cmocka_unit_test(bad_points_of_the_key_are_named),
        cmocka_unit_test(bad_points_are_named),
        cmocka_unit_test(the_first_bad_point_is_named),
        cmocka_unit_test(checks_are_remembered),
        cmocka_unit_test(edited_and_swapped_files_are_checked_again),
        cmocka_unit_test(a_check_without_a_record_still_counts),
        cmocka_unit_test(a_cancelled_check_records_nothing),
        cmocka_unit_test(digest_of_a_file),
        cmocka_unit_test(published_files_are_compared),
        cmocka_unit_test(the_reference_list_can_be_read),
        cmocka_unit_test(published_parameters_need_their_digest),
        cmocka_unit_test(made_parameters_are_recorded),
        cmocka_unit_test(files_are_told_apart),
        cmocka_unit_test(empty_sections_are_sound),
        cmocka_unit_test(reference_parameters_are_sound),
    };
    return cmocka_run_group_tests(tests, create_sample, remove_sample);
}
