#include "gadgets/poseidon.h"

#include "algebra/fr_dot.h"
#include "gadgets/poseidon_block.h"
#include "gadgets/poseidon_constants.h"

void poseidon_domain_tag(fr *out, poseidon_domain domain, unsigned arity) {
    fr_from_u64(out, domain == POSEIDON_MERKLE_TREE ? (UINT64_C(1) << arity) - 1 : UINT64_C(1) << 40);
}

void poseidon_s_box(fr *x, const fr *key) {
    fr power;
    fr_square(&power, x);
    fr_square(&power, &power);
    fr_mul(x, x, &power);
    if (key)
        fr_add(x, x, key);
}

void poseidon_sparse_apply(fr *state, const poseidon_sparse_matrix *sparse, unsigned width) {
    fr first, product;
    fr_dot(&first, state, sparse->column, 1, width);
    for (unsigned i = 1; i < width; i++) {
        fr_mul(&product, &state[0], &sparse->row[i]);
        fr_add(&state[i], &state[i], &product);
    }
    state[0] = first;
}

void poseidon_hash(fr *out, poseidon_domain domain, const fr *preimage, unsigned arity) {
    const poseidon_constants *c = poseidon_constants_of(arity);
    const fr *key = c->round_keys;
    unsigned half = c->full_rounds / 2;
    fr state[POSEIDON_MAX_WIDTH];
    poseidon_domain_tag(&state[0], domain, arity);
    memcpy(&state[1], preimage, arity * sizeof *preimage);
    for (unsigned j = 0; j < c->width; j++)
        fr_add(&state[j], &state[j], key++);

    for (unsigned round = 0; round < half; round++) {
        for (unsigned j = 0; j < c->width; j++)
            poseidon_s_box(&state[j], key++);
        poseidon_matrix_apply(state, round < half - 1 ? &c->mds : &c->pre_sparse);
    }
    for (unsigned round = 0; round < c->partial_rounds; round++) {
        poseidon_s_box(&state[0], key++);
        poseidon_sparse_apply(state, &c->sparse[round], c->width);
    }
    for (unsigned round = 0; round < half; round++) {
        for (unsigned j = 0; j < c->width; j++)
            poseidon_s_box(&state[j], round < half - 1 ? key++ : NULL);
        poseidon_matrix_apply(state, &c->mds);
    }
    *out = state[1];
}

/* A hash in a circuit under way. */
typedef struct {
    constraint_system *cs;
    const poseidon_constants *constants;
    const fr *key; /* the next one */
    const fr *row; /* the next one of input_rows */

    /* The S-box outputs that the next row's coefficients belong to. In the second round the first of them is the
     * constant of the tag: ONE, with tag_output as a factor. */
    variable sources[POSEIDON_MAX_WIDTH + POSEIDON_MAX_PARTIAL_ROUNDS];
    unsigned source_count;
    fr tag_output;

    fr state[POSEIDON_MAX_WIDTH]; /* values, with a witness */
} poseidon_run;

/* Allocates the linear combination that the next row describes: sum * 1 = it. */
static number allocate_input(poseidon_run *run, const char *name, const fr *value) {
    constraint_system *cs = run->cs;
    number input = number_allocate(cs, value);
    for (unsigned i = 0; i < run->source_count; i++) {
        if (run->sources[i] == VARIABLE_ONE) {
            fr constant;
            fr_mul(&constant, &run->row[i], &run->tag_output);
            linear_combination_add(&cs->a, VARIABLE_ONE, &constant);
        } else {
            linear_combination_add(&cs->a, run->sources[i], &run->row[i]);
        }
    }
    run->row += run->source_count;
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, input.variable);
    constraint_system_enforce(cs, name);
    return input;
}

