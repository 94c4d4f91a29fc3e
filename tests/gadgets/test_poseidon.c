#include "support/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "gadgets/poseidon_constants.h"
#include "r1cs/digest.h"
#include "support/circuit_check.h"

static void fifth_power(fr *x) {
    fr fourth;
    fr_power(&fourth, x, 4);
    fr_mul(x, x, &fourth);
}

/* The hash as the paper has it: in every round all constants are added, the S-box is applied to all elements or to the first
 * one, and the state is multiplied by the one matrix. */
static void textbook_hash(fr *out, const fr *tag, const fr *preimage, unsigned arity) {
    unsigned width = arity + 1, full, partial;
    poseidon_round_numbers(width, &full, &partial);
    fr *constants = allocate((size_t)(full + partial) * width, sizeof(fr));
    poseidon_round_constants(constants, width, full, partial);
    static poseidon_matrix mds;
    poseidon_mds_matrix(&mds, width);

    fr state[POSEIDON_MAX_WIDTH];
    state[0] = *tag;
    memcpy(&state[1], preimage, arity * sizeof(fr));
    for (unsigned round = 0; round < full + partial; round++) {
        bool is_full = round < full / 2 || round >= full / 2 + partial;
        for (unsigned j = 0; j < width; j++) {
            fr_add(&state[j], &state[j], &constants[round * width + j]);
            if (is_full || j == 0)
                fifth_power(&state[j]);
        }
        fr mixed[POSEIDON_MAX_WIDTH];
        for (unsigned j = 0; j < width; j++) {
            mixed[j] = FR_ZERO;
            for (unsigned i = 0; i < width; i++) {
                fr product;
                fr_mul(&product, &mds.cells[j][i], &state[i]);
                fr_add(&mixed[j], &mixed[j], &product);
            }
        }
        memcpy(state, mixed, sizeof state);
    }
    *out = state[1];
    free(constants);
}

static void hashes_equal_the_vectors(void **state) {
    (void)state;
    yajl_val vectors = read_vectors("poseidon.json");
    unsigned arities_seen = 0;
    for (size_t i = 0; i < vector_count(vectors); i++) {
        yajl_val vector = vector_at(vectors, i);
        unsigned arity = (unsigned)vector_unsigned(vector, "arity");
        yajl_val elements = vector_member(vector, "preimage");
        assert_true(arity <= POSEIDON_MAX_ARITY);
        assert_int_equal(vector_count(elements), arity);
        fr preimage[POSEIDON_MAX_ARITY], expected, hash;
        for (unsigned j = 0; j < arity; j++)
            vector_fr(&preimage[j], vector_at(elements, j));
        vector_fr(&expected, vector_member(vector, "hash"));
        poseidon_hash(&hash, POSEIDON_MERKLE_TREE, preimage, arity);
        assert_true(fr_equal(&hash, &expected));
        arities_seen |= 1u << arity;
    }
    assert_int_equal(arities_seen, 1u << 2 | 1u << 4 | 1u << 8 | 1u << 11);
    yajl_tree_free(vectors);
}

static void hashes_equal_the_textbook(void **state) {
    (void)state;
    test_random random = {5};
    for (unsigned arity = 1; arity <= POSEIDON_MAX_ARITY; arity++)
        for (int domain = 0; domain < 2; domain++) {
            fr preimage[POSEIDON_MAX_ARITY], tag, expected, hash;
            for (unsigned j = 0; j < arity; j++)
                preimage[j] = test_random_fr(&random);
            fr_from_u64(&tag, domain == POSEIDON_MERKLE_TREE ? (1u << arity) - 1 : UINT64_C(1) << 40);
            textbook_hash(&expected, &tag, preimage, arity);
            poseidon_hash(&hash, (poseidon_domain)domain, preimage, arity);
            assert_true(fr_equal(&hash, &expected));
            poseidon_hash(preimage, (poseidon_domain)domain, preimage, arity);
            assert_true(fr_equal(&preimage[0], &expected));
        }
}

/* The numbers of rounds that neptune's own tests state (round_numbers.rs), for widths 2 to 17. */
static void numbers_of_rounds(void **state) {
    (void)state;
    const unsigned expected[] = {55, 55, 56, 56, 56, 56, 57, 57, 57, 57, 57, 57, 57, 57, 59, 59};
    for (unsigned width = 2; width <= POSEIDON_MAX_WIDTH; width++) {
        unsigned full, partial;
        poseidon_round_numbers(width, &full, &partial);
        assert_int_equal(full, 8);
        assert_int_equal(partial, expected[width - 2]);
    }
}

typedef struct {
    unsigned arity;
    poseidon_domain domain;
    bool twin;
    fr preimage[POSEIDON_MAX_ARITY], result;
    number hash;
} circuit_test;

