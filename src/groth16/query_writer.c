#include "groth16/query_writer.h"

#include "base/bytes.h"

/* Points of a block: enough for batch inversions and threads, 27 MB with their encodings. */
enum { QUERY_BLOCK = 1 << 16, ENCODE_GRAIN = 1024 };

cuzk_status query_writer_create(query_writer *writer, FILE *stream, const char *path, size_t expected_g1, size_t expected_g2,
                                thread_pool *pool, progress *job, cuzk_error *error) {
    *writer = (query_writer){.stream = stream, .path = path, .pool = pool, .job = job};
    cuzk_status status = fixed_base_g1_create(&writer->g1, G1_GENERATOR, expected_g1, pool, error);
    if (status == CUZK_OK)
        status = fixed_base_g2_create(&writer->g2, G2_GENERATOR, expected_g2, pool, error);
    if (status == CUZK_OK)
        status = big_buffer_allocate(&writer->scalars, QUERY_BLOCK, sizeof(fr), "setup: scalars", error);
    if (status == CUZK_OK)
        status = big_buffer_allocate(&writer->points, QUERY_BLOCK, sizeof(g2_affine), "setup: points", error);
    if (status == CUZK_OK)
        status = big_buffer_allocate(&writer->bytes, QUERY_BLOCK, G2_BYTES, "setup: encoded points", error);
    if (status != CUZK_OK)
        query_writer_free(writer);
    return status;
}

void query_writer_free(query_writer *writer) {
    fixed_base_g1_destroy(writer->g1);
    fixed_base_g2_destroy(writer->g2);
    big_buffer_free(&writer->scalars);
    big_buffer_free(&writer->points);
    big_buffer_free(&writer->bytes);
    *writer = (query_writer){0};
}

typedef struct {
    const void *points;
    uint8_t *bytes;
} encode_loop;

static void encode_g1_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    encode_loop *loop = context;
    const g1_affine *points = loop->points;
    for (size_t i = begin; i < end; i++)
        g1_encode(loop->bytes + i * G1_BYTES, &points[i]);
}

static void encode_g2_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    encode_loop *loop = context;
    const g2_affine *points = loop->points;
    for (size_t i = begin; i < end; i++)
        g2_encode(loop->bytes + i * G2_BYTES, &points[i]);
}

/* bytes: encoded multiples of the generator by up to QUERY_BLOCK scalars. */
static void encode_block_g1(query_writer *writer, uint8_t *bytes, const fr *scalars, size_t count) {
    fixed_base_g1_multiply(writer->g1, writer->points.data, scalars, count, writer->pool);
    encode_loop loop = {.points = writer->points.data, .bytes = bytes};
    parallel_for(writer->pool, count, ENCODE_GRAIN, encode_g1_range, &loop);
}

static void encode_block_g2(query_writer *writer, uint8_t *bytes, const fr *scalars, size_t count) {
    fixed_base_g2_multiply(writer->g2, writer->points.data, scalars, count, writer->pool);
    encode_loop loop = {.points = writer->points.data, .bytes = bytes};
    parallel_for(writer->pool, count, ENCODE_GRAIN, encode_g2_range, &loop);
}

void query_encode_g1(query_writer *writer, uint8_t *points, const fr *scalars, size_t count) {
    for (size_t begin = 0; begin < count; begin += QUERY_BLOCK) {
        size_t block = count - begin < QUERY_BLOCK ? count - begin : QUERY_BLOCK;
        encode_block_g1(writer, points + begin * G1_BYTES, scalars + begin, block);
    }
}

typedef void (*block_encoder)(query_writer *writer, uint8_t *bytes, const fr *scalars, size_t count);

static cuzk_status write_blocks(query_writer *writer, uint32_t count, size_t point_bytes, block_encoder encode,
                                scalar_stream next, void *context, cuzk_error *error) {
    uint8_t head[4];
    store_u32_be(head, count);
    fwrite(head, 1, sizeof head, writer->stream);
    fr *scalars = writer->scalars.data;
    for (uint32_t begin = 0, block; begin < count; begin += block) {
        TRY(progress_check(writer->job, error));
        block = count - begin < QUERY_BLOCK ? count - begin : QUERY_BLOCK;
        next(context, scalars, block);
        encode(writer, writer->bytes.data, scalars, block);
        fwrite(writer->bytes.data, point_bytes, block, writer->stream);
        /* A full disk shows at once, not after hours. */
        if (ferror(writer->stream))
            return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot write", writer->path);
        progress_advance(writer->job, block);
    }
    return CUZK_OK;
}

cuzk_status query_write_g1(query_writer *writer, const char *phase, uint32_t count, scalar_stream next, void *context,
                           cuzk_error *error) {
    progress_begin(writer->job, phase, count);
    cuzk_status status = write_blocks(writer, count, G1_BYTES, encode_block_g1, next, context, error);
    progress_end(writer->job);
    return status;
}

cuzk_status query_write_g2(query_writer *writer, const char *phase, uint32_t count, scalar_stream next, void *context,
                           cuzk_error *error) {
    progress_begin(writer->job, phase, count);
    cuzk_status status = write_blocks(writer, count, G2_BYTES, encode_block_g2, next, context, error);
    progress_end(writer->job);
    return status;
}
