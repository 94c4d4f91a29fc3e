#include "groth16/quotient.h"

#include "algebra/ntt.h"

typedef struct {
    fr *a;
    const fr *other;
    fr factor;
} pointwise_loop;

static void multiply_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    pointwise_loop *loop = context;
    for (size_t i = begin; i < end; i++)
        fr_mul(&loop->a[i], &loop->a[i], &loop->other[i]);
}

static void subtract_and_scale_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    pointwise_loop *loop = context;
    for (size_t i = begin; i < end; i++) {
        fr_sub(&loop->a[i], &loop->a[i], &loop->other[i]);
        fr_mul(&loop->a[i], &loop->a[i], &loop->factor);
    }
}

/* From values on the domain to values on the coset. */
static cuzk_status move_to_coset(const ntt_domain *domain, fr *values, thread_pool *pool, progress *job, cuzk_error *error) {
    ntt_inverse(domain, values, pool);
    progress_advance(job, 1);
    TRY(progress_check(job, error));
    ntt_coset_forward(domain, values, pool);
    progress_advance(job, 1);
    return progress_check(job, error);
}

static cuzk_status compute(const ntt_domain *domain, assignment *witness, thread_pool *pool, progress *job, cuzk_error *error) {
    size_t size = (size_t)1 << witness->domain_log_size;
    size_t grain = even_grain(pool, size);
    pointwise_loop loop = {.a = witness->a, .other = witness->b};
    ntt_vanishing_at(&loop.factor, witness->domain_log_size, &FR_GENERATOR);
    fr_invert(&loop.factor, &loop.factor);

    TRY(move_to_coset(domain, witness->a, pool, job, error));
    TRY(move_to_coset(domain, witness->b, pool, job, error));
    parallel_for(pool, size, grain, multiply_range, &loop);
    witness->b = NULL;
    big_buffer_free(&witness->evaluations_memory[1]);

    TRY(move_to_coset(domain, witness->c, pool, job, error));
    loop.other = witness->c;
    parallel_for(pool, size, grain, subtract_and_scale_range, &loop);
    witness->c = NULL;
    big_buffer_free(&witness->evaluations_memory[2]);

    ntt_coset_inverse(domain, witness->a, pool);
    progress_advance(job, 1);
    return progress_check(job, error);
}

cuzk_status quotient_compute(assignment *witness, thread_pool *pool, progress *job, cuzk_error *error) {
    ntt_domain *domain;
    TRY(ntt_domain_create(&domain, witness->domain_log_size, pool, error));
    cuzk_status status = compute(domain, witness, pool, job, error);
    ntt_domain_destroy(domain);
    return status;
}
