/* A transform is passes over memory, each of which does up to TILE_LOG of the butterflies' levels in shared memory.
 *
 * Decimation in frequency takes natural to bit-reversed order, from the top bit of the index down; decimation in time goes back.
 * A pass over the bits s .. s+t-1 of the index (high | mid | low) is a transform of 2^t points over mid for each high and low,
 * with one small table of roots, and a twist of each element by root(2^(s+t))^(low * reversed mid) behind (frequency) or
 * before it (time): the twiddle factors of t levels gathered in one. Source of the idea: Bailey, "FFTs in external or
 * hierarchical memory", 1990. */
#include "cuda/ntt.h"

#include "cuda/launch.h"
#include "cuda/prime_field.h"

extern "C" {
#include "algebra/ntt.h"
#include "base/memory.h"
}
#include <stdlib.h>

namespace {

enum {
    TILE_LOG = 9,    /* levels in a pass: 2^27 in three passes */
    COLUMNS_LOG = 1, /* neighbours in memory that a block takes along: 64 bytes; 32 KiB of shared memory in all */
    PASS_BLOCK = 256
};

/* base^i for i < 2^bits as low[i mod 2^low_bits] * high[i / 2^low_bits]; low carries a constant factor. */
struct power_table {
    device_fr *low, *high;
};

enum scale_kind { SCALE_NONE, SCALE_LOAD_POWERS, SCALE_STORE_CONSTANT, SCALE_STORE_REVERSED_POWERS };

struct pass_arguments {
    device_fr *values;
    const device_fr *small; /* roots of order 2^small_log */
    power_table roots;
    unsigned small_log, log_size, low_bits;
    unsigned shift, log_tile, log_columns; /* s, t, and neighbours */
    scale_kind scale;
    power_table powers;
    device_fr constant;
};

DEVICE device_fr power_at(const power_table &table, unsigned low_bits, uint32_t exponent) {
    return table.low[exponent & ((1u << low_bits) - 1)] * table.high[exponent >> low_bits];
}

DEVICE uint32_t reversed(uint32_t index, unsigned bits) { return bits == 0 ? 0 : __brev(index) >> (32 - bits); }

/* Elements in shared memory as two arrays of halves, so that neighbours are 16 bytes apart. */
struct tile {
    uint4 *low, *high;

    DEVICE device_fr load(uint32_t at) const {
        uint4 a = low[at], b = high[at];
        return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    }
    DEVICE void store(uint32_t at, const device_fr &v) const {
        low[at] = {v.limb[0], v.limb[1], v.limb[2], v.limb[3]};
        high[at] = {v.limb[4], v.limb[5], v.limb[6], v.limb[7]};
    }
};

/* Where the elements of a block's tile come from. */
struct tile_map {
    unsigned mid_shift, column_shift, tile_mask, column_mask;
    uint32_t base, low_base;
    unsigned shift;

