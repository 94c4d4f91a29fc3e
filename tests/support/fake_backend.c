#include "support/fake_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"

enum { SCRIPT_CAPACITY = 512, PARTITIONS_MAXIMUM = 128 };

typedef struct {
    char script[SCRIPT_CAPACITY];
    atomic_int fail_synthesis, fail_prove, fail_verify, flip_assignment, flip_proof;
    unsigned partitions, synthesis_ms, prove_ms, stuck_at;
    uint64_t assignment_bytes;
    bool touch;
    size_t circuit;
} fake_prepared;

typedef struct {
    fake_prepared *prepared;
    unsigned partition;
    uint64_t value; /* what the proof is made from */
    big_buffer memory;
} fake_assignment;

typedef struct {
    size_t circuit;
    int version;
    atomic_bool open;
} fake_opened;

static const backend_circuit fake_circuits[FAKE_CIRCUITS] = {
    {"porep-2k", CUZK_POREP_SEAL_COMMIT, 2048},       {"snap-2k", CUZK_SNAP_DEALS_UPDATE, 2048},
    {"wpost-2k", CUZK_WINDOW_POST_PARTITION, 2048},   {"winning-2k", CUZK_WINNING_POST, 2048},
    {"porep-32g", CUZK_POREP_SEAL_COMMIT, UINT64_C(34359738368)}, {"porep-8m", CUZK_POREP_SEAL_COMMIT, 8388608}};

static const backend_device fake_devices[2] = {{.ordinal = 0, .name = "fake 0", .default_workers = 1},
                                               {.ordinal = 1, .name = "fake 1", .default_workers = 1}};

/* ---- Gates --------------------------------------------------------------------------------------------------------- */

static void gate_init(fake_gate *gate) {
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
}

static void gate_destroy(fake_gate *gate) {
    pthread_mutex_destroy(&gate->mutex);
    pthread_cond_destroy(&gate->opened);
}

void fake_gate_close(fake_gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    gate->closed = true;
    gate->permits = 0;
    pthread_mutex_unlock(&gate->mutex);
}

void fake_gate_open(fake_gate *gate) {
    pthread_mutex_lock(&gate->mutex);
    gate->closed = false;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->mutex);
}

void fake_gate_permit(fake_gate *gate, unsigned count) {
    pthread_mutex_lock(&gate->mutex);
    gate->permits += count;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->mutex);
}

void fake_gate_await(fake_gate *gate, unsigned waiting) {
    for (;;) {
        pthread_mutex_lock(&gate->mutex);
        bool reached = gate->waiting >= waiting;
        pthread_mutex_unlock(&gate->mutex);
        if (reached)
            return;
        usleep(500);
    }
}

/* Held ones look every few milliseconds whether they have been cancelled. */
static void pass_gate(fake_gate *gate, const progress *job) {
    pthread_mutex_lock(&gate->mutex);
    gate->waiting++;
    while (gate->closed && gate->permits == 0 && !progress_cancelled(job)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&gate->opened, &gate->mutex, &until);
    }
    if (gate->closed && gate->permits > 0 && !progress_cancelled(job))
        gate->permits--;
    gate->waiting--;
    pthread_mutex_unlock(&gate->mutex);
}

static cuzk_status sleep_ms(unsigned milliseconds, const progress *job, cuzk_error *error) {
    int64_t until = monotonic_ns() + (int64_t)milliseconds * 1000000;
    while (monotonic_ns() < until && !progress_cancelled(job))
        usleep(milliseconds < 2 ? 200 : 1000);
    return progress_check(job, error);
}

/* ---- Scripts ------------------------------------------------------------------------------------------------------- */

