#include "filecoin/c1_encode.h"

static void append_text(byte_buffer *json, const char *text) { byte_buffer_append_text(json, text); }

/* Most of the output is arrays of 32 small numbers. */
static void append_bytes(byte_buffer *json, const uint8_t bytes[32]) {
    enum { LONGEST = 2 + 32 * 4 };
    uint8_t *text = byte_buffer_extend(json, LONGEST), *next = text;
    for (unsigned i = 0; i < 32; i++) {
        unsigned value = bytes[i];
        *next++ = i == 0 ? '[' : ',';
        if (value >= 100)
            *next++ = (uint8_t)('0' + value / 100);
        if (value >= 10)
            *next++ = (uint8_t)('0' + value / 10 % 10);
        *next++ = (uint8_t)('0' + value % 10);
    }
    *next++ = ']';
    json->count -= (size_t)(text + LONGEST - next);
}

static void append_element(byte_buffer *json, const fr *element) {
    uint8_t bytes[FR_BYTES];
    fr_to_bytes(bytes, element);
    append_bytes(json, bytes);
}

static void append_elements(byte_buffer *json, const fr *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        append_text(json, i == 0 ? "[" : ",");
        append_element(json, &elements[i]);
    }
    append_text(json, "]");
}

/* What is left of a path while its parts are written. */
typedef struct {
    const fr *siblings;
    uint64_t index;
} path_rest;

static void append_levels(byte_buffer *json, path_rest *rest, unsigned levels, unsigned arity) {
    append_text(json, "{\"path\":[");
    for (unsigned i = 0; i < levels; i++) {
        append_text(json, i == 0 ? "{\"hashes\":" : ",{\"hashes\":");
        append_elements(json, rest->siblings, arity - 1);
        append_text(json, ",\"index\":");
        byte_buffer_append_decimal(json, rest->index % arity);
        append_text(json, "}");
        rest->siblings += arity - 1;
        rest->index /= arity;
    }
    append_text(json, "]}");
}

static void append_ends(byte_buffer *json, const merkle_path *path) {
    append_text(json, "\"root\":");
    append_element(json, &path->root);
    append_text(json, ",\"leaf\":");
    append_element(json, &path->leaf);
}

static void append_path(byte_buffer *json, const merkle_path *path, const merkle_shape *shape) {
    path_rest rest = {.siblings = path->siblings, .index = path->index};
    if (!shape->sub_arity) {
        append_text(json, "{\"data\":{\"Single\":{");
        append_ends(json, path);
        append_text(json, ",\"path\":");
        append_levels(json, &rest, shape->base_levels, shape->base_arity);
    } else {
        append_text(json, shape->top_arity ? "{\"data\":{\"Top\":{\"base_proof\":" : "{\"data\":{\"Sub\":{\"base_proof\":");
        append_levels(json, &rest, shape->base_levels, shape->base_arity);
        append_text(json, ",\"sub_proof\":");
        append_levels(json, &rest, 1, shape->sub_arity);
        if (shape->top_arity) {
            append_text(json, ",\"top_proof\":");
            append_levels(json, &rest, 1, shape->top_arity);
        }
        append_text(json, ",");
        append_ends(json, path);
    }
    append_text(json, "}}}");
}

typedef struct {
    const sector_shape *shape;
    merkle_shape data_tree, replica_tree;
} tree_shapes;

static void append_column(byte_buffer *json, const column_proof *column, const tree_shapes *shapes) {
    append_text(json, "{\"column\":{\"index\":");
    byte_buffer_append_decimal(json, column->node);
    append_text(json, ",\"rows\":");
    append_elements(json, column->rows, shapes->shape->layers);
    append_text(json, ",\"_h\":null},\"inclusion_proof\":");
    append_path(json, &column->path, &shapes->replica_tree);
    append_text(json, "}");
}

