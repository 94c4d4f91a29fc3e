/* Streams the points of a setup's queries to disk: scalars in, multiples of the generators out, a block at a time. */
#ifndef GROTH16_QUERY_WRITER_H
#define GROTH16_QUERY_WRITER_H

#include <stdio.h>

#include "algebra/fixed_base.h"
#include "base/memory.h"
#include "base/progress.h"

/* Writes the next count scalars (Montgomery) of a query to out. */
typedef void (*scalar_stream)(void *context, fr *out, size_t count);

typedef struct {
    FILE *stream;     /* the file */
    const char *path; /* its final name, for messages */
    fixed_base_g1 *g1;
    fixed_base_g2 *g2;
    thread_pool *pool;
    progress *job;
    big_buffer scalars, points, bytes; /* of one block */
} query_writer;

/* For about expected_g1 and expected_g2 points in all. Free with query_writer_free. */
cuzk_status query_writer_create(query_writer *writer, FILE *stream, const char *path, size_t expected_g1, size_t expected_g2,
                                thread_pool *pool, progress *job, cuzk_error *error);
void query_writer_free(query_writer *writer);

/* points: count times G1_BYTES bytes that receive the encoded multiples of the generator. */
void query_encode_g1(query_writer *writer, uint8_t *points, const fr *scalars, size_t count);

/* Writes a section of a .params file: the u32 BE count and count points, the multiples of the generator of G1 or G2 by the
 * scalars of the stream. A phase of its own, `phase`, that counts points. CUZK_INPUT_OUTPUT or CUZK_CANCELLED. */
cuzk_status query_write_g1(query_writer *writer, const char *phase, uint32_t count, scalar_stream next, void *context,
                           cuzk_error *error);
cuzk_status query_write_g2(query_writer *writer, const char *phase, uint32_t count, scalar_stream next, void *context,
                           cuzk_error *error);

#endif
