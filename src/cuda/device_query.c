#include "cuda/device_query.h"

#include <assert.h>

#include "algebra/curve.h"
#include "base/log.h"
#include "cuda/device_phase.h"

enum { COPY_GRAIN = 1 << 20, PAGE_BYTES = 1 << 12 };

typedef struct {
    const device_query *query;
    query_streams *streams;
    thread_pool *pool;
    progress *job;
    device_msm *msm;
    size_t point_bytes;
    host_staging own_staging, *staging; /* NULL: points come from where they are */
    void *encoded[2];                   /* the device's, unless the points are kept */
    const void *registered;             /* locked pages around the points, or NULL */
    device_wide_list wide;
    size_t part_words; /* the most words of variables in one part */
} query_run;

/* ---- Streams -------------------------------------------------------------------------------------------------------- */

static cuzk_status create_streams(query_streams *streams, cuzk_error *error) {
    TRY(device_stream_create(streams->device, &streams->compute, error));
    TRY(device_stream_create(streams->device, &streams->copy, error));
    for (int i = 0; i < 2; i++) {
        TRY(device_event_create(streams->device, &streams->copied[i], error));
        TRY(device_event_create(streams->device, &streams->used[i], error));
    }
    return CUZK_OK;
}

cuzk_status query_streams_create(query_streams *streams, device *d, cuzk_error *error) {
    *streams = (query_streams){.device = d};
    cuzk_status status = create_streams(streams, error);
    if (status != CUZK_OK)
        query_streams_destroy(streams);
    return status;
}

void query_streams_destroy(query_streams *streams) {
    device_stream_destroy(streams->copy);
    device_stream_destroy(streams->compute);
    for (int i = 0; i < 2; i++) {
        device_event_destroy(streams->copied[i]);
        device_event_destroy(streams->used[i]);
    }
    *streams = (query_streams){0};
}

/* ---- Page-locked memory -------------------------------------------------------------------------------------------- */

void host_staging_free(host_staging *staging, device *d) {
    for (int i = 0; i < 2; i++)
        device_host_free(d, staging->slots[i]);
    *staging = (host_staging){0};
}

cuzk_status host_staging_reserve(host_staging *staging, device *d, size_t bytes, cuzk_error *error) {
    if (bytes <= staging->bytes)
        return CUZK_OK;
    host_staging_free(staging, d);
    for (int i = 0; i < 2; i++) {
        cuzk_status status = device_host_allocate(d, &staging->slots[i], bytes, "points", error);
        if (status != CUZK_OK) {
            host_staging_free(staging, d);
            return status;
        }
    }
    staging->bytes = bytes;
    return CUZK_OK;
}

/* Locks the pages that lie within the points; without them copies are slower, but go on. */
static void register_points(query_run *run) {
    uintptr_t begin = (uintptr_t)run->query->points, end = begin + run->query->count * run->point_bytes;
    begin = (begin + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    end = end / PAGE_BYTES * PAGE_BYTES;
    cuzk_error error = {0};
    if (begin >= end)
        return;
    if (device_host_register(run->streams->device, (const void *)begin, end - begin, &error) == CUZK_OK)
        run->registered = (const void *)begin;
    else
        log_debug("%s; points are copied from unlocked pages", error.message);
}

/* ---- Parts ---------------------------------------------------------------------------------------------------------- */

/* Consecutive points; of a witness, those of consecutive words of variables. */
typedef struct {
    size_t number; /* of the part */
    size_t first, count;
    size_t first_word, end_word;
} query_part;

/* The part behind `before`; count 0: there is none. */
static query_part next_part(const query_run *run, const query_part *before) {
    const device_query *q = run->query;
    query_part part = {.number = before->number + 1, .first = before->first + before->count, .first_word = before->end_word};
    if (!q->witness) {
        part.count = q->count - part.first < q->part_points ? q->count - part.first : q->part_points;
        return part;
    }
    const uint32_t *rank = q->density->host_rank;
    part.end_word = part.first_word;
    while (part.end_word < q->witness->words && part.end_word - part.first_word < run->part_words &&
           rank[part.end_word + 1] - part.first <= q->part_points)
        part.end_word++;
    part.count = rank[part.end_word] - part.first;
    return part;
}

static bool is_last(const query_run *run, const query_part *part) {
    const device_query *q = run->query;
    return q->witness ? part->end_word == q->witness->words : part->first + part->count == q->count;
}

typedef struct {
    uint8_t *to;
    const uint8_t *from;
} copy_loop;

static void copy_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    copy_loop *loop = context;
    memcpy(loop->to + begin, loop->from + begin, end - begin);
}

