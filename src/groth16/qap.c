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
    qap_evaluation *qap;
    lagrange_rows rows;
} row_evaluation;

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

static void evaluate_row(void *context, uint64_t row, const linear_combination sides[3]) {
    row_evaluation *evaluation = context;
    qap_evaluation *qap = evaluation->qap;
    const fr *lagrange = lagrange_at(&evaluation->rows, row);
    accumulate(qap->a, &qap->counts, &sides[0], lagrange);
    accumulate(qap->b, &qap->counts, &sides[1], lagrange);
    accumulate(qap->c, &qap->counts, &sides[2], lagrange);
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

static cuzk_status evaluate_rows(row_evaluation *evaluation, const circuit_shape *shape, const fr *tau, progress *job,
                                 cuzk_error *error) {
    qap_evaluation *qap = evaluation->qap;
    TRY(lagrange_init(&evaluation->rows, qap->domain_log_size, tau, error));
    for (uint64_t row = 0; row < shape->constraints; row += PROGRESS_BLOCK) {
        uint64_t left = shape->constraints - row, count = left < PROGRESS_BLOCK ? left : PROGRESS_BLOCK;
        circuit_shape_visit_rows(shape, row, row + count, evaluate_row, evaluation);
        progress_advance(job, count);
        TRY(progress_check(job, error));
    }
    for (uint32_t i = 0; i < qap->counts.inputs; i++)
        fr_add(&qap->a[i], &qap->a[i], lagrange_at(&evaluation->rows, qap->counts.constraints + i));
    return CUZK_OK;
}

static cuzk_status evaluate_shape(qap_evaluation *qap, const circuit_shape *shape, const fr *tau, progress *job,
                                  cuzk_error *error) {
    circuit_shape_counts(shape, &qap->counts);
    qap->domain_log_size = shape->domain_log_size;
    if (qap->domain_log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "setup: circuit: found a domain of 2^%u, expected at most 2^%d",
                       qap->domain_log_size, NTT_MAX_LOG_SIZE);
    TRY(allocate_sums(qap, error));
    row_evaluation *evaluation = allocate_zeroed(1, sizeof *evaluation);
    evaluation->qap = qap;
    progress_begin(job, "evaluating constraints", shape->constraints);
    cuzk_status status = evaluate_rows(evaluation, shape, tau, job, error);
    progress_end(job);
    free(evaluation);
    return status;
}

static cuzk_status evaluate(qap_evaluation *qap, const circuit *c, const fr *tau, progress *job, cuzk_error *error) {
    circuit_shape shape;
    progress_begin(job, "recording constraints", 0);
    circuit_shape_create(&shape, c);
    progress_end(job);
    cuzk_status status = progress_check(job, error);
    if (status == CUZK_OK)
        status = evaluate_shape(qap, &shape, tau, job, error);
    circuit_shape_free(&shape);
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
