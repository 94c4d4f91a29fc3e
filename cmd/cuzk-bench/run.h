/* Many proofs by several clients, and what came of each. */
#ifndef CUZK_BENCH_RUN_H
#define CUZK_BENCH_RUN_H

#include "payload.h"

typedef enum {
    RUN_PROVED,
    RUN_FAILED,    /* the daemon says that the job failed or was cancelled by someone else */
    RUN_REFUSED,   /* the call ended with an error */
    RUN_CANCELLED, /* by us, as planned */
    RUN_LOST       /* accepted, and then unknown */
} run_outcome;
enum { RUN_OUTCOME_COUNT = 5 };
const char *run_outcome_name(run_outcome outcome);

/* One proof. Times are nanoseconds since the workload's start; *_ms are the daemon's own account. */
typedef struct {
    size_t payload; /* index */
    unsigned client;
    cuzk_priority priority; /* as sent; unspecified: the payload's */
    run_outcome outcome;
    cuzk_status status; /* of the call that ended it: CUZK_OK unless refused or lost */
    int64_t start_ns, end_ns;
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
    char job_id[64];
    uint8_t *proof; /* owned */
    size_t proof_length;
    char message[CUZK_ERROR_CAPACITY]; /* why not, or a warning */
} run_record;

typedef struct {
    const payload *payloads;
    size_t payload_count;
    unsigned clients;    /* each with a connection and a thread of its own */
    size_t count;        /* proofs in all; 0: until the time is over */
    uint64_t seconds;    /* 0: until the count is reached */
    uint64_t timeout_ms; /* of one proof; 0: none */
    bool mixed;          /* payloads, priorities, Prove or SubmitProof and AwaitProof by chance, and one in ten is cancelled */
    uint64_t seed;
    void (*finished)(void *context, const run_record *record); /* after each, one at a time; may be NULL */
    void *context;
} workload;

typedef struct {
    run_record *records; /* in the order of their start */
    size_t count;
    int64_t duration_ns; /* from the first start to the last end */
} run_result;

/* Runs the workload. Errors are those of setting up; what happens to a proof is in its record. */
cuzk_status run_workload(run_result *result, const workload *w, const connection_options *connection, cuzk_error *error);
void run_result_free(run_result *result);

#endif