static uint64_t script_number(const char *script, const char *key, uint64_t otherwise) {
    size_t length = strlen(key);
    for (const char *at = script; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return strtoull(at + length + 1, NULL, 10);
    return otherwise;
}

static bool take_one(atomic_int *left) {
    int value = atomic_load(left);
    while (value > 0)
        if (atomic_compare_exchange_weak(left, &value, value - 1))
            return true;
    return false;
}

static void raise_to(atomic_uint *most, unsigned value) {
    unsigned before = atomic_load(most);
    while (before < value && !atomic_compare_exchange_weak(most, &before, value))
        ;
}

/* FNV-1a of the script and the numbers. */
static uint64_t mix(const char *script, unsigned partition, uint64_t nonce) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ nonce * UINT64_C(0x9e3779b97f4a7c15) ^ partition;
    for (; *script; script++)
        hash = (hash ^ (uint8_t)*script) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* The number at the front, then bytes that follow from it and the value. */
static void expand(uint8_t proof[PARTITION_PROOF_BYTES], uint64_t nonce, uint64_t value) {
    store_u64_le(proof, nonce);
    for (unsigned i = 1; i < PARTITION_PROOF_BYTES / 8; i++)
        store_u64_le(proof + (size_t)8 * i, mix("proof", i, value ^ nonce * i));
}

static bool proof_fits(const uint8_t proof[PARTITION_PROOF_BYTES], const char *script, unsigned partition) {
    uint8_t expected[PARTITION_PROOF_BYTES];
    expand(expected, load_u64_le(proof), mix(script, partition, 0));
    return memcmp(expected, proof, sizeof expected) == 0;
}

/* ---- The table's functions ----------------------------------------------------------------------------------------- */

static cuzk_status find_circuit(const cuzk_request *request, size_t *circuit, cuzk_error *error) {
    for (*circuit = 0; *circuit < FAKE_CIRCUITS; ++*circuit)
        if ((uint32_t)fake_circuits[*circuit].kind == request->proof_kind && fake_circuits[*circuit].sector_size == request->sector_size)
            return CUZK_OK;
    return failure(error, CUZK_BAD_INPUT, "sector_size: found %llu, expected another", (unsigned long long)request->sector_size);
}

static cuzk_status fake_prepare(proving_backend *self, const cuzk_request *request, void **prepared, request_description *description,
                                cuzk_error *error) {
    fake_backend *fake = (fake_backend *)self;
    cuzk_bytes text = request->vanilla_proof.length ? request->vanilla_proof : request->vanilla_proofs[0];
    fake_prepared *p = allocate_zeroed(1, sizeof *p);
    memcpy(p->script, text.data, text.length < SCRIPT_CAPACITY - 1 ? text.length : SCRIPT_CAPACITY - 1);
    cuzk_status status = find_circuit(request, &p->circuit, error);
    pass_gate(&fake->prepare_gate, NULL);
    if (status == CUZK_OK && script_number(p->script, "bad", 0))
        status = failure(error, CUZK_BAD_INPUT, "vanilla_proof: found bad=1, expected a good one");
    if (status == CUZK_OK && take_one(&fake->fail_prepare))
        status = failure(error, CUZK_INTERNAL, "preparing failed by script");
    if (status != CUZK_OK) {
        free(p);
        return status;
    }
    atomic_store(&p->fail_synthesis, (int)script_number(p->script, "fail_synthesis", 0));
    atomic_store(&p->fail_prove, (int)script_number(p->script, "fail_prove", 0));
    atomic_store(&p->fail_verify, (int)script_number(p->script, "fail_verify", 0));
    atomic_store(&p->flip_assignment, (int)script_number(p->script, "flip_assignment", 0));
    atomic_store(&p->flip_proof, (int)script_number(p->script, "flip_proof", 0));
    p->partitions = (unsigned)script_number(p->script, "partitions", 1);
    p->synthesis_ms = (unsigned)script_number(p->script, "synthesis_ms", 0);
    p->prove_ms = (unsigned)script_number(p->script, "prove_ms", 0);
    p->stuck_at = (unsigned)script_number(p->script, "stuck_at", UINT32_MAX);
    p->assignment_bytes = script_number(p->script, "assignment", 100);
    p->touch = script_number(p->script, "touch", 0) != 0;
    *description = (request_description){.circuit = p->circuit,
                                         .partitions = p->partitions,
                                         .prepared_bytes = script_number(p->script, "prepared", 10),
                                         .assignment_bytes = p->assignment_bytes,
                                         .proving_bytes = script_number(p->script, "proving", 100)};
    *prepared = p;
    atomic_fetch_add(&fake->prepared, 1);
    atomic_fetch_add(&fake->prepares, 1);
    return CUZK_OK;
}

static void fake_destroy_prepared(proving_backend *self, void *prepared) {
    atomic_fetch_sub(&((fake_backend *)self)->prepared, 1);
    free(prepared);
}

static cuzk_status fake_synthesize(proving_backend *self, void *prepared, unsigned partition, progress *job, void **assignment,
                                   uint64_t *bytes, cuzk_error *error) {
    fake_backend *fake = (fake_backend *)self;
    fake_prepared *p = prepared;
    atomic_fetch_add(&fake->syntheses, 1);
    pass_gate(&fake->synthesis_gate, job);
    TRY(sleep_ms(p->synthesis_ms, job, error));
    if (partition == 0 && take_one(&p->fail_synthesis))
        return failure(error, CUZK_UNSATISFIED, "constraint 17 broken by script");
    fake_assignment *a = allocate_zeroed(1, sizeof *a);
    *a = (fake_assignment){.prepared = p, .partition = partition, .value = mix(p->script, partition, 0)};
    if (p->touch) {
        cuzk_status status = big_buffer_allocate(&a->memory, (size_t)p->assignment_bytes, 1, "fake assignment", error);
        if (status != CUZK_OK) {
            free(a);
            return status;
        }
        memset(a->memory.data, 1, a->memory.bytes);
    }
    if (partition == 0 && take_one(&p->flip_assignment))
        a->value ^= UINT64_C(1) << 40;
    raise_to(&fake->most_assignments, atomic_fetch_add(&fake->assignments, 1) + 1);
    *assignment = a;
    *bytes = p->assignment_bytes;
    return CUZK_OK;
}

static void fake_destroy_assignment(proving_backend *self, void *assignment) {
    fake_assignment *a = assignment;
    atomic_fetch_sub(&((fake_backend *)self)->assignments, 1);
    big_buffer_free(&a->memory);
    free(a);
}

static uint64_t new_number(void) {
    static _Atomic uint64_t last;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30) + (uint64_t)now.tv_nsec + (atomic_fetch_add(&last, 1) << 50);
}

