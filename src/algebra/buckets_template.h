/* Template: sums of points sorted into buckets, and the weighted sum of the buckets. Over the names of group_g1.h or
 * group_g2.h; included by msm_template.h. */
#include <stdlib.h>

#include "base/memory.h"

#include "algebra/adder_template.h"

enum {
    LIVE_PILES = BATCH_ADDITIONS, /* sums that are added to in turns: a batch */
    MIN_PILES = 512,              /* into so many the points are divided at least, however they are spread over the buckets */
    MAX_EXTRAS = 2 * MIN_PILES,
    SEGMENT = 32 /* buckets that one running sum goes through */
};

/* Points that one sum is waiting for: entries next .. end-1. */
typedef struct {
    affine_point *sum;
    uint32_t next, end;
} pile;

/* A bucket with so many points that several sums share them: extras first .. first+count-1. */
typedef struct {
    affine_point *bucket;
    uint32_t first, count;
} split_bucket;

/* Memory of one worker. */
typedef struct {
    adder adder;
    pile piles[LIVE_PILES];
    affine_point extras[MAX_EXTRAS];
    split_bucket splits[MIN_PILES];
    uint32_t *offsets, *entries; /* grown as needed */
    size_t offsets_capacity, entries_capacity;
} bucket_worker;

static void bucket_worker_destroy(bucket_worker *w) {
    if (!w)
        return;
    free(w->offsets);
    free(w->entries);
    free(w);
}

/* Buckets whose points are not yet in piles. An entry is index << 1 | negative; those of bucket b are
 * offsets[b] .. offsets[b+1]-1. */
typedef struct {
    affine_point *buckets;
    const uint32_t *offsets;
    size_t next, count;  /* of the buckets */
    uint32_t next_entry; /* of the bucket `next` */
    uint32_t limit;      /* points of a pile */
    uint32_t extras, splits;
} pile_source;

/* Makes the next pile; false if there is none. Of a bucket with more points than the limit each pile has a sum of its own,
 * which together are below 2 * total / limit. */
static inline bool next_pile(bucket_worker *w, pile_source *source, pile *out) {
    while (source->next < source->count && source->next_entry == source->offsets[source->next + 1])
        source->next++;
    if (source->next == source->count)
        return false;
    affine_point *bucket = &source->buckets[source->next];
    uint32_t begin = source->next_entry, end = source->offsets[source->next + 1];
    bool first = begin == source->offsets[source->next];
    if (first && end - begin <= source->limit) {
        *out = (pile){.sum = bucket, .next = begin, .end = end};
        source->next_entry = end;
        return true;
    }
    if (first)
        w->splits[source->splits++] = (split_bucket){.bucket = bucket, .first = source->extras};
    w->splits[source->splits - 1].count++;
    if (end - begin > source->limit)
        end = begin + source->limit;
    *out = (pile){.sum = &w->extras[source->extras++], .next = begin, .end = end};
    memset(out->sum, 0, sizeof *out->sum);
    source->next_entry = end;
    return true;
}

/* Takes one point from each pile in turn until all are empty, so that every batch has distinct sums. New piles take the
 * place of those that are done: batches stay full, and the sums of one fit into the L2 cache. */
static void sum_piles(bucket_worker *w, pile_source *source, const affine_point *points) {
    for (size_t live = 0;;) {
        while (live < LIVE_PILES && next_pile(w, source, &w->piles[live]))
            live++;
        if (live == 0)
            return;
        size_t kept = 0;
        for (size_t i = 0; i < live; i++) {
            /* By fields: one wide load after narrow stores would wait for them. */
            affine_point *sum = w->piles[i].sum;
            uint32_t next = w->piles[i].next, end = w->piles[i].end, entry = w->entries[next++];
            w->adder.additions[i] = (GROUP(addition)){.sum = sum, .addend = entry >> 1, .negate = entry & 1};
            w->piles[kept] = (pile){.sum = sum, .next = next, .end = end};
            kept += next < end;
        }
        w->adder.count = live;
        adder_flush(&w->adder, points);
        live = kept;
    }
}

static void merge_splits(bucket_worker *w, size_t count) {
    for (bool more = true; more;) {
        more = false;
        for (size_t s = 0; s < count; s++) {
            split_bucket *split = &w->splits[s];
            uint32_t half = split->count / 2;
            split->count -= half;
            for (uint32_t i = 0; i < half; i++)
                adder_push(&w->adder, &w->extras[split->first + i], w->extras, split->first + split->count + i, 0);
            more |= split->count > 1;
        }
        adder_flush(&w->adder, w->extras);
    }
    for (size_t s = 0; s < count; s++)
        adder_push(&w->adder, w->splits[s].bucket, w->extras, w->splits[s].first, 0);
    adder_flush(&w->adder, w->extras);
}

/* buckets[b] += the points of entries offsets[b] .. offsets[b+1]-1, for count buckets. */
static void sum_into_buckets(bucket_worker *w, affine_point *buckets, size_t count, const uint32_t *offsets,
                             const affine_point *points) {
    uint32_t total = offsets[count] - offsets[0];
    pile_source source = {.buckets = buckets,
                          .offsets = offsets,
                          .count = count,
                          .next_entry = offsets[0],
                          .limit = (total + MIN_PILES - 1) / MIN_PILES};
    sum_piles(w, &source, points);
    if (source.splits > 0)
        merge_splits(w, source.splits);
}

