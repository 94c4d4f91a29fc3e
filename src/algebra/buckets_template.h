/* Template: sums of points sorted into buckets, and the weighted sum of the buckets. Over the names of group_g1.h or
 * group_g2.h; included by msm_template.h. */
#include <stdlib.h>

#include "base/memory.h"

#include "algebra/adder_template.h"

enum {
    BLOCK_BUCKETS = 2048, /* summed together: they stay in the L2 cache */
    MIN_PILES = 512,      /* so many sums run side by side at least, however the points are spread over the buckets */
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
    pile piles[BLOCK_BUCKETS + MAX_EXTRAS];
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

/* Takes one point from each pile in turn until all are empty, so that every batch has distinct sums. */
static void sum_piles(bucket_worker *w, size_t count, const affine_point *points) {
    while (count > 0) {
        size_t batches = (count + BATCH_ADDITIONS - 1) / BATCH_ADDITIONS, kept = 0;
        for (size_t b = 0; b < batches; b++) {
            size_t begin = count * b / batches, end = count * (b + 1) / batches;
            for (size_t i = begin; i < end; i++) {
                uint32_t entry = w->entries[w->piles[i].next++];
                w->adder.additions[i - begin] =
                    (GROUP(addition)){.sum = w->piles[i].sum, .addend = entry >> 1, .negate = entry & 1};
            }
            w->adder.count = end - begin;
            adder_flush(&w->adder, points);
            for (size_t i = begin; i < end; i++)
                if (w->piles[i].next < w->piles[i].end)
                    w->piles[kept++] = w->piles[i];
        }
        count = kept;
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

/* buckets[b] += the points of entries offsets[b] .. offsets[b+1]-1, for count buckets of which at most BLOCK_BUCKETS get
 * any. An entry is index << 1 | negative. */
static void sum_into_buckets(bucket_worker *w, affine_point *buckets, size_t count, const uint32_t *offsets,
                             const affine_point *points) {
    uint32_t total = offsets[count] - offsets[0], limit = (total + MIN_PILES - 1) / MIN_PILES, extras = 0;
    size_t piles = 0, splits = 0;
    for (size_t b = 0; b < count; b++) {
        uint32_t begin = offsets[b], length = offsets[b + 1] - begin;
        if (length == 0)
            continue;
        if (length <= limit) {
            w->piles[piles++] = (pile){.sum = &buckets[b], .next = begin, .end = begin + length};
            continue;
        }
        uint32_t parts = (length + limit - 1) / limit; /* all buckets' parts: below 2 * total / limit */
        w->splits[splits++] = (split_bucket){.bucket = &buckets[b], .first = extras, .count = parts};
        for (uint32_t i = 0; i < parts; i++, begin += limit) {
            uint32_t left = offsets[b + 1] - begin;
            w->piles[piles++] = (pile){.sum = &w->extras[extras++], .next = begin, .end = begin + (left < limit ? left : limit)};
        }
    }
    memset(w->extras, 0, extras * sizeof *w->extras);
    sum_piles(w, piles, points);
    if (splits > 0)
        merge_splits(w, splits);
}

/* The buckets of all windows: sums[w * per_window + m - 1] belongs to digits of magnitude m. */
typedef struct {
    signed_windows windows;
    size_t per_window; /* 2^(bits-1) */
    big_buffer memory;
    affine_point *sums;
} bucket_set;

/* Digits of a block of points, in the layout of signed_digits. */
typedef struct {
    const uint32_t *digits; /* digits[w * stride + i] */
    size_t stride, count;
    const affine_point *points;
} digit_block;

/* How many of the next `buckets` buckets to sum together: BLOCK_BUCKETS, or more as long as all their entries are no more
 * than that (so that the piles fit in any case). */
static size_t block_length(const uint32_t *offsets, size_t buckets) {
    size_t length = 0;
    for (size_t next = BLOCK_BUCKETS; length < buckets; next += BLOCK_BUCKETS) {
        next = next < buckets ? next : buckets;
        if (length > 0 && offsets[next] - offsets[0] > BLOCK_BUCKETS)
            break;
        length = next;
    }
    return length;
}

static void grow(uint32_t **array, size_t *capacity, size_t count) {
    if (*capacity >= count)
        return;
    free(*array);
    *array = allocate(count, sizeof **array);
    *capacity = count;
}

/* Adds the points of a block whose digits fall into buckets begin .. end-1 of the set. */
static void sum_range(bucket_worker *w, const bucket_set *set, const digit_block *block, size_t begin, size_t end) {
    size_t buckets = end - begin, per_window = set->per_window;
    size_t first_window = begin / per_window, last_window = (end - 1) / per_window;
    /* A counting sort. Digits that are not ours are counted and put behind all others, without branches. */
    grow(&w->offsets, &w->offsets_capacity, buckets + 3);
    uint32_t *offsets = w->offsets;
    memset(offsets, 0, (buckets + 3) * sizeof *offsets);
    for (size_t window = first_window; window <= last_window; window++) {
        const uint32_t *digits = block->digits + window * block->stride;
        size_t base = window * per_window - begin - 1; /* modulo 2^64 */
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
    for (size_t window = first_window; window <= last_window; window++) {
        const uint32_t *digits = block->digits + window * block->stride;
        size_t base = window * per_window - begin - 1;
        for (size_t i = 0; i < block->count; i++) {
            size_t bucket = base + (digits[i] >> 1);
            bool is_ours = digits[i] && bucket < buckets;
            bucket = is_ours ? bucket : buckets;
            w->entries[offsets[bucket + 1]] = (uint32_t)i << 1 | (digits[i] & 1);
            offsets[bucket + 1] += is_ours;
        }
    }
    for (size_t b = 0, count; b < buckets; b += count) {
        count = block_length(offsets + b, buckets - b);
        sum_into_buckets(w, set->sums + begin + b, count, offsets + b, block->points);
    }
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

/* result = sum of m * bucket(m) of one window, whose segments went through running_sums already: with weights s * SEGMENT
 * + j + 1 that is the sum of all T_s plus SEGMENT times the sum of s * R_s, again a weighted sum, of fewer terms. */
static void finish_window(adder *a, affine_point *sums, size_t per_window, projective_point *result) {
    affine_point terms[MAX_WINDOW_BITS];
    size_t lengths[MAX_WINDOW_BITS], levels = 0;
    size_t stride = 1, length = per_window < SEGMENT ? per_window : SEGMENT, sets = per_window / length;
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
