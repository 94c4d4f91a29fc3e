#include "engine/classic_synthesis.h"

#include <stdlib.h>

#include "base/memory.h"
#include "r1cs/assignment.h"

enum { COMPARED_AT_ONCE = 1 << 14 };

uint64_t classic_synthesis_bytes(const circuit_shape *shape) {
    uint64_t values = (uint64_t)shape->inputs + shape->aux + (UINT64_C(3) << shape->domain_log_size);
    return values * sizeof(fr) + DENSITIES * (uint64_t)shape->aux / 8;
}

/* The first of `count` that differ, or count. */
static size_t first_difference(const fr *a, const fr *b, size_t count) {
    size_t i = 0;
    while (i < count && fr_equal(&a[i], &b[i]))
        i++;
    return i;
}

static cuzk_status differ(const char *what, uint64_t index, cuzk_error *error) {
    return failure(error, CUZK_INTERNAL, "the compact assignment is not the classic one: %s %llu differs", what,
                   (unsigned long long)index);
}

static cuzk_status compare_variables(const assignment *classic, const compact_assignment *compact, progress *job,
                                     cuzk_error *error) {
    size_t at = first_difference(classic->inputs, compact->inputs, compact->shape->inputs);
    if (at < compact->shape->inputs)
        return differ("input", at, error);
    fr *values = allocate(COMPARED_AT_ONCE, sizeof *values);
    cuzk_status status = CUZK_OK;
    for (uint32_t begin = 0; status == CUZK_OK && begin < compact->shape->aux; begin += COMPARED_AT_ONCE) {
        uint32_t left = compact->shape->aux - begin, count = left < COMPARED_AT_ONCE ? left : COMPARED_AT_ONCE;
        compact_aux(compact, begin, begin + count, values);
        at = first_difference(classic->aux + begin, values, count);
        status = at < count ? differ("auxiliary variable", begin + at, error) : progress_check(job, error);
    }
    free(values);
    return status;
}

/* Behind the constraints too, up to the domain's size: the prover takes those as they are. */
static cuzk_status compare_rows(const assignment *classic, const compact_assignment *compact, progress *job, cuzk_error *error) {
    static const char *const names[] = {"A in row", "B in row", "C in row"};
    const fr *const expected[] = {classic->a, classic->b, classic->c};
    uint64_t rows = UINT64_C(1) << compact->shape->domain_log_size;
    row_scratch *scratch = row_scratch_create(compact->shape);
    fr *values = allocate(3 * COMPARED_AT_ONCE, sizeof *values);
    cuzk_status status = CUZK_OK;
    for (uint64_t begin = 0; status == CUZK_OK && begin < rows; begin += COMPARED_AT_ONCE) {
        uint64_t count = rows - begin < COMPARED_AT_ONCE ? rows - begin : COMPARED_AT_ONCE;
        compact_rows(compact, begin, begin + count, values, values + COMPARED_AT_ONCE, values + 2 * COMPARED_AT_ONCE, scratch);
        for (int side = 0; status == CUZK_OK && side < 3; side++) {
            size_t at = first_difference(expected[side] + begin, values + side * COMPARED_AT_ONCE, (size_t)count);
            status = at < count ? differ(names[side], begin + at, error) : progress_check(job, error);
        }
    }
    free(values);
    row_scratch_free(scratch);
    return status;
}

cuzk_status classic_synthesis_agrees(const compact_assignment *compact, const circuit *c, progress *job, cuzk_error *error) {
    const circuit_shape *shape = compact->shape;
    const assignment_options sizes = {.inputs = shape->inputs, .aux = shape->aux, .constraints = shape->constraints};
    assignment classic;
    TRY(assignment_create_with(&classic, c, &sizes, error));
    cuzk_status status = CUZK_OK;
    const circuit_counts *counts = &classic.counts;
    if (counts->inputs != shape->inputs || counts->aux != shape->aux || counts->constraints != shape->constraints)
        status = failure(error, CUZK_INTERNAL, "the circuit is not of its shape");
    if (status == CUZK_OK)
        status = progress_check(job, error);
    if (status == CUZK_OK)
        status = compare_variables(&classic, compact, job, error);
    if (status == CUZK_OK)
        status = compare_rows(&classic, compact, job, error);
    assignment_free(&classic);
    return status;
}