/* Where a part's points are on the device. */
static uint8_t *part_on_device(const query_run *run, const query_part *part) {
    const device_query *q = run->query;
    return q->kept ? (uint8_t *)q->kept + part->first * run->point_bytes : run->encoded[part->number % 2];
}

/* Sends a part's points on their way. */
static cuzk_status upload_part(query_run *run, const query_part *part, cuzk_error *error) {
    query_streams *streams = run->streams;
    size_t slot = part->number % 2, bytes = part->count * run->point_bytes;
    const uint8_t *from = run->query->points + part->first * run->point_bytes;
    if (run->query->kept_filled)
        return CUZK_OK;
    if (run->staging) {
        TRY(device_event_synchronize(streams->copied[slot], error)); /* of the part two before */
        copy_loop loop = {run->staging->slots[slot], from};
        parallel_for(run->pool, bytes, COPY_GRAIN, copy_range, &loop);
        from = run->staging->slots[slot];
    }
    TRY(device_stream_wait(streams->copy, streams->used[slot], error));
    TRY(device_upload(streams->copy, part_on_device(run, part), from, bytes, error));
    return device_event_record(streams->copied[slot], streams->copy, error);
}

static cuzk_status add_variables(query_run *run, const query_part *part, cuzk_error *error) {
    const device_witness *w = run->query->witness;
    const device_density *chosen = run->query->density;
    device_stream *stream = run->streams->compute;
    device_selection selection = {chosen->dense, chosen->rank, part->first_word, part->end_word, (uint32_t)part->first};
    TRY(device_msm_add_ones(run->msm, stream, &selection, w->ones, error));
    if (w->value_count == 0)
        return CUZK_OK;
    TRY(device_list_wide(stream, &run->wide, &selection, w->wide, w->wide_rank, error));
    device_scalars scalars = {.values = w->values,
                              .points = run->wide.points,
                              .numbers = run->wide.numbers,
                              .count = run->wide.offsets + (part->end_word - part->first_word),
                              .most = part->count < w->value_count ? part->count : w->value_count};
    return device_msm_add_scalars(run->msm, stream, &scalars, error);
}

static cuzk_status sum_part(query_run *run, const query_part *part, cuzk_error *error) {
    query_streams *streams = run->streams;
    size_t slot = part->number % 2;
    if (!run->query->kept_filled)
        TRY(device_stream_wait(streams->compute, streams->copied[slot], error));
    TRY(device_msm_points(run->msm, streams->compute, part_on_device(run, part), part->count, error));
    TRY(device_event_record(streams->used[slot], streams->compute, error));
    if (run->query->witness)
        return add_variables(run, part, error);
    device_scalars scalars = {
        .values = (const uint8_t *)run->query->scalars + part->first * sizeof(fr), .montgomery = 1, .most = part->count};
    return device_msm_add_scalars(run->msm, streams->compute, &scalars, error);
}

static cuzk_status sum_parts(query_run *run, cuzk_error *error) {
    query_part part = {0};
    do {
        part = next_part(run, &part);
        TRY(progress_check(run->job, error));
        TRY(upload_part(run, &part, error));
        TRY(sum_part(run, &part, error));
        progress_advance(run->job, part.count);
    } while (!is_last(run, &part));
    return CUZK_OK;
}

/* ---- Memory --------------------------------------------------------------------------------------------------------- */

static cuzk_status room(void *target, const query_run *run, size_t bytes, cuzk_error *error) {
    void *memory;
    cuzk_status status = device_allocate(run->streams->device, &memory, bytes, "a query", error);
    memcpy(target, &memory, sizeof memory);
    return status;
}

