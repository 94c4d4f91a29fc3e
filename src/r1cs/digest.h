/* Digests of a circuit's constraints and, with a witness, of its assignment and evaluations: the format of the
 * reference data (tests/data/README.md). SHA-256 throughout; streaming.
 *
 * r1cs: for each constraint, for each of A, B, C: u32 LE number of terms with a non-zero coefficient, then for each, in
 * the variable's order, u64 LE column (bit 63 set for an auxiliary variable) and 32 bytes LE canonical coefficient.
 * aux: 32 bytes LE canonical each. abc: for each constraint the values of A, B, C. Each stream is hashed in blocks of
 * DIGEST_BLOCK_SIZE constraints or values, and the digest is the SHA-256 of the block digests one after another. */
#ifndef R1CS_DIGEST_H
#define R1CS_DIGEST_H

#include "base/json_writer.h"
#include "r1cs/assignment.h"

enum { DIGEST_BLOCK_SIZE = 65536, VALUE_CLASS_COUNT = 6 };

typedef struct {
    uint8_t (*blocks)[32];
    size_t count, capacity;
    uint8_t total[32];
} block_digests;

typedef struct {
    circuit_counts counts;
    block_digests r1cs;
    uint64_t *block_first_aux; /* for each r1cs block: auxiliary variables allocated before its first constraint */
    size_t block_first_aux_capacity;

    bool has_witness; /* the rest is set only then */
    block_digests aux, abc;
    fr *public_inputs; /* counts.inputs - 1, without ONE */
    broken_constraint broken;
    /* How many values are 0, 1, < 2^8, < 2^32, < 2^64, larger. */
    uint64_t aux_classes[VALUE_CLASS_COUNT], abc_classes[3][VALUE_CLASS_COUNT];
} circuit_digest;

/* Without witness memory is constant but for the densities (two bits a variable). With witness the auxiliary values are
 * kept (32 bytes each) for the evaluations. CUZK_NO_MEMORY only; a broken constraint is reported in `broken`. */
cuzk_status circuit_digest_create(circuit_digest *digest, const circuit *c, bool with_witness, cuzk_error *error);
void circuit_digest_free(circuit_digest *digest);

/* Writes the members of the digest (no braces around them) into the open object: inputs, aux, constraints, nonzeros
 * {a, b, c}, a_aux_density, b_aux_density, b_input_density, block_size, r1cs_sha256, block_first_aux, r1cs_blocks, and
 * with a witness public_inputs ("0x" and big-endian digits), aux_sha256, aux_blocks, abc_sha256, abc_blocks, satisfied,
 * first_unsatisfied (null or [number, name]), value_classes {classes, aux, a, b, c}. */
void circuit_digest_write(const circuit_digest *digest, json_writer *writer);

#endif