/* The buckets of all windows: sums[window_first_bucket(w) + m - 1] belongs to digits of magnitude m. */
typedef struct {
    signed_windows windows; /* bits 0: no buckets */
    big_buffer memory;
    affine_point *sums;
} bucket_set;

/* Digits of a block of points, in the layout of signed_digits. */
typedef struct {
    const uint32_t *digits; /* digits[w * stride + i] */
    size_t stride, count;
    const affine_point *points;
} digit_block;

/* A share of the bucket work: buckets begin .. end-1 of the set, which are of windows first_window .. last_window. */
typedef struct {
    unsigned first_window, last_window;
    size_t begin, end;
} bucket_range;

static void grow(uint32_t **array, size_t *capacity, size_t count) {
    if (*capacity >= count)
        return;
    free(*array);
    *array = allocate(count, sizeof **array);
    *capacity = count;
}

/* Adds the points of a block whose digits fall into a range. */
static void sum_range(bucket_worker *w, const bucket_set *set, const digit_block *block, const bucket_range *range) {
    size_t buckets = range->end - range->begin;
    /* A counting sort. Digits that are not ours are counted and put behind all others, without branches. */
    grow(&w->offsets, &w->offsets_capacity, buckets + 3);
    uint32_t *offsets = w->offsets;
    memset(offsets, 0, (buckets + 3) * sizeof *offsets);
    for (unsigned window = range->first_window; window <= range->last_window; window++) {
        const uint32_t *digits = block->digits + window * block->stride;
        size_t base = window_first_bucket(&set->windows, window) - range->begin - 1; /* modulo 2^64 */
        for (size_t i = 0; i < block->count; i++) {
            size_t bucket = base + (digits[i] >> 1);
            bucket = digits[i] && bucket < buckets ? bucket : buckets;
            offsets[bucket + 2]++;
        }
    }
    for (size_t b = 0; b < buckets + 2; b++)
        offsets[b + 1] += offsets[b];
    uint32_t ours = offsets[buckets + 1];
    if (ours == 0)
        return;
    grow(&w->entries, &w->entries_capacity, (size_t)ours + 1);
    for (unsigned window = range->first_window; window <= range->last_window; window++) {
        const uint32_t *digits = block->digits + window * block->stride;
        size_t base = window_first_bucket(&set->windows, window) - range->begin - 1;
        for (size_t i = 0; i < block->count; i++) {
            size_t bucket = base + (digits[i] >> 1);
            bool is_ours = digits[i] && bucket < buckets;
            bucket = is_ours ? bucket : buckets;
            w->entries[offsets[bucket + 1]] = (uint32_t)i << 1 | (digits[i] & 1);
            offsets[bucket + 1] += is_ours;
        }
    }
    sum_into_buckets(w, set->sums + range->begin, buckets, offsets, block->points);
}

/* Weighted sums in place: sets of `length` sums, `stride` apart, `distance` between sets. After it, the first of each
 * set is the plain sum R of all, and the last is T, the sum of (i + 1) * sum[i] if from_one, else of i * sum[i]. */
static void running_sums(adder *a, affine_point *sums, size_t sets, size_t distance, size_t length, size_t stride,
                         bool from_one) {
    for (size_t i = length - 1; i-- > 0;) {
        for (size_t s = 0; s < sets; s++) {
            size_t at = s * distance + i * stride;
            adder_push(a, &sums[at], sums, (uint32_t)(at + stride), 0);
        }
        adder_flush(a, sums);
    }
    for (size_t i = length - 1; i-- > (from_one ? 0 : 1);) {
        for (size_t s = 0; s < sets; s++)
            adder_push(a, &sums[s * distance + (length - 1) * stride], sums, (uint32_t)(s * distance + i * stride), 0);
        adder_flush(a, sums);
    }
}

/* result = sum of m * bucket(m) of one window, whose segments of `length` went through running_sums already: with weights
 * s * length + j + 1 that is the sum of all T_s plus length times the sum of s * R_s, again a weighted sum, of fewer terms. */
static void finish_window(adder *a, affine_point *sums, size_t buckets, size_t length, projective_point *result) {
    affine_point terms[MAX_WINDOW_BITS];
    size_t lengths[MAX_WINDOW_BITS], levels = 0;
    size_t stride = 1, sets = buckets / length;
    for (;;) {
        affine_point *first = &sums[(length - 1) * stride];
        fold(a, first, length * stride, sets);
        terms[levels] = *first;
        lengths[levels++] = length;
        if (sets == 1)
            break;
        stride *= length;
        length = sets < SEGMENT ? sets : SEGMENT;
        sets /= length;
        running_sums(a, sums, sets, length * stride, length, stride, false);
    }
    memset(result, 0, sizeof *result);
    for (size_t level = levels; level-- > 0;) {
        for (size_t weight = lengths[level]; weight > 1 && level + 1 < levels; weight /= 2)
            BLST_POINT(double)(result, result);
        BLST_POINT(add_or_double_affine)(result, result, &terms[level]);
    }
}
