/* Template of msm.h, over the names of group_g1.h or group_g2.h.
 *
 * The points stream by in order. Those with scalars 1 and -1 are added to running sums at once; those with wide scalars
 * gather in a buffer, each as P and z^2 P with scalars of half the length, which a pass of Pippenger's method empties into
 * the buckets whenever it is full. So memory is bounded whatever the number of points, and the buckets are summed up only
 * in the end. */
#include "algebra/msm.h"

#include <stdatomic.h>

#include "algebra/endomorphism.h"
#include "algebra/msm_windows.h"
#include "algebra/scaled_points.h"

#include "algebra/buckets_template.h"

enum {
    SOURCE_BLOCK = 1024,    /* points that a worker takes at a time */
    BUFFER_BYTES = 6 << 20, /* of wide points: they are visited once for each window, at random, so L3 should hold them */
    BUFFER_POINTS = BUFFER_BYTES / 2 / (int)sizeof(affine_point),
    RANGE_BYTES = 12 << 20, /* of encoded points, that all sums of a pass take in turn before the next */
    RANGE_POINTS = RANGE_BYTES / ENCODED_POINT_BYTES,
    WORKERS_PER_BUFFER = 16,    /* more workers need larger passes, to be kept busy */
    LOG_POINTS_PER_BUFFER = 19, /* and so do more points, whose windows have more buckets to go through */
    MAX_BUFFERS = 8,
    MANY_POINTS = 33000000, /* their buckets are in no cache: a pass should have as many points as a window has buckets */
    MAX_BUFFERS_OF_MANY = 32,
    TRUSTED_GROWTH = 64,     /* how far the number of wide scalars is extrapolated from those seen */
    MIN_UNIT_ENTRIES = 4096, /* smaller shares of the bucket work are not worth a worker's turn */
    UNITS_PER_WORKER = 4,
    MIN_UNCUT_TURNS = 2 /* with fewer windows for each worker all are cut */
};

/* A worker's share of the streaming: points to be added or subtracted, and the sums that take them, side by side. */
typedef struct {
    adder adder;
    affine_point pending[BATCH_ADDITIONS], sums[BATCH_ADDITIONS];
    fr_canonical scalars[SOURCE_BLOCK];
    uint16_t wide[SOURCE_BLOCK];
    uint64_t ones; /* scalars 1 and -1 so far */
} collector;

/* One sum. */
typedef struct {
    const msm_terms *terms; /* the points */
    msm_scalars *owner;     /* its scalars */
    unsigned forced_bits;   /* 0: chosen */
    thread_pool *pool;

    size_t first;            /* of the points that have not streamed by */
    atomic_size_t bad_index; /* lowest index of a malformed point, SIZE_MAX if none */
    collector **collectors;  /* one for each worker, made when first needed */

    /* The buffer. */
    size_t capacity; /* in wide scalars */
    big_buffer points_memory, scalars_memory, digits_memory;
    affine_point *points; /* 2 * i: point i; 2 * i + 1: z^2 times it */
    fr_canonical *scalars;
    atomic_size_t used;

    /* The buckets; windows.bits == 0 until the first pass and after the last. */
    bucket_set set;
    bucket_worker **workers;
    size_t planned;     /* number of wide scalars that the windows were chosen for */
    size_t passed;      /* wide scalars that left the buffer so far */
    unsigned last_bits; /* windows.bits of the last windows, also when they are gone */
    digit_block block;
    unsigned cut_windows, parts; /* the lowest windows, and the units that each of them is cut into */
    unsigned windows_per_unit;   /* so many of the others are a unit together */
    projective_point *window_sums;

    projective_point sum; /* of what is no longer in buckets */
    atomic_uint_fast64_t additions, inversions;
} msm_run;

/* Takes an adder's counts before it goes. */
static void count_additions(msm_run *run, const adder *a) {
    atomic_fetch_add(&run->additions, a->additions_done);
    atomic_fetch_add(&run->inversions, a->inversions_done);
}

