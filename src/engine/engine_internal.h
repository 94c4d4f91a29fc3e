/* The engine's state, shared by the files of this room.
 *
 * Threads: synthesis workers (one more than synthesis_concurrency: the last takes CRITICAL jobs only, so that a WinningPoSt
 * never waits behind a long synthesis), prover workers, one finisher (verifies, records, ends jobs) and one housekeeper
 * (deadlines, retention, the journal's upkeep, what the host has left). A partition's way:
 *
 *   PENDING -> SYNTHESIZING -> READY -> PROVING -> VERIFYING -> DONE
 *      ^------------- once, after a failure -----------|
 *
 * One mutex guards everything below that is not constant after start. It is never held while work is done: whoever runs a
 * partition owns its assignment and progress meanwhile, and the job cannot go away while job->workers counts it. Functions
 * whose names end in _locked, and all of schedule.h, srs_manager.h and job.h, want the mutex held; those that let go of it
 * in between say so. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include <pthread.h>

#include "base/memory.h"
#include "base/progress.h"
#include "engine/budget.h"
#include "engine/journal.h"
#include "engine/proving_backend.h"
#include "engine/request_codec.h"

typedef struct job job;
typedef struct partition partition;

typedef enum {
    PARTITION_PENDING,
    PARTITION_SYNTHESIZING,
    PARTITION_READY,
    PARTITION_PROVING,
    PARTITION_VERIFYING,
    PARTITION_DONE
} partition_state;

struct partition {
    job *job;
    unsigned index;
    partition_state state;
    unsigned attempts;
    int failed_device;      /* ordinal of the device whose proof failed; -1: none */
    int64_t stage_began_ns; /* of the running stage */
    int64_t ready_ns;       /* when it became READY */
    int64_t synthesis_ns, compute_ns; /* of finished stages, all attempts */
    progress progress;      /* of the running stage; carries the cancellation */
    void *assignment;       /* while READY; else with the worker */
    uint64_t assignment_reserved, proving_reserved; /* of the budget */
    bool holds_parameters;  /* counted in its srs_entry's references */
    uint8_t proof[PARTITION_PROOF_BYTES]; /* VERIFYING and DONE */
    partition *next_to_verify;
};

typedef enum {
    JOB_ACCEPTING, /* being checked and journaled by the submitting thread; not yet in engine->active */
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_ENDING, /* its outcome is settled and being journaled */
    JOB_ENDED
} job_phase;

struct job {
    char id[CUZK_JOB_ID_CAPACITY];
    char label[CUZK_REQUEST_LABEL_CAPACITY];
    uint8_t digest[REQUEST_DIGEST_BYTES];
    unsigned attempt; /* of this request: the number at the id's end */
    cuzk_proof_kind kind;
    cuzk_priority priority; /* never unspecified */
    request_description description;
    uint64_t request_bytes;
    uint64_t sequence; /* order of acceptance */

    job_phase phase;
    cuzk_job_state outcome; /* from JOB_ENDING on */
    cuzk_error *failure;    /* owned; of a failed or cancelled job */
    uint8_t *proof;         /* owned; of a completed job */
    bool development;       /* proved with development parameters */

    int64_t submitted_ns, started_ns, ended_ns; /* started_ns, ended_ns: INT64_MIN until then */
    int64_t submitted_unix_ms;
    int64_t deadline_ns;                        /* INT64_MAX: none */
    int64_t srs_load_ns, synthesis_ns, compute_ns;

    partition *partitions; /* NULL once stripped */
    unsigned done;
    unsigned workers; /* threads that work on one of its partitions */
    void *prepared;   /* the parsed request, made by the first partition that needs it */
    bool preparing;
    uint64_t prepared_reserved;
    big_buffer request; /* its encoding, when there is no journal */
    size_t request_length;
    uint64_t request_reserved;

    bool fair;            /* has been given a turn out of order (schedule.h) */
    unsigned winning_ahead; /* WinningPoSt partitions that went before that turn */
    int64_t overtaken_ns; /* since when later jobs go before it; 0: they do not */
    int64_t blocked_ns;   /* since when it waits for memory; 0: it does not */
    char waiting_for[160];
    uint64_t tried;       /* the scheduler's mark */

