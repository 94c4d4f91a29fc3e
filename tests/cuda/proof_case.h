/* A circuit with parameters, randomness and the proof that the CPU makes of it. */
#ifndef TESTS_CUDA_PROOF_CASE_H
#define TESTS_CUDA_PROOF_CASE_H

#include "cuda_fixture.h"

#include "cuda/cuda_prover.h"
#include "support/scratch.h"
#include "support/small_circuits.h"
#include "support/small_setup.h"

typedef struct {
    circuit_shape shape;
    const circuit *circuit;
    parameters parameters;
    fr r, s;
    prove_options options;
    uint8_t expected[PROOF_BYTES];
} proof_case;

static inline compact_assignment witness_of(const proof_case *c) {
    cuzk_error error = {0};
    compact_assignment witness;
    ASSERT_OK(compact_assignment_create(&witness, &c->shape, c->circuit, &error));
    return witness;
}

/* number: of the setup's secrets. */
static inline void open_case_with(proof_case *c, const circuit *proved, uint8_t number) {
    cuzk_error error = {0};
    toxic_waste waste = waste_of(number);
    test_random random = {9};
    *c = (proof_case){.circuit = proved};
    circuit_shape_create(&c->shape, proved);
    small_setup(&c->parameters, "cuda", proved, &waste);
    random_fr(&random, &c->r);
    random_fr(&random, &c->s);
    c->options = (prove_options){.r = &c->r, .s = &c->s};
    compact_assignment witness = witness_of(c);
    ASSERT_OK(groth16_prove_assignment(c->expected, &witness, &c->parameters, &c->options, NULL, NULL, NULL, &error));
}

static inline void open_case(proof_case *c, const circuit *proved) { open_case_with(c, proved, 11); }

static inline void close_case(proof_case *c) {
    parameters_close(&c->parameters);
    circuit_shape_free(&c->shape);
}

static inline cuda_prover *prover_with(const cuda_prover_options *options) {
    cuzk_error error = {0};
    cuda_prover *prover;
    if (device_count() == 0)
        skip();
    ASSERT_OK(cuda_prover_create(&prover, 0, options, &error));
    return prover;
}

/* Proves and compares; returns the report. */
static inline cuda_prove_report prove_equal(const proof_case *c, cuda_prover *prover, thread_pool *pool) {
    cuzk_error error = {0};
    uint8_t proof[PROOF_BYTES] = {0};
    cuda_prove_report report;
    compact_assignment witness = witness_of(c);
    ASSERT_OK(cuda_prove(proof, prover, &witness, &c->parameters, &c->options, pool, NULL, &report, &error));
    assert_memory_equal(proof, c->expected, PROOF_BYTES);
    return report;
}

#endif