/* What the way of the points takes. */
static cuzk_status allocate_way(query_run *run, size_t part_bytes, cuzk_error *error) {
    query_streams *streams = run->streams;
    for (int i = 0; i < 2 && !run->query->kept; i++)
        TRY(room(&run->encoded[i], run, part_bytes, error));
    if (run->query->kept_filled)
        return CUZK_OK;
    if (streams->pinning == DEVICE_POINTS_REGISTERED)
        register_points(run);
    if (streams->pinning != DEVICE_POINTS_STAGED)
        return CUZK_OK;
    run->staging = streams->staging ? streams->staging : &run->own_staging;
    return host_staging_reserve(run->staging, streams->device, part_bytes, error);
}

static cuzk_status allocate_run(query_run *run, cuzk_error *error) {
    const device_query *q = run->query;
    size_t part_points = q->part_points < q->count ? q->part_points : q->count;
    TRY(allocate_way(run, part_points * run->point_bytes, error));
    if (q->witness) {
        run->part_words = part_points;
        run->part_words = q->witness->words < run->part_words ? q->witness->words : run->part_words;
        TRY(room(&run->wide.points, run, part_points * sizeof(uint32_t), error));
        TRY(room(&run->wide.numbers, run, part_points * sizeof(uint32_t), error));
        TRY(room(&run->wide.offsets, run, (run->part_words + 1) * sizeof(uint32_t), error));
        TRY(room(&run->wide.scratch, run, selection_scratch_words(run->part_words) * sizeof(uint32_t), error));
    }
    device_msm_options options = {q->group, q->window_bits, part_points, part_points, 0};
    if (q->witness && q->witness->value_count < part_points)
        options.part_scalars = q->witness->value_count;
    return device_msm_create(&run->msm, run->streams->compute, &options, error);
}

/* After the streams have nothing more to do. */
static void free_run(query_run *run) {
    device *d = run->streams->device;
    device_msm_destroy(run->msm);
    void *memory[] = {run->encoded[0],   run->encoded[1],   run->wide.points,
                      run->wide.numbers, run->wide.offsets, run->wide.scratch};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        device_free(d, memory[i]);
    host_staging_free(&run->own_staging, d);
    if (run->registered)
        device_host_unregister(d, run->registered);
}

/* The sum of the parts, all of which have been given to the device. */
static cuzk_status finish_sum(void *sum, query_run *run, phase_clock *clock, size_t *bad_point, cuzk_error *error) {
    const device_query *q = run->query;
    device_stream *compute = run->streams->compute;
    TRY(device_phase_end(clock, q->profile, q->phase, compute, error));
    TRY(device_msm_finish(run->msm, compute, sum, bad_point, error));
    return device_phase_end(clock, q->profile, PHASE_DOWNLOAD, compute, error);
}

cuzk_status device_query_sum(void *sum, query_streams *streams, const device_query *query, thread_pool *pool, progress *job,
                             size_t *bad_point, cuzk_error *error) {
    assert(query->part_points >= 64);
    query_run run = {.query = query, .streams = streams, .pool = pool, .job = job};
    run.point_bytes = query->group == DEVICE_G1 ? G1_BYTES : G2_BYTES;
    *bad_point = SIZE_MAX;
    phase_clock clock = phase_clock_start();
    cuzk_status status = query->count > 0 ? allocate_run(&run, error) : CUZK_OK;
    if (query->count == 0)
        memset(sum, 0, query->group == DEVICE_G1 ? sizeof(g1) : sizeof(g2));
    if (status == CUZK_OK && query->count > 0)
        status = sum_parts(&run, error);
    if (status == CUZK_OK && query->count > 0)
        status = finish_sum(sum, &run, &clock, bad_point, error);
    /* Nothing may be using the memory any more. The first error counts. */
    (void)device_synchronize(streams->copy, NULL);
    (void)device_synchronize(streams->compute, NULL);
    free_run(&run);
    return status;
}
