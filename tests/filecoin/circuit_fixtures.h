/* What the tests of the three circuits share. */
#ifndef TESTS_CIRCUIT_FIXTURES_H
#define TESTS_CIRCUIT_FIXTURES_H

#include "filecoin/circuits.h"
#include "filecoin/sealing.h"
#include "support/reference_digest.h"

/* The test fails unless the blank circuits of all sizes up to `largest` have the digests of circuits/KIND-SIZE.json. Sizes
 * whose file is not there are left out. */
void assert_blank_circuits_match(proof_kind kind, const char *largest);

/* A test of a job, whose name is its initial state: the circuits of its first and last partition have the digests, witness
 * included, of its digest.json, and the public inputs that the job states. Skips where neither tests/data nor the reference
 * data beside the repository has the job. */
void test_job_matches_the_reference(void **state);
#define JOB_TEST(job) \
    {"test_job_matches_the_reference: " job, test_job_matches_the_reference, NULL, NULL, (void *)(uintptr_t)(job)}

/* The test fails unless every constraint holds and the public inputs, without ONE, are `expected` (count of them; NULL:
 * any). */
void assert_circuit_satisfied(const circuit *c, const fr *expected, size_t count);
/* The test fails unless no assignment can be made because a constraint of this name, path included, does not hold. */
void assert_circuit_broken(const circuit *c, const char *name);

/* A sealed sector of a size, with data and randomness that follow from its number. Free with small_sector_free. */
typedef struct {
    registered_proof proof; /* a PoRep of that size, which need not be a registered one */
    sealed_sector sealed;
    stored_sector stored;
    sector_view view;
    uint8_t seed[32];
} small_sector;

void small_sector_seal(small_sector *sector, const char *size, uint64_t sector_number, porep_feature feature);
void small_sector_free(small_sector *sector);

/* A field element that must be canonical. */
fr canonical(const uint8_t bytes[32]);

#endif
