/* The proving parameters of a circuit: a .params file, mapped and never copied. */
#ifndef GROTH16_PARAMETERS_H
#define GROTH16_PARAMETERS_H

#include "groth16/layout.h"
#include "groth16/verifying_key.h"
#include "r1cs/compact_shape.h"

/* Constant after opening; any number of provers may share it. */
typedef struct {
    char *path;
    mapped_file file;
    file_layout layout;
    verifying_key vk;
} parameters;

/* Maps the file and checks its structure (layout.h) and the points of its verifying key, not those of its queries: that
 * is parameters_check (parameters_check.h). Errors begin with the path. Free with parameters_close. */
cuzk_status parameters_open(parameters *p, const char *path, thread_pool *pool, cuzk_error *error);
void parameters_close(parameters *p);

/* The uncompressed points of a section, inside the mapping, and how many they are. */
const uint8_t *parameters_points(const parameters *p, section s);
uint32_t parameters_count(const parameters *p, section s);

/* pages_release (pages.h) of a section, so that a prover holds one query at a time. */
void parameters_release(const parameters *p, section s);

/* How many points each section has for a circuit: ic as many as inputs, h domain - 1, l aux, a inputs and the density of A,
 * b_g1 and b_g2 the densities of B. */
void parameters_needed(uint64_t points[SECTION_COUNT], const circuit_shape *shape);

/* Compares the length of every section with what a circuit needs. CUZK_BAD_INPUT names the path, the section and both
 * lengths. */
cuzk_status parameters_fit(const parameters *p, const circuit_shape *shape, cuzk_error *error);

#endif
