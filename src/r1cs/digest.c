#include "r1cs/digest.h"

#include <stdlib.h>

#include "r1cs/block_hash.h"

/* One of the three streams: bytes go into the current block's hash. */
typedef struct {
    block_hash hash;
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

static void stream_init(hash_stream *stream, block_digests *digests) {
    *stream = (hash_stream){.digests = digests};
    block_hash_init(&stream->hash);
}

static void stream_close_block(hash_stream *stream) {
    block_digests *digests = stream->digests;
    digests->blocks = grow_array(digests->blocks, digests->count, &digests->capacity, sizeof *digests->blocks);
    block_hash_finish(&stream->hash, digests->blocks[digests->count++]);
}

/* Counts one item as complete. */
static void stream_item(hash_stream *stream) {
    if (++stream->items % DIGEST_BLOCK_SIZE == 0)
        stream_close_block(stream);
}

static void stream_finish(hash_stream *stream) {
    if (stream->items % DIGEST_BLOCK_SIZE != 0)
        stream_close_block(stream);
    block_digests_total(stream->digests);
    block_hash_free(&stream->hash);
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
    memcpy(block_hash_reserve(&system->aux.hash, FR_BYTES), bytes, FR_BYTES);
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

static void digest_evaluations(digesting_system *system, const char *name) {
    constraint_system *cs = &system->head;
    const linear_combination *sides[3] = {&cs->a, &cs->b, &cs->c};
    fr value[3];
    for (int i = 0; i < 3; i++) {
        linear_combination_evaluate(&value[i], sides[i], system->inputs, system->aux_values);
        const uint8_t *bytes = canonical_bytes(&system->cache, &value[i]);
        memcpy(block_hash_reserve(&system->abc.hash, FR_BYTES), bytes, FR_BYTES);
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
    block_hash_terms(&system->r1cs.hash, &system->cache, &cs->a);
    block_hash_terms(&system->r1cs.hash, &system->cache, &cs->b);
    block_hash_terms(&system->r1cs.hash, &system->cache, &cs->c);
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
