#include "support/compact_check.h"

#include <stdlib.h>
#include <string.h>

#include "r1cs/assignment.h"
#include "r1cs/compact_digest.h"

static void assert_block_digests_equal(const block_digests *a, const block_digests *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->blocks, b->blocks, a->count * sizeof *a->blocks);
    assert_memory_equal(a->total, b->total, sizeof a->total);
}

static void assert_counts_equal(const circuit_counts *a, const circuit_counts *b) {
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->aux, b->aux);
    assert_int_equal(a->constraints, b->constraints);
    assert_memory_equal(a->nonzeros, b->nonzeros, sizeof a->nonzeros);
    assert_int_equal(a->a_aux.ones, b->a_aux.ones);
    assert_int_equal(a->b_aux.ones, b->b_aux.ones);
    assert_int_equal(a->b_input.ones, b->b_input.ones);
    for (uint32_t i = 0; i < a->aux; i++) {
        assert_int_equal(density_get(&a->a_aux, i), density_get(&b->a_aux, i));
        assert_int_equal(density_get(&a->b_aux, i), density_get(&b->b_aux, i));
    }
    for (uint32_t i = 0; i < a->inputs; i++)
        assert_int_equal(density_get(&a->b_input, i), density_get(&b->b_input, i));
}

static void check_digests(const circuit *c, const circuit_shape *shape, const compact_assignment *witness) {
    cuzk_error error = {0};
    circuit_digest classic, compact;
    ASSERT_OK(circuit_digest_create(&classic, c, witness != NULL, &error));
    compact_digest_create(&compact, shape, witness, NULL, NULL);
    assert_counts_equal(&classic.counts, &compact.counts);
    assert_block_digests_equal(&classic.r1cs, &compact.r1cs);
    assert_memory_equal(classic.block_first_aux, compact.block_first_aux, classic.r1cs.count * sizeof(uint64_t));
    if (witness) {
        assert_block_digests_equal(&classic.aux, &compact.aux);
        assert_block_digests_equal(&classic.abc, &compact.abc);
        assert_memory_equal(classic.aux_classes, compact.aux_classes, sizeof classic.aux_classes);
        assert_memory_equal(classic.abc_classes, compact.abc_classes, sizeof classic.abc_classes);
    }
    circuit_digest_free(&classic);
    circuit_digest_free(&compact);
}

static void assert_elements_equal(const fr *a, const fr *b, size_t count, const char *what, size_t first) {
    for (size_t i = 0; i < count; i++)
        if (!fr_equal(&a[i], &b[i]))
            fail_msg("%s %zu differs", what, first + i);
}

/* Auxiliary variables in ranges of every length up to a little more than a piece's. */
static void check_aux(const assignment *classic, const compact_assignment *compact) {
    uint32_t step = 1;
    for (uint32_t begin = 0; begin < classic->counts.aux; begin += step, step = step < 1500 ? step + 7 : 1) {
        uint32_t left = classic->counts.aux - begin, count = step < left ? step : left;
        fr *values = calloc(count, sizeof *values);
        fr_canonical *canonical = calloc(count, sizeof *canonical), *wide_values = calloc(count, sizeof *wide_values), expected;
        uint64_t *ones = calloc(words_for_bits(count), 8), *wide = calloc(words_for_bits(count), 8);
        compact_aux(compact, begin, begin + count, values);
        assert_elements_equal(values, classic->aux + begin, count, "auxiliary variable", begin);
        compact_aux_canonical(compact, begin, begin + count, canonical);
        size_t wide_count = compact_aux_by_kind(compact, begin, begin + count, ones, wide, wide_values), found = 0;
        for (uint32_t i = 0; i < count; i++) {
            const fr *value = &classic->aux[begin + i];
            fr_to_canonical(&expected, value);
            assert_memory_equal(&canonical[i], &expected, sizeof expected);
            assert_int_equal(bit_at(ones, i), fr_is_one(value));
            assert_int_equal(bit_at(wide, i), !fr_is_one(value) && !fr_is_zero(value));
            if (bit_at(wide, i))
                assert_memory_equal(&wide_values[found++], &expected, sizeof expected);
        }
        assert_int_equal(found, wide_count);
        free(values), free(canonical), free(wide_values), free(ones), free(wide);
    }
}

static void check_dense_aux(const assignment *classic, const compact_assignment *compact, int which) {
    const density *present = which == DENSITY_A ? &classic->counts.a_aux : &classic->counts.b_aux;
    uint32_t count = compact->shape->dense_aux[which], found = 0, step = 1;
    fr_canonical *all = calloc(count + 1, sizeof *all), expected;
    for (uint32_t begin = 0; begin < count; begin += step, step = step < 1500 ? step + 11 : 1)
        compact_dense_aux_canonical(compact, which, begin, begin + step < count ? begin + step : count, all + begin);
    for (uint32_t i = 0; i < classic->counts.aux; i++) {
        if (!density_get(present, i))
            continue;
        fr_to_canonical(&expected, &classic->aux[i]);
        assert_memory_equal(&all[found++], &expected, sizeof expected);
    }
    assert_int_equal(found, count);
    free(all);
}

