#include "support/small_circuits.h"

#include <stdlib.h>

#include "support/support.h"

#include "base/memory.h"

static const small_circuit *self_of(const circuit *c) { return (const small_circuit *)c; }

static fr small(uint64_t value) {
    fr out;
    fr_from_u64(&out, value);
    return out;
}

static void add_multiple(linear_combination *lc, variable v, uint64_t coefficient) {
    fr k = small(coefficient);
    linear_combination_add(lc, v, &k);
}

static void enforce_product(constraint_system *cs, variable a, variable b, variable c) {
    linear_combination_add_one(&cs->a, a);
    linear_combination_add_one(&cs->b, b);
    linear_combination_add_one(&cs->c, c);
    constraint_system_enforce(cs, "product");
}

static void synthesize_squarings(const small_circuit *self, constraint_system *cs, bool public) {
    fr value = small(self->value);
    variable x = constraint_system_allocate(cs, &value);
    for (size_t i = 0; i < self->size; i++) {
        bool last = i + 1 == self->size;
        fr_square(&value, &value);
        if (last && self->broken)
            fr_add(&value, &value, &FR_ONE);
        variable y = last && public ? constraint_system_allocate_input(cs, &value) : constraint_system_allocate(cs, &value);
        namespace_push_index(cs, "squaring", i);
        enforce_product(cs, x, x, y);
        namespace_pop(cs);
        x = y;
    }
}

/* Every variable also occurs with a non-zero coefficient somewhere, but not in every matrix. */
static void synthesize_zero_terms(const small_circuit *self, constraint_system *cs) {
    fr x_value = small(self->value), y_value, z_value;
    fr_square(&y_value, &x_value);
    fr_mul(&z_value, &y_value, &x_value);
    variable in = constraint_system_allocate_input(cs, &y_value);
    variable other_in = constraint_system_allocate_input(cs, &z_value);
    variable x = constraint_system_allocate(cs, &x_value);
    variable y = constraint_system_allocate(cs, &y_value);
    variable z = constraint_system_allocate(cs, &z_value);

    linear_combination *sides[3] = {&cs->a, &cs->b, &cs->c};
    /* x * x = y, with a zero term of other variables on every side. */
    for (int i = 0; i < 3; i++) {
        linear_combination_add(sides[i], in, &FR_ZERO);
        linear_combination_add(sides[i], z, &FR_ZERO);
    }
    enforce_product(cs, x, x, y);
    /* The same with terms that cancel. */
    for (int i = 0; i < 3; i++) {
        linear_combination_add_one(sides[i], other_in);
        linear_combination_add_one(sides[i], z);
        add_multiple(sides[i], in, 7);
        linear_combination_subtract_one(sides[i], z);
        linear_combination_subtract_one(sides[i], other_in);
        fr minus_seven = small(7);
        fr_negate(&minus_seven, &minus_seven);
        linear_combination_add(sides[i], in, &minus_seven);
    }
    enforce_product(cs, x, x, y);
    /* 0 * x = 0 and x * 0 = 0 by a whole side that cancels. */
    linear_combination_add_one(&cs->a, y);
    linear_combination_subtract_one(&cs->a, y);
    linear_combination_add_one(&cs->b, x);
    constraint_system_enforce(cs, "zero A");
    linear_combination_add_one(&cs->a, y);
    linear_combination_add(&cs->b, z, &FR_ZERO);
    constraint_system_enforce(cs, "zero B");
    /* z and the inputs for real, z in C alone. */
    enforce_product(cs, x, y, z);
    enforce_product(cs, y, VARIABLE_ONE, in);
    linear_combination_add_one(&cs->a, VARIABLE_ONE);
    linear_combination_add_one(&cs->b, other_in);
    linear_combination_add_one(&cs->c, z);
    constraint_system_enforce(cs, "other input");
}