static void prove_one(fake_backend *fake, proving_item *item) {
    fake_assignment *a = item->assignment;
    fake_prepared *p = a->prepared;
    pass_gate(&fake->prove_gate, item->job);
    item->status = sleep_ms(a->partition < p->stuck_at ? p->prove_ms : UINT32_MAX, item->job, &item->error);
    if (item->status == CUZK_OK && a->partition == 0 && take_one(&p->fail_prove))
        item->status = failure(&item->error, CUZK_INTERNAL, "proving failed by script");
    expand(item->proof, new_number(), a->value);
    if (a->partition == 0 && take_one(&p->flip_proof))
        item->proof[100] ^= 4;
    atomic_fetch_add(&fake->proofs, 1);
    fake_destroy_assignment(&fake->base, a);
}

static void use_parameters(fake_backend *fake, const fake_opened *opened, size_t circuit) {
    if (!atomic_load(&opened->open) || opened->circuit != circuit)
        atomic_fetch_add(&fake->misuses, 1);
}

static void fake_prove(proving_backend *self, proving_item *items, size_t count, void *parameters, unsigned device) {
    fake_backend *fake = (fake_backend *)self;
    atomic_fetch_add(&fake->passes, 1);
    atomic_fetch_add(&fake->proofs_on[device], (unsigned)count);
    raise_to(&fake->most_in_pass, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        use_parameters(fake, parameters, ((fake_assignment *)items[i].assignment)->prepared->circuit);
        prove_one(fake, &items[i]);
        use_parameters(fake, parameters, ((fake_opened *)parameters)->circuit);
    }
}

static cuzk_status fake_verify(proving_backend *self, void *prepared, unsigned partition, const uint8_t proof[PARTITION_PROOF_BYTES],
                               void *parameters, cuzk_error *error) {
    fake_backend *fake = (fake_backend *)self;
    fake_prepared *p = prepared;
    pass_gate(&fake->verify_gate, NULL);
    use_parameters(fake, parameters, p->circuit);
    if (partition == 0 && take_one(&p->fail_verify))
        return failure(error, CUZK_INTERNAL, "verification failed by script");
    if (!proof_fits(proof, p->script, partition))
        return failure(error, CUZK_INTERNAL, "the proof does not verify");
    return CUZK_OK;
}

static cuzk_status fake_find(proving_backend *self, size_t circuit, parameters_info *info, cuzk_error *error) {
    const fake_parameters *p = &((fake_backend *)self)->parameters[circuit];
    *info = (parameters_info){.file_bytes = atomic_load(&p->file_bytes),
                              .streaming_bytes = atomic_load(&p->streaming_bytes),
                              .development = atomic_load(&p->development)};
    snprintf(info->path, sizeof info->path, "/fake/%s.params", fake_circuits[circuit].id);
    if (!atomic_load(&p->present))
        return failure(error, CUZK_NOT_FOUND, "%s: not there", info->path);
    return CUZK_OK;
}

static cuzk_status fake_open(proving_backend *self, size_t circuit, void **parameters, parameters_info *info, cuzk_error *error) {
    fake_backend *fake = (fake_backend *)self;
    pass_gate(&fake->open_gate, NULL);
    TRY(fake_find(self, circuit, info, error));
    if (take_one(&fake->parameters[circuit].fail_open))
        return failure(error, CUZK_BAD_INPUT, "%s: found 12 bytes, expected more", info->path);
    fake_opened *opened = allocate_zeroed(1, sizeof *opened);
    opened->circuit = circuit;
    opened->version = atomic_load(&fake->parameters[circuit].version);
    atomic_store(&opened->open, true);
    atomic_fetch_add(&fake->opened, 1);
    *parameters = opened;
    return CUZK_OK;
}

