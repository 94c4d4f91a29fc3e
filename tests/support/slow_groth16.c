#include "support/slow_groth16.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "support/support.h"

/* ---- recording ---- */

typedef struct {
    constraint_system head;
    slow_circuit *slow;
} recording_system;

static void record_value(constraint_system *cs, variable v, const fr *value) {
    slow_circuit *slow = ((recording_system *)cs)->slow;
    if (variable_is_aux(v)) {
        slow->aux = grow_array(slow->aux, slow->aux_count, &slow->aux_capacity, sizeof(fr));
        slow->aux[slow->aux_count++] = *value;
    } else {
        slow->inputs = grow_array(slow->inputs, slow->input_count, &slow->input_capacity, sizeof(fr));
        slow->inputs[slow->input_count++] = *value;
    }
}

static slow_constraint *new_row(slow_circuit *slow) {
    slow->constraints = grow_array(slow->constraints, slow->rows, &slow->rows_capacity, sizeof *slow->constraints);
    slow_constraint *row = &slow->constraints[slow->rows++];
    *row = (slow_constraint){0};
    return row;
}

static void record_constraint(constraint_system *cs, const char *name) {
    (void)name;
    slow_constraint *row = new_row(((recording_system *)cs)->slow);
    linear_combination_copy(&row->a, &cs->a);
    linear_combination_copy(&row->b, &cs->b);
    linear_combination_copy(&row->c, &cs->c);
}

slow_circuit slow_circuit_record(const circuit *c) {
    static const constraint_system_class class = {.allocated = record_value, .enforced = record_constraint};
    slow_circuit slow = {0};
    recording_system system = {.slow = &slow};
    constraint_system_init(&system.head, &class, true);
    c->synthesize(c, &system.head);
    constraint_system_free(&system.head);
    for (size_t i = 0; i < slow.input_count; i++)
        linear_combination_add_one(&new_row(&slow)->a, (variable)i);
    while (((size_t)1 << slow.domain_log_size) < slow.rows)
        slow.domain_log_size++;
    return slow;
}

void slow_circuit_free(slow_circuit *slow) {
    for (size_t i = 0; i < slow->rows; i++) {
        linear_combination_free(&slow->constraints[i].a);
        linear_combination_free(&slow->constraints[i].b);
        linear_combination_free(&slow->constraints[i].c);
    }
    free(slow->constraints);
    free(slow->inputs);
    free(slow->aux);
    *slow = (slow_circuit){0};
}

/* ---- polynomials ---- */

static size_t domain_size(const slow_circuit *slow) { return (size_t)1 << slow->domain_log_size; }

static fr *domain_elements(const slow_circuit *slow) {
    fr root, *elements = allocate(domain_size(slow), sizeof(fr));
    fr_root_of_unity(&root, slow->domain_log_size);
    for (size_t i = 0; i < domain_size(slow); i++)
        fr_power(&elements[i], &root, i);
    return elements;
}

/* L_i(x): the product over j != i of (x - w^j) / (w^i - w^j). */
static fr *lagrange_values(const slow_circuit *slow, const fr *x) {
    size_t size = domain_size(slow);
    fr *elements = domain_elements(slow), *values = allocate(size, sizeof(fr));
    for (size_t i = 0; i < size; i++) {
        fr above = FR_ONE, below = FR_ONE, difference;
        for (size_t j = 0; j < size; j++) {
            if (j == i)
                continue;
            fr_sub(&difference, x, &elements[j]);
            fr_mul(&above, &above, &difference);
            fr_sub(&difference, &elements[i], &elements[j]);
            fr_mul(&below, &below, &difference);
        }
        fr_invert(&below, &below);
        fr_mul(&values[i], &above, &below);
    }
    free(elements);
    return values;
}

typedef enum { SIDE_A, SIDE_B, SIDE_C } side;

static const linear_combination *side_of(const slow_constraint *row, side s) {
    return s == SIDE_A ? &row->a : s == SIDE_B ? &row->b : &row->c;
}

/* The polynomial of each variable on one side, at the point where the Lagrange values were taken; inputs first. */
static fr *variable_polynomials(const slow_circuit *slow, side s, const fr *lagrange) {
    fr *out = allocate_zeroed(slow->input_count + slow->aux_count, sizeof(fr));
    for (size_t row = 0; row < slow->rows; row++) {
        const linear_combination *lc = side_of(&slow->constraints[row], s);
        for (size_t i = 0; i < lc->count; i++) {
            variable v = lc->terms[i].variable;
            fr *sum = &out[variable_is_aux(v) ? slow->input_count + variable_index(v) : v], product;
            fr_mul(&product, &lc->terms[i].coefficient, &lagrange[row]);
            fr_add(sum, sum, &product);
        }
    }
    return out;
}