static void synthesize_inputs_in_b(const small_circuit *self, constraint_system *cs) {
    enum { INPUTS = 5 };
    fr sum_value = FR_ZERO, values[INPUTS];
    variable inputs[INPUTS];
    for (size_t i = 0; i < INPUTS; i++) {
        values[i] = small(self->value + i);
        inputs[i] = constraint_system_allocate_input(cs, &values[i]);
        fr_add(&sum_value, &sum_value, &values[i]);
    }
    for (size_t i = 0; i < self->size; i++) {
        fr square;
        fr_square(&square, &values[i]);
        enforce_product(cs, inputs[i], inputs[i], constraint_system_allocate(cs, &square));
    }
    variable sum = constraint_system_allocate(cs, &sum_value);
    fr square;
    fr_square(&square, &sum_value);
    for (size_t i = 0; i < INPUTS; i++)
        linear_combination_add_one(&cs->a, inputs[i]);
    linear_combination_add_one(&cs->b, sum);
    linear_combination_add_one(&cs->c, constraint_system_allocate(cs, &square));
    constraint_system_enforce(cs, "square of the sum");
}

static void synthesize_one_in_b(const small_circuit *self, constraint_system *cs) {
    for (size_t i = 0; i < self->size; i++) {
        add_multiple(&cs->a, VARIABLE_ONE, 2);
        add_multiple(&cs->b, VARIABLE_ONE, 3);
        add_multiple(&cs->c, VARIABLE_ONE, 6);
        constraint_system_enforce(cs, "two times three");
    }
}

static void synthesize_empty_b(const small_circuit *self, constraint_system *cs) {
    for (size_t i = 0; i < self->size; i++) {
        fr value = small(self->value + i);
        linear_combination_add_one(&cs->a, constraint_system_allocate(cs, &value));
        constraint_system_enforce(cs, "times nothing");
    }
}

/* With n = 2^size rows, the last being ONE * 0 = 0, and root^-1 = root^(n-1) there: A = (x root)^(n/2) and
 * B = A - 1 have degree n/2 and the values 1 and 0 in the last row, and A B - C = Z up to a constant. */
static void synthesize_low_degree(const small_circuit *self, constraint_system *cs) {
    uint64_t rows = UINT64_C(1) << self->size;
    fr root, step, a;
    fr_root_of_unity(&root, (unsigned)self->size);
    fr_power(&step, &root, rows / 2);
    a = step;
    for (uint64_t i = 0; i + 1 < rows; i++) {
        fr b, c;
        fr_sub(&b, &a, &FR_ONE);
        fr_mul(&c, &a, &b);
        linear_combination_add(&cs->a, VARIABLE_ONE, &a);
        linear_combination_add(&cs->b, VARIABLE_ONE, &b);
        linear_combination_add(&cs->c, VARIABLE_ONE, &c);
        constraint_system_enforce(cs, "constants");
        fr_mul(&a, &a, &step);
    }
}

/* Shape and witness of a random circuit while it grows. */
typedef struct {
    constraint_system *cs;
    test_random random;
    fr *inputs, *aux; /* values, as allocated so far */
} random_builder;

static variable random_variable(random_builder *builder) {
    uint64_t all = (uint64_t)builder->cs->input_count + builder->cs->aux_count;
    uint64_t pick = test_random_u64(&builder->random) % all;
    return pick < builder->cs->input_count ? (variable)pick : (variable)(pick - builder->cs->input_count) | VARIABLE_AUX_BIT;
}

static fr random_coefficient(random_builder *builder) {
    fr out;
    uint64_t pick = test_random_u64(&builder->random);
    switch (pick % 5) {
    case 0:
        return FR_ONE;
    case 1:
        return FR_MINUS_ONE;
    case 2:
        return FR_ZERO;
    case 3:
        return small(pick >> 56);
    default: {
        uint8_t bytes[FR_BYTES];
        test_random_bytes(&builder->random, bytes, sizeof bytes);
        fr_from_hash(&out, bytes);
        return out;
    }
    }
}

static void add_random_terms(random_builder *builder, linear_combination *lc) {
    uint64_t terms = test_random_u64(&builder->random) % 5;
    for (uint64_t i = 0; i < terms; i++) {
        fr coefficient = random_coefficient(builder);
        variable v = random_variable(builder);
        linear_combination_add(lc, v, &coefficient);
        if (test_random_u64(&builder->random) % 8 == 0) { /* and away again */
            fr_negate(&coefficient, &coefficient);
            linear_combination_add(lc, v, &coefficient);
        }
    }
}

