#include "algebra/ntt_matrix.h"

#include <stdlib.h>

#include "algebra/kernels.h"
#include "base/memory.h"

/* With i = i1 * C + i2 and k = k1 + R * k2, root^(-i k) = root^(-C i1 k1) * root^(-i2 k1) * root^(-R i2 k2): a transform of size
 * R over i1, a factor, and one of size C over i2. Forward, from k to j = j1 + C * j2, it is the mirror image: of size C
 * over k2, the factor root^(k1 j1), of size R over k1. */
struct ntt_matrix {
    unsigned log_rows, log_columns;
    fr root, inverse_root;     /* of order N */
    fr *shift, *inverse_shift; /* [C]: g^(R k2) and g^(-R k2) */

    /* On the portable level a line that a cache holds is transformed at one go: that saves the products between the passes of a
     * transform in ntt.h. These are the roots for it (ntt_one_column), of order max(R, C), and 1/N, which is left to do. */
    fr *roots, *inverse_roots;
    fr scale;
    /* For other levels and lines: transforms of R and C elements. */
    ntt_domain *of_column, *of_row;
};

/* Half of the powers of root, of order 2^log_order, bit-reversed. */
static fr *roots_of_lines(const fr *root, unsigned log_order) {
    return ntt_powers_bit_reversed(root, log_order ? log_order - 1 : 0);
}

static cuzk_status prepare_lines(ntt_matrix *m, cuzk_error *error) {
    enum { MAX_LOG_CACHED = 15 };
    unsigned log_longest = m->log_rows > m->log_columns ? m->log_rows : m->log_columns;
    m->scale = FR_ONE;
    if (kernels_in_use()->ntt_first_pass || log_longest > MAX_LOG_CACHED) {
        TRY(ntt_domain_create(&m->of_column, m->log_rows, NULL, error));
        return ntt_domain_create(&m->of_row, m->log_columns, NULL, error);
    }
    fr root;
    fr_root_of_unity(&root, log_longest);
    m->roots = roots_of_lines(&root, log_longest);
    fr_invert(&root, &root);
    m->inverse_roots = roots_of_lines(&root, log_longest);
    fr_from_u64(&m->scale, UINT64_C(1) << (m->log_rows + m->log_columns));
    fr_invert(&m->scale, &m->scale);
    return CUZK_OK;
}

cuzk_status ntt_matrix_create(ntt_matrix **matrix, unsigned log_rows, unsigned log_columns, cuzk_error *error) {
    *matrix = NULL;
    if (log_rows > NTT_MAX_LOG_SIZE || log_columns > NTT_MAX_LOG_SIZE - log_rows)
        return failure(error, CUZK_BAD_INPUT, "domain of 2^%u elements: at most 2^%d are supported", log_rows + log_columns,
                       NTT_MAX_LOG_SIZE);
    ntt_matrix *created = allocate_zeroed(1, sizeof *created);
    created->log_rows = log_rows;
    created->log_columns = log_columns;
    fr_root_of_unity(&created->root, log_rows + log_columns);
    fr_invert(&created->inverse_root, &created->root);
    fr ratio;
    fr_power(&ratio, &FR_GENERATOR, UINT64_C(1) << log_rows);
    created->shift = ntt_powers(&ratio, (size_t)1 << log_columns);
    fr_invert(&ratio, &ratio);
    created->inverse_shift = ntt_powers(&ratio, (size_t)1 << log_columns);
    cuzk_status status = prepare_lines(created, error);
    if (status == CUZK_OK)
        *matrix = created;
    else
        ntt_matrix_destroy(created);
    return status;
}

void ntt_matrix_destroy(ntt_matrix *matrix) {
    if (!matrix)
        return;
    ntt_domain_destroy(matrix->of_column);
    ntt_domain_destroy(matrix->of_row);
    free(matrix->shift);
    free(matrix->inverse_shift);
    free(matrix->roots);
    free(matrix->inverse_roots);
    free(matrix);
}

/* Counts up in reversed bits beside the natural count. */
static void reverse_line(fr *line, unsigned log_size) {
    size_t size = (size_t)1 << log_size;
    for (size_t i = 0, reversed = 0; i < size; i++) {
        if (i < reversed) {
            fr swapped = line[i];
            line[i] = line[reversed];
            line[reversed] = swapped;
        }
        size_t bit = size / 2;
        for (; reversed & bit; bit /= 2)
            reversed -= bit;
        reversed += bit;
    }
}

static void transform_cached_line(fr *line, unsigned log_size, const fr *roots) {
    ntt_one_column(line, log_size, roots);
    reverse_line(line, log_size);
}

static void inverse_line(const ntt_matrix *m, fr *line, unsigned log_size, const ntt_domain *domain) {
    if (m->roots)
        transform_cached_line(line, log_size, m->inverse_roots);
    else
        ntt_inverse(domain, line, NULL);
}

static void forward_line(const ntt_matrix *m, fr *line, unsigned log_size, const ntt_domain *domain) {
    if (m->roots)
        transform_cached_line(line, log_size, m->roots);
    else
        ntt_forward(domain, line, NULL);
}

static void scale_row(const ntt_matrix *m, fr *row, const fr *factors) {
    for (size_t i = 0; i < (size_t)1 << m->log_columns; i++)
        fr_mul(&row[i], &row[i], &factors[i]);
}

void ntt_matrix_inverse_column(const ntt_matrix *matrix, fr *column, size_t index, const fr *first, const fr *shift) {
    fr start, ratio;
    inverse_line(matrix, column, matrix->log_rows, matrix->of_column);
    fr_mul(&start, first, &matrix->scale);
    fr_power(&ratio, &matrix->inverse_root, index);
    fr_mul(&ratio, &ratio, shift);
    ntt_scale_by_powers(column, &start, &ratio, (size_t)1 << matrix->log_rows);
}

void ntt_matrix_inverse_row(const ntt_matrix *matrix, fr *row) { inverse_line(matrix, row, matrix->log_columns, matrix->of_row); }

void ntt_matrix_coset_inverse_row(const ntt_matrix *matrix, fr *row) {
    ntt_matrix_inverse_row(matrix, row);
    scale_row(matrix, row, matrix->inverse_shift);
}

void ntt_matrix_coset_forward_row(const ntt_matrix *matrix, fr *row, size_t index) {
    fr ratio;
    scale_row(matrix, row, matrix->shift);
    forward_line(matrix, row, matrix->log_columns, matrix->of_row);
    fr_power(&ratio, &matrix->root, index);
    ntt_scale_by_powers(row, &FR_ONE, &ratio, (size_t)1 << matrix->log_columns);
}

void ntt_matrix_forward_column(const ntt_matrix *matrix, fr *column) {
    forward_line(matrix, column, matrix->log_rows, matrix->of_column);
}
