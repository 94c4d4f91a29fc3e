/* The proving engine: accepts requests, runs them through synthesis and proving in order of urgency and within one memory
 * budget, and keeps them and their proofs over crashes. Part of the public C API.
 *
 * Every function may be called from any thread at any time between start and stop, unless it says otherwise. None calls
 * back while it holds a lock. Functions that can fail return a cuzk_status and fill *error (may be NULL) exactly when they
 * return something other than CUZK_OK. What the statuses mean here, and the gRPC status each corresponds to:
 *
 *   CUZK_BAD_INPUT            the request contradicts itself or is malformed          INVALID_ARGUMENT
 *   CUZK_NOT_FOUND            no such job, no such circuit                            NOT_FOUND
 *   CUZK_FAILED_PRECONDITION  parameters missing or unusable; in use                  FAILED_PRECONDITION
 *   CUZK_EXHAUSTED            queue full; can never fit the memory budget             RESOURCE_EXHAUSTED
 *   CUZK_UNAVAILABLE          draining, stopping; journal locked or disk full         UNAVAILABLE
 *   CUZK_DEADLINE             a time limit passed                                     DEADLINE_EXCEEDED
 *   CUZK_CANCELLED            the caller's poll said stop; the job was cancelled      CANCELLED
 *   CUZK_UNSATISFIED          the witness breaks a constraint (job results only)      INVALID_ARGUMENT
 *   others                    our own failure                                         INTERNAL
 *
 * Times: *_ns of the timeline are nanoseconds since the engine's start; other durations are in the unit of their name. */
#ifndef CUZK_ENGINE_H
#define CUZK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuzk/error.h"
#include "cuzk/request.h"

typedef struct cuzk_engine cuzk_engine;

enum {
    CUZK_JOB_ID_CAPACITY = 64,       /* with the NUL; letters, digits and '-' only, whatever the request's id holds */
    CUZK_CIRCUIT_ID_CAPACITY = 24,   /* with the NUL: "porep-32g", "winning-512m" */
    CUZK_REQUEST_LABEL_CAPACITY = 96 /* with the NUL: a request_id for eyes: printable ASCII without <>&"'\, cut */
};

/* ---- Start and stop ------------------------------------------------------------------------------------------------ */

/* How assignments are made. Both give the prover the same. */
typedef enum {
    CUZK_SYNTHESIS_COMPACT, /* gadgets as a whole, by native code; values as small as what they say */
    CUZK_SYNTHESIS_CLASSIC  /* besides, constraint by constraint with all values in full, and the two are compared: many times
                               slower, and for 32 GiB it takes 17 GB more while a partition is synthesized */
} cuzk_synthesis_strategy;