static variable allocate_random(random_builder *builder, const fr *value) {
    if (test_random_u64(&builder->random) % 4 == 0) {
        builder->inputs[builder->cs->input_count] = *value;
        return constraint_system_allocate_input(builder->cs, value);
    }
    builder->aux[builder->cs->aux_count] = *value;
    return constraint_system_allocate(builder->cs, value);
}

/* A * B = k * new + rest: every new variable occurs in C at least. */
static void synthesize_random(const small_circuit *self, constraint_system *cs) {
    random_builder builder = {.cs = cs, .random = {self->seed}};
    builder.inputs = allocate_zeroed(self->size + 2, sizeof(fr));
    builder.aux = allocate_zeroed(self->size + 2, sizeof(fr));
    builder.inputs[0] = FR_ONE;
    for (size_t i = 0; i < self->size; i++) {
        add_random_terms(&builder, &cs->a);
        add_random_terms(&builder, &cs->b);
        add_random_terms(&builder, &cs->c);
        fr value = small(self->value);
        if (cs->has_witness) {
            fr a, b, c;
            linear_combination_evaluate(&a, &cs->a, builder.inputs, builder.aux);
            linear_combination_evaluate(&b, &cs->b, builder.inputs, builder.aux);
            linear_combination_evaluate(&c, &cs->c, builder.inputs, builder.aux);
            fr_mul(&value, &a, &b);
            fr_sub(&value, &value, &c);
        }
        linear_combination_add_one(&cs->c, allocate_random(&builder, &value));
        constraint_system_enforce(cs, "random");
    }
    free(builder.inputs);
    free(builder.aux);
}

static void synthesize(const circuit *c, constraint_system *cs) {
    const small_circuit *self = self_of(c);
    switch (self->kind) {
    case CIRCUIT_SQUARINGS:
        synthesize_squarings(self, cs, true);
        break;
    case CIRCUIT_PRIVATE:
        synthesize_squarings(self, cs, false);
        break;
    case CIRCUIT_ZERO_TERMS:
        synthesize_zero_terms(self, cs);
        break;
    case CIRCUIT_INPUTS_IN_B:
        synthesize_inputs_in_b(self, cs);
        break;
    case CIRCUIT_ONE_IN_B:
        synthesize_one_in_b(self, cs);
        break;
    case CIRCUIT_EMPTY_B:
        synthesize_empty_b(self, cs);
        break;
    case CIRCUIT_LOW_DEGREE:
        synthesize_low_degree(self, cs);
        break;
    case CIRCUIT_RANDOM:
        synthesize_random(self, cs);
        break;
    case CIRCUIT_UNUSED_VARIABLE: {
        fr value = small(self->value);
        constraint_system_allocate(cs, &value);
        synthesize_one_in_b(self, cs);
        break;
    }
    }
}

small_circuit small_circuit_make(small_circuit_kind kind, size_t size) {
    return (small_circuit){.base = {synthesize}, .kind = kind, .size = size, .seed = size, .value = 3};
}

void small_circuit_examples(small_circuit examples[SMALL_CIRCUIT_EXAMPLES]) {
    static const struct {
        small_circuit_kind kind;
        size_t size;
    } chosen[SMALL_CIRCUIT_EXAMPLES] = {{CIRCUIT_SQUARINGS, 1},   {CIRCUIT_SQUARINGS, 6},   {CIRCUIT_SQUARINGS, 17},
                                        {CIRCUIT_PRIVATE, 5},     {CIRCUIT_ZERO_TERMS, 0},  {CIRCUIT_INPUTS_IN_B, 0},
                                        {CIRCUIT_INPUTS_IN_B, 2}, {CIRCUIT_INPUTS_IN_B, 5}, {CIRCUIT_ONE_IN_B, 0},
                                        {CIRCUIT_ONE_IN_B, 1},    {CIRCUIT_ONE_IN_B, 4},    {CIRCUIT_EMPTY_B, 3},
                                        {CIRCUIT_LOW_DEGREE, 1},  {CIRCUIT_LOW_DEGREE, 4}};
    for (size_t i = 0; i < SMALL_CIRCUIT_EXAMPLES; i++)
        examples[i] = small_circuit_make(chosen[i].kind, chosen[i].size);
}