static void append_columns(byte_buffer *json, const column_proof *columns, unsigned count, const tree_shapes *shapes) {
    for (unsigned i = 0; i < count; i++) {
        append_text(json, i == 0 ? "[" : ",");
        append_column(json, &columns[i], shapes);
    }
    append_text(json, "]");
}

static void append_label(byte_buffer *json, const labeling_proof *label) {
    append_text(json, "{\"parents\":");
    append_elements(json, label->parents, LABEL_PARENTS);
    append_text(json, ",\"layer_index\":");
    byte_buffer_append_decimal(json, label->layer);
    append_text(json, ",\"node\":");
    byte_buffer_append_decimal(json, label->node);
    append_text(json, "}");
}

static void append_challenge(byte_buffer *json, const porep_challenge_proof *challenge, const tree_shapes *shapes) {
    append_text(json, "{\"comm_d_proofs\":");
    append_path(json, &challenge->data_path, &shapes->data_tree);
    append_text(json, ",\"comm_r_last_proof\":");
    append_path(json, &challenge->replica_path, &shapes->replica_tree);
    append_text(json, ",\"replica_column_proofs\":{\"c_x\":");
    append_column(json, &challenge->column, shapes);
    append_text(json, ",\"drg_parents\":");
    append_columns(json, challenge->drg_parents, DRG_DEGREE, shapes);
    append_text(json, ",\"exp_parents\":");
    append_columns(json, challenge->expander_parents, EXPANDER_DEGREE, shapes);
    append_text(json, "},\"labeling_proofs\":");
    for (unsigned i = 0; i < shapes->shape->layers; i++) {
        append_text(json, i == 0 ? "[" : ",");
        append_label(json, &challenge->labels[i]);
    }
    append_text(json, "],\"encoding_proof\":");
    append_label(json, &challenge->encoding);
    append_text(json, "}");
}

static void append_partition(byte_buffer *json, const porep_partition_proof *partition, const tree_shapes *shapes) {
    for (unsigned i = 0; i < shapes->shape->porep_challenges; i++) {
        append_text(json, i == 0 ? "[" : ",");
        append_challenge(json, &partition->challenges[i], shapes);
    }
    append_text(json, "]");
}

void encode_c1_output(byte_buffer *json, const c1_contents *contents) {
    const sector_shape *shape = contents->proof->shape;
    tree_shapes shapes = {.shape = shape, .data_tree = data_tree_shape(shape), .replica_tree = replica_tree_shape(shape)};
    append_text(json, "{\"registered_proof\":\"");
    append_text(json, contents->proof->name);
    append_text(json, "\",\"vanilla_proofs\":{\"StackedDrg"); /* one variant for each size, whatever the version */
    append_text(json, shape->name);
    append_text(json, "V1\":");
    for (unsigned i = 0; i < registered_proof_partitions(contents->proof); i++) {
        append_text(json, i == 0 ? "[" : ",");
        append_partition(json, contents->partitions[i], &shapes);
    }
    append_text(json, "]},\"comm_r\":");
    append_bytes(json, contents->comm_r);
    append_text(json, ",\"comm_d\":");
    append_bytes(json, contents->comm_d);
    append_text(json, ",\"replica_id\":");
    append_bytes(json, contents->replica_id);
    append_text(json, ",\"seed\":");
    append_bytes(json, contents->seed);
    append_text(json, ",\"ticket\":");
    append_bytes(json, contents->ticket);
    append_text(json, "}");
}

void encode_c1_wrapper(byte_buffer *json, const c1_contents *contents) {
    byte_buffer output = {0};
    encode_c1_output(&output, contents);
    append_text(json, "{\"Phase1Out\":\"");
    byte_buffer_append_base64(json, output.bytes, output.count);
    byte_buffer_free(&output);
    append_text(json, "\",\"SectorNum\":");
    byte_buffer_append_decimal(json, contents->sector_number);
    append_text(json, ",\"SectorSize\":");
    byte_buffer_append_decimal(json, contents->proof->shape->bytes);
    append_text(json, "}");
}