/* Strings are copied. cuzk_engine_options_init sets the defaults given here. */
typedef struct {
    const char *parameter_directory;        /* .params and .vk files. NULL: $FIL_PROOFS_PARAMETER_CACHE, else
                                               /var/tmp/filecoin-proof-parameters */
    const char *parameter_directory_origin; /* what set it ("srs.param_cache"), named in messages; NULL: by the above */
    const char *state_directory;            /* the journal's; made if absent. NULL: no journal, jobs die with the process */

    uint64_t total_budget;         /* memory, bytes; 0: auto, the least of RAM and the cgroups' limits */
    uint64_t safety_margin;        /* bytes kept off an auto budget (5 GiB; at most half of it is kept off) */
    const char *scratch_directory; /* where a circuit's vectors are kept in files if one partition alone would take more than seven
                                      eighths of the budget. NULL: nowhere */
    uint64_t scratch_memory;       /* bytes, for the transforms over such files; 0: 1 GiB */
    uint64_t eviction_min_idle_ms; /* parameters idle for less stay, unless a CRITICAL job or an idle engine needs room (300000) */
    const char *limits_root;       /* in front of /proc and /sys paths when limits are read; NULL: "" (for tests) */

    bool pipeline_enabled;              /* synthesis overlaps proving (true) */
    unsigned synthesis_lookahead;       /* partitions synthesized ahead of the provers (1) */
    unsigned synthesis_concurrency;     /* partitions synthesized at the same time (1) */
    unsigned max_parallel_synthesis;    /* a ceiling on synthesis_concurrency; 0: as the budget allows */
    unsigned max_prover_queue_depth;    /* synthesized partitions that may wait for a prover; 0: as the budget allows */
    cuzk_synthesis_strategy synthesis_strategy; /* CUZK_SYNTHESIS_COMPACT */
    unsigned synthesis_threads;         /* CPU threads, one for each partition: another ceiling on synthesis_concurrency; 0: none */
    unsigned prover_threads;            /* CPU threads of proving; 0: likewise (gpus.gpu_threads) */
    unsigned prover_workers_per_device; /* 0: the device's own choice, 1 for the CPU (gpus.gpu_workers_per_device) */
    const struct cuzk_device_driver *device_driver; /* what drives devices (groth16/device_driver.h); NULL: the CPU proves */
    const unsigned *devices;            /* ordinals to use (gpus.devices); device_count 0: all */
    size_t device_count;
    bool b_g2_on_cpu; /* of a device's proof the sum over B in G2 is the CPU's, at the same time (false) */

    unsigned max_batch_size;    /* partitions of one circuit that share a pass over its parameters (1: no batching) */
    uint64_t max_batch_wait_ms; /* how long a LOW or NORMAL partition waits for others to fill its batch (10000) */
    bool sort_by_type;          /* among equals, prefer the circuit that ran last (true) */
    uint64_t starvation_limit_ms; /* a job that later ones have overtaken for so long gets a turn for one partition whatever its
                                     priority; before WinningPoSt only once eight of those went before (60000) */

    unsigned max_queued_jobs;    /* unfinished jobs; more are refused with CUZK_EXHAUSTED (10000) */
    uint64_t max_request_bytes;  /* of one request (256 MiB) */
    uint64_t max_journal_bytes;  /* inputs of unfinished jobs on disk (64 GiB) */
    uint64_t retention_ms;       /* how long ended jobs are answered for (7 days) */
    unsigned retention_jobs;     /* and how many of them (10000) */

    bool timing; /* one log line for each phase of each partition; also on when the environment has CUZK_TIMING=1 */
} cuzk_engine_options;

void cuzk_engine_options_init(cuzk_engine_options *options);

/* Takes the state directory's lock, reads the journal, resumes unfinished jobs and starts the workers. Fails with
 * CUZK_UNAVAILABLE if another process holds the directory or the journal, CUZK_BAD_INPUT for options out of range,
 * CUZK_INPUT_OUTPUT. A damaged journal is moved aside with a warning, and what can be read of it is taken over. A missing
 * parameter directory is only logged: adding it later cures it. */
cuzk_status cuzk_engine_start(cuzk_engine **engine, const cuzk_engine_options *options, cuzk_error *error);

/* Refuses new submissions from now on (CUZK_UNAVAILABLE), and waits at most timeout_ms (0: does not wait) for the accepted
 * jobs to end. True when none is left. May be called again. */
bool cuzk_engine_drain(cuzk_engine *engine, uint64_t timeout_ms);

/* Makes every waiting call (await, reserve) return CUZK_UNAVAILABLE soon, interrupts running work, joins the workers and
 * closes the journal; unfinished jobs stay in the journal and resume at the next start. Frees the engine: other calls must
 * have returned, so call cuzk_engine_interrupt first and let the callers go. NULL is fine. */
void cuzk_engine_stop(cuzk_engine *engine);

/* The first half of stop: waiting calls return CUZK_UNAVAILABLE, submissions are refused, running work is interrupted and
 * nothing new starts. Status, results and cancellation still work. */
void cuzk_engine_interrupt(cuzk_engine *engine);

/* ---- Jobs ---------------------------------------------------------------------------------------------------------- */

typedef enum { CUZK_JOB_QUEUED, CUZK_JOB_RUNNING, CUZK_JOB_COMPLETED, CUZK_JOB_FAILED, CUZK_JOB_CANCELLED } cuzk_job_state;

/* "queued", "running", "completed", "failed", "cancelled". */
const char *cuzk_job_state_name(cuzk_job_state state);

