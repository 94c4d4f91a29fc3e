#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "algebra/ntt.h"
#include "groth16/quotient.h"
#include "groth16/quotient_file.h"
#include "support/scratch.h"
#include "support/small_circuits.h"

/* ---- A disk that fails when told: these stand in for the C library's ---------------------------------------------------- */

static atomic_int reads_left = -1, writes_left = -1; /* until one fails, or reads nothing; negative: none does */
static int write_failure, fallocate_failure;
static progress *cancelled_by_write;

static bool counted_down(atomic_int *left) { return atomic_load(left) >= 0 && atomic_fetch_sub(left, 1) == 0; }

ssize_t pread(int descriptor, void *data, size_t bytes, off_t offset) {
    if (counted_down(&reads_left))
        return 0;
    return syscall(SYS_pread64, descriptor, data, bytes, offset);
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t offset) {
    if (counted_down(&writes_left)) {
        if (cancelled_by_write) {
            progress_cancel(cancelled_by_write);
        } else {
            errno = write_failure;
            return -1;
        }
    }
    return syscall(SYS_pwrite64, descriptor, data, bytes, offset);
}

int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
    if (fallocate_failure) {
        errno = fallocate_failure;
        return -1;
    }
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, bytes);
}

static void healthy_disk(void) {
    atomic_store(&reads_left, -1);
    atomic_store(&writes_left, -1);
    fallocate_failure = 0;
    cancelled_by_write = NULL;
}

/* ---- A circuit, its assignment and its quotient by definition ------------------------------------------------------------- */

typedef struct {
    small_circuit circuit;
    circuit_shape shape;
    compact_assignment witness;
} subject;

static void subject_create(subject *s, small_circuit_kind kind, size_t size) {
    cuzk_error error = {0};
    s->circuit = small_circuit_make(kind, size);
    circuit_shape_create(&s->shape, &s->circuit.base);
    ASSERT_OK(compact_assignment_create(&s->witness, &s->shape, &s->circuit.base, &error));
}

static void subject_free(subject *s) {
    compact_assignment_free(&s->witness);
    circuit_shape_free(&s->shape);
}

/* (A * B - C) / Z on the coset, with all three there; canonical. */
static fr_canonical *quotient_by_definition(const subject *s) {
    cuzk_error error = {0};
    size_t size = (size_t)1 << s->shape.domain_log_size;
    fr *sides[3];
    for (int i = 0; i < 3; i++)
        sides[i] = malloc(size * sizeof(fr));
    row_scratch *scratch = row_scratch_create(&s->shape);
    compact_rows(&s->witness, 0, size, sides[0], sides[1], sides[2], scratch);
    row_scratch_free(scratch);
    ntt_domain *domain;
    ASSERT_OK(ntt_domain_create(&domain, s->shape.domain_log_size, &error));
    for (int i = 0; i < 3; i++) {
        ntt_inverse(domain, sides[i], NULL);
        ntt_coset_forward(domain, sides[i], NULL);
    }
    fr by_vanishing;
    ntt_vanishing_at(&by_vanishing, s->shape.domain_log_size, &FR_GENERATOR);
    fr_invert(&by_vanishing, &by_vanishing);
    for (size_t i = 0; i < size; i++) {
        fr_mul(&sides[0][i], &sides[0][i], &sides[1][i]);
        fr_sub(&sides[0][i], &sides[0][i], &sides[2][i]);
        fr_mul(&sides[0][i], &sides[0][i], &by_vanishing);
    }
    ntt_coset_inverse(domain, sides[0], NULL);
    ntt_domain_destroy(domain);
    fr_canonical *h = malloc(size * sizeof *h);
    for (size_t i = 0; i < size; i++)
        fr_to_canonical(&h[i], &sides[0][i]);
    for (int i = 0; i < 3; i++)
        free(sides[i]);
    return h;
}

static size_t open_descriptors(void) {
    DIR *stream = opendir("/proc/self/fd");
    assert_non_null(stream);
    size_t count = 0;
    while (readdir(stream))
        count++;
    closedir(stream);
    return count;
}

