#include "engine/budget.h"

#include <assert.h>
#include <stdio.h>

#include "engine/system_limits.h"

void budget_init(memory_budget *budget, uint64_t total) {
    *budget = (memory_budget){.total = total, .ceiling = UINT64_MAX};
}

uint64_t budget_of_options(const cuzk_engine_options *options, char reason[BUDGET_REASON_CAPACITY]) {
    if (options->total_budget) {
        if (reason)
            snprintf(reason, BUDGET_REASON_CAPACITY, "as configured (total_budget)");
        return options->total_budget;
    }
    system_limits limits;
    char margin_text[BYTE_TEXT_CAPACITY];
    system_limits_read(&limits, options->limits_root ? options->limits_root : "");
    uint64_t half = limits.memory_bytes / 2, margin = options->safety_margin < half ? options->safety_margin : half;
    if (reason)
        snprintf(reason, BUDGET_REASON_CAPACITY, "%.110s less %s", limits.memory_source, byte_text(margin_text, margin));
    return limits.memory_bytes - margin;
}

uint64_t budget_limit(const memory_budget *budget) {
    return budget->total < budget->ceiling ? budget->total : budget->ceiling;
}

uint64_t budget_free(const memory_budget *budget) {
    uint64_t limit = budget_limit(budget);
    return limit > budget->used ? limit - budget->used : 0;
}

void budget_take(memory_budget *budget, cuzk_memory_owner owner, uint64_t bytes) {
    budget->used += bytes;
    budget->by_owner[owner] += bytes;
    if (budget->used > budget->peak)
        budget->peak = budget->used;
}

void budget_give(memory_budget *budget, cuzk_memory_owner owner, uint64_t bytes) {
    assert(bytes <= budget->by_owner[owner]);
    budget->used -= bytes;
    budget->by_owner[owner] -= bytes;
}

const char *byte_text(char text[BYTE_TEXT_CAPACITY], uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        snprintf(text, BYTE_TEXT_CAPACITY, "%u bytes", (unsigned)bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    unsigned unit = 0;
    for (; value >= 1024 && unit < 3; unit++)
        value /= 1024;
    snprintf(text, BYTE_TEXT_CAPACITY, "%.4g %s", value, units[unit]);
    return text;
}
