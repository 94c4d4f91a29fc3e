/* Where linear combinations keep their terms, for those who want to compare: provers of this kind make three fresh
 * combinations for each constraint, and how these are stored is what their synthesis spends much of its time on. Without a
 * storage the memory of a system's three combinations is simply kept from one constraint to the next. */
#ifndef R1CS_TERM_STORAGE_H
#define R1CS_TERM_STORAGE_H

#include "r1cs/linear_combination.h"

typedef struct term_storage {
    size_t inline_capacity; /* terms inside the combination itself, 0 ... INLINE_TERMS_MAX, before memory is asked for */
    size_t first_capacity;  /* terms of the first allocation; it doubles from there */
    bool use_arena;         /* a piece of memory that is cut from the front, and whole again when the constraint is done */

    char *arena;
    size_t arena_used, arena_size;
    size_t live;          /* combinations that hold allocated terms now */
    uint64_t allocations; /* so far, growing included */
} term_storage;

/* A storage that begins with inline_capacity terms in place (0: a growing vector). Free with term_storage_free when no
 * combination uses it any more. */
term_storage term_storage_create(size_t inline_capacity, bool use_arena);
void term_storage_free(term_storage *storage);

/* Makes an empty combination use a storage. */
void term_storage_attach(term_storage *storage, linear_combination *lc);

/* Makes room for at least one term more. */
void term_storage_grow(term_storage *storage, linear_combination *lc);
/* Takes the memory of a combination back, which is empty afterwards. */
void term_storage_release(term_storage *storage, linear_combination *lc);

#endif
