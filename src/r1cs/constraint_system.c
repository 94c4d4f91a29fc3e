#include "r1cs/constraint_system.h"

#include <assert.h>
#include <stdio.h>

void constraint_system_init(constraint_system *cs, const constraint_system_class *class, bool has_witness) {
    cs->class = class;
    cs->has_witness = has_witness;
    variable one = constraint_system_allocate_input(cs, &FR_ONE);
    assert(one == VARIABLE_ONE);
    (void)one;
}

void constraint_system_free(constraint_system *cs) {
    linear_combination_free(&cs->a);
    linear_combination_free(&cs->b);
    linear_combination_free(&cs->c);
}

variable constraint_system_allocate(constraint_system *cs, const fr *value) {
    assert(value || !cs->has_witness);
    assert(cs->aux_count < VARIABLE_AUX_BIT - 1);
    variable v = cs->aux_count++ | VARIABLE_AUX_BIT;
    cs->class->allocated(cs, v, cs->has_witness ? value : NULL);
    return v;
}

variable constraint_system_allocate_bit(constraint_system *cs, bool value) {
    if (!cs->class->allocated_bit)
        return constraint_system_allocate(cs, value ? &FR_ONE : &FR_ZERO);
    assert(cs->aux_count < VARIABLE_AUX_BIT - 1);
    variable v = cs->aux_count++ | VARIABLE_AUX_BIT;
    cs->class->allocated_bit(cs, v, value);
    return v;
}

variable constraint_system_allocate_input(constraint_system *cs, const fr *value) {
    assert(value || !cs->has_witness);
    variable v = cs->input_count++;
    cs->class->allocated(cs, v, cs->has_witness ? value : NULL);
    return v;
}

void constraint_system_enforce(constraint_system *cs, const char *name) {
    cs->class->enforced(cs, name);
    cs->constraint_count++;
    linear_combination_clear(&cs->a);
    linear_combination_clear(&cs->b);
    linear_combination_clear(&cs->c);
}

void namespace_push_index(constraint_system *cs, const char *name, size_t index) {
    assert(cs->namespace_depth < NAMESPACE_DEPTH);
    cs->namespaces[cs->namespace_depth++] = (namespace_entry){.name = name, .index = (int64_t)index};
}

void namespace_push(constraint_system *cs, const char *name) {
    assert(cs->namespace_depth < NAMESPACE_DEPTH);
    cs->namespaces[cs->namespace_depth++] = (namespace_entry){.name = name, .index = -1};
}

void namespace_pop(constraint_system *cs) {
    assert(cs->namespace_depth > 0);
    cs->namespace_depth--;
}

void namespace_path(const constraint_system *cs, const char *last, char *text, size_t capacity) {
    size_t length = 0;
    text[0] = 0;
    for (unsigned i = 0; i < cs->namespace_depth && length < capacity; i++) {
        const namespace_entry *entry = &cs->namespaces[i];
        int written = entry->index < 0 ? snprintf(text + length, capacity - length, "%s/", entry->name)
                                       : snprintf(text + length, capacity - length, "%s %lld/", entry->name, (long long)entry->index);
        length += (size_t)written;
    }
    if (length < capacity)
        snprintf(text + length, capacity - length, "%s", last);
}
