#include "algebra/msm.h"

#include "algebra/fr_order.h"
#include "algebra/msm_windows.h"
#include "base/bytes.h"

void scalars_from_fr_array(const void *context, size_t begin, size_t end, fr_canonical *out) {
    const fr *values = context;
    for (size_t i = begin; i < end; i++, out++) {
        /* Most values of an assignment are 0 or 1. */
        if (fr_is_zero(&values[i]))
            *out = (fr_canonical){{0}};
        else if (fr_is_one(&values[i]))
            *out = (fr_canonical){{1}};
        else
            fr_to_canonical(out, &values[i]);
    }
}

scalar_kind kind_of_scalar(const fr_canonical *scalar) {
    uint64_t l0 = load_u64_le(scalar->bytes), l1 = load_u64_le(scalar->bytes + 8);
    uint64_t l2 = load_u64_le(scalar->bytes + 16), l3 = load_u64_le(scalar->bytes + 24);
    if ((l1 | l2 | l3) == 0 && l0 <= 1)
        return l0 ? SCALAR_ONE : SCALAR_ZERO;
    if (l0 == FR_ORDER[0] - 1 && l1 == FR_ORDER[1] && l2 == FR_ORDER[2] && l3 == FR_ORDER[3])
        return SCALAR_MINUS_ONE;
    return SCALAR_WIDE;
}

/* Up to `count` wide scalars, windows of `bits`. Measured on one core (AMD Zen 2, 16 MiB of L3) up to 2^20 points in G1 and
 * 2^17 in G2; beyond that by the number of additions, short of what the memory of the buckets is worth. */
typedef struct {
    size_t count;
    unsigned bits;
} window_choice;

static const window_choice G1_WINDOWS[] = {{20, 3},    {110, 4},    {210, 5},    {330, 7},    {1200, 8},
                                           {1750, 9},  {5200, 10},  {9800, 12},  {60000, 13}, {78000, 15},
                                           {1100000, 16}, {33000000, 19}, {SIZE_MAX, 22}};
static const window_choice G2_WINDOWS[] = {{13, 3},    {40, 4},    {110, 5},   {160, 6},    {220, 7},
                                           {1000, 8},  {1300, 9},  {3500, 10}, {5200, 11},  {10000, 12},
                                           {60000, 13}, {80000, 15}, {1100000, 16}, {SIZE_MAX, 19}};

static unsigned choose(const window_choice *choices, size_t count) {
    while (count > choices->count)
        choices++;
    return choices->bits;
}

unsigned g1_window_bits(size_t count) { return choose(G1_WINDOWS, count); }
unsigned g2_window_bits(size_t count) { return choose(G2_WINDOWS, count); }
