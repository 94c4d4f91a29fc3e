/* The one memory budget, by owner. No locks: the engine's mutex guards it. */
#ifndef ENGINE_BUDGET_H
#define ENGINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "cuzk/engine.h"

typedef struct {
    uint64_t total;   /* what may be used at most */
    uint64_t ceiling; /* what the host could give us now, others' use considered; UINT64_MAX: unknown */
    uint64_t used, peak;
    uint64_t by_owner[CUZK_MEMORY_OWNER_COUNT];
} memory_budget;

void budget_init(memory_budget *budget, uint64_t total);

/* The total that options ask for: theirs, or else the system's limits less the safety margin. reason, if not NULL, gets a few words
 * for it. */
enum { BUDGET_REASON_CAPACITY = 200 };
uint64_t budget_of_options(const cuzk_engine_options *options, char reason[BUDGET_REASON_CAPACITY]);

/* The lesser of total and ceiling. */
uint64_t budget_limit(const memory_budget *budget);
/* What is left of it. */
uint64_t budget_free(const memory_budget *budget);

/* Takes without asking: the caller has looked at budget_free, or reports what is so already. */
void budget_take(memory_budget *budget, cuzk_memory_owner owner, uint64_t bytes);
void budget_give(memory_budget *budget, cuzk_memory_owner owner, uint64_t bytes);

/* Writes "1.5 GiB" (or KiB, MiB; two digits behind the point at most) to text. */
enum { BYTE_TEXT_CAPACITY = 32 };
const char *byte_text(char text[BYTE_TEXT_CAPACITY], uint64_t bytes);

#endif
