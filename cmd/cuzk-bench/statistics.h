/* What a few measurements say, and whether two series of them differ. */
#ifndef CUZK_BENCH_STATISTICS_H
#define CUZK_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The median of count (at least 1) values, which may be in any order. */
double median_of(const double *values, size_t count);
uint64_t median_of_unsigned(const uint64_t *values, size_t count);

/* How many times as much B takes as A. */
typedef struct {
    double estimate, low, high; /* of the ratio B / A; low and high bound it with the given confidence */
    double confidence;          /* 0.95, or less where so few pairs allow no more */
    bool differs;               /* the interval has 95 % confidence and does not contain 1 */
} paired_ratio;

/* From count pairs (1 ... 200) of positive measurements, each pair taken one right after the other. The estimate is the
 * Hodges-Lehmann one: the median of the means of all pairs of log ratios, each with itself included; the interval is
 * that of Wilcoxon's signed-rank test, from its exact distribution. (Hollander, Wolfe, Chicken: Nonparametric Statistical
 * Methods, 3rd edition, sections 3.2 and 3.3.) Neither assumes a normal distribution, and a few outliers do no harm. */
paired_ratio paired_ratio_of(const double *a, const double *b, size_t count);

#endif
