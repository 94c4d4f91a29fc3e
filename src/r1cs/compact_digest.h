/* The digests of digest.h from a shape and a compact assignment: rows come from templates and values from where they are
 * made, several blocks at a time. Equal to circuit_digest_create's, byte for byte. */
#ifndef R1CS_COMPACT_DIGEST_H
#define R1CS_COMPACT_DIGEST_H

#include "base/progress.h"
#include "base/threads.h"
#include "r1cs/compact_assignment.h"
#include "r1cs/digest.h"

/* witness NULL: of the constraints alone; otherwise it has the given shape, and satisfies it. job, if not NULL, shows the
 * phases. Free with circuit_digest_free. */
void compact_digest_create(circuit_digest *digest, const circuit_shape *shape, const compact_assignment *witness,
                           thread_pool *pool, progress *job);

#endif
