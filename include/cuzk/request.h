/* A proof request as clients send it. Part of the public C API. */
#ifndef CUZK_REQUEST_H
#define CUZK_REQUEST_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are those of the service's enums (proving.proto). */
typedef enum {
    CUZK_KIND_UNSPECIFIED = 0,
    CUZK_POREP_SEAL_COMMIT = 1,
    CUZK_SNAP_DEALS_UPDATE = 2,
    CUZK_WINDOW_POST_PARTITION = 3,
    CUZK_WINNING_POST = 4
} cuzk_proof_kind;
enum { CUZK_PROOF_KIND_COUNT = 5 }; /* for arrays indexed by kind; index 0 stays unused */

typedef enum {
    CUZK_PRIORITY_UNSPECIFIED = 0, /* takes the default of its kind: cuzk_default_priority */
    CUZK_PRIORITY_LOW = 1,
    CUZK_PRIORITY_NORMAL = 2,
    CUZK_PRIORITY_HIGH = 3,
    CUZK_PRIORITY_CRITICAL = 4
} cuzk_priority;
enum { CUZK_PRIORITY_COUNT = 5 };

/* Borrowed bytes. data may be NULL when length is 0. */
typedef struct {
    const uint8_t *data;
    size_t length;
} cuzk_bytes;

/* The fields of SubmitProofRequest; nothing here has been checked yet. The bytes are borrowed: a function that takes a
 * request does not keep them. Numbers of enums are taken as they came: one that is unknown is refused by name. */
typedef struct {
    cuzk_bytes request_id; /* any bytes, at most CUZK_REQUEST_ID_MAXIMUM; need not be unique */
    uint32_t proof_kind;   /* a cuzk_proof_kind */
    uint32_t priority;     /* a cuzk_priority */
    uint64_t sector_size;  /* bytes; 0: that of registered_proof */
    uint64_t registered_proof;
    cuzk_bytes vanilla_proof;          /* PoRep: the C1 output; other kinds: nothing */
    const cuzk_bytes *vanilla_proofs;  /* PoSt: one for each sector; SnapDeals: one for each partition (bincode); PoRep: none */
    size_t vanilla_proof_count;        /* of vanilla_proofs */
    uint64_t sector_number, miner_id;
    cuzk_bytes randomness; /* PoSt: 32 bytes */
    uint32_t partition_index;
    cuzk_bytes comm_r_old, comm_r_new, comm_d_new; /* SnapDeals: 32 bytes each */
} cuzk_request;

enum { CUZK_REQUEST_ID_MAXIMUM = 4096, CUZK_VANILLA_PROOFS_MAXIMUM = 4096 };

/* "POREP_SEAL_COMMIT" ...; "PROOF_KIND_UNSPECIFIED" for anything unknown. Static text. */
const char *cuzk_proof_kind_name(uint32_t kind);

/* "LOW" ... "CRITICAL"; "PRIORITY_UNSPECIFIED" for anything unknown. Static text. */
const char *cuzk_priority_name(uint32_t priority);

/* What an unspecified priority means: WinningPoSt CRITICAL (a block is lost after seconds), WindowPoSt HIGH (a deadline
 * of half an hour), PoRep NORMAL, SnapDeals LOW (nothing expires within hours). */
cuzk_priority cuzk_default_priority(cuzk_proof_kind kind);

#endif
