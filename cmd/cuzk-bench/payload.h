/* A proof request as it travels: packed once, sent as often as wanted under new request ids. */
#ifndef CUZK_BENCH_PAYLOAD_H
#define CUZK_BENCH_PAYLOAD_H

#include "command.h"
#include "cuzk/request.h"

/* What to prove. Initialize with JOB_DEFAULTS. */
typedef struct {
    const char *type, *c1, *vanilla, *randomness, *comm_r_old, *comm_r_new, *comm_d_new, *priority;
    uint64_t registered_proof, sector_number, miner_id, partition; /* registered_proof JOB_UNSET: not given */
} job_options;
#define JOB_UNSET UINT64_MAX
#define JOB_DEFAULTS                                                                                                             \
    { .registered_proof = JOB_UNSET, .sector_number = 1, .miner_id = 1000 }

#define JOB_OPTIONS(j)                                                                                                           \
    {"type", 't', OPTION_TEXT, &(j)->type, "KIND", "porep, snap, wpost or winning", 0, 0},                                       \
        {"c1", 0, OPTION_TEXT, &(j)->c1, "FILE", "PoRep: the C1 output", 0, 0},                                                  \
        {"vanilla", 0, OPTION_TEXT, &(j)->vanilla, "FILE", "the others: JSON array of base64 strings, or one string", 0, 0},     \
        {"registered-proof",                                                                                                     \
         0,                                                                                                                      \
         OPTION_NUMBER,                                                                                                          \
         &(j)->registered_proof,                                                                                                 \
         "N",                                                                                                                    \
         "the actors' number (PoRep: default from the C1 output; else 0)",                                                       \
         0,                                                                                                                      \
         0},                                                                                                                     \
        {"sector-num", 0, OPTION_NUMBER, &(j)->sector_number, "N", "sector number (1)", 0, 0},                                   \
        {"miner-id", 0, OPTION_NUMBER, &(j)->miner_id, "N", "miner id (1000)", 0, 0},                                            \
        {"partition", 0, OPTION_NUMBER, &(j)->partition, "N", "WindowPoSt: partition index (0)", 0, UINT32_MAX},                 \
        {"randomness", 0, OPTION_TEXT, &(j)->randomness, "HEX", "PoSt: 32 bytes", 0, 0},                                         \
        {"comm-r-old", 0, OPTION_TEXT, &(j)->comm_r_old, "HEX", "SnapDeals: 32 bytes", 0, 0},                                    \
        {"comm-r-new", 0, OPTION_TEXT, &(j)->comm_r_new, "HEX", "SnapDeals: 32 bytes", 0, 0},                                    \
        {"comm-d-new", 0, OPTION_TEXT, &(j)->comm_d_new, "HEX", "SnapDeals: 32 bytes", 0, 0}, {                                  \
        "priority", 0, OPTION_TEXT, &(j)->priority, "P", "low, normal, high or critical (default: the kind's)", 0, 0             \
    }

typedef struct {
    char name[64]; /* for eyes: "winning-post" */
    uint8_t *body; /* a SubmitProofRequest without request_id; kept until rpc_library_shutdown */
    size_t body_length;
} payload;

/* From options, or from a job.json (path not NULL) with the files that it names beside it; then of the options only priority
 * counts. CUZK_BAD_INPUT names the option, or file and field. */
cuzk_status payload_create(payload *p, const job_options *options, const char *job_path, cuzk_error *error);
void payload_free(payload *p);

/* The parts of a SubmitProofRequest or, with inside_prove, of a ProveRequest: the payload under a request id. priority
 * CUZK_PRIORITY_UNSPECIFIED leaves what the payload says. */
typedef struct {
    uint8_t head[512], tail[2];
    cuzk_bytes parts[3];
} framed_request;
void payload_frame(framed_request *framed, const payload *p, const char *request_id, cuzk_priority priority, bool inside_prove);

#endif