/* Coefficients of the polynomial with the side's values on the domain: c_k = 1/n sum_i value_i w^(-ik). */
static fr *interpolate(const slow_circuit *slow, side s) {
    size_t size = domain_size(slow);
    fr *elements = domain_elements(slow), *out = allocate_zeroed(size, sizeof(fr)), scale;
    fr_from_u64(&scale, size);
    fr_invert(&scale, &scale);
    for (size_t row = 0; row < slow->rows; row++) {
        fr value, product;
        linear_combination_evaluate(&value, side_of(&slow->constraints[row], s), slow->inputs, slow->aux);
        fr_mul(&value, &value, &scale);
        for (size_t k = 0; k < size; k++) {
            fr_mul(&product, &value, &elements[(size - row) * k % size]);
            fr_add(&out[k], &out[k], &product);
        }
    }
    free(elements);
    return out;
}

/* Coefficients of (A B - C) / (x^n - 1), n - 1 of them (0 for n = 1): division with remainder, which must be zero. */
static fr *quotient(const slow_circuit *slow) {
    size_t size = domain_size(slow);
    fr *a = interpolate(slow, SIDE_A), *b = interpolate(slow, SIDE_B), *c = interpolate(slow, SIDE_C);
    fr *product = allocate_zeroed(2 * size, sizeof(fr));
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            fr part;
            fr_mul(&part, &a[i], &b[j]);
            fr_add(&product[i + j], &product[i + j], &part);
        }
    fr *out = allocate_zeroed(size, sizeof(fr));
    for (size_t i = 0; i < size; i++) {
        fr_sub(&product[i], &product[i], &c[i]);
        out[i] = product[i + size];
        fr_add(&product[i], &product[i], &product[i + size]);
        assert_true(fr_is_zero(&product[i]));
    }
    assert_true(fr_is_zero(&out[size - 1]));
    free(a), free(b), free(c), free(product);
    return out;
}

static bool occurs(const slow_circuit *slow, side s, variable v) {
    for (size_t row = 0; row < slow->rows; row++) {
        const linear_combination *lc = side_of(&slow->constraints[row], s);
        for (size_t i = 0; i < lc->count; i++)
            if (lc->terms[i].variable == v && !fr_is_zero(&lc->terms[i].coefficient))
                return true;
    }
    return false;
}

static variable variable_of_slot(const slow_circuit *slow, size_t slot) {
    return slot < slow->input_count ? (variable)slot : (variable)(slot - slow->input_count) | VARIABLE_AUX_BIT;
}

/* ---- setup ---- */

static g1 times_g1(const fr *k) {
    g1 out;
    g1_from_affine(&out, G1_GENERATOR);
    g1_multiply(&out, &out, k);
    return out;
}

static g2 times_g2(const fr *k) {
    g2 out;
    g2_from_affine(&out, G2_GENERATOR);
    g2_multiply(&out, &out, k);
    return out;
}

typedef struct {
    uint8_t *bytes;
    size_t size;
} growing_bytes;

static uint8_t *extend_bytes(growing_bytes *out, size_t more) {
    out->bytes = reallocate(out->bytes, out->size + more, 1);
    out->size += more;
    return out->bytes + out->size - more;
}

static void put_g1(growing_bytes *out, const fr *k) {
    g1 point = times_g1(k);
    g1_affine affine;
    g1_to_affine(&affine, &point);
    g1_encode(extend_bytes(out, G1_BYTES), &affine);
}

static void put_g2(growing_bytes *out, const fr *k) {
    g2 point = times_g2(k);
    g2_affine affine;
    g2_to_affine(&affine, &point);
    g2_encode(extend_bytes(out, G2_BYTES), &affine);
}

static void put_count(growing_bytes *out, size_t count) { store_u32_be(extend_bytes(out, 4), (uint32_t)count); }

/* (beta u + alpha v + w) / divisor. */
static fr extension_of(const toxic_waste *waste, const fr *u, const fr *v, const fr *w, const fr *divisor) {
    fr sum, product, inverse;
    fr_mul(&sum, &waste->beta, u);
    fr_mul(&product, &waste->alpha, v);
    fr_add(&sum, &sum, &product);
    fr_add(&sum, &sum, w);
    fr_invert(&inverse, divisor);
    fr_mul(&sum, &sum, &inverse);
    return sum;
}

