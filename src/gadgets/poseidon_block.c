#include "gadgets/poseidon_block.h"

#include <assert.h>

#include "gadgets/poseidon_constants.h"
#include "r1cs/block.h"

/* A hash stores what goes into each of its S-boxes, and itself; outputs and the powers between follow from that with three
 * products. The S-boxes are those of the preimage in the first round, then those of the later rounds in the order of the
 * circuit. The former have three variables (square, fourth power, output), the latter four (input first). */
enum { FIRST_ROUND_AUX = 3, LATER_AUX = 4 };

typedef struct {
    poseidon_domain domain;
    unsigned arity;
    const number *preimage;
    fr hash; /* with a witness */
} hash_request;

/* What decides a hash's constraints. */
typedef struct {
    uint8_t domain, arity;
} hash_key;

static size_t hash_key_of(const void *pointer, uint8_t bytes[BLOCK_KEY_CAPACITY]) {
    const hash_request *request = pointer;
    hash_key key = {.domain = (uint8_t)request->domain, .arity = (uint8_t)request->arity};
    memcpy(bytes, &key, sizeof key);
    return sizeof key;
}

static hash_key read_key(const uint8_t *bytes) {
    hash_key key;
    memcpy(&key, bytes, sizeof key);
    return key;
}

static size_t hash_slots(const void *pointer, variable slots[BLOCK_SLOT_CAPACITY]) {
    const hash_request *request = pointer;
    for (unsigned i = 0; i < request->arity; i++)
        slots[i] = request->preimage[i].variable;
    return request->arity;
}

static void hash_synthesize(constraint_system *cs, const uint8_t *bytes, const variable *slots) {
    hash_key key = read_key(bytes);
    number preimage[POSEIDON_MAX_ARITY];
    for (unsigned i = 0; i < key.arity; i++)
        preimage[i] = (number){.variable = slots[i]};
    poseidon_circuit(cs, (poseidon_domain)key.domain, preimage, key.arity);
}

/* S-boxes with a variable for their input. */
static uint32_t later_s_boxes(const poseidon_constants *c) { return (c->full_rounds - 1) * c->width + c->partial_rounds; }

static block_storage hash_storage(const uint8_t *bytes, uint32_t aux, uint32_t rows) {
    hash_key key = read_key(bytes);
    const poseidon_constants *c = poseidon_constants_of(key.arity);
    uint32_t later = later_s_boxes(c);
    assert(aux == FIRST_ROUND_AUX * key.arity + LATER_AUX * later + 1 && rows == aux);
    (void)aux;
    return (block_storage){.elements = key.arity + later + 1, .wide_rows = rows};
}

/* poseidon_hash, noting what goes into the S-boxes. */
static void hash_store(void *pointer, uint64_t *bits, fr *elements) {
    (void)bits;
    hash_request *request = pointer;
    const poseidon_constants *c = poseidon_constants_of(request->arity);
    const fr *key = c->round_keys + c->width;
    unsigned half = c->full_rounds / 2;
    fr state[POSEIDON_MAX_WIDTH];
    poseidon_domain_tag(&state[0], request->domain, request->arity);
    for (unsigned i = 0; i < request->arity; i++)
        *elements++ = state[1 + i] = request->preimage[i].value;
    for (unsigned j = 0; j < c->width; j++)
        fr_add(&state[j], &state[j], &c->round_keys[j]);

    for (unsigned round = 0; round < half; round++) {
        for (unsigned j = 0; j < c->width; j++) {
            if (round > 0)
                *elements++ = state[j];
            poseidon_s_box(&state[j], key++);
        }
        poseidon_matrix_apply(state, round < half - 1 ? &c->mds : &c->pre_sparse);
    }
    for (unsigned round = 0; round < c->partial_rounds; round++) {
        *elements++ = state[0];
        poseidon_s_box(&state[0], key++);
        poseidon_sparse_apply(state, &c->sparse[round], c->width);
    }
    for (unsigned round = 0; round < half; round++) {
        for (unsigned j = 0; j < c->width; j++) {
            *elements++ = state[j];
            poseidon_s_box(&state[j], round < half - 1 ? key++ : NULL);
        }
        poseidon_matrix_apply(state, &c->mds);
    }
    *elements = request->hash = state[1];
}

