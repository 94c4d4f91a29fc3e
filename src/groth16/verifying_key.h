/* The verifying key: what a verifier needs of a setup, and the head of its parameters. */
#ifndef GROTH16_VERIFYING_KEY_H
#define GROTH16_VERIFYING_KEY_H

#include <stdio.h>

#include "algebra/curve.h"
#include "base/threads.h"
#include "groth16/layout.h"

/* Every point is in its subgroup and none is at infinity. */
typedef struct {
    g1_affine alpha_g1, beta_g1, delta_g1;
    g2_affine beta_g2, gamma_g2, delta_g2;
    uint8_t *ic;       /* owned; ic_count uncompressed points: what an MSM takes */
    uint32_t ic_count; /* public inputs, ONE included; at least 1 */
} verifying_key;

/* Reads a .vk file and checks every point, on the pool (NULL: the caller alone). Errors name the path, the point, what
 * was found and what was expected. */
cuzk_status verifying_key_read(verifying_key *vk, const char *path, thread_pool *pool, cuzk_error *error);

/* The same for the key at the beginning of the bytes that layout describes. path is for messages. */
cuzk_status verifying_key_decode(verifying_key *vk, const uint8_t *data, const file_layout *layout, const char *path,
                                 thread_pool *pool, cuzk_error *error);
void verifying_key_free(verifying_key *vk);

/* Writes the bytes of a .vk file. Errors stay in the stream (ferror). */
void verifying_key_write(const verifying_key *vk, FILE *stream);

/* True if two keys are equal, point by point. */
bool verifying_key_equal(const verifying_key *a, const verifying_key *b);

enum { VERIFYING_KEY_DIGEST_BYTES = 32 };
/* SHA-256 of the bytes of the .vk file: the identity of a setup. */
void verifying_key_digest(uint8_t digest[VERIFYING_KEY_DIGEST_BYTES], const verifying_key *vk);

#endif
