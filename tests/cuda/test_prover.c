/* Proofs through a device: the bytes of the CPU's prover. */
#include "proof_case.h"

#include <pthread.h>
#include <stdio.h>

#include "hash_circuit.h"

static void small_circuits_equal_the_cpu(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    cuda_prover *prover = prover_with(NULL);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++) {
        proof_case c;
        open_case(&c, &circuits[i].base);
        assert_false(prove_equal(&c, prover, NULL).by_host);
        close_case(&c);
    }
    cuda_prover_destroy(prover);
}

/* In parts of a few words, with windows of all kinds, with and without staging, B in G2 here and there. */
static void every_option_equals_the_cpu(void **state) {
    (void)state;
    const cuda_prover_options options[] = {
        {.part_points = 64},
        {.part_points = 100, .window_bits = {3, 4, 5, 6, 7}, .pinning = DEVICE_POINTS_MAPPED},
        {.part_points = 1000, .window_bits = {8, 1, 2, 9, 3}, .b_g2_on_host = true},
    };
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 400);
    random.seed = 3;
    proof_case c;
    open_case(&c, &random.base);
    thread_pool *pool = thread_pool_create(2);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cuda_prover *prover = prover_with(&options[i]);
        assert_false(prove_equal(&c, prover, pool).by_host);
        assert_false(prove_equal(&c, prover, NULL).by_host);
        cuda_prover_destroy(prover);
    }
    thread_pool_destroy(pool);
    close_case(&c);
}

/* What a PoRep consists of, in small; and what crosses the bus is a byte or two for a row. */
static void hashes_equal_the_cpu(void **state) {
    (void)state;
    hash_circuit hashes = {.poseidons = 2, .compressions = 1};
    body_circuit body = body_circuit_of(synthesize_hashes, &hashes);
    proof_case c;
    open_case(&c, &body.circuit);
    cuda_prover *prover = prover_with(NULL);
    cuda_prove_report report = prove_equal(&c, prover, NULL);
    assert_false(report.by_host);
    assert_true(report.assignment_bytes < 3 * c.shape.constraints);
    cuda_prover_destroy(prover);
    close_case(&c);
}

static void bad_input_is_not_retried(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, 20), larger = small_circuit_make(CIRCUIT_SQUARINGS, 40);
    proof_case c, other;
    open_case(&c, &squarings.base);
    open_case(&other, &larger.base);
    cuda_prover *prover = prover_with(NULL);
    uint8_t proof[PROOF_BYTES], *file = malloc(c.parameters.file.size);
    memcpy(file, c.parameters.file.data, c.parameters.file.size);
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint64_t last =
            c.parameters.layout.sections[s].offset + (parameters_count(&c.parameters, s) - 1) * section_point_bytes(s);
        uint8_t kept = file[last];
        parameters changed;
        file[last] = 0xff;
        scratch_write(scratch_path("changed.params"), file, c.parameters.file.size);
        file[last] = kept;
        ASSERT_OK(parameters_open(&changed, scratch_path("changed.params"), NULL, &error));
        compact_assignment used = witness_of(&c);
        assert_int_equal(cuda_prove(proof, prover, &used, &changed, NULL, NULL, NULL, NULL, &error), CUZK_BAD_INPUT);
        char words[64];
        snprintf(words, sizeof words, "changed.params: %s: point %u: found invalid flag bits", section_name(s),
                 parameters_count(&c.parameters, s) - 1);
        assert_non_null(strstr(error.message, words));
        parameters_close(&changed);
    }
    free(file);

    compact_assignment witness = witness_of(&c);
    assert_int_equal(cuda_prove(proof, prover, &witness, &other.parameters, NULL, NULL, NULL, NULL, &error), CUZK_BAD_INPUT);
    progress job;
    progress_init(&job, NULL);
    progress_cancel(&job);
    witness = witness_of(&c);
    assert_int_equal(cuda_prove(proof, prover, &witness, &c.parameters, NULL, NULL, &job, NULL, &error), CUZK_CANCELLED);
    cuda_prover_destroy(prover);
    close_case(&c);
    close_case(&other);
}

/* ---- Workers --------------------------------------------------------------------------------------------------------- */

enum { WORKERS = 4, ROUNDS = 2 };

typedef struct {
    const proof_case *proved;
    cuda_prover *prover;
    pthread_t thread;
    unsigned wrong;
} worker;

static void *work(void *context) {
    worker *w = context;
    for (int round = 0; round < ROUNDS; round++) {
        cuzk_error error = {0};
        uint8_t proof[PROOF_BYTES] = {0};
        compact_assignment witness;
        cuda_prove_report report = {0};
        cuzk_status status = compact_assignment_create(&witness, &w->proved->shape, w->proved->circuit, &error);
        if (status == CUZK_OK)
            status =
                cuda_prove(proof, w->prover, &witness, &w->proved->parameters, &w->proved->options, NULL, NULL, &report, &error);
        w->wrong += status != CUZK_OK || report.by_host || memcmp(proof, w->proved->expected, PROOF_BYTES) != 0;
    }
    return NULL;
}

/* Two workers on each of two devices (or four on one): those of a device take turns. */
static void workers_share_devices(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 60);
    random.seed = 8;
    proof_case c;
    if (device_count() == 0)
        skip();
    open_case(&c, &random.base);
    cuda_prover *provers[2];
    worker workers[WORKERS];
    for (unsigned i = 0; i < 2; i++)
        ASSERT_OK(cuda_prover_create(&provers[i], i % device_count(), NULL, &error));
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.proved = &c, .prover = provers[i % 2]};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    cuda_prover_destroy(provers[0]);
    cuda_prover_destroy(provers[1]);
    close_case(&c);
}

static void windows_from_the_environment(void **state) {
    (void)state;
    cuzk_error error = {0};
    cuda_prover_options options = {.window_bits = {1, 2, 3, 4, 5}};
    unsetenv("CUZK_MSM_WINDOWS");
    ASSERT_OK(cuda_prover_options_from_environment(&options, &error));
    assert_int_equal(options.window_bits[CUDA_QUERY_A], 3);
    setenv("CUZK_MSM_WINDOWS", "h=20,b_g2=14", 1);
    ASSERT_OK(cuda_prover_options_from_environment(&options, &error));
    const unsigned expected[] = {20, 2, 3, 4, 14};
    assert_memory_equal(options.window_bits, expected, sizeof expected);
    const char *const wrong[] = {"h",   "h=",       "h=0",     "h=23",
                                 "x=4", "h=4,,l=5", "h=4;l=5", "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh=4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("CUZK_MSM_WINDOWS", wrong[i], 1);
        assert_int_equal(cuda_prover_options_from_environment(&options, &error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, "CUZK_MSM_WINDOWS"));
        assert_memory_equal(options.window_bits, expected, sizeof expected);
    }
    unsetenv("CUZK_MSM_WINDOWS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_circuits_equal_the_cpu), cmocka_unit_test(every_option_equals_the_cpu),
        cmocka_unit_test(hashes_equal_the_cpu),         cmocka_unit_test(bad_input_is_not_retried),
        cmocka_unit_test(workers_share_devices),        cmocka_unit_test(windows_from_the_environment),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
