#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/prover.h"
#include "groth16/quotient.h"
#include "groth16/verifier.h"
#include "r1cs/assignment.h"
#include "support/cancelling_stream.h"
#include "support/scratch.h"
#include "support/slow_groth16.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

static fr scalar(uint8_t number) {
    uint8_t seed[32] = {0xff, number};
    fr out;
    fr_from_seed(&out, seed, 0);
    return out;
}

/* Proves with the given randomness on pools of 0 (none) .. 4 threads: the twins' bytes each time. */
static void assert_proofs_equal_twins(const small_circuit *c) {
    cuzk_error error = {0};
    toxic_waste waste = waste_of(1);
    fr r = scalar(1), s = scalar(2);
    prove_options options = {.r = &r, .s = &s};
    parameters p;
    small_setup(&p, "twin", &c->base, &waste);

    slow_circuit slow = slow_circuit_record(&c->base);
    uint8_t by_definition[PROOF_BYTES], from_parameters[PROOF_BYTES], proof[PROOF_BYTES];
    slow_prove(by_definition, &slow, &waste, &r, &s);
    slow_prove_from_parameters(from_parameters, &slow, p.file.data, &r, &s);
    assert_memory_equal(by_definition, from_parameters, PROOF_BYTES);
    slow_circuit_free(&slow);

    for (size_t threads = 0; threads <= 4; threads++) {
        thread_pool *pool = threads ? thread_pool_create(threads) : NULL;
        memset(proof, 0, sizeof proof);
        ASSERT_OK(groth16_prove(proof, &c->base, &p, &options, pool, NULL, NULL, &error));
        assert_memory_equal(proof, by_definition, PROOF_BYTES);
        thread_pool_destroy(pool);
    }
    parameters_close(&p);
}

static void equals_the_slow_twins(void **state) {
    (void)state;
    small_circuit circuits[SMALL_CIRCUIT_EXAMPLES];
    small_circuit_examples(circuits);
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        assert_proofs_equal_twins(&circuits[i]);
}

static void random_circuits_equal_the_slow_twins(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 112; seed++) {
        small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 3 + (seed - 100) * 2);
        c.seed = seed;
        assert_proofs_equal_twins(&c);
    }
}

/* The same where rows fill a domain but for one, fill it, and begin the next: 2^k - 1, 2^k, 2^k + 1 constraints and rows. */
static void twins_at_the_domains_edges(void **state) {
    (void)state;
    for (unsigned k = 2; k <= 5; k++)
        for (size_t constraints = ((size_t)1 << k) - 3; constraints <= ((size_t)1 << k) + 1; constraints++) {
            small_circuit squarings = small_circuit_make(CIRCUIT_SQUARINGS, constraints); /* and two rows for its inputs */
            assert_proofs_equal_twins(&squarings);
        }
    small_circuit random = small_circuit_make(CIRCUIT_RANDOM, 64);
    assert_proofs_equal_twins(&random);
}

static void compute_quotient(big_buffer *h, const small_circuit *c) {
    cuzk_error error = {0};
    circuit_shape shape;
    compact_assignment witness;
    circuit_shape_create(&shape, &c->base);
    ASSERT_OK(compact_assignment_create(&witness, &shape, &c->base, &error));
    ASSERT_OK(quotient_compute(h, &witness, NULL, NULL, NULL, &error));
    compact_assignment_free(&witness);
    circuit_shape_free(&shape);
}

/* The quotient's coefficients where they are known: none, and a constant. */
static void quotients_of_low_degree(void **state) {
    (void)state;
    small_circuit zero = small_circuit_make(CIRCUIT_EMPTY_B, 5), constant = small_circuit_make(CIRCUIT_LOW_DEGREE, 3);
    big_buffer h;
    compute_quotient(&h, &zero);
    for (size_t i = 0; i < 8; i++)
        assert_true(fr_is_zero((const fr *)h.data + i));
    big_buffer_free(&h);

    compute_quotient(&h, &constant);
    assert_true(fr_is_one(h.data));
    for (size_t i = 1; i < 8; i++)
        assert_true(fr_is_zero((const fr *)h.data + i));
    big_buffer_free(&h);
}

