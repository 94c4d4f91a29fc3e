#include "engine/schedule.h"

#include <stdio.h>

#include "engine/job.h"
#include "engine/srs_manager.h"

/* WinningPoSt partitions that go before a job whose turn it would be out of order: a proving machine has few of them, and a block
 * is lost if one waits. */
enum { WINNING_AHEAD_MAXIMUM = 8 };

/* How many of the most urgent jobs are looked at when those before them do not fit. */
enum { LOOK_AT_MOST = 16 };

/* Between the steps is room for turns given out of order. */
enum { RANK_FAIR_LATE = 0, RANK_WINNING = 1, RANK_FAIR = 2, RANK_CRITICAL = 3, RANK_HIGH = 4, RANK_NORMAL = 5, RANK_LOW = 6 };

/* ---- Order --------------------------------------------------------------------------------------------------------- */

static int64_t starvation_limit(const cuzk_engine *engine) { return (int64_t)engine->options.starvation_limit_ms * 1000000; }

static int rank_of_priority(const job *j) {
    switch (j->priority) {
    case CUZK_PRIORITY_CRITICAL: return j->kind == CUZK_WINNING_POST ? RANK_WINNING : RANK_CRITICAL;
    case CUZK_PRIORITY_HIGH: return RANK_HIGH;
    case CUZK_PRIORITY_LOW: return RANK_LOW;
    case CUZK_PRIORITY_NORMAL:
    case CUZK_PRIORITY_UNSPECIFIED: break;
    }
    return RANK_NORMAL;
}

int schedule_rank(const job *j) {
    int rank = rank_of_priority(j);
    if (!j->fair || rank == RANK_WINNING)
        return rank;
    return j->winning_ahead >= WINNING_AHEAD_MAXIMUM ? RANK_FAIR_LATE : RANK_FAIR;
}

bool schedule_before(const cuzk_engine *engine, const job *a, const job *b) {
    int rank_a = schedule_rank(a), rank_b = schedule_rank(b);
    if (rank_a != rank_b)
        return rank_a < rank_b;
    bool started_a = a->started_ns != INT64_MIN, started_b = b->started_ns != INT64_MIN;
    if (started_a != started_b)
        return started_a;
    bool same_a = a->description.circuit == engine->last_circuit, same_b = b->description.circuit == engine->last_circuit;
    if (engine->options.sort_by_type && !started_a && same_a != same_b)
        return same_a;
    return a->sequence < b->sequence;
}

uint32_t schedule_position(const cuzk_engine *engine, const job *j) {
    uint32_t position = 0;
    for (size_t i = 0; i < engine->active_count; i++)
        if (engine->active[i] != j && engine->active[i]->phase != JOB_ENDING && schedule_before(engine, engine->active[i], j))
            position++;
    return position;
}

static partition *first_in_state(const job *j, partition_state state) {
    for (unsigned i = 0; i < j->description.partitions; i++)
        if (j->partitions[i].state == state)
            return &j->partitions[i];
    return NULL;
}

static unsigned count_in_state(const job *j, partition_state state) {
    unsigned count = 0;
    for (unsigned i = 0; i < j->description.partitions; i++)
        count += j->partitions[i].state == state;
    return count;
}

static bool is_live(const job *j) { return j->phase == JOB_QUEUED || j->phase == JOB_RUNNING; }

/* Gives a turn out of order to the job accepted first among those overtaken for too long. Where proofs take longer than the
 * limit, every other turn at most is one. */
static void give_fair_turn(cuzk_engine *engine) {
    int64_t now = engine_now(engine), limit = starvation_limit(engine);
    if (engine->fair_was_last || (engine->last_fair_ns != INT64_MIN && now - engine->last_fair_ns < limit))
        return;
    for (size_t i = 0; i < engine->active_count; i++)
        if (engine->active[i]->fair)
            return;
    for (size_t i = 0; i < engine->active_count; i++) {
        job *j = engine->active[i];
        if (is_live(j) && j->overtaken_ns != 0 && now - j->overtaken_ns >= limit) {
            j->fair = true;
            j->winning_ahead = 0;
            return;
        }
    }
}