    bool unsaved; /* ended, but the journal could not take it yet */
    unsigned references; /* calls that wait for it or hold it */
    bool forgotten;      /* out of the tables; freed with the last reference */
    pthread_cond_t ended;
    job *next_by_id, *next_by_digest;
    job *newer, *older; /* among ended jobs */
};

typedef enum { SRS_COLD, SRS_LOADING, SRS_LOADED, SRS_CLOSING } srs_state;

/* Parameters of one circuit. */
typedef struct {
    srs_state state;
    bool stale;          /* the file has changed: to be closed when the last reference goes, and opened anew */
    unsigned references; /* partitions and preloads that hold it */
    unsigned looks;      /* checks in progress that need it to stay open */
    void *parameters;
    parameters_info info; /* as last looked up or opened */
    uint64_t reserved;
    int64_t last_used_ns;
} srs_entry;

typedef struct {
    cuzk_engine *engine;
    pthread_t thread;
    unsigned number;
    const backend_device *device; /* of a prover */
    bool busy;
    int64_t busy_since_ns, busy_ns; /* busy_ns: of finished work */
    char job_id[CUZK_JOB_ID_CAPACITY];
    cuzk_proof_kind kind;
    unsigned partition, batch_size;
} worker;

enum { JOB_BUCKETS = 1 << 14, TIMELINE_CAPACITY = 8192, BATCH_MAXIMUM = 64 };

struct cuzk_engine {
    /* Constant after start. */
    cuzk_engine_options options; /* strings are owned */
    proving_backend *backend;
    journal *journal; /* NULL: none */
    char *limits_root;
    char limit_reason[BUDGET_REASON_CAPACITY];
    int64_t origin_ns; /* monotonic */
    int64_t started_unix_ms;
    unsigned processors;
    worker *synthesizers, *provers;
    size_t synthesizer_count, prover_count;
    pthread_t finisher, housekeeper;

    pthread_mutex_t mutex;
    pthread_cond_t work;    /* something may have become runnable: for workers, finisher, housekeeper */
    pthread_cond_t changed; /* anything else that calls wait for */
    progress preloading; /* cancelled when stopping */
    bool draining, stopping;
    bool workers_gone; /* synthesizers and provers have ended: the finisher may */

    memory_budget budget;
    uint64_t kept_bytes;      /* budgeted for what the backend keeps */
    uint64_t set_aside_bytes; /* budgeted for the caller's own use */
    uint64_t queued_request_bytes;  /* budgeted, of unfinished jobs without a journal */
    uint64_t journal_request_bytes; /* of unfinished jobs on disk */
    srs_entry *srs; /* one for each of the backend's circuits */

    job **active; /* unfinished, in order of acceptance */
    size_t active_count, active_capacity;
    size_t accepting;  /* submissions between check and acceptance */
    size_t preparing;  /* submissions that parse */
    uint64_t next_sequence;
    job *by_id[JOB_BUCKETS], *by_digest[JOB_BUCKETS];
    job *newest_ended, *oldest_ended;
    size_t ended_count, unsaved_count;

    partition *verify_first, *verify_last;
    size_t verifying;

    int64_t last_fair_ns;  /* when the last turn out of order was taken */
    bool fair_was_last;    /* no other turn since then */
    size_t last_circuit;   /* of the job started last */
    uint64_t tried;

    cuzk_span *timeline; /* ring of TIMELINE_CAPACITY by sequence */
    uint64_t timeline_sequence;
    cuzk_engine_metrics metrics;
    char journal_problem[256];
};

/* ---- engine.c ------------------------------------------------------------------------------------------------------ */

static inline void engine_lock(cuzk_engine *engine) { pthread_mutex_lock(&engine->mutex); }
static inline void engine_unlock(cuzk_engine *engine) { pthread_mutex_unlock(&engine->mutex); }