/* An element of the state as a linear combination with its value: the circuit as it is defined, step by step. */
typedef struct {
    linear_combination lc;
    fr value;
} element;

static element scaled_sum(const element *elements, const fr *const *factors, unsigned count) {
    element sum = {.value = FR_ZERO};
    for (unsigned i = 0; i < count; i++) {
        fr product;
        linear_combination_add_scaled(&sum.lc, factors[i], &elements[i].lc);
        fr_mul(&product, factors[i], &elements[i].value);
        fr_add(&sum.value, &sum.value, &product);
    }
    return sum;
}

static void replace_elements(element *elements, const element *by, unsigned count) {
    for (unsigned j = 0; j < count; j++)
        linear_combination_free(&elements[j].lc);
    memcpy(elements, by, count * sizeof *elements);
}

static void twin_mix(element *elements, const poseidon_matrix *matrix) {
    element mixed[POSEIDON_MAX_WIDTH];
    const fr *factors[POSEIDON_MAX_WIDTH];
    for (unsigned j = 0; j < matrix->size; j++) {
        for (unsigned i = 0; i < matrix->size; i++)
            factors[i] = &matrix->cells[i][j];
        mixed[j] = scaled_sum(elements, factors, matrix->size);
    }
    replace_elements(elements, mixed, matrix->size);
}

static void twin_mix_sparsely(element *elements, const poseidon_sparse_matrix *sparse, unsigned width) {
    element mixed[POSEIDON_MAX_WIDTH];
    const fr *factors[POSEIDON_MAX_WIDTH];
    for (unsigned i = 0; i < width; i++)
        factors[i] = &sparse->column[i];
    mixed[0] = scaled_sum(elements, factors, width);
    for (unsigned j = 1; j < width; j++) {
        const element pair[] = {elements[j], elements[0]};
        mixed[j] = scaled_sum(pair, (const fr *const[]){&FR_ONE, &sparse->row[j]}, 2);
    }
    replace_elements(elements, mixed, width);
}

static number twin_allocate(constraint_system *cs, const element *e) {
    number n = number_allocate(cs, &e->value);
    linear_combination_copy(&cs->a, &e->lc);
    linear_combination_add_one(&cs->b, VARIABLE_ONE);
    linear_combination_add_one(&cs->c, n.variable);
    constraint_system_enforce(cs, "allocated");
    return n;
}

/* e = (x + before)^5 + after. */
static void twin_s_box(constraint_system *cs, element *e, const number *x, const fr *before, const fr *after) {
    fr values[4], minus_after;
    fr_add(&values[0], &x->value, before);
    fr_square(&values[1], &values[0]);
    fr_square(&values[2], &values[1]);
    fr_mul(&values[3], &values[2], &values[0]);
    fr_add(&values[3], &values[3], after);
    fr_negate(&minus_after, after);
    variable powers[3];
    for (int i = 0; i < 3; i++) {
        powers[i] = constraint_system_allocate(cs, &values[i + 1]);
        linear_combination *sides[] = {&cs->a, i == 0 ? &cs->b : &cs->a};
        for (int side = 0; side < (i == 0 ? 2 : 1); side++) {
            linear_combination_add_one(sides[side], i == 1 ? powers[0] : x->variable);
            if (i != 1)
                linear_combination_add(sides[side], VARIABLE_ONE, before);
        }
        if (i > 0)
            linear_combination_add_one(&cs->b, powers[i - 1]);
        linear_combination_add_one(&cs->c, powers[i]);
        if (i == 2)
            linear_combination_add(&cs->c, VARIABLE_ONE, &minus_after);
        constraint_system_enforce(cs, "power");
    }
    linear_combination_clear(&e->lc);
    linear_combination_add_one(&e->lc, powers[2]);
    e->value = values[3];
}

static number twin_circuit(constraint_system *cs, poseidon_domain domain, const number *preimage, unsigned arity) {
    const poseidon_constants *c = poseidon_constants_of(arity);
    unsigned width = arity + 1, half = c->full_rounds / 2;
    const fr *key = c->round_keys + width;
    element elements[POSEIDON_MAX_WIDTH] = {0};

    fr_from_u64(&elements[0].value, domain == POSEIDON_MERKLE_TREE ? (1u << arity) - 1 : UINT64_C(1) << 40);
    fr_add(&elements[0].value, &elements[0].value, &c->round_keys[0]);
    fifth_power(&elements[0].value);
    fr_add(&elements[0].value, &elements[0].value, key++);
    linear_combination_add(&elements[0].lc, VARIABLE_ONE, &elements[0].value);
    for (unsigned j = 1; j < width; j++)
        twin_s_box(cs, &elements[j], &preimage[j - 1], &c->round_keys[j], key++);
    twin_mix(elements, &c->mds);

    for (unsigned round = 1; round < c->full_rounds + c->partial_rounds; round++) {
        bool partial = round >= half && round < half + c->partial_rounds;
        bool last = round == c->full_rounds + c->partial_rounds - 1;
        for (unsigned j = 0; j < (partial ? 1 : width); j++) {
            number input = twin_allocate(cs, &elements[j]);
            twin_s_box(cs, &elements[j], &input, &FR_ZERO, last ? &FR_ZERO : key++);
        }
        if (partial)
            twin_mix_sparsely(elements, &c->sparse[round - half], width);
        else
            twin_mix(elements, round == half - 1 ? &c->pre_sparse : &c->mds);
    }
    number hash = twin_allocate(cs, &elements[1]);
    replace_elements(elements, elements, width);
    return hash;
}

