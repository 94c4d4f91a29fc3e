/* What the engine needs of those who do the work: a table of functions. groth16_backend.h is the real one; tests script
 * their own. Every function may be called from several threads at once; an object (prepared request, assignment,
 * parameters) is destroyed by one thread when no other uses it. */
#ifndef ENGINE_PROVING_BACKEND_H
#define ENGINE_PROVING_BACKEND_H

#include "base/error.h"
#include "base/progress.h"
#include "cuzk/engine.h"
#include "groth16/prove_profile.h"

enum { PARTITION_PROOF_BYTES = 192 };

/* A circuit that the backend can prove when its parameters are there. */
typedef struct {
    char id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    uint64_t sector_size;
} backend_circuit;

typedef struct {
    unsigned ordinal;
    char name[64];
    bool is_gpu;
    unsigned default_workers;
    uint64_t memory_total; /* 0: the host's */
    bool stands_in; /* it proves, with one worker, only what no other device can */
} backend_device;

/* What a request asks for, and what it will take. */
typedef struct {
    size_t circuit; /* index into the backend's circuits */
    unsigned partitions;
    uint64_t prepared_bytes;   /* of the parsed request */
    uint64_t assignment_bytes; /* of one partition, from the start of its synthesis; synthesize says what is left of it then */
    uint64_t proving_bytes;    /* working memory of proving one partition, besides */
} request_description;

typedef struct {
    char path[512];
    uint64_t file_bytes;
    uint64_t streaming_bytes; /* resident at once at most, when pages are given back after use; at most file_bytes */
    bool development;
} parameters_info;

/* One partition of a pass over the parameters. */
typedef struct {
    void *assignment;     /* in; the pass destroys it */
    progress *job;        /* in: cancelled when nobody wants this partition any more */
    cuzk_status status;   /* out; CUZK_OK: proof is set */
    uint8_t proof[PARTITION_PROOF_BYTES];
    cuzk_error error;     /* out, unless CUZK_OK */
    prove_profile *profile; /* in: NULL, or what the phases took is added to it; what a pass does once is in its first item's */
} proving_item;

typedef struct proving_backend proving_backend;
struct proving_backend {
    const backend_circuit *circuits;
    size_t circuit_count;
    const backend_device *devices;
    size_t device_count; /* at least 1 */

    /* Parses and checks the whole request, and keeps nothing of its bytes. The engine has checked lengths and enums. */
    cuzk_status (*prepare)(proving_backend *self, const cuzk_request *request, void **prepared, request_description *description,
                           cuzk_error *error);
    void (*destroy_prepared)(proving_backend *self, void *prepared);

    /* Makes the assignment of one partition; *bytes: what it occupies. */
    cuzk_status (*synthesize)(proving_backend *self, void *prepared, unsigned partition, progress *job, void **assignment,
                              uint64_t *bytes, cuzk_error *error);
    void (*destroy_assignment)(proving_backend *self, void *assignment);

    /* Proves count assignments of one circuit in one pass over its parameters. */
    void (*prove)(proving_backend *self, proving_item *items, size_t count, void *parameters, unsigned device);

    /* Verifies a proof against the public inputs that follow from the request alone. CUZK_INTERNAL with the reason if it
     * does not hold. */
    cuzk_status (*verify)(proving_backend *self, void *prepared, unsigned partition, const uint8_t proof[PARTITION_PROOF_BYTES],
                          void *parameters, cuzk_error *error);

    /* Looks for the file without opening it. CUZK_NOT_FOUND names the path, and what set the directory. */
    cuzk_status (*find_parameters)(proving_backend *self, size_t circuit, parameters_info *info, cuzk_error *error);
    cuzk_status (*open_parameters)(proving_backend *self, size_t circuit, void **parameters, parameters_info *info, cuzk_error *error);
    /* Reads the file into memory so that the first proof is as fast as the next. */
    void (*warm_parameters)(proving_backend *self, void *parameters, progress *job);
    /* False if the file has been removed, changed or truncated since it was opened. */
    bool (*parameters_current)(proving_backend *self, void *parameters);
    void (*close_parameters)(proving_backend *self, void *parameters);

    /* Free device memory; only for devices with memory of their own. */
    uint64_t (*device_memory_free)(proving_backend *self, unsigned ordinal);
    /* False once a device has failed for good. Takes no time. NULL: all work. */
    bool (*device_works)(proving_backend *self, unsigned ordinal);

    /* Memory that it keeps for good, whatever runs: it grows with the circuits that it was asked for. */
    uint64_t (*kept_bytes)(proving_backend *self);

    void (*destroy)(proving_backend *self);
};

/* cuzk_engine_start with another backend, which the engine owns from here on, also on failure. */
cuzk_status engine_start_with_backend(cuzk_engine **engine, const cuzk_engine_options *options, proving_backend *backend,
                                      cuzk_error *error);

#endif
