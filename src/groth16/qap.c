#include "groth16/qap.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/ntt.h"

enum { LAGRANGE_BLOCK = 1024, PROGRESS_BLOCK = 1 << 16 };

/* L_i(tau) = Z(tau)/size * root^i/(tau - root^i) = Z(tau)/size / (tau * root^-i - 1), a block of rows at a time. */
typedef struct {
    fr scale; /* Z(tau) / size */
    fr root_inverse;
    fr next;      /* tau * root^-i of the first row behind the block */
    uint64_t end; /* that row */
    fr values[LAGRANGE_BLOCK];
    fr scratch[LAGRANGE_BLOCK];
} lagrange_rows;

static cuzk_status lagrange_init(lagrange_rows *rows, unsigned log_size, const fr *tau, cuzk_error *error) {
    fr root, size;
    fr_root_of_unity(&root, log_size);
    fr_invert(&rows->root_inverse, &root);
    ntt_vanishing_at(&rows->scale, log_size, tau);
    if (fr_is_zero(&rows->scale))
        return failure(error, CUZK_BAD_INPUT, "setup: tau: found an element of the domain of size 2^%u, expected none", log_size);
    fr_from_u64(&size, UINT64_C(1) << log_size);
    fr_invert(&size, &size);
    fr_mul(&rows->scale, &rows->scale, &size);
    rows->next = *tau;
    rows->end = 0;
    return CUZK_OK;
}

static void lagrange_next_block(lagrange_rows *rows) {
    for (size_t i = 0; i < LAGRANGE_BLOCK; i++) {
        fr_sub(&rows->values[i], &rows->next, &FR_ONE);
        fr_mul(&rows->next, &rows->next, &rows->root_inverse);
    }
    fr_batch_invert(rows->values, LAGRANGE_BLOCK, rows->scratch);
    for (size_t i = 0; i < LAGRANGE_BLOCK; i++)
        fr_mul(&rows->values[i], &rows->values[i], &rows->scale);
    rows->end += LAGRANGE_BLOCK;
}

/* L_row(tau), for rows in ascending order. */
static const fr *lagrange_at(lagrange_rows *rows, uint64_t row) {
    if (row == rows->end)
        lagrange_next_block(rows);
    assert(row < rows->end && row + LAGRANGE_BLOCK >= rows->end);
    return &rows->values[row % LAGRANGE_BLOCK];
}

typedef struct {
    constraint_system head;
    qap_evaluation *qap;
    lagrange_rows rows;
    progress *job;
} evaluating_system;

static void ignore_allocation(constraint_system *cs, variable v, const fr *value) { (void)cs, (void)v, (void)value; }

static size_t slot_of(const circuit_counts *counts, variable v) {
    uint32_t index = variable_index(v);
    assert(index < (variable_is_aux(v) ? counts->aux : counts->inputs));
    return variable_is_aux(v) ? (size_t)counts->inputs + index : index;
}

static void accumulate(fr *sums, const circuit_counts *counts, const linear_combination *lc, const fr *lagrange) {
    for (size_t i = 0; i < lc->count; i++) {
        const fr *coefficient = &lc->terms[i].coefficient;
        fr *sum = &sums[slot_of(counts, lc->terms[i].variable)];
        if (fr_is_one(coefficient)) {
            fr_add(sum, sum, lagrange);
        } else if (fr_equal(coefficient, &FR_MINUS_ONE)) {
            fr_sub(sum, sum, lagrange);
        } else {
            fr product;
            fr_mul(&product, coefficient, lagrange);
            fr_add(sum, sum, &product);
        }
    }
}

