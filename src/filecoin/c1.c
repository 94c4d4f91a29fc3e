#include "filecoin/c1.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/vanilla_json.h"

/* Reading in progress. */
typedef struct {
    c1_output *c1;
    const sector_shape *shape; /* that the vanilla proofs' key names; NULL before */
    fr data_root;              /* of the first challenge: to be comm_d */
} c1_reading;

/* --- Vanilla proofs --- */

static cuzk_status check_root(json_reader *reader, const char *tree, const merkle_path *path, const fr *expected,
                              cuzk_error *error) {
    if (!fr_equal(&path->root, expected))
        return json_failure(reader, error, "found a root of tree %s that differs from the first challenge's", tree);
    return CUZK_OK;
}

/* All paths of a tree must lead to one root. */
static cuzk_status check_roots(json_reader *reader, c1_reading *reading, const porep_challenge_proof *proof, bool first,
                               cuzk_error *error) {
    c1_output *c1 = reading->c1;
    if (first) {
        reading->data_root = proof->data_path.root;
        c1->comm_r_last = proof->replica_path.root;
        c1->comm_c = proof->column.path.root;
    }
    TRY(check_root(reader, "D", &proof->data_path, &reading->data_root, error));
    TRY(check_root(reader, "R", &proof->replica_path, &c1->comm_r_last, error));
    TRY(check_root(reader, "C", &proof->column.path, &c1->comm_c, error));
    for (unsigned i = 0; i < DRG_DEGREE; i++)
        TRY(check_root(reader, "C", &proof->drg_parents[i].path, &c1->comm_c, error));
    for (unsigned i = 0; i < EXPANDER_DEGREE; i++)
        TRY(check_root(reader, "C", &proof->expander_parents[i].path, &c1->comm_c, error));
    return CUZK_OK;
}

static cuzk_status read_partition(json_reader *reader, c1_reading *reading, cuzk_error *error) {
    c1_output *c1 = reading->c1;
    porep_partition_proof *partition = porep_partition_proof_create(reading->shape);
    c1->partitions = reallocate(c1->partitions, c1->partition_count + 1, sizeof *c1->partitions);
    c1->partitions[c1->partition_count++] = partition;
    TRY(json_enter_array(reader, error));
    for (unsigned i = 0;; i++) {
        bool more;
        TRY(json_next_of(reader, i, reading->shape->porep_challenges, &more, error));
        if (!more)
            return CUZK_OK;
        TRY(read_json_porep_challenge(reader, &partition->challenges[i], reading->shape, error));
        TRY(check_roots(reader, reading, &partition->challenges[i], c1->partition_count == 1 && i == 0, error));
    }
}

static cuzk_status read_partitions(json_reader *reader, c1_reading *reading, cuzk_error *error) {
    const registered_proof *proof = reading->c1->proof; /* NULL if it comes after */
    unsigned limit = proof ? registered_proof_partitions(proof) : reading->shape->non_interactive_partitions;
    TRY(json_enter_array(reader, error));
    for (unsigned i = 0;; i++) {
        bool more;
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return CUZK_OK;
        if (i == limit)
            return json_failure(reader, error, "found another partition, expected %u", limit);
        TRY(read_partition(reader, reading, error));
    }
}

/* {"StackedDrg2KiBV1": [partition][challenge]proof}: the sector size of all versions. */
static cuzk_status read_vanilla_proofs(json_reader *reader, c1_reading *reading, cuzk_error *error) {
    const char *key;
    TRY(json_enter_object(reader, error));
    for (;;) {
        TRY(json_next_key(reader, &key, error));
        if (key == NULL)
            break;
        const registered_proof *size = registered_proof_by_name(PROOF_POREP, key), *proof = reading->c1->proof;
        if (size == NULL || size->api != API_V1_0 || reading->shape != NULL)
            return json_failure(reader, error,
                                "found this field, expected one, named StackedDrg and the sector size, 2KiBV1 to 64GiBV1");
        if (proof != NULL && proof->shape != size->shape)
            return json_failure(reader, error, "found vanilla proofs of %s, expected %s as registered_proof is %s",
                                size->shape->name, proof->shape->name, proof->name);
        reading->shape = size->shape;
        TRY(read_partitions(reader, reading, error));
    }
    if (reading->shape == NULL)
        return json_failure(reader, error, "found no vanilla proofs");
    return CUZK_OK;
}

/* --- The inner document --- */

static cuzk_status read_registered_proof(json_reader *reader, c1_output *c1, cuzk_error *error) {
    char name[64];
    TRY(json_read_text(reader, name, sizeof name, error));
    c1->proof = registered_proof_by_name(PROOF_POREP, name);
    if (c1->proof == NULL || strcmp(c1->proof->name, name) != 0)
        return json_failure(reader, error, "found \"%s\", expected the name of a seal proof (\"StackedDrg32GiBV1_1\")", name);
    return CUZK_OK;
}