static void fake_warm(proving_backend *self, void *parameters, progress *job) {
    (void)job;
    use_parameters((fake_backend *)self, parameters, ((fake_opened *)parameters)->circuit);
}

static bool fake_current(proving_backend *self, void *parameters) {
    const fake_opened *opened = parameters;
    const fake_parameters *p = &((fake_backend *)self)->parameters[opened->circuit];
    use_parameters((fake_backend *)self, opened, opened->circuit);
    return atomic_load(&p->present) && atomic_load(&p->version) == opened->version;
}

static void fake_close(proving_backend *self, void *parameters) {
    fake_opened *opened = parameters;
    atomic_store(&opened->open, false);
    atomic_fetch_sub(&((fake_backend *)self)->opened, 1);
    free(opened);
}

static uint64_t fake_device_memory(proving_backend *self, unsigned ordinal) {
    (void)self, (void)ordinal;
    return 0;
}

static uint64_t fake_kept_bytes(proving_backend *self) { return atomic_load(&((fake_backend *)self)->kept_bytes); }

/* Whatever the engine took it must have given back by now. */
static void fake_destroy(proving_backend *self) {
    fake_backend *fake = (fake_backend *)self;
    if (atomic_load(&fake->prepared) || atomic_load(&fake->assignments) || atomic_load(&fake->opened) || atomic_load(&fake->misuses)) {
        fprintf(stderr, "fake backend: %u prepared, %u assignments, %u parameters left; %u misuses\n", atomic_load(&fake->prepared),
                atomic_load(&fake->assignments), atomic_load(&fake->opened), atomic_load(&fake->misuses));
        abort();
    }
    if (fake->destroyed)
        *fake->destroyed = true;
    fake_gate *const gates[] = {&fake->synthesis_gate, &fake->prove_gate, &fake->verify_gate, &fake->open_gate, &fake->prepare_gate};
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        gate_destroy(gates[i]);
    free(fake);
}

fake_backend *fake_backend_create(size_t device_count) {
    fake_backend *fake = allocate_zeroed(1, sizeof *fake);
    fake->base = (proving_backend){.circuits = fake_circuits,
                                   .circuit_count = FAKE_CIRCUITS,
                                   .devices = fake_devices,
                                   .device_count = device_count,
                                   .prepare = fake_prepare,
                                   .destroy_prepared = fake_destroy_prepared,
                                   .synthesize = fake_synthesize,
                                   .destroy_assignment = fake_destroy_assignment,
                                   .prove = fake_prove,
                                   .verify = fake_verify,
                                   .find_parameters = fake_find,
                                   .open_parameters = fake_open,
                                   .warm_parameters = fake_warm,
                                   .parameters_current = fake_current,
                                   .close_parameters = fake_close,
                                   .device_memory_free = fake_device_memory,
                                   .kept_bytes = fake_kept_bytes,
                                   .destroy = fake_destroy};
    for (size_t i = 0; i < FAKE_CIRCUITS; i++) {
        atomic_store(&fake->parameters[i].present, true);
        atomic_store(&fake->parameters[i].file_bytes, 1000);
        atomic_store(&fake->parameters[i].streaming_bytes, 500);
    }
    fake_gate *const gates[] = {&fake->synthesis_gate, &fake->prove_gate, &fake->verify_gate, &fake->open_gate, &fake->prepare_gate};
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        gate_init(gates[i]);
    return fake;
}

cuzk_request fake_request(cuzk_proof_kind kind, const char *id, const char *script, cuzk_bytes *storage) {
    *storage = (cuzk_bytes){.data = (const uint8_t *)script, .length = strlen(script)};
    cuzk_request request = {.request_id = {.data = (const uint8_t *)id, .length = strlen(id)},
                            .proof_kind = kind,
                            .sector_size = 2048};
    if (kind == CUZK_POREP_SEAL_COMMIT) {
        request.vanilla_proof = *storage;
    } else {
        request.vanilla_proofs = storage;
        request.vanilla_proof_count = 1;
    }
    return request;
}

bool fake_proof_is_of(const uint8_t proof[PARTITION_PROOF_BYTES], const cuzk_request *request, unsigned partition) {
    char script[SCRIPT_CAPACITY] = "";
    cuzk_bytes text = request->vanilla_proof.length ? request->vanilla_proof : request->vanilla_proofs[0];
    memcpy(script, text.data, text.length < SCRIPT_CAPACITY - 1 ? text.length : SCRIPT_CAPACITY - 1);
    return proof_fits(proof, script, partition);
}