static point_error decode_point(const msm_run *run, size_t index, affine_point *out) {
    return GROUP(decode_scaled)(out, run->terms->points + index * ENCODED_POINT_BYTES);
}

static void note_bad_point(msm_run *run, size_t index) {
    size_t lowest = atomic_load(&run->bad_index);
    while (index < lowest && !atomic_compare_exchange_weak(&run->bad_index, &lowest, index)) {
    }
}

static collector *collector_of(msm_run *run, size_t worker) {
    if (!run->collectors[worker])
        run->collectors[worker] = allocate_zeroed(1, sizeof(collector));
    return run->collectors[worker];
}

/* The next point of the running sums; decoded in place before this is called. */
static void collect_point(collector *c, uint32_t negate) {
    size_t i = c->adder.count;
    adder_push(&c->adder, &c->sums[i], c->pending, (uint32_t)i, negate);
}

static void collect_block(msm_run *run, collector *c, size_t begin, size_t end) {
    run->owner->source(run->owner->context, begin, end, c->scalars);
    size_t wide = 0;
    for (size_t i = begin; i < end; i++) {
        scalar_kind kind = kind_of_scalar(&c->scalars[i - begin]);
        if (kind == SCALAR_ZERO)
            continue;
        if (kind == SCALAR_WIDE) {
            c->wide[wide++] = (uint16_t)(i - begin);
            continue;
        }
        c->ones++;
        if (decode_point(run, i, &c->pending[c->adder.count]) != POINT_OK)
            note_bad_point(run, i);
        else
            collect_point(c, kind == SCALAR_MINUS_ONE);
    }
    size_t position = wide ? atomic_fetch_add(&run->used, wide) : 0;
    for (size_t i = 0; i < wide; i++, position++) {
        affine_point *point = &run->points[2 * position];
        if (decode_point(run, begin + c->wide[i], point) != POINT_OK)
            note_bad_point(run, begin + c->wide[i]);
        GROUP(multiply_by_z2)(point + 1, point);
        run->scalars[position] = c->scalars[c->wide[i]];
    }
    progress_advance(run->owner->job, end - begin - wide);
}

static void collect_range(void *context, size_t begin, size_t end, size_t worker) {
    msm_run *run = context;
    collector *c = collector_of(run, worker);
    for (size_t i = begin; i < end && !progress_cancelled(run->owner->job); i += SOURCE_BLOCK)
        collect_block(run, c, run->first + i, run->first + (end - i < SOURCE_BLOCK ? end : i + SOURCE_BLOCK));
}

static void digits_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    msm_run *run = context;
    uint32_t *digits = run->digits_memory.data;
    for (size_t i = begin; i < end; i++) {
        half_scalar low, high;
        split_scalar(&low, &high, &run->scalars[i]);
        signed_digits_of_half(&run->set.windows, &low, digits + 2 * i, run->block.stride);
        signed_digits_of_half(&run->set.windows, &high, digits + 2 * i + 1, run->block.stride);
    }
}

/* Some of 0 .. in groups of so many. */
static unsigned groups_of(unsigned size, unsigned count) { return (count + size - 1) / size; }

static unsigned count_units(const msm_run *run) {
    return groups_of(run->windows_per_unit, run->set.windows.count - run->cut_windows) + run->cut_windows * run->parts;
}

/* Parts, which are smaller, come last. */
static bucket_range range_of_unit(const msm_run *run, unsigned unit) {
    const signed_windows *windows = &run->set.windows;
    unsigned groups = groups_of(run->windows_per_unit, windows->count - run->cut_windows), parts = 1, part = 0, first, next;
    if (unit < groups) {
        first = run->cut_windows + unit * run->windows_per_unit;
        next = first + run->windows_per_unit < windows->count ? first + run->windows_per_unit : windows->count;
    } else {
        parts = run->parts;
        part = (unit - groups) % parts;
        first = (unit - groups) / parts;
        next = first + 1;
    }
    size_t begin = window_first_bucket(windows, first), buckets = window_first_bucket(windows, next) - begin;
    return (bucket_range){first, next - 1, begin + buckets * part / parts, begin + buckets * (part + 1) / parts};
}