static cuzk_status read_commitment(json_reader *reader, uint8_t bytes[32], cuzk_error *error) {
    fr value;
    TRY(read_json_fr(reader, &value, error));
    if (fr_is_zero(&value))
        return json_failure(reader, error, "found zero");
    fr_to_bytes(bytes, &value);
    return CUZK_OK;
}

static cuzk_status read_members(json_reader *reader, c1_reading *reading, cuzk_error *error) {
    static const char *const names[] = {"registered_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed", "ticket"};
    json_members members = json_members_of(names, 7);
    members.skip_unknown = true;
    c1_output *c1 = reading->c1;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        static const uint8_t zero[32];
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(read_registered_proof(reader, c1, error)); break;
        case 1: TRY(read_vanilla_proofs(reader, reading, error)); break;
        case 2: TRY(read_commitment(reader, c1->statement.comm_r, error)); break;
        case 3: TRY(read_commitment(reader, c1->statement.comm_d, error)); break;
        case 4: TRY(read_commitment(reader, c1->statement.replica_id, error)); break;
        case 5:
            TRY(json_read_bytes(reader, c1->statement.seed, 32, error));
            if (memcmp(c1->statement.seed, zero, 32) == 0)
                return json_failure(reader, error, "found zero");
            break;
        case 6: TRY(json_read_bytes(reader, c1->ticket, 32, error)); break;
        default: return json_read_end(reader, error);
        }
    }
}

/* --- Agreement of what the document says --- */

static cuzk_status wrong_node(const c1_output *c1, unsigned partition, unsigned challenge, const char *what, unsigned index,
                              uint64_t found, uint64_t expected, cuzk_error *error) {
    char which[80] = "";
    if (what != NULL)
        snprintf(which, sizeof which, ".replica_column_proofs.%s[%u]", what, index);
    return failure(error, CUZK_BAD_INPUT,
                   "vanilla_proofs.StackedDrg%sV1[%u][%u]%s: found node %" PRIu64 ", expected %" PRIu64
                   ", which registered_proof, replica_id%s give",
                   c1->proof->shape->name, partition, challenge, which, found, expected,
                   c1->proof->feature == POREP_INTERACTIVE     ? " and seed"
                   : c1->proof->feature == POREP_NON_INTERACTIVE ? " and comm_r"
                                                                 : ", comm_r and seed");
}

/* The challenges and parents are what a verifier will compute. */
static cuzk_status check_nodes(const c1_output *c1, cuzk_error *error) {
    uint8_t porep_id[32];
    stacked_graph graph;
    registered_proof_porep_id(porep_id, c1->proof);
    stacked_graph_init(&graph, c1->proof->shape, porep_id, c1->proof->api);
    for (unsigned k = 0; k < c1->partition_count; k++) {
        uint64_t challenges[MAX_POREP_CHALLENGES];
        porep_challenges(challenges, c1->proof, c1->statement.replica_id, c1->statement.comm_r, c1->statement.seed, k);
        for (unsigned i = 0; i < c1->proof->shape->porep_challenges; i++) {
            const porep_challenge_proof *proof = &c1->partitions[k]->challenges[i];
            uint32_t drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
            if (proof->challenge != challenges[i])
                return wrong_node(c1, k, i, NULL, 0, proof->challenge, challenges[i], error);
            stacked_graph_drg_parents(&graph, (uint32_t)proof->challenge, drg);
            stacked_graph_expander_parents(&graph, (uint32_t)proof->challenge, expander);
            for (unsigned j = 0; j < DRG_DEGREE; j++)
                if (proof->drg_parents[j].node != drg[j])
                    return wrong_node(c1, k, i, "drg_parents", j, proof->drg_parents[j].node, drg[j], error);
            for (unsigned j = 0; j < EXPANDER_DEGREE; j++)
                if (proof->expander_parents[j].node != expander[j])
                    return wrong_node(c1, k, i, "exp_parents", j, proof->expander_parents[j].node, expander[j], error);
        }
    }
    return CUZK_OK;
}

static cuzk_status check_agreement(const c1_reading *reading, cuzk_error *error) {
    const c1_output *c1 = reading->c1;
    uint8_t data_root[32];
    if (reading->shape != c1->proof->shape)
        return failure(error, CUZK_BAD_INPUT, "vanilla_proofs: found proofs of %s, expected %s as registered_proof is %s",
                       reading->shape->name, c1->proof->shape->name, c1->proof->name);
    if (c1->partition_count != registered_proof_partitions(c1->proof))
        return failure(error, CUZK_BAD_INPUT,
                       "vanilla_proofs.StackedDrg%sV1: found %u partitions, expected %u as registered_proof is %s",
                       reading->shape->name, c1->partition_count, registered_proof_partitions(c1->proof), c1->proof->name);
    fr_to_bytes(data_root, &reading->data_root);
    if (memcmp(data_root, c1->statement.comm_d, 32) != 0)
        return failure(error, CUZK_BAD_INPUT, "comm_d: found a value that differs from the root of the vanilla proofs' tree D");
    return check_nodes(c1, error);
}

static cuzk_status read_inner(json_reader *reader, c1_output *c1, cuzk_error *error) {
    c1_reading reading = {.c1 = c1};
    TRY(read_members(reader, &reading, error));
    return check_agreement(&reading, error);
}