/* Ranges of all kinds: at once, and one after another. */
static void assert_coefficients(const quotient_file *h, const fr_canonical *expected, size_t size) {
    cuzk_error error = {0};
    static const size_t steps[] = {1, 7, 1000, 1024, SIZE_MAX};
    fr_canonical *found = malloc(size * sizeof *found);
    for (size_t i = size > 4096 ? 2 : 0; i < sizeof steps / sizeof *steps; i++) {
        memset(found, 0xff, size * sizeof *found);
        for (size_t begin = 0, count; begin < size; begin += count) {
            count = size - begin < steps[i] ? size - begin : steps[i];
            quotient_file_scalars(h, begin, begin + count, found + begin);
        }
        assert_memory_equal(found, expected, size * sizeof *found);
    }
    free(found);
    ASSERT_OK(quotient_file_check(h, &error));
}

static void assert_cut_equals(const subject *s, const fr_canonical *expected, matrix_shape cut, thread_pool *pool) {
    cuzk_error error = {0};
    quotient_file h;
    progress job;
    progress_init(&job, NULL);
    prove_profile profile = {0};
    size_t size = (size_t)1 << s->shape.domain_log_size;
    ASSERT_OK(quotient_file_compute_cut(&h, &s->witness, scratch_path(""), &cut, pool, &job, &profile, &error));
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(job.done, QUOTIENT_TRANSFORMS);
    assert_int_equal(h.bytes_read, 6 * size * sizeof(fr));
    assert_int_equal(h.bytes_written, 7 * size * sizeof(fr));
    assert_coefficients(&h, expected, size);
    for (prove_phase i = PHASE_EVALUATE_A; i <= PHASE_DIVIDE; i++)
        assert_true(profile.phases[i].wall > 0);
    quotient_file_free(&h);
}

/* Small domains as every matrix in every number of slabs; of large ones those near a square, and no slabs of few columns, for
 * which rows would be evaluated over and over. */
static void assert_all_cuts_equal(const subject *s, thread_pool *pool) {
    fr_canonical *expected = quotient_by_definition(s);
    unsigned log_size = s->shape.domain_log_size, least_rows = 0, most_rows = log_size, most_slabs = log_size;
    if (log_size > 8) {
        least_rows = log_size / 2 - 1;
        most_rows = least_rows + 2;
        most_slabs = 3;
    }
    for (unsigned rows = least_rows; rows <= most_rows; rows++)
        for (unsigned slabs = 0; slabs <= most_slabs && slabs <= rows && slabs <= log_size - rows; slabs++)
            assert_cut_equals(s, expected, (matrix_shape){rows, log_size - rows, slabs}, pool);
    free(expected);
}

static void equals_the_definition(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(3);
    for (unsigned log_size = 0; log_size <= 16; log_size = log_size < 10 ? log_size + 1 : log_size + 3) {
        size_t rows = (size_t)1 << log_size;
        subject s;
        if (rows <= 2)
            subject_create(&s, CIRCUIT_ONE_IN_B, rows - 1);
        else
            subject_create(&s, log_size % 2 ? CIRCUIT_SQUARINGS : CIRCUIT_RANDOM, rows * 3 / 5);
        assert_int_equal(s.shape.domain_log_size, log_size);
        assert_all_cuts_equal(&s, log_size % 3 ? pool : NULL);
        subject_free(&s);
    }
    thread_pool_destroy(pool);
}