static void bucket_units(void *context, size_t begin, size_t end, size_t worker) {
    msm_run *run = context;
    if (!run->workers[worker])
        run->workers[worker] = allocate_zeroed(1, sizeof(bucket_worker));
    for (size_t i = begin; i < end && !progress_cancelled(run->owner->job); i++) {
        bucket_range range = range_of_unit(run, (unsigned)i);
        if (range.begin < range.end)
            sum_range(run->workers[worker], &run->set, &run->block, &range);
    }
}

/* In how many parts to cut each of some windows, at least `parts`, so that no worker is long without work in the end. */
static size_t balanced_parts(size_t parts, size_t windows, size_t workers) {
    for (size_t p = parts; p < 2 * parts + 2; p++) {
        size_t units = windows * p, turns = (units + workers - 1) / workers;
        if (turns * workers - units <= units / 32)
            return p;
    }
    return parts;
}

/* How the bucket work of one pass is shared out: several windows together when there are few points. A window in parts has its
 * digits read for each of them, so of many points as few are cut as come out even, or all when there are many workers. The lowest
 * are: the highest bits of a scalar are not as likely to be set, so points of the highest window crowd in its first buckets. */
static void plan_units(msm_run *run) {
    size_t windows = run->set.windows.count, count = run->block.count;
    size_t workers = thread_pool_size(run->pool), wanted = workers * UNITS_PER_WORKER;
    run->cut_windows = 0;
    run->windows_per_unit = run->parts = 1;
    if (count < MIN_UNIT_ENTRIES) {
        size_t worth = (count * windows + MIN_UNIT_ENTRIES - 1) / MIN_UNIT_ENTRIES;
        size_t units = worth < wanted ? worth : wanted;
        run->windows_per_unit = (unsigned)((windows + units - 1) / units);
        return;
    }
    size_t turns = windows / workers, cut = turns < MIN_UNCUT_TURNS ? windows : windows % workers;
    if (cut == 0)
        return;
    size_t least = cut == windows ? (wanted + windows - 1) / windows : workers / cut;
    size_t parts = balanced_parts(least, cut, workers), most = count / MIN_UNIT_ENTRIES;
    run->cut_windows = (unsigned)cut;
    run->parts = (unsigned)(parts < most ? parts : most);
}

static cuzk_status make_buckets(msm_run *run, unsigned bits, size_t planned, cuzk_error *error) {
    bucket_set *set = &run->set;
    signed_windows_init(&set->windows, bits, HALF_SCALAR_BITS);
    run->last_bits = set->windows.bits;
    run->planned = planned;
    size_t buckets = window_first_bucket(&set->windows, set->windows.count);
    TRY(big_buffer_allocate(&set->memory, buckets, sizeof(affine_point), GROUP_NAME " buckets", error));
    set->sums = set->memory.data;
    run->block.stride = 2 * run->capacity + 16; /* no power of two: the windows' digits of a point fall in different cache sets */
    size_t digits = set->windows.count * run->block.stride;
    return big_buffer_allocate(&run->digits_memory, digits, sizeof(uint32_t), GROUP_NAME " digits", error);
}

static void free_buckets(msm_run *run) {
    big_buffer_free(&run->set.memory);
    big_buffer_free(&run->digits_memory);
    run->set.windows.bits = 0;
}

/* The buckets of every window are cut into segments of this length. */
static size_t segment_length(const signed_windows *windows) {
    size_t fewest = (size_t)1 << (window_bits(windows, windows->count - 1) - 1);
    return fewest < SEGMENT ? fewest : SEGMENT;
}