/* Nanoseconds since the engine's start. */
int64_t engine_now(const cuzk_engine *engine);
int64_t unix_now_ms(void);

/* Waits for a condition until it is signalled or engine time reaches until_ns (INT64_MAX: no limit). */
void engine_wait(cuzk_engine *engine, pthread_cond_t *condition, int64_t until_ns);

/* Waits for `changed` at most 100 ms, then asks stop (may be NULL) without the mutex, and looks at the time: CUZK_OK to look
 * again, CUZK_CANCELLED, CUZK_DEADLINE (engine time reached until_ns), CUZK_UNAVAILABLE (stopping). */
cuzk_status engine_wait_for_caller(cuzk_engine *engine, pthread_cond_t *condition, int64_t until_ns, cuzk_poll stop, void *context,
                                   cuzk_error *error);

/* What of the budget no job gets, and what is left of it. */
static inline uint64_t engine_lasting_bytes(const cuzk_engine *engine) { return engine->kept_bytes + engine->set_aside_bytes; }
static inline uint64_t engine_budget_for_jobs(const cuzk_engine *engine) {
    uint64_t lasting = engine_lasting_bytes(engine);
    return engine->budget.total > lasting ? engine->budget.total - lasting : 0;
}

/* Budgets what the backend has come to keep. */
void engine_count_kept_locked(cuzk_engine *engine);

/* Engine time `ms` milliseconds from now; INT64_MAX for 0 or when it overflows. */
int64_t engine_time_after(const cuzk_engine *engine, uint64_t ms);

/* ---- workers.c, finisher.c, housekeeper.c: thread functions, and what they share --------------------------------------- */

void *synthesizer_main(void *synthesizer);
void *prover_main(void *prover);
void *finisher_main(void *engine);
void *housekeeper_main(void *engine);

/* Settles a job's outcome: stops its work, tells the journal, then everyone. failure is NULL for a completed job. Lets go
 * of the mutex in between. The job is queued or running. */
void job_end_locked(cuzk_engine *engine, job *j, cuzk_job_state outcome, const cuzk_error *failure);

/* A partition's attempt failed in a stage: it is pending again, or its job fails. What it held has been let go. May let go of
 * the mutex. */
void partition_failed_locked(cuzk_engine *engine, partition *p, cuzk_stage stage, const cuzk_error *error);

/* Times of a job do not change any more once its outcome is settled. */
static inline void partition_add_compute_time(partition *p, int64_t ns) {
    p->compute_ns += ns;
    if (p->job->phase == JOB_RUNNING)
        p->job->compute_ns += ns;
}

/* Gives back what a partition holds of budget and parameters. */
void partition_let_go_locked(cuzk_engine *engine, partition *p);

/* The calling worker no longer works on the job; frees what an ended job does not need. May let go of the mutex. */
void job_leave_locked(cuzk_engine *engine, job *j);

/* Frees what an ended job does not need any more. Lets go of the mutex in between. */
void job_strip_locked(cuzk_engine *engine, job *j);

/* Writes an ending job's outcome to the journal, if there is one. Lets go of the mutex in between. */
cuzk_status job_record_outcome(cuzk_engine *engine, const job *j, cuzk_error *error);

/* ---- timeline.c ---------------------------------------------------------------------------------------------------- */

/* The empty ring. */
cuzk_span *timeline_create(void);

/* Notes that a stage of a partition begins; returns the stretch's sequence. device may be NULL. */
uint64_t timeline_begin_locked(cuzk_engine *engine, const partition *p, cuzk_stage stage, unsigned worker_number,
                               const backend_device *device);
/* Notes its end. Logs it when timing is on. */
void timeline_end_locked(cuzk_engine *engine, uint64_t sequence, bool failed);

/* Logs what the phases of a partition's proof took, those of its batch that are not its own with the first. Needs no mutex. */
void timeline_log_phases(const worker *w, const partition *p, const prove_profile *profile);

/* Counts an ended job. */
void metrics_count_ended_locked(cuzk_engine *engine, const job *j);

#endif