/* One of `chosen`'s partitions goes: earlier jobs that wanted the place have been overtaken. */
static void note_overtaken(cuzk_engine *engine, const job *chosen, partition_state wanting) {
    int64_t now = engine_now(engine);
    for (size_t i = 0; i < engine->active_count && engine->active[i]->sequence < chosen->sequence; i++) {
        job *j = engine->active[i];
        if (is_live(j) && j->overtaken_ns == 0 && first_in_state(j, wanting))
            j->overtaken_ns = now ? now : 1;
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

/* Working memory that provers hold now, and the most that a partition on its way will want. */
static void proving_memory(const cuzk_engine *engine, uint64_t *held, uint64_t *wanted) {
    *held = *wanted = 0;
    for (size_t i = 0; i < engine->active_count; i++) {
        const job *j = engine->active[i];
        for (unsigned k = 0; j->started_ns != INT64_MIN && k < j->description.partitions; k++) {
            const partition *p = &j->partitions[k];
            *held += p->proving_reserved;
            if ((p->state == PARTITION_SYNTHESIZING || p->state == PARTITION_READY) && j->description.proving_bytes > *wanted)
                *wanted = j->description.proving_bytes;
        }
    }
}

uint64_t schedule_headroom(const cuzk_engine *engine) {
    uint64_t held, wanted;
    proving_memory(engine, &held, &wanted);
    return wanted > held ? wanted - held : 0;
}

/* What parsing a request takes: the result, and its bytes, which are in memory already where there is no journal. */
static uint64_t parsing_bytes(const cuzk_engine *engine, const job *j) {
    return j->description.prepared_bytes + (engine->journal ? j->request_bytes : 0);
}

bool schedule_nothing_runs(const cuzk_engine *engine) {
    for (size_t i = 0; i < engine->active_count; i++)
        if (engine->active[i]->workers > 0 || first_in_state(engine->active[i], PARTITION_READY))
            return false;
    return true;
}

typedef enum { FITS, WAITS, LOOK_AGAIN, NEVER_FITS } fit;

/* Decides whether a job's next partition may start, making room if it must; *parameters: what opening its parameters takes.
 * NEVER_FITS sets error: the budget was larger when the job was accepted. */
static fit try_to_fit(cuzk_engine *engine, job *j, uint64_t *parameters, int64_t *wake_ns, cuzk_error *error) {
    srs_entry *entry = &engine->srs[j->description.circuit];
    if (entry->state == SRS_LOADING || entry->state == SRS_CLOSING || (entry->stale && entry->references > 0)) {
        snprintf(j->waiting_for, sizeof j->waiting_for, "its parameters, which are being opened");
        return WAITS;
    }
    if (entry->state == SRS_LOADED && entry->stale) {
        srs_close(engine, entry);
        return LOOK_AGAIN;
    }
    uint64_t held, wanted, room, limit = budget_limit(&engine->budget);
    proving_memory(engine, &held, &wanted);
    if (j->description.proving_bytes > wanted)
        wanted = j->description.proving_bytes;
    /* Provers give what they hold back by themselves, so it counts as there for those on their way. */
    uint64_t headroom = wanted > held ? wanted - held : 0;
    uint64_t base = j->description.assignment_bytes + (j->prepared ? 0 : parsing_bytes(engine, j)) + headroom;
    room = budget_free(&engine->budget);
    *parameters = entry->state == SRS_LOADED ? 0 : srs_opening_bytes(entry, room > base ? room - base : 0);
    if (base + *parameters <= room)
        return FITS;
    bool urgent = schedule_rank(j) <= RANK_CRITICAL || schedule_nothing_runs(engine);
    uint64_t whole = entry->state == SRS_LOADED ? 0 : entry->info.file_bytes;
    if ((base + whole <= limit && srs_make_room(engine, base + whole, entry, urgent, wake_ns)) ||
        srs_make_room(engine, base + *parameters, entry, urgent, wake_ns))
        return LOOK_AGAIN;
    /* Its own parameters may take too much because they were opened whole: then they are opened anew to be streamed. */
    bool shrinkable = entry->state == SRS_LOADED && entry->reserved > entry->info.streaming_bytes;
    if (shrinkable && srs_make_room(engine, base + entry->info.streaming_bytes, NULL, urgent, wake_ns))
        return LOOK_AGAIN;
    char need[BYTE_TEXT_CAPACITY], left[BYTE_TEXT_CAPACITY], all[BYTE_TEXT_CAPACITY];
    snprintf(j->waiting_for, sizeof j->waiting_for, "memory: needs %s, free are %s of %s", byte_text(need, base + *parameters),
             byte_text(left, room), byte_text(all, limit));
    return schedule_nothing_runs(engine) && schedule_fits_alone(engine, j, error) != CUZK_OK ? NEVER_FITS : WAITS;
}

cuzk_status schedule_fits_alone(const cuzk_engine *engine, const job *j, cuzk_error *error) {
    const request_description *d = &j->description;
    const srs_entry *entry = &engine->srs[d->circuit];
    uint64_t streaming = entry->info.streaming_bytes;
    uint64_t request = d->prepared_bytes + j->request_bytes;
    uint64_t need = request + d->assignment_bytes + d->proving_bytes + streaming;
    if (need <= engine_budget_for_jobs(engine))
        return CUZK_OK;
    char texts[7][BYTE_TEXT_CAPACITY];
    return failure(error, CUZK_EXHAUSTED,
                   "memory: %s needs %s (assignment %s, proving %s, parameters %s, request %s) beside %s for uploads and circuits, "
                   "the budget is %s: %s",
                   job_circuit_id(engine, j), byte_text(texts[0], need), byte_text(texts[1], d->assignment_bytes),
                   byte_text(texts[2], d->proving_bytes), byte_text(texts[3], streaming), byte_text(texts[4], request),
                   byte_text(texts[5], engine_lasting_bytes(engine)), byte_text(texts[6], engine->budget.total),
                   engine->limit_reason);
}

/* ---- Synthesis ----------------------------------------------------------------------------------------------------- */

/* How willingly a device takes a partition whose proof failed on device failed_device (-1: on none). */
typedef enum { DEVICE_LOST, DEVICE_AS_LAST, DEVICE_STANDS_IN, DEVICE_WILLING } willingness;

static willingness willingness_of(const cuzk_engine *engine, const backend_device *device, int failed_device) {
    proving_backend *backend = engine->backend;
    if (backend->device_works && !backend->device_works(backend, device->ordinal))
        return DEVICE_LOST;
    if (failed_device == (int)device->ordinal)
        return DEVICE_AS_LAST;
    return device->stands_in ? DEVICE_STANDS_IN : DEVICE_WILLING;
}

/* No other device takes it more willingly. */
static bool device_may_prove(const cuzk_engine *engine, const backend_device *device, int failed_device) {
    willingness own = willingness_of(engine, device, failed_device);
    for (size_t i = 0; i < engine->backend->device_count; i++)
        if (willingness_of(engine, &engine->backend->devices[i], failed_device) > own)
            return false;
    return own != DEVICE_LOST;
}

/* Those that would take a partition that is new to them. */
static unsigned idle_provers(const cuzk_engine *engine) {
    unsigned idle = 0;
    for (size_t i = 0; i < engine->prover_count; i++)
        idle += !engine->provers[i].busy && device_may_prove(engine, engine->provers[i].device, -1);
    return idle;
}

static bool any_prover_busy(const cuzk_engine *engine) {
    for (size_t i = 0; i < engine->prover_count; i++)
        if (engine->provers[i].busy)
            return true;
    return false;
}

static unsigned busy_synthesizers(const cuzk_engine *engine) {
    unsigned busy = 0;
    for (size_t i = 0; i < engine->synthesizer_count; i++)
        busy += engine->synthesizers[i].busy;
    return busy;
}

/* May one more partition of this rank be handed over to the provers? */
static bool hand_over_allows(const cuzk_engine *engine, int rank) {
    const cuzk_engine_options *o = &engine->options;
    unsigned on_the_way = 0, ready = 0, proving = 0;
    for (size_t i = 0; i < engine->active_count; i++) {
        const job *j = engine->active[i];
        if (j->started_ns == INT64_MIN)
            continue;
        proving += count_in_state(j, PARTITION_PROVING);
        if (o->pipeline_enabled && schedule_rank(j) > rank)
            continue;
        ready += count_in_state(j, PARTITION_READY);
        on_the_way += count_in_state(j, PARTITION_SYNTHESIZING);
    }
    on_the_way += ready;
    if (!o->pipeline_enabled)
        return on_the_way == 0 && proving == 0;
    unsigned limit = o->synthesis_lookahead + o->synthesis_concurrency - 1 + idle_provers(engine);
    if (o->max_batch_size > 1 && limit < o->max_batch_size)
        limit = o->max_batch_size;
    return on_the_way < limit && (o->max_prover_queue_depth == 0 || ready < o->max_prover_queue_depth);
}

static bool wants_synthesis(const job *j) {
    return is_live(j) && !j->preparing && first_in_state(j, PARTITION_PENDING);
}

/* The most urgent job that wants synthesis and has not been tried in this round. */
static job *next_candidate(cuzk_engine *engine, bool express) {
    job *best = NULL;
    for (size_t i = 0; i < engine->active_count; i++) {
        job *j = engine->active[i];
        if (j->tried == engine->tried || (express && j->priority != CUZK_PRIORITY_CRITICAL) || !wants_synthesis(j))
            continue;
        if (!best || schedule_before(engine, j, best))
            best = j;
    }
    return best;
}

static void start_job(cuzk_engine *engine, job *j) {
    if (j->phase == JOB_RUNNING)
        return;
    j->phase = JOB_RUNNING;
    j->started_ns = engine_now(engine);
    engine->last_circuit = j->description.circuit;
}

/* Takes what a partition needs. */
static partition *start_partition(cuzk_engine *engine, job *j, uint64_t parameters, bool *must_open) {
    srs_entry *entry = &engine->srs[j->description.circuit];
    partition *p = first_in_state(j, PARTITION_PENDING);
    note_overtaken(engine, j, PARTITION_PENDING);
    start_job(engine, j);
    *must_open = entry->state == SRS_COLD;
    if (*must_open) {
        entry->state = SRS_LOADING;
        entry->reserved = parameters;
        budget_take(&engine->budget, CUZK_MEMORY_PARAMETERS, parameters);
    }
    entry->references++;
    p->holds_parameters = true;
    if (!j->prepared) {
        j->preparing = true;
        j->prepared_reserved = parsing_bytes(engine, j);
        budget_take(&engine->budget, CUZK_MEMORY_BUFFERS, j->prepared_reserved);
    }
    p->assignment_reserved = j->description.assignment_bytes;
    budget_take(&engine->budget, CUZK_MEMORY_ASSIGNMENTS, p->assignment_reserved);
    p->state = PARTITION_SYNTHESIZING;
    p->attempts++;
    j->workers++;
    j->blocked_ns = 0;
    j->waiting_for[0] = 0;
    return p;
}

/* Notes that a job waits for memory; true if nothing new may pass it any more. */
static bool is_blocked_too_long(cuzk_engine *engine, job *j) {
    int64_t now = engine_now(engine);
    if (j->blocked_ns == 0)
        j->blocked_ns = now ? now : 1;
    return now - j->blocked_ns >= starvation_limit(engine);
}

static partition *look_for_synthesis(cuzk_engine *engine, bool express, bool *must_open, int64_t *wake_ns, bool *again) {
    bool no_new_jobs = false;
    give_fair_turn(engine);
    engine->tried++;
    for (unsigned looked = 0; looked < LOOK_AT_MOST; looked++) {
        job *j = next_candidate(engine, express);
        if (!j)
            return NULL;
        j->tried = engine->tried;
        int rank = schedule_rank(j);
        if (!hand_over_allows(engine, rank))
            return NULL; /* nor would it allow a less urgent one */
        if (no_new_jobs && j->phase == JOB_QUEUED)
            continue;
        uint64_t parameters = 0;
        cuzk_error error = {0};
        fit f = try_to_fit(engine, j, &parameters, wake_ns, &error);
        if (f == FITS)
            return start_partition(engine, j, parameters, must_open);
        if (f == NEVER_FITS)
            job_end_locked(engine, j, CUZK_JOB_FAILED, &error);
        *again = f == LOOK_AGAIN || f == NEVER_FITS;
        if (*again)
            return NULL;
        no_new_jobs |= is_blocked_too_long(engine, j);
    }
    return NULL;
}

partition *schedule_synthesis(cuzk_engine *engine, bool express, bool *must_open, int64_t *wake_ns) {
    partition *found = NULL;
    bool again = true;
    while (!found && again && !engine->stopping) {
        again = false;
        if (!express || busy_synthesizers(engine) + 1 >= engine->synthesizer_count)
            found = look_for_synthesis(engine, express, must_open, wake_ns, &again);
    }
    return found;
}

/* ---- Proving ------------------------------------------------------------------------------------------------------- */

/* A partition whose proof failed on a device goes to another one if there is one. */
static bool may_prove(const cuzk_engine *engine, const worker *prover, const partition *p) {
    return device_may_prove(engine, prover->device, p->failed_device);
}

static bool partition_before(const cuzk_engine *engine, const partition *a, const partition *b) {
    if (a->job != b->job)
        return schedule_before(engine, a->job, b->job);
    return a->index < b->index;
}

/* The most urgent READY partition that is not in the batch, of the circuit (SIZE_MAX: any) and not tried in this round. */
static partition *next_ready(cuzk_engine *engine, const worker *prover, size_t circuit, partition *const *batch, size_t count) {
    partition *best = NULL;
    for (size_t i = 0; i < engine->active_count; i++) {
        job *j = engine->active[i];
        if (j->phase != JOB_RUNNING || (circuit != SIZE_MAX && j->description.circuit != circuit) || j->tried == engine->tried)
            continue;
        for (unsigned k = 0; k < j->description.partitions; k++) {
            partition *p = &j->partitions[k];
            bool taken = p->state != PARTITION_READY || !may_prove(engine, prover, p);
            for (size_t n = 0; n < count && !taken; n++)
                taken = batch[n] == p;
            if (!taken && (!best || partition_before(engine, p, best)))
                best = p;
        }
    }
    return best;
}

/* When a pass that is not full goes anyway. */
static int64_t batch_due(const cuzk_engine *engine, const partition *first) {
    const cuzk_engine_options *o = &engine->options;
    bool waits = o->max_batch_size > 1 && schedule_rank(first->job) >= RANK_NORMAL && !engine->draining;
    uint64_t wait_ms = o->max_batch_wait_ms < (uint64_t)INT64_MAX / 2000000 ? o->max_batch_wait_ms : (uint64_t)INT64_MAX / 2000000;
    return waits ? first->ready_ns + (int64_t)wait_ms * 1000000 : INT64_MIN;
}

/* Fills a batch of the first partition's circuit. Urgent work does not take others along that are not. */
static size_t fill_batch(cuzk_engine *engine, const worker *prover, partition **batch, size_t maximum) {
    uint64_t bytes = batch[0]->job->description.proving_bytes, room = budget_free(&engine->budget);
    int rank = schedule_rank(batch[0]->job);
    size_t count = 1;
    while (count < maximum) {
        partition *p = next_ready(engine, prover, batch[0]->job->description.circuit, batch, count);
        if (!p || (rank <= RANK_CRITICAL && schedule_rank(p->job) > RANK_CRITICAL) ||
            bytes + p->job->description.proving_bytes > room)
            break;
        bytes += p->job->description.proving_bytes;
        batch[count++] = p;
    }
    return count;
}

/* With no other prover at work it goes even if the host has become short of memory meanwhile: waiting would free nothing. */
static bool prover_fits(const cuzk_engine *engine, const job *j) {
    uint64_t need = j->description.proving_bytes;
    return need <= budget_free(&engine->budget) ||
           (!any_prover_busy(engine) && engine->budget.used + need <= engine->budget.total);
}

/* A turn of the provers is taken, in order or out of it. */
static void note_turn(cuzk_engine *engine, job *j) {
    if (j->fair)
        engine->last_fair_ns = engine_now(engine);
    engine->fair_was_last = j->fair;
    j->overtaken_ns = 0;
    j->fair = false;
    for (size_t i = 0; rank_of_priority(j) == RANK_WINNING && i < engine->active_count; i++)
        if (engine->active[i]->fair)
            engine->active[i]->winning_ahead++;
}

static void start_proving(cuzk_engine *engine, partition *p) {
    job *j = p->job;
    note_overtaken(engine, j, PARTITION_READY);
    note_turn(engine, j);
    j->waiting_for[0] = 0;
    p->proving_reserved = j->description.proving_bytes;
    budget_take(&engine->budget, CUZK_MEMORY_BUFFERS, p->proving_reserved);
    p->state = PARTITION_PROVING;
    j->workers++;
}

size_t schedule_proving(cuzk_engine *engine, const worker *prover, partition **batch, int64_t *wake_ns) {
    size_t maximum = engine->options.max_batch_size < BATCH_MAXIMUM ? engine->options.max_batch_size : BATCH_MAXIMUM;
    give_fair_turn(engine);
    engine->tried++;
    for (unsigned looked = 0; looked < LOOK_AT_MOST; looked++) {
        batch[0] = next_ready(engine, prover, SIZE_MAX, batch, 0);
        if (!batch[0])
            return 0;
        job *j = batch[0]->job;
        if (!prover_fits(engine, j)) {
            /* Others hold what it needs, and give it back: nothing less urgent takes it away before. */
            snprintf(j->waiting_for, sizeof j->waiting_for, "memory for the prover");
            return 0;
        }
        size_t count = fill_batch(engine, prover, batch, maximum);
        int64_t due = batch_due(engine, batch[0]);
        if (count == maximum || engine_now(engine) >= due) {
            for (size_t i = 0; i < count; i++)
                start_proving(engine, batch[i]);
            return count;
        }
        if (due < *wake_ns)
            *wake_ns = due;
        /* The batch may still fill: meanwhile another circuit's work may go. */
        for (size_t i = 0; i < engine->active_count; i++)
            if (engine->active[i]->description.circuit == j->description.circuit)
                engine->active[i]->tried = engine->tried;
    }
    return 0;
}
