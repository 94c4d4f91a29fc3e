/* Blocks: gadgets that a constraint system may take as a whole.
 *
 * A circuit consists mostly of a few gadgets, repeated: SHA-256 compressions, Poseidon hashes, decompositions. Made one
 * variable and one constraint at a time, a gadget needs linear combinations and field arithmetic for what is mostly bits. A
 * kind of block knows better: how few values of a block determine all others, how to compute them, and how to get the
 * block's variables and the values of its rows back from them. Its constraints are those of the gadget itself, recorded
 * once (compact_template.h), so that nothing is written down twice but the values.
 *
 * A block sees variables of the circuit around it only through its slots: all that its rows mention but ONE and the
 * variables that it allocates. It allocates no inputs. */
#ifndef R1CS_BLOCK_H
#define R1CS_BLOCK_H

#include "r1cs/constraint_system.h"

enum { BLOCK_KEY_CAPACITY = 320, BLOCK_SLOT_CAPACITY = 1024 };

/* The values of A, B and C in a row. Most are small: A is 0, 1, 2 or -1, B is 0 or 1, and C = A * B since the row holds. Such
 * a row is a byte: bit 0 is B, bits 1 and 2 say what A is. */
enum {
    ROW_B = 1,
    ROW_A_ZERO = 0 << 1,
    ROW_A_ONE = 1 << 1,
    ROW_A_TWO = 2 << 1,
    ROW_A_MINUS_ONE = 3 << 1,
    ROW_SMALL_CODES = 8,
    ROW_WIDE = 8 /* the next of the block's wide rows has the values */
};

/* A row in full, Montgomery. */
typedef struct {
    fr a, b, c;
} wide_row;

/* How much of a witness a block stores. */
typedef struct {
    uint32_t bits;      /* rounded up to words of 64 */
    uint32_t elements;  /* of 32 bytes: field elements, or whatever the kind puts there */
    uint32_t wide_rows; /* at most as many of its rows have the code ROW_WIDE */
} block_storage;

typedef struct block_kind {
    const char *name;

    /* The bytes that decide a block's constraints up to its slots; returns how many, at most BLOCK_KEY_CAPACITY. Requests
     * with equal keys have equal constraints. */
    size_t (*key)(const void *request, uint8_t key[BLOCK_KEY_CAPACITY]);
    /* The variables around it that its rows mention, as many for equal keys, at most BLOCK_SLOT_CAPACITY. */
    size_t (*slots)(const void *request, variable slots[BLOCK_SLOT_CAPACITY]);
    /* Makes the block's variables and constraints over the given slots, without a witness, one by one. */
    void (*synthesize)(constraint_system *cs, const uint8_t *key, const variable *slots);
    /* What blocks with this key and these numbers of variables and rows store. */
    block_storage (*storage)(const uint8_t *key, uint32_t aux, uint32_t rows);

    /* Computes the block's witness from the request's values: stores bits (64 to a word, least significant first, zero
     * behind the last) and elements, and puts the results into the request. bits and elements are zero before. */
    void (*store)(void *request, uint64_t *bits, fr *elements);
    /* The values of the block's variables begin ... end - 1, Montgomery. NULL: they are the stored bits, one each. */
    void (*aux)(const uint8_t *key, const fr *elements, uint32_t begin, uint32_t end, fr *values);
    /* The codes of all rows, and the values of those that are wide, in order. There is room for 64 codes more. Of a block
     * whose variables are the stored bits, bits are given. */
    void (*rows)(const uint8_t *key, const uint64_t *bits, const fr *elements, uint8_t *codes, wide_row *wide);
} block_kind;

#endif
