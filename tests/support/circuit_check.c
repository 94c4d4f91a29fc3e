#include "support/circuit_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "r1cs/counting.h"

static void synthesize_body(const circuit *self, constraint_system *cs) {
    const body_circuit *c = (const body_circuit *)self;
    c->body(cs, c->context);
}

body_circuit body_circuit_of(circuit_body body, void *context) {
    return (body_circuit){.circuit = {synthesize_body}, .body = body, .context = context};
}

typedef struct {
    constraint_system head;
    circuit_check *check;
    size_t input_capacity, aux_capacity;
    value_override override;
    void *override_context;
} checking_system;

static void keep_value(constraint_system *cs, variable v, const fr *value) {
    checking_system *system = (checking_system *)cs;
    circuit_check *check = system->check;
    fr kept = *value;
    if (system->override)
        system->override(system->override_context, v, &kept);
    if (variable_is_aux(v)) {
        check->aux_values = grow_array(check->aux_values, check->aux, &system->aux_capacity, sizeof(fr));
        check->aux_values[check->aux++] = kept;
    } else {
        check->input_values = grow_array(check->input_values, check->inputs, &system->input_capacity, sizeof(fr));
        check->input_values[check->inputs++] = kept;
    }
}

static void check_constraint(constraint_system *cs, const char *name) {
    circuit_check *check = ((checking_system *)cs)->check;
    fr a, b, c;
    linear_combination_evaluate(&a, &cs->a, check->input_values, check->aux_values);
    linear_combination_evaluate(&b, &cs->b, check->input_values, check->aux_values);
    linear_combination_evaluate(&c, &cs->c, check->input_values, check->aux_values);
    fr_mul(&a, &a, &b);
    check->constraints++;
    if (fr_equal(&a, &c))
        return;
    if (check->broken++ == 0)
        namespace_path(cs, name, check->first_broken, sizeof check->first_broken);
}

void check_circuit(circuit_check *check, circuit_body body, void *context, value_override override, void *override_context) {
    static const constraint_system_class class = {.allocated = keep_value, .enforced = check_constraint};
    checking_system system = {.check = check, .override = override, .override_context = override_context};
    *check = (circuit_check){0};
    constraint_system_init(&system.head, &class, true);
    body(&system.head, context);
    assert_int_equal(system.head.namespace_depth, 0);
    assert_int_equal(system.head.a.count + system.head.b.count + system.head.c.count, 0);
    constraint_system_free(&system.head);
}

void circuit_check_free(circuit_check *check) {
    free(check->input_values);
    free(check->aux_values);
}

void assert_satisfied(circuit_body body, void *context) {
    body_circuit c = body_circuit_of(body, context);
    circuit_counts counts;
    circuit_count(&counts, &c.circuit);
    circuit_check check;
    check_circuit(&check, body, context, NULL, NULL);
    if (check.broken)
        fail_msg("%llu of %llu constraints are broken; the first: %s", (unsigned long long)check.broken,
                 (unsigned long long)check.constraints, check.first_broken);
    assert_int_equal(counts.inputs, check.inputs);
    assert_int_equal(counts.aux, check.aux);
    assert_int_equal(counts.constraints, check.constraints);
    circuit_check_free(&check);
    circuit_counts_free(&counts);
}

void assert_broken(circuit_body body, void *context, const char *name) {
    circuit_check check;
    check_circuit(&check, body, context, NULL, NULL);
    if (check.broken == 0)
        fail_msg("no constraint is broken, expected %s", name);
    if (!strstr(check.first_broken, name))
        fail_msg("the first broken constraint is %s, expected %s", check.first_broken, name);
    circuit_check_free(&check);
}

static void falsify(void *context, variable v, fr *value) {
    const variable *falsified = context;
    if (v != *falsified)
        return;
    if (fr_is_one(value))
        *value = FR_ZERO;
    else
        fr_add(value, value, &FR_ONE);
}

void assert_every_variable_matters(circuit_body body, void *context, uint32_t first_aux, uint32_t step) {
    circuit_check check;
    check_circuit(&check, body, context, NULL, NULL);
    uint32_t count = check.aux;
    circuit_check_free(&check);
    for (uint32_t index = first_aux; index < count; index += step) {
        variable falsified = index | VARIABLE_AUX_BIT;
        check_circuit(&check, body, context, falsify, &falsified);
        if (check.broken == 0)
            fail_msg("auxiliary variable %u can have another value", (unsigned)index);
        circuit_check_free(&check);
    }
}

fr test_random_fr(test_random *random) {
    uint8_t bytes[FR_BYTES];
    fr value;
    test_random_bytes(random, bytes, sizeof bytes);
    fr_from_hash(&value, bytes);
    return value;
}