static fr vanishing_at(const slow_circuit *slow, const fr *x) {
    fr out;
    fr_power(&out, x, domain_size(slow));
    fr_sub(&out, &out, &FR_ONE);
    return out;
}

static void put_b_query(growing_bytes *out, const slow_circuit *slow, const fr *v, bool second_group) {
    size_t all = slow->input_count + slow->aux_count, count = 0;
    for (size_t i = 0; i < all; i++)
        count += occurs(slow, SIDE_B, variable_of_slot(slow, i));
    put_count(out, count);
    for (size_t i = 0; i < all; i++)
        if (occurs(slow, SIDE_B, variable_of_slot(slow, i)))
            second_group ? put_g2(out, &v[i]) : put_g1(out, &v[i]);
}

uint8_t *slow_setup(const slow_circuit *slow, const toxic_waste *waste, size_t *size, size_t *vk_size) {
    size_t inputs = slow->input_count, all = inputs + slow->aux_count;
    fr *lagrange = lagrange_values(slow, &waste->tau);
    fr *u = variable_polynomials(slow, SIDE_A, lagrange);
    fr *v = variable_polynomials(slow, SIDE_B, lagrange);
    fr *w = variable_polynomials(slow, SIDE_C, lagrange);

    growing_bytes out = {0};
    put_g1(&out, &waste->alpha), put_g1(&out, &waste->beta), put_g2(&out, &waste->beta);
    put_g2(&out, &waste->gamma), put_g1(&out, &waste->delta), put_g2(&out, &waste->delta);
    put_count(&out, inputs);
    for (size_t i = 0; i < inputs; i++) {
        fr k = extension_of(waste, &u[i], &v[i], &w[i], &waste->gamma);
        put_g1(&out, &k);
    }
    *vk_size = out.size;

    put_count(&out, domain_size(slow) - 1);
    for (size_t i = 0; i + 1 < domain_size(slow); i++) {
        fr k, power, inverse;
        fr_power(&power, &waste->tau, i);
        fr_invert(&inverse, &waste->delta);
        k = vanishing_at(slow, &waste->tau);
        fr_mul(&k, &k, &power);
        fr_mul(&k, &k, &inverse);
        put_g1(&out, &k);
    }
    put_count(&out, slow->aux_count);
    for (size_t i = inputs; i < all; i++) {
        fr k = extension_of(waste, &u[i], &v[i], &w[i], &waste->delta);
        put_g1(&out, &k);
    }
    size_t in_a = 0;
    for (size_t i = 0; i < all; i++)
        in_a += occurs(slow, SIDE_A, variable_of_slot(slow, i));
    put_count(&out, in_a);
    for (size_t i = 0; i < all; i++)
        if (occurs(slow, SIDE_A, variable_of_slot(slow, i)))
            put_g1(&out, &u[i]);
    put_b_query(&out, slow, v, false);
    put_b_query(&out, slow, v, true);

    free(lagrange), free(u), free(v), free(w);
    *size = out.size;
    return out.bytes;
}

/* ---- provers ---- */

static void encode_proof(uint8_t bytes[PROOF_BYTES], const g1 *a, const g2 *b, const g1 *c) {
    groth16_proof proof;
    g1_to_affine(&proof.a, a);
    g2_to_affine(&proof.b, b);
    g1_to_affine(&proof.c, c);
    proof_encode(bytes, &proof);
}

static fr value_of_slot(const slow_circuit *slow, size_t slot) {
    return slot < slow->input_count ? slow->inputs[slot] : slow->aux[slot - slow->input_count];
}

static void add_product(fr *sum, const fr *x, const fr *y) {
    fr product;
    fr_mul(&product, x, y);
    fr_add(sum, sum, &product);
}