    DEVICE tile_map(const pass_arguments &p, uint32_t block) {
        tile_mask = (1u << p.log_tile) - 1;
        column_mask = (1u << p.log_columns) - 1;
        shift = p.shift;
        if (shift == 0) { /* whole tiles one behind the other */
            mid_shift = 0;
            column_shift = p.log_tile;
            base = block << (p.log_tile + p.log_columns);
            low_base = 0;
        } else {
            mid_shift = p.log_columns;
            column_shift = 0;
            unsigned block_bits = shift - p.log_columns;
            low_base = (block & ((1u << block_bits) - 1)) << p.log_columns;
            base = (block >> block_bits) << (shift + p.log_tile) | low_base;
        }
    }
    DEVICE uint32_t mid(uint32_t local) const { return local >> mid_shift & tile_mask; }
    DEVICE uint32_t column(uint32_t local) const { return local >> column_shift & column_mask; }
    DEVICE uint32_t global(uint32_t local) const {
        return shift == 0 ? base + local : base | mid(local) << shift | column(local);
    }
    DEVICE uint32_t low(uint32_t local) const { return low_base | column(local); }
};

DEVICE device_fr twist(const pass_arguments &p, const tile_map &map, uint32_t local) {
    uint32_t exponent = map.low(local) * reversed(map.mid(local), p.log_tile);
    return power_at(p.roots, p.low_bits, exponent << (p.log_size - p.shift - p.log_tile));
}

template <bool IN_TIME>
DEVICE void butterfly(const pass_arguments &p, const tile &elements, const tile_map &map, unsigned level, uint32_t pair) {
    unsigned bit = level + map.mid_shift;
    uint32_t first = (pair >> bit) << (bit + 1) | (pair & ((1u << bit) - 1)), second = first | 1u << bit;
    uint32_t exponent = map.mid(first) & ((1u << level) - 1);
    device_fr root = p.small[exponent << (p.small_log - 1 - level)];
    device_fr u = elements.load(first), v = elements.load(second);
    if (IN_TIME)
        v = v * root;
    elements.store(first, u + v);
    device_fr difference = u - v;
    elements.store(second, IN_TIME ? difference : difference * root);
}

template <bool IN_TIME> __global__ void __launch_bounds__(PASS_BLOCK) ntt_pass(pass_arguments p) {
    uint32_t count = 1u << (p.log_tile + p.log_columns);
    uint4 *shared = shared_memory<uint4>();
    tile elements = {shared, shared + count};
    tile_map map(p, blockIdx.x);

    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        uint32_t at = map.global(i);
        device_fr value = p.values[at];
        if (p.scale == SCALE_LOAD_POWERS)
            value = value * power_at(p.powers, p.low_bits, at);
        if (IN_TIME && p.shift > 0)
            value = value * twist(p, map, i);
        elements.store(i, value);
    }
    for (unsigned step = 0; step < p.log_tile; step++) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count / 2; i += blockDim.x)
            butterfly<IN_TIME>(p, elements, map, IN_TIME ? step : p.log_tile - 1 - step, i);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        uint32_t at = map.global(i);
        device_fr value = elements.load(i);
        if (!IN_TIME && p.shift > 0)
            value = value * twist(p, map, i);
        if (p.scale == SCALE_STORE_CONSTANT)
            value = value * p.constant;
        else if (p.scale == SCALE_STORE_REVERSED_POWERS)
            value = value * power_at(p.powers, p.low_bits, reversed(at, p.log_size));
        p.values[at] = value;
    }
}

__global__ void reverse_order(device_fr *values, unsigned log_size) {
    for (size_t i = global_thread(); i < static_cast<size_t>(1) << log_size; i += global_threads()) {
        uint32_t other = reversed(static_cast<uint32_t>(i), log_size);
        if (other > i) {
            device_fr swapped = values[i];
            values[i] = values[other];
            values[other] = swapped;
        }
    }
}

/* out[i] = factor * base^i */
__global__ void fill_powers(device_fr *out, device_fr base, device_fr factor, uint32_t count) {
    for (size_t i = global_thread(); i < count; i += global_threads()) {
        device_fr power = factor, square = base;
        for (size_t rest = i; rest > 0; rest >>= 1) {
            if (rest & 1)
                power = power * square;
            square = square.squared();
        }
        out[i] = power;
    }
}

__global__ void multiply(device_fr *a, const device_fr *b, size_t count) {
    for (size_t i = global_thread(); i < count; i += global_threads())
        a[i] = a[i] * b[i];
}

__global__ void subtract_and_scale(device_fr *a, const device_fr *b, device_fr factor, size_t count) {
    for (size_t i = global_thread(); i < count; i += global_threads())
        a[i] = (a[i] - b[i]) * factor;
}

device_fr on_device(const fr &value) {
    device_fr copy;
    memcpy(&copy, &value, sizeof copy);
    return copy;
}

} // namespace

