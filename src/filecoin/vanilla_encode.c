#include "filecoin/vanilla_encode.h"

static void append_element(byte_buffer *buffer, const fr *element) { fr_to_bytes(byte_buffer_extend(buffer, FR_BYTES), element); }

static void append_elements(byte_buffer *buffer, const fr *elements, size_t count) {
    byte_buffer_append_u64_le(buffer, count);
    for (size_t i = 0; i < count; i++)
        append_element(buffer, &elements[i]);
}

/* What is left of a path while its parts are written. */
typedef struct {
    const fr *siblings;
    uint64_t index;
} path_rest;

/* An InclusionPath: levels of one arity, each its siblings and the position among them. */
static void append_levels(byte_buffer *buffer, path_rest *rest, unsigned levels, unsigned arity) {
    byte_buffer_append_u64_le(buffer, levels);
    for (unsigned i = 0; i < levels; i++) {
        append_elements(buffer, rest->siblings, arity - 1);
        byte_buffer_append_u64_le(buffer, rest->index % arity);
        rest->siblings += arity - 1;
        rest->index /= arity;
    }
}

enum { PATH_SINGLE, PATH_SUB, PATH_TOP }; /* variants of ProofData */

static void append_path(byte_buffer *buffer, const merkle_path *path, const merkle_shape *shape) {
    path_rest rest = {.siblings = path->siblings, .index = path->index};
    if (!shape->sub_arity) {
        byte_buffer_append_u32_le(buffer, PATH_SINGLE);
        append_element(buffer, &path->root);
        append_element(buffer, &path->leaf);
        append_levels(buffer, &rest, shape->base_levels, shape->base_arity);
        return;
    }
    byte_buffer_append_u32_le(buffer, shape->top_arity ? PATH_TOP : PATH_SUB);
    append_levels(buffer, &rest, shape->base_levels, shape->base_arity);
    append_levels(buffer, &rest, 1, shape->sub_arity);
    if (shape->top_arity)
        append_levels(buffer, &rest, 1, shape->top_arity);
    append_element(buffer, &path->root);
    append_element(buffer, &path->leaf);
}

void encode_post_sector_proof(byte_buffer *buffer, const post_sector_proof *proof) {
    merkle_shape tree = replica_tree_shape(proof->shape);
    byte_buffer_append_u64_le(buffer, proof->sector_number);
    append_element(buffer, &proof->comm_r);
    byte_buffer_append_u64_le(buffer, 1); /* sectors */
    byte_buffer_append_u64_le(buffer, proof->path_count);
    for (unsigned i = 0; i < proof->path_count; i++)
        append_path(buffer, &proof->paths[i], &tree);
    append_element(buffer, &proof->comm_c);
    append_element(buffer, &proof->comm_r_last);
}

void encode_snap_partition_proof(byte_buffer *buffer, const snap_partition_proof *proof) {
    const sector_shape *shape = proof->shape;
    merkle_shape replica_tree = replica_tree_shape(shape), data_tree = data_tree_shape(shape);
    append_element(buffer, &proof->comm_c);
    append_elements(buffer, proof->apex_leaves, shape->snap_apex_leaves);
    byte_buffer_append_u64_le(buffer, shape->snap_challenges);
    for (unsigned i = 0; i < shape->snap_challenges; i++) {
        append_path(buffer, &proof->challenges[i].replica_old_path, &replica_tree);
        append_path(buffer, &proof->challenges[i].data_new_path, &data_tree);
        append_path(buffer, &proof->challenges[i].replica_new_path, &replica_tree);
    }
}

void begin_proof_list(byte_buffer *list) { byte_buffer_append_text(list, "["); }

void append_to_proof_list(byte_buffer *list, const byte_buffer *proof) {
    byte_buffer_append_text(list, list->bytes[list->count - 1] == '[' ? "\"" : ",\"");
    byte_buffer_append_base64(list, proof->bytes, proof->count);
    byte_buffer_append_text(list, "\"");
}

void end_proof_list(byte_buffer *list) { byte_buffer_append_text(list, "]"); }

void encode_update_proof_list(byte_buffer *list, snap_partition_proof *const *proofs, size_t count) {
    begin_proof_list(list);
    for (size_t i = 0; i < count; i++) {
        byte_buffer encoded = {0};
        encode_snap_partition_proof(&encoded, proofs[i]);
        append_to_proof_list(list, &encoded);
        byte_buffer_free(&encoded);
    }
    end_proof_list(list);
}