typedef struct {
    char job_id[CUZK_JOB_ID_CAPACITY];
    uint32_t queue_position; /* unfinished jobs that go first; 0: next or running */
    bool existing;           /* this very request had been accepted before */
} cuzk_submission;

/* Checks the whole request, writes it to the journal and queues it. On CUZK_OK the job survives a crash.
 *
 * Idempotent: the same request (every field, request_id included, by SHA-256) gives the same job while it is queued,
 * running or completed; after a failure or cancellation it starts anew under a new job id. The same request_id with any
 * other field changed is a job of its own.
 *
 * deadline_ms: 0, or milliseconds from now after which nobody wants the proof: the job then ends as failed with
 * CUZK_DEADLINE. Of several submissions of one job the most patient counts.
 *
 * Fails with CUZK_BAD_INPUT, CUZK_FAILED_PRECONDITION (parameters missing or unusable), CUZK_EXHAUSTED (queue or journal
 * full; the memory that the job needs and the budget are named), CUZK_UNAVAILABLE. */
cuzk_status cuzk_engine_submit(cuzk_engine *engine, const cuzk_request *request, uint64_t deadline_ms, cuzk_submission *submission,
                               cuzk_error *error);

/* Milliseconds. The stages' times are sums over partitions, which overlap: they may exceed the total. */
typedef struct {
    uint64_t queue_wait_ms; /* from submission to the start of the first partition */
    uint64_t srs_load_ms;   /* waiting for parameters to be opened */
    uint64_t synthesis_ms;
    uint64_t compute_ms; /* proving and verification */
    uint64_t total_ms;   /* from submission to the end, or to now */
} cuzk_job_times;

/* Free with cuzk_job_result_free. */
typedef struct {
    char job_id[CUZK_JOB_ID_CAPACITY];
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    cuzk_job_state state;
    cuzk_error failure;    /* of a failed or cancelled job: status and the one-line reason, naming the stage */
    uint8_t *proof;        /* of a completed job: partitions * 192 bytes in order; else NULL */
    size_t proof_length;
    bool development_parameters; /* made with a development setup: not a proof for any network */
    cuzk_job_times times;
} cuzk_job_result;

void cuzk_job_result_free(cuzk_job_result *result);

/* Returns true when the caller no longer waits (client gone, deadline passed). Called without locks, at least every
 * 100 ms while waiting. */
typedef bool (*cuzk_poll)(void *context);

/* Waits until the job has ended. timeout_ms 0: for ever. stop may be NULL. CUZK_OK: the result's state is completed, failed or
 * cancelled. CUZK_DEADLINE: the timeout passed first (the job goes on; the result tells state and times so far).
 * CUZK_CANCELLED: stop said so (the job goes on). CUZK_NOT_FOUND: no such job, or ended and forgotten.
 * CUZK_UNAVAILABLE: the engine stops. Only after CUZK_OK and CUZK_DEADLINE is the result set. */
cuzk_status cuzk_engine_await(cuzk_engine *engine, const char *job_id, uint64_t timeout_ms, cuzk_poll stop, void *context,
                              cuzk_job_result *result, cuzk_error *error);

/* The job as it is now, without waiting: the result's state may be queued or running. CUZK_NOT_FOUND. */
cuzk_status cuzk_engine_result(cuzk_engine *engine, const char *job_id, cuzk_job_result *result, cuzk_error *error);

/* Ends a job as cancelled; its waiters are told before this returns, its running work stops as soon as it can. *was_running
 * (may be NULL): the job was unfinished. A job that has ended stays as it is. CUZK_NOT_FOUND. */
cuzk_status cuzk_engine_cancel(cuzk_engine *engine, const char *job_id, bool *was_running, cuzk_error *error);

/* ---- Parameters ---------------------------------------------------------------------------------------------------- */

typedef enum {
    CUZK_TIER_HOT,  /* mapped; in use, or used within eviction_min_idle: stays */
    CUZK_TIER_WARM, /* mapped; idle for longer: given up as soon as something needs the room */
    CUZK_TIER_COLD  /* on disk */
} cuzk_tier;

const char *cuzk_tier_name(cuzk_tier tier); /* "hot", "warm", "cold" */

