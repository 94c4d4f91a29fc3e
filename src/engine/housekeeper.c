/* What happens by the clock: deadlines, retention, the journal's upkeep, changed parameter files, the host's memory. */
#include <malloc.h>
#include <string.h>

#include "base/log.h"
#include "engine/job.h"
#include "engine/srs_manager.h"
#include "engine/system_limits.h"

static const int64_t TICK_NS = 250000000, UPKEEP_NS = 1000000000;

/* A job whose time is up, or NULL; *next_ns: lowered to the next deadline. */
static job *find_overdue(cuzk_engine *engine, int64_t now, int64_t *next_ns) {
    for (size_t i = 0; i < engine->active_count; i++) {
        job *j = engine->active[i];
        if (j->phase == JOB_ENDING)
            continue;
        if (j->deadline_ns <= now)
            return j;
        if (j->deadline_ns < *next_ns)
            *next_ns = j->deadline_ns;
    }
    return NULL;
}

static void end_overdue(cuzk_engine *engine, int64_t *next_ns) {
    for (job *j = find_overdue(engine, engine_now(engine), next_ns); j; j = find_overdue(engine, engine_now(engine), next_ns)) {
        cuzk_error error = {0};
        failure(&error, CUZK_DEADLINE, "its deadline passed %s, with %u of %u partitions done",
                j->started_ns == INT64_MIN ? "before it was started" : "while it ran", j->done, j->description.partitions);
        job_end_locked(engine, j, CUZK_JOB_FAILED, &error);
    }
}

/* Tells the workers when there is room again. */
static void look_at_host(cuzk_engine *engine) {
    engine_unlock(engine);
    uint64_t ceiling = system_memory_ceiling(engine->limits_root);
    engine_lock(engine);
    bool more = ceiling > engine->budget.ceiling;
    engine->budget.ceiling = ceiling;
    if (more) {
        pthread_cond_broadcast(&engine->work);
        pthread_cond_broadcast(&engine->changed);
    }
}

/* Is a job, with `newer` ones that ended later, to be forgotten? */
static bool is_outlived(const cuzk_engine *engine, const job *j, size_t newer) {
    const cuzk_engine_options *o = &engine->options;
    return newer >= o->retention_jobs || (uint64_t)(engine_now(engine) - j->ended_ns) / 1000000 >= o->retention_ms;
}

enum { FORGOTTEN_AT_ONCE = 256 };

/* The oldest ones that are to go; nobody else forgets jobs, so they stay where they are meanwhile. One that was cancelled may
 * still have a worker at a partition of its. */
static size_t find_outlived(const cuzk_engine *engine, job *found[FORGOTTEN_AT_ONCE]) {
    size_t count = 0;
    for (job *j = engine->oldest_ended; j && count < FORGOTTEN_AT_ONCE; j = j->newer) {
        if (j->unsaved || j->workers > 0 || !is_outlived(engine, j, engine->ended_count - 1 - count))
            break;
        found[count++] = j;
    }
    return count;
}

static bool forget_in_journal(cuzk_engine *engine, job *const *jobs, size_t count) {
    char ids[FORGOTTEN_AT_ONCE][CUZK_JOB_ID_CAPACITY];
    if (!engine->journal)
        return true;
    for (size_t i = 0; i < count; i++)
        memcpy(ids[i], jobs[i]->id, sizeof ids[i]);
    engine_unlock(engine);
    cuzk_status status = journal_forget(engine->journal, (const char (*)[CUZK_JOB_ID_CAPACITY])ids, count, NULL);
    engine_lock(engine);
    return status == CUZK_OK; /* otherwise it is tried again at the next tick */
}

/* As many as there are now: those that end meanwhile have time until the next tick. */
static void forget_outlived(cuzk_engine *engine) {
    job *jobs[FORGOTTEN_AT_ONCE];
    size_t count = FORGOTTEN_AT_ONCE;
    while (count == FORGOTTEN_AT_ONCE) {
        count = find_outlived(engine, jobs);
        if (count == 0 || !forget_in_journal(engine, jobs, count))
            return;
        for (size_t i = 0; i < count; i++)
            job_forget(engine, jobs[i]);
    }
}

static job *find_unsaved(const cuzk_engine *engine) {
    for (job *j = engine->newest_ended; j; j = j->older)
        if (j->unsaved)
            return j;
    return NULL;
}

/* Outcomes that the journal could not take when they came about. */
static void save_unsaved(cuzk_engine *engine) {
    while (engine->unsaved_count > 0) {
        job *j = find_unsaved(engine);
        if (job_record_outcome(engine, j, NULL) != CUZK_OK)
            return;
        j->unsaved = false;
        engine->unsaved_count--;
    }
}

static void keep_journal(cuzk_engine *engine) {
    if (!engine->journal)
        return;
    save_unsaved(engine);
    engine_unlock(engine);
    cuzk_error error = {0};
    cuzk_status status = journal_tidy(engine->journal, &error);
    engine_lock(engine);
    if (status != CUZK_OK)
        log_warn("%s", error.message);
    else if (engine->unsaved_count == 0)
        engine->journal_problem[0] = 0;
}

/* Threads come and go with small objects of each other's, which leaves glibc's arenas full of holes: give the pages back
 * when jobs have ended since the last time, so that a busy daemon stays as small as a fresh one. */
static void trim_heap(cuzk_engine *engine, uint64_t *ended_before) {
    uint64_t ended = engine->metrics.submitted - engine->active_count;
    if (ended == *ended_before)
        return;
    *ended_before = ended;
    engine_unlock(engine);
    malloc_trim(0);
    engine_lock(engine);
}

void *housekeeper_main(void *context) {
    cuzk_engine *engine = context;
    int64_t next_tick = INT64_MIN, next_upkeep = INT64_MIN;
    uint64_t ended = 0;
    engine_lock(engine);
    while (!engine->stopping) {
        int64_t now = engine_now(engine), wake = next_tick;
        if (now >= next_tick || engine->ended_count >= (size_t)engine->options.retention_jobs + FORGOTTEN_AT_ONCE)
            forget_outlived(engine);
        if (now >= next_tick) {
            look_at_host(engine);
            wake = next_tick = now + TICK_NS;
        }
        if (now >= next_upkeep) {
            keep_journal(engine);
            srs_look_at_files(engine);
            trim_heap(engine, &ended);
            next_upkeep = now + UPKEEP_NS;
        }
        end_overdue(engine, &wake);
        if (!engine->stopping)
            engine_wait(engine, &engine->work, wake);
    }
    engine_unlock(engine);
    return NULL;
}
