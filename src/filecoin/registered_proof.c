#include "filecoin/registered_proof.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

/* Indices into SECTOR_SHAPES of the five sizes that have registered proofs. */
enum { SHAPE_2_KIB = 0, SHAPE_8_MIB = 4, SHAPE_512_MIB = 6, SHAPE_32_GIB = 8, SHAPE_64_GIB = 9 };

#define PROOF(kind_, number_, prefix, size, suffix, actor_suffix, shape_, api_, feature_)                                   \
    {.kind = (kind_), .number = (number_), .name = prefix size suffix, .actor_name = prefix size actor_suffix,              \
     .shape = &SECTOR_SHAPES[shape_], .api = (api_), .feature = (feature_)}

/* The five sizes of a series, in the order of their numbers. */
#define SERIES(kind, first, prefix, suffix, actor_suffix, api, feature)                                      \
    PROOF(kind, (first), prefix, "2KiB", suffix, actor_suffix, SHAPE_2_KIB, api, feature),                   \
        PROOF(kind, (first) + 1, prefix, "8MiB", suffix, actor_suffix, SHAPE_8_MIB, api, feature),           \
        PROOF(kind, (first) + 2, prefix, "512MiB", suffix, actor_suffix, SHAPE_512_MIB, api, feature),       \
        PROOF(kind, (first) + 3, prefix, "32GiB", suffix, actor_suffix, SHAPE_32_GIB, api, feature),         \
        PROOF(kind, (first) + 4, prefix, "64GiB", suffix, actor_suffix, SHAPE_64_GIB, api, feature)

const registered_proof REGISTERED_PROOFS[REGISTERED_PROOF_COUNT] = {
    SERIES(PROOF_POREP, 0, "StackedDrg", "V1", "V1", API_V1_0, POREP_INTERACTIVE),
    SERIES(PROOF_POREP, 5, "StackedDrg", "V1_1", "V1_1", API_V1_1, POREP_INTERACTIVE),
    /* Published under the name of version 1.1, though the feature came with 1.2. */
    SERIES(PROOF_POREP, 10, "StackedDrg", "V1_1_Feat_SyntheticPoRep", "V1_1_Feat_SyntheticPoRep", API_V1_2, POREP_SYNTHETIC),
    SERIES(PROOF_POREP, 15, "StackedDrg", "V1_2_Feat_NonInteractivePoRep", "V1_2_Feat_NiPoRep", API_V1_2,
           POREP_NON_INTERACTIVE),
    SERIES(PROOF_WINNING, 0, "StackedDrgWinning", "V1", "V1", API_V1_0, POREP_INTERACTIVE),
    SERIES(PROOF_WINDOW, 5, "StackedDrgWindow", "V1", "V1", API_V1_0, POREP_INTERACTIVE),
    /* The crates count versions of their API, the actors versions of the proof. */
    SERIES(PROOF_WINDOW, 10, "StackedDrgWindow", "V1_2", "V1_1", API_V1_2, POREP_INTERACTIVE),
    SERIES(PROOF_SNAP, 0, "StackedDrg", "V1", "V1", API_V1_1, POREP_INTERACTIVE),
};

const registered_proof *registered_proof_find(proof_kind kind, uint64_t number) {
    for (size_t i = 0; i < REGISTERED_PROOF_COUNT; i++)
        if (REGISTERED_PROOFS[i].kind == kind && REGISTERED_PROOFS[i].number == number)
            return &REGISTERED_PROOFS[i];
    return NULL;
}

const registered_proof *registered_proof_by_name(proof_kind kind, const char *name) {
    for (size_t i = 0; i < REGISTERED_PROOF_COUNT; i++) {
        const registered_proof *proof = &REGISTERED_PROOFS[i];
        if (proof->kind == kind && (strcmp(proof->name, name) == 0 || strcmp(proof->actor_name, name) == 0))
            return proof;
    }
    return NULL;
}

unsigned registered_proof_partitions(const registered_proof *proof) {
    switch (proof->kind) {
    case PROOF_POREP:
        return proof->feature == POREP_NON_INTERACTIVE ? proof->shape->non_interactive_partitions
                                                       : proof->shape->porep_partitions;
    case PROOF_SNAP:
        return proof->shape->snap_partitions;
    default:
        return 1;
    }
}