/* Opens the parameters of a circuit and reads them into memory, waiting for room if need be. *already (may be NULL): they
 * were open. CUZK_NOT_FOUND: no such circuit; CUZK_FAILED_PRECONDITION: no usable file; CUZK_EXHAUSTED: never fits;
 * CUZK_CANCELLED: stop said so. */
cuzk_status cuzk_engine_preload(cuzk_engine *engine, const char *circuit_id, cuzk_poll stop, void *context, bool *already,
                                uint64_t *load_ms, cuzk_error *error);

/* Closes idle parameters. *was_loaded and *freed_bytes may be NULL. CUZK_NOT_FOUND: no such circuit;
 * CUZK_FAILED_PRECONDITION: in use, by as many partitions as the message says. Not loaded is CUZK_OK. */
cuzk_status cuzk_engine_evict(cuzk_engine *engine, const char *circuit_id, bool *was_loaded, uint64_t *freed_bytes,
                              cuzk_error *error);

/* One circuit that the engine knows, and whether it could be proved now. */
typedef struct {
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    uint64_t sector_size;
    bool provable;    /* its parameter file is there with a plausible size */
    bool development; /* marked as a development setup */
    uint64_t parameter_bytes; /* of the file */
    char reason[512]; /* why it is not provable, with the path looked for; empty if it is */
} cuzk_circuit;

/* All circuits, looked up on disk now. The array has *count elements; free() it. */
cuzk_circuit *cuzk_engine_circuits(cuzk_engine *engine, size_t *count);

/* ---- Memory for callers -------------------------------------------------------------------------------------------- */

/* Takes bytes of the budget for a request in transit (received, unpacked), waiting until they are there; timeout_ms 0: for
 * ever; stop may be NULL. CUZK_EXHAUSTED: more than the budget; CUZK_DEADLINE, CUZK_CANCELLED, CUZK_UNAVAILABLE. Give
 * back exactly what was taken. Do not call submit before taking what the request itself occupies, nor wait here while
 * holding another reservation. */
cuzk_status cuzk_engine_reserve(cuzk_engine *engine, uint64_t bytes, uint64_t timeout_ms, cuzk_poll stop, void *context,
                                cuzk_error *error);
void cuzk_engine_release(cuzk_engine *engine, uint64_t bytes);

/* Takes bytes of the budget until the engine stops, waiting until they are there: what needs them to fit is refused from now on.
 * stop may be NULL. Fails as cuzk_engine_reserve does. */
cuzk_status cuzk_engine_set_aside(cuzk_engine *engine, uint64_t bytes, cuzk_poll stop, void *context, cuzk_error *error);

/* ---- Seeing it work ------------------------------------------------------------------------------------------------ */

typedef enum {
    CUZK_PARTITION_PENDING,
    CUZK_PARTITION_SYNTHESIZING,
    CUZK_PARTITION_SYNTH_DONE,
    CUZK_PARTITION_PROVING, /* "gpu" on the status page */
    CUZK_PARTITION_DONE,
    CUZK_PARTITION_FAILED
} cuzk_partition_state;

/* "pending", "synthesizing", "synth_done", "gpu", "done", "failed": as status pages have it. */
const char *cuzk_partition_state_name(cuzk_partition_state state);

typedef struct {
    cuzk_partition_state state;
    uint64_t synth_ms, gpu_ms; /* of the finished stages; of the running one so far */
    unsigned attempts;         /* started so far; 2: being or been retried */
} cuzk_partition_status;

/* An unfinished job. */
typedef struct {
    char job_id[CUZK_JOB_ID_CAPACITY];
    char request_label[CUZK_REQUEST_LABEL_CAPACITY];
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    cuzk_priority priority; /* never unspecified */
    cuzk_job_state state;   /* queued or running */
    uint32_t queue_position;
    uint64_t submitted_ms_ago, started_ms_ago; /* started: 0 while queued */
    char waiting_for[160];                     /* why it does not proceed ("memory: needs ..., free ..."); may be empty */
    cuzk_job_times times;
    size_t partition_count, partitions_done;
    cuzk_partition_status *partitions; /* partition_count */
} cuzk_job_status;

