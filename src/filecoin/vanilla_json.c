#include "filecoin/vanilla_json.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The members of a struct that another version of the crates may extend. */
static json_members extensible(const char *const *names, unsigned count) {
    json_members members = json_members_of(names, count);
    members.skip_unknown = true;
    return members;
}

cuzk_status read_json_fr(json_reader *reader, fr *value, cuzk_error *error) {
    uint8_t bytes[FR_BYTES];
    TRY(json_read_bytes(reader, bytes, sizeof bytes, error));
    if (!fr_from_bytes(value, bytes))
        return json_failure(reader, error, "found a value that is not below the field's order");
    return CUZK_OK;
}

static cuzk_status read_values(json_reader *reader, fr *values, unsigned count, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (unsigned i = 0;; i++) {
        bool more;
        TRY(json_next_of(reader, i, count, &more, error));
        if (!more)
            return CUZK_OK;
        TRY(read_json_fr(reader, &values[i], error));
    }
}

/* One level of a path: {"hashes": [arity - 1 values], "index": position}. Adds the position's bits to the path's index. */
static cuzk_status read_path_element(json_reader *reader, const merkle_shape *tree, unsigned level, merkle_path *path,
                                     cuzk_error *error) {
    fr *siblings = path->siblings;
    unsigned shift = 0, arity = merkle_level_arity(tree, level);
    for (unsigned below = 0; below < level; below++) {
        siblings += merkle_level_arity(tree, below) - 1;
        shift += (unsigned)__builtin_ctz(merkle_level_arity(tree, below));
    }
    static const char *const names[] = {"hashes", "index"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        uint64_t index;
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_values(reader, siblings, arity - 1, error)); break;
        case 1:
            TRY(json_read_unsigned(reader, arity - 1, &index, error));
            path->index |= index << shift;
            break;
        default: return CUZK_OK;
        }
    }
}

/* {"path": [elements]}, of the levels from first on. */
static cuzk_status read_inclusion_path(json_reader *reader, const merkle_shape *tree, unsigned first, unsigned levels,
                                       merkle_path *path, cuzk_error *error) {
    static const char *const names[] = {"path"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            return CUZK_OK;
        TRY(json_enter_array(reader, error));
        for (unsigned i = 0;; i++) {
            bool more;
            TRY(json_next_of(reader, i, levels, &more, error));
            if (!more)
                break;
            TRY(read_path_element(reader, tree, first + i, path, error));
        }
    }
}

/* The three forms of a Merkle proof (storage-proofs-core merkle/proof.rs, ProofData): root, leaf, then the paths through
 * the base tree, the sub tree and the top tree. */
static const struct {
    const char *variant;
    const char *names[5];
    unsigned count;
} PATH_FORMS[] = {
    {"Single", {"root", "leaf", "path"}, 3},
    {"Sub", {"root", "leaf", "base_proof", "sub_proof"}, 4},
    {"Top", {"root", "leaf", "base_proof", "sub_proof", "top_proof"}, 5},
};

static cuzk_status read_path_form(json_reader *reader, unsigned form, const merkle_shape *tree, merkle_path *path,
                                  cuzk_error *error) {
    json_members members = extensible(PATH_FORMS[form].names, PATH_FORMS[form].count);
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case -1: return CUZK_OK;
        case 0: TRY(read_json_fr(reader, &path->root, error)); break;
        case 1: TRY(read_json_fr(reader, &path->leaf, error)); break;
        case 2: TRY(read_inclusion_path(reader, tree, 0, tree->base_levels, path, error)); break;
        default: TRY(read_inclusion_path(reader, tree, tree->base_levels + (unsigned)member - 3, 1, path, error)); break;
        }
    }
}

/* {"data": {"Single": ...}}, or Sub or Top as the tree is. */
static cuzk_status read_path(json_reader *reader, const merkle_shape *tree, merkle_path *path, cuzk_error *error) {
    unsigned form = tree->top_arity > 0 ? 2 : tree->sub_arity > 0 ? 1 : 0;
    static const char *const names[] = {"data"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            return CUZK_OK;
        json_members variants = json_members_of(&PATH_FORMS[form].variant, 1);
        TRY(json_enter_object(reader, error));
        for (int variant;;) {
            TRY(json_next_member(reader, &variants, &variant, error));
            if (variant < 0)
                break;
            TRY(read_path_form(reader, form, tree, path, error));
        }
    }
}

/* {"index": node, "rows": [a label of each layer], "_h": null} */
static cuzk_status read_column(json_reader *reader, column_proof *column, const sector_shape *shape, cuzk_error *error) {
    static const char *const names[] = {"index", "rows"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(json_read_unsigned(reader, sector_nodes(shape) - 1, &column->node, error)); break;
        case 1: TRY(read_values(reader, column->rows, shape->layers, error)); break;
        default: return CUZK_OK;
        }
    }
}

