#include "statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MAX_PAIRS = 200 };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of_sorted(const double *values, size_t count) {
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double median_of(const double *values, size_t count) {
    assert(count > 0);
    double *sorted = allocate(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i];
    qsort(sorted, count, sizeof *sorted, ascending);
    double median = median_of_sorted(sorted, count);
    free(sorted);
    return median;
}

uint64_t median_of_unsigned(const uint64_t *values, size_t count) {
    double *copy = allocate(count, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = (double)values[i];
    double median = median_of(copy, count);
    free(copy);
    return (uint64_t)median;
}

/* How many of the ordered means may be left out on each side so that what is left has the confidence asked for: the
 * largest k with P(W < k) <= (1 - confidence) / 2, W the signed-rank statistic of `count` values under symmetry. *reached
 * is the confidence with that k, or with k = 0 if that is less. */
static size_t signed_rank_cut(size_t count, double confidence, double *reached) {
    size_t sums = count * (count + 1) / 2;
    double *ways = allocate_zeroed(sums + 1, sizeof *ways); /* probability of each sum of ranks */
    ways[0] = 1;
    for (size_t rank = 1; rank <= count; rank++) {
        for (size_t sum = sums + 1; sum-- > 0;)
            ways[sum] = 0.5 * (ways[sum] + (sum >= rank ? ways[sum - rank] : 0));
    }
    double below = 0;
    size_t k = 0;
    while (k < sums / 2 && below + ways[k] <= (1 - confidence) / 2)
        below += ways[k++];
    /* With no mean left out the interval misses when W is 0 or all: the smallest risk there is. */
    *reached = k > 0 ? confidence : 1 - 2 * ways[0];
    free(ways);
    return k > 0 ? k - 1 : 0;
}

paired_ratio paired_ratio_of(const double *a, const double *b, size_t count) {
    assert(count > 0 && count <= MAX_PAIRS);
    size_t pairs = count * (count + 1) / 2, filled = 0;
    double *means = allocate(pairs, sizeof *means);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            means[filled++] = 0.5 * (log(b[i] / a[i]) + log(b[j] / a[j]));
    qsort(means, pairs, sizeof *means, ascending);
    paired_ratio ratio = {.estimate = exp(median_of_sorted(means, pairs))};
    size_t cut = signed_rank_cut(count, 0.95, &ratio.confidence);
    ratio.low = exp(means[cut]);
    ratio.high = exp(means[pairs - 1 - cut]);
    ratio.differs = ratio.confidence >= 0.95 && (ratio.low > 1 || ratio.high < 1);
    free(means);
    return ratio;
}
