/* The one table of registered proofs, and the names that circuits go by. Sources: filecoin-proofs-api 19.1 (registry.rs)
 * for names, versions and features; go-state-types (abi/sector.go) for the actors' numbers and names. */
#ifndef FILECOIN_REGISTERED_PROOF_H
#define FILECOIN_REGISTERED_PROOF_H

#include "filecoin/sector_shape.h"

/* What a proof shows. Each kind has one circuit for each sector size. */
typedef enum { PROOF_POREP, PROOF_WINNING, PROOF_WINDOW, PROOF_SNAP } proof_kind;
enum { PROOF_KIND_COUNT = 4 };

typedef enum { API_V1_0, API_V1_1, API_V1_2 } api_version;

/* How a PoRep gets its challenges. */
typedef enum { POREP_INTERACTIVE, POREP_SYNTHETIC, POREP_NON_INTERACTIVE } porep_feature;

typedef struct {
    proof_kind kind;
    unsigned number;        /* the actors'; unique among seal proofs, among PoSt proofs and among update proofs */
    const char *name;       /* as in a C1 output: "StackedDrg2KiBV1_1_Feat_SyntheticPoRep" */
    const char *actor_name; /* as in the actors, where it differs: "StackedDrgWindow2KiBV1_1"; else equal to name */
    const sector_shape *shape;
    api_version api;
    porep_feature feature; /* of a PoRep; POREP_INTERACTIVE for the others */
} registered_proof;

enum { REGISTERED_PROOF_COUNT = 40 };
extern const registered_proof REGISTERED_PROOFS[REGISTERED_PROOF_COUNT];

/* NULL if the kind has no such number. WinningPoSt has 0-4, WindowPoSt 5-14, PoRep 0-19, SnapDeals 0-4. */
const registered_proof *registered_proof_find(proof_kind kind, uint64_t number);
/* By its name or actor name; NULL if the kind has no such name. */
const registered_proof *registered_proof_by_name(proof_kind kind, const char *name);

/* Number of proofs, of 192 bytes each, that one sector (PoRep, SnapDeals) or one request (PoSt: 1) takes. */
unsigned registered_proof_partitions(const registered_proof *proof);

/* The 32 bytes that seed a PoRep's graph and replica id: its number, u64 LE, then zeros (registry.rs). */
void registered_proof_porep_id(uint8_t porep_id[32], const registered_proof *proof);

/* "porep", "winning", "window", "snap": the first half of a circuit's name ("porep-32GiB"). */
const char *proof_kind_word(proof_kind kind);
/* "POREP_SEAL_COMMIT", "WINNING_POST", "WINDOW_POST_PARTITION", "SNAP_DEALS_UPDATE": as requests name it. */
const char *proof_kind_request_name(proof_kind kind);
/* False if it is none of them; the text is matched exactly. */
bool proof_kind_from_word(proof_kind *kind, const char *word);
bool proof_kind_from_request_name(proof_kind *kind, const char *name);

/* Sectors in one PoSt circuit and challenges of each: 66 and 1 for WinningPoSt (its one sector stands 66 times), the
 * shape's window_sectors and 10 for WindowPoSt. */
unsigned post_circuit_sectors(proof_kind kind, const sector_shape *shape);
unsigned post_circuit_challenges(proof_kind kind);

/* The circuit's parameter files are v28-<id>.params and v28-<id>.vk: id is a prefix that names scheme and tree, and the
 * SHA-256 of the parameter set's identifier (CacheableParameters::cache_identifier). Lower-case text with a NUL. */
enum { PARAMETER_VERSION = 28, CACHE_ID_CAPACITY = 208 };
void circuit_cache_id(char id[CACHE_ID_CAPACITY], proof_kind kind, const sector_shape *shape);

#endif