/* Sets up, proves and verifies; a wrong public input must not verify. */
static void assert_circuit_works(const small_circuit *c, thread_pool *pool) {
    cuzk_error error = {0};
    toxic_waste waste = waste_of(3);
    parameters p;
    small_setup(&p, "edge", &c->base, &waste);
    uint8_t proof[PROOF_BYTES];
    ASSERT_OK(groth16_prove(proof, &c->base, &p, NULL, pool, NULL, NULL, &error));

    assignment witness;
    ASSERT_OK(assignment_create(&witness, &c->base, &error));
    verification verdict;
    size_t input_count = witness.counts.inputs - 1;
    ASSERT_OK(groth16_verify(&verdict, &p.vk, proof, witness.inputs + 1, input_count, pool, &error));
    assert_true(verdict.valid);
    if (input_count > 0) {
        fr_add(&witness.inputs[1], &witness.inputs[1], &FR_ONE);
        ASSERT_OK(groth16_verify(&verdict, &p.vk, proof, witness.inputs + 1, input_count, pool, &error));
        assert_false(verdict.valid);
    }
    assignment_free(&witness);
    parameters_close(&p);
}

/* rows = constraints + inputs around every power of two, with and without variables beside ONE. */
static void domains_at_their_edges(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(2);
    for (unsigned k = 0; k <= 12; k++)
        for (size_t rows = ((size_t)1 << k) - 1; rows <= ((size_t)1 << k) + 1; rows++) {
            if (rows >= 1) {
                small_circuit constants = small_circuit_make(CIRCUIT_ONE_IN_B, rows - 1);
                assert_circuit_works(&constants, pool);
            }
            if (rows >= 2) {
                small_circuit no_inputs = small_circuit_make(CIRCUIT_PRIVATE, rows - 1);
                assert_circuit_works(&no_inputs, pool);
            }
            if (rows >= 3) {
                small_circuit with_input = small_circuit_make(CIRCUIT_SQUARINGS, rows - 2);
                assert_circuit_works(&with_input, pool);
            }
        }
    thread_pool_destroy(pool);
}

/* Densities of several thousand variables with gaps. */
static void a_large_random_circuit(void **state) {
    (void)state;
    thread_pool *pool = thread_pool_create(2);
    small_circuit c = small_circuit_make(CIRCUIT_RANDOM, 5000);
    assert_circuit_works(&c, pool);
    thread_pool_destroy(pool);
}

static void randomness_makes_proofs_differ(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 9);
    toxic_waste waste = waste_of(4);
    parameters p;
    small_setup(&p, "random", &c.base, &waste);
    uint8_t first[PROOF_BYTES], second[PROOF_BYTES];
    ASSERT_OK(groth16_prove(first, &c.base, &p, NULL, NULL, NULL, NULL, &error));
    ASSERT_OK(groth16_prove(second, &c.base, &p, NULL, NULL, NULL, NULL, &error));
    assert_memory_not_equal(first, second, 48);
    assert_memory_not_equal(first + 48, second + 48, 96);
    assert_memory_not_equal(first + 144, second + 144, 48);
    parameters_close(&p);
}

static void assert_prove_fails(const circuit *c, const parameters *p, cuzk_status status, const char *words) {
    cuzk_error error = {0};
    uint8_t proof[PROOF_BYTES] = {0};
    static const uint8_t untouched[PROOF_BYTES];
    assert_int_equal(groth16_prove(proof, c, p, NULL, NULL, NULL, NULL, &error), status);
    if (!strstr(error.message, words))
        fail_msg("found \"%s\", expected \"%s\" in it", error.message, words);
    assert_memory_equal(proof, untouched, PROOF_BYTES);
}

