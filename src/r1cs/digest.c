#include "r1cs/digest.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "r1cs/canonical_cache.h"

enum { HASH_BUFFER_BYTES = 1 << 16, TERM_BYTES = 8 + FR_BYTES };

/* One of the three streams: bytes go through a buffer into the current block's hash. */
typedef struct {
    EVP_MD_CTX *hash;
    uint8_t *buffer; /* HASH_BUFFER_BYTES */
    size_t length;
    uint64_t items; /* constraints or values so far */
    block_digests *digests;
} hash_stream;

typedef struct {
    constraint_system head;
    circuit_digest *digest;
    hash_stream r1cs, aux, abc;
    canonical_cache cache;
    fr *inputs, *aux_values;
    size_t inputs_capacity;
    big_buffer aux_memory;
    size_t aux_capacity;
    cuzk_status status;
    cuzk_error *error;
} digesting_system;

static void start_hash(EVP_MD_CTX *hash) {
    int done = EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
    assert(done == 1);
    (void)done;
}

static void stream_init(hash_stream *stream, block_digests *digests) {
    *stream = (hash_stream){.hash = EVP_MD_CTX_new(), .buffer = allocate(HASH_BUFFER_BYTES, 1), .digests = digests};
    assert(stream->hash);
    start_hash(stream->hash);
}

static void stream_flush(hash_stream *stream) {
    EVP_DigestUpdate(stream->hash, stream->buffer, stream->length);
    stream->length = 0;
}

/* Room for `bytes` more, which the caller then fills and adds to length. */
static uint8_t *stream_reserve(hash_stream *stream, size_t bytes) {
    assert(bytes <= HASH_BUFFER_BYTES);
    if (stream->length + bytes > HASH_BUFFER_BYTES)
        stream_flush(stream);
    uint8_t *at = stream->buffer + stream->length;
    stream->length += bytes;
    return at;
}

static void stream_close_block(hash_stream *stream) {
    block_digests *digests = stream->digests;
    stream_flush(stream);
    digests->blocks = grow_array(digests->blocks, digests->count, &digests->capacity, sizeof *digests->blocks);
    EVP_DigestFinal_ex(stream->hash, digests->blocks[digests->count++], NULL);
    start_hash(stream->hash);
}

/* Counts one item as complete. */
static void stream_item(hash_stream *stream) {
    if (++stream->items % DIGEST_BLOCK_SIZE == 0)
        stream_close_block(stream);
}

static void stream_finish(hash_stream *stream) {
    if (stream->items % DIGEST_BLOCK_SIZE != 0)
        stream_close_block(stream);
    for (size_t i = 0; i < stream->digests->count; i++)
        EVP_DigestUpdate(stream->hash, stream->digests->blocks[i], 32);
    EVP_DigestFinal_ex(stream->hash, stream->digests->total, NULL);
    EVP_MD_CTX_free(stream->hash);
    free(stream->buffer);
}

static unsigned value_class(const uint8_t bytes[FR_BYTES]) {
    int top = FR_BYTES - 1;
    while (top >= 0 && bytes[top] == 0)
        top--;
    if (top < 0)
        return 0;
    if (top == 0)
        return bytes[0] == 1 ? 1 : 2;
    return top < 4 ? 3 : top < 8 ? 4 : 5;
}

static void keep_input(digesting_system *system, uint32_t index, const fr *value) {
    system->inputs = grow_array(system->inputs, index, &system->inputs_capacity, sizeof(fr));
    system->inputs[index] = *value;
}

static void keep_aux(digesting_system *system, uint32_t index, const fr *value) {
    if (system->status != CUZK_OK)
        return;
    if (index >= system->aux_capacity) {
        size_t capacity = system->aux_capacity ? system->aux_capacity * 2 : 1 << 16;
        system->status = big_buffer_resize(&system->aux_memory, capacity, sizeof(fr), "auxiliary values", system->error);
        if (system->status != CUZK_OK)
            return;
        system->aux_capacity = capacity;
        system->aux_values = system->aux_memory.data;
    }
    system->aux_values[index] = *value;
    const uint8_t *bytes = canonical_bytes(&system->cache, value);
    memcpy(stream_reserve(&system->aux, FR_BYTES), bytes, FR_BYTES);
    system->digest->aux_classes[value_class(bytes)]++;
    stream_item(&system->aux);
}

