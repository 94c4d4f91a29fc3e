/* Groth16 from its definition, slow and simple: polynomials by interpolation in O(n^2), one multiplication for each point.
 * The twin that setup and prover must equal byte for byte. For domains up to about 64. */
#ifndef TESTS_SLOW_GROTH16_H
#define TESTS_SLOW_GROTH16_H

#include "groth16/proof.h"
#include "groth16/setup.h"

/* A circuit written down: its constraints, the appended ones included, and the witness. */
typedef struct {
    linear_combination a, b, c;
} slow_constraint;

typedef struct {
    slow_constraint *constraints;
    size_t rows, rows_capacity;
    fr *inputs, *aux;
    size_t input_count, input_capacity, aux_count, aux_capacity;
    unsigned domain_log_size;
} slow_circuit;

slow_circuit slow_circuit_record(const circuit *c);
void slow_circuit_free(slow_circuit *slow);

/* The bytes that setup must write; free with free(). *vk_size: how many of them are the .vk file. */
uint8_t *slow_setup(const slow_circuit *slow, const toxic_waste *waste, size_t *size, size_t *vk_size);

/* The proof for the randomness r and s, from the definition with the toxic waste known: the scalars of A, B and C are
 * computed from the polynomials at tau and multiplied with the generators at the end. */
void slow_prove(uint8_t proof[PROOF_BYTES], const slow_circuit *slow, const toxic_waste *waste, const fr *r, const fr *s);

/* The proof as a prover must make it, from the bytes that slow_setup gave. */
void slow_prove_from_parameters(uint8_t proof[PROOF_BYTES], const slow_circuit *slow, const uint8_t *parameters_bytes,
                                const fr *r, const fr *s);

#endif
