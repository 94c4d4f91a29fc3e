#include "filecoin/sector_shape.h"

#include <stdlib.h>
#include <strings.h>

#define SMALL_HIGH_BITS {1, 1, 1, 1, 1, 1}
#define LARGE_HIGH_BITS {7, 8, 9, 10, 11, 12}
/* Everything below 32 GiB has two layers, and two challenges in one partition (13 partitions when not interactive). */
#define TEST_POREP .layers = 2, .porep_challenges = 2, .porep_partitions = 1, .non_interactive_partitions = 13
#define FULL_POREP .layers = 11, .porep_challenges = 18, .porep_partitions = 10, .non_interactive_partitions = 126
#define SIZE(text, bits) .name = text, .bytes = UINT64_C(32) << (bits), .node_bits = (bits)
#define TREE(base, sub, top) .base_arity = (base), .sub_arity = (sub), .top_arity = (top)
#define SNAP(partitions, challenges, leaves) \
    .snap_partitions = (partitions), .snap_challenges = (challenges), .snap_apex_leaves = (leaves)

const sector_shape SECTOR_SHAPES[SECTOR_SHAPE_COUNT] = {
    {SIZE("2KiB", 6), TREE(8, 0, 0), TEST_POREP, .window_sectors = 2, SNAP(1, 10, 8), .snap_high_bits = SMALL_HIGH_BITS,
     .published = true},
    {SIZE("4KiB", 7), TREE(8, 2, 0), TEST_POREP, .window_sectors = 2, SNAP(1, 10, 8), .snap_high_bits = SMALL_HIGH_BITS},
    {SIZE("16KiB", 9), TREE(8, 8, 0), TEST_POREP, .window_sectors = 2, SNAP(2, 10, 128), .snap_high_bits = SMALL_HIGH_BITS},
    {SIZE("32KiB", 10), TREE(8, 8, 2), TEST_POREP, .window_sectors = 2, SNAP(2, 10, 128), .snap_high_bits = SMALL_HIGH_BITS},
    {SIZE("8MiB", 18), TREE(8, 0, 0), TEST_POREP, .window_sectors = 2, SNAP(4, 10, 128), .snap_high_bits = LARGE_HIGH_BITS,
     .published = true},
    {SIZE("16MiB", 19), TREE(8, 2, 0), TEST_POREP, .window_sectors = 2, SNAP(4, 10, 128), .snap_high_bits = LARGE_HIGH_BITS},
    {SIZE("512MiB", 24), TREE(8, 0, 0), TEST_POREP, .window_sectors = 2, SNAP(16, 86, 128), .snap_high_bits = LARGE_HIGH_BITS,
     .published = true},
    {SIZE("1GiB", 25), TREE(8, 2, 0), TEST_POREP, .window_sectors = 2, SNAP(16, 86, 128), .snap_high_bits = LARGE_HIGH_BITS},
    {SIZE("32GiB", 30), TREE(8, 8, 0), FULL_POREP, .window_sectors = 2349, SNAP(16, 86, 128),
     .snap_high_bits = LARGE_HIGH_BITS, .published = true},
    {SIZE("64GiB", 31), TREE(8, 8, 2), FULL_POREP, .window_sectors = 2300, SNAP(16, 86, 128),
     .snap_high_bits = LARGE_HIGH_BITS, .published = true},
};

const sector_shape *sector_shape_of_size(uint64_t bytes) {
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++)
        if (SECTOR_SHAPES[i].bytes == bytes)
            return &SECTOR_SHAPES[i];
    return NULL;
}

const sector_shape *sector_shape_parse(const char *text) {
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++)
        if (strcasecmp(SECTOR_SHAPES[i].name, text) == 0)
            return &SECTOR_SHAPES[i];
    if (text[0] < '0' || text[0] > '9')
        return NULL;
    char *end;
    unsigned long long bytes = strtoull(text, &end, 10);
    return *end == '\0' ? sector_shape_of_size(bytes) : NULL;
}

uint64_t snap_partition_selector(const sector_shape *shape, unsigned partition) {
    unsigned choice = 0;
    while (shape->snap_high_bits[choice] != snap_high_bits(shape))
        choice++;
    return partition | (uint64_t)shape->snap_partitions << choice;
}