/* An ended job, most recent first in its array. */
typedef struct {
    char job_id[CUZK_JOB_ID_CAPACITY];
    char request_label[CUZK_REQUEST_LABEL_CAPACITY];
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    cuzk_priority priority;
    cuzk_job_state state;
    size_t partition_count;
    uint64_t ended_ms_ago;
    cuzk_job_times times;
    char reason[256]; /* of a failure, cut */
} cuzk_ended_job;

typedef struct {
    unsigned worker_id;
    unsigned device; /* ordinal */
    bool busy;
    char job_id[CUZK_JOB_ID_CAPACITY]; /* while busy; of a batch its most urgent */
    cuzk_proof_kind kind;
    unsigned partition;
    unsigned batch_size; /* partitions in this pass */
    uint64_t busy_ms;    /* of this pass so far */
    uint64_t total_busy_ms; /* since the start, this pass included */
} cuzk_worker_status;

typedef struct {
    unsigned ordinal;
    char name[64];
    bool is_gpu;
    bool works; /* false once it has failed: it gets no work until the next start */
    uint64_t memory_total, memory_free; /* bytes; of the CPU: the budget */
} cuzk_device_status;

typedef struct {
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_tier tier;
    uint64_t bytes;          /* of the file */
    uint64_t budgeted_bytes; /* what it takes of the budget; 0 when cold */
    unsigned references;     /* partitions that hold it */
    uint64_t idle_ms;        /* since its last use; 0 in use, or when cold */
    bool evictable;
    bool development;
} cuzk_srs_status;

/* Owners of the budget. */
typedef enum {
    CUZK_MEMORY_PARAMETERS,
    CUZK_MEMORY_ASSIGNMENTS,
    CUZK_MEMORY_BUFFERS,  /* parsed requests, the provers' working memory, the circuits' shapes */
    CUZK_MEMORY_REQUESTS, /* in transit (cuzk_engine_reserve, set_aside), and queued ones when there is no journal */
    CUZK_MEMORY_OWNER_COUNT
} cuzk_memory_owner;

const char *cuzk_memory_owner_name(cuzk_memory_owner owner); /* "parameters", ... */

typedef struct {
    uint64_t total_bytes, used_bytes, available_bytes; /* the budget */
    uint64_t used_by_owner[CUZK_MEMORY_OWNER_COUNT];
    uint64_t peak_used_bytes;
    uint64_t resident_bytes; /* of the process, as the kernel counts */
    char limit_reason[160];  /* what the budget follows from ("memory.max of /sys/fs/cgroup/... less 5.0 GiB") */
} cuzk_memory_status;

/* One stretch of a worker's time on a partition. Stages: what the dashboard draws. */
typedef enum {
    CUZK_STAGE_PREPARE, /* the request is parsed, once for a job */
    CUZK_STAGE_SRS_LOAD,
    CUZK_STAGE_SYNTHESIS,
    CUZK_STAGE_PROVE,
    CUZK_STAGE_VERIFY,
    CUZK_STAGE_COUNT
} cuzk_stage;

const char *cuzk_stage_name(cuzk_stage stage); /* "prepare", "srs_load", "synthesis", "prove", "verify" */

typedef struct {
    uint64_t sequence; /* ascending by the stretch's start, from 1 */
    char job_id[CUZK_JOB_ID_CAPACITY];
    char circuit_id[CUZK_CIRCUIT_ID_CAPACITY];
    cuzk_proof_kind kind;
    cuzk_priority priority;
    unsigned partition, attempt; /* attempt from 1 */
    cuzk_stage stage;
    unsigned worker;  /* provers count from 0; synthesis workers likewise, apart */
    const char *device; /* of CUZK_STAGE_PROVE: the name of the prover's device, until the engine stops; else NULL */
    uint64_t start_ns, end_ns; /* end_ns 0: still running */
    bool failed;
} cuzk_span;