static void digest_allocation(constraint_system *cs, variable v, const fr *value) {
    digesting_system *system = (digesting_system *)cs;
    if (!cs->has_witness)
        return;
    if (variable_is_aux(v))
        keep_aux(system, variable_index(v), value);
    else
        keep_input(system, v, value);
}

static void digest_side(digesting_system *system, const linear_combination *lc) {
    uint32_t count = 0;
    for (size_t i = 0; i < lc->count; i++)
        count += !fr_is_zero(&lc->terms[i].coefficient);
    store_u32_le(stream_reserve(&system->r1cs, 4), count);
    for (size_t i = 0; i < lc->count; i++) {
        const term *t = &lc->terms[i];
        if (fr_is_zero(&t->coefficient))
            continue;
        uint8_t *at = stream_reserve(&system->r1cs, TERM_BYTES);
        store_u64_le(at, variable_index(t->variable) | (variable_is_aux(t->variable) ? UINT64_C(1) << 63 : 0));
        memcpy(at + 8, canonical_bytes(&system->cache, &t->coefficient), FR_BYTES);
    }
}

static void digest_evaluations(digesting_system *system, const char *name) {
    constraint_system *cs = &system->head;
    const linear_combination *sides[3] = {&cs->a, &cs->b, &cs->c};
    fr value[3];
    for (int i = 0; i < 3; i++) {
        linear_combination_evaluate(&value[i], sides[i], system->inputs, system->aux_values);
        const uint8_t *bytes = canonical_bytes(&system->cache, &value[i]);
        memcpy(stream_reserve(&system->abc, FR_BYTES), bytes, FR_BYTES);
        system->digest->abc_classes[i][value_class(bytes)]++;
    }
    stream_item(&system->abc);
    if (!system->digest->broken.found && !constraint_holds(&value[0], &value[1], &value[2]))
        broken_constraint_set(&system->digest->broken, cs, name);
}

static void digest_constraint(constraint_system *cs, const char *name) {
    digesting_system *system = (digesting_system *)cs;
    if (system->status != CUZK_OK)
        return;
    circuit_digest *digest = system->digest;
    if (cs->constraint_count % DIGEST_BLOCK_SIZE == 0) {
        digest->block_first_aux =
            grow_array(digest->block_first_aux, digest->r1cs.count, &digest->block_first_aux_capacity, sizeof(uint64_t));
        digest->block_first_aux[digest->r1cs.count] = cs->aux_count;
    }
    digest_side(system, &cs->a);
    digest_side(system, &cs->b);
    digest_side(system, &cs->c);
    stream_item(&system->r1cs);
    circuit_counts_track(&digest->counts, cs);
    if (cs->has_witness)
        digest_evaluations(system, name);
}

static void finish(digesting_system *system) {
    circuit_digest *digest = system->digest;
    const constraint_system *cs = &system->head;
    digest->counts.inputs = cs->input_count;
    digest->counts.aux = cs->aux_count;
    digest->counts.constraints = cs->constraint_count;
    stream_finish(&system->r1cs);
    if (digest->has_witness) {
        stream_finish(&system->aux);
        stream_finish(&system->abc);
        digest->public_inputs = allocate(cs->input_count, sizeof(fr));
        memcpy(digest->public_inputs, system->inputs + 1, (cs->input_count - 1) * sizeof(fr));
        free(system->inputs);
        big_buffer_free(&system->aux_memory);
    }
    constraint_system_free(&system->head);
}

cuzk_status circuit_digest_create(circuit_digest *digest, const circuit *c, bool with_witness, cuzk_error *error) {
    static const constraint_system_class class = {.allocated = digest_allocation, .enforced = digest_constraint};
    *digest = (circuit_digest){.has_witness = with_witness};
    digesting_system *system = allocate_zeroed(1, sizeof *system);
    system->digest = digest;
    system->error = error;
    stream_init(&system->r1cs, &digest->r1cs);
    if (with_witness) {
        stream_init(&system->aux, &digest->aux);
        stream_init(&system->abc, &digest->abc);
    }
    constraint_system_init(&system->head, &class, with_witness);
    c->synthesize(c, &system->head);
    finish(system);
    cuzk_status status = system->status;
    free(system);
    if (status != CUZK_OK)
        circuit_digest_free(digest);
    return status;
}

