#include "engine/groth16_backend.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/budget.h"
#include "engine/circuit_shapes.h"
#include "engine/classic_synthesis.h"
#include "engine/device_set.h"
#include "engine/mapping_guard.h"
#include "engine/system_limits.h"
#include "filecoin/job.h"
#include "groth16/development.h"
#include "groth16/parameters_check.h"
#include "groth16/prover.h"
#include "groth16/proving_memory.h"
#include "groth16/verifier.h"

enum { CIRCUITS = PROOF_KIND_COUNT * SECTOR_SHAPE_COUNT };

typedef struct {
    proving_backend base;
    char *directory;
    char *origin; /* what set the directory */
    thread_pool *pool;
    backend_circuit circuits[CIRCUITS];
    device_set devices;
    _Atomic uint64_t most_kept_on_host; /* by a device, after a proof of any circuit that was asked for */
    circuit_shapes *shapes;
    cuzk_synthesis_strategy strategy;
    char *scratch_directory; /* NULL: none */
    proving_scratch scratch;
    uint64_t most_in_memory; /* a partition that takes more uses scratch files */
} groth16_backend;

/* Opened parameters, and how to tell that the file is another by now. */
typedef struct {
    parameters parameters;
    mapping_guard *guard;
    ino_t inode;
} opened_parameters;

/* ---- Circuits ------------------------------------------------------------------------------------------------------ */

static proof_kind kind_of_circuit(size_t circuit_index) { return (proof_kind)(circuit_index / SECTOR_SHAPE_COUNT); }
static const sector_shape *shape_of_circuit(size_t circuit_index) { return &SECTOR_SHAPES[circuit_index % SECTOR_SHAPE_COUNT]; }

static size_t circuit_of(proof_kind kind, const sector_shape *shape) {
    return (size_t)kind * SECTOR_SHAPE_COUNT + (size_t)(shape - SECTOR_SHAPES);
}

/* By proof_kind: how circuit ids and requests call it. */
static const struct {
    const char *prefix;
    cuzk_proof_kind kind;
} kind_names[PROOF_KIND_COUNT] = {[PROOF_POREP] = {"porep", CUZK_POREP_SEAL_COMMIT},
                                  [PROOF_WINNING] = {"winning", CUZK_WINNING_POST},
                                  [PROOF_WINDOW] = {"wpost", CUZK_WINDOW_POST_PARTITION},
                                  [PROOF_SNAP] = {"snap", CUZK_SNAP_DEALS_UPDATE}};

static proof_kind kind_of_request(uint32_t kind) {
    size_t i = 0;
    while (i + 1 < PROOF_KIND_COUNT && kind_names[i].kind != kind)
        i++;
    return (proof_kind)i;
}

