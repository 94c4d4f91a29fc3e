/* A proving backend that proves nothing: it sleeps, fails, flips bits and takes memory as a script in the request says.
 *
 * The script is the request's vanilla_proof (PoRep), or the first of its vanilla_proofs: words KEY=VALUE with blanks
 * between. partitions, synthesis_ms, prove_ms, stuck_at (the first partition whose proof takes for ever), prepared, assignment,
 * proving (bytes), touch=1 (really takes the assignment's memory), fail_synthesis, fail_prove, fail_verify, flip_assignment,
 * flip_proof (each: how many times, for partition 0), bad=1 (prepare refuses it), seed (any text: makes the request another).
 * A proof holds a number that is new each time it is made, and follows from it and the request: it verifies only if no bit
 * of it or of its assignment was flipped. */
#ifndef TESTS_FAKE_BACKEND_H
#define TESTS_FAKE_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/proving_backend.h"

enum { FAKE_CIRCUITS = 6 }; /* porep-2k, snap-2k, wpost-2k, winning-2k, porep-32g, porep-8m */

typedef struct {
    atomic_bool present, development;
    _Atomic uint64_t file_bytes, streaming_bytes;
    atomic_int version;  /* raise it: the file has changed */
    atomic_int fail_open; /* how many times opening fails */
} fake_parameters;

/* Closed, it holds those who pass through until it is opened or lets some through. */
typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool closed;
    unsigned permits; /* how many may pass although it is closed */
    unsigned waiting;
} fake_gate;

typedef struct {
    proving_backend base;
    fake_parameters parameters[FAKE_CIRCUITS];
    fake_gate synthesis_gate, prove_gate, verify_gate, open_gate, prepare_gate;
    atomic_int fail_prepare;
    _Atomic uint64_t kept_bytes; /* what it says that it keeps */
    atomic_uint prepared, assignments, opened; /* objects that live */
    atomic_uint prepares, syntheses, proofs, passes, most_in_pass, most_assignments; /* so far */
    atomic_uint proofs_on[2]; /* by device */
    atomic_uint misuses; /* parameters used after they were closed, or of another circuit */
    bool *destroyed;     /* set when the engine destroys the backend, if not NULL */
} fake_backend;

/* All parameters are there, of 1000 bytes each. device_count 1 or 2. The engine owns it. */
fake_backend *fake_backend_create(size_t device_count);

void fake_gate_close(fake_gate *gate);
void fake_gate_open(fake_gate *gate);
/* Lets `count` more through. */
void fake_gate_permit(fake_gate *gate, unsigned count);
/* Waits until that many are held by it. */
void fake_gate_await(fake_gate *gate, unsigned waiting);

/* A request of the kind with id and script; valid as long as they and `storage`, which it points to. */
cuzk_request fake_request(cuzk_proof_kind kind, const char *id, const char *script, cuzk_bytes *storage);

/* True if the proof of `partition` is one of the request's. */
bool fake_proof_is_of(const uint8_t proof[PARTITION_PROOF_BYTES], const cuzk_request *request, unsigned partition);

#endif