static void broken_witnesses_and_other_circuits_are_refused(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 6); /* domain 8, 2 inputs, 6 auxiliary variables */
    toxic_waste waste = waste_of(5);
    parameters p;
    small_setup(&p, "fit", &c.base, &waste);

    small_circuit broken = c;
    broken.broken = true;
    assert_prove_fails(&broken.base, &p, CUZK_UNSATISFIED, "squaring 5/product");
    small_circuit no_input = small_circuit_make(CIRCUIT_PRIVATE, 6);
    assert_prove_fails(&no_input.base, &p, CUZK_BAD_INPUT, "fit.params: ic: found 2 points, expected 1");
    small_circuit larger = small_circuit_make(CIRCUIT_SQUARINGS, 7);
    assert_prove_fails(&larger.base, &p, CUZK_BAD_INPUT, "fit.params: h: found 7 points, expected 15");
    small_circuit smaller = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    assert_prove_fails(&smaller.base, &p, CUZK_BAD_INPUT, "fit.params: l: found 6 points, expected 5");
    parameters_close(&p);
}

/* A copy of the parameters with some of its bytes changed. */
static void open_changed(parameters *changed, const parameters *p, uint64_t offset, const uint8_t *bytes, size_t count) {
    cuzk_error error = {0};
    uint8_t *copy = malloc(p->file.size);
    memcpy(copy, p->file.data, p->file.size);
    memcpy(copy + offset, bytes, count);
    scratch_write(scratch_path("changed.params"), copy, p->file.size);
    free(copy);
    ASSERT_OK(parameters_open(changed, scratch_path("changed.params"), NULL, &error));
}

/* A query's point that is another valid point makes a wrong proof: it must not be handed out. */
static void damaged_parameters_give_no_proof(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 9);
    toxic_waste waste = waste_of(6);
    parameters p, changed;
    small_setup(&p, "sound", &c.base, &waste);
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint8_t generator[G2_BYTES];
        s == SECTION_B_G2 ? g2_encode(generator, G2_GENERATOR) : g1_encode(generator, G1_GENERATOR);
        open_changed(&changed, &p, p.layout.sections[s].offset, generator, section_point_bytes(s));
        assert_prove_fails(&c.base, &changed, CUZK_INTERNAL, "the finished proof does not verify");
        prove_options options = {.skip_verification = true};
        uint8_t proof[PROOF_BYTES];
        ASSERT_OK(groth16_prove(proof, &c.base, &changed, &options, NULL, NULL, NULL, &error));
        parameters_close(&changed);
    }
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint8_t flags = 0xff;
        open_changed(&changed, &p, p.layout.sections[s].offset, &flags, 1);
        char words[64];
        snprintf(words, sizeof words, "changed.params: %s: ", section_name(s));
        assert_prove_fails(&c.base, &changed, CUZK_BAD_INPUT, words);
        parameters_close(&changed);
    }
    parameters_close(&p);
}

static void stops_on_request_and_takes_times(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 200);
    toxic_waste waste = waste_of(7);
    parameters p;
    small_setup(&p, "progress", &c.base, &waste);
    uint8_t proof[PROOF_BYTES];
    progress job;
    progress_init(&job, NULL);
    prove_times times = {0};
    ASSERT_OK(groth16_prove(proof, &c.base, &p, NULL, NULL, &job, &times, &error));
    assert_null(job.phase);
    const double seconds[] = {times.synthesis, times.transforms, times.h,    times.l,
                              times.a,         times.b_g1,       times.b_g2, times.verification};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        assert_true(seconds[i] > 0);

    progress_cancel(&job);
    assert_int_equal(groth16_prove(proof, &c.base, &p, NULL, NULL, &job, NULL, &error), CUZK_CANCELLED);
    parameters_close(&p);
}

static void stops_after_any_phase(void **state) {
    (void)state;
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 300);
    toxic_waste waste = waste_of(7);
    parameters p;
    small_setup(&p, "cancel", &c.base, &waste);
    for (unsigned phases = 1; phases <= 6; phases++) {
        cuzk_error error = {0};
        uint8_t proof[PROOF_BYTES];
        cancelling_job stop;
        cancelling_job_create(&stop, phases);
        assert_int_equal(groth16_prove(proof, &c.base, &p, NULL, NULL, &stop.job, NULL, &error), CUZK_CANCELLED);
        assert_int_equal(stop.phases_left, UINT32_MAX); /* the next phase ended, and none came after it */
        fclose(stop.job.stream);
    }
    parameters_close(&p);
}