static void segments_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    msm_run *run = context;
    if (progress_cancelled(run->owner->job))
        return;
    size_t length = segment_length(&run->set.windows);
    adder *a = allocate_zeroed(1, sizeof *a);
    running_sums(a, run->set.sums + begin * length, end - begin, length, length, 1, true);
    count_additions(run, a);
    free(a);
}

static void windows_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    msm_run *run = context;
    adder *a = allocate_zeroed(1, sizeof *a);
    const signed_windows *windows = &run->set.windows;
    for (unsigned w = (unsigned)begin; w < end; w++) {
        size_t first = window_first_bucket(windows, w), buckets = window_first_bucket(windows, w + 1) - first;
        finish_window(a, run->set.sums + first, buckets, segment_length(windows), &run->window_sums[w]);
    }
    count_additions(run, a);
    free(a);
}

/* Adds the weighted sum of all buckets to run->sum and frees them. */
static void empty_buckets(msm_run *run) {
    unsigned windows = run->set.windows.count;
    size_t segments = window_first_bucket(&run->set.windows, windows) / segment_length(&run->set.windows);
    size_t grain = even_grain(run->pool, segments);
    parallel_for(run->pool, segments, grain > BATCH_ADDITIONS ? BATCH_ADDITIONS : grain, segments_range, run);
    run->window_sums = allocate(windows, sizeof *run->window_sums);
    parallel_for(run->pool, windows, 1, windows_range, run);
    projective_point total;
    memset(&total, 0, sizeof total);
    for (unsigned w = windows; w-- > 0;) {
        for (unsigned i = 0; i < window_bits(&run->set.windows, w); i++)
            BLST_POINT(double)(&total, &total);
        BLST_POINT(add_or_double)(&total, &total, &run->window_sums[w]);
    }
    BLST_POINT(add_or_double)(&run->sum, &run->sum, &total);
    free(run->window_sums);
    free_buckets(run);
}

/* Puts the buffer's points into the buckets. seen: how many of all points were classified so far. */
static cuzk_status pippenger_pass(msm_run *run, size_t seen, cuzk_error *error) {
    size_t used = atomic_load(&run->used);
    /* The number of wide scalars to come is a guess from those seen, so the windows grow as the guess is confirmed. */
    size_t so_far = run->passed + used;
    double guess = (double)so_far * (double)run->terms->count / (double)seen;
    size_t expected = guess < (double)TRUSTED_GROWTH * (double)so_far ? (size_t)guess : TRUSTED_GROWTH * so_far;
    if (run->set.windows.bits && expected > 4 * run->planned)
        empty_buckets(run);
    if (!run->set.windows.bits)
        TRY(make_buckets(run, run->forced_bits ? run->forced_bits : GROUP(window_bits)(expected), expected, error));
    run->block.digits = run->digits_memory.data;
    run->block.points = run->points;
    run->block.count = 2 * used;
    parallel_for(run->pool, used, SOURCE_BLOCK, digits_range, run);
    plan_units(run);
    parallel_for(run->pool, count_units(run), 1, bucket_units, run);
    run->passed += used;
    atomic_store(&run->used, 0);
    progress_advance(run->owner->job, used);
    return progress_check(run->owner->job, error);
}

static cuzk_status check_points(msm_run *run, cuzk_error *error) {
    size_t bad = atomic_load(&run->bad_index);
    if (bad == SIZE_MAX)
        return CUZK_OK;
    affine_point point;
    return failure(error, CUZK_BAD_INPUT, "%s point %zu: found %s, expected an uncompressed point", GROUP_NAME, bad,
                   point_error_text(decode_point(run, bad, &point)));
}

