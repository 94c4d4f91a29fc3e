#include "engine/srs_manager.h"

#include <string.h>

#include "base/log.h"

static size_t circuit_of(const cuzk_engine *engine, const srs_entry *entry) { return (size_t)(entry - engine->srs); }

static const char *name_of(const cuzk_engine *engine, const srs_entry *entry) {
    return engine->backend->circuits[circuit_of(engine, entry)].id;
}

srs_entry *srs_find(cuzk_engine *engine, const char *circuit_id) {
    for (size_t i = 0; i < engine->backend->circuit_count; i++)
        if (strcmp(engine->backend->circuits[i].id, circuit_id) == 0)
            return &engine->srs[i];
    return NULL;
}

uint64_t srs_opening_bytes(const srs_entry *entry, uint64_t room) {
    return entry->info.file_bytes <= room ? entry->info.file_bytes : entry->info.streaming_bytes;
}

static void set_reserved(cuzk_engine *engine, srs_entry *entry, uint64_t bytes) {
    budget_give(&engine->budget, CUZK_MEMORY_PARAMETERS, entry->reserved);
    budget_take(&engine->budget, CUZK_MEMORY_PARAMETERS, bytes);
    entry->reserved = bytes;
}

static void become_cold(cuzk_engine *engine, srs_entry *entry) {
    set_reserved(engine, entry, 0);
    entry->parameters = NULL;
    entry->stale = false;
    entry->state = SRS_COLD;
    pthread_cond_broadcast(&engine->changed);
    pthread_cond_broadcast(&engine->work);
}

cuzk_status srs_open(cuzk_engine *engine, srs_entry *entry, cuzk_error *error) {
    size_t circuit = circuit_of(engine, entry);
    bool whole = entry->reserved >= entry->info.file_bytes;
    parameters_info info;
    void *parameters;
    engine_unlock(engine);
    cuzk_status status = engine->backend->open_parameters(engine->backend, circuit, &parameters, &info, error);
    engine_lock(engine);
    if (status != CUZK_OK) {
        become_cold(engine, entry);
        if (status == CUZK_BAD_INPUT || status == CUZK_NOT_FOUND)
            status = error ? error->status = CUZK_FAILED_PRECONDITION : CUZK_FAILED_PRECONDITION;
        return status;
    }
    entry->parameters = parameters;
    entry->info = info;
    entry->state = SRS_LOADED;
    entry->last_used_ns = engine_now(engine);
    set_reserved(engine, entry, whole ? info.file_bytes : info.streaming_bytes);
    engine->metrics.srs_loads++;
    char size[BYTE_TEXT_CAPACITY];
    log_info("parameters of %s opened: %s, %s%s", name_of(engine, entry), info.path, byte_text(size, info.file_bytes),
             info.development ? "; a development setup: proofs made with it are worth nothing on any network" : "");
    pthread_cond_broadcast(&engine->changed);
    pthread_cond_broadcast(&engine->work);
    return CUZK_OK;
}

uint64_t srs_close(cuzk_engine *engine, srs_entry *entry) {
    uint64_t freed = entry->reserved;
    entry->state = SRS_CLOSING;
    while (entry->looks > 0)
        engine_wait(engine, &engine->changed, INT64_MAX);
    void *parameters = entry->parameters;
    engine_unlock(engine);
    engine->backend->close_parameters(engine->backend, parameters);
    engine_lock(engine);
    become_cold(engine, entry);
    engine->metrics.srs_evictions++;
    log_info("parameters of %s closed", name_of(engine, entry));
    return freed;
}

void srs_release(cuzk_engine *engine, srs_entry *entry) {
    entry->last_used_ns = engine_now(engine);
    if (--entry->references == 0) {
        pthread_cond_broadcast(&engine->changed);
        pthread_cond_broadcast(&engine->work);
    }
}

static bool is_idle(const srs_entry *entry) { return entry->state == SRS_LOADED && entry->references == 0; }

static int64_t evictable_from(const cuzk_engine *engine, const srs_entry *entry) {
    uint64_t idle_ms = engine->options.eviction_min_idle_ms;
    return idle_ms > INT64_MAX / 2000000 ? INT64_MAX : entry->last_used_ns + (int64_t)idle_ms * 1000000;
}

bool srs_make_room(cuzk_engine *engine, uint64_t bytes, const srs_entry *except, bool urgent, int64_t *again_ns) {
    int64_t now = engine_now(engine);
    uint64_t evictable = 0;
    srs_entry *oldest = NULL;
    for (size_t i = 0; i < engine->backend->circuit_count; i++) {
        srs_entry *entry = &engine->srs[i];
        if (entry == except || !is_idle(entry))
            continue;
        int64_t from = evictable_from(engine, entry);
        if (!urgent && from > now) {
            if (from < *again_ns)
                *again_ns = from;
            continue;
        }
        evictable += entry->reserved;
        if (!oldest || entry->last_used_ns < oldest->last_used_ns)
            oldest = entry;
    }
    uint64_t room = budget_free(&engine->budget);
    if (!oldest || bytes <= room || bytes - room > evictable)
        return false;
    srs_close(engine, oldest);
    return true;
}

void srs_suspect(cuzk_engine *engine, srs_entry *entry) {
    void *parameters = entry->parameters;
    entry->looks++;
    engine_unlock(engine);
    bool current = engine->backend->parameters_current(engine->backend, parameters);
    engine_lock(engine);
    entry->looks--;
    pthread_cond_broadcast(&engine->changed);
    if (!current && entry->state == SRS_LOADED && !entry->stale) {
        entry->stale = true;
        log_warn("%s: the parameter file has changed or gone; it is looked for again before its next use", entry->info.path);
    }
}

void srs_look_at_files(cuzk_engine *engine) {
    for (size_t i = 0; i < engine->backend->circuit_count; i++) {
        srs_entry *entry = &engine->srs[i];
        if (entry->state == SRS_LOADED && !entry->stale)
            srs_suspect(engine, entry);
        if (is_idle(entry) && entry->stale)
            srs_close(engine, entry);
    }
}

cuzk_tier srs_tier(const cuzk_engine *engine, const srs_entry *entry) {
    if (entry->state == SRS_COLD || entry->state == SRS_LOADING)
        return CUZK_TIER_COLD;
    if (entry->references > 0 || evictable_from(engine, entry) > engine_now(engine))
        return CUZK_TIER_HOT;
    return CUZK_TIER_WARM;
}