/* "porep-32g", "snap-512m": the size is a power of two of KiB, MiB or GiB. */
static void name_circuit(backend_circuit *c, size_t circuit_index) {
    static const char units[] = "kmg";
    uint64_t size = shape_of_circuit(circuit_index)->bytes >> 10;
    size_t unit = 0;
    for (; size >= 1024; size >>= 10)
        unit++;
    c->kind = kind_names[kind_of_circuit(circuit_index)].kind;
    c->sector_size = shape_of_circuit(circuit_index)->bytes;
    snprintf(c->id, sizeof c->id, "%s-%u%c", kind_names[kind_of_circuit(circuit_index)].prefix, (unsigned)size, units[unit]);
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static optional_bytes32 optional_hash(cuzk_bytes bytes) {
    optional_bytes32 result = {.given = bytes.length == 32};
    if (result.given)
        memcpy(result.bytes, bytes.data, 32);
    return result;
}

/* Protobuf cannot tell 0 from nothing: a miner 0 counts as not given, a sector 0 only together with a miner. */
static void fill_request(proof_request *to, const cuzk_request *from, const byte_view *proofs) {
    bool has_miner = from->miner_id != 0;
    *to = (proof_request){.kind = kind_of_request(from->proof_kind),
                          .registered_proof = from->registered_proof,
                          .sector_size = from->sector_size,
                          .sector_number = {.given = from->sector_number != 0 || has_miner, .value = from->sector_number},
                          .miner_id = {.given = has_miner, .value = from->miner_id},
                          .randomness = optional_hash(from->randomness),
                          .partition_index = from->partition_index,
                          .comm_r_old = optional_hash(from->comm_r_old),
                          .comm_r_new = optional_hash(from->comm_r_new),
                          .comm_d_new = optional_hash(from->comm_d_new),
                          .vanilla_proof = {from->vanilla_proof.data, from->vanilla_proof.length},
                          .vanilla_proofs = proofs,
                          .vanilla_proof_count = from->vanilla_proof_count};
}

static uint64_t vanilla_bytes(const cuzk_request *request) {
    uint64_t bytes = request->vanilla_proof.length;
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        bytes += request->vanilla_proofs[i].length;
    return bytes;
}

static cuzk_status parse(proof_job *job, const cuzk_request *request, cuzk_error *error) {
    byte_view *proofs = allocate(request->vanilla_proof_count, sizeof *proofs);
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        proofs[i] = (byte_view){request->vanilla_proofs[i].data, request->vanilla_proofs[i].length};
    proof_request understood;
    fill_request(&understood, request, proofs);
    cuzk_status status = job_from_request(job, &understood, error);
    free(proofs);
    return status;
}

/* ---- Parameter files ----------------------------------------------------------------------------------------------- */

static void parameter_path(const groth16_backend *b, size_t circuit_index, char path[512]) {
    char id[CACHE_ID_CAPACITY];
    circuit_cache_id(id, kind_of_circuit(circuit_index), shape_of_circuit(circuit_index));
    snprintf(path, 512, "%s/v%d-%s.params", b->directory, PARAMETER_VERSION, id);
}

/* Reads the counts of a file; they also tell the circuit's dimensions. */
static cuzk_status look_at_file(const char *path, file_layout *layout, uint64_t *bytes, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    mapping_guard *guard = mapping_guard_create(file.data, (size_t)file.size);
    cuzk_status status = parameters_layout(layout, file.data, file.size, path, error);
    mapping_guard_release(guard);
    *bytes = file.size;
    mapped_file_close(&file);
    return status;
}

static bool has_development_note(const char *path) {
    char note[600];
    snprintf(note, sizeof note, "%s.development", path);
    return access(note, F_OK) == 0;
}

static cuzk_status backend_find_parameters(proving_backend *self, size_t circuit_index, parameters_info *info, cuzk_error *error) {
    groth16_backend *b = (groth16_backend *)self;
    file_layout layout;
    *info = (parameters_info){0};
    parameter_path(b, circuit_index, info->path);
    cuzk_status status = look_at_file(info->path, &layout, &info->file_bytes, error);
    if (status != CUZK_OK)
        return failure_within(error, status, "no parameters for %s (directory from %s): ", b->circuits[circuit_index].id, b->origin);
    info->streaming_bytes = parameters_resident_bytes(info->file_bytes);
    info->development = has_development_note(info->path);
    return CUZK_OK;
}

/* A published file must have the published content; its digest is computed once and remembered beside it. Others are not
 * checked here: every proof is verified, and `cuzk check` checks all points. */
static cuzk_status check_content(const groth16_backend *b, const parameters *p, bool development, cuzk_error *error) {
    char list[512], record[600];
    published_file published = {0};
    snprintf(list, sizeof list, "%s/parameters.json", b->directory);
    if (!development && access(list, R_OK) == 0)
        TRY(published_file_find(&published, list, strrchr(p->path, '/') + 1, error));
    if (published.found) {
        check_result result;
        return parameters_check(&result, p, &published, false, NULL, NULL, error);
    }
    snprintf(record, sizeof record, "%s.checked", p->path);
    if (access(record, F_OK) != 0)
        log_info("%s: its points have never been checked; `cuzk check` does that", p->path);
    return CUZK_OK;
}

static cuzk_status open_checked(const groth16_backend *b, opened_parameters *opened, parameters_info *info, cuzk_error *error) {
    parameters *p = &opened->parameters;
    struct stat status;
    opened->guard = mapping_guard_create(p->file.data, (size_t)p->file.size);
    if (stat(info->path, &status) != 0)
        return failure_errno(error, CUZK_NOT_FOUND, "%s: cannot stat", info->path);
    opened->inode = status.st_ino;
    info->file_bytes = p->file.size;
    info->streaming_bytes = parameters_resident_bytes(info->file_bytes);
    info->development = parameters_are_development(info->path, &p->vk);
    return check_content(b, p, info->development, error);
}

static void backend_close_parameters(proving_backend *self, void *opened_file) {
    (void)self;
    opened_parameters *opened = opened_file;
    mapping_guard_release(opened->guard);
    parameters_close(&opened->parameters);
    free(opened);
}

static cuzk_status backend_open_parameters(proving_backend *self, size_t circuit_index, void **result, parameters_info *info,
                                           cuzk_error *error) {
    groth16_backend *b = (groth16_backend *)self;
    opened_parameters *opened = allocate_zeroed(1, sizeof *opened);
    *info = (parameters_info){0};
    parameter_path(b, circuit_index, info->path);
    cuzk_status status = parameters_open(&opened->parameters, info->path, NULL, error);
    if (status != CUZK_OK) {
        free(opened);
        return failure_within(error, status, "no parameters for %s (directory from %s): ", b->circuits[circuit_index].id, b->origin);
    }
    status = open_checked(b, opened, info, error);
    if (status != CUZK_OK) {
        backend_close_parameters(self, opened);
        return status;
    }
    *result = opened;
    return CUZK_OK;
}

static bool backend_parameters_current(proving_backend *self, void *opened_file) {
    (void)self;
    const opened_parameters *opened = opened_file;
    const mapped_file *file = &opened->parameters.file;
    struct stat now;
    return !mapping_guard_damaged(opened->guard) && stat(opened->parameters.path, &now) == 0 && now.st_ino == opened->inode &&
           (uint64_t)now.st_size == file->size && (int64_t)now.st_mtim.tv_sec * 1000000000 + now.st_mtim.tv_nsec == file->modified_ns;
}

/* Small ones are locked where that is allowed, so that large ones that stream past do not push them out. */
static void backend_warm_parameters(proving_backend *self, void *opened_file, progress *job) {
    enum { BLOCK = 64 << 20, LOCKED_AT_MOST = 512 << 20 };
    (void)self;
    const opened_parameters *opened = opened_file;
    const mapped_file *file = &opened->parameters.file;
    volatile uint8_t sink = 0;
    for (uint64_t at = 0; at < file->size && !progress_cancelled(job); at += BLOCK) {
        uint64_t end = file->size - at < BLOCK ? file->size : at + BLOCK;
        madvise((void *)(uintptr_t)(file->data + at), (size_t)(end - at), MADV_WILLNEED);
        for (uint64_t page = at; page < end; page += 4096)
            sink ^= file->data[page];
    }
    (void)sink;
    if (file->size <= LOCKED_AT_MOST && mlock(file->data, (size_t)file->size) != 0)
        log_debug("%s: not locked in memory: the limit of locked memory is lower", opened->parameters.path);
}

/* ---- The work ------------------------------------------------------------------------------------------------------ */

/* Of one partition, from the start of its synthesis: what is kept of it is the compact assignment alone. */
static uint64_t synthesis_bytes(const groth16_backend *b, const circuit_shape *shape) {
    uint64_t classic = b->strategy == CUZK_SYNTHESIS_CLASSIC ? classic_synthesis_bytes(shape) : 0;
    return compact_assignment_bytes(shape) + classic;
}

/* Where the CPU keeps a circuit's vectors in files; NULL: they are in memory. */
static const proving_scratch *scratch_for(const groth16_backend *b, const circuit_shape *shape) {
    proving_memory in_memory = proving_memory_of(shape, thread_pool_size(b->pool));
    bool fits = proving_memory_total(&in_memory) <= b->most_in_memory;
    return fits || !b->scratch_directory ? NULL : &b->scratch;
}

static uint64_t proving_bytes_on_cpu(const groth16_backend *b, const circuit_shape *shape) {
    const proving_scratch *scratch = scratch_for(b, shape);
    size_t workers = thread_pool_size(b->pool);
    return (scratch ? proving_memory_with_scratch(shape, workers, scratch) : proving_memory_of(shape, workers)).working;
}

/* The most that any device takes: whichever fails, the others can take over at any moment. */
static uint64_t proving_bytes(const groth16_backend *b, const circuit_shape *shape) {
    size_t workers = thread_pool_size(b->pool);
    uint64_t cpu = proving_bytes_on_cpu(b, shape);
    uint64_t gpu = device_set_gpus(&b->devices) > 0 ? b->devices.driver->host_bytes(shape, workers) : 0;
    return cpu > gpu ? cpu : gpu;
}

static void note_kept_on_host(groth16_backend *b, const circuit_shape *shape) {
    if (device_set_gpus(&b->devices) == 0)
        return;
    uint64_t bytes = b->devices.driver->kept_host_bytes(shape), most = b->most_kept_on_host;
    while (bytes > most && !atomic_compare_exchange_weak(&b->most_kept_on_host, &most, bytes)) {
    }
}

static cuzk_status backend_prepare(proving_backend *self, const cuzk_request *request, void **prepared,
                                   request_description *description, cuzk_error *error) {
    groth16_backend *b = (groth16_backend *)self;
    proof_job *job = allocate_zeroed(1, sizeof *job);
    cuzk_status status = parse(job, request, error);
    if (status != CUZK_OK) {
        free(job);
        return status;
    }
    size_t circuit_index = circuit_of(job->proof->kind, job->proof->shape);
    *description = (request_description){.circuit = circuit_index,
                                         .partitions = job->partition_count,
                                         .prepared_bytes = vanilla_bytes(request) + 4096};
    char path[512];
    file_layout layout;
    uint64_t file_bytes;
    parameter_path(b, circuit_index, path);
    /* Without parameters there are no sizes, nor is there a proof. */
    if (look_at_file(path, &layout, &file_bytes, NULL) == CUZK_OK) {
        const circuit_shape *shape = circuit_shapes_get(b->shapes, job->proof->kind, job->proof->shape);
        description->assignment_bytes = synthesis_bytes(b, shape);
        description->proving_bytes = proving_bytes(b, shape);
        note_kept_on_host(b, shape);
    }
    *prepared = job;
    return CUZK_OK;
}

static void backend_destroy_prepared(proving_backend *self, void *prepared) {
    (void)self;
    job_free(prepared);
    free(prepared);
}

/* The compact assignment of a circuit, by the strategy that was chosen. */
static cuzk_status synthesize_circuit(compact_assignment *result, const groth16_backend *b, const circuit_shape *shape,
                                      const circuit *c, progress *job, cuzk_error *error) {
    TRY(compact_assignment_create(result, shape, c, error));
    cuzk_status status = b->strategy == CUZK_SYNTHESIS_CLASSIC ? classic_synthesis_agrees(result, c, job, error) : CUZK_OK;
    if (status != CUZK_OK)
        compact_assignment_free(result);
    return status;
}

static cuzk_status backend_synthesize(proving_backend *self, void *prepared, unsigned partition, progress *job, void **result,
                                      uint64_t *bytes, cuzk_error *error) {
    groth16_backend *b = (groth16_backend *)self;
    const proof_job *parsed = prepared;
    filecoin_circuit c;
    TRY(progress_check(job, error));
    TRY(job_circuit(&c, parsed, partition, error));
    const circuit_shape *shape = circuit_shapes_get(b->shapes, parsed->proof->kind, parsed->proof->shape);
    compact_assignment *a = allocate_zeroed(1, sizeof *a);
    cuzk_status status = synthesize_circuit(a, b, shape, &c.circuit, job, error);
    if (status != CUZK_OK) {
        free(a);
        return status;
    }
    *bytes = compact_assignment_bytes(shape);
    *result = a;
    return CUZK_OK;
}

static void backend_destroy_assignment(proving_backend *self, void *a) {
    (void)self;
    compact_assignment_free(a);
    free(a);
}

/* The engine verifies each proof itself, against public inputs that do not come from the witness. */
static void prove_on_cpu(groth16_backend *b, proving_item *items, size_t count, const parameters *p) {
    const circuit_shape *shape = ((const compact_assignment *)items[0].assignment)->shape;
    const prove_options options = {.skip_verification = true, .profile = items[0].profile, .scratch = scratch_for(b, shape)};
    prove_item *proofs = allocate_zeroed(count, sizeof *proofs);
    for (size_t i = 0; i < count; i++)
        proofs[i] = (prove_item){.witness = items[i].assignment, .job = items[i].job};
    groth16_prove_together(proofs, count, p, &options, b->pool, NULL);
    for (size_t i = 0; i < count; i++) {
        items[i].status = proofs[i].status;
        items[i].error = proofs[i].error;
        memcpy(items[i].proof, proofs[i].proof, PROOF_BYTES);
    }
    free(proofs);
}

/* The device's proofs are verified here besides: it then forgets points that may be the cause. */
static void prove_on_device(groth16_backend *b, proving_item *items, size_t count, const parameters *p, proving_device *device) {
    for (size_t i = 0; i < count; i++) {
        const prove_options options = {.profile = items[i].profile};
        items[i].status = b->devices.driver->prove(items[i].proof, device, items[i].assignment, p, &options, b->pool, items[i].job,
                                                   &items[i].error);
    }
}

static void backend_prove(proving_backend *self, proving_item *items, size_t count, void *opened_file, unsigned ordinal) {
    groth16_backend *b = (groth16_backend *)self;
    const opened_parameters *opened = opened_file;
    proving_device *device = device_set_find(&b->devices, ordinal);
    if (device)
        prove_on_device(b, items, count, &opened->parameters, device);
    else
        prove_on_cpu(b, items, count, &opened->parameters);
    for (size_t i = 0; i < count; i++)
        free(items[i].assignment);
}

static cuzk_status backend_verify(proving_backend *self, void *prepared, unsigned partition, const uint8_t proof[PARTITION_PROOF_BYTES],
                                  void *opened_file, cuzk_error *error) {
    (void)self;
    const proof_job *job = prepared;
    const opened_parameters *opened = opened_file;
    verification verdict;
    size_t count = job_public_input_count(job);
    fr *inputs = allocate(count, sizeof *inputs);
    job_public_inputs(inputs, job, partition);
    /* Alone: the pool's turns are long ones. */
    cuzk_status status = groth16_verify(&verdict, &opened->parameters.vk, proof, inputs, count, NULL, error);
    free(inputs);
    TRY(status);
    if (!verdict.valid)
        return failure(error, CUZK_INTERNAL, "the proof does not verify (%s)", verdict.reason);
    return CUZK_OK;
}

/* ---- Making it ----------------------------------------------------------------------------------------------------- */

static uint64_t backend_device_memory_free(proving_backend *self, unsigned ordinal) {
    const device_set *devices = &((groth16_backend *)self)->devices;
    proving_device *device = device_set_find(devices, ordinal);
    return device ? devices->driver->memory_free(device) : 0; /* the processor's is the host's */
}

static bool backend_device_works(proving_backend *self, unsigned ordinal) {
    const device_set *devices = &((groth16_backend *)self)->devices;
    proving_device *device = device_set_find(devices, ordinal);
    return !device || devices->driver->works(device);
}

static uint64_t backend_kept_bytes(proving_backend *self) {
    groth16_backend *b = (groth16_backend *)self;
    return circuit_shapes_bytes(b->shapes) + device_set_gpus(&b->devices) * b->most_kept_on_host;
}

static void backend_destroy(proving_backend *self) {
    groth16_backend *b = (groth16_backend *)self;
    circuit_shapes_destroy(b->shapes);
    device_set_close(&b->devices);
    thread_pool_destroy(b->pool);
    free(b->directory);
    free(b->origin);
    free(b->scratch_directory);
    free(b);
}

static void choose_directory(groth16_backend *b, const cuzk_engine_options *options) {
    static const char name[] = "FIL_PROOFS_PARAMETER_CACHE", otherwise[] = "/var/tmp/filecoin-proof-parameters";
    const char *directory = options->parameter_directory, *origin = options->parameter_directory_origin;
    if (!directory) {
        directory = getenv(name);
        origin = name;
    }
    if (!directory || !*directory) {
        directory = otherwise;
        origin = "the default";
    }
    b->directory = duplicate_string(directory);
    b->origin = duplicate_string(origin ? origin : "the caller");
}

/* The rest of the budget is for requests and for what lasts. */
static void choose_scratch(groth16_backend *b, const cuzk_engine_options *options) {
    uint64_t budget = budget_of_options(options, NULL);
    b->most_in_memory = budget - budget / 8;
    b->scratch_directory = options->scratch_directory ? duplicate_string(options->scratch_directory) : NULL;
    b->scratch = (proving_scratch){.directory = b->scratch_directory, .memory_bytes = options->scratch_memory};
}

cuzk_status groth16_backend_create(proving_backend **backend, const cuzk_engine_options *options, cuzk_error *error) {
    device_set devices;
    TRY(device_set_open(&devices, options, error));
    groth16_backend *b = allocate_zeroed(1, sizeof *b);
    const char *root = options->limits_root ? options->limits_root : "";
    b->base = (proving_backend){.circuits = b->circuits,
                                .circuit_count = CIRCUITS,
                                .devices = devices.devices,
                                .device_count = devices.count,
                                .prepare = backend_prepare,
                                .destroy_prepared = backend_destroy_prepared,
                                .synthesize = backend_synthesize,
                                .destroy_assignment = backend_destroy_assignment,
                                .prove = backend_prove,
                                .verify = backend_verify,
                                .find_parameters = backend_find_parameters,
                                .open_parameters = backend_open_parameters,
                                .warm_parameters = backend_warm_parameters,
                                .parameters_current = backend_parameters_current,
                                .close_parameters = backend_close_parameters,
                                .device_memory_free = backend_device_memory_free,
                                .device_works = backend_device_works,
                                .kept_bytes = backend_kept_bytes,
                                .destroy = backend_destroy};
    b->shapes = circuit_shapes_create();
    b->strategy = options->synthesis_strategy;
    for (size_t i = 0; i < CIRCUITS; i++)
        name_circuit(&b->circuits[i], i);
    b->devices = devices;
    b->pool = thread_pool_create(options->prover_threads ? options->prover_threads : system_processor_count(root));
    choose_directory(b, options);
    choose_scratch(b, options);
    *backend = &b->base;
    return CUZK_OK;
}