/* Wide scalars that the buffer of a sum over count points holds. */
static size_t buffer_capacity(size_t count, size_t workers) {
    size_t buffers = 1 + workers / WORKERS_PER_BUFFER + (count >> LOG_POINTS_PER_BUFFER);
    size_t max_buffers = count > MANY_POINTS ? MAX_BUFFERS_OF_MANY : MAX_BUFFERS;
    size_t most = (buffers < max_buffers ? buffers : max_buffers) * BUFFER_POINTS;
    return count < most ? count : most;
}

uint64_t NAMED(msm, _memory)(size_t count, size_t workers) {
    signed_windows windows;
    signed_windows_init(&windows, GROUP(window_bits)(count), HALF_SCALAR_BITS);
    uint64_t capacity = buffer_capacity(count, workers), buckets = window_first_bucket(&windows, windows.count);
    uint64_t digits = 2 * capacity * windows.count * sizeof(uint32_t);
    /* A unit of a worker is a window at most, or a few of so few scalars that it makes no difference. */
    uint64_t sorting = (2 * capacity + window_first_bucket(&windows, 1)) * sizeof(uint32_t);
    return capacity * (2 * sizeof(affine_point) + sizeof(fr_canonical)) + digits + buckets * sizeof(affine_point) +
           workers * (sizeof(collector) + sizeof(bucket_worker) + sorting);
}

static cuzk_status start_run(msm_run *run, cuzk_error *error) {
    size_t workers = thread_pool_size(run->pool);
    run->capacity = buffer_capacity(run->terms->count, workers);
    atomic_init(&run->bad_index, SIZE_MAX);
    run->collectors = allocate_zeroed(workers, sizeof *run->collectors);
    run->workers = allocate_zeroed(workers, sizeof *run->workers);
    TRY(big_buffer_allocate(&run->points_memory, 2 * run->capacity, sizeof *run->points, GROUP_NAME " points", error));
    TRY(big_buffer_allocate(&run->scalars_memory, run->capacity, sizeof *run->scalars, "scalars", error));
    run->points = run->points_memory.data;
    run->scalars = run->scalars_memory.data;
    return CUZK_OK;
}

/* The points up to `end` stream by. */
static cuzk_status take_points(msm_run *run, size_t end, cuzk_error *error) {
    while (run->first < end) {
        size_t room = run->capacity - atomic_load(&run->used), left = end - run->first;
        if (room < left && room < run->capacity / 8) {
            TRY(pippenger_pass(run, run->first, error));
            continue;
        }
        size_t next = left < room ? left : room;
        parallel_for(run->pool, next, SOURCE_BLOCK, collect_range, run);
        TRY(progress_check(run->owner->job, error));
        TRY(check_points(run, error));
        run->first += next;
    }
    return CUZK_OK;
}

/* Adds the running sums of all workers to run->sum. */
static void finish_collectors(msm_run *run) {
    for (size_t i = 0; i < thread_pool_size(run->pool); i++) {
        collector *c = run->collectors[i];
        if (!c)
            continue;
        adder_flush(&c->adder, c->pending);
        fold(&c->adder, c->sums, 1, BATCH_ADDITIONS);
        BLST_POINT(add_or_double_affine)(&run->sum, &run->sum, &c->sums[0]);
        count_additions(run, &c->adder);
    }
}

static void add_counts(msm_counts *counts, const msm_run *run) {
    uint64_t ones = 0;
    for (size_t i = 0; i < thread_pool_size(run->pool); i++)
        ones += run->collectors[i] ? run->collectors[i]->ones : 0;
    counts->zeros += run->terms->count - ones - run->passed;
    counts->ones += ones;
    counts->wide += run->passed;
    counts->additions += atomic_load(&run->additions);
    counts->inversions += atomic_load(&run->inversions);
    if (run->last_bits)
        counts->window_bits = run->last_bits;
}