/* An S-box: (input + before)^5 + after. */
typedef struct {
    fr input, sum, square, fourth, product, output;
} s_box_values;

/* Number i of a hash's S-boxes, the `arity` of the first round in front. */
static void expand_s_box(s_box_values *v, const poseidon_constants *c, const fr *elements, uint32_t i) {
    uint32_t arity = c->width - 1;
    v->input = v->sum = elements[i];
    if (i < arity)
        fr_add(&v->sum, &v->sum, &c->round_keys[1 + i]);
    fr_square(&v->square, &v->sum);
    fr_square(&v->fourth, &v->square);
    fr_mul(&v->product, &v->fourth, &v->sum);
    v->output = v->product;
    /* The keys after the first round's are one for each S-box, that of the tag included, but for the last round. */
    uint32_t keys = c->full_rounds * c->width + c->partial_rounds, key = c->width + 1 + i;
    if (key < keys)
        fr_add(&v->output, &v->output, &c->round_keys[key]);
}

static void hash_aux(const uint8_t *bytes, const fr *elements, uint32_t begin, uint32_t end, fr *values) {
    const poseidon_constants *c = poseidon_constants_of(read_key(bytes).arity);
    uint32_t arity = c->width - 1, s_boxes = arity + later_s_boxes(c), first_end = FIRST_ROUND_AUX * arity, at = begin;
    while (at < end) {
        uint32_t i = at < first_end ? at / FIRST_ROUND_AUX : arity + (at - first_end) / LATER_AUX;
        if (i == s_boxes) {
            *values = elements[s_boxes]; /* the hash */
            return;
        }
        s_box_values v;
        expand_s_box(&v, c, elements, i);
        const fr all[LATER_AUX] = {v.input, v.square, v.fourth, v.output};
        uint32_t skip = at < first_end ? 1 + at % FIRST_ROUND_AUX : (at - first_end) % LATER_AUX;
        for (; skip < LATER_AUX && at < end; skip++, at++)
            *values++ = all[skip];
    }
}

static void hash_rows(const uint8_t *bytes, const uint64_t *bits, const fr *elements, uint8_t *codes, wide_row *wide) {
    (void)bits;
    const poseidon_constants *c = poseidon_constants_of(read_key(bytes).arity);
    uint32_t arity = c->width - 1, s_boxes = arity + later_s_boxes(c);
    memset(codes, ROW_WIDE, FIRST_ROUND_AUX * arity + LATER_AUX * (s_boxes - arity) + 1);
    for (uint32_t i = 0; i < s_boxes; i++) {
        s_box_values v;
        expand_s_box(&v, c, elements, i);
        if (i >= arity)
            *wide++ = (wide_row){v.input, FR_ONE, v.input};
        *wide++ = (wide_row){v.sum, v.sum, v.square};
        *wide++ = (wide_row){v.square, v.square, v.fourth};
        *wide++ = (wide_row){v.sum, v.fourth, v.product};
    }
    *wide = (wide_row){elements[s_boxes], FR_ONE, elements[s_boxes]};
}

static const block_kind hash_kind = {
    .name = "Poseidon",
    .key = hash_key_of,
    .slots = hash_slots,
    .synthesize = hash_synthesize,
    .storage = hash_storage,
    .store = hash_store,
    .aux = hash_aux,
    .rows = hash_rows,
};

bool poseidon_block(constraint_system *cs, poseidon_domain domain, const number *preimage, unsigned arity, number *hash) {
    hash_request request = {.domain = domain, .arity = arity, .preimage = preimage};
    if (!constraint_system_block(cs, &hash_kind, &request))
        return false;
    *hash = (number){.variable = (cs->aux_count - 1) | VARIABLE_AUX_BIT, .value = request.hash};
    return true;
}