void slow_prove(uint8_t proof[PROOF_BYTES], const slow_circuit *slow, const toxic_waste *waste, const fr *r, const fr *s) {
    fr *lagrange = lagrange_values(slow, &waste->tau);
    fr *u = variable_polynomials(slow, SIDE_A, lagrange);
    fr *v = variable_polynomials(slow, SIDE_B, lagrange);
    fr *w = variable_polynomials(slow, SIDE_C, lagrange);
    fr *h = quotient(slow);

    fr a = waste->alpha, b = waste->beta, c = FR_ZERO, minus_delta, delta_inverse, rs, h_at_tau = FR_ZERO, power = FR_ONE;
    fr_negate(&minus_delta, &waste->delta);
    fr_invert(&delta_inverse, &waste->delta);
    for (size_t i = 0; i < slow->input_count + slow->aux_count; i++) {
        fr value = value_of_slot(slow, i);
        add_product(&a, &value, &u[i]);
        add_product(&b, &value, &v[i]);
        if (i >= slow->input_count) {
            fr k = extension_of(waste, &u[i], &v[i], &w[i], &waste->delta);
            add_product(&c, &value, &k);
        }
    }
    add_product(&a, r, &waste->delta);
    add_product(&b, s, &waste->delta);
    for (size_t i = 0; i < domain_size(slow); i++) {
        add_product(&h_at_tau, &h[i], &power);
        fr_mul(&power, &power, &waste->tau);
    }
    fr vanishing = vanishing_at(slow, &waste->tau);
    fr_mul(&h_at_tau, &h_at_tau, &vanishing);
    add_product(&c, &h_at_tau, &delta_inverse);
    add_product(&c, s, &a);
    add_product(&c, r, &b);
    fr_mul(&rs, r, s);
    add_product(&c, &rs, &minus_delta);

    g1 point_a = times_g1(&a), point_c = times_g1(&c);
    g2 point_b = times_g2(&b);
    encode_proof(proof, &point_a, &point_b, &point_c);
    free(lagrange), free(u), free(v), free(w), free(h);
}

/* Reads the next point of a section; the twin of a pointer that a file is read with. */
static g1 take_g1(const uint8_t **at) {
    g1_affine affine;
    assert_int_equal(g1_decode(&affine, *at, POINT_IN_SUBGROUP, false), POINT_OK);
    *at += G1_BYTES;
    g1 out;
    g1_from_affine(&out, &affine);
    return out;
}

static g2 take_g2(const uint8_t **at) {
    g2_affine affine;
    assert_int_equal(g2_decode(&affine, *at, POINT_IN_SUBGROUP, false), POINT_OK);
    *at += G2_BYTES;
    g2 out;
    g2_from_affine(&out, &affine);
    return out;
}

static void add_times_g1(g1 *sum, g1 point, const fr *k) {
    g1_multiply(&point, &point, k);
    g1_add(sum, sum, &point);
}

static void add_times_g2(g2 *sum, g2 point, const fr *k) {
    g2_multiply(&point, &point, k);
    g2_add(sum, sum, &point);
}

void slow_prove_from_parameters(uint8_t proof[PROOF_BYTES], const slow_circuit *slow, const uint8_t *parameters_bytes,
                                const fr *r, const fr *s) {
    size_t all = slow->input_count + slow->aux_count;
    const uint8_t *at = parameters_bytes;
    g1 alpha = take_g1(&at), beta_g1 = take_g1(&at);
    g2 beta_g2 = take_g2(&at);
    at += G2_BYTES; /* gamma */
    g1 delta_g1 = take_g1(&at);
    g2 delta_g2 = take_g2(&at);
    at += 4 + slow->input_count * G1_BYTES; /* ic */

    fr *h = quotient(slow);
    g1 a = alpha, b_g1 = beta_g1, c;
    g2 b = beta_g2;
    memset(&c, 0, sizeof c);
    at += 4;
    for (size_t i = 0; i + 1 < domain_size(slow); i++)
        add_times_g1(&c, take_g1(&at), &h[i]);
    at += 4;
    for (size_t i = 0; i < slow->aux_count; i++)
        add_times_g1(&c, take_g1(&at), &slow->aux[i]);
    at += 4;
    for (size_t i = 0; i < all; i++) {
        fr value = value_of_slot(slow, i);
        if (occurs(slow, SIDE_A, variable_of_slot(slow, i)))
            add_times_g1(&a, take_g1(&at), &value);
    }
    at += 4;
    for (size_t i = 0; i < all; i++) {
        fr value = value_of_slot(slow, i);
        if (occurs(slow, SIDE_B, variable_of_slot(slow, i)))
            add_times_g1(&b_g1, take_g1(&at), &value);
    }
    at += 4;
    for (size_t i = 0; i < all; i++) {
        fr value = value_of_slot(slow, i);
        if (occurs(slow, SIDE_B, variable_of_slot(slow, i)))
            add_times_g2(&b, take_g2(&at), &value);
    }
    fr minus_rs;
    fr_mul(&minus_rs, r, s);
    fr_negate(&minus_rs, &minus_rs);
    add_times_g1(&a, delta_g1, r);
    add_times_g1(&b_g1, delta_g1, s);
    add_times_g2(&b, delta_g2, s);
    add_times_g1(&c, a, s);
    add_times_g1(&c, b_g1, r);
    add_times_g1(&c, delta_g1, &minus_rs);
    encode_proof(proof, &a, &b, &c);
    free(h);
}
