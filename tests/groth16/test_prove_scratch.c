/* Proofs whose transforms go by way of scratch files: the same bytes. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groth16/prover.h"
#include "groth16/proving_memory.h"
#include "support/cancelling_stream.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

/* Stands in for the C library's: reads nothing once so many reads have gone by; negative: never. */
static atomic_int reads_left = -1;

ssize_t pread(int descriptor, void *data, size_t bytes, off_t offset) {
    if (atomic_load(&reads_left) == 0)
        return 0;
    if (atomic_load(&reads_left) > 0)
        atomic_fetch_sub(&reads_left, 1);
    return syscall(SYS_pread64, descriptor, data, bytes, offset);
}

/* A folder within the program's, which also has the parameters. */
static const char *scratch_folder(void) {
    static char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("vectors"));
    mkdir(path, 0700);
    return path;
}

static void assert_proofs_equal(const small_circuit *c) {
    cuzk_error error = {0};
    toxic_waste waste = waste_of(1);
    parameters p;
    small_setup(&p, "scratch", &c->base, &waste);
    fr r, s;
    fr_from_u64(&r, 1234567);
    fr_from_u64(&s, 7654321);
    proving_scratch scratch = {.directory = scratch_folder(), .memory_bytes = UINT64_C(3) << 20}; /* two slabs of 2^15 */
    prove_profile profile = {0};
    const prove_options in_memory = {.r = &r, .s = &s}, by_files = {.r = &r, .s = &s, .scratch = &scratch, .profile = &profile};
    uint8_t expected[PROOF_BYTES], proof[PROOF_BYTES];
    ASSERT_OK(groth16_prove(expected, &c->base, &p, &in_memory, NULL, NULL, NULL, &error));
    for (size_t threads = 0; threads <= 3; threads++) {
        thread_pool *pool = threads ? thread_pool_create(threads) : NULL;
        memset(proof, 0, sizeof proof);
        ASSERT_OK(groth16_prove(proof, &c->base, &p, &by_files, pool, NULL, NULL, &error));
        assert_memory_equal(proof, expected, PROOF_BYTES);
        thread_pool_destroy(pool);
    }
    uint64_t coefficients = parameters_count(&p, SECTION_H); /* one less than the domain's size */
    assert_int_equal(profile.scratch_bytes_written, 4 * 7 * (coefficients + 1) * sizeof(fr));
    assert_int_equal(profile.scratch_bytes_read, 4 * (6 * (coefficients + 1) + coefficients) * sizeof(fr));
    parameters_close(&p);
}

static void proofs_are_the_same(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        assert_proofs_equal(&circuits[i]);
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 3000), several_slabs = small_circuit_make(CIRCUIT_SQUARINGS, 17000);
    assert_proofs_equal(&random);
    assert_proofs_equal(&several_slabs);
}

static compact_assignment assignment_of(const small_circuit *c, const circuit_shape *shape) {
    cuzk_error error = {0};
    compact_assignment witness;
    ASSERT_OK(compact_assignment_create(&witness, shape, &c->base, &error));
    return witness;
}

/* Several in one pass, each with a file of its own. */
static void proofs_of_a_pass_are_the_same(void **state) {
    (void)state;
    enum { COUNT = 3 };
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 500);
    toxic_waste waste = waste_of(2);
    parameters p;
    small_setup(&p, "pass", &c.base, &waste);
    circuit_shape shape;
    circuit_shape_create(&shape, &c.base);
    fr one = FR_ONE;
    const proving_scratch scratch = {.directory = scratch_folder()};
    prove_options options = {.r = &one, .s = &one};
    uint8_t expected[COUNT][PROOF_BYTES];
    for (int by_files = 0; by_files < 2; by_files++) {
        prove_item items[COUNT] = {0};
        compact_assignment witnesses[COUNT];
        options.scratch = by_files ? &scratch : NULL;
        for (size_t i = 0; i < COUNT; i++) {
            c.value = 3 + i;
            witnesses[i] = assignment_of(&c, &shape);
            items[i].witness = &witnesses[i];
        }
        groth16_prove_together(items, COUNT, &p, &options, NULL, NULL);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(items[i].status, CUZK_OK);
            if (by_files)
                assert_memory_equal(items[i].proof, expected[i], PROOF_BYTES);
            memcpy(expected[i], items[i].proof, PROOF_BYTES);
        }
    }
    assert_memory_not_equal(expected[0], expected[1], PROOF_BYTES);
    circuit_shape_free(&shape);
    parameters_close(&p);
}