static void do_circuit(constraint_system *cs, void *context) {
    circuit_test *test = context;
    number preimage[POSEIDON_MAX_ARITY];
    for (unsigned j = 0; j < test->arity; j++)
        preimage[j] = number_allocate(cs, &test->preimage[j]);
    test->hash = test->twin ? twin_circuit(cs, test->domain, preimage, test->arity)
                            : poseidon_circuit(cs, test->domain, preimage, test->arity);
}

static void circuits_compute_the_hash(void **state) {
    (void)state;
    test_random random = {6};
    const unsigned arities[] = {1, 2, 4, 8, 11, 16}, sizes[] = {0, 311, 377, 505, 598, 0};
    for (size_t i = 0; i < 12; i++) {
        circuit_test test = {.arity = arities[i / 2], .domain = i % 2 ? POSEIDON_RANDOMNESS : POSEIDON_MERKLE_TREE};
        for (unsigned j = 0; j < test.arity; j++)
            test.preimage[j] = test_random_fr(&random);
        assert_satisfied(do_circuit, &test);
        fr expected;
        poseidon_hash(&expected, test.domain, test.preimage, test.arity);
        assert_true(fr_equal(&test.hash.value, &expected));
        assert_every_variable_matters(do_circuit, &test, 0, test.arity == 2 ? 1 : 17);
        if (sizes[i / 2]) {
            circuit_check check;
            check_circuit(&check, do_circuit, &test, NULL, NULL);
            assert_int_equal(check.aux, test.arity + sizes[i / 2]);
            assert_int_equal(check.constraints, sizes[i / 2]);
            circuit_check_free(&check);
        }
    }
}

static void circuits_equal_their_slow_twin(void **state) {
    (void)state;
    test_random random = {7};
    const unsigned arities[] = {1, 2, 4, 8, 11};
    for (size_t i = 0; i < 10; i++) {
        circuit_test test = {.arity = arities[i / 2], .domain = i % 2 ? POSEIDON_RANDOMNESS : POSEIDON_MERKLE_TREE};
        for (unsigned j = 0; j < test.arity; j++)
            test.preimage[j] = test_random_fr(&random);
        circuit_digest digests[2];
        for (int twin = 0; twin < 2; twin++) {
            test.twin = twin;
            body_circuit c = body_circuit_of(do_circuit, &test);
            cuzk_error error = {0};
            ASSERT_OK(circuit_digest_create(&digests[twin], &c.circuit, true, &error));
        }
        assert_memory_equal(digests[0].r1cs.total, digests[1].r1cs.total, 32);
        assert_memory_equal(digests[0].aux.total, digests[1].aux.total, 32);
        circuit_digest_free(&digests[0]);
        circuit_digest_free(&digests[1]);
    }
}

static void use_constants(void *context, size_t begin, size_t end, size_t worker) {
    const poseidon_constants **seen = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        seen[i] = poseidon_constants_of(1 + (unsigned)(i / 8));
}

/* Must be the first test, so that the constants do not exist yet. */
static void constants_are_derived_once(void **state) {
    (void)state;
    const poseidon_constants *seen[8 * POSEIDON_MAX_ARITY];
    thread_pool *pool = thread_pool_create(8);
    parallel_for(pool, 8 * POSEIDON_MAX_ARITY, 1, use_constants, seen);
    thread_pool_destroy(pool);
    for (size_t i = 0; i < 8 * POSEIDON_MAX_ARITY; i++) {
        assert_ptr_equal(seen[i], seen[i - i % 8]);
        assert_int_equal(seen[i]->width, 2 + i / 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_derived_once),     cmocka_unit_test(hashes_equal_the_vectors),
        cmocka_unit_test(hashes_equal_the_textbook),      cmocka_unit_test(numbers_of_rounds),
        cmocka_unit_test(circuits_compute_the_hash),      cmocka_unit_test(circuits_equal_their_slow_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