static void assert_code_means(uint8_t code, const wide_row **wide, const fr *a, const fr *b, const fr *c) {
    const fr *choices[] = {&FR_ZERO, &FR_ONE, &FR_TWO, &FR_MINUS_ONE};
    wide_row row;
    if (code == ROW_WIDE) {
        row = *(*wide)++;
    } else {
        row = (wide_row){.a = *choices[code / 2], .b = code & ROW_B ? FR_ONE : FR_ZERO};
        fr_mul(&row.c, &row.a, &row.b);
    }
    assert_true(fr_equal(&row.a, a) && fr_equal(&row.b, b) && fr_equal(&row.c, c));
}

/* Rows in ranges up to the domain's end, all sides at once, then one by one, then as codes. */
static void check_rows(const assignment *classic, const compact_assignment *compact) {
    row_scratch *scratch = row_scratch_create(compact->shape);
    size_t size = (size_t)1 << classic->domain_log_size, step = 1;
    for (size_t begin = 0; begin < size; begin += step, step = step < 9000 ? 2 * step + 3 : 1) {
        size_t count = step < size - begin ? step : size - begin, end = begin + count;
        fr *values = calloc(3 * count, sizeof *values);
        fr *a = values, *b = values + count, *c = values + 2 * count;
        compact_rows(compact, begin, end, a, b, c, scratch);
        assert_elements_equal(a, classic->a + begin, count, "A of row", begin);
        assert_elements_equal(b, classic->b + begin, count, "B of row", begin);
        assert_elements_equal(c, classic->c + begin, count, "C of row", begin);
        memset(values, 0xff, 3 * count * sizeof *values);
        compact_rows(compact, begin, end, NULL, NULL, c, scratch);
        compact_rows(compact, begin, end, NULL, b, NULL, scratch);
        compact_rows(compact, begin, end, a, NULL, NULL, scratch);
        assert_elements_equal(a, classic->a + begin, count, "A alone of row", begin);
        assert_elements_equal(b, classic->b + begin, count, "B alone of row", begin);
        assert_elements_equal(c, classic->c + begin, count, "C alone of row", begin);

        uint8_t *codes = calloc(count, 1);
        wide_row *wide = calloc(count, sizeof *wide);
        size_t wide_count = compact_row_codes(compact, begin, end, codes, wide, scratch);
        const wide_row *next = wide;
        for (size_t i = 0; i < count; i++)
            assert_code_means(codes[i], &next, &classic->a[begin + i], &classic->b[begin + i], &classic->c[begin + i]);
        assert_ptr_equal(next, wide + wide_count);
        free(codes), free(wide), free(values);
    }
    row_scratch_free(scratch);
}

void assert_compact_equals_classic(const circuit *c) {
    cuzk_error error = {0};
    assignment classic;
    compact_assignment compact;
    circuit_shape shape;
    circuit_shape_create(&shape, c);
    ASSERT_OK(assignment_create(&classic, c, &error));
    ASSERT_OK(compact_assignment_create(&compact, &shape, c, &error));
    assert_int_equal(shape.domain_log_size, classic.domain_log_size);
    assert_elements_equal(compact.inputs, classic.inputs, shape.inputs, "input", 0);
    check_digests(c, &shape, NULL);
    check_digests(c, &shape, &compact);
    check_aux(&classic, &compact);
    check_dense_aux(&classic, &compact, DENSITY_A);
    check_dense_aux(&classic, &compact, DENSITY_B);
    check_rows(&classic, &compact);
    compact_assignment_free(&compact);
    assignment_free(&classic);
    circuit_shape_free(&shape);
}

void assert_compact_refuses(const circuit *c, const char *name) {
    cuzk_error classic_error = {0}, compact_error = {0};
    assignment classic;
    compact_assignment compact;
    circuit_shape shape;
    circuit_shape_create(&shape, c);
    assert_int_equal(assignment_create(&classic, c, &classic_error), CUZK_UNSATISFIED);
    assert_int_equal(compact_assignment_create(&compact, &shape, c, &compact_error), CUZK_UNSATISFIED);
    assert_string_equal(compact_error.message, classic_error.message);
    if (!strstr(compact_error.message, name))
        fail_msg("%s: expected %s", compact_error.message, name);
    circuit_shape_free(&shape);
}