static cuzk_status read_column_proof(json_reader *reader, column_proof *column, const sector_shape *shape,
                                     const merkle_shape *tree, cuzk_error *error) {
    static const char *const names[] = {"column", "inclusion_proof"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_column(reader, column, shape, error)); break;
        case 1: TRY(read_path(reader, tree, &column->path, error)); break;
        default:
            if (column->path.index != column->node)
                return json_failure(reader, error, "found a path of node %" PRIu64 ", expected one of the column's node %" PRIu64,
                                    column->path.index, column->node);
            return CUZK_OK;
        }
    }
}

static cuzk_status read_column_proofs(json_reader *reader, column_proof *columns, unsigned count, const sector_shape *shape,
                                      const merkle_shape *tree, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (unsigned i = 0;; i++) {
        bool more;
        TRY(json_next_of(reader, i, count, &more, error));
        if (!more)
            return CUZK_OK;
        TRY(read_column_proof(reader, &columns[i], shape, tree, error));
    }
}

static cuzk_status read_replica_column_proofs(json_reader *reader, porep_challenge_proof *proof, const sector_shape *shape,
                                              const merkle_shape *tree, cuzk_error *error) {
    static const char *const names[] = {"c_x", "drg_parents", "exp_parents"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_column_proof(reader, &proof->column, shape, tree, error)); break;
        case 1: TRY(read_column_proofs(reader, proof->drg_parents, DRG_DEGREE, shape, tree, error)); break;
        case 2: TRY(read_column_proofs(reader, proof->expander_parents, EXPANDER_DEGREE, shape, tree, error)); break;
        default: return CUZK_OK;
        }
    }
}

/* {"parents": [37 labels], "layer_index": layer, "node": node}; layer is what it must be. */
static cuzk_status read_labeling_proof(json_reader *reader, labeling_proof *label, unsigned layer, cuzk_error *error) {
    static const char *const names[] = {"parents", "layer_index", "node"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        uint64_t value;
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_values(reader, label->parents, LABEL_PARENTS, error)); break;
        case 1:
            TRY(json_read_unsigned(reader, UINT32_MAX, &value, error));
            if (value != layer)
                return json_failure(reader, error, "found layer %" PRIu64 ", expected %u", value, layer);
            label->layer = layer;
            break;
        case 2: TRY(json_read_unsigned(reader, UINT64_MAX, &label->node, error)); break;
        default: return CUZK_OK;
        }
    }
}

static cuzk_status read_labeling_proofs(json_reader *reader, labeling_proof *labels, unsigned layers, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (unsigned i = 0;; i++) {
        bool more;
        TRY(json_next_of(reader, i, layers, &more, error));
        if (!more)
            return CUZK_OK;
        TRY(read_labeling_proof(reader, &labels[i], i + 1, error));
    }
}

/* Everything must be about one node; the column says which. */
static cuzk_status check_nodes(json_reader *reader, porep_challenge_proof *proof, unsigned layers, cuzk_error *error) {
    static const char text[] = "found a %s of node %" PRIu64 ", expected node %" PRIu64
                               " as in replica_column_proofs.c_x.column.index";
    uint64_t node = proof->challenge = proof->column.node;
    if (proof->data_path.index != node)
        return json_failure(reader, error, text, "comm_d_proofs", proof->data_path.index, node);
    if (proof->replica_path.index != node)
        return json_failure(reader, error, text, "comm_r_last_proof", proof->replica_path.index, node);
    for (unsigned i = 0; i < layers; i++)
        if (proof->labels[i].node != node)
            return json_failure(reader, error, text, "labeling proof", proof->labels[i].node, node);
    if (proof->encoding.node != node)
        return json_failure(reader, error, text, "encoding_proof", proof->encoding.node, node);
    return CUZK_OK;
}

cuzk_status read_json_porep_challenge(json_reader *reader, porep_challenge_proof *proof, const sector_shape *shape,
                                      cuzk_error *error) {
    const merkle_shape data_tree = data_tree_shape(shape), replica_tree = replica_tree_shape(shape);
    static const char *const names[] = {"comm_d_proofs", "comm_r_last_proof", "replica_column_proofs", "labeling_proofs",
                                        "encoding_proof"};
    json_members members = extensible(names, COUNT_OF(names));
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_path(reader, &data_tree, &proof->data_path, error)); break;
        case 1: TRY(read_path(reader, &replica_tree, &proof->replica_path, error)); break;
        case 2: TRY(read_replica_column_proofs(reader, proof, shape, &replica_tree, error)); break;
        case 3: TRY(read_labeling_proofs(reader, proof->labels, shape->layers, error)); break;
        case 4: TRY(read_labeling_proof(reader, &proof->encoding, shape->layers, error)); break;
        default: return check_nodes(reader, proof, shape->layers, error);
        }
    }
}
