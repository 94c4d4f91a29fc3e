#include "r1cs/compact_digest.h"

#include <stdlib.h>

#include "r1cs/block_hash.h"

enum { CHUNK = 1024 };

/* A worker's memory. */
typedef struct {
    block_hash hash;
    canonical_cache cache;
    row_scratch *rows;
    fr values[3][CHUNK];
    fr_canonical canonical[CHUNK];
    uint64_t aux_classes[VALUE_CLASS_COUNT], abc_classes[3][VALUE_CLASS_COUNT];
} digest_worker;

typedef struct {
    circuit_digest *digest;
    const circuit_shape *shape;
    const compact_assignment *witness;
    digest_worker **workers;
    progress *job;
} digest_loop;

static digest_worker *worker_of(digest_loop *loop, size_t worker) {
    if (!loop->workers[worker]) {
        loop->workers[worker] = allocate_zeroed(1, sizeof(digest_worker));
        block_hash_init(&loop->workers[worker]->hash);
        loop->workers[worker]->rows = row_scratch_create(loop->shape);
    }
    return loop->workers[worker];
}

static void worker_free(digest_worker *w) {
    if (!w)
        return;
    block_hash_free(&w->hash);
    row_scratch_free(w->rows);
    free(w);
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void hash_row(void *context, uint64_t row, const linear_combination sides[3]) {
    (void)row;
    digest_worker *w = context;
    for (int i = 0; i < 3; i++)
        block_hash_terms(&w->hash, &w->cache, &sides[i]);
}

static void r1cs_range(void *context, size_t begin, size_t end, size_t worker) {
    digest_loop *loop = context;
    digest_worker *w = worker_of(loop, worker);
    for (size_t i = begin; i < end; i++) {
        uint64_t first = (uint64_t)i * DIGEST_BLOCK_SIZE;
        loop->digest->block_first_aux[i] = shape_aux_before_row(loop->shape, first);
        circuit_shape_visit_rows(loop->shape, first, lesser(first + DIGEST_BLOCK_SIZE, loop->shape->constraints), hash_row, w);
        block_hash_finish(&w->hash, loop->digest->r1cs.blocks[i]);
        progress_advance(loop->job, 1);
    }
}

static void aux_range(void *context, size_t begin, size_t end, size_t worker) {
    digest_loop *loop = context;
    digest_worker *w = worker_of(loop, worker);
    for (size_t i = begin; i < end; i++) {
        uint64_t first = (uint64_t)i * DIGEST_BLOCK_SIZE, behind = lesser(first + DIGEST_BLOCK_SIZE, loop->shape->aux);
        for (uint64_t at = first; at < behind; at += CHUNK) {
            uint64_t stop = lesser(at + CHUNK, behind);
            compact_aux_canonical(loop->witness, (uint32_t)at, (uint32_t)stop, w->canonical);
            memcpy(block_hash_reserve(&w->hash, (stop - at) * FR_BYTES), w->canonical, (stop - at) * FR_BYTES);
            for (uint64_t j = 0; j < stop - at; j++)
                w->aux_classes[value_class(w->canonical[j].bytes)]++;
        }
        block_hash_finish(&w->hash, loop->digest->aux.blocks[i]);
        progress_advance(loop->job, 1);
    }
}

static void hash_values(digest_worker *w, size_t count) {
    for (size_t j = 0; j < count; j++) {
        for (int side = 0; side < 3; side++) {
            const uint8_t *bytes = canonical_bytes(&w->cache, &w->values[side][j]);
            memcpy(block_hash_reserve(&w->hash, FR_BYTES), bytes, FR_BYTES);
            w->abc_classes[side][value_class(bytes)]++;
        }
    }
}

static void abc_range(void *context, size_t begin, size_t end, size_t worker) {
    digest_loop *loop = context;
    digest_worker *w = worker_of(loop, worker);
    for (size_t i = begin; i < end; i++) {
        uint64_t first = (uint64_t)i * DIGEST_BLOCK_SIZE, behind = lesser(first + DIGEST_BLOCK_SIZE, loop->shape->constraints);
        for (uint64_t at = first; at < behind; at += CHUNK) {
            uint64_t stop = lesser(at + CHUNK, behind);
            compact_rows(loop->witness, at, stop, w->values[0], w->values[1], w->values[2], w->rows);
            hash_values(w, stop - at);
        }
        block_hash_finish(&w->hash, loop->digest->abc.blocks[i]);
        progress_advance(loop->job, 1);
    }
}

static void digest_blocks(digest_loop *loop, const char *phase, block_digests *digests, uint64_t items, range_function function,
                          thread_pool *pool) {
    digests->count = (size_t)((items + DIGEST_BLOCK_SIZE - 1) / DIGEST_BLOCK_SIZE);
    digests->blocks = allocate(digests->count, sizeof *digests->blocks);
    progress_begin(loop->job, phase, digests->count);
    parallel_for(pool, digests->count, 1, function, loop);
    progress_end(loop->job);
    block_digests_total(digests);
}

static void digest_witness(digest_loop *loop, thread_pool *pool) {
    circuit_digest *digest = loop->digest;
    digest_blocks(loop, "digest of the witness", &digest->aux, loop->shape->aux, aux_range, pool);
    digest_blocks(loop, "digest of the evaluations", &digest->abc, loop->shape->constraints, abc_range, pool);
    digest->public_inputs = allocate(loop->shape->inputs - 1, sizeof(fr));
    memcpy(digest->public_inputs, loop->witness->inputs + 1, (loop->shape->inputs - 1) * sizeof(fr));
    for (size_t i = 0; i < thread_pool_size(pool); i++) {
        const digest_worker *w = loop->workers[i];
        for (int class = 0; w && class < VALUE_CLASS_COUNT; class ++) {
            digest->aux_classes[class] += w->aux_classes[class];
            for (int side = 0; side < 3; side++)
                digest->abc_classes[side][class] += w->abc_classes[side][class];
        }
    }
}

void compact_digest_create(circuit_digest *digest, const circuit_shape *shape, const compact_assignment *witness,
                           thread_pool *pool, progress *job) {
    digest_loop loop = {.digest = digest, .shape = shape, .witness = witness, .job = job};
    *digest = (circuit_digest){.has_witness = witness != NULL};
    loop.workers = allocate_zeroed(thread_pool_size(pool), sizeof *loop.workers);
    circuit_shape_counts(shape, &digest->counts);
    digest->block_first_aux = allocate((size_t)(shape->constraints / DIGEST_BLOCK_SIZE + 1), sizeof(uint64_t));
    digest_blocks(&loop, "digest of the constraints", &digest->r1cs, shape->constraints, r1cs_range, pool);
    if (witness)
        digest_witness(&loop, pool);
    for (size_t i = 0; i < thread_pool_size(pool); i++)
        worker_free(loop.workers[i]);
    free(loop.workers);
}
