#include "algebra/ntt_blocks.h"

#include <stdlib.h>

#include "algebra/fr_butterfly.h"
#include "algebra/kernels.h"
#include "base/memory.h"

struct ntt_roots {
    const ntt_kernel *kernel;
    unsigned log_size;
    void *tables; /* the kernel's */
};

static const ntt_kernel *kernel_of_cpu(const ntt_kernel *kernel) {
#ifdef FR_LOOSE
    if (kernel == &ntt_kernel_portable && cpu_has_mulx_and_adx())
        return &ntt_kernel_mulx;
#endif
    return kernel;
}

ntt_roots *ntt_roots_create(unsigned log_size) {
    ntt_roots *roots = allocate(1, sizeof *roots);
    const ntt_kernel *kernel = kernels_in_use()->ntt;
    if (log_size < kernel->min_log_size)
        kernel = &ntt_kernel_portable;
    kernel = kernel_of_cpu(kernel);
    *roots = (ntt_roots){.kernel = kernel, .log_size = log_size, .tables = kernel->tables_create(log_size)};
    return roots;
}

void ntt_roots_destroy(ntt_roots *roots) {
    if (!roots)
        return;
    roots->kernel->tables_destroy(roots->tables);
    free(roots);
}

/* One transform. */
typedef struct {
    const ntt_kernel *kernel;
    const void *tables;
    ntt_way way;
    fr *values;
    unsigned log_size, log_rows; /* log_rows: of the pass down the columns of the whole */
    size_t block;                /* 0 or 1 */
} transform;

static transform transform_of(const ntt_roots *roots, ntt_way way, fr *values, size_t block) {
    return (transform){.kernel = roots->kernel,
                       .tables = roots->tables,
                       .way = way,
                       .values = values,
                       .log_size = roots->log_size,
                       .block = block};
}

size_t ntt_products(size_t times) { return kernel_of_cpu(kernels_in_use()->ntt)->products(times); }

/* How many layers the first pass on a block takes; what is left has at most NTT_MAX_LOG_BLOCK or is halved again. */
static unsigned rows_of_block(unsigned log_size) { return log_size / 2 < NTT_MAX_LOG_ROWS ? log_size / 2 : NTT_MAX_LOG_ROWS; }

/* The whole of a block. Back to coefficients its elements are reduced only if it is the last thing that is done to them. */
static void transform_block(const transform *t, fr *values, unsigned log_size, size_t block, bool last, void *workspace) {
    bool forward = t->way != NTT_MERGE;
    if (log_size <= NTT_MAX_LOG_BLOCK) {
        t->kernel->block(t->tables, t->way, values, log_size, block, forward || last, workspace);
        return;
    }
    unsigned log_rows = rows_of_block(log_size), log_part = log_size - log_rows;
    size_t tiles = (size_t)1 << (log_part - t->kernel->log_tile_columns);
    if (forward)
        t->kernel->columns(t->tables, t->way, values, log_size, log_rows, block, 0, tiles, false, workspace);
    for (size_t i = 0; i < (size_t)1 << log_rows; i++)
        transform_block(t, values + (i << log_part), log_part, (block << log_rows) + i, false, workspace);
    if (!forward)
        t->kernel->columns(t->tables, t->way, values, log_size, log_rows, block, 0, tiles, last, workspace);
}

static void columns_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const transform *t = context;
    void *workspace = allocate_aligned(1, t->kernel->workspace_bytes);
    t->kernel->columns(t->tables, t->way, t->values, t->log_size, t->log_rows, t->block, begin, end, t->way == NTT_MERGE,
                       workspace);
    free(workspace);
}

static void blocks_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    const transform *t = context;
    unsigned log_part = t->log_size - t->log_rows;
    void *workspace = allocate_aligned(1, t->kernel->workspace_bytes);
    for (size_t i = begin; i < end; i++)
        transform_block(t, t->values + (i << log_part), log_part, (t->block << t->log_rows) + i, false, workspace);
    free(workspace);
}

static void run(transform t, thread_pool *pool) {
    if (t.log_size <= NTT_MAX_LOG_BLOCK || !pool) {
        void *workspace = allocate_aligned(1, t.kernel->workspace_bytes);
        transform_block(&t, t.values, t.log_size, t.block, true, workspace);
        free(workspace);
        return;
    }
    t.log_rows = rows_of_block(t.log_size);
    size_t parts = (size_t)1 << t.log_rows, tiles = (size_t)1 << (t.log_size - t.log_rows - t.kernel->log_tile_columns);
    if (t.way != NTT_MERGE)
        parallel_for(pool, tiles, even_grain(pool, tiles), columns_range, &t);
    parallel_for(pool, parts, even_grain(pool, parts), blocks_range, &t);
    if (t.way == NTT_MERGE)
        parallel_for(pool, tiles, even_grain(pool, tiles), columns_range, &t);
}

void ntt_split(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool) {
    run(transform_of(roots, NTT_SPLIT, values, coset), pool);
}
void ntt_merge(const ntt_roots *roots, fr *values, bool coset, thread_pool *pool) {
    run(transform_of(roots, NTT_MERGE, values, coset), pool);
}
void ntt_split_inverse(const ntt_roots *roots, fr *values, thread_pool *pool) {
    run(transform_of(roots, NTT_SPLIT_INVERSE, values, 0), pool);
}
