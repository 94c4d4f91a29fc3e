#include "groth16/verifier.h"

#include <stdarg.h>
#include <stdlib.h>

#include "algebra/msm.h"
#include "algebra/pairing.h"
#include "base/memory.h"

/* One equation, or several added with weights, is the product of proof_count + 3 pairings: behind those of A and B come
 * -alpha with beta, minus the inputs' sum with gamma, and minus C with delta. */
enum { FIXED_PAIRS = 3 };

typedef struct {
    const uint8_t *bytes;
    groth16_proof *proofs; /* decoded */
    fr *weights;
    g1_affine *left;       /* weighted A of each proof, then FIXED_PAIRS more */
    g2_affine *right;      /* B of each proof, then beta, gamma, delta */
    g1 *weighted_c;        /* of each proof */
    char *malformed_point; /* 'A', 'B' or 'C' where malformed_why is not POINT_OK */
    point_error *malformed_why;
} batch;

static void batch_create(batch *b, const uint8_t *bytes, size_t proof_count) {
    b->bytes = bytes;
    b->proofs = allocate(proof_count, sizeof *b->proofs);
    b->weights = allocate(proof_count, sizeof *b->weights);
    b->left = allocate(proof_count + FIXED_PAIRS, sizeof *b->left);
    b->right = allocate(proof_count + FIXED_PAIRS, sizeof *b->right);
    b->weighted_c = allocate(proof_count, sizeof *b->weighted_c);
    b->malformed_point = allocate_zeroed(proof_count, 1);
    b->malformed_why = allocate_zeroed(proof_count, sizeof *b->malformed_why);
}

static void batch_free(batch *b) {
    free(b->proofs);
    free(b->weights);
    free(b->left);
    free(b->right);
    free(b->weighted_c);
    free(b->malformed_point);
    free(b->malformed_why);
}

static void decode_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    batch *b = context;
    for (size_t i = begin; i < end; i++)
        b->malformed_why[i] = proof_decode(&b->proofs[i], b->bytes + i * PROOF_BYTES, &b->malformed_point[i]);
}

static void weight_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    batch *b = context;
    for (size_t i = begin; i < end; i++) {
        g1 a, c;
        g1_from_affine(&a, &b->proofs[i].a);
        g1_multiply(&a, &a, &b->weights[i]);
        g1_to_affine(&b->left[i], &a);
        b->right[i] = b->proofs[i].b;
        g1_from_affine(&c, &b->proofs[i].c);
        g1_multiply(&b->weighted_c[i], &c, &b->weights[i]);
    }
}

static __attribute__((format(printf, 3, 4))) void set_invalid(verification *result, size_t index, const char *format, ...) {
    result->valid = false;
    result->index = index;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->reason, sizeof result->reason, format, arguments);
    va_end(arguments);
}

/* Minus an affine point; infinity stays infinity. */
static void negate_affine(g1_affine *p) { blst_fp_cneg(&p->y, &p->y, true); }

static void set_negated(g1_affine *out, const g1 *sum) {
    g1_to_affine(out, sum);
    negate_affine(out);
}

/* scalars[0] = sum of weights, scalars[i] = sum over the proofs of weight * input i-1. */
static void weigh_inputs(fr *scalars, const fr *weights, const fr *inputs, size_t input_count, size_t proof_count) {
    for (size_t i = 0; i <= input_count; i++)
        scalars[i] = FR_ZERO;
    for (size_t j = 0; j < proof_count; j++) {
        fr_add(&scalars[0], &scalars[0], &weights[j]);
        for (size_t i = 0; i < input_count; i++) {
            fr product;
            fr_mul(&product, &weights[j], &inputs[j * input_count + i]);
            fr_add(&scalars[i + 1], &scalars[i + 1], &product);
        }
    }
}