struct device_ntt {
    device *owner;
    unsigned log_size, low_bits, small_log, tile_log;
    device_fr *memory; /* all tables */
    struct direction {
        device_fr *small;
        power_table roots;
    } forward, inverse;
    power_table coset, coset_over_size, inverse_coset_over_size; /* g^i, g^i / size, g^-i / size */
    device_fr one_over_size, one_over_vanishing;
};

namespace {

unsigned low_bits_of(unsigned log_size) { return (log_size + 1) / 2; }

cuzk_status fill(device_stream *stream, device_fr *out, const fr &base, const fr &factor, unsigned bits, cuzk_error *error) {
    uint32_t count = 1u << bits;
    return launch(stream, FLAT, fill_powers, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error, out, on_device(base),
                  on_device(factor), count);
}

/* Takes memory for a table from *next and fills it. */
cuzk_status make_table(power_table *table, const device_ntt *ntt, device_stream *stream, device_fr **next, const fr &base,
                       const fr &factor, cuzk_error *error) {
    unsigned high_bits = ntt->log_size - ntt->low_bits;
    *table = {*next, *next + (static_cast<size_t>(1) << ntt->low_bits)};
    *next = table->high + (static_cast<size_t>(1) << high_bits);
    fr step;
    fr_power(&step, &base, UINT64_C(1) << ntt->low_bits);
    TRY(fill(stream, table->low, base, factor, ntt->low_bits, error));
    return fill(stream, table->high, step, FR_ONE, high_bits, error);
}

cuzk_status make_direction(device_ntt::direction *direction, const device_ntt *ntt, device_stream *stream, device_fr **next,
                           bool inverse, cuzk_error *error) {
    fr root, small_root;
    fr_root_of_unity(&root, ntt->log_size);
    fr_root_of_unity(&small_root, ntt->small_log);
    if (inverse) {
        fr_invert(&root, &root);
        fr_invert(&small_root, &small_root);
    }
    direction->small = *next;
    *next += static_cast<size_t>(1) << ntt->small_log;
    TRY(fill(stream, direction->small, small_root, FR_ONE, ntt->small_log, error));
    return make_table(&direction->roots, ntt, stream, next, root, FR_ONE, error);
}

cuzk_status make_tables(device_ntt *ntt, device_stream *stream, cuzk_error *error) {
    fr size, one_over_size, vanishing, inverse_generator;
    fr_from_u64(&size, UINT64_C(1) << ntt->log_size);
    fr_invert(&one_over_size, &size);
    fr_invert(&inverse_generator, &FR_GENERATOR);
    ntt_vanishing_at(&vanishing, ntt->log_size, &FR_GENERATOR);
    fr_invert(&vanishing, &vanishing);
    ntt->one_over_size = on_device(one_over_size);
    ntt->one_over_vanishing = on_device(vanishing);
    device_fr *next = ntt->memory;
    TRY(make_direction(&ntt->forward, ntt, stream, &next, false, error));
    TRY(make_direction(&ntt->inverse, ntt, stream, &next, true, error));
    TRY(make_table(&ntt->coset, ntt, stream, &next, FR_GENERATOR, FR_ONE, error));
    TRY(make_table(&ntt->coset_over_size, ntt, stream, &next, FR_GENERATOR, one_over_size, error));
    return make_table(&ntt->inverse_coset_over_size, ntt, stream, &next, inverse_generator, one_over_size, error);
}

/* The levels of the passes, top bits first. */
struct pass_plan {
    unsigned count;
    unsigned logs[NTT_MAX_LOG_SIZE];
};

pass_plan plan_of(const device_ntt *ntt) {
    pass_plan plan = {(ntt->log_size + ntt->tile_log - 1) / ntt->tile_log, {0}};
    for (unsigned i = 0; i < plan.count; i++)
        plan.logs[i] = ntt->log_size / plan.count + (i < ntt->log_size % plan.count);
    return plan;
}

cuzk_status run_pass(const device_ntt *ntt, device_stream *stream, const pass_arguments &p, bool in_time, cuzk_error *error) {
    unsigned count_log = p.log_tile + p.log_columns;
    unsigned grid = 1u << (ntt->log_size - count_log);
    size_t shared_bytes = sizeof(device_fr) << count_log;
    return launch(stream, COOPERATIVE, in_time ? ntt_pass<true> : ntt_pass<false>, grid, PASS_BLOCK, shared_bytes, error, p);
}

pass_arguments pass_of(const device_ntt *ntt, device_fr *values, const device_ntt::direction &direction, unsigned shift,
                       unsigned log_tile) {
    pass_arguments p = {};
    p.values = values;
    p.small = direction.small;
    p.roots = direction.roots;
    p.small_log = ntt->small_log;
    p.log_size = ntt->log_size;
    p.low_bits = ntt->low_bits;
    p.shift = shift;
    p.log_tile = log_tile;
    unsigned room = shift > 0 ? shift : ntt->log_size - log_tile;
    p.log_columns = room < COLUMNS_LOG ? room : static_cast<unsigned>(COLUMNS_LOG);
    return p;
}

/* Natural to bit-reversed order. */
cuzk_status in_frequency(const device_ntt *ntt, device_stream *stream, void *values, const device_ntt::direction &direction,
                         scale_kind scale, const power_table &powers, cuzk_error *error) {
    pass_plan plan = plan_of(ntt);
    unsigned shift = ntt->log_size;
    for (unsigned i = 0; i < plan.count; i++) {
        shift -= plan.logs[i];
        pass_arguments p = pass_of(ntt, static_cast<device_fr *>(values), direction, shift, plan.logs[i]);
        if (i == (scale == SCALE_LOAD_POWERS ? 0 : plan.count - 1))
            p.scale = scale;
        p.powers = powers;
        p.constant = ntt->one_over_size;
        TRY(run_pass(ntt, stream, p, false, error));
    }
    return CUZK_OK;
}

/* Bit-reversed to natural order. */
cuzk_status in_time(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    pass_plan plan = plan_of(ntt);
    unsigned shift = 0;
    for (unsigned i = plan.count; i-- > 0; shift += plan.logs[i])
        TRY(run_pass(ntt, stream, pass_of(ntt, static_cast<device_fr *>(values), ntt->forward, shift, plan.logs[i]), true,
                     error));
    return CUZK_OK;
}

cuzk_status to_natural_order(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return launch(stream, FLAT, reverse_order, blocks_for(static_cast<size_t>(1) << ntt->log_size, LOOP_BLOCK, LOOP_GRID),
                  LOOP_BLOCK, 0, error, static_cast<device_fr *>(values), ntt->log_size);
}

cuzk_status natural(const device_ntt *ntt, device_stream *stream, void *values, const device_ntt::direction &direction,
                    scale_kind scale, const power_table &powers, cuzk_error *error) {
    TRY(in_frequency(ntt, stream, values, direction, scale, powers, error));
    return to_natural_order(ntt, stream, values, error);
}

} // namespace