void circuit_digest_free(circuit_digest *digest) {
    circuit_counts_free(&digest->counts);
    free(digest->r1cs.blocks);
    free(digest->aux.blocks);
    free(digest->abc.blocks);
    free(digest->block_first_aux);
    free(digest->public_inputs);
    *digest = (circuit_digest){0};
}

static void write_blocks(json_writer *writer, const char *total_key, const char *blocks_key, const block_digests *digests) {
    json_key(writer, total_key);
    json_hex(writer, "", digests->total, 32);
    json_key(writer, blocks_key);
    json_begin_array(writer);
    for (size_t i = 0; i < digests->count; i++)
        json_hex(writer, "", digests->blocks[i], 32);
    json_end_array(writer);
}

static void write_classes(json_writer *writer, const char *key, const uint64_t classes[VALUE_CLASS_COUNT]) {
    json_key(writer, key);
    json_begin_array(writer);
    for (int i = 0; i < VALUE_CLASS_COUNT; i++)
        json_unsigned(writer, classes[i]);
    json_end_array(writer);
}

static void write_public_inputs(const circuit_digest *digest, json_writer *writer) {
    json_key(writer, "public_inputs");
    json_begin_array(writer);
    for (size_t i = 0; i + 1 < digest->counts.inputs; i++) {
        uint8_t little[FR_BYTES], big[FR_BYTES];
        fr_to_bytes(little, &digest->public_inputs[i]);
        for (int j = 0; j < FR_BYTES; j++)
            big[j] = little[FR_BYTES - 1 - j];
        json_hex(writer, "0x", big, FR_BYTES);
    }
    json_end_array(writer);
}

static void write_witness(const circuit_digest *digest, json_writer *writer) {
    static const char *const names[VALUE_CLASS_COUNT] = {"0", "1", "<2^8", "<2^32", "<2^64", "larger"};
    write_public_inputs(digest, writer);
    write_blocks(writer, "aux_sha256", "aux_blocks", &digest->aux);
    write_blocks(writer, "abc_sha256", "abc_blocks", &digest->abc);
    json_member_bool(writer, "satisfied", !digest->broken.found);
    json_key(writer, "first_unsatisfied");
    if (digest->broken.found) {
        json_begin_array(writer);
        json_unsigned(writer, digest->broken.number);
        json_string(writer, digest->broken.name);
        json_end_array(writer);
    } else {
        json_null(writer);
    }
    json_key(writer, "value_classes");
    json_begin_object(writer);
    json_key(writer, "classes");
    json_begin_array(writer);
    for (int i = 0; i < VALUE_CLASS_COUNT; i++)
        json_string(writer, names[i]);
    json_end_array(writer);
    write_classes(writer, "aux", digest->aux_classes);
    write_classes(writer, "a", digest->abc_classes[0]);
    write_classes(writer, "b", digest->abc_classes[1]);
    write_classes(writer, "c", digest->abc_classes[2]);
    json_end_object(writer);
}

void circuit_digest_write(const circuit_digest *digest, json_writer *writer) {
    const circuit_counts *counts = &digest->counts;
    json_member_unsigned(writer, "inputs", counts->inputs);
    json_member_unsigned(writer, "aux", counts->aux);
    json_member_unsigned(writer, "constraints", counts->constraints);
    json_key(writer, "nonzeros");
    json_begin_object(writer);
    json_member_unsigned(writer, "a", counts->nonzeros[0]);
    json_member_unsigned(writer, "b", counts->nonzeros[1]);
    json_member_unsigned(writer, "c", counts->nonzeros[2]);
    json_end_object(writer);
    json_member_unsigned(writer, "a_aux_density", counts->a_aux.ones);
    json_member_unsigned(writer, "b_aux_density", counts->b_aux.ones);
    json_member_unsigned(writer, "b_input_density", counts->b_input.ones);
    json_member_unsigned(writer, "block_size", DIGEST_BLOCK_SIZE);
    write_blocks(writer, "r1cs_sha256", "r1cs_blocks", &digest->r1cs);
    json_key(writer, "block_first_aux");
    json_begin_array(writer);
    for (size_t i = 0; i < digest->r1cs.count; i++)
        json_unsigned(writer, digest->block_first_aux[i]);
    json_end_array(writer);
    if (digest->has_witness)
        write_witness(digest, writer);
}