/* After the last point. */
static cuzk_status finish_run(projective_point *result, msm_run *run, cuzk_error *error) {
    if (atomic_load(&run->used) > 0)
        TRY(pippenger_pass(run, run->terms->count, error));
    if (run->set.windows.bits)
        empty_buckets(run);
    TRY(progress_check(run->owner->job, error));
    finish_collectors(run);
    GROUP(unscale)(&run->sum);
    /* One representation, so that results do not depend on the order of additions. */
    affine_point affine;
    BLST_POINT(to_affine)(&affine, &run->sum);
    BLST_POINT(from_affine)(result, &affine);
    return CUZK_OK;
}

static void end_run(msm_run *run) {
    size_t workers = thread_pool_size(run->pool);
    for (size_t i = 0; i < workers; i++) {
        if (run->workers[i])
            count_additions(run, &run->workers[i]->adder);
        bucket_worker_destroy(run->workers[i]);
    }
    if (run->owner->counts)
        add_counts(run->owner->counts, run);
    for (size_t i = 0; i < workers; i++)
        free(run->collectors[i]);
    free(run->collectors);
    free(run->workers);
    free_buckets(run);
    big_buffer_free(&run->points_memory);
    big_buffer_free(&run->scalars_memory);
}

/* Each range of the points goes by every sum that has not failed. */
static void stream(msm_run *runs, const msm_terms *terms, msm_scalars *sums, size_t sum_count) {
    for (size_t first = 0; first < terms->count; first += RANGE_POINTS) {
        size_t count = terms->count - first < RANGE_POINTS ? terms->count - first : RANGE_POINTS;
        for (size_t i = 0; i < sum_count; i++)
            if (sums[i].status == CUZK_OK)
                sums[i].status = take_points(&runs[i], first + count, sums[i].error);
        if (terms->used)
            terms->used(terms->points + first * ENCODED_POINT_BYTES, (uint64_t)count * ENCODED_POINT_BYTES);
    }
}

static void sum_together(projective_point *results, const msm_terms *terms, unsigned forced_bits, msm_scalars *sums,
                         size_t sum_count, thread_pool *pool) {
    msm_run *runs = allocate_zeroed(sum_count, sizeof *runs); /* without an owner: left out */
    for (size_t i = 0; i < sum_count; i++) {
        if (sums[i].status != CUZK_OK)
            continue;
        runs[i] = (msm_run){.terms = terms, .owner = &sums[i], .forced_bits = forced_bits, .pool = pool};
        sums[i].status = start_run(&runs[i], sums[i].error);
    }
    stream(runs, terms, sums, sum_count);
    for (size_t i = 0; i < sum_count; i++) {
        if (sums[i].status == CUZK_OK)
            sums[i].status = finish_run(&results[i], &runs[i], sums[i].error);
        if (runs[i].owner)
            end_run(&runs[i]);
    }
    free(runs);
}

void NAMED(msm, _together)(projective_point *results, const msm_terms *terms, msm_scalars *sums, size_t sum_count,
                           thread_pool *pool) {
    sum_together(results, terms, 0, sums, sum_count, pool);
}

cuzk_status NAMED(msm, )(projective_point *result, const msm_terms *terms, thread_pool *pool, progress *job, msm_counts *counts,
                         cuzk_error *error) {
    msm_scalars sum = {.source = terms->source, .context = terms->context, .job = job, .counts = counts, .error = error};
    sum_together(result, terms, 0, &sum, 1, pool);
    return sum.status;
}

static void scalars_from_canonical_array(const void *context, size_t begin, size_t end, fr_canonical *out) {
    memcpy(out, (const fr_canonical *)context + begin, (end - begin) * sizeof *out);
}

cuzk_status NAMED(msm, _with_window)(projective_point *result, const uint8_t *points, size_t count, const fr_canonical *scalars,
                                     unsigned window, thread_pool *pool, msm_counts *counts, cuzk_error *error) {
    const msm_terms terms = {.points = points, .count = count};
    msm_scalars sum = {.source = scalars_from_canonical_array, .context = scalars, .counts = counts, .error = error};
    sum_together(result, &terms, window, &sum, 1, pool);
    return sum.status;
}