extern "C" {

cuzk_status device_ntt_create(device_ntt **ntt, device_stream *stream, unsigned log_size, cuzk_error *error) {
    return device_ntt_create_with_tile(ntt, stream, log_size, TILE_LOG, error);
}

cuzk_status device_ntt_create_with_tile(device_ntt **ntt, device_stream *stream, unsigned log_size, unsigned tile_log,
                                        cuzk_error *error) {
    *ntt = nullptr;
    if (log_size > NTT_MAX_LOG_SIZE)
        return failure(error, CUZK_BAD_INPUT, "a domain of 2^%u elements, at most 2^%d are possible", log_size, NTT_MAX_LOG_SIZE);
    device_ntt *made = static_cast<device_ntt *>(allocate_zeroed(1, sizeof *made));
    made->owner = device_of_stream(stream);
    made->log_size = log_size;
    made->low_bits = low_bits_of(log_size);
    made->tile_log = tile_log;
    made->small_log = log_size < tile_log ? log_size : tile_log;
    size_t table = (static_cast<size_t>(1) << made->low_bits) + (static_cast<size_t>(1) << (log_size - made->low_bits));
    size_t elements = 2 * (static_cast<size_t>(1) << made->small_log) + 5 * table;
    void *memory;
    cuzk_status status = device_allocate(made->owner, &memory, elements * sizeof(device_fr), "tables of roots", error);
    made->memory = static_cast<device_fr *>(memory);
    if (status == CUZK_OK)
        status = make_tables(made, stream, error);
    if (status != CUZK_OK) {
        device_ntt_destroy(made);
        return status;
    }
    *ntt = made;
    return CUZK_OK;
}

void device_ntt_destroy(device_ntt *ntt) {
    if (!ntt)
        return;
    device_free(ntt->owner, ntt->memory);
    free(ntt);
}

cuzk_status device_ntt_forward(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return natural(ntt, stream, values, ntt->forward, SCALE_NONE, ntt->coset, error);
}

cuzk_status device_ntt_inverse(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return natural(ntt, stream, values, ntt->inverse, SCALE_STORE_CONSTANT, ntt->coset, error);
}

cuzk_status device_ntt_coset_forward(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return natural(ntt, stream, values, ntt->forward, SCALE_LOAD_POWERS, ntt->coset, error);
}

cuzk_status device_ntt_coset_inverse(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return natural(ntt, stream, values, ntt->inverse, SCALE_STORE_REVERSED_POWERS, ntt->inverse_coset_over_size, error);
}

cuzk_status device_ntt_to_coset_coefficients(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return in_frequency(ntt, stream, values, ntt->inverse, SCALE_STORE_REVERSED_POWERS, ntt->coset_over_size, error);
}

cuzk_status device_ntt_from_coset_coefficients(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    return in_time(ntt, stream, values, error);
}

cuzk_status device_ntt_to_coset(const device_ntt *ntt, device_stream *stream, void *values, cuzk_error *error) {
    TRY(device_ntt_to_coset_coefficients(ntt, stream, values, error));
    return device_ntt_from_coset_coefficients(ntt, stream, values, error);
}

cuzk_status device_multiply(device_stream *stream, void *a, const void *b, size_t count, cuzk_error *error) {
    return launch(stream, FLAT, multiply, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error,
                  static_cast<device_fr *>(a), static_cast<const device_fr *>(b), count);
}

cuzk_status device_ntt_product_coefficients(const device_ntt *ntt, device_stream *stream, void *product, cuzk_error *error) {
    return in_frequency(ntt, stream, product, ntt->inverse, SCALE_STORE_REVERSED_POWERS, ntt->inverse_coset_over_size, error);
}

cuzk_status device_ntt_c_coefficients(const device_ntt *ntt, device_stream *stream, void *c, cuzk_error *error) {
    return in_frequency(ntt, stream, c, ntt->inverse, SCALE_STORE_CONSTANT, ntt->coset, error);
}

cuzk_status device_ntt_divide(const device_ntt *ntt, device_stream *stream, void *product, const void *c, cuzk_error *error) {
    size_t count = static_cast<size_t>(1) << ntt->log_size;
    TRY(launch(stream, FLAT, subtract_and_scale, blocks_for(count, LOOP_BLOCK, LOOP_GRID), LOOP_BLOCK, 0, error,
               static_cast<device_fr *>(product), static_cast<const device_fr *>(c), ntt->one_over_vanishing, count));
    return to_natural_order(ntt, stream, product, error);
}

cuzk_status device_ntt_quotient(const device_ntt *ntt, device_stream *stream, void *product, void *c, cuzk_error *error) {
    TRY(device_ntt_product_coefficients(ntt, stream, product, error));
    TRY(device_ntt_c_coefficients(ntt, stream, c, error));
    return device_ntt_divide(ntt, stream, product, c, error);
}

} // extern "C"
