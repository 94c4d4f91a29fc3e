/* Number-theoretic transforms over Fr, domain sizes 2^0 .. 2^27. All are in place, in natural order on both sides, and
 * parallel over the pool (NULL: the caller alone); results do not depend on the number of threads. */
#ifndef ALGEBRA_NTT_H
#define ALGEBRA_NTT_H

#include "algebra/field.h"
#include "base/threads.h"

enum { NTT_MAX_LOG_SIZE = 27 };

/* A domain with the powers of its root. Constant after creation, shared by any number of transforms and threads. */
typedef struct ntt_domain ntt_domain;

/* The tables take at most 9 MiB. They belong to the level of arithmetic (cpu.h) that is in use now. log_size above
 * NTT_MAX_LOG_SIZE is CUZK_BAD_INPUT and names both. */
cuzk_status ntt_domain_create(ntt_domain **domain, unsigned log_size, cuzk_error *error);
void ntt_domain_destroy(ntt_domain *domain);
unsigned ntt_domain_log_size(const ntt_domain *domain);

/* The smallest log_size with 2^log_size >= count (count >= 1). */
unsigned ntt_log_size_for(uint64_t count);

/* Coefficients to values: values[i] = sum_j coefficients[j] * root^(i*j). 2^log_size elements. */
void ntt_forward(const ntt_domain *domain, fr *values, thread_pool *pool);
/* The inverse, 1/size included. */
void ntt_inverse(const ntt_domain *domain, fr *values, thread_pool *pool);
/* Coefficients to values on the coset g * <root>, g = FR_GENERATOR; and back. */
void ntt_coset_forward(const ntt_domain *domain, fr *values, thread_pool *pool);
void ntt_coset_inverse(const ntt_domain *domain, fr *values, thread_pool *pool);

/* What a quotient of polynomials takes, without what it can do without: the inverse transform times 2^log_size, and transforms
 * of coefficients (in natural order) to values on the coset h * <root> and back times 2^log_size. h is the square root of the
 * root, fr_root_of_unity(log_size + 1), so x^size = -1 on the coset. Its values are in an order of their own, the same for all
 * transforms of this size. */
void ntt_interpolate(const ntt_domain *domain, fr *values, thread_pool *pool);
void ntt_to_coset(const ntt_domain *domain, fr *values, thread_pool *pool);
void ntt_from_coset(const ntt_domain *domain, fr *values, thread_pool *pool);

/* The vanishing polynomial x^size - 1 at x. */
void ntt_vanishing_at(fr *out, unsigned log_size, const fr *x);

#endif
