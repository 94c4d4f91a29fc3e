#include "r1cs/assignment.h"

#include <stdio.h>

#include "r1cs/term_storage.h"

enum { FIRST_CAPACITY = 1 << 16 };

/* A vector of field elements over a growing mapping. The first failure is kept and stops all growth. */
typedef struct {
    big_buffer memory;
    size_t capacity;
} growing_vector;

typedef struct {
    constraint_system head;
    circuit_counts counts;
    growing_vector inputs, aux, evaluations[3];
    broken_constraint broken;
    cuzk_status status;
    cuzk_error *error;
} assigning_system;

static fr *elements(const growing_vector *vector) { return vector->memory.data; }

static void store(assigning_system *system, growing_vector *vector, size_t index, const fr *value) {
    if (index >= vector->capacity) {
        if (system->status != CUZK_OK)
            return;
        size_t capacity = vector->capacity ? vector->capacity * 2 : FIRST_CAPACITY;
        system->status = big_buffer_resize(&vector->memory, capacity, sizeof(fr), "assignment", system->error);
        if (system->status != CUZK_OK)
            return;
        vector->capacity = capacity;
    }
    elements(vector)[index] = *value;
}

static void keep_value(constraint_system *cs, variable v, const fr *value) {
    assigning_system *system = (assigning_system *)cs;
    store(system, variable_is_aux(v) ? &system->aux : &system->inputs, variable_index(v), value);
}

void broken_constraint_set(broken_constraint *broken, const constraint_system *cs, const char *name) {
    broken->found = true;
    broken->number = cs->constraint_count;
    namespace_path(cs, name, broken->name, sizeof broken->name);
}

bool constraint_holds(const fr *a, const fr *b, const fr *c) {
    fr product;
    fr_mul(&product, a, b);
    return fr_equal(&product, c);
}

static void evaluate(constraint_system *cs, const char *name) {
    assigning_system *system = (assigning_system *)cs;
    if (system->status != CUZK_OK)
        return;
    fr value[3];
    const linear_combination *sides[3] = {&cs->a, &cs->b, &cs->c};
    for (int i = 0; i < 3; i++) {
        linear_combination_evaluate(&value[i], sides[i], elements(&system->inputs), elements(&system->aux));
        store(system, &system->evaluations[i], cs->constraint_count, &value[i]);
    }
    if (!system->broken.found && !constraint_holds(&value[0], &value[1], &value[2]))
        broken_constraint_set(&system->broken, cs, name);
    circuit_counts_track(&system->counts, cs);
}

static cuzk_status collect(assigning_system *system, assignment *result) {
    TRY(system->status);
    if (system->broken.found)
        return failure(system->error, CUZK_UNSATISFIED, "the witness does not satisfy constraint %llu: %s",
                       (unsigned long long)system->broken.number, system->broken.name);
    circuit_counts *counts = &system->counts;
    counts->inputs = system->head.input_count;
    counts->aux = system->head.aux_count;
    counts->constraints = system->head.constraint_count;
    result->domain_log_size = circuit_domain_log_size(counts);
    size_t size = (size_t)1 << result->domain_log_size;
    for (int i = 0; i < 3; i++) {
        growing_vector *vector = &system->evaluations[i];
        TRY(big_buffer_resize(&vector->memory, size, sizeof(fr), "evaluations", system->error));
        /* Behind the circuit's rows all is zero, but for A of the appended constraints input_i * 0 = 0. */
        if (i == 0)
            memcpy(elements(vector) + counts->constraints, elements(&system->inputs), counts->inputs * sizeof(fr));
    }
    return CUZK_OK;
}

static void hand_over(assigning_system *system, assignment *result) {
    result->counts = system->counts;
    result->inputs_memory = system->inputs.memory;
    result->aux_memory = system->aux.memory;
    for (int i = 0; i < 3; i++)
        result->evaluations_memory[i] = system->evaluations[i].memory;
    result->inputs = elements(&system->inputs);
    result->aux = elements(&system->aux);
    result->a = elements(&system->evaluations[0]);
    result->b = elements(&system->evaluations[1]);
    result->c = elements(&system->evaluations[2]);
}

static void reserve(assigning_system *system, growing_vector *vector, size_t capacity) {
    if (system->status == CUZK_OK && capacity > 0)
        system->status = big_buffer_resize(&vector->memory, capacity, sizeof(fr), "assignment", system->error);
    vector->capacity = system->status == CUZK_OK ? capacity : 0;
}

static void prepare(assigning_system *system, const assignment_options *options) {
    reserve(system, &system->inputs, options->inputs);
    reserve(system, &system->aux, options->aux);
    for (int i = 0; i < 3; i++)
        reserve(system, &system->evaluations[i], options->constraints);
    density_reserve(&system->counts.a_aux, options->aux);
    density_reserve(&system->counts.b_aux, options->aux);
    linear_combination *sides[3] = {&system->head.a, &system->head.b, &system->head.c};
    for (int i = 0; options->terms && i < 3; i++)
        term_storage_attach(options->terms, sides[i]);
}

cuzk_status assignment_create(assignment *result, const circuit *c, cuzk_error *error) {
    return assignment_create_with(result, c, &(assignment_options){0}, error);
}

cuzk_status assignment_create_with(assignment *result, const circuit *c, const assignment_options *options, cuzk_error *error) {
    static const constraint_system_class class = {.allocated = keep_value, .enforced = evaluate};
    assigning_system system = {.error = error};
    *result = (assignment){0};
    prepare(&system, options);
    constraint_system_init(&system.head, &class, true);
    c->synthesize(c, &system.head);
    cuzk_status status = collect(&system, result);
    hand_over(&system, result);
    constraint_system_free(&system.head);
    if (status != CUZK_OK)
        assignment_free(result);
    return status;
}

void assignment_free_evaluations(assignment *result) {
    for (int i = 0; i < 3; i++)
        big_buffer_free(&result->evaluations_memory[i]);
    result->a = result->b = result->c = NULL;
}

void assignment_free(assignment *result) {
    assignment_free_evaluations(result);
    big_buffer_free(&result->inputs_memory);
    big_buffer_free(&result->aux_memory);
    circuit_counts_free(&result->counts);
    *result = (assignment){0};
}
