/* The kernels of level ifma as they are compiled, against the portable ones, byte for byte, on an emulated CPU without an
 * operating system: for machines that lack these instructions (tools/emulate-ifma.sh). Prints to Bochs's debug port. */
#include <string.h>

#include "algebra/kernels.h"
#include "algebra/ntt_kernel.h"
#include "base/memory.h"

/* ---- What the kernels want of a system ------------------------------------------------------------------------------ */

enum { DEBUG_PORT = 0xe9, SHUTDOWN_PORT = 0x8900, HEAP_BYTES = 200 << 20 };

static void put_byte(unsigned short port, char c) { __asm__ volatile("outb %0, %1" : : "a"(c), "d"(port)); }

static void put_text(unsigned short port, const char *text) {
    while (*text)
        put_byte(port, *text++);
}

static void put_number(size_t number) {
    if (number >= 10)
        put_number(number / 10);
    put_byte(DEBUG_PORT, (char)('0' + number % 10));
}

static void shut_down(void) {
    put_text(SHUTDOWN_PORT, "Shutdown");
    for (;;)
        __asm__ volatile("hlt");
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = (char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
            return ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
    return 0;
}

static _Alignas(64) unsigned char heap[HEAP_BYTES];
static size_t heap_used;

void *allocate_aligned(size_t count, size_t size) {
    void *memory = heap + heap_used;
    heap_used += (count * size + 63) / 64 * 64;
    if (heap_used > HEAP_BYTES) {
        put_text(DEBUG_PORT, "out of memory\n");
        shut_down();
    }
    return memory;
}

void *allocate(size_t count, size_t size) { return allocate_aligned(count, size); }

/* All is free when a test begins. */
void free(void *memory) { (void)memory; }
static void begin_test(void) { heap_used = 0; }

bool cpu_has_mulx_and_adx(void) { return false; }

/* ---- Tests ---------------------------------------------------------------------------------------------------------- */

static bool all_equal = true;

static void check(const char *what, size_t size, size_t variant, const void *a, const void *b, size_t bytes) {
    bool equal = memcmp(a, b, bytes) == 0;
    all_equal &= equal;
    put_text(DEBUG_PORT, what);
    put_byte(DEBUG_PORT, ' ');
    put_number(size);
    put_byte(DEBUG_PORT, ' ');
    put_number(variant);
    put_text(DEBUG_PORT, equal ? " equal\n" : " DIFFERENT\n");
}

/* Marsaglia's xorshift, 2003. */
static uint64_t random_u64(void) {
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Some of them 0, and some r - 1, as words. */
static void make_values(fr *values, size_t count) {
    static const fr largest = {{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};
    for (size_t i = 0; i < count; i++) {
        for (size_t limb = 0; limb < 4; limb++)
            values[i].l[limb] = random_u64();
        values[i].l[3] >>= 2;
        if (random_u64() % 5 == 0)
            values[i] = largest;
        if (random_u64() % 7 == 0)
            memset(&values[i], 0, sizeof values[i]);
    }
}

/* A transform's vector on both levels. */
typedef struct {
    const ntt_kernel *kernel;
    void *tables, *workspace;
    fr *values;
} side;

static side make_side(const ntt_kernel *kernel, unsigned log_size) {
    enum { LOG_BLOCKS = 3 }; /* blocks 0 .. 7 of the layer */
    return (side){.kernel = kernel,
                  .tables = kernel->tables_create(log_size + LOG_BLOCKS),
                  .workspace = allocate_aligned(1, kernel->workspace_bytes),
                  .values = allocate((size_t)1 << log_size, sizeof(fr))};
}

static void blocks_of(unsigned log_size) {
    begin_test();
    side sides[2] = {make_side(&ntt_kernel_ifma, log_size), make_side(&ntt_kernel_portable, log_size)};
    size_t size = (size_t)1 << log_size;
    for (ntt_way way = NTT_SPLIT; way <= NTT_MERGE; way++)
        for (size_t block = 0; block < 8; block += log_size < 10 ? 1 : 5) {
            make_values(sides[0].values, size);
            memcpy(sides[1].values, sides[0].values, size * sizeof(fr));
            for (int i = 0; i < 2; i++)
                sides[i].kernel->block(sides[i].tables, way, sides[i].values, log_size, block, true, sides[i].workspace);
            check("block", log_size, way, sides[0].values, sides[1].values, size * sizeof(fr));
        }
}

static void columns_of(unsigned log_rows) {
    enum { LOG_COLUMNS = 4, TILES = 2 };
    begin_test();
    unsigned log_size = log_rows + LOG_COLUMNS;
    side sides[2] = {make_side(&ntt_kernel_ifma, log_size), make_side(&ntt_kernel_portable, log_size)};
    size_t size = (size_t)1 << log_size;
    for (ntt_way way = NTT_SPLIT; way <= NTT_MERGE; way++)
        for (size_t block = 0; block < 2; block++) {
            make_values(sides[0].values, size);
            memcpy(sides[1].values, sides[0].values, size * sizeof(fr));
            for (int i = 0; i < 2; i++)
                sides[i].kernel->columns(sides[i].tables, way, sides[i].values, log_size, log_rows, block, 0, TILES, true,
                                         sides[i].workspace);
            check("columns", log_rows, way, sides[0].values, sides[1].values, size * sizeof(fr));
        }
}

/* Ordinary additions, and of points that are equal, opposite, or infinity. For both groups, whose names differ. */
#define ADDITIONS_TEST(name, affine, addition, scratch, COUNT, blst_point, blst_affine, generator, to_affine, add, batch_add)    \
    static void name(void) {                                                                                                     \
        begin_test();                                                                                                            \
        affine *points = allocate(2 * COUNT, sizeof *points), *sums[2];                                                          \
        blst_point next = *generator();                                                                                          \
        for (size_t i = 0; i < 2 * COUNT; i++) {                                                                                 \
            blst_affine point;                                                                                                   \
            to_affine(&point, &next);                                                                                            \
            memcpy(&points[i], &point, sizeof points[i]);                                                                        \
            add(&next, &next, i % 3 ? generator() : &next);                                                                      \
        }                                                                                                                        \
        memset(&points[COUNT + 5], 0, sizeof *points);                                                                           \
        memset(&points[12], 0, sizeof *points);                                                                                  \
        points[COUNT + 9] = points[9];                                                                                           \
        points[COUNT + 10] = points[10];                                                                                         \
        scratch *room = allocate_aligned(1, sizeof *room);                                                                       \
        for (int side = 0; side < 2; side++) {                                                                                   \
            sums[side] = allocate(COUNT, sizeof *points);                                                                        \
            memcpy(sums[side], points, COUNT * sizeof *points);                                                                  \
            addition *additions = allocate(COUNT, sizeof *additions);                                                            \
            for (uint32_t i = 0; i < COUNT; i++)                                                                                 \
                additions[i] =                                                                                                   \
                    (addition){.sum = &sums[side][i], .addend = (uint32_t)COUNT + i, .negate = i % 10 == 9 || i % 4 == 3};       \
            (side ? batch_add##_portable : batch_add##_ifma)(additions, COUNT, points, room);                                    \
        }                                                                                                                        \
        check(#name, COUNT, 0, sums[0], sums[1], COUNT * sizeof *points);                                                        \
    }
ADDITIONS_TEST(g1_additions, g1_affine, g1_addition, g1_batch_scratch, G1_BATCH, blst_p1, blst_p1_affine, blst_p1_generator,
               blst_p1_to_affine, blst_p1_add_or_double, g1_batch_add)
ADDITIONS_TEST(g2_additions, g2_affine, g2_addition, g2_batch_scratch, G2_BATCH, blst_p2, blst_p2_affine, blst_p2_generator,
               blst_p2_to_affine, blst_p2_add_or_double, g2_batch_add)

void run_tests(void);
void run_tests(void) {
    for (unsigned log_size = ntt_kernel_ifma.min_log_size; log_size <= NTT_MAX_LOG_BLOCK; log_size++)
        blocks_of(log_size);
    for (unsigned log_rows = 1; log_rows <= NTT_MAX_LOG_ROWS; log_rows += 3)
        columns_of(log_rows);
    g1_additions();
    g2_additions();
    put_text(DEBUG_PORT, all_equal ? "all equal\n" : "not all equal\n");
    shut_down();
}
