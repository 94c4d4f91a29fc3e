/* Transforms whose values are in bit-reversed order and whose passes need no factors between them. Internal to this room.
 *
 * A polynomial modulo x^n - c^2 is split into its remainders modulo x^(n/2) - c and x^(n/2) + c, and so on, until each is modulo
 * x - c: its value at c (Fiduccia, "Polynomial evaluation via the division algorithm", STOC 1972). The blocks of layer l are
 * numbered 0 .. 2^l - 1; block b of any layer has c = root(b), whose exponent is the bit-reversed b, so all layers share one
 * table. Starting from x^N - 1 that is block 0 of layer 0, and from x^N + 1, the coset of the 2N-th roots that are no N-th roots,
 * block 1. */
#ifndef ALGEBRA_NTT_BLOCKS_H
#define ALGEBRA_NTT_BLOCKS_H

#include "algebra/ntt.h"

/* The roots of a domain, constant once made, for the level of arithmetic that is in use then: it does the transforms. */
typedef struct ntt_roots ntt_roots;
ntt_roots *ntt_roots_create(unsigned log_size);
void ntt_roots_destroy(ntt_roots *roots);

/* 2^log_size coefficients in natural order, reduced, to values in bit-reversed order, reduced: at root^reverse(i), or on the
 * coset at h * root^reverse(i), where h^2 is the root of the domain (h = FR_ROOT_OF_UNITY to the power 2^(31 - log_size)). */
void ntt_split(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool);

/* The same with the inverse of the root: 2^log_size values to coefficients times 2^log_size, which stay in bit-reversed order. */
void ntt_split_inverse(const ntt_roots *roots, fr *values, thread_pool *pool);

/* The other way round, from values in bit-reversed order to coefficients times 2^log_size. */
void ntt_merge(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool);

/* Does so many products with roots, of as many elements as the level in use takes at a time, and returns how many of elements
 * these are: for benchmarks. */
size_t ntt_products(size_t times);

#endif
