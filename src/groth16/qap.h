/* The polynomials of a circuit's quadratic arithmetic program, evaluated at one point: what setup needs of a circuit. */
#ifndef GROTH16_QAP_H
#define GROTH16_QAP_H

#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "r1cs/compact_shape.h"

/* a[v], b[v], c[v] (Montgomery): the polynomials of variable v in A, B and C at tau, for all counts.inputs inputs and then
 * all counts.aux auxiliary variables. */
typedef struct {
    circuit_counts counts;
    unsigned domain_log_size;
    fr *a, *b, *c;
    big_buffer memory[3];
} qap_evaluation;

/* Records the circuit's shape and walks its rows: row i adds its coefficients, times the domain's Lagrange polynomial
 * L_i(tau), to the variables in it. Behind the circuit's rows comes one more for each input with that input in A alone
 * (input * 0 = 0), which keeps all polynomials of the inputs independent. Fails with
 *   CUZK_BAD_INPUT   tau lies in the domain, or a domain larger than NTT_MAX_LOG_SIZE
 *   CUZK_NO_MEMORY, CUZK_CANCELLED. */
cuzk_status qap_evaluate(qap_evaluation *qap, const circuit *c, const fr *tau, progress *job, cuzk_error *error);
void qap_free(qap_evaluation *qap);

#endif
