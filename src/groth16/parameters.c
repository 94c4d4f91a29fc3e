#include "groth16/parameters.h"

#include <stdlib.h>

#include "base/memory.h"
#include "groth16/pages.h"

static cuzk_status read_structure(parameters *p, thread_pool *pool, cuzk_error *error) {
    TRY(parameters_layout(&p->layout, p->file.data, p->file.size, p->path, error));
    return verifying_key_decode(&p->vk, p->file.data, &p->layout, p->path, pool, error);
}

cuzk_status parameters_open(parameters *p, const char *path, thread_pool *pool, cuzk_error *error) {
    *p = (parameters){0};
    TRY(mapped_file_open(&p->file, path, error));
    p->path = duplicate_string(path);
    cuzk_status status = read_structure(p, pool, error);
    if (status != CUZK_OK)
        parameters_close(p);
    return status;
}

void parameters_close(parameters *p) {
    verifying_key_free(&p->vk);
    mapped_file_close(&p->file);
    free(p->path);
    *p = (parameters){0};
}

const uint8_t *parameters_points(const parameters *p, section s) { return p->file.data + p->layout.sections[s].offset; }

uint32_t parameters_count(const parameters *p, section s) { return p->layout.sections[s].count; }

void parameters_release(const parameters *p, section s) {
    pages_release(parameters_points(p, s), (uint64_t)parameters_count(p, s) * section_point_bytes(s));
}

void parameters_needed(uint64_t points[SECTION_COUNT], const circuit_shape *shape) {
    uint64_t b = shape->b_input.ones + shape->dense_aux[DENSITY_B];
    points[SECTION_IC] = shape->inputs;
    points[SECTION_H] = (UINT64_C(1) << shape->domain_log_size) - 1;
    points[SECTION_L] = shape->aux;
    points[SECTION_A] = (uint64_t)shape->inputs + shape->dense_aux[DENSITY_A];
    points[SECTION_B_G1] = b;
    points[SECTION_B_G2] = b;
}

cuzk_status parameters_fit(const parameters *p, const circuit_shape *shape, cuzk_error *error) {
    uint64_t needed[SECTION_COUNT];
    parameters_needed(needed, shape);
    for (section s = SECTION_IC; s < SECTION_COUNT; s++)
        if (parameters_count(p, s) != needed[s])
            return failure(error, CUZK_BAD_INPUT,
                           "%s: %s: found %u points, expected %llu: these are not the parameters of this circuit "
                           "(%llu constraints, %u inputs, %u auxiliary variables)",
                           p->path, section_name(s), parameters_count(p, s), (unsigned long long)needed[s],
                           (unsigned long long)shape->constraints, shape->inputs, shape->aux);
    return CUZK_OK;
}
