#include "algebra/ntt_matrix.h"

#include <stdlib.h>

#include "base/memory.h"

/* With i = i1 * C + i2 and k = k1 + R * k2, root^(-i k) = root^(-C i1 k1) * root^(-i2 k1) * root^(-R i2 k2): a transform of size
 * R over i1, a factor, and one of size C over i2. Forward, from k to j = j1 + C * j2, it is the mirror image: of size C
 * over k2, the factor root^(k1 j1), of size R over k1. */
struct ntt_matrix {
    unsigned log_rows, log_columns;
    fr root, inverse_root;     /* of order N */
    fr *shift, *inverse_shift; /* [C]: g^(R k2) and g^(-R k2) */

    ntt_domain *of_column, *of_row; /* of R and C elements */
    fr scale;                       /* 1/N, which interpolation leaves to do */
};

static fr *powers_of(const fr *ratio, size_t count) {
    fr *table = allocate(count, sizeof *table);
    for (size_t i = 0; i < count; i++)
        table[i] = FR_ONE;
    fr_scale_by_powers(table, &FR_ONE, ratio, count);
    return table;
}

cuzk_status ntt_matrix_create(ntt_matrix **matrix, unsigned log_rows, unsigned log_columns, cuzk_error *error) {
    unsigned log_size = log_rows + log_columns;
    *matrix = NULL;
    if (log_rows > NTT_MAX_LOG_SIZE || log_columns > NTT_MAX_LOG_SIZE - log_rows)
        return failure(error, CUZK_BAD_INPUT, "domain of 2^%u elements: at most 2^%d are supported", log_size, NTT_MAX_LOG_SIZE);
    ntt_matrix *created = allocate_zeroed(1, sizeof *created);
    created->log_rows = log_rows;
    created->log_columns = log_columns;
    fr_root_of_unity(&created->root, log_size);
    fr_invert(&created->inverse_root, &created->root);
    fr ratio;
    fr_power(&ratio, &FR_GENERATOR, UINT64_C(1) << log_rows);
    created->shift = powers_of(&ratio, (size_t)1 << log_columns);
    fr_invert(&ratio, &ratio);
    created->inverse_shift = powers_of(&ratio, (size_t)1 << log_columns);
    fr_from_u64(&created->scale, UINT64_C(1) << log_size);
    fr_invert(&created->scale, &created->scale);
    *matrix = created;
    TRY(ntt_domain_create(&created->of_column, log_rows, error)); /* neither fails: both are smaller than the whole */
    return ntt_domain_create(&created->of_row, log_columns, error);
}

void ntt_matrix_destroy(ntt_matrix *matrix) {
    if (!matrix)
        return;
    ntt_domain_destroy(matrix->of_column);
    ntt_domain_destroy(matrix->of_row);
    free(matrix->shift);
    free(matrix->inverse_shift);
    free(matrix);
}

static void scale_row(const ntt_matrix *m, fr *row, const fr *factors) {
    for (size_t i = 0; i < (size_t)1 << m->log_columns; i++)
        fr_mul(&row[i], &row[i], &factors[i]);
}

void ntt_matrix_inverse_column(const ntt_matrix *matrix, fr *column, size_t index, const fr *first, const fr *shift) {
    fr start, ratio;
    ntt_interpolate(matrix->of_column, column, NULL);
    fr_mul(&start, first, &matrix->scale);
    fr_power(&ratio, &matrix->inverse_root, index);
    fr_mul(&ratio, &ratio, shift);
    fr_scale_by_powers(column, &start, &ratio, (size_t)1 << matrix->log_rows);
}

void ntt_matrix_inverse_row(const ntt_matrix *matrix, fr *row) { ntt_interpolate(matrix->of_row, row, NULL); }

void ntt_matrix_coset_inverse_row(const ntt_matrix *matrix, fr *row) {
    ntt_matrix_inverse_row(matrix, row);
    scale_row(matrix, row, matrix->inverse_shift);
}

void ntt_matrix_coset_forward_row(const ntt_matrix *matrix, fr *row, size_t index) {
    fr ratio;
    scale_row(matrix, row, matrix->shift);
    ntt_forward(matrix->of_row, row, NULL);
    fr_power(&ratio, &matrix->root, index);
    fr_scale_by_powers(row, &FR_ONE, &ratio, (size_t)1 << matrix->log_columns);
}

void ntt_matrix_forward_column(const ntt_matrix *matrix, fr *column) {
    ntt_forward(matrix->of_column, column, NULL);
}