/* Proofs of one pass have the bytes that they have alone; one that is cancelled, before all phases or after one, is missed by nobody. */
static void several_in_one_pass(void **state) {
    (void)state;
    enum { PROOFS = 4, CANCELLED = 1 };
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 300);
    toxic_waste waste = waste_of(8);
    fr r = scalar(3), s = scalar(4);
    const prove_options options = {.r = &r, .s = &s};
    cuzk_error error = {0};
    parameters p;
    circuit_shape shape;
    small_setup(&p, "together", &c.base, &waste);
    circuit_shape_create(&shape, &c.base);
    thread_pool *pool = thread_pool_create(2);
    uint8_t alone[PROOFS][PROOF_BYTES];
    for (size_t i = 0; i < PROOFS; i++) {
        c.value = 1000 + i;
        ASSERT_OK(groth16_prove(alone[i], &c.base, &p, &options, pool, NULL, NULL, &error));
    }
    assert_memory_not_equal(alone[0], alone[1], PROOF_BYTES);
    for (unsigned phases = 0; phases <= 5; phases++) {
        compact_assignment witnesses[PROOFS];
        prove_item items[PROOFS] = {0};
        cancelling_job stop;
        cancelling_job_create(&stop, phases);
        if (phases == 0)
            progress_cancel(&stop.job);
        for (size_t i = 0; i < PROOFS; i++) {
            c.value = 1000 + i;
            ASSERT_OK(compact_assignment_create(&witnesses[i], &shape, &c.base, &error));
            items[i] = (prove_item){.witness = &witnesses[i], .job = i == CANCELLED ? &stop.job : NULL};
        }
        groth16_prove_together(items, PROOFS, &p, &options, pool, NULL);
        for (size_t i = 0; i < PROOFS; i++) {
            assert_int_equal(items[i].status, i == CANCELLED ? CUZK_CANCELLED : CUZK_OK);
            if (i != CANCELLED)
                assert_memory_equal(items[i].proof, alone[i], PROOF_BYTES);
        }
        fclose(stop.job.stream);
    }
    thread_pool_destroy(pool);
    circuit_shape_free(&shape);
    parameters_close(&p);
}

/* Output of a job that prints: every phase once, in order. */
static void names_its_phases(void **state) {
    (void)state;
    cuzk_error error = {0};
    small_circuit c = small_circuit_make(CIRCUIT_SQUARINGS, 5);
    toxic_waste waste = waste_of(8);
    parameters p;
    small_setup(&p, "phases", &c.base, &waste);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    progress job;
    progress_init(&job, stream);
    uint8_t proof[PROOF_BYTES];
    ASSERT_OK(groth16_prove(proof, &c.base, &p, NULL, NULL, &job, NULL, &error));
    fclose(stream);
    static const char *const phases[] = {"synthesis", "transforms", "MSM h",    "MSM l",
                                         "MSM a",     "MSM b_g1",   "MSM b_g2", "verification"};
    const char *at = text;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        at = strstr(at, phases[i]);
        if (!at)
            fail_msg("no \"%s\" in its place in:\n%s", phases[i], text);
    }
    free(text);
    parameters_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_slow_twins),
        cmocka_unit_test(random_circuits_equal_the_slow_twins),
        cmocka_unit_test(twins_at_the_domains_edges),
        cmocka_unit_test(quotients_of_low_degree),
        cmocka_unit_test(domains_at_their_edges),
        cmocka_unit_test(a_large_random_circuit),
        cmocka_unit_test(randomness_makes_proofs_differ),
        cmocka_unit_test(broken_witnesses_and_other_circuits_are_refused),
        cmocka_unit_test(damaged_parameters_give_no_proof),
        cmocka_unit_test(stops_on_request_and_takes_times),
        cmocka_unit_test(stops_after_any_phase),
        cmocka_unit_test(several_in_one_pass),
        cmocka_unit_test(names_its_phases),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
