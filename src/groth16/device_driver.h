/* What proves on devices other than the CPU, as a table of functions: the engine and the programs know devices by it alone, and
 * a program without it proves on the CPU. cuda/cuda_driver.h has one. */
#ifndef GROTH16_DEVICE_DRIVER_H
#define GROTH16_DEVICE_DRIVER_H

#include "base/progress.h"
#include "groth16/prover.h"

/* How points come from the mapped file to a device. */
typedef enum {
    DEVICE_POINTS_STAGED,    /* through page-locked memory */
    DEVICE_POINTS_MAPPED,    /* copied from the mapping as it is */
    DEVICE_POINTS_REGISTERED /* likewise, its pages locked meanwhile; where that is refused, as it is */
} device_pinning;

/* {0} chooses everything. */
typedef struct {
    device_pinning pinning;
    bool allocate_each_time; /* page-locked memory anew for each sum; otherwise it is kept from proof to proof */
    bool keep_nothing;       /* no points stay on the device between proofs */
    bool b_g2_on_host;       /* the sum over B in G2 by the CPU, while the device does the rest */
    const char *windows;     /* bits of the sums' windows, "h=20,l=16,a=16,b_g1=16,b_g2=14" or some of these; NULL:
                                $CUZK_MSM_WINDOWS, and what neither names is chosen */
} device_options;

typedef struct proving_device proving_device;

/* Any number of threads may use a device at a time, except to close it. */
typedef struct cuzk_device_driver {
    const char *kind; /* "CUDA" */
    /* 0 where there is none, or no driver of the operating system's. */
    unsigned (*count)(void);
    /* ordinal below count(); options may be NULL. CUZK_NOT_FOUND, CUZK_UNAVAILABLE, CUZK_BAD_INPUT for windows. */
    cuzk_status (*open)(proving_device **device, unsigned ordinal, const device_options *options, cuzk_error *error);
    void (*close)(proving_device *device);
    const char *(*name)(const proving_device *device);
    uint64_t (*memory_total)(const proving_device *device); /* bytes, of the device */
    uint64_t (*memory_free)(const proving_device *device);  /* when it was last used or opened */
    /* False once it has failed, for good: every proof on it fails then. */
    bool (*works)(const proving_device *device);
    /* Memory of the host, in bytes, at most: what one proof of a circuit takes with that many workers of the pool, and what a
     * device keeps after one for the next. */
    uint64_t (*host_bytes)(const circuit_shape *shape, size_t workers);
    uint64_t (*kept_host_bytes)(const circuit_shape *shape);
    /* groth16_prove_assignment on the device, with the same meaning of its parameters and the same bytes for the same
     * randomness. Nobody else proves in its place: CUZK_UNAVAILABLE if the device fails or its proof does not verify,
     * CUZK_NO_MEMORY if it has not the memory. The error names the device. */
    cuzk_status (*prove)(uint8_t proof[PROOF_BYTES], proving_device *device, compact_assignment *witness, const parameters *p,
                         const prove_options *options, thread_pool *pool, progress *job, cuzk_error *error);
} cuzk_device_driver;

#endif