void registered_proof_porep_id(uint8_t porep_id[32], const registered_proof *proof) {
    memset(porep_id, 0, 32);
    store_u64_le(porep_id, proof->number);
}

static const char *const KIND_WORDS[PROOF_KIND_COUNT] = {"porep", "winning", "window", "snap"};
static const char *const REQUEST_NAMES[PROOF_KIND_COUNT] = {"POREP_SEAL_COMMIT", "WINNING_POST", "WINDOW_POST_PARTITION",
                                                            "SNAP_DEALS_UPDATE"};

const char *proof_kind_word(proof_kind kind) { return KIND_WORDS[kind]; }
const char *proof_kind_request_name(proof_kind kind) { return REQUEST_NAMES[kind]; }

static bool find_kind(proof_kind *kind, const char *const names[PROOF_KIND_COUNT], const char *text) {
    for (unsigned i = 0; i < PROOF_KIND_COUNT; i++) {
        if (strcmp(names[i], text) == 0) {
            *kind = (proof_kind)i;
            return true;
        }
    }
    return false;
}

bool proof_kind_from_word(proof_kind *kind, const char *word) { return find_kind(kind, KIND_WORDS, word); }
bool proof_kind_from_request_name(proof_kind *kind, const char *name) { return find_kind(kind, REQUEST_NAMES, name); }

unsigned post_circuit_sectors(proof_kind kind, const sector_shape *shape) {
    return kind == PROOF_WINNING ? WINNING_CHALLENGES : shape->window_sectors;
}

unsigned post_circuit_challenges(proof_kind kind) { return kind == PROOF_WINNING ? 1 : WINDOW_CHALLENGES; }

/* Sources of the texts: PublicParams::identifier in storage-proofs-porep stacked/vanilla/params.rs (with those of the
 * graphs in stacked/vanilla/graph.rs and storage-proofs-core drgraph.rs), storage-proofs-post fallback/vanilla.rs and
 * storage-proofs-update vanilla.rs; CacheableParameters::cache_prefix beside each circuit. */
void circuit_cache_id(char id[CACHE_ID_CAPACITY], proof_kind kind, const sector_shape *shape) {
    char tree[64], prefix[128], identifier[512];
    snprintf(tree, sizeof tree, "merkletree-poseidon_hasher-%u-%u-%u", shape->base_arity, shape->sub_arity, shape->top_arity);
    switch (kind) {
    case PROOF_POREP:
        snprintf(prefix, sizeof prefix, "stacked-proof-of-replication-%s-sha256_hasher", tree);
        snprintf(identifier, sizeof identifier,
                 "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: %d base_graph: "
                 "drgraph::BucketGraph{size: %llu; degree: %d; hasher: poseidon_hasher} }, challenges: LayerChallenges { "
                 "layers: %u, max_count: %u }, tree: %s }",
                 EXPANDER_DEGREE, (unsigned long long)sector_nodes(shape), DRG_DEGREE, shape->layers, shape->porep_challenges,
                 tree);
        break;
    case PROOF_WINNING:
    case PROOF_WINDOW:
        snprintf(prefix, sizeof prefix, "proof-of-spacetime-fallback-%s", tree);
        snprintf(identifier, sizeof identifier,
                 "FallbackPoSt::PublicParams{sector_size: %llu, challenge_count: %u, sector_count: %u}",
                 (unsigned long long)shape->bytes, post_circuit_challenges(kind), post_circuit_sectors(kind, shape));
        break;
    case PROOF_SNAP:
        snprintf(prefix, sizeof prefix, "empty-sector-update-%s", tree);
        snprintf(identifier, sizeof identifier, "empty_sector_update::PublicParams{ sector_nodes: %llu }",
                 (unsigned long long)sector_nodes(shape));
        break;
    }
    uint8_t hash[32];
    char digits[65];
    SHA256((const uint8_t *)identifier, strlen(identifier), hash);
    hex_encode(digits, hash, sizeof hash);
    snprintf(id, CACHE_ID_CAPACITY, "%s-%s", prefix, digits);
}
