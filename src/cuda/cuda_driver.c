#include "cuda/cuda_driver.h"

#include "cuda/cuda_sums.h"

/* A proving_device is a cuda_prover under another name. */
cuda_prover *cuda_driver_prover(proving_device *d) { return (cuda_prover *)d; }
static const cuda_prover *prover_of(const proving_device *d) { return (const cuda_prover *)d; }

static cuzk_status driver_open(proving_device **opened, unsigned ordinal, const device_options *options, cuzk_error *error) {
    cuda_prover_options chosen = {0};
    cuda_prover *prover;
    *opened = NULL;
    TRY(cuda_prover_options_from_environment(&chosen, error));
    if (options) {
        if (options->windows)
            TRY(cuda_prover_windows(&chosen, options->windows, "windows", error));
        chosen.pinning = options->pinning;
        chosen.allocate_each_time = options->allocate_each_time;
        chosen.keep_nothing = options->keep_nothing;
        chosen.b_g2_on_host = options->b_g2_on_host;
    }
    TRY(cuda_prover_create(&prover, ordinal, &chosen, error));
    *opened = (proving_device *)prover;
    return CUZK_OK;
}

static void driver_close(proving_device *d) { cuda_prover_destroy(cuda_driver_prover(d)); }

static const char *driver_name(const proving_device *d) { return cuda_prover_name(prover_of(d)); }
static uint64_t driver_memory_total(const proving_device *d) { return cuda_prover_memory_total(prover_of(d)); }
static uint64_t driver_memory_free(const proving_device *d) { return cuda_prover_memory_free(prover_of(d)); }
static bool driver_works(const proving_device *d) { return cuda_prover_works(prover_of(d)); }

/* Encodings of the assignment; bitmaps and ranks of its densities; the scalars of B in G2, should the host sum it. */
static uint64_t driver_host_bytes(const circuit_shape *shape, size_t workers) {
    uint64_t words = words_for_bits(shape->aux) + 1;
    /* A variable that is neither stored nor a bit is the product in a wide row. */
    uint64_t most_wide = shape->stored_elements + most_wide_rows_of(shape);
    most_wide = most_wide < shape->aux ? most_wide : shape->aux;
    uint64_t densities = words * (2 * DENSITIES * sizeof(uint64_t) + (DENSITIES + 1) * sizeof(uint32_t));
    return row_encoding_bytes(shape, workers) + aux_encoding_bytes(shape, most_wide, workers) + densities +
           (uint64_t)shape->dense_aux[DENSITY_B] * sizeof(fr_canonical);
}

/* Page-locked memory, and copies of the bitmaps that the device keeps. */
static uint64_t driver_kept_host_bytes(const circuit_shape *shape) {
    const cuda_prover_options defaults = {0};
    uint64_t points[SECTION_COUNT], most = 0;
    parameters_needed(points, shape);
    for (section s = SECTION_H; s < SECTION_COUNT; s++) {
        uint64_t part = cuda_part_points(&defaults, s), bytes = (points[s] < part ? points[s] : part) * section_point_bytes(s);
        most = bytes > most ? bytes : most;
    }
    return 2 * most + DENSITIES * (words_for_bits(shape->aux) + 1) * sizeof(uint64_t);
}

static cuzk_status driver_prove(uint8_t proof[PROOF_BYTES], proving_device *d, compact_assignment *witness, const parameters *p,
                                const prove_options *options, thread_pool *pool, progress *job, cuzk_error *error) {
    return cuda_prove_alone(proof, cuda_driver_prover(d), witness, p, options, pool, job, NULL, error);
}

const cuzk_device_driver CUDA_DRIVER = {
    .kind = "CUDA",
    .count = device_count,
    .open = driver_open,
    .close = driver_close,
    .name = driver_name,
    .memory_total = driver_memory_total,
    .memory_free = driver_memory_free,
    .works = driver_works,
    .host_bytes = driver_host_bytes,
    .kept_host_bytes = driver_kept_host_bytes,
    .prove = driver_prove,
};