/* True if the weighted sum of the equations of the decoded proofs holds. */
static cuzk_status equations_hold(bool *hold, batch *b, const verifying_key *vk, const fr *inputs, size_t input_count,
                                  size_t proof_count, thread_pool *pool, cuzk_error *error) {
    parallel_for(pool, proof_count, 1, weight_range, b);
    g1_affine *left = b->left + proof_count;
    g2_affine *right = b->right + proof_count;
    right[0] = vk->beta_g2, right[1] = vk->gamma_g2, right[2] = vk->delta_g2;

    fr *scalars = allocate(input_count + 1, sizeof *scalars);
    weigh_inputs(scalars, b->weights, inputs, input_count, proof_count);
    g1 alpha, inputs_sum;
    g1_from_affine(&alpha, &vk->alpha_g1);
    g1_multiply(&alpha, &alpha, &scalars[0]);
    const msm_terms terms = {.points = vk->ic, .count = vk->ic_count, .source = scalars_from_fr_array, .context = scalars};
    cuzk_status status = msm_g1(&inputs_sum, &terms, pool, NULL, NULL, error);
    free(scalars);
    TRY(status);

    g1 c_sum = b->weighted_c[0];
    for (size_t j = 1; j < proof_count; j++)
        g1_add(&c_sum, &c_sum, &b->weighted_c[j]);
    set_negated(&left[0], &alpha);
    set_negated(&left[1], &inputs_sum);
    set_negated(&left[2], &c_sum);
    *hold = pairing_product_is_one(b->left, b->right, proof_count + FIXED_PAIRS);
    return CUZK_OK;
}

static cuzk_status choose_weights(fr *weights, size_t count, cuzk_error *error) {
    weights[0] = FR_ONE; /* a common factor changes nothing */
    for (size_t i = 1; i < count; i++)
        TRY(fr_random(&weights[i], error));
    return CUZK_OK;
}

static cuzk_status verify_each(verification *result, const verifying_key *vk, const uint8_t *proofs, const fr *inputs,
                               size_t input_count, size_t proof_count, thread_pool *pool, cuzk_error *error) {
    for (size_t i = 0; i < proof_count; i++) {
        const fr *row = input_count ? inputs + i * input_count : NULL;
        TRY(groth16_verify(result, vk, proofs + i * PROOF_BYTES, row, input_count, pool, error));
        if (!result->valid) {
            result->index = i;
            return CUZK_OK;
        }
    }
    return failure(error, CUZK_INTERNAL, "verification: %zu proofs hold one by one but not together", proof_count);
}

static cuzk_status verify_decoded(verification *result, batch *b, const verifying_key *vk, const fr *inputs, size_t input_count,
                                  size_t proof_count, thread_pool *pool, cuzk_error *error) {
    TRY(choose_weights(b->weights, proof_count, error));
    bool hold = false;
    TRY(equations_hold(&hold, b, vk, inputs, input_count, proof_count, pool, error));
    if (hold)
        *result = (verification){.valid = true};
    else if (proof_count > 1)
        return verify_each(result, vk, b->bytes, inputs, input_count, proof_count, pool, error);
    else
        set_invalid(result, 0, "the proof's equation does not hold");
    return CUZK_OK;
}

cuzk_status groth16_verify_batch(verification *result, const verifying_key *vk, const uint8_t *proofs, size_t proofs_bytes,
                                 const fr *inputs, size_t input_count, size_t proof_count, thread_pool *pool, cuzk_error *error) {
    *result = (verification){0};
    if (proof_count == 0 || proofs_bytes / PROOF_BYTES != proof_count || proofs_bytes % PROOF_BYTES != 0)
        return failure(error, CUZK_BAD_INPUT, "proof: found %zu bytes, expected %zu proofs of %d bytes each", proofs_bytes,
                       proof_count, PROOF_BYTES);
    if (input_count + 1 != vk->ic_count)
        return failure(error, CUZK_BAD_INPUT, "public inputs: found %zu, expected %u for this verifying key", input_count,
                       vk->ic_count - 1);
    batch b;
    batch_create(&b, proofs, proof_count);
    parallel_for(pool, proof_count, 1, decode_range, &b);
    size_t bad = 0;
    while (bad < proof_count && b.malformed_why[bad] == POINT_OK)
        bad++;
    cuzk_status status = CUZK_OK;
    if (bad < proof_count)
        set_invalid(result, bad, "point %c: found %s", b.malformed_point[bad], point_error_text(b.malformed_why[bad]));
    else
        status = verify_decoded(result, &b, vk, inputs, input_count, proof_count, pool, error);
    batch_free(&b);
    return status;
}

cuzk_status groth16_verify(verification *result, const verifying_key *vk, const uint8_t proof[PROOF_BYTES], const fr *inputs,
                           size_t input_count, thread_pool *pool, cuzk_error *error) {
    return groth16_verify_batch(result, vk, proof, PROOF_BYTES, inputs, input_count, 1, pool, error);
}