typedef struct {
    uint64_t uptime_ms;
    uint64_t now_ns;          /* on the timeline's clock */
    int64_t started_unix_ms;  /* timeline zero, milliseconds since 1970 */
    bool draining;
    unsigned synthesis_max_concurrent, synthesis_active;
    cuzk_memory_status memory;
    size_t job_count, ended_count, worker_count, device_count, srs_count;
    cuzk_job_status *jobs;      /* unfinished, in the order in which they go */
    cuzk_ended_job *ended;      /* at most 100 */
    cuzk_worker_status *workers; /* provers */
    cuzk_device_status *devices;
    cuzk_srs_status *srs; /* circuits whose parameters are on disk or open */
    uint64_t completed[CUZK_PROOF_KIND_COUNT], failed[CUZK_PROOF_KIND_COUNT], cancelled[CUZK_PROOF_KIND_COUNT];
    uint64_t total_completed, total_failed; /* jobs, since the start; cancelled ones are in neither */
    uint32_t pending[CUZK_PROOF_KIND_COUNT], in_progress[CUZK_PROOF_KIND_COUNT]; /* jobs now */
    uint32_t queue_depth; /* jobs queued, not yet started */
    bool journal;         /* there is one */
    char journal_problem[256]; /* the last failure to write it, if not yet cured; else empty */
} cuzk_engine_status;

/* A consistent picture of one moment. Free with cuzk_engine_status_free. */
void cuzk_engine_status_get(cuzk_engine *engine, cuzk_engine_status *status);
void cuzk_engine_status_free(cuzk_engine_status *status);

/* The stretches with sequence > after, ascending, the running ones included; the engine remembers the last 8192 ended ones.
 * The array has *count elements; free() it. */
cuzk_span *cuzk_engine_timeline(cuzk_engine *engine, uint64_t after, size_t *count);

/* Upper bounds in seconds of the histograms' buckets; the last bucket takes the rest. */
enum { CUZK_HISTOGRAM_BUCKETS = 17 };
extern const double CUZK_HISTOGRAM_BOUNDS[CUZK_HISTOGRAM_BUCKETS - 1];

typedef struct {
    uint64_t counts[CUZK_HISTOGRAM_BUCKETS]; /* of each bucket by itself, not cumulative */
    uint64_t count;
    double sum; /* seconds */
} cuzk_histogram;

typedef enum {
    CUZK_LATENCY_QUEUE_WAIT,
    CUZK_LATENCY_SRS_LOAD,
    CUZK_LATENCY_SYNTHESIS,
    CUZK_LATENCY_COMPUTE,
    CUZK_LATENCY_TOTAL,
    CUZK_LATENCY_COUNT
} cuzk_latency;

const char *cuzk_latency_name(cuzk_latency latency); /* "queue_wait", "srs_load", "synthesis", "compute", "total" */

/* Counters since the start, and gauges. */
typedef struct {
    uint64_t submitted;    /* accepted, without repetitions */
    uint64_t repeated;     /* submissions that met their existing job */
    uint64_t refused[16];  /* indexed by cuzk_status */
    uint64_t resumed;      /* unfinished jobs found in the journal */
    uint64_t completed[CUZK_PROOF_KIND_COUNT], failed[CUZK_PROOF_KIND_COUNT], cancelled[CUZK_PROOF_KIND_COUNT];
    uint64_t partitions_proved[CUZK_PROOF_KIND_COUNT];
    uint64_t partition_failures[CUZK_STAGE_COUNT]; /* attempts that failed, by stage */
    uint64_t partition_retries;
    uint64_t passes, pass_partitions; /* passes over parameters, and the partitions proved in them */
    uint64_t srs_loads, srs_evictions;
    uint64_t journal_commits, journal_failures;
    double journal_seconds; /* spent committing */
    double synthesis_busy_seconds, prover_busy_seconds; /* sums over workers */
    cuzk_histogram latency[CUZK_PROOF_KIND_COUNT][CUZK_LATENCY_COUNT]; /* of ended jobs */
    uint32_t jobs_queued, jobs_running;
    uint64_t budget_bytes, used_by_owner[CUZK_MEMORY_OWNER_COUNT], resident_bytes, peak_resident_bytes;
    uint64_t journal_bytes; /* inputs of unfinished jobs on disk */
} cuzk_engine_metrics;

void cuzk_engine_metrics_get(cuzk_engine *engine, cuzk_engine_metrics *metrics);

#endif