/* (x + before)^5 + after in three constraints; before and after may be NULL. */
static number s_box_circuit(constraint_system *cs, const number *x, const fr *before, const fr *after) {
    fr sum = x->value, value = FR_ZERO;
    if (before && cs->has_witness)
        fr_add(&sum, &sum, before);

    if (cs->has_witness)
        fr_square(&value, &sum);
    number square = number_allocate(cs, &value);
    linear_combination_add_one(&cs->a, x->variable);
    linear_combination_add_one(&cs->b, x->variable);
    if (before) {
        linear_combination_add(&cs->a, VARIABLE_ONE, before);
        linear_combination_add(&cs->b, VARIABLE_ONE, before);
    }
    linear_combination_add_one(&cs->c, square.variable);
    constraint_system_enforce(cs, "squaring constraint");

    number fourth = number_square(cs, &square);

    if (cs->has_witness) {
        fr_mul(&value, &fourth.value, &sum);
        if (after)
            fr_add(&value, &value, after);
    }
    number result = number_allocate(cs, &value);
    linear_combination_add_one(&cs->a, x->variable);
    if (before)
        linear_combination_add(&cs->a, VARIABLE_ONE, before);
    linear_combination_add_one(&cs->b, fourth.variable);
    linear_combination_add_one(&cs->c, result.variable);
    if (after) {
        fr minus_after;
        fr_negate(&minus_after, after);
        linear_combination_add(&cs->c, VARIABLE_ONE, &minus_after);
    }
    constraint_system_enforce(cs, "mul sum constraint");
    return result;
}

/* The S-box at position j of the state in a round whose input is allocated first. Returns its output's variable. */
static variable allocated_s_box(poseidon_run *run, unsigned j, const fr *key) {
    namespace_push_index(run->cs, "quintic s-box", j);
    number input = allocate_input(run, "S-box input", &run->state[j]);
    number output = s_box_circuit(run->cs, &input, NULL, key);
    namespace_pop(run->cs);
    run->state[j] = output.value;
    return output.variable;
}

/* The first round: the tag's S-box is a constant, those of the preimage add their keys first. */
static void first_round(poseidon_run *run, const fr *tag, const number *preimage) {
    unsigned width = run->constants->width;
    const fr *before = run->key, *after = run->key + width;
    run->key += 2 * width;
    namespace_push(run->cs, "first round");
    fr_add(&run->tag_output, tag, &before[0]);
    poseidon_s_box(&run->tag_output, &after[0]);
    run->sources[0] = VARIABLE_ONE;
    run->state[0] = run->tag_output;
    for (unsigned j = 1; j < width; j++) {
        namespace_push_index(run->cs, "quintic s-box", j);
        number output = s_box_circuit(run->cs, &preimage[j - 1], &before[j], &after[j]);
        namespace_pop(run->cs);
        run->sources[j] = output.variable;
        run->state[j] = output.value;
    }
    run->source_count = width;
    namespace_pop(run->cs);
}

static void full_round(poseidon_run *run, const char *name, unsigned number_of_round, bool has_keys) {
    unsigned width = run->constants->width;
    variable outputs[POSEIDON_MAX_WIDTH];
    namespace_push_index(run->cs, name, number_of_round);
    for (unsigned j = 0; j < width; j++)
        outputs[j] = allocated_s_box(run, j, has_keys ? run->key++ : NULL);
    memcpy(run->sources, outputs, width * sizeof *outputs);
    run->source_count = width;
    namespace_pop(run->cs);
}

static void partial_round(poseidon_run *run, unsigned number_of_round) {
    namespace_push_index(run->cs, "partial round", number_of_round);
    variable output = allocated_s_box(run, 0, run->key++);
    run->sources[run->source_count++] = output;
    namespace_pop(run->cs);
}

number poseidon_circuit(constraint_system *cs, poseidon_domain domain, const number *preimage, unsigned arity) {
    number taken;
    if (poseidon_block(cs, domain, preimage, arity, &taken))
        return taken;
    const poseidon_constants *c = poseidon_constants_of(arity);
    unsigned half = c->full_rounds / 2;
    poseidon_run run = {.cs = cs, .constants = c, .key = c->round_keys, .row = c->input_rows};
    fr tag;
    poseidon_domain_tag(&tag, domain, arity);

    first_round(&run, &tag, preimage);
    for (unsigned round = 1; round < half; round++) {
        if (cs->has_witness)
            poseidon_matrix_apply(run.state, &c->mds);
        full_round(&run, "initial full round", round, true);
    }
    if (cs->has_witness)
        poseidon_matrix_apply(run.state, &c->pre_sparse);
    for (unsigned round = 0; round < c->partial_rounds; round++) {
        partial_round(&run, round);
        if (cs->has_witness)
            poseidon_sparse_apply(run.state, &c->sparse[round], c->width);
    }
    for (unsigned round = 0; round < half; round++) {
        full_round(&run, "final full round", round, round < half - 1);
        if (cs->has_witness)
            poseidon_matrix_apply(run.state, &c->mds);
    }
    return allocate_input(&run, "hash result", &run.state[1]);
}
