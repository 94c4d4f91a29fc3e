/* Template: additions on their way to the kernel of batch_add.h. Over the names of group_g1.h or group_g2.h. */
#ifndef ALGEBRA_ADDER_TEMPLATE_H
#define ALGEBRA_ADDER_TEMPLATE_H

/* Memory of one thread; the counts are 0 at first. */
typedef struct {
    GROUP(addition) additions[BATCH_ADDITIONS];
    size_t count;
    uint64_t additions_done, inversions_done;
    GROUP(batch_scratch) scratch;
} adder;

static inline void adder_flush(adder *a, const affine_point *addends) {
    GROUP(batch_add)(a->additions, a->count, addends, &a->scratch);
    a->additions_done += a->count;
    a->inversions_done += a->count > 0;
    a->count = 0;
}

/* Queues *sum += addends[addend], the same addends until the next flush. Sums must not depend on each other. */
static inline void adder_push(adder *a, affine_point *sum, const affine_point *addends, uint32_t addend, uint32_t negate) {
    a->additions[a->count++] = (GROUP(addition)){.sum = sum, .addend = addend, .negate = negate};
    if (a->count == BATCH_ADDITIONS)
        adder_flush(a, addends);
}

/* points[0] += points[stride] + ... + points[(count-1) * stride], by halving; the others change, too. */
static inline void fold(adder *a, affine_point *points, size_t stride, size_t count) {
    while (count > 1) {
        size_t half = count / 2, rest = count - half;
        for (size_t i = 0; i < half; i++)
            adder_push(a, &points[i * stride], points, (uint32_t)((rest + i) * stride), 0);
        adder_flush(a, points);
        count = rest;
    }
}

#endif