/* Rows that fill the domain to the last, and a quotient that is zero. */
static void full_domains_and_zero(void **state) {
    (void)state;
    subject full, zero;
    subject_create(&full, CIRCUIT_SQUARINGS, 1022);
    subject_create(&zero, CIRCUIT_EMPTY_B, 200);
    assert_int_equal(full.shape.domain_log_size, 10);
    assert_all_cuts_equal(&full, NULL);
    assert_all_cuts_equal(&zero, NULL);
    subject_free(&full);
    subject_free(&zero);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

static void memory_decides_the_cut(void **state) {
    (void)state;
    cuzk_error error = {0};
    matrix_shape shape;
    static const struct {
        unsigned log_size;
        uint64_t memory;
        matrix_shape shape;
    } cases[] = {
        {0, 2 << 20, {0, 0, 0}},
        {16, UINT64_C(8) << 20, {8, 8, 0}},
        {16, UINT64_C(5) << 20, {8, 8, 1}},
        {22, UINT64_C(300) << 20, {11, 11, 0}},
        {22, UINT64_C(100) << 20, {11, 11, 2}},
        {27, UINT64_C(9) << 30, {13, 14, 0}},
        {27, UINT64_C(8) << 30, {13, 14, 1}},
        {27, UINT64_C(1) << 30, {13, 14, 4}},
        {27, UINT64_C(100) << 20, {13, 14, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const proving_scratch scratch = {.memory_bytes = cases[i].memory};
        ASSERT_OK(quotient_file_shape(&shape, cases[i].log_size, &scratch, 2, &error));
        assert_memory_equal(&shape, &cases[i].shape, sizeof shape);
        assert_true(quotient_file_memory(&shape, 2) <= cases[i].memory);
    }
    proving_scratch scratch = {.memory_bytes = 16 << 20};
    assert_int_equal(quotient_file_shape(&shape, 27, &scratch, 2, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message,
                        "memory for the transforms: found 16777216 bytes, expected at least 69730304 for a domain of 2^27");
    scratch.memory_bytes = 69730304;
    ASSERT_OK(quotient_file_shape(&shape, 27, &scratch, 2, &error));
}

static void too_little_memory_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    subject s;
    subject_create(&s, CIRCUIT_SQUARINGS, 5);
    quotient_file h;
    proving_scratch scratch = {.directory = scratch_path(""), .memory_bytes = 1000};
    assert_int_equal(quotient_file_compute(&h, &s.witness, &scratch, NULL, NULL, NULL, &error), CUZK_BAD_INPUT);
    scratch.memory_bytes = 0; /* the default */
    ASSERT_OK(quotient_file_compute(&h, &s.witness, &scratch, NULL, NULL, NULL, &error));
    quotient_file_free(&h);
    subject_free(&s);
}

/* ---- Disks that fail, and requests to stop -------------------------------------------------------------------------------- */

static const matrix_shape FOUR_SLABS = {4, 4, 2};

static void assert_fails_in(const subject *s, const char *directory, thread_pool *pool, progress *job, cuzk_status status,
                            const char *words) {
    cuzk_error error = {0};
    quotient_file h;
    size_t before = open_descriptors();
    assert_int_equal(quotient_file_compute_cut(&h, &s->witness, directory, &FOUR_SLABS, pool, job, NULL, &error), status);
    if (!strstr(error.message, words))
        fail_msg("found \"%s\", expected \"%s\" in it", error.message, words);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(scratch_count(), 0);
    healthy_disk();
}

static void assert_fails(const subject *s, thread_pool *pool, progress *job, cuzk_status status, const char *words) {
    assert_fails_in(s, scratch_path(""), pool, job, status, words);
}

/* Each slab is moved in one or four pieces, so that every pass meets a failure. */
static void every_failing_read_and_write_is_reported(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(2);
    subject s;
    subject_create(&s, CIRCUIT_RANDOM, 200);
    assert_int_equal(s.shape.domain_log_size, 8);
    unsigned failures = 0;
    for (int at = 0; at < 100; at += 3) {
        atomic_store(&writes_left, at);
        write_failure = at % 2 ? EIO : ENOSPC;
        assert_fails(&s, at % 2 ? pool : NULL, NULL, CUZK_INPUT_OUTPUT,
                     at % 2 ? "cannot write the scratch file: Input/output error" : "No space left");
        failures++;
    }
    for (int at = 0; at < 80; at += 3) {
        atomic_store(&reads_left, at);
        assert_fails(&s, at % 2 ? pool : NULL, NULL, CUZK_INPUT_OUTPUT, "the scratch file ends at byte");
        failures++;
    }
    assert_int_equal(failures, 34 + 27);
    subject_free(&s);
    thread_pool_destroy(pool);
}

static void a_failing_read_of_coefficients_is_reported(void **state) {
    (void)state;
    cuzk_error error = {0};
    subject s;
    subject_create(&s, CIRCUIT_RANDOM, 200);
    quotient_file h;
    ASSERT_OK(quotient_file_compute_cut(&h, &s.witness, scratch_path(""), &FOUR_SLABS, NULL, NULL, NULL, &error));
    fr_canonical found[256];
    atomic_store(&reads_left, 0);
    quotient_file_scalars(&h, 0, 100, found);
    for (size_t i = 0; i < sizeof(fr_canonical) * 100; i++)
        assert_int_equal(((const uint8_t *)found)[i], 0);
    healthy_disk();
    quotient_file_scalars(&h, 100, 256, found);
    assert_int_equal(quotient_file_check(&h, &error), CUZK_INPUT_OUTPUT);
    assert_non_null(strstr(error.message, "the scratch file ends at byte 0, expected 8192 bytes"));
    quotient_file_free(&h);
    subject_free(&s);
}

static void a_full_disk_is_found_at_the_start(void **state) {
    (void)state;
    cuzk_error error = {0};
    subject s;
    subject_create(&s, CIRCUIT_RANDOM, 200);
    fallocate_failure = ENOSPC;
    assert_fails(&s, NULL, NULL, CUZK_INPUT_OUTPUT, "bytes free, expected 8192 for a scratch file");

    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 8191, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_fails(&s, NULL, NULL, CUZK_INPUT_OUTPUT, "found a limit of 8191 bytes for a file (ulimit -f), expected 8192");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);

    /* A file system that cannot reserve room will do. */
    fallocate_failure = EOPNOTSUPP;
    quotient_file h;
    ASSERT_OK(quotient_file_compute_cut(&h, &s.witness, scratch_path(""), &FOUR_SLABS, NULL, NULL, NULL, &error));
    fr_canonical *expected = quotient_by_definition(&s);
    assert_coefficients(&h, expected, 256);
    free(expected);
    quotient_file_free(&h);
    healthy_disk();
    subject_free(&s);
}

static void bad_directories_are_refused(void **state) {
    (void)state;
    subject s;
    subject_create(&s, CIRCUIT_RANDOM, 200);
    assert_fails_in(&s, "/nonexistent/folder", NULL, NULL, CUZK_NOT_FOUND,
                    "/nonexistent/folder: cannot make a scratch file there: No such file");
    assert_fails_in(&s, "/dev/null", NULL, NULL, CUZK_NOT_FOUND, "/dev/null: cannot make a scratch file there: Not a directory");
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(scratch_path(""), 0500), 0);
        assert_fails(&s, NULL, NULL, CUZK_INPUT_OUTPUT, "Permission denied");
        assert_int_equal(chmod(scratch_path(""), 0700), 0);
    }
    subject_free(&s);
}

static void stops_on_request(void **state) {
    (void)state;
    subject s;
    subject_create(&s, CIRCUIT_RANDOM, 200);
    for (int at = 0; at < 100; at += 5) {
        progress job;
        progress_init(&job, NULL);
        cancelled_by_write = &job;
        atomic_store(&writes_left, at);
        assert_fails(&s, NULL, &job, CUZK_CANCELLED, "stopped on request");
        assert_true(job.done <= QUOTIENT_TRANSFORMS);
    }
    subject_free(&s);
}

int main(void) {
    signal(SIGXFSZ, SIG_DFL); /* a file past its limit would end the program */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_definition),
        cmocka_unit_test(full_domains_and_zero),
        cmocka_unit_test(memory_decides_the_cut),
        cmocka_unit_test(too_little_memory_is_refused),
        cmocka_unit_test(every_failing_read_and_write_is_reported),
        cmocka_unit_test(a_failing_read_of_coefficients_is_reported),
        cmocka_unit_test(a_full_disk_is_found_at_the_start),
        cmocka_unit_test(bad_directories_are_refused),
        cmocka_unit_test(stops_on_request),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
