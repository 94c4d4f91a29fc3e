#include "chain.h"

static void synthesize(const circuit *c, constraint_system *cs) {
    uint64_t squarings = (UINT64_C(1) << ((const chain_circuit *)c)->log_size) - 4;
    fr value;
    fr_from_u64(&value, 3);
    variable last = constraint_system_allocate(cs, &value);
    for (uint64_t i = 0; i < squarings; i++) {
        fr_square(&value, &value);
        variable next = constraint_system_allocate(cs, &value);
        linear_combination_add_one(&cs->a, last);
        linear_combination_add_one(&cs->b, last);
        linear_combination_add_one(&cs->c, next);
        constraint_system_enforce(cs, "square");
        last = next;
    }
    variable out = constraint_system_allocate_input(cs, &value);
    linear_combination_add_one(&cs->a, last);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, out);
    constraint_system_enforce(cs, "out");
}

chain_circuit chain_circuit_make(unsigned log_size) { return (chain_circuit){.base = {synthesize}, .log_size = log_size}; }