/* --- The envelope --- */

enum { BASE64_PIECE = JSON_PIECE_BYTES };

typedef struct {
    const char *text;
    size_t length, position;
    uint8_t piece[BASE64_PIECE / 4 * 3];
} base64_source;

static cuzk_status next_base64_piece(void *context, const uint8_t **data, size_t *size, cuzk_error *error) {
    base64_source *source = context;
    const char *text = source->text + source->position;
    size_t left = source->length - source->position, bad;
    bool last = left <= BASE64_PIECE, good;
    if (last) {
        good = base64_decode(source->piece, size, text, left, &bad);
    } else {
        good = base64_decode_part(source->piece, text, BASE64_PIECE, &bad);
        *size = sizeof source->piece;
    }
    if (!good && bad == left)
        return failure(error, CUZK_BAD_INPUT, "Phase1Out: found %zu characters of base64, expected a multiple of 4",
                       source->length);
    if (!good)
        return failure(error, CUZK_BAD_INPUT, "Phase1Out: found character 0x%02x at position %zu, expected base64",
                       (unsigned char)text[bad], source->position + bad);
    *data = source->piece;
    source->position = last ? source->length : source->position + BASE64_PIECE;
    return CUZK_OK;
}

static cuzk_status read_phase1_output(json_reader *outer, c1_output *c1, cuzk_error *error) {
    base64_source *source = allocate(1, sizeof *source);
    source->position = 0;
    cuzk_status status = json_read_string(outer, &source->text, &source->length, error);
    if (status == CUZK_OK) {
        json_reader *reader = json_reader_create(next_base64_piece, source, "the decoded Phase1Out");
        status = read_inner(reader, c1, error);
        json_reader_destroy(reader);
    }
    free(source);
    return status;
}

static const char *const ENVELOPE_NAMES[] = {"SectorNum", "Phase1Out", "SectorSize"};

static cuzk_status read_envelope(json_reader *reader, c1_output *c1, cuzk_error *error) {
    json_members members = json_members_of(ENVELOPE_NAMES, 3);
    members.skip_unknown = true;
    uint64_t sector_size = 0;
    TRY(json_enter_object(reader, error));
    for (int member = 0; member >= 0;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case 0: TRY(json_read_unsigned(reader, UINT64_MAX, &c1->sector_number, error)); break;
        case 1: TRY(read_phase1_output(reader, c1, error)); break;
        case 2: TRY(json_read_unsigned(reader, UINT64_MAX, &sector_size, error)); break;
        default: break;
        }
    }
    TRY(json_read_end(reader, error));
    c1->has_sector_number = true;
    if (sector_size != c1->proof->shape->bytes)
        return failure(error, CUZK_BAD_INPUT, "SectorSize: found %" PRIu64 ", expected %" PRIu64 " as registered_proof is %s",
                       sector_size, c1->proof->shape->bytes, c1->proof->name);
    return CUZK_OK;
}

/* The first key that either form knows tells which it is. */
static cuzk_status is_envelope(json_reader *reader, bool *envelope, cuzk_error *error) {
    TRY(json_enter_object(reader, error));
    for (;;) {
        const char *key;
        TRY(json_next_key(reader, &key, error));
        if (key == NULL)
            return json_failure(reader, error, "found neither \"Phase1Out\" nor \"registered_proof\" in the object");
        *envelope = false;
        for (unsigned i = 0; i < 3; i++)
            *envelope = *envelope || strcmp(key, ENVELOPE_NAMES[i]) == 0;
        if (*envelope || strcmp(key, "registered_proof") == 0 || strcmp(key, "vanilla_proofs") == 0)
            return CUZK_OK;
        TRY(json_skip(reader, error));
    }
}

cuzk_status c1_parse(c1_output *c1, const uint8_t *text, size_t size, cuzk_error *error) {
    *c1 = (c1_output){0};
    bool envelope = false;
    json_reader *reader = json_reader_create_memory(text, size, NULL);
    cuzk_status status = is_envelope(reader, &envelope, error);
    json_reader_destroy(reader);
    if (status != CUZK_OK)
        return status;

    reader = json_reader_create_memory(text, size, NULL);
    status = envelope ? read_envelope(reader, c1, error) : read_inner(reader, c1, error);
    json_reader_destroy(reader);
    if (status != CUZK_OK)
        c1_free(c1);
    return status;
}

cuzk_status c1_load(c1_output *c1, const char *path, cuzk_error *error) {
    mapped_file file;
    *c1 = (c1_output){0};
    TRY(mapped_file_open(&file, path, error));
    cuzk_status status = c1_parse(c1, file.data, file.size, error);
    mapped_file_close(&file);
    return status == CUZK_OK ? CUZK_OK : failure_within(error, status, "%s: ", path);
}

void c1_free(c1_output *c1) {
    for (unsigned i = 0; i < c1->partition_count; i++)
        free(c1->partitions[i]);
    free(c1->partitions);
    *c1 = (c1_output){0};
}
