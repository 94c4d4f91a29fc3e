#include "r1cs/term_storage.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* The largest combinations of Filecoin's circuits are MultiEq's, of up to 2,240 terms. */
enum { FIRST_CAPACITY = 4, ARENA_BYTES = 1 << 20 };

term_storage term_storage_create(size_t inline_capacity, bool use_arena) {
    assert(inline_capacity <= INLINE_TERMS_MAX);
    size_t first = 2 * inline_capacity > FIRST_CAPACITY ? 2 * inline_capacity : FIRST_CAPACITY;
    return (term_storage){.inline_capacity = inline_capacity, .first_capacity = first, .use_arena = use_arena};
}

void term_storage_free(term_storage *storage) {
    assert(storage->live == 0);
    free(storage->arena);
    *storage = (term_storage){0};
}

static void use_inline_terms(const term_storage *storage, linear_combination *lc) {
    lc->terms = storage->inline_capacity ? lc->inline_terms : NULL;
    lc->capacity = storage->inline_capacity;
    lc->count = 0;
}

void term_storage_attach(term_storage *storage, linear_combination *lc) {
    assert(!lc->storage && !lc->terms);
    lc->storage = storage;
    use_inline_terms(storage, lc);
}

/* From the arena, or where that is full from malloc: what is not inside the arena was allocated. */
static term *allocate_terms(term_storage *storage, size_t count) {
    size_t bytes = count * sizeof(term);
    if (!storage->use_arena)
        return allocate(count, sizeof(term));
    if (!storage->arena) {
        storage->arena = allocate(ARENA_BYTES, 1);
        storage->arena_size = ARENA_BYTES;
    }
    if (storage->arena_size - storage->arena_used < bytes)
        return allocate(count, sizeof(term));
    term *terms = (term *)(void *)(storage->arena + storage->arena_used);
    storage->arena_used += bytes;
    return terms;
}

static bool in_arena(const term_storage *storage, const term *terms) {
    uintptr_t at = (uintptr_t)terms, begin = (uintptr_t)storage->arena;
    return at >= begin && at < begin + storage->arena_size;
}

static void free_terms(const term_storage *storage, term *terms) {
    if (!in_arena(storage, terms))
        free(terms);
}

void term_storage_grow(term_storage *storage, linear_combination *lc) {
    bool was_inline = lc->capacity == storage->inline_capacity;
    size_t capacity = was_inline ? storage->first_capacity : 2 * lc->capacity;
    storage->allocations++;
    storage->live += was_inline;
    if (!was_inline && !storage->use_arena) {
        lc->terms = reallocate(lc->terms, capacity, sizeof(term));
    } else {
        term *terms = allocate_terms(storage, capacity);
        if (lc->count > 0)
            memcpy(terms, lc->terms, lc->count * sizeof(term));
        if (!was_inline)
            free_terms(storage, lc->terms);
        lc->terms = terms;
    }
    lc->capacity = capacity;
}

void term_storage_release(term_storage *storage, linear_combination *lc) {
    if (lc->capacity > storage->inline_capacity) {
        free_terms(storage, lc->terms);
        if (--storage->live == 0)
            storage->arena_used = 0;
    }
    use_inline_terms(storage, lc);
}
