#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/levels.h"
#include "algebra/ntt_matrix.h"

static fr *random_values(size_t count, uint8_t number) {
    const uint8_t seed[32] = {number};
    fr *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        fr_from_seed(&values[i], seed, i);
    return values;
}

/* A matrix in one piece. Values are in it by rows, coefficients by columns, as the header says. */
typedef struct {
    ntt_matrix *transforms;
    size_t rows, columns;
} case_shape;

typedef void column_step(const case_shape *s, fr *column, size_t index, const void *context);

static void for_columns(const case_shape *s, fr *values, column_step *step, const void *context) {
    fr *column = malloc(s->rows * sizeof *column);
    for (size_t c = 0; c < s->columns; c++) {
        for (size_t r = 0; r < s->rows; r++)
            column[r] = values[r * s->columns + c];
        step(s, column, c, context);
        for (size_t r = 0; r < s->rows; r++)
            values[r * s->columns + c] = column[r];
    }
    free(column);
}

typedef struct {
    fr first, shift;
} factors;

static void inverse_column(const case_shape *s, fr *column, size_t index, const void *context) {
    const factors *f = context;
    ntt_matrix_inverse_column(s->transforms, column, index, &f->first, &f->shift);
}

static void forward_column(const case_shape *s, fr *column, size_t index, const void *context) {
    (void)index;
    (void)context;
    ntt_matrix_forward_column(s->transforms, column);
}

/* From matrix order to the order of coefficients: k = r + R * c. */
static void assert_coefficients(const case_shape *s, const fr *matrix, const fr *expected) {
    for (size_t r = 0; r < s->rows; r++)
        for (size_t c = 0; c < s->columns; c++)
            assert_memory_equal(&matrix[r * s->columns + c], &expected[r + s->rows * c], sizeof(fr));
}

static void check_shape(unsigned log_rows, unsigned log_columns) {
    cuzk_error error = {0};
    unsigned log_size = log_rows + log_columns;
    size_t size = (size_t)1 << log_size;
    case_shape s = {.rows = (size_t)1 << log_rows, .columns = (size_t)1 << log_columns};
    ASSERT_OK(ntt_matrix_create(&s.transforms, log_rows, log_columns, &error));
    ntt_domain *domain;
    ASSERT_OK(ntt_domain_create(&domain, log_size, &error));
    fr *values = random_values(size, (uint8_t)(16 * log_rows + log_columns)), *expected = malloc(size * sizeof *expected);
    factors f = {.first = FR_ONE, .shift = FR_GENERATOR};

    /* To coefficients times g^(k mod R). */
    memcpy(expected, values, size * sizeof *values);
    ntt_inverse(domain, expected, NULL);
    fr *shifted = malloc(size * sizeof *shifted);
    for (size_t k = 0; k < size; k++) {
        fr power;
        fr_power(&power, &FR_GENERATOR, k % s.rows);
        fr_mul(&shifted[k], &expected[k], &power);
    }
    for_columns(&s, values, inverse_column, &f);
    for (size_t r = 0; r < s.rows; r++)
        ntt_matrix_inverse_row(s.transforms, values + r * s.columns);
    assert_coefficients(&s, values, shifted);

    /* And from these to the coset. */
    ntt_coset_forward(domain, expected, NULL);
    for (size_t r = 0; r < s.rows; r++)
        ntt_matrix_coset_forward_row(s.transforms, values + r * s.columns, r);
    for_columns(&s, values, forward_column, NULL);
    assert_memory_equal(values, expected, size * sizeof *values);

    /* And back, times a factor. */
    fr_from_u64(&f.first, 12345);
    fr_invert(&f.shift, &FR_GENERATOR);
    ntt_coset_inverse(domain, expected, NULL);
    for (size_t k = 0; k < size; k++)
        fr_mul(&expected[k], &expected[k], &f.first);
    for_columns(&s, values, inverse_column, &f);
    for (size_t r = 0; r < s.rows; r++)
        ntt_matrix_coset_inverse_row(s.transforms, values + r * s.columns);
    assert_coefficients(&s, values, expected);

    free(shifted);
    free(values);
    free(expected);
    ntt_domain_destroy(domain);
    ntt_matrix_destroy(s.transforms);
}

static void equals_the_transforms_in_one(void **state) {
    (void)state;
    for (unsigned log_rows = 0; log_rows <= 5; log_rows++)
        for (unsigned log_columns = 0; log_columns <= 5; log_columns++)
            check_shape(log_rows, log_columns);
    check_shape(11, 1); /* lines that take more than one pass themselves */
    check_shape(0, 12);
    check_shape(1, 16);
}

static void too_large_a_domain_is_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    ntt_matrix *matrix;
    assert_int_equal(ntt_matrix_create(&matrix, 14, 14, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "domain of 2^28 elements: at most 2^27 are supported");
    assert_int_equal(ntt_matrix_create(&matrix, 60, 1, &error), CUZK_BAD_INPUT);
    assert_null(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_transforms_in_one),
        cmocka_unit_test(too_large_a_domain_is_refused),
    };
    int failed = 0;
    RUN_ON_EVERY_LEVEL(failed, tests, NULL);
    return failed;
}
