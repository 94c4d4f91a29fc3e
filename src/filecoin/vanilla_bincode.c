#include "filecoin/vanilla_bincode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"

enum { MAX_SCOPES = 8, NO_INDEX = -1 };

/* A position in the bytes, and the names of what is being read there. */
typedef struct {
    const uint8_t *bytes;
    size_t size, position;
    unsigned depth;
    struct {
        const char *name;
        int64_t index;
    } scopes[MAX_SCOPES];
} bincode;

static void enter(bincode *in, const char *name, int64_t index) {
    in->scopes[in->depth].name = name;
    in->scopes[in->depth++].index = index;
}

static void leave(bincode *in) { in->depth--; }

__attribute__((format(printf, 4, 5))) static cuzk_status bad(const bincode *in, const char *field, cuzk_error *error,
                                                             const char *format, ...) {
    char path[300], message[200];
    size_t length = 0;
    for (unsigned i = 0; i < in->depth; i++) {
        length += (size_t)snprintf(path + length, sizeof path - length, "%s", in->scopes[i].name);
        if (in->scopes[i].index != NO_INDEX)
            length += (size_t)snprintf(path + length, sizeof path - length, "[%" PRId64 "]", in->scopes[i].index);
        length += (size_t)snprintf(path + length, sizeof path - length, ".");
    }
    path[length] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return failure(error, CUZK_BAD_INPUT, "%s%s: %s (byte %zu)", path, field, message, in->position);
}

/* The next count bytes; NULL, with the error CUZK_BAD_INPUT, if there are fewer. */
static const uint8_t *take(bincode *in, const char *field, size_t count, cuzk_error *error) {
    if (in->size - in->position < count) {
        bad(in, field, error, "found the end after %zu bytes, expected %zu more", in->size, count - (in->size - in->position));
        return NULL;
    }
    in->position += count;
    return in->bytes + in->position - count;
}

static cuzk_status read_u64(bincode *in, const char *field, uint64_t *value, cuzk_error *error) {
    const uint8_t *bytes = take(in, field, 8, error);
    if (bytes == NULL)
        return CUZK_BAD_INPUT;
    *value = load_u64_le(bytes);
    return CUZK_OK;
}

/* A length that must be as expected. */
static cuzk_status read_length(bincode *in, const char *field, uint64_t expected, cuzk_error *error) {
    uint64_t found;
    TRY(read_u64(in, field, &found, error));
    if (found != expected) {
        in->position -= 8;
        return bad(in, field, error, "found %" PRIu64 " elements, expected %" PRIu64, found, expected);
    }
    return CUZK_OK;
}

static cuzk_status read_fr(bincode *in, const char *field, fr *value, cuzk_error *error) {
    const uint8_t *bytes = take(in, field, FR_BYTES, error);
    if (bytes == NULL)
        return CUZK_BAD_INPUT;
    if (!fr_from_bytes(value, bytes)) {
        in->position -= FR_BYTES;
        return bad(in, field, error, "found a value that is not below the field's order");
    }
    return CUZK_OK;
}

static cuzk_status read_frs(bincode *in, const char *field, fr *values, unsigned count, cuzk_error *error) {
    TRY(read_length(in, field, count, error));
    for (unsigned i = 0; i < count; i++)
        TRY(read_fr(in, field, &values[i], error));
    return CUZK_OK;
}

/* Siblings and bits of the index that are still to be read. */
typedef struct {
    fr *siblings;
    unsigned shift;
    uint64_t *index;
} path_rest;

/* An InclusionPath: levels of one arity. */
static cuzk_status read_levels(bincode *in, const char *field, path_rest *rest, unsigned levels, unsigned arity,
                               cuzk_error *error) {
    TRY(read_length(in, field, levels, error));
    for (unsigned i = 0; i < levels; i++) {
        uint64_t index;
        enter(in, field, i);
        TRY(read_frs(in, "hashes", rest->siblings, arity - 1, error));
        TRY(read_u64(in, "index", &index, error));
        if (index >= arity) {
            in->position -= 8;
            return bad(in, "index", error, "found %" PRIu64 ", expected 0 to %u", index, arity - 1);
        }
        *rest->index |= index << rest->shift;
        rest->siblings += arity - 1;
        rest->shift += (unsigned)__builtin_ctz(arity);
        leave(in);
    }
    return CUZK_OK;
}

static cuzk_status read_root_and_leaf(bincode *in, merkle_path *path, cuzk_error *error) {
    TRY(read_fr(in, "root", &path->root, error));
    return read_fr(in, "leaf", &path->leaf, error);
}

