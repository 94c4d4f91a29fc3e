#include "groth16/proving_memory.h"

#include "algebra/msm.h"
#include "groth16/parameters.h"
#include "r1cs/compact_assignment.h"

static const uint64_t MIB = 1 << 20;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* It is most in one of these: the transforms, with two vectors over the domain and their tables (algebra/ntt.h); the sum over
 * h, with one vector; a sum over the variables. With scratch files there are no vectors. */
static uint64_t working_bytes(const circuit_shape *shape, size_t workers, const proving_scratch *scratch) {
    enum { TABLES_MIB = 9 };
    uint64_t rows = UINT64_C(1) << shape->domain_log_size, vector = rows * sizeof(fr), transforms = 2 * vector + TABLES_MIB * MIB;
    if (scratch) {
        matrix_shape cut;
        bool enough = quotient_file_shape(&cut, shape->domain_log_size, scratch, workers, NULL) == CUZK_OK;
        transforms = enough ? quotient_file_memory(&cut, workers) : 0; /* it will fail before it takes any */
        vector = 0;
    }
    uint64_t h = vector + msm_g1_memory(rows, workers);
    uint64_t variables = larger(msm_g1_memory(shape->aux, workers), msm_g2_memory(shape->aux, workers));
    return larger(larger(transforms, h), variables);
}

/* An MSM's block at a time and, of blocks that were given back, the pages at their borders, which the kernel maps sixteen at a
 * time. */
uint64_t parameters_resident_bytes(uint64_t file_bytes) {
    enum { BORDERS_SHARE = 256 };
    uint64_t bytes = 32 * MIB + file_bytes / BORDERS_SHARE;
    return bytes < file_bytes ? bytes : file_bytes;
}

static proving_memory memory_of(const circuit_shape *shape, size_t workers, const proving_scratch *scratch) {
    uint64_t points[SECTION_COUNT];
    parameters_needed(points, shape);
    proving_memory memory = {.parameters = VERIFYING_KEY_HEAD_BYTES,
                             .shape = circuit_shape_bytes(shape),
                             .assignment = compact_assignment_bytes(shape),
                             .working = working_bytes(shape, workers, scratch)};
    for (section s = SECTION_IC; s < SECTION_COUNT; s++)
        memory.parameters += 4 + points[s] * section_point_bytes(s);
    memory.resident = parameters_resident_bytes(memory.parameters);
    return memory;
}

proving_memory proving_memory_of(const circuit_shape *shape, size_t workers) { return memory_of(shape, workers, NULL); }

proving_memory proving_memory_with_scratch(const circuit_shape *shape, size_t workers, const proving_scratch *scratch) {
    return memory_of(shape, workers, scratch);
}

uint64_t proving_memory_total(const proving_memory *memory) {
    return memory->resident + memory->shape + memory->assignment + memory->working;
}
