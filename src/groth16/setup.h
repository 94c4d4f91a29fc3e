/* Groth16 setup: the parameters and the verifying key of a circuit from five secret scalars, for development. Whoever
 * knows the scalars can prove anything, so parameters made here are marked (development.h). */
#ifndef GROTH16_SETUP_H
#define GROTH16_SETUP_H

#include "base/progress.h"
#include "base/threads.h"
#include "groth16/development.h"
#include "r1cs/constraint_system.h"

/* The secrets of a setup (Montgomery), none of them zero and tau outside the circuit's domain. */
typedef struct {
    fr tau, alpha, beta, gamma, delta;
} toxic_waste;

/* From the operating system's generator. */
cuzk_status toxic_waste_random(toxic_waste *waste, cuzk_error *error);
/* From a seed (fr_from_seed with the counters 0 .. 4 in the order of the fields): equal seeds give equal files. */
void toxic_waste_from_seed(toxic_waste *waste, const uint8_t seed[32]);

/* Makes the parameters of a circuit and writes parameters_path, verifying_key_path and a development note beside each.
 * Every file appears whole or not at all, the notes before what they describe; the parameters are recorded as checked.
 * Existing files are replaced: the caller asks first. The generators are the groups' standard ones. Points are written as
 * they are made; memory is 96 bytes for each variable. waste NULL: random, and wiped afterwards. pool NULL: the caller
 * alone; job NULL: silent. Fails with
 *   CUZK_BAD_INPUT    a secret is zero or tau is in the domain; a variable that no constraint uses; a polynomial that
 *                     vanishes at tau (no file with such a point would be accepted)
 *   CUZK_INPUT_OUTPUT, CUZK_NO_MEMORY, CUZK_CANCELLED.
 *
 * The points, with u, v, w the polynomials of a variable in A, B, C and Z = x^domain - 1: ic (beta u + alpha v + w) / gamma
 * of each input; h tau^i Z / delta, i < domain - 1; l (beta u + alpha v + w) / delta of each auxiliary variable; a u of
 * each input and each auxiliary variable in A; b_g1 and b_g2 v of each variable in B. "In" means: with a non-zero
 * coefficient somewhere, as the prover counts. Source: bellperson 0.27, groth16/generator.rs. */
cuzk_status groth16_setup(const circuit *c, const toxic_waste *waste, const char *parameters_path, const char *verifying_key_path,
                          const setup_description *description, thread_pool *pool, progress *job, cuzk_error *error);

#endif