static void evaluate_constraint(constraint_system *cs, const char *name) {
    (void)name;
    evaluating_system *system = (evaluating_system *)cs;
    qap_evaluation *qap = system->qap;
    if (cs->constraint_count % PROGRESS_BLOCK == PROGRESS_BLOCK - 1)
        progress_advance(system->job, PROGRESS_BLOCK);
    /* A circuit cannot be stopped half-way, but the work can. */
    if (cs->constraint_count >= qap->counts.constraints || progress_cancelled(system->job))
        return;
    const fr *lagrange = lagrange_at(&system->rows, cs->constraint_count);
    accumulate(qap->a, &qap->counts, &cs->a, lagrange);
    accumulate(qap->b, &qap->counts, &cs->b, lagrange);
    accumulate(qap->c, &qap->counts, &cs->c, lagrange);
}

static cuzk_status check_same_circuit(const constraint_system *cs, const circuit_counts *counts, cuzk_error *error) {
    if (cs->input_count == counts->inputs && cs->aux_count == counts->aux && cs->constraint_count == counts->constraints)
        return CUZK_OK;
    return failure(
        error, CUZK_INTERNAL,
        "setup: the circuit differs between two passes: %u inputs, %u auxiliary variables, %llu constraints, then %u, %u, %llu",
        counts->inputs, counts->aux, (unsigned long long)counts->constraints, cs->input_count, cs->aux_count,
        (unsigned long long)cs->constraint_count);
}

static cuzk_status allocate_sums(qap_evaluation *qap, cuzk_error *error) {
    size_t variables = (size_t)qap->counts.inputs + qap->counts.aux;
    for (int i = 0; i < 3; i++)
        TRY(big_buffer_allocate(&qap->memory[i], variables, sizeof(fr), "setup: polynomials at tau", error));
    qap->a = qap->memory[0].data;
    qap->b = qap->memory[1].data;
    qap->c = qap->memory[2].data;
    return CUZK_OK;
}

static cuzk_status evaluate_rows(evaluating_system *system, const circuit *c, const fr *tau, cuzk_error *error) {
    static const constraint_system_class class = {.allocated = ignore_allocation, .enforced = evaluate_constraint};
    qap_evaluation *qap = system->qap;
    TRY(lagrange_init(&system->rows, qap->domain_log_size, tau, error));
    constraint_system_init(&system->head, &class, false);
    c->synthesize(c, &system->head);
    cuzk_status status = check_same_circuit(&system->head, &qap->counts, error);
    constraint_system_free(&system->head);
    TRY(status);
    TRY(progress_check(system->job, error));
    for (uint32_t i = 0; i < qap->counts.inputs; i++)
        fr_add(&qap->a[i], &qap->a[i], lagrange_at(&system->rows, qap->counts.constraints + i));
    return CUZK_OK;
}

static cuzk_status evaluate(qap_evaluation *qap, const circuit *c, const fr *tau, progress *job, cuzk_error *error) {
    progress_begin(job, "counting constraints", 0);
    circuit_count(&qap->counts, c);
    progress_end(job);
    TRY(progress_check(job, error));
    qap->domain_log_size = circuit_domain_log_size(&qap->counts);
    if (qap->domain_log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "setup: circuit: found a domain of 2^%u, expected at most 2^%d",
                       qap->domain_log_size, NTT_MAX_LOG_SIZE);
    TRY(allocate_sums(qap, error));
    evaluating_system *system = allocate_zeroed(1, sizeof *system);
    system->qap = qap;
    system->job = job;
    progress_begin(job, "evaluating constraints", qap->counts.constraints);
    cuzk_status status = evaluate_rows(system, c, tau, error);
    progress_end(job);
    free(system);
    return status;
}

cuzk_status qap_evaluate(qap_evaluation *qap, const circuit *c, const fr *tau, progress *job, cuzk_error *error) {
    *qap = (qap_evaluation){0};
    cuzk_status status = evaluate(qap, c, tau, job, error);
    if (status != CUZK_OK)
        qap_free(qap);
    return status;
}

void qap_free(qap_evaluation *qap) {
    for (int i = 0; i < 3; i++)
        big_buffer_free(&qap->memory[i]);
    circuit_counts_free(&qap->counts);
    *qap = (qap_evaluation){0};
}
