/* The ten sector sizes and what each fixes: the shapes of its trees and the dimensions of its circuits. Facts from
 * filecoin-proofs 19.1 (constants.rs) and storage-proofs-update 19.1 (constants.rs). */
#ifndef FILECOIN_SECTOR_SHAPE_H
#define FILECOIN_SECTOR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SECTOR_SHAPE_COUNT = 10,
    NODE_BYTES = 32,
    DRG_DEGREE = 6,       /* parents of a node in its own layer */
    EXPANDER_DEGREE = 8,  /* parents of a node in the layer below */
    LABEL_PARENTS = 37,   /* parents, repeated, that a label hashes */
    WINNING_CHALLENGES = 66,
    WINDOW_CHALLENGES = 10, /* of each sector */
    MAX_LAYERS = 11,
    MAX_NODE_BITS = 31
};

typedef struct {
    const char *name; /* "2KiB" ... "64GiB" */
    uint64_t bytes;   /* sector size */
    unsigned node_bits; /* log2 of the number of 32-byte nodes, which is the height of tree D */
    /* Trees C and R: nodes of base_arity from the leaves up, then one of sub_arity and one of top_arity (0: none). */
    unsigned base_arity, sub_arity, top_arity;
    unsigned layers;                     /* of labels: rows of a column */
    unsigned porep_challenges;           /* in each partition, interactive or not */
    unsigned porep_partitions;           /* interactive and synthetic */
    unsigned non_interactive_partitions;
    unsigned window_sectors;             /* sectors in one WindowPoSt circuit */
    unsigned snap_partitions, snap_challenges; /* SnapDeals: partitions, and challenges in each */
    unsigned snap_apex_leaves;           /* leaves of a partition's apex tree */
    unsigned snap_high_bits[6];          /* how many high bits of a challenge select rho: the circuit's six choices */
    bool published;                      /* Filecoin has parameters and registered proofs for it */
} sector_shape;

/* Ascending by size. */
extern const sector_shape SECTOR_SHAPES[SECTOR_SHAPE_COUNT];

static inline uint64_t sector_nodes(const sector_shape *shape) { return UINT64_C(1) << shape->node_bits; }

/* NULL unless the size, in bytes, is one of the ten. */
const sector_shape *sector_shape_of_size(uint64_t bytes);

/* Reads "2KiB" ... "64GiB" (upper or lower case) or a number of bytes in decimal; NULL for anything else. */
const sector_shape *sector_shape_parse(const char *text);

/* SnapDeals takes the fourth of the six choices: 1 up to 32 KiB, 10 above (h_default). */
enum { SNAP_HIGH_BITS_CHOICE = 3 };
static inline unsigned snap_high_bits(const sector_shape *shape) { return shape->snap_high_bits[SNAP_HIGH_BITS_CHOICE]; }

/* A SnapDeals circuit's first public input (k_and_h_select): the partition in the low bits, and behind them a 1 at the first
 * of the six choices that is the number of high bits in use (h_select), which matters up to 32 KiB. */
uint64_t snap_partition_selector(const sector_shape *shape, unsigned partition);

#endif