/* At any time, while the quotient is made and while it is summed: no proof, and the reason. */
static void a_failing_disk_gives_no_proof(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 250);
    toxic_waste waste = waste_of(3);
    parameters p;
    small_setup(&p, "failing", &c.base, &waste);
    const proving_scratch scratch = {.directory = scratch_folder()};
    const prove_options options = {.scratch = &scratch};
    bool proved = false;
    for (int reads = 0; !proved && reads < 100; reads++) {
        cuzk_error error = {0};
        uint8_t proof[PROOF_BYTES] = {0};
        static const uint8_t untouched[PROOF_BYTES];
        atomic_store(&reads_left, reads);
        cuzk_status status = groth16_prove(proof, &c.base, &p, &options, NULL, NULL, NULL, &error);
        proved = status == CUZK_OK;
        assert_true(reads >= 7 || !proved); /* six slabs of the quotient, and a sum */
        if (proved)
            continue;
        assert_int_equal(status, CUZK_INPUT_OUTPUT);
        assert_non_null(strstr(error.message, "the scratch file ends at byte"));
        assert_memory_equal(proof, untouched, PROOF_BYTES);
    }
    assert_true(proved);
    atomic_store(&reads_left, -1);
    parameters_close(&p);
}

static void no_directory_gives_no_proof(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 20);
    toxic_waste waste = waste_of(4);
    parameters p;
    small_setup(&p, "nowhere", &c.base, &waste);
    const proving_scratch scratch = {.directory = "/nonexistent"};
    const prove_options options = {.scratch = &scratch};
    uint8_t proof[PROOF_BYTES];
    assert_int_equal(groth16_prove(proof, &c.base, &p, &options, NULL, NULL, NULL, &error), CUZK_NOT_FOUND);
    assert_non_null(strstr(error.message, "/nonexistent: cannot make a scratch file there"));
    parameters_close(&p);
}

static void stops_after_any_phase(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 300);
    toxic_waste waste = waste_of(5);
    parameters p;
    small_setup(&p, "cancel", &c.base, &waste);
    const proving_scratch scratch = {.directory = scratch_folder()};
    const prove_options options = {.scratch = &scratch};
    for (unsigned phases = 1; phases <= 3; phases++) {
        cuzk_error error = {0};
        uint8_t proof[PROOF_BYTES];
        cancelling_job stop;
        cancelling_job_create(&stop, phases);
        assert_int_equal(groth16_prove(proof, &c.base, &p, &options, NULL, &stop.job, NULL, &error), CUZK_CANCELLED);
        assert_int_equal(stop.phases_left, UINT32_MAX); /* the next phase ended, and none came after it */
        fclose(stop.job.stream);
    }
    parameters_close(&p);
}

/* A shape as if its domain were that of a partition of 32 GiB. */
static void memory_is_known_beforehand(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 300);
    circuit_shape shape;
    circuit_shape_create(&shape, &c.base);
    shape.domain_log_size = 27;
    proving_scratch scratch = {.memory_bytes = UINT64_C(2) << 30};
    assert_in_range(proving_memory_of(&shape, 2).working, UINT64_C(8) << 30, UINT64_C(8704) << 20);
    assert_in_range(proving_memory_with_scratch(&shape, 2, &scratch).working, UINT64_C(1) << 30, UINT64_C(2) << 30);
    scratch.memory_bytes = UINT64_C(8) << 30;
    assert_in_range(proving_memory_with_scratch(&shape, 2, &scratch).working, UINT64_C(4) << 30, UINT64_C(8) << 30);
    scratch.memory_bytes = 0; /* then the sum over h takes more than the transforms */
    assert_int_equal(proving_memory_with_scratch(&shape, 2, &scratch).working, msm_g1_memory((size_t)1 << 27, 2));
    circuit_shape_free(&shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_are_the_same),
        cmocka_unit_test(proofs_of_a_pass_are_the_same),
        cmocka_unit_test(a_failing_disk_gives_no_proof),
        cmocka_unit_test(no_directory_gives_no_proof),
        cmocka_unit_test(stops_after_any_phase),
        cmocka_unit_test(memory_is_known_beforehand),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