/* A MerkleProof: the variant that the tree demands. A Single proof has root and leaf in front, the others behind. */
static cuzk_status read_path(bincode *in, const merkle_shape *tree, merkle_path *path, cuzk_error *error) {
    static const char *const variants[] = {"Single", "Sub", "Top"};
    uint32_t expected = tree->top_arity > 0 ? 2 : tree->sub_arity > 0 ? 1 : 0;
    const uint8_t *bytes = take(in, "data", 4, error);
    if (bytes == NULL)
        return CUZK_BAD_INPUT;
    uint32_t found = load_u32_le(bytes);
    if (found != expected) {
        in->position -= 4;
        return bad(in, "data", error, "found variant %" PRIu32 ", expected %" PRIu32 " (%s)", found, expected,
                   variants[expected]);
    }
    path_rest rest = {.siblings = path->siblings, .index = &path->index};
    if (expected == 0) {
        TRY(read_root_and_leaf(in, path, error));
        return read_levels(in, "path", &rest, tree->base_levels, tree->base_arity, error);
    }
    TRY(read_levels(in, "base_proof", &rest, tree->base_levels, tree->base_arity, error));
    TRY(read_levels(in, "sub_proof", &rest, 1, tree->sub_arity, error));
    if (tree->top_arity > 0)
        TRY(read_levels(in, "top_proof", &rest, 1, tree->top_arity, error));
    return read_root_and_leaf(in, path, error);
}

static cuzk_status read_end(const bincode *in, cuzk_error *error) {
    if (in->position != in->size)
        return failure(error, CUZK_BAD_INPUT, "found %zu bytes, expected %zu", in->size, in->position);
    return CUZK_OK;
}

static cuzk_status read_post_sector(bincode *in, post_sector_proof *proof, cuzk_error *error) {
    merkle_shape tree = replica_tree_shape(proof->shape);
    TRY(read_u64(in, "sector_id", &proof->sector_number, error));
    TRY(read_fr(in, "comm_r", &proof->comm_r, error));
    TRY(read_length(in, "vanilla_proof.sectors", 1, error));
    enter(in, "sectors", 0);
    TRY(read_length(in, "inclusion_proofs", proof->path_count, error));
    for (unsigned i = 0; i < proof->path_count; i++) {
        enter(in, "inclusion_proofs", i);
        TRY(read_path(in, &tree, &proof->paths[i], error));
        leave(in);
    }
    TRY(read_fr(in, "comm_c", &proof->comm_c, error));
    TRY(read_fr(in, "comm_r_last", &proof->comm_r_last, error));
    return read_end(in, error);
}

cuzk_status decode_post_sector_proof(post_sector_proof **proof, proof_kind kind, const sector_shape *shape, const uint8_t *bytes,
                                     size_t size, cuzk_error *error) {
    bincode in = {.bytes = bytes, .size = size};
    *proof = post_sector_proof_create(shape, kind == PROOF_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES);
    cuzk_status status = read_post_sector(&in, *proof, error);
    if (status != CUZK_OK) {
        free(*proof);
        *proof = NULL;
    }
    return status;
}

static cuzk_status read_snap_challenge(bincode *in, snap_challenge_proof *proof, const merkle_shape *data_tree,
                                       const merkle_shape *replica_tree, cuzk_error *error) {
    enter(in, "proof_r_old", NO_INDEX);
    TRY(read_path(in, replica_tree, &proof->replica_old_path, error));
    leave(in);
    enter(in, "proof_d_new", NO_INDEX);
    TRY(read_path(in, data_tree, &proof->data_new_path, error));
    leave(in);
    enter(in, "proof_r_new", NO_INDEX);
    TRY(read_path(in, replica_tree, &proof->replica_new_path, error));
    leave(in);
    return CUZK_OK;
}

static cuzk_status read_snap_partition(bincode *in, snap_partition_proof *proof, cuzk_error *error) {
    const sector_shape *shape = proof->shape;
    merkle_shape data_tree = data_tree_shape(shape), replica_tree = replica_tree_shape(shape);
    TRY(read_fr(in, "comm_c", &proof->comm_c, error));
    TRY(read_frs(in, "apex_leafs", proof->apex_leaves, shape->snap_apex_leaves, error));
    TRY(read_length(in, "challenge_proofs", shape->snap_challenges, error));
    for (unsigned i = 0; i < shape->snap_challenges; i++) {
        enter(in, "challenge_proofs", i);
        TRY(read_snap_challenge(in, &proof->challenges[i], &data_tree, &replica_tree, error));
        leave(in);
    }
    return read_end(in, error);
}

cuzk_status decode_snap_partition_proof(snap_partition_proof **proof, const sector_shape *shape, const uint8_t *bytes,
                                        size_t size, cuzk_error *error) {
    bincode in = {.bytes = bytes, .size = size};
    *proof = snap_partition_proof_create(shape);
    cuzk_status status = read_snap_partition(&in, *proof, error);
    if (status != CUZK_OK) {
        free(*proof);
        *proof = NULL;
    }
    return status;
}
